//! A connection to a server: over HTTP with a key, or over the socket in the directory of a database.

use std::{error::Error as _, fmt, io, path::Path, time::Duration};

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, Response, body::Incoming, client::conn::http1, header, http::request};
use hyper_util::rt::TokioIo;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};

use crate::{
    error::{Error, ErrorKind, Result},
    gate::WORKSPACE,
    tls::Trust,
};

/// Maximum size of a reply in bytes.
const REPLY_BYTES_MAX: usize = 256 << 20;

/// Maximum time for the TLS handshake.
const GREETING_TIME_MAX: Duration = Duration::from_secs(15);

/// A connection to a server. Requests are sent one at a time.
pub struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    /// The `Host` header.
    host: String,
    /// What is at the other end, for errors.
    name: String,
    key: Option<String>,
    workspace: Option<String>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("host", &self.host).finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects to a server at an address such as `http://127.0.0.1:7373` or `https://notes.example.org`.
    ///
    /// # Errors
    /// Fails if the address is invalid, nothing answers there, or the server is not trusted.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_trusting(url, &Trust::Machine).await
    }

    /// Connects like [`Connection::connect`], trusting other servers.
    ///
    /// # Errors
    /// As for [`Connection::connect`].
    pub async fn connect_trusting(url: &str, trust: &Trust) -> Result<Self> {
        let unreachable = |why: String| Error::new(ErrorKind::Unreachable, why);
        let Some((scheme, rest)) =
            url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme))
        else {
            return Err(unreachable(format!(
                "{url} is not an address: it must begin with http:// or https://"
            )));
        };
        let authority = rest.trim_end_matches('/');
        let is_port = |port: &str| !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
        let (host, port) =
            authority.rsplit_once(':').filter(|(_, port)| is_port(port)).unwrap_or((authority, ""));
        let port = match (port, scheme) {
            ("", "https") => "443",
            ("", _) => "80",
            (port, _) => port,
        };
        let stream = TcpStream::connect(format!("{host}:{port}")).await;
        let stream = stream.map_err(|error| unreachable(format!("{url} does not respond: {error}")))?;
        let _ = stream.set_nodelay(true);
        if scheme == "http" {
            return Self::over(stream, authority.to_owned()).await;
        }
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let stream = timeout(GREETING_TIME_MAX, trust.connect(stream, name)).await;
        let stream = stream.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(|error| {
            let why = error.to_string();
            let mend = if why.contains("UnknownIssuer") {
                "; `SSL_CERT_FILE` names a file with trusted certificates".to_owned()
            } else if why.contains("InvalidContentType") {
                format!("; it seems to speak plain HTTP: http://{authority}")
            } else {
                String::new()
            };
            unreachable(format!("{url}: TLS failed: {why}{mend}"))
        })?;
        Self::over(stream, authority.to_owned()).await
    }

    /// Connects to the process that holds a database, over the socket in its directory.
    ///
    /// # Errors
    /// Fails if there is no such socket, or nothing answers there.
    #[cfg(unix)]
    pub async fn connect_socket(socket: &Path) -> Result<Self> {
        let stream = tokio::net::UnixStream::connect(socket).await;
        let stream = stream.map_err(|error| {
            let why = format!("{}: {error}", socket.display());
            Error::new(ErrorKind::Unreachable, why)
        })?;
        let connection = Self::over(stream, "localhost".to_owned()).await?;
        let directory = socket.parent().unwrap_or(Path::new(".")).display();
        Ok(Self { name: format!("the process that has {directory} open"), ..connection })
    }

    async fn over(
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        host: String,
    ) -> Result<Self> {
        let name = host.clone();
        let connected = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) =
            connected.map_err(|error| Error::new(ErrorKind::Unreachable, told(&error)))?;
        // Ends with the sender.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self { sender, host, name, key: None, workspace: None })
    }

    /// Sets the key to send with every request.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the workspace of every request.
    #[must_use]
    pub fn in_workspace(mut self, workspace: impl Into<String>) -> Self {
        self.workspace = Some(workspace.into());
        self
    }

    /// Sends later requests over another connection, with the same key and workspace.
    pub fn go_on_over(&mut self, other: Self) {
        let Self { sender, host, name, .. } = other;
        (self.sender, self.host, self.name) = (sender, host, name);
    }

    /// Reads from an endpoint.
    ///
    /// # Errors
    /// Fails if the server refuses the request or can't be reached.
    pub async fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T> {
        self.send("GET", path, Vec::new()).await
    }

    /// Posts a form to an endpoint.
    ///
    /// # Errors
    /// Fails if the server refuses the request or can't be reached.
    pub async fn post<T: DeserializeOwned>(&mut self, path: &str, form: &impl Serialize) -> Result<T> {
        let body =
            serde_json::to_vec(form).map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
        self.send("POST", path, body).await
    }

    /// Whether the server runs `quiver` commands.
    ///
    /// # Errors
    /// Fails if the server can't be reached.
    pub async fn runs_commands(&mut self) -> Result<bool> {
        let health: Value = self.get("/healthz").await?;
        Ok(health["runs_commands"].as_bool().unwrap_or(true))
    }

    /// Deletes the resource of an endpoint.
    ///
    /// # Errors
    /// Fails if the server refuses the request or can't be reached.
    pub async fn delete<T: DeserializeOwned>(&mut self, path: &str) -> Result<T> {
        self.send("DELETE", path, Vec::new()).await
    }

    /// Sends a message of the Model Context Protocol. Returns `None` if it takes no reply. Notifications that arrive
    /// before the reply go to `tell`.
    ///
    /// # Errors
    /// Fails if the server refuses the request or can't be reached.
    pub async fn exchange(
        &mut self,
        path: &str,
        message: &Value,
        version: Option<&str>,
        mut tell: impl FnMut(Value) + Send,
    ) -> Result<Option<Value>> {
        let mut request =
            self.request("POST", path).header(header::ACCEPT, "application/json, text/event-stream");
        if let Some(version) = version {
            request = request.header("mcp-protocol-version", version);
        }
        let reply = self.answered(request, Bytes::from(message.to_string())).await?;
        let kind = reply.headers().get(header::CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
            return self.follow(reply, &mut tell).await.map(Some);
        }
        let (status, body) = self.collected(reply).await?;
        let reply: Option<Value> = serde_json::from_slice(&body).ok();
        match (status, reply) {
            (202, _) => Ok(None),
            (_, Some(reply)) if reply.get("jsonrpc").is_some() => Ok(Some(reply)),
            _ => Err(Error::refused(&self.name, status, &body)),
        }
    }

    /// Sends a request unchanged except for its host, and returns the unchanged reply.
    ///
    /// # Errors
    /// Fails if the server can't be reached, or the reply is larger than 256 MB.
    #[cfg(feature = "opentelemetry")]
    pub async fn send_as_it_is(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>> {
        let (mut parts, body) = request.into_parts();
        let host = header::HeaderValue::try_from(&self.host).map_err(|_| {
            let why = format!("{} is not a valid host name", self.host);
            Error::new(ErrorKind::Unreachable, why)
        })?;
        parts.headers.insert(header::HOST, host);
        parts.uri = parts.uri.path_and_query().map_or_else(Default::default, |path| path.clone().into());
        let reply = self.sent(Request::from_parts(parts, Full::new(body))).await?;
        let (parts, body) = reply.into_parts();
        let body = Limited::new(Body::new(body), REPLY_BYTES_MAX).collect().await;
        let body = body.map_err(|error| self.broken(&error.to_string()))?.to_bytes();
        Ok(Response::from_parts(parts, body))
    }

    /// Reads the messages of a stream until the reply arrives.
    async fn follow(
        &self,
        reply: Response<Incoming>,
        tell: &mut (impl FnMut(Value) + Send),
    ) -> Result<Value> {
        let mut body = Limited::new(Body::new(reply.into_body()), REPLY_BYTES_MAX);
        let mut unread = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| self.broken(&error.to_string()))?;
            // The text read before contains no line end, so a long line is not searched again with each frame.
            let mut searched = unread.len();
            unread.extend(frame.into_data().unwrap_or_default());
            while let Some(end) = unread[searched..].iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = unread.drain(..=searched + end).collect();
                searched = 0;
                let data = line.strip_prefix(b"data:").and_then(|data| serde_json::from_slice(data).ok());
                match data {
                    Some(message) if Value::get(&message, "method").is_none() => return Ok(message),
                    Some(notice) => tell(notice),
                    None => {}
                }
            }
        }
        Err(self.broken("the stream ended before the reply"))
    }

    fn broken(&self, why: &str) -> Error {
        Error::new(ErrorKind::Interrupted, format!("{} did not answer: {why}", self.name))
    }

    async fn send<T: DeserializeOwned>(&mut self, method: &str, path: &str, body: Vec<u8>) -> Result<T> {
        let request = self.request(method, path);
        let (status, body) = self.reply(request, Bytes::from(body)).await?;
        read_reply(&self.name, status, &body)
    }

    fn request(&self, method: &str, path: &str) -> request::Builder {
        request(&self.host, method, path, self.key.as_deref(), self.workspace.as_deref())
    }

    /// Sends a request with a key and a workspace of its own, and returns the status and the body of the reply.
    pub(crate) async fn answer(&mut self, message: &Message<'_>) -> Result<(u16, Bytes)> {
        let request = message.request(&self.host);
        self.reply(request, message.body.clone()).await
    }

    /// Whether another request can be sent over it.
    pub(crate) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Sends a request, and returns the status and the body of the reply.
    async fn reply(&mut self, request: request::Builder, body: Bytes) -> Result<(u16, Bytes)> {
        let reply = self.answered(request, body).await?;
        self.collected(reply).await
    }

    /// Sends a request, and returns the reply once its head has arrived.
    async fn answered(&mut self, request: request::Builder, body: Bytes) -> Result<Response<Incoming>> {
        self.sent(complete(request, Full::new(body))?).await
    }

    async fn sent(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>> {
        let sent = async {
            self.sender.ready().await?;
            self.sender.send_request(request).await
        };
        let sent = sent.await;
        sent.map_err(|error| {
            let is_unsent = error.is_canceled() || error.is_closed();
            self.broken(&told(&error)).unsent_if(is_unsent)
        })
    }

    async fn collected(&self, reply: Response<Incoming>) -> Result<(u16, Bytes)> {
        let status = reply.status().as_u16();
        let body = Limited::new(Body::new(reply.into_body()), REPLY_BYTES_MAX).collect().await;
        Ok((status, body.map_err(|error| self.broken(&error.to_string()))?.to_bytes()))
    }
}

/// A request that can be sent over any connection.
pub(crate) struct Message<'m> {
    pub(crate) method: &'m str,
    pub(crate) path: &'m str,
    pub(crate) key: Option<&'m str>,
    pub(crate) workspace: Option<&'m str>,
    pub(crate) body: Bytes,
}

impl Message<'_> {
    /// Returns the head of the request to a host.
    pub(crate) fn request(&self, host: &str) -> request::Builder {
        request(host, self.method, self.path, self.key, self.workspace)
    }
}

fn request(
    host: &str,
    method: &str,
    path: &str,
    key: Option<&str>,
    workspace: Option<&str>,
) -> request::Builder {
    let mut request = Request::builder().method(method).uri(path).header(header::HOST, host);
    request = request.header(header::CONTENT_TYPE, "application/json");
    if let Some(key) = key {
        request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    }
    if let Some(workspace) = workspace {
        request = request.header(WORKSPACE, workspace);
    }
    #[cfg(feature = "opentelemetry")]
    if let Some(headers) = request.headers_mut() {
        crate::telemetry::pass_on_trace(headers);
    }
    request
}

/// Adds the body to a request.
pub(crate) fn complete<B>(request: request::Builder, body: B) -> Result<Request<B>> {
    request.body(body).map_err(|_| {
        let why = "the key, the workspace or the address contains characters that are invalid in a header";
        Error::new(ErrorKind::Invalid, why)
    })
}

/// Reads the form in a reply.
pub(crate) fn read_reply<T: DeserializeOwned>(host: &str, status: u16, body: &[u8]) -> Result<T> {
    if status != 200 {
        return Err(Error::refused(host, status, body));
    }
    serde_json::from_slice(body).map_err(|error| {
        tracing::debug!("the reply of {host} can't be read: {error}");
        let why =
            format!("the reply of {host} is not a reply of `quiver serve`, or of another version of it");
        Error::new(ErrorKind::Failed, why)
    })
}

/// Describes a connection error with its cause.
fn told(error: &hyper::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
