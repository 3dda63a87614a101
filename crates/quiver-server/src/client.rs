//! A client for applications: over HTTP with a key, or over the directory of a database that several processes share.

use std::{
    fmt::{self, Write as _},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;
use quiver::{AskOptions, Builder, Document, Quiver, graph::Workspace};
use quiver_forms::{
    Answered, Counted, Deleted, Ingested, Listed, Queried, Searched, Versioned,
    agent::{ContextParameters, RecallParameters},
    context::Packed,
    memory::{Recalled, Remembered},
    request::{Ask, Part, Query, Remember, Turn},
};
use quiver_tools::Opener;
use serde::{Serialize, de::DeserializeOwned};
use tower::ServiceExt as _;

use crate::{
    Config, Keys, Server,
    connection::{Connection, Message, complete, read_reply},
    directory::Directory,
    error::{Error, ErrorKind, Result},
    gate::OverSocket,
    tls::Trust,
};

/// Maximum number of idle connections that are kept for the next requests.
const IDLE_MAX: usize = 8;
/// The host of requests that do not go over a network.
const HERE: &str = "localhost";

/// A client of a server, or of the directory of a database.
///
/// [`Client::connect`] sends requests to a `quiver serve`, [`Client::open`] shares a directory with other processes:
/// the first one opens it and serves the others, `quiver` commands and `quiver mcp` among them, over a socket that only
/// its owner can use. When that process ends, however it ends, the next request of another one takes its place, and no
/// acknowledged write is lost.
///
/// Methods take the forms of the server's requests and return those of its replies ([`forms`](crate::forms)). A text is
/// a request with default options.
///
/// ```
/// use quiver_server::{Client, forms::request::Ask};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("data");
/// let client = Client::open(&path).await?;
/// client.remember(["Redis is run by Mo."]).await?;
/// assert_eq!(client.recall("Who runs Redis?").await?.answer.as_deref(), Some("Mo"));
///
/// let ask = Ask { passages: Some(8), ..Ask::new("Who runs Redis?") };
/// for passage in client.ask(ask).await?.passages {
///     println!("{}", passage.text);
/// }
/// # client.close().await;
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
///
/// Clones share the connections. If the connection ends before the reply, a request is sent again where that can help:
/// none of them does anything twice. A request has no deadline of its own; [`tokio::time::timeout`] sets one, and may
/// drop it at any time: questions end then, and a write that has begun is completed.
#[derive(Clone)]
pub struct Client {
    origin: Arc<Origin>,
    key: Option<String>,
    workspace: Option<String>,
}

/// Where the requests go.
enum Origin {
    Server {
        url: String,
        trust: Trust,
        /// Connections without a request.
        idle: Mutex<Vec<Connection>>,
    },
    Directory(Directory),
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &*self.origin {
            Origin::Server { url, .. } => url.clone(),
            Origin::Directory(directory) => directory.path().display().to_string(),
        };
        f.debug_struct("Client")
            .field("place", &place)
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

/// Options for sharing a directory.
#[derive(Clone, Debug)]
pub struct DirectoryOptions {
    /// How this process opens the database if no other one has it open: encoder, extractor and models, which all
    /// processes should set alike. The location, the prefix and the workspace are set by the client. Default:
    /// [`Quiver::builder`].
    pub builder: Builder,
    /// The prefix of the collections' names. Default `quiver`.
    pub prefix: String,
    /// The options of questions that this process answers, unless a request sets them.
    pub ask: AskOptions,
    /// Maximum time to wait for a process that has the directory open for itself. Default 5 s.
    pub wait: Duration,
}

impl Default for DirectoryOptions {
    fn default() -> Self {
        Self {
            builder: Quiver::builder(),
            prefix: "quiver".to_owned(),
            ask: AskOptions::default(),
            wait: Duration::from_secs(5),
        }
    }
}

/// Opens the database of a directory.
struct Own {
    options: DirectoryOptions,
    directory: std::path::PathBuf,
}

#[async_trait]
impl Opener for Own {
    type Opened = Server;
    type Error = Error;

    async fn open(&self) -> Result<Server> {
        let DirectoryOptions { builder, prefix, ask, .. } = self.options.clone();
        let builder = builder.directory(&self.directory).prefix(prefix).workspace(Workspace::default());
        let quiver = builder.wait(Duration::ZERO).open().await?;
        // Nobody needs a key over the socket.
        let keys = Keys::open(self.directory.join("server.keys")).map_err(|error| {
            Error::new(ErrorKind::Failed, format!("the file of the keys can't be read: {error}"))
        })?;
        Ok(Server::new(quiver, keys, Config { ask, ..Config::default() }))
    }
}

impl Client {
    /// Connects to a server at an address such as `http://127.0.0.1:7373` or `https://notes.example.org`.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), quiver_server::Error> {
    /// let client = quiver_server::Client::connect("https://notes.example.org").await?;
    /// let client = client.with_key("qv_…").in_workspace("notes");
    /// println!("{} documents", client.stats().await?.documents);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Unreachable`] if the address is invalid, nothing answers there, or the server is not
    /// trusted.
    pub async fn connect(url: impl Into<String>) -> Result<Self> {
        Self::connect_trusting(url, Trust::Machine).await
    }

    /// Connects like [`Client::connect`], trusting other servers.
    ///
    /// # Errors
    /// As for [`Client::connect`].
    pub async fn connect_trusting(url: impl Into<String>, trust: Trust) -> Result<Self> {
        let url = url.into();
        let idle = Mutex::new(vec![Connection::connect_trusting(&url, &trust).await?]);
        Ok(Self { origin: Arc::new(Origin::Server { url, trust, idle }), key: None, workspace: None })
    }

    /// Shares the directory of a database with other processes, with default options. If no other process has it open,
    /// this one opens it, and creates it if it does not exist.
    ///
    /// A process releases the directory when there have been no requests for three seconds, so that commands that need
    /// it for themselves get their turn; the next request opens it again. On a file system without sockets, or if the
    /// path is too long for one, processes take turns instead: each opens the directory for a call and closes it
    /// shortly afterwards.
    ///
    /// Opening needs the feature `embedded` of `quiver-engine`, which is on by default there.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Busy`] if another process has it open for itself, and with [`ErrorKind::Failed`] if it
    /// can't be opened.
    pub async fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(directory, DirectoryOptions::default()).await
    }

    /// Shares a directory like [`Client::open`], with options.
    ///
    /// # Errors
    /// As for [`Client::open`].
    pub async fn open_with(directory: impl AsRef<Path>, options: DirectoryOptions) -> Result<Self> {
        let path = directory.as_ref();
        let (prefix, wait) = (options.prefix.clone(), options.wait);
        let own = Own { options, directory: path.to_owned() };
        let directory = Directory::new(path, &prefix, wait, Arc::new(own));
        if directory.connect().await?.is_none() {
            directory.turn().await?;
        }
        let workspace = Some(Workspace::default().as_str().to_owned());
        Ok(Self { origin: Arc::new(Origin::Directory(directory)), key: None, workspace })
    }

    /// Sets the key to send with every request. The socket of a directory needs none.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the workspace of every request. Default: that of the key or the server; for a directory, `default`.
    #[must_use]
    pub fn in_workspace(mut self, workspace: impl Into<String>) -> Self {
        self.workspace = Some(workspace.into());
        self
    }

    /// Answers a question from the documents, with the sentences that say so. If there is no answer, says why, and
    /// returns the nearest sentences.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// let yard = quiver::Document::new("yard", "The Norby yard was founded by Ida Holm.");
    /// client.ingest([yard]).await?;
    /// let answered = client.ask("Who founded the Norby yard?").await?;
    /// assert_eq!(answered.answer.as_deref(), Some("Ida Holm"));
    /// assert_eq!(answered.passages[0].document, "yard");
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Fails if an option is out of range, or the server can't answer.
    pub async fn ask(&self, ask: impl Into<Ask>) -> Result<Answered> {
        self.post("/v1/ask", &ask.into()).await
    }

    /// Finds the passages that an answer would be based on, best first.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// # let mut ask = quiver_server::forms::request::Ask::new("the yard");
    /// # ask.passages = Some(1);
    /// # client.ingest(["one", "two"].map(|key| quiver::Document::new(key, format!("The yard has dock {key}.")))).await?;
    /// let first = client.search(ask.clone()).await?;
    /// println!("{}", first.passages[0].text);
    /// if let Some(next) = &first.next {
    ///     println!("{}", client.search_from(ask, next).await?.passages[0].text);
    /// }
    /// # assert!(first.next.is_some());
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub async fn search(&self, ask: impl Into<Ask>) -> Result<Searched> {
        self.post("/v1/search", &ask.into()).await
    }

    /// Continues a search: `from` is `next` of its last result.
    ///
    /// # Errors
    /// As for [`Client::ask`]; and if the passage `from` is not among the results, for example because it was deleted.
    pub async fn search_from(&self, ask: impl Into<Ask>, from: &str) -> Result<Searched> {
        self.post(&format!("/v1/search?from={}", escaped(from)), &ask.into()).await
    }

    /// Collects what an assistant should know to answer a question, within a token budget.
    ///
    /// ```
    /// # use quiver_server::forms::agent::ContextParameters;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// client.remember(["Mara works at Tidewater."]).await?;
    /// let question = ContextParameters { tokens: 300, ..ContextParameters::new("Where does Mara work?") };
    /// assert!(client.context(question).await?.text.contains("Tidewater"));
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub async fn context(&self, question: impl Into<ContextParameters>) -> Result<Packed> {
        self.post("/v1/context", &question.into()).await
    }

    /// Stores turns of conversations, with the facts in them. Storing the same turns again changes nothing.
    ///
    /// ```
    /// # use quiver_server::forms::request::{Turn, When};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// let turn = Turn {
    ///     session: Some("plan".to_owned()),
    ///     speaker: Some("Bo".to_owned()),
    ///     time: Some(When::Written("2026-03-02".to_owned())),
    ///     ..Turn::new("Redis is run by Mo.")
    /// };
    /// let remembered = client.remember([turn]).await?;
    /// assert_eq!(remembered.turns[0].facts[0].object, "Mo");
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Fails if there are no turns or more than 1000, if one is invalid, or the server can't store them.
    pub async fn remember<T: Into<Turn>>(&self, turns: impl IntoIterator<Item = T>) -> Result<Remembered> {
        let turns = turns.into_iter().map(Into::into).collect();
        self.post("/v1/remember", &Remember { turns }).await
    }

    /// Recalls what was said, and what holds now or held at a given moment.
    ///
    /// ```
    /// # use quiver_server::forms::{agent::RecallParameters, request::{Turn, When}};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// # let said = |text: &str, date: &str| {
    /// #     Turn { time: Some(When::Written(date.to_owned())), ..Turn::new(text) }
    /// # };
    /// # let turns = [said("Redis is run by Mo.", "2026-03-02"), said("From now on Redis is run by Lena.", "2026-03-09")];
    /// # client.remember(turns).await?;
    /// assert_eq!(client.recall("Who runs Redis?").await?.answer.as_deref(), Some("Lena"));
    /// let before =
    ///     RecallParameters { as_of: Some("2026-03-05".to_owned()), ..RecallParameters::new("Who runs Redis?") };
    /// assert_eq!(client.recall(before).await?.answer.as_deref(), Some("Mo"));
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for [`Client::ask`].
    pub async fn recall(&self, question: impl Into<RecallParameters>) -> Result<Recalled> {
        self.post("/v1/recall", &question.into()).await
    }

    /// Adds documents, and replaces those with the same keys. Adding the same documents again changes nothing. All of
    /// them are sent in one request, which may have 32 MB unless the server allows more.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// let ferry = quiver::Document::new("notes/ferry", "The ferry leaves at nine.");
    /// assert_eq!(client.ingest([ferry.clone()]).await?.documents.added, 1);
    /// assert_eq!(client.ingest([ferry]).await?.documents.unchanged, 1);
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Fails if there are no documents or more than 10,000, if a key is blank or occurs twice, or the server can't store
    /// them.
    pub async fn ingest(&self, documents: impl IntoIterator<Item = Document>) -> Result<Ingested> {
        #[derive(Serialize)]
        struct Sent {
            documents: Vec<Document>,
        }
        self.post("/v1/documents", &Sent { documents: documents.into_iter().collect() }).await
    }

    /// Lists the documents in order of their keys, a page at a time.
    ///
    /// ```
    /// # use quiver_server::forms::request::Part;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// # client.ingest(["one", "two"].map(|key| quiver::Document::new(key, format!("The yard has dock {key}.")))).await?;
    /// let mut part = Part { limit: Some(1), ..Part::default() };
    /// let mut keys = Vec::new();
    /// loop {
    ///     let listed = client.documents(&part).await?;
    ///     keys.extend(listed.documents.into_iter().map(|document| document.key));
    ///     part.after = listed.next;
    ///     if part.after.is_none() {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(keys, ["one", "two"]);
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Fails if the limit is out of range, or the server can't answer.
    pub async fn documents(&self, part: &Part) -> Result<Listed> {
        let limit = part.limit.map(|limit| format!("limit={limit}"));
        let after = part.after.as_deref().map(|after| format!("after={}", escaped(after)));
        let filter = Some(&part.filter).filter(|filter| !filter.is_empty());
        let filter = filter.map(serde_json::to_string).transpose();
        let filter = filter.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
        let filter = filter.map(|filter| format!("filter={}", escaped(&filter)));
        let query: Vec<String> = limit.into_iter().chain(after).chain(filter).collect();
        self.send("GET", &format!("/v1/documents?{}", query.join("&")), Bytes::new()).await
    }

    /// Deletes a document, and everything that no other document supports. Afterwards no file of the database contains
    /// it. A key that no document has is listed as `missing`.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// # client.ingest([quiver::Document::new("notes/ferry", "The ferry leaves at nine.")]).await?;
    /// assert_eq!(client.delete("notes/ferry").await?.documents, 1);
    /// assert_eq!(client.delete("notes/ferry").await?.missing, ["notes/ferry"]);
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Fails if the key is blank, or the server can't delete it.
    pub async fn delete(&self, key: &str) -> Result<Deleted> {
        let deleted = self.send("DELETE", &format!("/v1/documents/{}", escaped(key)), Bytes::new()).await;
        deleted.or_else(|error| {
            if error.code() == Some("not_found") { Ok(Deleted::missing(key)) } else { Err(error) }
        })
    }

    /// Runs a Cypher query that only reads.
    ///
    /// ```
    /// # use quiver_server::forms::request::Query;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let directory = tempfile::tempdir()?;
    /// # let client = quiver_server::Client::open(directory.path().join("data")).await?;
    /// # client.ingest([quiver::Document::new("yard", "The Norby yard was founded by Ida Holm.")]).await?;
    /// let query = "MATCH (e) WHERE e.name = $name RETURN e.name AS name";
    /// let parameters = [("name".to_owned(), "Ida Holm".into())].into_iter().collect();
    /// let queried = client.query(Query { parameters, ..Query::new(query) }).await?;
    /// assert_eq!(queried.rows[0]["name"], "Ida Holm");
    /// # client.close().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// Fails if the query is invalid or writes, or the server can't run it.
    pub async fn query(&self, query: impl Into<Query>) -> Result<Queried> {
        self.post("/v1/query", &query.into()).await
    }

    /// Counts the documents, passages, entities and relations of the workspace.
    ///
    /// # Errors
    /// Fails if the server can't answer.
    pub async fn stats(&self) -> Result<Counted> {
        self.send("GET", "/v1/stats", Bytes::new()).await
    }

    /// Closes the idle connections; releases the directory if this process holds it, once current requests are answered,
    /// those of other processes too. Without this call, dropping the last clone does the same in the background.
    pub async fn close(self) {
        match &*self.origin {
            Origin::Server { idle, .. } => locked(idle).clear(),
            Origin::Directory(directory) => directory.end().await,
        }
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, form: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(form);
        let body = body.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
        self.send("POST", path, body.into()).await
    }

    async fn send<T: DeserializeOwned>(&self, method: &str, path: &str, body: Bytes) -> Result<T> {
        let (key, workspace) = (self.key.as_deref(), self.workspace.as_deref());
        let message = Message { method, path, key, workspace, body };
        let form = match &*self.origin {
            Origin::Server { url, trust, idle } => send_to(url, trust, idle, &message).await?,
            Origin::Directory(directory) => send_within(directory, &message).await?,
        };
        Ok(Versioned::into_document(form))
    }
}

/// Sends a request to a server, over an idle connection if there is one.
async fn send_to<T: DeserializeOwned>(
    url: &str,
    trust: &Trust,
    idle: &Mutex<Vec<Connection>>,
    message: &Message<'_>,
) -> Result<T> {
    let kept = {
        let mut idle = locked(idle);
        idle.retain(Connection::is_open);
        idle.pop()
    };
    if let Some(connection) = kept {
        match send_over(connection, url, idle, message).await {
            // The server may have closed it because it was idle.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
    send_over(Connection::connect_trusting(url, trust).await?, url, idle, message).await
}

/// Sends a request over a connection, which is kept for the next one.
async fn send_over<T: DeserializeOwned>(
    mut connection: Connection,
    url: &str,
    idle: &Mutex<Vec<Connection>>,
    message: &Message<'_>,
) -> Result<T> {
    let (status, body) = connection.answer(message).await?;
    let mut idle = locked(idle);
    if idle.len() < IDLE_MAX {
        idle.push(connection);
    }
    drop(idle);
    read_reply(url, status, &body)
}

/// Sends a request to the process that holds a directory.
async fn send_within<T: DeserializeOwned>(directory: &Directory, message: &Message<'_>) -> Result<T> {
    let place = directory.path().display().to_string();
    let mut attempts = directory.attempts();
    loop {
        let answered = match attempts.connect().await? {
            Some(mut connection) => connection.answer(message).await,
            None => answer_here(&*directory.turn().await?, message).await,
        };
        let read = answered.and_then(|(status, body)| read_reply(&place, status, &body));
        match read {
            Ok(form) => return Ok(form),
            Err(error) => attempts.check(error)?,
        }
    }
}

/// Answers a request by this process.
async fn answer_here(server: &Server, message: &Message<'_>) -> Result<(u16, Bytes)> {
    let mut request = complete(message.request(HERE), Body::from(message.body.clone()))?;
    request.extensions_mut().insert(OverSocket);
    let Ok(reply) = server.router().oneshot(request).await;
    let status = reply.status().as_u16();
    let body = reply.into_body().collect().await;
    let body = body.map_err(|error| Error::new(ErrorKind::Failed, error.to_string()))?;
    Ok((status, body.to_bytes()))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a text as a part of an address.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => escaped.push(byte.into()),
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    escaped
}
