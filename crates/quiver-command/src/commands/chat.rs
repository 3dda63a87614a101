//! `quiver chat`: a conversation in the terminal, or over lines of standard input.

mod show;
mod stated;

use anyhow::Result;
use quiver::{
    AskOptions, Progress, Quiver,
    cypher::Options,
    query::QueryOptions,
    session::{FollowUp, Reply, Session, SessionOptions},
};

use crate::{
    Exit,
    arguments::ChatArguments,
    database, json,
    output::{Output, note},
    settings::{Place, Settings},
};

use super::{
    ask::{Told, options},
    lines::Lines,
    query,
};

/// The text of `/help`.
const HELP: &str = "\
Ask a question; follow up on it as you would with a person. What you state is noted.
  /why        shows how the last question was understood, and the path to its answer
  /trace      shows what each step did; `/trace on` and `/trace off` set it for every question
  /facts      shows the facts about the topic of the conversation; `/facts NAME` about another entity
  /cypher     shows the query that gave the answer, if any; `/cypher QUERY` runs a read-only query
  /as TEXT    asks the last question again, as TEXT
  /help       shows this list
  /quit       ends the conversation, like Ctrl-D";

/// The state of a conversation.
struct Chat<'a> {
    quiver: Quiver,
    session: Session,
    output: &'a mut Output,
    /// Whether every answer is printed with its trace.
    traces: bool,
    last: Option<Reply>,
}

/// Whether the conversation continues.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    End,
}

pub(super) async fn run(arguments: &ChatArguments, settings: &Settings, output: &mut Output) -> Result<Exit> {
    let quiver = database::open(settings).await?;
    let ask = AskOptions { asker: arguments.asker.clone(), ..options(settings) };
    let remember = settings.chat_remember;
    let session = SessionOptions { ask, background: true, remember, ..SessionOptions::default() };
    let name = arguments.session.clone().unwrap_or_else(|| "chat".to_owned());
    let session = quiver.session(name).with_options(session);
    let history = match &settings.place {
        Place::Directory(path) => Some(path.join("chat-history")),
        _ => None,
    };
    let mut lines = Lines::open(history);
    let mut chat = Chat { quiver, session, output, traces: arguments.trace, last: None };
    if lines.is_terminal() && !chat.output.is_json() {
        chat.greet().await?;
    }
    let ended = chat.hold(&mut lines).await;
    chat.session.close().await?;
    ended
}

impl Chat<'_> {
    async fn greet(&mut self) -> Result<()> {
        let turns = self.session.turns().await?.len();
        let name = self.session.name().to_owned();
        let before = match turns {
            0 => String::new(),
            turns => format!(" It continues after {}.", super::count(turns, "turn")),
        };
        self.output.line(format_args!("Session {name}.{before} /help lists the commands, /quit ends."))?;
        self.output.finish()?;
        Ok(())
    }

    async fn hold(&mut self, lines: &mut Lines) -> Result<Exit> {
        while let Some(line) = lines.next().await? {
            let next = match line.strip_prefix('/') {
                Some(command) => self.obey(command).await?,
                None => self.ask(FollowUp::new(line)).await?,
            };
            self.output.finish()?;
            if next == Next::End {
                break;
            }
        }
        Ok(Exit::Done)
    }

    async fn ask(&mut self, question: FollowUp) -> Result<Next> {
        let is_json = self.output.is_json();
        let mut told = (!is_json).then(|| Told::new(&mut *self.output));
        let reply = self
            .session
            .ask(question)
            .on_progress(|progress| {
                if let (Progress::Sentence(sentence), Some(told)) = (progress, &mut told) {
                    told.tell(sentence);
                }
            })
            .await;
        let reply = match reply {
            Ok(reply) => reply,
            // An invalid question must not end the conversation.
            Err(error) if error.kind() == quiver::ErrorKind::Invalid => {
                note(&error.to_string());
                return Ok(Next::GoOn);
            }
            Err(error) => return Err(error.into()),
        };
        if let (Some(told), Some(answer)) = (told, &reply.answer) {
            told.end(answer)?;
        }
        if is_json {
            self.output.json_line(json::chat::Replied::of(&reply, self.traces))?;
        } else {
            show::reply(&reply, self.output)?;
            if self.traces {
                show::trace(&reply, self.output)?;
            }
        }
        self.last = Some(reply);
        Ok(Next::GoOn)
    }

    async fn obey(&mut self, command: &str) -> Result<Next> {
        let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let rest = rest.trim();
        match (word, &self.last) {
            ("quit" | "exit" | "q", _) => return Ok(Next::End),
            ("help" | "?", _) => self.output.line(HELP)?,
            ("trace", _) if rest == "on" || rest == "off" => {
                self.traces = rest == "on";
                self.output.line(format_args!(
                    "Every answer is now shown {} its trace.",
                    if self.traces { "with" } else { "without" }
                ))?;
            }
            ("facts", _) => {
                let about = if rest.is_empty() { self.topic().await? } else { Some(rest.to_owned()) };
                match about {
                    Some(about) => show::facts(&self.quiver, &about, self.output).await?,
                    None => self.output.line("The conversation has no topic yet; use /facts NAME.")?,
                }
            }
            ("cypher", _) if !rest.is_empty() => self.run(rest).await?,
            ("trace" | "why" | "as" | "cypher", None) => {
                self.output.line("No question has been asked yet.")?;
            }
            ("trace", Some(reply)) => show::trace(reply, self.output)?,
            ("why", Some(reply)) => show::why(&self.quiver, reply, self.output).await?,
            ("cypher", Some(reply)) => match reply.answer.as_ref().and_then(|answer| answer.query.as_ref()) {
                Some(query) => self.output.line(&query.reading.cypher)?,
                None => self.output.line("The last answer did not come from a query.")?,
            },
            ("as", Some(_)) if rest.is_empty() => {
                self.output.line("/as TEXT asks the last question again, as TEXT.")?;
            }
            ("as", Some(reply)) => {
                let question = FollowUp::new(&reply.read.question).standing_for(rest);
                return self.ask(question).await;
            }
            _ => self.output.line(format_args!("There is no command /{word}; /help lists the commands."))?,
        }
        Ok(Next::GoOn)
    }

    /// Runs a query that only reads.
    async fn run(&mut self, cypher: &str) -> Result<()> {
        let read_only = Options { read_only: true, ..Options::default() };
        let options = QueryOptions { cypher: read_only, why_empty: true, ..QueryOptions::default() };
        match self.quiver.query(cypher).options(options).await {
            Ok(queried) if self.output.is_json() => Ok(self.output.json_line(json::Queried::of(queried))?),
            Ok(queried) => query::write_table(&queried, self.output),
            Err(error) if error.kind() == quiver::ErrorKind::Invalid => {
                note(&error.to_string());
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the topic of the latest question that has one.
    async fn topic(&mut self) -> Result<Option<String>> {
        let turns = self.session.turns().await?;
        Ok(turns.iter().rev().find_map(|turn| turn.asked.first()).map(|topic| topic.name.clone()))
    }
}
