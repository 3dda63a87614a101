//! Answers from turns, if no fact answers: turns are read as [`Quiver::ask`] reads them.

use std::collections::BTreeSet;

use quiver_answer::AnswerForm;
use quiver_graph::{Passage, PassageId};
use quiver_language::question::written_out;

use crate::{
    AskOptions, Quiver, Result,
    answer::{AnswerReader, as_said, source},
    error::{In, Stage},
    terms::TermBits,
};

/// Maximum number of turns read for an answer.
const READ_MAX: usize = 8;

/// Maximum number of turns read for an answer or for what speaks against it.
pub(super) const HEARD_MAX: usize = 32;

/// Reads turns for an answer.
#[derive(Clone, Copy)]
pub(crate) struct TurnReader<'a> {
    pub(crate) quiver: &'a Quiver,
}

impl TurnReader<'_> {
    /// Returns the answer that the best of these ranked turns give, and the index of the turn that it is from. The other
    /// turns may only speak against it: a later one may say something else. Turns whose facts are over and those that name
    /// a deleted entity are not read.
    pub(super) async fn answer(
        self,
        question: &str,
        turns: &[(Passage, f32)],
        over: &BTreeSet<PassageId>,
    ) -> Result<Option<(usize, String)>> {
        let Self { quiver } = self;
        let names_deleted = |turn: &Passage| turn.entities.iter().any(|entity| quiver.graph.hides(*entity));
        let passages: Vec<&Passage> = turns.iter().map(|(turn, _)| turn).collect();
        let is_read = |at: &usize| !over.contains(&passages[*at].id) && !names_deleted(passages[*at]);
        let read: Vec<usize> = (0..turns.len()).filter(is_read).collect();
        let first = read.iter().filter(|at| **at < READ_MAX).count();
        let sources: Vec<_> = read.iter().map(|at| source(&turns[*at].0, turns[*at].1, 0)).collect();
        let statistics = quiver.graph.statistics().await.stage(Stage::Recall)?;
        let question = written_out(question.trim());
        let (bits, unknown) = TermBits::of_question(&quiver.encoder, &statistics, &question);
        let reader = AnswerReader {
            lexical: quiver.encoder.analysis(),
            learned: &quiver.answer_weights,
            question: &question,
            bits: &bits,
            unknown,
            confidence_min: AskOptions::default().confidence_min,
        };
        let answer = reader.read(&sources[..first], first);
        // Sentences of several speakers are no answer.
        let Some(given) = answer.given().filter(|given| given.form != AnswerForm::Summary) else {
            return Ok(None);
        };
        let among_all = || reader.read(&sources, sources.len());
        let stays =
            first == sources.len() || among_all().given().is_some_and(|other| other.text == given.text);
        Ok(stays.then(|| (read[given.spots[0].source], as_said(given, |at| passages[read[at]]))))
    }
}
