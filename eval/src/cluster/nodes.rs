//! Three nodes of a Qdrant cluster on this machine.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

/// Maximum time for a node to start.
const START: Duration = Duration::from_mins(3);

pub(super) struct Node {
    qdrant: PathBuf,
    directory: TempDir,
    /// The ports for HTTP, gRPC and the other nodes.
    ports: [u16; 3],
    bootstrap: Option<u16>,
    child: Child,
}

/// Starts three nodes and waits until they form a cluster.
pub(super) fn start(qdrant: &Path) -> Result<Vec<Node>> {
    let mut nodes: Vec<Node> = Vec::new();
    for _ in 0..3 {
        let bootstrap = nodes.first().map(|first| first.ports[2]);
        let mut node = Node::start(qdrant, bootstrap)?;
        node.wait()?;
        nodes.push(node);
    }
    let began = Instant::now();
    while !nodes.iter().all(|node| node.peers().is_ok_and(|peers| peers == 3)) {
        ensure!(began.elapsed() < START, "the three nodes did not find each other");
        thread::sleep(Duration::from_millis(200));
    }
    Ok(nodes)
}

impl Node {
    fn start(qdrant: &Path, bootstrap: Option<u16>) -> Result<Self> {
        let qdrant = qdrant.canonicalize().with_context(|| qdrant.display().to_string())?;
        let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0"));
        let mut ports = [0; 3];
        for (port, listener) in ports.iter_mut().zip(listeners) {
            *port = listener?.local_addr()?.port();
        }
        let directory = tempfile::tempdir()?;
        let child = spawn(&qdrant, directory.path(), ports, bootstrap)?;
        Ok(Self { qdrant, directory, ports, bootstrap, child })
    }

    /// Returns the address for clients.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[1])
    }

    /// Kills the node with SIGKILL.
    pub(super) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Restarts the node after a kill.
    pub(super) fn restart(&mut self) -> Result<()> {
        self.child = spawn(&self.qdrant, self.directory.path(), self.ports, self.bootstrap)?;
        Ok(())
    }

    /// Pauses the node with SIGSTOP, or resumes it with SIGCONT.
    pub(super) fn signal(&self, name: &str) -> Result<()> {
        let done = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status()?;
        ensure!(done.success(), "kill -{name} failed");
        Ok(())
    }

    /// Waits until the node accepts requests.
    fn wait(&mut self) -> Result<()> {
        let began = Instant::now();
        while self.get("/readyz").is_err() {
            if let Some(status) = self.child.try_wait()? {
                let log = std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
                bail!("{} ended: {status}\n{log}", self.qdrant.display());
            }
            ensure!(began.elapsed() < START, "{} does not listen", self.qdrant.display());
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn peers(&self) -> Result<usize> {
        let answer: Value = serde_json::from_str(&self.get("/cluster")?)?;
        Ok(answer["result"]["peers"].as_object().map_or(0, serde_json::Map::len))
    }

    /// Returns whether this node considers all replicas of a collection active.
    pub(super) fn is_whole(&self, collection: &str) -> bool {
        let answer = self.get(&format!("/collections/{collection}/cluster"));
        answer.is_ok_and(|answer| {
            answer.contains("\"Active\"")
                && !["\"Dead\"", "\"Partial\"", "\"Recovery\"", "\"Initializing\"", "\"PartialSnapshot\""]
                    .iter()
                    .any(|state| answer.contains(state))
        })
    }

    fn get(&self, path: &str) -> Result<String> {
        let address = ([127, 0, 0, 1], self.ports[0]).into();
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(answer.contains(" 200 "), "{path} is not there");
        let start = answer.find("\r\n\r\n").context("an answer without an end of its head")? + 4;
        Ok(answer[start..].trim().to_owned())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(qdrant: &Path, directory: &Path, ports: [u16; 3], bootstrap: Option<u16>) -> Result<Child> {
    let log = File::options().create(true).append(true).open(directory.join("log"))?;
    let mut command = Command::new(qdrant);
    command
        .current_dir(directory)
        .env("QDRANT_INIT_FILE_PATH", directory.join("initialised"))
        .env("QDRANT__STORAGE__STORAGE_PATH", directory.join("storage"))
        .env("QDRANT__STORAGE__SNAPSHOTS_PATH", directory.join("snapshots"))
        .env("QDRANT__SERVICE__HOST", "127.0.0.1")
        .env("QDRANT__SERVICE__HTTP_PORT", ports[0].to_string())
        .env("QDRANT__SERVICE__GRPC_PORT", ports[1].to_string())
        .env("QDRANT__SERVICE__ENABLE_STATIC_CONTENT", "false")
        .env("QDRANT__CLUSTER__ENABLED", "true")
        .env("QDRANT__CLUSTER__P2P__PORT", ports[2].to_string())
        .env("QDRANT__LOG_LEVEL", "WARN")
        .args(["--disable-telemetry", "--uri", &format!("http://127.0.0.1:{}", ports[2])])
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    if let Some(port) = bootstrap {
        command.args(["--bootstrap", &format!("http://127.0.0.1:{port}")]);
    }
    command.spawn().with_context(|| qdrant.display().to_string())
}
