//! Commands that run on a `quiver serve`: the one that `--server` names, or the one that holds the directory.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::File,
    io::{self, IsTerminal as _, Read as _},
    path::Path,
};

use anyhow::Result;
use clap::ValueEnum;
use quiver_forms::command::{Ran, Run};
use quiver_server::{Connection, Directory, Error, ErrorKind};
use serde::{Serialize, de::DeserializeOwned};

use super::{hosted::role, lines::text_of_all, place};
use crate::{
    Arguments, Exit,
    arguments::{Command, Profile, Restated, SearchArguments},
    database,
    exit::Failed,
    output::{Output, note},
    settings::{Place, Settings},
};

/// A server that runs a command, or the process that has the directory of the database open.
pub(crate) struct Reached {
    connection: Connection,
    /// The directory that the other process has open. If it ends first, another process takes the directory, which may
    /// be this one.
    directory: Option<Directory>,
}

impl Reached {
    /// Posts a form that does nothing twice if it is sent again.
    pub(super) async fn post<T: DeserializeOwned>(
        &mut self,
        path: &str,
        form: &impl Serialize,
    ) -> Result<T, Failed> {
        self.post_if(path, form, |_| true).await
    }

    /// Runs a command.
    pub(super) async fn send(&mut self, run: &Run) -> Result<Ran, Failed> {
        self.post_if("/v1/command", run, Error::is_unsent).await
    }

    /// Posts a form, and sends it again if the process at the other end has ended and the error allows it.
    async fn post_if<T: DeserializeOwned>(
        &mut self,
        path: &str,
        form: &impl Serialize,
        may_repeat: fn(&Error) -> bool,
    ) -> Result<T, Failed> {
        let mut attempts = self.directory.as_ref().map(Directory::attempts);
        loop {
            let error = match self.connection.post(path, form).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let Some(attempts) = attempts.as_mut().filter(|_| may_repeat(&error)) else {
                return Err(failed(error));
            };
            attempts.check(error).map_err(failed)?;
            let Some(connection) = attempts.connect().await.map_err(failed)? else {
                return Err(Failed::database("the process that had the directory open has ended; try again"));
            };
            self.connection.go_on_over(connection);
        }
    }

    /// Releases the directory if this process has taken it.
    pub(super) async fn end(&self) {
        if let Some(directory) = &self.directory {
            directory.end().await;
        }
    }
}

/// Connects to the server that should run a command, if any. Otherwise this process opens the database.
pub(crate) async fn find(arguments: &Arguments, settings: &Settings) -> Result<Option<Reached>> {
    let command = &arguments.command;
    let is_ingest = matches!(command, Command::Ingest(ingest) if !ingest.dry_run);
    if role(command).is_none() && !is_ingest {
        let opens = !matches!(
            command,
            Command::Demo { .. }
                | Command::Keys(_)
                | Command::ReadUntrusted { .. }
                | Command::Completions { .. }
        );
        return match settings.place {
            Place::Remote(_) if opens => Err(database::not_over_a_server().into()),
            _ => Ok(None),
        };
    }
    let shared = &arguments.shared;
    let of_the_server = [
        ("--embedder", shared.embedder.is_some()),
        ("--chat", shared.chat.is_some()),
        ("--chat-for", shared.chat_for.is_some()),
        ("--rerank", shared.rerank.is_some()),
        ("--prefix", shared.prefix.is_some() && matches!(settings.place, Place::Remote(_))),
    ];
    let other = of_the_server.iter().find(|(_, is_given)| *is_given).map(|(flag, _)| *flag);
    let is_typed = match command {
        Command::Chat(_) => io::stdin().is_terminal() && io::stdout().is_terminal(),
        Command::Query(query) => query.is_typed(),
        _ => false,
    };
    let client = match &settings.place {
        Place::Remote(remote) => {
            if let Some(flag) = other {
                let message =
                    format!("{flag} can't be used over a server: start it with `quiver serve {flag} …`");
                return Err(Failed::usage(message).into());
            }
            if is_typed {
                let message = "an interactive conversation or prompt needs to open the database itself; over a server, \
                               pipe the lines: `printf '%s\\n' \"Who runs Redis?\" | quiver chat`";
                return Err(Failed::usage(message).into());
            }
            let client = Connection::connect(&remote.url).await.map_err(failed)?;
            match &remote.key {
                Some(key) => client.with_key(key.reveal()),
                None => client,
            }
        }
        #[cfg(unix)]
        Place::Directory(directory) => {
            let socket = quiver_server::socket_of(directory, &settings.prefix);
            if other.is_some() || is_typed || !socket.exists() {
                return Ok(None);
            }
            // The socket of a killed process does not answer.
            let Ok(mut client) = Connection::connect_socket(&socket).await else { return Ok(None) };
            // An application releases the directory once it does not use it.
            if !client.runs_commands().await.unwrap_or_default() {
                return Ok(None);
            }
            let connection = client.in_workspace(settings.workspace.as_str());
            return Ok(Some(Reached { connection, directory: super::own::directory(settings) }));
        }
        _ => return Ok(None),
    };
    let workspace = settings.workspace_is_set.then(|| settings.workspace.as_str());
    let connection = match workspace {
        Some(workspace) => client.in_workspace(workspace),
        None => client,
    };
    Ok(Some(Reached { connection, directory: None }))
}

/// Runs a command on a server, and prints its output.
pub(crate) async fn run(
    reached: &mut Reached,
    arguments: &Arguments,
    typed: &[OsString],
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let words = typed.iter().skip(1).map(|word| {
        let word = word.to_str();
        word.map(str::to_owned).ok_or_else(|| Failed::usage("an argument is not valid Unicode"))
    });
    let mut words = words.collect::<Result<Vec<String>, _>>()?;
    add_settings(&arguments.command, settings, &mut words);
    let run = Run { arguments: words, input: input(&arguments.command)?, paths: paths(&arguments.command) };
    let ran = reached.send(&run).await?;
    output.pass_on(&ran.output)?;
    ran.notes.iter().for_each(|text| note(text));
    Ok(Exit::of_code(ran.exit))
}

/// Converts an error of the connection to the failure of this process.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: Error) -> Failed {
    let why = error.message();
    match (error.status(), error.kind()) {
        (Some(400), _) => Failed::usage(why),
        (Some(413), _) => Failed::input(why),
        (_, ErrorKind::Interrupted) if error.is_unsent() => {
            Failed::database(format!("{why}; the command has not run; try again"))
        }
        (_, ErrorKind::Interrupted) => {
            Failed::database(format!("{why}; the command may have run; it is safe to retry"))
        }
        _ => Failed::database(why),
    }
}

/// Adds the settings of this process that are flags of the command, since the server has its own.
fn add_settings(command: &Command, settings: &Settings, words: &mut Vec<String>) {
    if let Command::Recall(recall) = command {
        let is_usual = settings.restated == Restated::default();
        let word = settings.restated.to_possible_value().filter(|_| recall.restated.is_none() && !is_usual);
        if let (Some(word), Some(at)) = (word, words.iter().position(|word| word == "recall")) {
            words.insert(at + 1, format!("--restated={}", word.get_name()));
        }
        return;
    }
    let (name, asks) = match command {
        Command::Ask { .. } => ("ask", true),
        Command::Search(_) => ("search", true),
        Command::Context(_) => ("context", false),
        Command::Chat(_) => ("chat", false),
        _ => return,
    };
    let (profile, passages, hops, least) = match command {
        Command::Ask { arguments: ask, .. } | Command::Search(SearchArguments { ask, .. }) => {
            (ask.profile, ask.passages, ask.hops, ask.confidence_min)
        }
        Command::Context(context) => (context.profile, context.passages, None, None),
        Command::Chat(chat) => (chat.profile, chat.passages, None, None),
        _ => return,
    };
    let mut flags = Vec::new();
    let mut add = |flag: &str, value: Option<String>| {
        flags.extend(value.map(|value| format!("{flag}={value}")));
    };
    let own = settings.profile;
    let is_usual = own == Profile::default();
    let word = own.to_possible_value().filter(|_| profile.is_none() && !is_usual);
    add("--profile", word.map(|word| word.get_name().to_owned()));
    add("--passages", settings.passages.filter(|_| passages.is_none()).map(|number| number.to_string()));
    if asks {
        add("--hops", settings.hops.filter(|_| hops.is_none()).map(|number| number.to_string()));
        let own = settings.confidence_min.filter(|_| least.is_none());
        add("--confidence-min", own.map(|number| number.to_string()));
    }
    if let Some(at) = words.iter().position(|word| word == name) {
        let rest = words.split_off(at + 1);
        words.extend(flags.into_iter().chain(rest));
    }
}

/// Reads the input of the command here, for the process that runs it.
fn input(command: &Command) -> Result<Option<String>> {
    let unreadable = |name: &str, error: &io::Error| Failed::input(format!("{name} can't be read: {error}"));
    let all = |file: &Path| {
        let name = file.display().to_string();
        let mut text = String::new();
        let read = if file.as_os_str() == "-" {
            io::stdin().read_to_string(&mut text)
        } else {
            File::open(file).and_then(|mut file| file.read_to_string(&mut text))
        };
        read.map(|_| text).map_err(|error| unreadable(&name, &error))
    };
    Ok(match command {
        Command::Query(query) if query.text().is_none() => Some(all(Path::new("-"))?),
        Command::Chat(_) => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).map_err(|error| unreadable("-", &error))?;
            Some(text_of_all(&bytes))
        }
        Command::Remember(remember) => remember.from.as_deref().map(all).transpose()?,
        _ => None,
    })
}

/// Returns the absolute paths of arguments that may be paths.
fn paths(command: &Command) -> BTreeMap<String, String> {
    let keys = match command {
        Command::Delete(delete) => &delete.keys,
        Command::Ask { arguments: ask, .. } | Command::Search(SearchArguments { ask, .. }) => &ask.document,
        _ => return BTreeMap::new(),
    };
    keys.iter().filter_map(|key| Some((key.clone(), place(key)?))).collect()
}
