//! `quiver serve` and `quiver keys`.

use std::{
    io::ErrorKind,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, Result};
use quiver::graph::Workspace;
use quiver_forms::Moment;
use quiver_server::{Commands, Config, Connection, Jobs, Key, Keys, Listeners, Role, Server, Tls, Trust};
use serde::Serialize;
use tokio::{net::TcpListener, time::timeout};

use super::{ask::options, count, hosted::Host};
#[cfg(feature = "bolt")]
use crate::arguments::BoltArguments;
use crate::{
    Exit,
    arguments::{KeyRole, KeysArguments, KeysCommand, ServeArguments, ServerArguments},
    database,
    exit::Failed,
    interrupt::{self, interruption},
    output::{Output, note},
    settings::{Place, Settings},
    untrusted,
};

/// Maximum time to parse a web page of an untrusted format.
const PAGE_READ_TIME_MAX: Duration = Duration::from_secs(30);
/// Maximum time for a server to say whether it is ready.
const CHECK_TIME_MAX: Duration = Duration::from_secs(5);

impl From<KeyRole> for Role {
    fn from(role: KeyRole) -> Self {
        match role {
            KeyRole::Read => Self::Read,
            KeyRole::Write => Self::Write,
            KeyRole::Admin => Self::Admin,
        }
    }
}

/// The output of `quiver serve --json`.
#[derive(Serialize)]
struct Listening {
    address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bolt: Option<String>,
    needs_key: bool,
}

/// The addresses of a server, with the names of their arguments.
struct Addresses {
    http: Option<(SocketAddr, &'static str)>,
    bolt: Option<(SocketAddr, &'static str)>,
}

pub(super) async fn serve(
    arguments: &ServeArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    if arguments.check {
        return check(arguments, output).await;
    }
    let addresses = Addresses {
        http: Some((arguments.listen, "--listen")),
        bolt: bolt_address(arguments).map(|address| (address, "--bolt")),
    };
    let config = Config {
        hosts: arguments.host.clone(),
        origins: arguments.origin.clone(),
        proxies: arguments.proxy.clone(),
        body_bytes_max: (arguments.body_megabytes as usize) << 20,
        allow_private_addresses: settings.allow_private_addresses,
        untrusted: untrusted::reader(PAGE_READ_TIME_MAX)?,
        bolt_agent: bolt_agent(arguments).unwrap_or(Config::default().bolt_agent),
        ..Config::default()
    };
    listen(&arguments.server, addresses, arguments.jobs.as_deref(), config, settings, output).await
}

/// Serves Neo4j drivers, and over the socket in the directory the commands that would open it.
#[cfg(feature = "bolt")]
pub(super) async fn bolt(
    arguments: &BoltArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let addresses = Addresses { http: None, bolt: Some((arguments.address, "ADDRESS")) };
    let bolt_agent = arguments.agent.clone().unwrap_or(Config::default().bolt_agent);
    let config = Config { bolt_agent, ..Config::default() };
    listen(&arguments.server, addresses, None, config, settings, output).await
}

async fn listen(
    arguments: &ServerArguments,
    addresses: Addresses,
    jobs: Option<&Path>,
    config: Config,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    check_keys(arguments.keys.as_deref())?;
    let keys = open_keys(arguments.keys.as_deref(), settings)?;
    let needs_key = keys.are_needed();
    let named = [addresses.http, addresses.bolt].into_iter().flatten();
    let open = named.map(|(address, _)| address).find(|address| !address.ip().is_loopback());
    if let Some(address) = open.filter(|_| !needs_key && !arguments.insecure) {
        let message = format!(
            "{address} can be reached from other machines, and without keys anyone could read and delete everything; \
             create a key with `quiver keys create NAME`, or allow this with --insecure"
        );
        return Err(Failed::usage(message).into());
    }
    let tls = match (&arguments.tls_cert, &arguments.tls_key) {
        (Some(certificate), Some(key)) => {
            let tls = Tls::open(certificate, key).map_err(|error| Failed::usage(error.to_string()))?;
            Some(Arc::new(tls))
        }
        _ => None,
    };
    let (scheme, bolt_scheme) = if tls.is_some() { ("https", "bolt+s") } else { ("http", "bolt") };
    // If the port is taken, no database is left behind. Clients that connect meanwhile are answered once it is open.
    let network = bind_some(addresses.http).await?;
    let bolt = bind_some(addresses.bolt).await?;
    let is_new = database::is_missing(settings)?;
    let quiver = database::open_or_create(settings).await?;
    if let Place::Directory(path) = &settings.place
        && is_new
    {
        note(&format!("there was no database in {}; an empty one was created", path.display()));
    }
    let config = Config {
        tls,
        jobs: open_jobs(jobs, settings)?,
        workspace: settings.workspace.clone(),
        ask: options(settings),
        requests_per_minute: arguments.requests_per_minute,
        time_max: Duration::from_secs(arguments.question_seconds),
        queue_time_max: Duration::from_millis(arguments.queue_ms),
        questions_at_once: arguments.questions_at_once.map_or(config.questions_at_once, usize::from),
        ..config
    };
    #[cfg(unix)]
    let socket = listen_in_directory(settings);
    let http = network.as_ref().map(|listener| (scheme, listener));
    let mut told = http.into_iter().chain(bolt.as_ref().map(|listener| (bolt_scheme, listener)));
    if let Some(first) = told.next() {
        let address = announce(first, told.next(), needs_key, output)?;
        if !output.is_json() {
            if http.is_some() {
                note(&format!("open it in a browser; agents connect to {address}/mcp"));
            }
            if !needs_key {
                note(
                    "anyone who can reach this address can use it; `quiver keys create NAME` creates a key, and then every request needs one",
                );
            }
        }
    }
    let server = Server::with_commands(quiver, keys, config, host(settings));
    let mut listeners = Listeners { network, ..Listeners::default() };
    answer_bolt(&mut listeners, bolt);
    #[cfg(unix)]
    let path = socket.map(|(path, socket)| {
        listeners.socket = Some(socket);
        path
    });
    server.serve_on(listeners, interrupted(output.is_json())).await;
    // The next command opens the directory itself; a leftover socket does not answer.
    #[cfg(unix)]
    let _ = path.map(std::fs::remove_file);
    Ok(Exit::Done)
}

async fn bind_some(named: Option<(SocketAddr, &str)>) -> Result<Option<TcpListener>> {
    match named {
        Some((address, name)) => bind(address, name).await.map(Some),
        None => Ok(None),
    }
}

/// Returns the address for Neo4j drivers.
#[cfg(feature = "bolt")]
fn bolt_address(arguments: &ServeArguments) -> Option<SocketAddr> {
    arguments.bolt
}

#[cfg(not(feature = "bolt"))]
fn bolt_address(_: &ServeArguments) -> Option<SocketAddr> {
    None
}

#[cfg(feature = "bolt")]
fn bolt_agent(arguments: &ServeArguments) -> Option<String> {
    arguments.bolt_agent.clone()
}

#[cfg(not(feature = "bolt"))]
fn bolt_agent(_: &ServeArguments) -> Option<String> {
    None
}

#[cfg(feature = "bolt")]
fn answer_bolt(listeners: &mut Listeners, bolt: Option<TcpListener>) {
    listeners.bolt = bolt;
}

#[cfg(not(feature = "bolt"))]
fn answer_bolt(_: &mut Listeners, _: Option<TcpListener>) {}

/// Binds an address that was given by an argument.
pub(super) async fn bind(address: SocketAddr, argument: &str) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let message = format!("can't listen on {address}: {error}; choose another address with {argument}");
        Failed::usage(message).into()
    })
}

/// Prints the address, and the one for Bolt, and returns the first. From now on a signal shuts the server down
/// properly.
pub(super) fn announce(
    first: (&str, &TcpListener),
    bolt: Option<(&str, &TcpListener)>,
    needs_key: bool,
    output: &mut Output,
) -> Result<String> {
    let address_of = |(scheme, listener): (&str, &TcpListener)| {
        let address = listener.local_addr().context("the address is unknown")?;
        anyhow::Ok(format!("{scheme}://{address}"))
    };
    let address = address_of(first)?;
    let bolt = bolt.map(address_of).transpose()?;
    interrupt::handle();
    if output.is_json() {
        output.document(Listening { address: address.clone(), bolt, needs_key })?;
    } else {
        output.line(format_args!("listening on {address}"))?;
        if let Some(bolt) = bolt {
            output.line(format_args!("listening on {bolt}"))?;
        }
        output.finish()?;
    }
    Ok(address)
}

/// Serves until the process is interrupted. `json` sets how the end is reported.
pub(super) async fn until_interrupted(server: Server, listener: TcpListener, json: bool) {
    server.serve(listener, interrupted(json)).await;
}

/// Waits until the server should stop.
async fn interrupted(json: bool) {
    interruption().await;
    note("stopping after the current requests; interrupt again to abort");
    tokio::spawn(async move {
        interruption().await;
        interrupt::end(json, "aborted");
    });
}

/// Opens an address in the desktop's browser, if there is one.
pub(super) fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let quiet = || std::process::Stdio::null();
    let started = std::process::Command::new(program)
        .arg(address)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    // It ends by itself. Without a desktop, the printed address has to do.
    drop(started);
}

/// Listens on a socket in the directory of the database, for the commands that would open it.
#[cfg(unix)]
fn listen_in_directory(settings: &Settings) -> Option<(PathBuf, tokio::net::UnixListener)> {
    let Place::Directory(path) = &settings.place else { return None };
    let path = quiver_server::socket_of(path, &settings.prefix);
    match quiver_server::listen_on_socket(&path) {
        Ok(socket) => Some((path, socket)),
        Err(error) => {
            tracing::warn!(
                "commands can't use the directory while this server runs: {}: {error}",
                path.display()
            );
            None
        }
    }
}

#[derive(Serialize)]
struct Checked {
    ready: bool,
}

/// Asks a running server whether it is ready. If a certificate is given, it must be the server's.
async fn check(arguments: &ServeArguments, output: &mut Output) -> Result<Exit> {
    let address = arguments.listen;
    let asked = async {
        let mut client = match &arguments.server.tls_cert {
            Some(certificate) => {
                let trust = Trust::Certificate(certificate.clone());
                Connection::connect_trusting(&format!("https://{address}"), &trust).await?
            }
            None => Connection::connect(&format!("http://{address}")).await?,
        };
        client.get::<serde_json::Value>("/readyz").await
    };
    let ready = match timeout(CHECK_TIME_MAX, asked).await {
        Ok(Ok(_)) => true,
        // The server answers that it is not ready.
        Ok(Err(error)) if error.status().is_some() => false,
        Ok(Err(error)) => {
            note(&error.to_string());
            false
        }
        Err(_) => {
            note(&format!("{address} does not respond"));
            false
        }
    };
    if output.is_json() {
        output.document(Checked { ready })?;
    } else {
        output.line(if ready { "ready" } else { "not ready" })?;
    }
    Ok(if ready { Exit::Done } else { Exit::Negative })
}

/// A key as `quiver keys` prints it.
#[derive(Serialize)]
struct KeyForm {
    id: String,
    name: String,
    role: &'static str,
    /// An empty list means all.
    workspaces: Vec<String>,
    created: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl KeyForm {
    fn of(key: &Key, secret: Option<String>) -> Self {
        Self {
            id: key.id.clone(),
            name: key.name.clone(),
            role: key.role.word(),
            workspaces: key.workspaces.clone(),
            created: key.created,
            key: secret,
        }
    }
}

#[derive(Serialize)]
struct KeyList {
    keys: Vec<KeyForm>,
}

#[derive(Serialize)]
struct Revoked {
    revoked: bool,
}

pub(super) fn keys(arguments: &KeysArguments, settings: &Settings, output: &mut Output) -> Result<Exit> {
    if let (None, Place::Directory(directory)) = (&arguments.keys, &settings.place) {
        database::check_directory(directory, &settings.prefix)?;
    }
    if !matches!(arguments.command, KeysCommand::Create { .. }) {
        check_keys(arguments.keys.as_deref())?;
    }
    let keys = open_keys(arguments.keys.as_deref(), settings)?;
    match &arguments.command {
        KeysCommand::Create { name, role, workspaces } => {
            let workspaces: Vec<Workspace> = workspaces
                .iter()
                .map(|name| Workspace::new(name).map_err(|error| Failed::usage(error.to_string())))
                .collect::<Result<_, _>>()?;
            let created = keys.create(name, (*role).into(), &workspaces);
            let (key, secret) = created.map_err(|error| match error.kind() {
                ErrorKind::InvalidInput | ErrorKind::AlreadyExists => Failed::usage(error.to_string()),
                _ => Failed::database(error.to_string()),
            })?;
            if output.is_json() {
                output.document(KeyForm::of(&key, Some(secret)))?;
            } else {
                output.line(&secret)?;
                note(&format!("this is the key {}; it is not shown again", key.id));
            }
            Ok(Exit::Done)
        }
        KeysCommand::List => {
            let list = keys.list();
            if output.is_json() {
                output.document(KeyList { keys: list.iter().map(|key| KeyForm::of(key, None)).collect() })?;
                return Ok(Exit::Done);
            }
            for key in &list {
                let workspaces = match key.workspaces.as_slice() {
                    [] => "all workspaces".to_owned(),
                    some => some.join(", "),
                };
                let created = Moment(key.created);
                let (id, role, name) = (&key.id, key.role.word(), &key.name);
                output.line(format_args!("{id}  {role:<5}  {created}  {name}  [{workspaces}]"))?;
            }
            note(&count(list.len(), "key"));
            Ok(Exit::Done)
        }
        KeysCommand::Revoke { id } => {
            let revoked = keys.revoke(id).map_err(|error| Failed::database(error.to_string()))?;
            if output.is_json() {
                output.document(Revoked { revoked })?;
            } else if revoked {
                output.line(format_args!("revoked {id}"))?;
            }
            if !revoked {
                note(&format!("there is no key {id:?}; `quiver keys list` lists them"));
            }
            Ok(if revoked { Exit::Done } else { Exit::Negative })
        }
    }
}

/// Returns what runs the commands of other processes.
pub(super) fn host(settings: &Settings) -> Box<dyn Commands> {
    Box::new(Host(settings.clone()))
}

/// Opens the directory of jobs. If the database is on a Qdrant server, there are none unless a directory is named,
/// since other servers may use it too.
fn open_jobs(directory: Option<&Path>, settings: &Settings) -> Result<Option<Arc<Jobs>>> {
    let directory = match (directory, &settings.place) {
        (Some(directory), _) => directory.to_owned(),
        (None, Place::Directory(path)) => path.join(format!("{}.jobs", settings.prefix)),
        (None, _) => return Ok(None),
    };
    let jobs = Jobs::open(directory)
        .map_err(|error| Failed::usage(format!("{error}; --jobs names another directory")))?;
    Ok(Some(Arc::new(jobs)))
}

/// Fails if the named file of keys does not exist: without keys, the server would accept everyone.
fn check_keys(file: Option<&Path>) -> Result<()> {
    match file {
        Some(file) if !file.exists() => {
            let name = file.display();
            let message = format!(
                "there is no key file {name}; check the path, or create the file with `quiver keys create NAME --keys {name}`"
            );
            Err(Failed::usage(message).into())
        }
        _ => Ok(()),
    }
}

/// Opens the file of keys, whether it exists or not.
pub(super) fn open_keys(file: Option<&Path>, settings: &Settings) -> Result<Keys> {
    let file = match (file, &settings.place) {
        (Some(file), _) => file.to_owned(),
        (None, Place::Directory(path)) => path.join("server.keys"),
        (None, _) => PathBuf::from("quiver.keys"),
    };
    Keys::open(file).map_err(|error| Failed::usage(error.to_string()).into())
}
