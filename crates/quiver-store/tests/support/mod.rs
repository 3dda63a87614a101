//! A Qdrant server for tests: one that is named in the environment, or a binary that is started for the test.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A server to test against. One that was started here ends with it.
pub(crate) struct Server {
    /// The address of its gRPC door.
    pub(crate) url: String,
    started: Option<(Child, tempfile::TempDir)>,
}

impl Server {
    /// The server named by `QUIVER_TEST_QDRANT_URL`, else one from a `qdrant` binary on the path, else none.
    pub(crate) fn find() -> Option<Self> {
        match std::env::var("QUIVER_TEST_QDRANT_URL") {
            Ok(url) => Some(Self { url, started: None }),
            Err(_) => Self::start(None),
        }
    }

    /// Starts a server from a `qdrant` binary on the path, or tells that the test is skipped.
    pub(crate) fn start(api_key: Option<&str>) -> Option<Self> {
        let storage = tempfile::tempdir().unwrap();
        let ports: [u16; 2] = free_ports();
        let mut command = Command::new("qdrant");
        command
            .current_dir(storage.path())
            .env("QDRANT__STORAGE__STORAGE_PATH", storage.path().join("storage"))
            .env("QDRANT__STORAGE__SNAPSHOTS_PATH", storage.path().join("snapshots"))
            .env("QDRANT__SERVICE__HOST", "127.0.0.1")
            .env("QDRANT__SERVICE__HTTP_PORT", ports[0].to_string())
            .env("QDRANT__SERVICE__GRPC_PORT", ports[1].to_string())
            .env("QDRANT__TELEMETRY_DISABLED", "true")
            .env("QDRANT__LOG_LEVEL", "ERROR")
            .arg("--disable-telemetry")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(key) = api_key {
            command.env("QDRANT__SERVICE__API_KEY", key);
        }
        let Ok(child) = command.spawn() else {
            println!("skipped: neither QUIVER_TEST_QDRANT_URL nor a qdrant binary on the path");
            return None;
        };
        let server = Self { url: format!("http://127.0.0.1:{}", ports[1]), started: Some((child, storage)) };
        let deadline = Instant::now() + Duration::from_mins(1);
        while std::net::TcpStream::connect(("127.0.0.1", ports[1])).is_err() {
            assert!(Instant::now() < deadline, "the server did not start within a minute");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(server)
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

fn free_ports<const N: usize>() -> [u16; N] {
    let listeners = std::array::from_fn::<_, N, _>(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}
