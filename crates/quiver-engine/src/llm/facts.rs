//! Reads facts from turns with a language model, in addition to the rules.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use quiver_memory::reader::{FactReader, ReadTurn, TurnToRead};
use quiver_models::{
    ErrorKind,
    chat::{ChatModel, ChatReply},
};

use crate::{
    llm::{ChatJob, ChatOptions, Llm},
    prompt::{PROMPTS, ReadFacts, facts_request, read_facts},
};

/// Number of earlier turns shown with the turns to read.
const TURNS_BEFORE: usize = 4;
/// Maximum number of problems listed per reply.
const PROBLEMS_SHOWN: usize = 4;

/// A fact reader that asks a language model, with concurrent calls.
///
/// Each call is about turns of one session. If a reply has nothing readable about a turn, the turn has no facts of the
/// model. The same applies if the call fails, but then the turn may be read again. Once the model can't be reached or is
/// too slow, the calls that have not begun are not made: each would make its caller wait.
#[derive(Debug)]
pub(crate) struct ModelFactReader {
    chat: Arc<dyn ChatModel>,
    options: Arc<ChatOptions>,
}

impl ModelFactReader {
    pub(crate) fn new(llm: &Llm) -> Self {
        Self { chat: Arc::clone(llm.model_for(ChatJob::Facts)), options: Arc::clone(&llm.options) }
    }

    /// Reads a group of turns in one call, or one call per turn if the group exceeds the model's context window.
    async fn read_group(&self, group: &[TurnToRead<'_>], is_down: &AtomicBool) -> Vec<ReadTurn> {
        let reply = self.ask(group, is_down).await;
        match reply {
            Err((_, ErrorKind::Limit)) if group.len() > 1 => {
                let mut turns = Vec::with_capacity(group.len());
                for alone in group.chunks(1) {
                    turns.extend(self.read_reply(alone, self.ask(alone, is_down).await));
                }
                turns
            }
            reply => self.read_reply(group, reply),
        }
    }

    async fn ask(
        &self,
        group: &[TurnToRead<'_>],
        is_down: &AtomicBool,
    ) -> Result<ChatReply, (String, ErrorKind)> {
        if is_down.load(Ordering::Relaxed) {
            return Err(("an earlier call failed".to_owned(), ErrorKind::Unavailable));
        }
        self.chat.chat(&facts_request(group)).await.map_err(|error| {
            if error.kind() != ErrorKind::Limit {
                is_down.store(true, Ordering::Relaxed);
            }
            (error.to_string(), error.kind())
        })
    }

    fn read_reply(
        &self,
        group: &[TurnToRead<'_>],
        reply: Result<ChatReply, (String, ErrorKind)>,
    ) -> Vec<ReadTurn> {
        let reply = match reply {
            Ok(reply) => reply,
            Err((why, _)) => {
                let why = format!("{} failed: {why}", self.chat.model());
                return group.iter().map(|_| ReadTurn::failed(why.clone(), false)).collect();
            }
        };
        let ReadFacts { turns, problems } = read_facts(&reply, group);
        let why: Vec<String> = problems.iter().take(PROBLEMS_SHOWN).map(ToString::to_string).collect();
        let why = format!("the reply of {} can't be read: {}", self.chat.model(), why.join("; "));
        let turns = turns.into_iter().map(|turn| match turn {
            Some(turn) => self.signed(turn),
            None => ReadTurn::failed(why.clone(), true),
        });
        turns.collect()
    }

    /// Notes in each fact which model read it.
    fn signed(&self, mut turn: ReadTurn) -> ReadTurn {
        for fact in &mut turn.facts {
            fact.reader = Some(self.chat.model().to_owned());
        }
        turn
    }
}

/// Returns the turns of each call: consecutive turns of one session.
fn groups<'t, 'a>(turns: &'t [TurnToRead<'a>], size: usize) -> Vec<&'t [TurnToRead<'a>]> {
    let sessions = turns.chunk_by(|one, next| one.session == next.session);
    sessions.flat_map(|session| session.chunks(size.max(1))).collect()
}

#[async_trait]
impl FactReader for ModelFactReader {
    fn fingerprint(&self) -> String {
        format!("{PROMPTS} with {}", self.chat.model())
    }

    fn turns_before(&self) -> usize {
        TURNS_BEFORE
    }

    async fn read(&self, turns: &[TurnToRead<'_>]) -> Vec<ReadTurn> {
        let is_down = AtomicBool::new(false);
        let groups = groups(turns, self.options.passages_per_call);
        let calls: Vec<_> = groups.into_iter().map(|group| self.read_group(group, &is_down)).collect();
        let read: Vec<Vec<ReadTurn>> =
            stream::iter(calls).buffered(self.options.calls_at_once.max(1)).collect().await;
        read.into_iter().flatten().collect()
    }
}
