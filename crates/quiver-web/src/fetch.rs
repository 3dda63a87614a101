//! One request, with its redirects and limits.

use std::{error::Error as StdError, time::Duration};

use reqwest::{Client, Response, StatusCode, Url, header, redirect};
use serde_json::{Map, Value};

use crate::{
    AGENT,
    problem::FetchProblem,
    reach::{Policy, not_global, refusal},
};

/// Maximum number of redirects.
const REDIRECTS_MAX: usize = 10;
/// Maximum delay that a server may ask for before a request is repeated.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// What is known about a page that was fetched before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified` date.
    pub last_modified: Option<String>,
}

impl Known {
    /// Reads what [`documents`](crate::documents) writes into the metadata of a page's documents.
    pub fn of(metadata: &Map<String, Value>) -> Self {
        let field = |name: &str| metadata.get(name).and_then(Value::as_str).map(str::to_owned);
        Self { etag: field("etag"), last_modified: field("last_modified") }
    }
}

/// What can be read as text, in order of preference.
const ACCEPTED: &str = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, */*;q=0.5";

/// A fetched page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its address, after all redirects.
    pub url: Url,
    /// The content type from the server, in lower case and without parameters, such as `text/html`.
    pub content_type: String,
    /// The character set from the server.
    pub charset: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
    /// The `ETag` of this version, as sent.
    pub etag: Option<String>,
    /// Its `Last-Modified` date, as sent.
    pub last_modified: Option<String>,
}

/// The result of a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Page(Page),
    Unchanged,
    /// It redirects.
    Moved(Url),
    /// The page no longer exists.
    Gone(StatusCode),
}

/// Makes requests.
pub(crate) struct Fetcher {
    client: Client,
    policy: Policy,
    bytes_max: usize,
}

impl Fetcher {
    pub(crate) fn new(policy: Policy, time_max: Duration, bytes_max: usize) -> Result<Self, String> {
        let client = Client::builder()
            .user_agent(AGENT)
            .connect_timeout(time_max)
            .timeout(time_max)
            // Each address is checked before it is requested.
            .redirect(redirect::Policy::none());
        let client = policy.apply(client).build();
        let client = client.map_err(|error| format!("can't create an HTTP client: {}", chain(&error)))?;
        Ok(Self { client, policy, bytes_max })
    }

    /// Checks the URL of a request that is to come.
    pub(crate) fn check(&self, url: &Url) -> Result<(), FetchProblem> {
        self.policy.check(url)
    }

    /// Returns the maximum number of redirects.
    pub(crate) fn redirects_max() -> usize {
        REDIRECTS_MAX
    }

    /// Requests a page, and repeats the request once if the server asks for a delay.
    pub(crate) async fn get(&self, url: &Url, known: Option<&Known>) -> Result<Reply, FetchProblem> {
        let response = self.send(url, known).await?;
        let later =
            matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        let response = match retry_after(&response).filter(|delay| later && *delay <= RETRY_AFTER_MAX) {
            Some(delay) => {
                tokio::time::sleep(delay).await;
                self.send(url, known).await?
            }
            None => response,
        };
        self.read(url, response).await
    }

    /// Sends a request. All requests pass through here: pages, redirects, sitemaps and `robots.txt`.
    async fn send(&self, url: &Url, known: Option<&Known>) -> Result<Response, FetchProblem> {
        self.policy.check(url)?;
        let mut request = self.client.get(url.clone()).header(header::ACCEPT, ACCEPTED);
        if let Some(etag) = known.and_then(|known| known.etag.as_deref()) {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(date) = known.and_then(|known| known.last_modified.as_deref()) {
            request = request.header(header::IF_MODIFIED_SINCE, date);
        }
        let response = request.send().await.map_err(|error| failed(url, &error))?;
        // The resolver has checked the address; nothing is read from another one even so.
        if response.remote_addr().is_some_and(|peer| !self.policy.allows(peer.ip())) {
            return Err(not_global(url));
        }
        Ok(response)
    }

    async fn read(&self, url: &Url, response: Response) -> Result<Reply, FetchProblem> {
        let status = response.status();
        let text = |name: header::HeaderName| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        match status {
            StatusCode::NOT_MODIFIED => return Ok(Reply::Unchanged),
            StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(Reply::Gone(status)),
            _ if status.is_redirection() => {
                let target = text(header::LOCATION).and_then(|target| url.join(&target).ok());
                return target.map(Reply::Moved).ok_or_else(|| {
                    FetchProblem::new(
                        url,
                        format!("the server returned {status} without a new address"),
                        "check the address",
                    )
                });
            }
            _ if !status.is_success() => {
                let what = format!("the server returned {status}");
                return Err(FetchProblem::new(
                    url,
                    what,
                    "open it in a browser and save the page from there",
                ));
            }
            _ => {}
        }
        let declared = text(header::CONTENT_TYPE).unwrap_or_default().to_lowercase();
        let mut parts = declared.split(';').map(str::trim);
        let content_type = parts.next().unwrap_or_default().to_owned();
        let charset = parts
            .find_map(|part| part.strip_prefix("charset="))
            .map(|name| name.trim_matches('"').to_owned());
        let (etag, last_modified) = (text(header::ETAG), text(header::LAST_MODIFIED));
        let bytes = self.body(url, response).await?;
        Ok(Reply::Page(Page { url: url.clone(), content_type, charset, bytes, etag, last_modified }))
    }

    /// Reads the content up to the limit, whatever length the server announces.
    async fn body(&self, url: &Url, mut response: Response) -> Result<Vec<u8>, FetchProblem> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(url, &error))? {
            if bytes.len() + chunk.len() > self.bytes_max {
                let what = format!("the page exceeds the limit of {} bytes", self.bytes_max);
                return Err(FetchProblem::new(url, what, "save it as a file and read that"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn failed(url: &Url, error: &reqwest::Error) -> FetchProblem {
    if let Some(refused) = refusal(url, error) {
        return refused;
    }
    if error.is_timeout() {
        return FetchProblem::new(url, "the server took too long", "try again later");
    }
    let what = format!("can't be fetched: {}", chain(error));
    FetchProblem::new(url, what, "check the address and the connection")
}

/// Returns an error with its causes, without the address, which the problem names.
fn chain(error: &dyn StdError) -> String {
    let mut said = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        said.push(cause.to_string());
        next = cause.source();
    }
    if said.is_empty() { error.to_string() } else { said.join(": ") }
}
