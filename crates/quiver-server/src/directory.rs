//! The directory of a database that several processes use. One of them holds it and listens on a socket there; the
//! others send it their requests. However the holder ends, the next request of another process makes that one the
//! holder.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use quiver_tools::{Lease, Opener};
use tokio::{sync::oneshot, task::JoinHandle, time::sleep};

use crate::{
    Connection, Server,
    error::{Error, ErrorKind, Result},
};

/// How long an unused directory is held, so that processes that need it for themselves get their turn.
#[cfg(unix)]
const IDLE: Duration = Duration::from_secs(3);
/// How often to check whether it is used.
#[cfg(unix)]
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How often to retry a directory that another process holds without a socket.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// How long to go on connecting to a socket that this process has created.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// How often a request is sent whose holder ends before answering.
const SENT_MAX: usize = 5;

/// Opens the database of a directory at once, or fails with [`ErrorKind::Busy`] if another process has it open. Returns
/// a server over it.
pub type Holding = dyn Opener<Opened = Server, Error = Error>;

/// The directory of a database that several processes use.
pub struct Directory {
    socket: PathBuf,
    /// Maximum time to wait for a process that holds the directory and does not listen.
    wait: Duration,
    opener: Arc<Holding>,
    held: tokio::sync::Mutex<Option<Held>>,
    /// Whether no socket can be created in the directory.
    has_no_socket: AtomicBool,
    turns: Lease<Turn>,
}

/// The directory while this process holds it.
struct Held {
    end: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

/// Opens a directory that can't have a socket, for a moment.
struct Turn {
    opener: Arc<Holding>,
    wait: Duration,
}

#[async_trait]
impl Opener for Turn {
    type Opened = Server;
    type Error = Error;

    async fn open(&self) -> Result<Server> {
        let began = Instant::now();
        loop {
            match self.opener.open().await {
                Err(error) if error.kind() == ErrorKind::Busy && began.elapsed() < self.wait => {
                    sleep(TRY_EVERY).await;
                }
                opened => return opened,
            }
        }
    }
}

impl Directory {
    /// Creates the directory of a database with a prefix. Nothing is opened yet.
    pub fn new(directory: &Path, prefix: &str, wait: Duration, opener: Arc<Holding>) -> Self {
        Self {
            socket: socket_of(directory, prefix),
            wait,
            turns: Lease::new(Turn { opener: Arc::clone(&opener), wait }),
            opener,
            held: tokio::sync::Mutex::default(),
            has_no_socket: AtomicBool::new(!cfg!(unix)),
        }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.socket.parent().unwrap_or(Path::new("."))
    }

    /// Connects to the process that holds the directory. If there is none, this one takes it. Returns `None` if the
    /// directory can't have a socket: processes then [take turns](Self::turn).
    ///
    /// # Errors
    /// Fails if the directory can't be opened, or another process holds it for too long without a socket.
    #[cfg(unix)]
    pub async fn connect(&self) -> Result<Option<Connection>> {
        let began = Instant::now();
        loop {
            let not_connected = match Connection::connect_socket(&self.socket).await {
                Ok(connection) => return Ok(Some(connection)),
                Err(error) => error,
            };
            if self.has_no_socket.load(Ordering::Relaxed) {
                return Ok(None);
            }
            match self.take().await {
                Ok(()) if began.elapsed() > self.wait + CONNECT_TIME_MAX => return Err(not_connected),
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Busy && began.elapsed() < self.wait => {
                    sleep(TRY_EVERY).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns `None`: there are no sockets here.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub async fn connect(&self) -> Result<Option<Connection>> {
        Ok(None)
    }

    /// Begins a request, which is sent again if the process that holds the directory ends first.
    pub fn attempts(&self) -> Attempts<'_> {
        Attempts { directory: self, left: SENT_MAX }
    }

    /// Opens a directory that can't have a socket. Others get their turn once the result is dropped.
    ///
    /// # Errors
    /// Fails if the directory can't be opened, or another process has it open for too long.
    pub async fn turn(&self) -> Result<Arc<Server>> {
        self.turns.opened().await
    }

    /// Releases the directory if this process holds it, once current requests are answered.
    pub async fn end(&self) {
        if let Some(held) = self.held.lock().await.take() {
            let _ = held.end.send(());
            let _ = held.served.await;
        }
        self.turns.close().await;
    }

    /// Takes the directory, and serves processes that connect to its socket.
    #[cfg(unix)]
    async fn take(&self) -> Result<()> {
        let mut held = self.held.lock().await;
        if let Some(before) = held.take_if(|held| held.served.is_finished() || !self.socket.exists()) {
            // It is closed before it is opened again.
            let _ = before.end.send(());
            let _ = before.served.await;
        }
        if held.is_some() {
            return Ok(());
        }
        let server = self.opener.open().await?;
        let listener = match listen_on_socket(&self.socket) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!("can't listen on {}, so processes take turns: {error}", self.socket.display());
                self.has_no_socket.store(true, Ordering::Relaxed);
                // It is closed before the next turn.
                let _ = tokio::task::spawn_blocking(move || drop(server)).await;
                return Ok(());
            }
        };
        let (end, told) = oneshot::channel();
        let served = tokio::spawn(serve_until_idle(server, listener, self.socket.clone(), told));
        *held = Some(Held { end, served });
        Ok(())
    }
}

/// The attempts to have a request answered by the process that holds a directory.
pub struct Attempts<'d> {
    directory: &'d Directory,
    left: usize,
}

impl Attempts<'_> {
    /// Connects as [`Directory::connect`] does.
    ///
    /// # Errors
    /// As for [`Directory::connect`].
    pub async fn connect(&mut self) -> Result<Option<Connection>> {
        self.left = self.left.saturating_sub(1);
        self.directory.connect().await
    }

    /// Decides whether a request that failed is sent again: if its holder has ended. The holder may have carried it out
    /// before, so this is for requests that do not do anything twice.
    ///
    /// # Errors
    /// Fails with the same error if it is not sent again.
    pub fn check(&self, error: Error) -> Result<()> {
        let has_ended = error.kind() == ErrorKind::Interrupted || error.status() == Some(503);
        if has_ended && self.left > 0 { Ok(()) } else { Err(error) }
    }
}

/// Serves connections until there have been none for a moment, or until told to stop.
#[cfg(unix)]
async fn serve_until_idle(
    server: Server,
    listener: tokio::net::UnixListener,
    socket: PathBuf,
    told: oneshot::Receiver<()>,
) {
    let idle = async {
        while server.idle_time() < IDLE {
            sleep(LOOK_EVERY).await;
        }
    };
    let end = async {
        tokio::select! {
            _ = told => {}
            () = idle => {}
        }
        // Nobody connects any more, and the next process opens the directory itself.
        let _ = std::fs::remove_file(&socket);
    };
    let listeners = crate::Listeners { socket: Some(listener), ..crate::Listeners::default() };
    server.serve_on(listeners, end).await;
    // Pending data is synced to disk. If that fails, the journal is kept, and the next process replays it.
    let _ = tokio::task::spawn_blocking(move || drop(server)).await;
}

/// Returns the socket of the process that holds a database, by the database's directory and prefix.
pub fn socket_of(directory: &Path, prefix: &str) -> PathBuf {
    directory.join(format!("{prefix}.sock"))
}

/// Listens on a socket that only its owner can connect to.
///
/// # Errors
/// Fails if the file system has no sockets, or the path is too long for one.
#[cfg(unix)]
pub fn listen_on_socket(socket: &Path) -> std::io::Result<tokio::net::UnixListener> {
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
