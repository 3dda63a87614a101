//! Checks on a request before it is handled: host, origin, key and rate.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
    time::Instant,
};

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use quiver::graph::Workspace;
use tracing::{Instrument as _, Span, field};

use crate::{
    app::App,
    keys::{Key, Role},
    problem::{Code, Problem},
    proxy::{Peer, Sender},
};

/// The header that names the workspace.
pub(crate) const WORKSPACE: &str = "quiver-workspace";

/// Who may use an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody: it reveals nothing that is stored.
    Open,
    /// Keys with this role or a higher one.
    Role(Role),
}

/// What the gate of an endpoint needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) app: App,
    pub(crate) access: Access,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
}

impl Gate {
    /// Whether the endpoint has the format of the `OpenAI` API.
    fn is_of_openai(&self) -> bool {
        matches!(self.path, "/v1/chat/completions" | "/v1/embeddings" | "/v1/models")
    }
}

/// Marks requests over the socket in the directory of the database. Whoever can connect to it may read the files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OverSocket;

/// The caller of a request and its workspace.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) workspace: Workspace,
    /// The key, if keys are required.
    pub(crate) key: Option<Arc<Key>>,
    /// The origin of the request.
    pub(crate) sender: Sender,
}

impl Caller {
    /// Returns the ID of the key and the name of the workspace, for the log.
    pub(crate) fn names(&self) -> (&str, &str) {
        (self.key.as_ref().map_or("none", |key| key.id.as_str()), self.workspace.as_str())
    }

    /// Returns the address of the client, for the log.
    pub(crate) fn client(&self) -> String {
        self.sender.text()
    }

    /// Whether the caller has the rights of a role.
    pub(crate) fn may(&self, role: Role) -> bool {
        self.key.as_ref().is_none_or(|key| key.role >= role)
    }

    /// Whether the caller may learn only about certain workspaces.
    pub(crate) fn is_bound(&self) -> bool {
        self.key.as_ref().is_some_and(|key| key.is_bound())
    }

    /// Whether the caller may know of a workspace.
    pub(crate) fn allows(&self, workspace: &str) -> bool {
        let Some(key) = self.key.as_ref().filter(|key| key.is_bound()) else { return true };
        key.workspaces.iter().any(|name| name == workspace)
    }

    /// Fails if the caller lacks the rights of a role.
    pub(crate) fn check(&self, role: Role) -> Result<(), Problem> {
        if self.may(role) {
            return Ok(());
        }
        let is = self.key.as_ref().map_or("read", |key| key.role.word());
        let detail = format!("the role of this key is `{is}`, but this requires `{}`", role.word());
        Err(Problem::new(Code::Forbidden, detail).with_place("Authorization"))
    }

    /// Fails if the caller may not write. The audit log gets the result, with the tool or session that writes.
    pub(crate) fn check_write(&self, tool: Option<&str>, session: Option<&str>) -> Result<(), Problem> {
        let ((key, workspace), client) = (self.names(), self.client());
        let checked = self.check(Role::Write);
        match &checked {
            Ok(()) => {
                tracing::info!(target: "quiver_server::audit", client, key, workspace, tool, session, "written");
            }
            Err(problem) => {
                let why = problem.detail();
                tracing::warn!(target: "quiver_server::audit", client, key, workspace, tool, session, "refused: {why}");
            }
        }
        checked
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::new(Code::Internal, "the request bypassed the checks"))
    }
}

/// Checks every request to the server: hosts, origins and preflights.
pub(crate) async fn check_request(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.extensions().get::<OverSocket>().is_some() {
        return next.run(request).await;
    }
    let sender = sender(&app, &request);
    let origin = match check_host_and_origin(&app, request.headers(), sender) {
        Ok(origin) => origin,
        Err(problem) => {
            let (client, path) = (sender.text(), request.uri().path());
            tracing::warn!(target: "quiver_server::audit", client, path, "refused: {}", problem.detail());
            return problem.into_response();
        }
    };
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match &origin {
        Some(_) if is_preflight => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        if is_preflight {
            let methods = HeaderValue::from_static("GET, POST, PUT, DELETE");
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
            let allowed = HeaderValue::from_static(
                "authorization, content-type, quiver-workspace, quiver-session, mcp-session-id, mcp-protocol-version",
            );
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        }
    }
    response
}

/// Returns where a request comes from.
fn sender(app: &App, request: &Request) -> Sender {
    let peer = request.extensions().get::<Peer>().map(|Peer(address)| *address);
    Sender::of(&app.config.proxies, peer, request.headers())
}

/// Checks the host and the origin. Returns the origin if it is another one that is allowed.
fn check_host_and_origin(
    app: &App,
    headers: &HeaderMap,
    sender: Sender,
) -> Result<Option<HeaderValue>, Problem> {
    let host = single(headers, "host")?.unwrap_or_default();
    let name = host_name(host);
    let hosts = &app.config.hosts;
    // A page that points its own name at this machine has no key.
    let is_free = hosts.is_empty() && app.keys.are_needed();
    if !is_free && !is_local(name) && !hosts.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        let detail = format!("requests for {host:?} are refused; `--host {name}` allows them");
        return Err(Problem::new(Code::Misdirected, detail).with_place("Host"));
    }
    let Some(origin) = single(headers, "origin")? else { return Ok(None) };
    if app.config.origins.iter().any(|known| known == origin) {
        return Ok(HeaderValue::from_str(origin).ok());
    }
    let is_same = origin.split_once("://").is_some_and(|(scheme, authority)| {
        let is_scheme =
            sender.is_https.is_none_or(|is_https| is_https == scheme.eq_ignore_ascii_case("https"));
        is_scheme && authority.eq_ignore_ascii_case(host)
    });
    if is_same {
        return Ok(None);
    }
    let detail = format!("requests from pages of {origin:?} are refused; `--origin {origin}` allows them");
    Err(Problem::new(Code::Forbidden, detail).with_place("Origin"))
}

/// Returns the value of a header that may occur only once.
pub(crate) fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Problem::at(name, "the header occurs more than once; send it once"));
    }
    value.to_str().map(Some).map_err(|_| Problem::at(name, "the header contains invalid characters"))
}

/// Returns the workspace that a request names, if any.
fn named(headers: &HeaderMap) -> Result<Option<Workspace>, Problem> {
    let name = single(headers, WORKSPACE)?;
    name.map(|name| Workspace::new(name).map_err(|error| Problem::at("Quiver-Workspace", error.to_string())))
        .transpose()
}

/// Returns the name of a host without its port.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

/// Whether a host is an address, which no name service can redirect, or this machine.
fn is_local(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok()
        || name.parse::<Ipv6Addr>().is_ok()
}

/// Checks a request to an endpoint (key, workspace, rate), and counts it.
pub(crate) async fn gate(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let metrics = &gate.app.metrics;
    let _under_way = metrics.begin();
    let (method, path) = (gate.method, gate.path);
    let sender = sender(&gate.app, &request);
    let span = span(method, path);
    span.record("client", sender.text());
    let caller = match gate.access {
        Access::Open => Ok(None),
        Access::Role(_) if request.extensions().get::<OverSocket>().is_some() => {
            gate.app.wanted(request.headers()).map(|workspace| Some(Caller { workspace, key: None, sender }))
        }
        Access::Role(role) => gate.app.admit(request.headers(), role, sender).map(Some),
    };
    let (response, caller) = match caller {
        Ok(caller) => {
            if let Some(caller) = &caller {
                #[cfg(feature = "opentelemetry")]
                crate::telemetry::continue_trace(&span, request.headers());
                request.extensions_mut().insert(caller.clone());
            }
            let (key, workspace) = caller.as_ref().map_or(("", ""), Caller::names);
            span.record("key", key).record("workspace", workspace);
            (next.run(request).instrument(span.clone()).await, caller)
        }
        Err(problem) => {
            span.in_scope(|| {
                let client = sender.text();
                tracing::warn!(target: "quiver_server::audit", client, path, "refused: {}", problem.detail());
            });
            (problem.into_response(), None)
        }
    };
    let response = match response.extensions().get::<Problem>() {
        Some(problem) if gate.is_of_openai() => problem.clone().for_openai().into_response(),
        _ => response,
    };
    let status = response.status().as_u16();
    if let (Some(caller), Access::Role(Role::Write | Role::Admin)) = (&caller, gate.access) {
        let ((key, workspace), client) = (caller.names(), caller.client());
        tracing::info!(target: "quiver_server::audit", client, key, workspace, method, path, status, "written");
    }
    let took = began.elapsed();
    let duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    #[cfg(feature = "opentelemetry")]
    crate::telemetry::answered(&span, status);
    tracing::info!(target: "quiver_server::request", parent: &span, status, duration_us, "answered");
    metrics.end(method, path, status, took);
    response
}

/// Creates the span of a request.
#[cfg(not(feature = "opentelemetry"))]
fn span(method: &'static str, path: &'static str) -> Span {
    tracing::info_span!(
        target: "quiver_server::request",
        "request", method, path, client = field::Empty, key = field::Empty, workspace = field::Empty
    )
}

/// Creates the span of a request, named as OpenTelemetry names those of an HTTP server.
#[cfg(feature = "opentelemetry")]
fn span(method: &'static str, path: &'static str) -> Span {
    tracing::info_span!(
        target: "quiver_server::request",
        "request", method, path, key = field::Empty, workspace = field::Empty,
        otel.name = %format_args!("{method} {path}"), otel.kind = "server",
        http.request.method = method, http.route = path
    )
}

impl App {
    /// Returns the workspace that a request names, or else the server's.
    fn wanted(&self, headers: &HeaderMap) -> Result<Workspace, Problem> {
        Ok(named(headers)?.unwrap_or_else(|| self.config.workspace.clone()))
    }

    /// Determines the caller of a request, and checks that it is allowed.
    pub(crate) fn admit(&self, headers: &HeaderMap, role: Role, sender: Sender) -> Result<Caller, Problem> {
        let wanted = named(headers)?;
        let key = if self.keys.are_needed() { Some(self.key(headers)?) } else { None };
        self.admit_key(key, wanted, role, sender)
    }

    /// Determines the workspace of a request with a key, or without one if none is required, and checks that it is
    /// allowed.
    pub(crate) fn admit_key(
        &self,
        key: Option<Key>,
        wanted: Option<Workspace>,
        role: Role,
        sender: Sender,
    ) -> Result<Caller, Problem> {
        let Some(key) = key else {
            self.rates.count(&sender.name(), Instant::now())?;
            let workspace = wanted.unwrap_or_else(|| self.config.workspace.clone());
            return Ok(Caller { workspace, key: None, sender });
        };
        self.rates.count(&key.id, Instant::now())?;
        let workspace = match (wanted, key.workspaces.as_slice()) {
            (Some(workspace), _) => workspace,
            // A key for a single workspace need not name it.
            (None, [only]) => Workspace::new(only.clone())
                .map_err(|_| Problem::new(Code::Forbidden, "the name of the key's workspace is invalid"))?,
            (None, _) => self.config.workspace.clone(),
        };
        if !key.allows(&workspace) {
            let detail = format!(
                "this key is not valid for the workspace {:?}; name one of its workspaces",
                workspace.as_str()
            );
            return Err(Problem::new(Code::Forbidden, detail).with_place("Quiver-Workspace"));
        }
        let caller = Caller { workspace, key: Some(Arc::new(key)), sender };
        caller.check(role)?;
        Ok(caller)
    }

    fn key(&self, headers: &HeaderMap) -> Result<Key, Problem> {
        let refused = |detail: &str| Problem::new(Code::Unauthorized, detail).with_place("Authorization");
        let header = single(headers, "authorization")?;
        let header = header
            .ok_or_else(|| refused("send `Authorization: Bearer KEY`; `quiver keys create` creates a key"))?;
        let (scheme, secret) = header.split_once(' ').unwrap_or((header, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(refused("the header must be `Authorization: Bearer KEY`"));
        }
        self.keys.find(secret.trim()).ok_or_else(|| refused("the key is unknown or revoked"))
    }
}

#[cfg(test)]
mod tests {
    use super::{host_name, is_local};

    #[test]
    fn hosts_are_told_from_addresses() {
        for (host, name, local) in [
            ("localhost:7373", "localhost", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("[::1]:80", "::1", true),
            ("10.1.2.3:80", "10.1.2.3", true),
            ("localhost.example.com", "localhost.example.com", false),
            ("127.0.0.1.example.com:80", "127.0.0.1.example.com", false),
            ("", "", false),
        ] {
            assert_eq!((host_name(host), is_local(host_name(host))), (name, local), "{host}");
        }
    }
}
