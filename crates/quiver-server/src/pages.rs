//! Web pages that requests name by their addresses.
//!
//! A request lends its sender this machine's place in the network. So only public addresses are fetched unless the
//! configuration allows others, and the audit log has the refusals.

use std::{
    collections::HashSet,
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use quiver::{Document, read::ReadOptions};
use quiver_forms::request::Given;
use quiver_web::{CrawlOptions, FetchProblem, FetchProblemKind, Page, Reach, Url, Visitor};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::{AbortHandle, spawn_blocking},
    time::timeout,
};

use crate::{
    app::{App, panicked},
    config::Config,
    gate::Caller,
    problem::{Code, Problem},
};

/// How often a job that waits for a page checks whether it should go on.
const CHECK_EVERY: Duration = Duration::from_millis(100);

/// Who names a page, for the audit log.
#[derive(Clone, Debug)]
pub(crate) struct Author {
    pub(crate) client: String,
    pub(crate) key: String,
    pub(crate) workspace: String,
}

impl Author {
    pub(crate) fn of(caller: &Caller) -> Self {
        let (key, workspace) = caller.names();
        Self { client: caller.client(), key: key.to_owned(), workspace: workspace.to_owned() }
    }

    /// Writes a refusal to the audit log.
    pub(crate) fn note_refusal(&self, problem: &FetchProblem) {
        if problem.kind == FetchProblemKind::Refused {
            let Self { client, key, workspace } = self;
            let (url, what) = (problem.url.as_str(), &problem.what);
            tracing::warn!(target: "quiver_server::audit", client, key, workspace, url, "refused: {what}");
        }
    }

    fn problem(&self, problem: &FetchProblem, field: &str) -> Problem {
        self.note_refusal(problem);
        let code = match problem.kind {
            FetchProblemKind::Refused => Code::Invalid,
            _ => Code::Unfetched,
        };
        Problem::new(code, problem.to_string()).with_place(field)
    }
}

impl Config {
    fn visits(&self) -> CrawlOptions {
        CrawlOptions {
            time_max: self.page_time_max,
            bytes_max: self.body_bytes_max,
            reach: if self.allow_private_addresses { Reach::All } else { Reach::Global },
            ..CrawlOptions::default()
        }
    }

    fn reading(&self) -> ReadOptions {
        ReadOptions {
            untrusted: self.untrusted.clone(),
            file_bytes_max: self.body_bytes_max as u64,
            ..ReadOptions::default()
        }
    }
}

/// Parses the address of a page, and checks what can be judged without a request.
pub(crate) fn address(app: &App, author: &Author, url: &str, field: &str) -> Result<Url, Problem> {
    let url = Url::parse(url).map_err(|error| {
        Problem::at(field, format!("not a valid address: {error}; write it like https://example.org/page"))
    })?;
    let checked = app.config.visits().reach.check(&url);
    checked.map_err(|problem| author.problem(&problem, field))?;
    Ok(url)
}

/// Returns the documents that a request gives, in order, with those of its pages, which are fetched now.
pub(crate) async fn documents(
    app: &App,
    caller: &Caller,
    given: Vec<Given>,
) -> Result<Vec<Document>, Problem> {
    let author = Author::of(caller);
    let mut has_pages = false;
    for given in &given {
        if let Given::Page { url, field } = given {
            address(app, &author, url, field)?;
            has_pages = true;
        }
    }
    let limit = app.config.time_max;
    // Only as many at once as fit into memory. Pages wait for no place to write.
    let _place = if has_pages { Some(app.fetching.take(limit).await?) } else { None };
    let fetched = timeout(limit, fetch_all(app, &author, given)).await;
    fetched.unwrap_or_else(|_| {
        let detail =
            format!("the pages were not fetched within {} s; add them with `POST /v1/jobs`", limit.as_secs());
        Err(Problem::new(Code::Timeout, detail).with_place("documents"))
    })
}

async fn fetch_all(app: &App, author: &Author, given: Vec<Given>) -> Result<Vec<Document>, Problem> {
    let (mut documents, mut keys, mut bytes) = (Vec::new(), HashSet::new(), 0);
    let mut visitor = None;
    for given in given {
        let (of_given, field) = match given {
            Given::Document(document) => (vec![*document], None),
            Given::Page { url, field } => {
                let visitor = match &mut visitor {
                    Some(visitor) => visitor,
                    None => visitor.insert(new_visitor(app)?),
                };
                let url = address(app, author, &url, &field)?;
                let page = visitor.fetch(&url).await.map_err(|problem| author.problem(&problem, &field))?;
                bytes += page.bytes.len();
                if bytes > app.config.body_bytes_max {
                    let detail = format!(
                        "the pages have more than {} bytes; add them in parts",
                        app.config.body_bytes_max
                    );
                    return Err(Problem::new(Code::TooLarge, detail).with_place(field));
                }
                let unread = |what: String| Problem::new(Code::Unfetched, what).with_place(field.as_str());
                let read = read(page, app.config.reading()).await?;
                let read = read.into_iter().collect::<Result<Vec<_>, _>>().map_err(unread)?;
                (read, Some(field))
            }
        };
        for document in of_given {
            if !keys.insert(document.key.clone()) {
                let detail = format!(
                    "{:?} is also the key of another document of this request; keys must be unique",
                    document.key
                );
                return Err(Problem::at(field.unwrap_or_else(|| "documents".to_owned()), detail));
            }
            documents.push(document);
        }
    }
    Ok(documents)
}

fn new_visitor(app: &App) -> Result<Visitor, Problem> {
    Visitor::new(&app.config.visits()).map_err(|error| {
        tracing::error!("pages can't be fetched: {error}");
        Problem::new(Code::Internal, "pages can't be fetched; the server's log says why")
    })
}

/// Reads a page as documents, each of which may fail. There is at least one result.
async fn read(page: Page, options: ReadOptions) -> Result<Vec<Result<Document, String>>, Problem> {
    // Parsing a large page takes time.
    let read = spawn_blocking(move || {
        let empty = format!("{}: the page contains no text", page.url);
        let read = quiver_web::documents(page, None, &options);
        if read.is_empty() { vec![Err(empty)] } else { read }
    });
    read.await.map_err(|error| panicked(&error))
}

/// The documents of a page, each of which may fail.
type Documents = Vec<Result<Document, String>>;

/// Fetches the pages of a job, one at a time, for a thread that waits for them.
pub(crate) struct Feed {
    urls: UnboundedSender<String>,
    fetched: mpsc::Receiver<Documents>,
    task: AbortHandle,
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Feed {
    /// Starts the task that fetches.
    pub(crate) fn start(app: &App, author: Author) -> Result<Self, Problem> {
        let (urls, mut named) = unbounded_channel::<String>();
        let (sender, fetched) = mpsc::channel();
        let (app, mut visitor) = (app.clone(), new_visitor(app)?);
        let task = tokio::spawn(async move {
            while let Some(url) = named.recv().await {
                let documents = fetch(&app, &author, &mut visitor, &url).await;
                if sender.send(documents).is_err() {
                    return;
                }
            }
        });
        Ok(Self { urls, fetched, task: task.abort_handle() })
    }

    /// Fetches a page and reads its documents. Returns `None` if it should not go on. The feed is then useless.
    pub(crate) fn fetch(&self, url: &str, goes_on: impl Fn() -> bool) -> Option<Documents> {
        self.urls.send(url.to_owned()).ok()?;
        while goes_on() {
            match self.fetched.recv_timeout(CHECK_EVERY) {
                Ok(documents) => return Some(documents),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(vec![Err(format!(
                        "{url}: the page can't be read; the server's log says why"
                    ))]);
                }
            }
        }
        None
    }
}

async fn fetch(app: &App, author: &Author, visitor: &mut Visitor, url: &str) -> Documents {
    // The configuration may have changed since the job was accepted.
    let url = match address(app, author, url, "url") {
        Ok(url) => url,
        Err(problem) => return vec![Err(problem.detail().to_owned())],
    };
    let page = match visitor.fetch(&url).await {
        Ok(page) => page,
        Err(problem) => {
            author.note_refusal(&problem);
            return vec![Err(problem.to_string())];
        }
    };
    let read = read(page, app.config.reading()).await;
    read.unwrap_or_else(|problem| vec![Err(format!("{url}: {}", problem.detail()))])
}
