//! Web pages that requests name by their addresses.
//!
//! A request lends its sender this machine's place in the network. So only public addresses are fetched unless the
//! configuration allows others, and the audit log has the refusals.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use quiver::{Document, graph::Workspace, read::ReadOptions};
use quiver_forms::request::Given;
use quiver_web::{CrawlOptions, FetchProblem, FetchProblemKind, Known, Page, Reach, Url, Visited, Visitor};
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::{AbortHandle, spawn_blocking},
    time::timeout,
};

use crate::{
    app::{App, Place, panicked},
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

    /// How to read pages and files.
    pub(crate) fn reading(&self) -> ReadOptions {
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

/// The documents that a request gives, in order, with those of its pages.
#[derive(Default)]
pub(crate) struct Fetched {
    pub(crate) documents: Vec<Document>,
    /// Number of pages that have not changed since they were last fetched.
    pub(crate) unchanged: usize,
}

/// Something to add, with its address parsed and checked.
enum Checked {
    Document(Box<Document>),
    Page { url: Url, field: String },
}

/// Returns the documents that a request gives. Its pages are fetched now.
pub(crate) async fn documents(app: &App, caller: &Caller, given: Vec<Given>) -> Result<Fetched, Problem> {
    let author = Author::of(caller);
    let check = |given: Given| match given {
        Given::Document(document) => Ok(Checked::Document(document)),
        Given::Page { url, field } => {
            address(app, &author, &url, &field).map(|url| Checked::Page { url, field })
        }
    };
    let given = given.into_iter().map(check).collect::<Result<Vec<_>, _>>()?;
    let limit = app.config.time_max;
    // Only as many at once as fit into memory. Pages wait for no place to write.
    let has_pages = given.iter().any(|given| matches!(given, Checked::Page { .. }));
    let _place = if has_pages { Some(app.fetching.take(limit).await?) } else { None };
    let before = Before::of(app, &caller.workspace).await?;
    let fetched = timeout(limit, fetch_all(app, &author, &before, given)).await;
    fetched.unwrap_or_else(|_| {
        let detail =
            format!("the pages were not fetched within {} s; add them with `POST /v1/jobs`", limit.as_secs());
        Err(Problem::new(Code::Timeout, detail).with_place("documents"))
    })
}

async fn fetch_all(
    app: &App,
    author: &Author,
    before: &Before,
    given: Vec<Checked>,
) -> Result<Fetched, Problem> {
    let (mut fetched, mut keys, mut bytes) = (Fetched::default(), HashSet::new(), 0);
    let mut add_key = |key: &str, field: Option<&str>| {
        if keys.insert(key.to_owned()) {
            return Ok(());
        }
        let detail =
            format!("{key:?} is also the key of another document of this request; keys must be unique");
        Err(Problem::at(field.unwrap_or("documents"), detail))
    };
    let mut visitor = None;
    for given in given {
        let (of_given, field) = match given {
            Checked::Document(document) => (vec![*document], None),
            Checked::Page { url, field } => {
                let visitor = match &mut visitor {
                    Some(visitor) => visitor,
                    None => visitor.insert(new_visitor(app)?),
                };
                let visited = visitor.fetch(&url, |url| before.clone().known(url)).await;
                let page = match visited.map_err(|problem| author.problem(&problem, &field))? {
                    Visited::Page(page) => *page,
                    Visited::Unchanged(url) => {
                        add_key(url.as_str(), Some(&field))?;
                        fetched.unchanged += 1;
                        continue;
                    }
                };
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
            add_key(&document.key, field.as_deref())?;
            fetched.documents.push(document);
        }
    }
    Ok(fetched)
}

/// The pages that a workspace has from before.
#[derive(Clone)]
struct Before(Arc<Place>);

impl Before {
    async fn of(app: &App, workspace: &Workspace) -> Result<Self, Problem> {
        app.place(workspace).await.map(Self)
    }

    /// Returns what lets a site say that the page at an address has not changed. If that can't be read, the page is
    /// fetched as a new one.
    async fn known(self, url: Url) -> Option<Known> {
        let quiver = &self.0.quiver;
        let passage = quiver.passages_of(url.as_str()).await.ok()?.into_iter().next()?;
        let known = Known::of(&passage.metadata);
        // An interrupted ingest may have stored only a part.
        let is_usable = known != Known::default() && !quiver.is_unfinished(url.as_str()).await.ok()?;
        is_usable.then_some(known)
    }
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

/// What a page yields.
pub(crate) enum Yield {
    /// Its documents, each of which may fail.
    Documents(Vec<Result<Document, String>>),
    /// Nothing, because it has not changed since it was last fetched; with its key.
    Unchanged(String),
}

impl Yield {
    pub(crate) fn problem(what: String) -> Self {
        Self::Documents(vec![Err(what)])
    }
}

/// Fetches the pages of a job, one at a time, for a thread that waits for them.
pub(crate) struct Feed {
    urls: UnboundedSender<String>,
    fetched: mpsc::Receiver<Yield>,
    task: AbortHandle,
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Feed {
    /// Starts the task that fetches pages for a workspace.
    pub(crate) fn start(app: &App, author: Author, place: &Arc<Place>) -> Result<Self, Problem> {
        let (urls, mut named) = unbounded_channel::<String>();
        let (sender, fetched) = mpsc::channel();
        let (app, mut visitor) = (app.clone(), new_visitor(app)?);
        let before = Before(Arc::clone(place));
        let task = tokio::spawn(async move {
            while let Some(url) = named.recv().await {
                let fetched = fetch(&app, &author, &before, &mut visitor, &url).await;
                if sender.send(fetched).is_err() {
                    return;
                }
            }
        });
        Ok(Self { urls, fetched, task: task.abort_handle() })
    }

    /// Fetches a page and reads its documents. Returns `None` if it should not go on. The feed is then useless.
    pub(crate) fn fetch(&self, url: &str, goes_on: impl Fn() -> bool) -> Option<Yield> {
        self.urls.send(url.to_owned()).ok()?;
        while goes_on() {
            match self.fetched.recv_timeout(CHECK_EVERY) {
                Ok(fetched) => return Some(fetched),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let what = format!("{url}: the page can't be read; the server's log says why");
                    return Some(Yield::problem(what));
                }
            }
        }
        None
    }
}

async fn fetch(app: &App, author: &Author, before: &Before, visitor: &mut Visitor, url: &str) -> Yield {
    // The configuration may have changed since the job was accepted.
    let url = match address(app, author, url, "url") {
        Ok(url) => url,
        Err(problem) => return Yield::problem(problem.detail().to_owned()),
    };
    let page = match visitor.fetch(&url, |url| before.clone().known(url)).await {
        Ok(Visited::Page(page)) => *page,
        Ok(Visited::Unchanged(url)) => return Yield::Unchanged(url.into()),
        Err(problem) => {
            author.note_refusal(&problem);
            return Yield::problem(problem.to_string());
        }
    };
    match read(page, app.config.reading()).await {
        Ok(documents) => Yield::Documents(documents),
        Err(problem) => Yield::problem(format!("{url}: {}", problem.detail())),
    }
}
