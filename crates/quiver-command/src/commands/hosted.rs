//! Commands that `quiver serve` runs for other processes.

use std::{collections::BTreeSet, ffi::OsString};

use async_trait::async_trait;
use quiver::{Quiver, cypher::Query};
use quiver_forms::command::{Ran, Run};
use quiver_server::{Command as Hosted, Commands, Role};
use serde_json::Value;

use crate::{
    Arguments, Exit,
    arguments::{Command, DecideCommand, SchemaCommand},
    caller::Caller,
    exit::Failed,
    mend::rendered,
    output::Output,
    settings::{Layer, Settings},
};

/// Returns the role that a key needs for a command that another process can run. Returns `None` for commands that work
/// on local files and terminals.
pub(super) fn role(command: &Command) -> Option<Role> {
    let by_whether = |writes: bool| Some(if writes { Role::Write } else { Role::Read });
    match command {
        Command::Ask { html: None, .. }
        | Command::Search(_)
        | Command::Context(_)
        | Command::Documents
        | Command::Stats
        | Command::Recall(_)
        | Command::Schema { command: SchemaCommand::Show }
        | Command::Decide { decision: DecideCommand::List }
        | Command::Suggest(_)
        | Command::Facts(_) => Some(Role::Read),
        Command::Query(query) => {
            let writes = query.text().is_none_or(|text| Query::parse(text).is_ok_and(|query| query.writes()));
            by_whether(writes && !query.read_only)
        }
        Command::Sessions(sessions) => by_whether(sessions.archive.is_some()),
        Command::Forget(forget) => by_whether(!forget.dry_run),
        Command::Chat(_) | Command::Delete(_) | Command::Remember(_) | Command::Decide { .. } => {
            Some(Role::Write)
        }
        Command::Verify(verify) if !verify.repair => Some(Role::Admin),
        Command::Compact => Some(Role::Admin),
        _ => None,
    }
}

/// Runs the commands of a server with these settings.
pub(super) struct Host(pub(super) Settings);

/// A parsed command.
struct Read {
    arguments: Arguments,
    settings: Settings,
    role: Role,
    run: Run,
}

impl Commands for Host {
    fn read(&self, run: Run) -> Result<Box<dyn Hosted>, Ran> {
        let typed: Vec<OsString> = std::iter::once("quiver")
            .chain(run.arguments.iter().map(String::as_str))
            .map(OsString::from)
            .collect();
        let arguments = Arguments::read(&typed).map_err(|mut error| Ran {
            notes: vec![rendered(&mut error)],
            exit: Exit::Usage as u8,
            ..Ran::default()
        })?;
        let refused = |failed: Failed| refused(arguments.shared.json, failed);
        let Some(role) = role(&arguments.command) else {
            return Err(refused(Failed::usage(
                "this command works on local files and can't run on a server".to_owned(),
            )));
        };
        let flags = Layer::of_arguments(&arguments);
        flags.check().map_err(refused)?;
        let settings = Settings {
            profile: flags.profile.unwrap_or(self.0.profile),
            passages: flags.passages.or(self.0.passages),
            hops: flags.hops.or(self.0.hops),
            confidence_min: flags.confidence_min.or(self.0.confidence_min),
            restated: flags.restated.unwrap_or(self.0.restated),
            ..self.0.clone()
        };
        Ok(Box::new(Read { arguments, settings, role, run }))
    }
}

/// Returns the output of a command that is not started.
fn refused(json: bool, failed: Failed) -> Ran {
    let error = failed.into();
    let mut output = Output::kept(json);
    let note = output.error_document(&error);
    Ran { output: output.into_text(), notes: vec![note], exit: Exit::of(&error) as u8 }
}

#[async_trait]
impl Hosted for Read {
    fn role(&self) -> Role {
        self.role
    }

    fn sessions(&self) -> BTreeSet<String> {
        let named = |session: Option<&String>, usual: &str| session.map_or(usual, String::as_str).to_owned();
        match &self.arguments.command {
            Command::Chat(chat) => BTreeSet::from([named(chat.session.as_ref(), "chat")]),
            Command::Remember(remember) => {
                let of_line = |line: &str| {
                    let line: Value = serde_json::from_str(line).ok()?;
                    Some(line.get("session")?.as_str()?.to_owned())
                };
                let lines = self.run.input.as_deref().unwrap_or_default().lines();
                let usual = named(remember.session.as_ref(), "");
                lines.filter_map(of_line).chain([usual]).collect()
            }
            _ => BTreeSet::new(),
        }
    }

    fn rebuilds(&self) -> bool {
        match &self.arguments.command {
            Command::Delete(_) | Command::Compact | Command::Forget(_) => true,
            Command::Sessions(sessions) => sessions.archive.is_some(),
            _ => false,
        }
    }

    async fn run(self: Box<Self>, quiver: Quiver, is_bound: bool) -> Ran {
        let Self { arguments, mut settings, run, .. } = *self;
        settings.opened = Some(quiver);
        let mut output = Output::kept(arguments.shared.json);
        let caller = Caller::new(run.input, run.paths, is_bound);
        let work = Box::pin(async {
            let ended = super::run(&arguments.command, &settings, &mut output).await;
            ended.unwrap_or_else(|error| {
                output.error(&error);
                Exit::of(&error)
            })
        });
        let (exit, notes) = caller.run(work).await;
        Ran { output: output.into_text(), notes, exit: exit as u8 }
    }
}
