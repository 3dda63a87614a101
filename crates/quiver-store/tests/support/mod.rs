//! A Qdrant server for tests: one named in the environment, or a binary started for the test.
//!
//! The tests of the crates above this one use it too, by its path.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
    time::{Duration, Instant},
};

/// The server that tests share while any of them is using it.
static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());

/// A server to test against. One that was started here ends with it.
pub(crate) struct Server {
    /// Its gRPC address.
    pub(crate) url: String,
    started: Option<(Child, tempfile::TempDir)>,
}

impl Server {
    /// Returns the server named by `QUIVER_TEST_QDRANT_URL`, or else one from a `qdrant` binary on the path.
    ///
    /// Tests share it, and the named one outlives them, so each test uses collections of its own.
    pub(crate) fn find() -> Arc<Self> {
        if let Ok(url) = std::env::var("QUIVER_TEST_QDRANT_URL") {
            return Arc::new(Self { url, started: None });
        }
        // A test that failed while starting a server says nothing about the next one.
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return server;
        }
        let server = Arc::new(Self::start(&[]));
        *shared = Arc::downgrade(&server);
        server
    }

    /// Starts a server with these settings from a `qdrant` binary on the path. Tests that need it are ignored by
    /// default.
    pub(crate) fn start(settings: &[(&str, &str)]) -> Self {
        for _ in 0..3 {
            let storage = tempfile::tempdir().unwrap();
            let [http, grpc] = free_ports();
            let child = command(&storage, http, grpc).envs(settings.iter().copied()).spawn();
            let child =
                child.expect("QUIVER_TEST_QDRANT_URL names no server, so a qdrant on the PATH starts");
            let mut server =
                Self { url: format!("http://127.0.0.1:{grpc}"), started: Some((child, storage)) };
            if server.comes_up(grpc) {
                return server;
            }
            // Something else may have taken a port after it was found free.
        }
        panic!("the qdrant on the path ends as soon as it is started");
    }

    /// Waits until it listens. Returns false if it has ended.
    fn comes_up(&mut self, port: u16) -> bool {
        let deadline = Instant::now() + Duration::from_mins(3);
        let Some((child, _)) = &mut self.started else { return true };
        loop {
            let listens = TcpStream::connect(("127.0.0.1", port)).is_ok();
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            if listens {
                return true;
            }
            assert!(Instant::now() < deadline, "the server did not start within three minutes");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.started {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn command(storage: &tempfile::TempDir, http: u16, grpc: u16) -> Command {
    let mut command = Command::new("qdrant");
    command
        .current_dir(storage.path())
        .env("QDRANT_INIT_FILE_PATH", storage.path().join("initialised"))
        .env("QDRANT__STORAGE__STORAGE_PATH", storage.path().join("storage"))
        .env("QDRANT__STORAGE__SNAPSHOTS_PATH", storage.path().join("snapshots"))
        .env("QDRANT__SERVICE__HOST", "127.0.0.1")
        .env("QDRANT__SERVICE__HTTP_PORT", http.to_string())
        .env("QDRANT__SERVICE__GRPC_PORT", grpc.to_string())
        .env("QDRANT__SERVICE__ENABLE_STATIC_CONTENT", "false")
        .env("QDRANT__LOG_LEVEL", "ERROR")
        .arg("--disable-telemetry")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = std::array::from_fn::<_, N, _>(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}
