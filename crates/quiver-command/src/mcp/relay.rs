//! The tools over a directory that several processes use. One of them holds it and listens on a socket there; the
//! others send it the messages of their clients. However the holder ends, the next call of another process makes that
//! one the holder.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Result;
use quiver::ErrorKind;
use quiver_server::{Client, ClientError, Config, Listeners, Server};
use quiver_tools::{Call, Message, Offered, Tools};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdout},
    net::UnixListener,
    sync::{
        mpsc::{UnboundedReceiver, unbounded_channel},
        oneshot,
    },
    task::{AbortHandle, JoinHandle, JoinSet},
    time::sleep,
};

use crate::{
    Exit,
    commands::{ask_options, host, open_keys},
    database,
    exit::causes,
    settings::{Place, Settings},
};

/// How long an unused directory is held, so that processes that need it for themselves get their turn.
const IDLE: Duration = Duration::from_secs(3);
/// How often to check whether it is used.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How often to retry a directory that another process holds without a socket.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// Default time to wait for another process.
const WAIT: Duration = Duration::from_secs(5);
/// The tools that create a missing database.
const MAKING: [&str; 2] = ["ingest", "remember"];
/// How often a message is sent whose holder ends before answering.
const SENT_MAX: usize = 5;

/// The connection to the process that holds the directory, which may be this one.
pub(super) struct Relay {
    settings: Settings,
    socket: PathBuf,
    path: &'static str,
    /// The tools for messages that need no database, and for directories that can't have a socket.
    tools: Tools,
    /// The protocol version that the client and the tools agreed on.
    version: Mutex<Option<String>>,
    /// The running requests by ID.
    under_way: Mutex<HashMap<String, AbortHandle>>,
    held: tokio::sync::Mutex<Option<Held>>,
    /// Whether no socket can be created in the directory.
    has_no_socket: AtomicBool,
    output: tokio::sync::Mutex<Stdout>,
}

/// The directory while this process holds it.
struct Held {
    end: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

/// Why this process does not hold the directory.
enum NotHeld {
    /// Another one does.
    Locked(String),
    /// It can't be opened.
    Failed(String),
    /// It can't have a socket.
    NoSocket,
}

impl Relay {
    /// Creates the relay for a database, if that is in a directory.
    pub(super) fn new(settings: &Settings, offered: Offered, tools: &Tools) -> Option<Self> {
        let Place::Directory(directory) = &settings.place else { return None };
        Some(Self {
            settings: settings.clone(),
            socket: quiver_server::socket_of(directory, &settings.prefix),
            path: if offered == Offered::All { "/mcp?tools=all" } else { "/mcp" },
            tools: tools.clone(),
            version: Mutex::default(),
            under_way: Mutex::default(),
            held: tokio::sync::Mutex::default(),
            has_no_socket: AtomicBool::new(false),
            output: tokio::sync::Mutex::new(tokio::io::stdout()),
        })
    }

    /// Answers the lines of standard input until it is closed.
    pub(super) async fn serve(self) -> Result<Exit> {
        let relay = Arc::new(self);
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        let mut replies = JoinSet::new();
        while let Some(line) = lines.next_line().await? {
            while replies.try_join_next().is_some() {}
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str(&line) {
                Ok(message) => relay.begin(message, &mut replies),
                Err(error) => {
                    relay.send(&failed(&Value::Null, -32700, &format!("invalid JSON: {error}"))).await;
                }
            }
        }
        while replies.join_next().await.is_some() {}
        if let Some(held) = relay.held.lock().await.take() {
            let _ = held.end.send(());
            let _ = held.served.await;
        }
        Ok(Exit::Done)
    }

    /// Starts to answer a message, or cancels an earlier one.
    fn begin(self: &Arc<Self>, message: Value, replies: &mut JoinSet<()>) {
        if message["method"] == "notifications/cancelled" {
            let id = message["params"]["requestId"].to_string();
            if let Some(request) = locked(&self.under_way).remove(&id) {
                request.abort();
            }
            return;
        }
        let id = message.get("id").map(ToString::to_string);
        // A request is registered before it can end.
        let mut under_way = locked(&self.under_way);
        let (relay, own) = (Arc::clone(self), id.clone());
        let request = replies.spawn(async move {
            let reply = relay.answer(message).await;
            if let Some(own) = own {
                locked(&relay.under_way).remove(&own);
            }
            if let Some(reply) = reply {
                relay.send(&reply).await;
            }
        });
        if let Some(id) = id {
            under_way.insert(id, request);
        }
    }

    async fn send(&self, reply: &Value) {
        if let Some(version) = reply["result"]["protocolVersion"].as_str() {
            *locked(&self.version) = Some(version.to_owned());
        }
        let line = format!("{reply}\n");
        let mut output = self.output.lock().await;
        // The client may have disconnected.
        if output.write_all(line.as_bytes()).await.is_ok() {
            let _ = output.flush().await;
        }
    }

    async fn answer(&self, message: Value) -> Option<Value> {
        if !self.needs_database(&message) {
            return self.answer_here(message).await;
        }
        let id = message.get("id").cloned().unwrap_or_default();
        let version = locked(&self.version).clone();
        let mut why = String::new();
        // The progress already reported to the client. A repeated call reports progress only beyond it.
        let mut told = 0.0;
        // The holder may have carried out the request before it ended. Repeating the request does not do it twice.
        for _ in 0..SENT_MAX {
            let mut client = match self.connect().await {
                Ok(client) => client.in_workspace(self.settings.workspace.as_str()),
                Err(NotHeld::NoSocket) => return self.answer_here(message).await,
                Err(NotHeld::Locked(why) | NotHeld::Failed(why)) => return Some(refused(message, &why)),
            };
            let (sender, notices) = unbounded_channel();
            let tell = move |notice: Value| drop(sender.send(notice));
            let exchanged = client.exchange(self.path, &message, version.as_deref(), tell);
            match self.passing_on(notices, &mut told, exchanged).await {
                Ok(reply) => return reply,
                Err(ClientError::Refused(503, ended) | ClientError::Broken(ended)) => why = ended,
                Err(ClientError::Unreachable(why) | ClientError::Refused(_, why)) => {
                    return Some(refused(message, &why));
                }
            }
        }
        Some(failed(&id, -32603, &why))
    }

    /// Whether a message needs the contents of the database. Reading does not create a missing database.
    fn needs_database(&self, message: &Value) -> bool {
        let is_there = self.socket.parent().is_some_and(std::path::Path::exists);
        match message["method"].as_str() {
            Some("tools/call") => {
                is_there || message["params"]["name"].as_str().is_some_and(|tool| MAKING.contains(&tool))
            }
            Some("resources/list" | "resources/read") => is_there,
            _ => false,
        }
    }

    /// Answers without another process.
    async fn answer_here(&self, message: Value) -> Option<Value> {
        let version = locked(&self.version).clone();
        match Message::read(message, version.and_then(|version| Message::version(&version).ok())) {
            Message::Call(call) => Some(self.answer_call_here(*call).await),
            Message::Notice => None,
            Message::Unreadable(reply) => Some(reply),
        }
    }

    async fn answer_call_here(&self, call: Call) -> Value {
        let (sender, notices) = unbounded_channel();
        let tell = move |notice: Value| drop(sender.send(notice));
        self.passing_on(notices, &mut 0.0, self.tools.answer_telling(call, tell)).await
    }

    /// Runs work, and reports its progress to the client if it is beyond `told`.
    async fn passing_on<T>(
        &self,
        mut notices: UnboundedReceiver<Value>,
        told: &mut f64,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = std::pin::pin!(work);
        let done = loop {
            tokio::select! {
                biased;
                Some(notice) = notices.recv() => self.pass_on(&notice, told).await,
                done = &mut work => break done,
            }
        };
        while let Ok(notice) = notices.try_recv() {
            self.pass_on(&notice, told).await;
        }
        done
    }

    async fn pass_on(&self, notice: &Value, told: &mut f64) {
        let progress = notice["params"]["progress"].as_f64().unwrap_or_default();
        if progress > *told {
            *told = progress;
            self.send(notice).await;
        }
    }

    /// Connects to the process that holds the directory. If there is none, this one takes it.
    async fn connect(&self) -> Result<Client, NotHeld> {
        let (began, wait) = (Instant::now(), self.settings.wait.unwrap_or(WAIT));
        loop {
            let not_connected = match Client::connect_socket(&self.socket).await {
                Ok(client) => return Ok(client),
                Err(error) => error.to_string(),
            };
            if self.has_no_socket.load(Ordering::Relaxed) {
                return Err(NotHeld::NoSocket);
            }
            match self.take().await {
                Ok(()) if began.elapsed() > wait + WAIT => return Err(NotHeld::Failed(not_connected)),
                Ok(()) => {}
                Err(NotHeld::Locked(_)) if began.elapsed() < wait => sleep(TRY_EVERY).await,
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes the directory, and serves processes that connect to its socket.
    async fn take(&self) -> Result<(), NotHeld> {
        let mut held = self.held.lock().await;
        if let Some(before) = held.take_if(|held| held.served.is_finished() || !self.socket.exists()) {
            // It is closed before it is opened again.
            let _ = before.end.send(());
            let _ = before.served.await;
        }
        if held.is_some() {
            return Ok(());
        }
        let now = Settings { wait: Some(Duration::ZERO), ..self.settings.clone() };
        let quiver = database::open_or_create(&now).await.map_err(|error| {
            let why = causes(&error).join(": ");
            let is_locked = error.chain().filter_map(|cause| cause.downcast_ref::<quiver::Error>());
            if is_locked.into_iter().any(|error| error.kind() == ErrorKind::Locked) {
                NotHeld::Locked(why)
            } else {
                NotHeld::Failed(why)
            }
        })?;
        let listener = quiver_server::listen_on_socket(&self.socket).map_err(|error| {
            tracing::warn!("can't listen on {}, so processes take turns: {error}", self.socket.display());
            self.has_no_socket.store(true, Ordering::Relaxed);
            NotHeld::NoSocket
        })?;
        let keys =
            open_keys(None, &self.settings).map_err(|error| NotHeld::Failed(causes(&error).join(": ")))?;
        let config = Config {
            workspace: self.settings.workspace.clone(),
            ask: ask_options(&self.settings),
            ..Config::default()
        };
        let server = Server::with_commands(quiver, keys, config, host(&self.settings));
        let (end, told) = oneshot::channel();
        let served = tokio::spawn(serve_until_idle(server, listener, self.socket.clone(), told));
        *held = Some(Held { end, served });
        Ok(())
    }
}

/// Serves connections until there have been none for a moment, or until told to stop.
async fn serve_until_idle(
    server: Server,
    listener: UnixListener,
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
    server.serve_on(Listeners { socket: Some(listener), ..Listeners::default() }, end).await;
    // Pending data is synced to disk. If that fails, the journal is kept, and the next process replays it.
    let _ = tokio::task::spawn_blocking(move || drop(server)).await;
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the reply for a client if nothing was done.
fn refused(message: Value, why: &str) -> Value {
    let id = message.get("id").cloned().unwrap_or_default();
    match Message::read(message, None) {
        Message::Call(call) => call.refusal()(why),
        _ => failed(&id, -32603, why),
    }
}

fn failed(id: &Value, code: i32, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
}
