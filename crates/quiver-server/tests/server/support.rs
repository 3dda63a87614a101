//! A server over a database in memory, and requests to it.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Method, Request, StatusCode},
};
use http_body_util::BodyExt as _;
use quiver::Quiver;
use quiver_server::{Config, Jobs, Keys, Role, Server};
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt as _;

/// A server, with the directory of its keys.
pub(crate) struct Stand {
    pub(crate) server: Server,
    router: Router,
    directory: TempDir,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Stand {
    pub(crate) async fn new() -> Self {
        Self::with(Config::default()).await
    }

    pub(crate) async fn with(config: Config) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let keys = Keys::open(directory.path().join("server.keys")).unwrap();
        let config = Config { jobs: Some(jobs(&directory)), ..config };
        let server = Server::new(Quiver::in_memory().await.unwrap(), keys, config);
        Self { router: server.router(), server, directory }
    }

    /// Wraps a server that was created elsewhere.
    pub(crate) fn of(server: Server) -> Self {
        Self { router: server.router(), server, directory: tempfile::tempdir().unwrap() }
    }

    /// Creates the same server over a database with these keys.
    pub(crate) async fn with_keys(keys: &[(Role, &[&str])]) -> (Self, Vec<String>) {
        Self::with_keys_and(Config::default(), keys).await
    }

    pub(crate) async fn with_keys_and(config: Config, keys: &[(Role, &[&str])]) -> (Self, Vec<String>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("server.keys");
        let file = Keys::open(&path).unwrap();
        let secrets = keys.iter().enumerate().map(|(number, (role, names))| {
            let names = names.iter().map(|name| quiver::graph::Workspace::new(*name).unwrap());
            file.create(&format!("test {number}"), *role, &names.collect::<Vec<_>>()).unwrap().1
        });
        let secrets = secrets.collect();
        let quiver = Quiver::in_memory().await.unwrap();
        let config = Config { jobs: Some(jobs(&directory)), ..config };
        let server = Server::new(quiver, Keys::open(&path).unwrap(), config);
        (Self { router: server.router(), server, directory }, secrets)
    }

    pub(crate) fn keys(&self) -> Keys {
        Keys::open(self.directory.path().join("server.keys")).unwrap()
    }

    /// Returns the directory of its jobs.
    pub(crate) fn jobs(&self) -> std::path::PathBuf {
        self.directory.path().join("jobs")
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Reply { status: parts.status, headers: parts.headers, body }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(request(Method::GET, path).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(json(Method::POST, path, body)).await
    }

    /// Adds two documents, one of which is about what the other mentions.
    pub(crate) async fn add_ships(&self) {
        let documents = serde_json::json!({ "documents": [
            { "key": "ships/aurelia", "title": "Aurelia", "text": "The Aurelia was built at the Norby yard in 1911." },
            { "key": "ships/norby", "title": "Norby yard", "text": "The Norby yard was founded by Ida Holm in Bergen." },
        ] });
        self.post("/v1/documents", &documents).await.ok();
    }
}

fn jobs(directory: &TempDir) -> std::sync::Arc<Jobs> {
    std::sync::Arc::new(Jobs::open(directory.path().join("jobs")).unwrap())
}

/// Creates a request to this machine.
pub(crate) fn request(method: Method, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header("host", "localhost")
}

/// Creates a request with JSON.
pub(crate) fn json(method: Method, path: &str, body: &Value) -> Request<Body> {
    let request = request(method, path).header("content-type", "application/json");
    request.body(Body::from(body.to_string())).unwrap()
}

impl Reply {
    /// Returns the JSON of a reply, which must be a success.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        let value: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(value["version"], 1, "{value:#}");
        value
    }

    /// Returns the problem of a reply, which must be a failure: its code, place and detail.
    #[track_caller]
    pub(crate) fn problem(self, status: u16) -> (String, String, String) {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(problem["status"], status, "{problem:#}");
        let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        assert!(!text("title").is_empty() && !text("detail").is_empty(), "{problem:#}");
        (text("code"), text("place"), text("detail"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
