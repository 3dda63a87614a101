//! The tools where a `quiver serve` holds the directory: messages go to it over its socket. Once it has ended, this
//! process answers them itself.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Result;
use quiver_server::{Client, ClientError};
use quiver_tools::{Message, Offered, Tools};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdout},
    task::JoinSet,
};

use crate::{
    Exit,
    settings::{Place, Settings},
};

/// The way to the process that holds the directory.
pub(super) struct Relay {
    socket: PathBuf,
    workspace: String,
    path: &'static str,
    tools: Tools,
    /// The version of the protocol that the client and the tools agreed upon.
    version: Mutex<Option<String>>,
    output: tokio::sync::Mutex<Stdout>,
}

impl Relay {
    /// Finds the process that holds the directory, if one answers.
    pub(super) async fn find(settings: &Settings, offered: Offered, tools: &Tools) -> Option<Self> {
        let Place::Directory(directory) = &settings.place else { return None };
        let socket = quiver_server::socket_of(directory, &settings.prefix);
        Client::connect_socket(&socket).await.ok()?;
        Some(Self {
            socket,
            workspace: settings.workspace.as_str().to_owned(),
            path: if offered == Offered::All { "/mcp?tools=all" } else { "/mcp" },
            tools: tools.clone(),
            version: Mutex::default(),
            output: tokio::sync::Mutex::new(tokio::io::stdout()),
        })
    }

    /// Answers the lines of standard input until it is closed.
    pub(super) async fn serve(self) -> Result<Exit> {
        let relay = Arc::new(self);
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        let mut under_way = JoinSet::new();
        while let Some(line) = lines.next_line().await? {
            while under_way.try_join_next().is_some() {}
            let relay = Arc::clone(&relay);
            if !line.trim().is_empty() {
                under_way.spawn(async move { relay.reply(&line).await });
            }
        }
        while under_way.join_next().await.is_some() {}
        Ok(Exit::Done)
    }

    async fn reply(&self, line: &str) {
        let reply = match serde_json::from_str(line) {
            Ok(message) => self.answer(message).await,
            Err(error) => Some(failed(&Value::Null, -32700, &format!("this is no JSON: {error}"))),
        };
        let Some(reply) = reply else { return };
        if let Some(version) = reply["result"]["protocolVersion"].as_str() {
            *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
        }
        let line = format!("{reply}\n");
        let mut output = self.output.lock().await;
        // A client that has gone doesn't listen.
        if output.write_all(line.as_bytes()).await.is_ok() {
            let _ = output.flush().await;
        }
    }

    async fn answer(&self, message: Value) -> Option<Value> {
        let version = self.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Ok(client) = Client::connect_socket(&self.socket).await {
            let mut client = client.in_workspace(&self.workspace);
            return match client.exchange(self.path, &message, version.as_deref()).await {
                Ok(reply) => reply,
                Err(
                    ClientError::Unreachable(why) | ClientError::Refused(_, why) | ClientError::Broken(why),
                ) => {
                    let id = message.get("id")?;
                    Some(failed(id, -32603, &why))
                }
            };
        }
        let version = version.and_then(|version| Message::version(&version).ok());
        match Message::read(message, version) {
            Message::Call(call) => Some(self.tools.answer(*call).await),
            Message::Notice => None,
            Message::Unreadable(reply) => Some(reply),
        }
    }
}

fn failed(id: &Value, code: i32, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
}
