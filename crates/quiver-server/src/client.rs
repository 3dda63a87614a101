//! A client of a server: over HTTP with a key, or over the socket in the directory of a database.

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

use crate::{gate::WORKSPACE, tls::Trust};

/// Maximum size of a reply in bytes.
const REPLY_BYTES_MAX: usize = 256 << 20;

/// Maximum time for the TLS handshake.
const GREETING_TIME_MAX: Duration = Duration::from_secs(15);

/// A connection to a server. Requests are sent one at a time.
pub struct Client {
    sender: http1::SendRequest<Full<Bytes>>,
    /// The `Host` header.
    host: String,
    key: Option<String>,
    workspace: Option<String>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("host", &self.host).finish_non_exhaustive()
    }
}

/// Why a request has no result.
#[derive(Debug)]
pub enum ClientError {
    /// The address is invalid, or the server can't be reached.
    Unreachable(String),
    /// The server refused the request, with this status and reason.
    Refused(u16, String),
    /// The connection ended during the request, which may or may not have been executed.
    Broken(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) | Self::Refused(_, why) | Self::Broken(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ClientError {}

impl Client {
    /// Connects to a server at an address such as `http://127.0.0.1:7373` or `https://notes.example.org`.
    ///
    /// # Errors
    /// Fails if the address is invalid, nothing answers there, or the server is not trusted.
    pub async fn connect(url: &str) -> Result<Self, ClientError> {
        Self::connect_trusting(url, &Trust::Machine).await
    }

    /// Connects like [`Client::connect`], trusting other servers.
    ///
    /// # Errors
    /// As for [`Client::connect`].
    pub async fn connect_trusting(url: &str, trust: &Trust) -> Result<Self, ClientError> {
        let unreachable = |why: String| ClientError::Unreachable(why);
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
    pub async fn connect_socket(socket: &Path) -> Result<Self, ClientError> {
        let stream = tokio::net::UnixStream::connect(socket).await;
        let stream =
            stream.map_err(|error| ClientError::Unreachable(format!("{}: {error}", socket.display())))?;
        Self::over(stream, "localhost".to_owned()).await
    }

    async fn over(
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        host: String,
    ) -> Result<Self, ClientError> {
        let connected = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = connected.map_err(|error| ClientError::Unreachable(told(&error)))?;
        // Ends with the sender.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self { sender, host, key: None, workspace: None })
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

    /// Reads from an endpoint.
    ///
    /// # Errors
    /// Fails if the server refuses the request or can't be reached.
    pub async fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, ClientError> {
        self.send("GET", path, Vec::new()).await
    }

    /// Posts a form to an endpoint.
    ///
    /// # Errors
    /// Fails if the server refuses the request or can't be reached.
    pub async fn post<T: DeserializeOwned>(
        &mut self,
        path: &str,
        form: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(form).map_err(|error| ClientError::Broken(error.to_string()))?;
        self.send("POST", path, body).await
    }

    /// Deletes the resource of an endpoint.
    ///
    /// # Errors
    /// Fails if the server refuses the request or can't be reached.
    pub async fn delete<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, ClientError> {
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
    ) -> Result<Option<Value>, ClientError> {
        let mut request =
            self.request("POST", path).header(header::ACCEPT, "application/json, text/event-stream");
        if let Some(version) = version {
            request = request.header("mcp-protocol-version", version);
        }
        let reply = self.answered(request, message.to_string().into_bytes()).await?;
        let kind = reply.headers().get(header::CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
            return self.follow(reply, &mut tell).await.map(Some);
        }
        let (status, body) = self.collected(reply).await?;
        let reply: Option<Value> = serde_json::from_slice(&body).ok();
        match (status, reply) {
            (202, _) => Ok(None),
            (_, Some(reply)) if reply.get("jsonrpc").is_some() => Ok(Some(reply)),
            _ => Err(self.refused(status, &body)),
        }
    }

    /// Sends a request unchanged except for its host, and returns the unchanged reply.
    ///
    /// # Errors
    /// Fails if the server can't be reached, or the reply is larger than 256 MB.
    #[cfg(feature = "opentelemetry")]
    pub async fn send_as_it_is(&mut self, request: Request<Bytes>) -> Result<Response<Bytes>, ClientError> {
        let (mut parts, body) = request.into_parts();
        let host = header::HeaderValue::try_from(&self.host)
            .map_err(|_| ClientError::Unreachable(format!("{} is not a valid host name", self.host)))?;
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
    ) -> Result<Value, ClientError> {
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

    fn broken(&self, why: &str) -> ClientError {
        ClientError::Broken(format!("{} did not answer: {why}", self.host))
    }

    async fn send<T: DeserializeOwned>(
        &mut self,
        method: &str,
        path: &str,
        body: Vec<u8>,
    ) -> Result<T, ClientError> {
        let request = self.request(method, path);
        let (status, body) = self.reply(request, body).await?;
        if status != 200 {
            return Err(self.refused(status, &body));
        }
        serde_json::from_slice(&body).map_err(|_| {
            ClientError::Broken(format!("the reply of {} is not a reply of `quiver serve`", self.host))
        })
    }

    fn request(&self, method: &str, path: &str) -> request::Builder {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, &self.host);
        request = request.header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        if let Some(workspace) = &self.workspace {
            request = request.header(WORKSPACE, workspace);
        }
        #[cfg(feature = "opentelemetry")]
        if let Some(headers) = request.headers_mut() {
            crate::telemetry::pass_on_trace(headers);
        }
        request
    }

    /// Sends a request, and returns the status and the body of the reply.
    async fn reply(&mut self, request: request::Builder, body: Vec<u8>) -> Result<(u16, Bytes), ClientError> {
        let reply = self.answered(request, body).await?;
        self.collected(reply).await
    }

    /// Sends a request, and returns the reply once its head has arrived.
    async fn answered(
        &mut self,
        request: request::Builder,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, ClientError> {
        let request = request.body(Full::new(Bytes::from(body)));
        let request = request.map_err(|_| {
            ClientError::Unreachable(
                "the key or the address contains characters that are invalid in a header".to_owned(),
            )
        })?;
        self.sent(request).await
    }

    async fn sent(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, ClientError> {
        let sent = async {
            self.sender.ready().await?;
            self.sender.send_request(request).await
        };
        let sent = sent.await;
        sent.map_err(|error| self.broken(&told(&error)))
    }

    async fn collected(&self, reply: Response<Incoming>) -> Result<(u16, Bytes), ClientError> {
        let status = reply.status().as_u16();
        let body = Limited::new(Body::new(reply.into_body()), REPLY_BYTES_MAX).collect().await;
        Ok((status, body.map_err(|error| self.broken(&error.to_string()))?.to_bytes()))
    }

    /// Returns the error for a refused request, from the reply.
    fn refused(&self, status: u16, body: &[u8]) -> ClientError {
        let problem: Value = serde_json::from_slice(body).unwrap_or_default();
        let why = problem["detail"].as_str().map_or_else(
            || format!("{} returned {status}; is it `quiver serve`?", self.host),
            ToOwned::to_owned,
        );
        ClientError::Refused(status, why)
    }
}

/// Describes a connection error with its cause.
fn told(error: &hyper::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Returns the socket of the process that holds a database, by the database's directory and prefix.
pub fn socket_of(directory: &Path, prefix: &str) -> std::path::PathBuf {
    directory.join(format!("{prefix}.sock"))
}

/// Listens on a socket that only its owner can connect to.
///
/// # Errors
/// Fails if the file system has no sockets, or the path is too long for one.
#[cfg(unix)]
pub fn listen_on_socket(socket: &Path) -> io::Result<tokio::net::UnixListener> {
    use std::{
        fs,
        os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    };
    let parent = socket.parent().unwrap_or(Path::new("."));
    // The socket is created in a private directory, so that nobody else can connect before its mode is set.
    let private = parent.join(format!(".s{}", std::process::id()));
    let _ = fs::remove_dir_all(&private);
    fs::DirBuilder::new().mode(0o700).create(&private)?;
    let made = private.join("s");
    let listening = tokio::net::UnixListener::bind(&made).and_then(|listener| {
        fs::set_permissions(&made, fs::Permissions::from_mode(0o600))?;
        // Replaces the socket of a killed process.
        fs::rename(&made, socket)?;
        Ok(listener)
    });
    let _ = fs::remove_dir_all(&private);
    listening
}
