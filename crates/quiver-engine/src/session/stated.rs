//! Remembers what is stated in a conversation, and answers from it.

use std::fmt;

use quiver_graph::PassageId;
use quiver_language::word::{is_past, is_verb};
use quiver_memory::reader::TurnToRead;

use crate::{
    OnProgress, Progress, Result,
    answer::{Answer, Citation, answer_by_stated_facts},
    error::{Error, ErrorKind, Stage},
    memory::{Fact, RecalledFact, Recollection, Turn, facts_of, now},
    options::AskOptions,
    question::Question,
    understand::check_length,
};

use super::{
    Contextualised, Exchange, FollowUp, Referent, Reply, Session,
    lexicon::{is_auxiliary, is_first_or_second, is_question_word, is_request, pronoun},
    link::add,
    said::Said,
};

/// What a session noted of a statement.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Noted {
    /// The facts that the turn states.
    pub facts: Vec<Fact>,
    /// Whether a language model may read more facts from it in the background.
    pub is_read_on: bool,
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.facts[..], self.is_read_on) {
            ([], false) => {
                f.write_str("That is no question, and no fact was read from it, so nothing was noted.")
            }
            ([], true) => f.write_str("That is no question. The language model reads it for facts."),
            (facts, _) => {
                let facts: Vec<String> = facts.iter().map(phrase).collect();
                write!(f, "Noted: {}.", facts.join("; "))
            }
        }
    }
}

/// A fact in a few words: "Project Zeus depends on Kafka".
fn phrase(fact: &Fact) -> String {
    let Fact { subject, predicate, object, denied, .. } = fact;
    let first = predicate.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_clause = is_auxiliary(&first) || first.ends_with('s') && is_verb(&first);
    let joint = if is_clause { " " } else { ": " };
    let denied = if *denied { "no longer, or not: " } else { "" };
    format!("{denied}{subject}{joint}{predicate} {object}")
}

impl Session {
    /// Waits until the statements before are remembered, and returns what was lost.
    pub(super) async fn settle(&mut self) -> Option<String> {
        let mut lost = None;
        for noting in self.noting.drain(..) {
            let noted = noting.await.unwrap_or_else(|error| {
                let what = format!("a statement was not remembered: {error}");
                Err(Error::new(ErrorKind::Other, Stage::Remember, what))
            });
            if let Err(error) = noted {
                lost.get_or_insert_with(|| format!("a statement before was not remembered: {error}"));
                self.failed.get_or_insert(error);
            }
        }
        lost
    }

    fn remembers(&self) -> bool {
        self.options.remember && self.options.stored
    }

    /// Remembers a turn that is a statement, and says what was noted. Returns `None` if it is none.
    pub(super) async fn note(&mut self, turn: &FollowUp, options: &AskOptions) -> Result<Option<Reply>> {
        let said = Said::of_question(&turn.question);
        if !self.remembers() || turn.standalone.is_some() || !may_state(&said) {
            return Ok(None);
        }
        check_length(&said.text, Stage::Contextualise)?;
        self.load().await?;
        let last = self.exchanges.iter().flatten().last();
        let is_choice = last.is_some_and(|last| last.asks.is_some());
        let last = last.map_or(i64::MIN, |last| last.time);
        let time = turn.time.unwrap_or_else(|| now().max(last.saturating_add(1)));
        let speaker = options.asker.clone();
        let mut facts = self.facts_in(&said.text, speaker.as_deref(), time).await;
        let mut stated = Turn { speaker, time: Some(time), ..Turn::new(&self.name, &said.text) };
        if facts.is_empty() && !is_choice && refers_back(&said) {
            let read = self.contextualise(turn.question.as_str()).await?;
            if read.asks.is_none() && read.standalone != said.text {
                facts = self.facts_in(&read.standalone, stated.speaker.as_deref(), time).await;
                stated.facts = (!facts.is_empty()).then(|| facts.clone());
            }
        }
        let is_read_on = stated.facts.is_none() && self.quiver.model_fact_reader().is_some();
        let is_stated = !facts.is_empty() || !is_choice && is_statement(&said);
        if !is_stated {
            return Ok(None);
        }
        let noted = Noted { facts, is_read_on };
        if noted.facts.is_empty() && !is_read_on {
            return self.pass_over(turn, time, noted).await;
        }
        let exchange = exchange(&stated, &noted.facts, time);
        let read = Contextualised {
            question: turn.question.clone(),
            standalone: said.text,
            asked: exchange.asked.clone(),
            ..Contextualised::default()
        };
        let quiver = self.quiver.clone();
        let write = async move { quiver.remember([stated]).await.map(|_| ()) };
        if self.options.background {
            self.noting.push(tokio::spawn(write));
        } else {
            Box::pin(write).await?;
        }
        self.exchanges.get_or_insert_default().push(exchange);
        Ok(Some(Reply { read, answer: None, noted: Some(noted), number: 0 }))
    }

    /// Keeps a statement without facts as a turn of the conversation. If it has to be asked what it means, it is no
    /// statement.
    async fn pass_over(&mut self, turn: &FollowUp, time: i64, noted: Noted) -> Result<Option<Reply>> {
        let mut read = self.contextualise(turn.question.as_str()).await?;
        if read.asks.is_some() {
            return Ok(None);
        }
        let number = self.next_number();
        if let Err(error) = self.remember(&read, None, Some(time)).await {
            read.degraded.push(format!("the turn was not stored: {error}"));
            self.failed.get_or_insert(error);
        }
        Ok(Some(Reply { read, answer: None, noted: Some(noted), number }))
    }

    /// The facts of a text, as the fact reader reads them.
    async fn facts_in(&self, text: &str, speaker: Option<&str>, time: i64) -> Vec<Fact> {
        let turn = TurnToRead { text, speaker, time, session: &self.name, before: &[] };
        let read = self.quiver.fact_reader.read(&[turn]).await;
        facts_of(read.into_iter().next().unwrap_or_default().facts)
    }

    /// Answers a question from the facts that were stated in the session, if they answer it.
    pub(super) async fn answer_by_stated(
        &self,
        read: &Contextualised,
        options: &AskOptions,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<Answer>> {
        if !self.remembers() || read.is_unclear || options.is_limited() {
            return Ok(None);
        }
        let mut recall = self.quiver.recall(&read.standalone).only_facts().session(&self.name);
        if let Some(moment) = options.as_of {
            recall = recall.as_of(moment);
        }
        if let Some(moment) = options.now {
            recall = recall.now(moment);
        }
        let recalled = recall.await?;
        let is_own = |fact: &RecalledFact| fact.session.as_deref() == Some(&self.name) && fact.turn.is_some();
        if recalled.answer.is_none() || recalled.facts.is_empty() || !recalled.facts.iter().all(is_own) {
            return Ok(None);
        }
        let mut question = Question::new(&read.standalone).with_options(options.clone());
        question.beside.clone_from(&read.beside);
        let evidence = self.quiver.retrieve(question).on_progress(&mut *on_progress).await?;
        let answer = answer_by_stated_facts(evidence, &recalled, self.citations(&recalled));
        answer.sentences.iter().for_each(|sentence| on_progress(Progress::Sentence(sentence)));
        Ok(Some(answer))
    }

    fn citations(&self, recalled: &Recollection) -> Vec<Citation> {
        let workspace = self.quiver.graph.workspace();
        let cited = recalled.facts.iter().filter_map(|fact| {
            Some(Citation {
                passage: PassageId::of_turn(workspace, &self.name, fact.turn?),
                title: self.name.clone(),
                sentence: fact.sentence.clone(),
                value: Some(fact.object.clone()),
                path: Vec::new(),
                score: 1.0,
            })
        });
        let mut citations: Vec<Citation> = Vec::new();
        for one in cited {
            if !citations.iter().any(|known| known.sentence == one.sentence) {
                citations.push(one);
            }
        }
        citations
    }
}

/// The turn of a remembered statement. It counts as a question about the subjects of its facts.
fn exchange(stated: &Turn, facts: &[Fact], time: i64) -> Exchange {
    let (mut asked, mut answered) = (Vec::new(), Vec::new());
    for fact in facts {
        add(&mut asked, Referent { name: fact.subject.clone(), entity: None });
        add(&mut answered, Referent { name: fact.object.clone(), entity: None });
    }
    Exchange {
        time,
        speaker: stated.speaker.clone(),
        question: stated.text.clone(),
        standalone: stated.text.clone(),
        asked,
        answered,
        ..Exchange::default()
    }
}

/// Whether a turn may state something: nothing in it asks or requests.
fn may_state(said: &Said) -> bool {
    let is_asked = said.text.contains(['?', '？']) || said.tokens.iter().any(|token| token.is_asking);
    let asks_first = |at: usize| {
        let word = said.word(at);
        is_question_word(word) || is_auxiliary(word) || is_request(word) || word == "please"
    };
    // "That is wrong" asks nothing.
    let is_and = |word: &str| matches!(word, "and" | "but" | "or" | "so" | "then");
    let opens = |at: usize| {
        said.tokens[at].is_first && (asks_first(at) || is_and(said.word(at)) && asks_first(at + 1))
    };
    let last = said.tokens.len().saturating_sub(1);
    let ends_asking = is_question_word(said.word(last)) || said.word(last) == "please";
    !is_asked && !ends_asking && !said.tokens.is_empty() && !(0..said.tokens.len()).any(opens)
}

/// Whether a turn that may state something surely does: it is a sentence with a full stop, whose verb comes after its
/// subject, and it wishes for no answer.
fn is_statement(said: &Said) -> bool {
    let is_ended = said.text.ends_with(['.', '!']);
    let wishes = |token: &super::said::Token| is_request(&token.lower) || is_question_word(&token.lower);
    let first = said.word(0);
    let has_verb = (1..said.tokens.len()).any(|at| {
        let word = said.word(at);
        is_auxiliary(word) || !said.tokens[at].is_marked && is_past(word)
    });
    let is_command = is_verb(first) && !is_auxiliary(said.word(1));
    is_ended && has_verb && !is_command && !said.tokens.iter().any(wishes)
}

/// Whether a pronoun of a turn stands for something said before.
fn refers_back(said: &Said) -> bool {
    let is_third = |word: &str| pronoun(word).is_some() && !is_first_or_second(word);
    said.tokens.iter().any(|token| is_third(&token.lower))
}

#[cfg(test)]
mod tests {
    use super::{Fact, Noted, Said, is_statement, may_state};

    #[test]
    fn a_statement_is_told_from_a_question_or_request() {
        let is_stated = |text: &str| {
            let said = Said::of_question(text);
            may_state(&said) && is_statement(&said)
        };
        for text in [
            "Our Project Heron now runs on Postgres.",
            "The harbour office was moved to Turku!",
            "That is wrong.",
            "Omar Lind came later.",
        ] {
            let said = Said::of_question(text);
            assert!(may_state(&said), "{text}");
        }
        assert!(is_stated("The harbour office was moved to Turku!") && is_stated("That is wrong."));
        for text in [
            "What does Project Heron run on",
            "And who leads it",
            "Tell me about Project Heron.",
            "Is Project Heron late.",
            "Project Heron is late?",
            "I would like to know who leads Project Heron.",
            "Project Heron runs on what",
            "Back to Heron.",
            "Heron budget",
            "The second one.",
            "Compare Heron and Yak.",
            "",
        ] {
            assert!(!is_stated(text), "{text}");
        }
    }

    #[test]
    fn what_was_noted_is_said_in_few_words() {
        let facts = vec![
            Fact::new("Project Heron", "runs on", "Postgres"),
            Fact::new("Project Heron", "budget", "40,000 euros"),
        ];
        let noted = Noted { facts, ..Noted::default() };
        let said = "Noted: Project Heron runs on Postgres; Project Heron: budget 40,000 euros.";
        assert_eq!(noted.to_string(), said);
        assert!(Noted::default().to_string().contains("nothing was noted"));
    }
}
