//! The record of a run of `quiver-eval answers`, and its printed form.

use std::{collections::BTreeMap, io};

use quiver::Answer;
use serde::Serialize;

use crate::dataset::Item;

use super::{
    UNANSWERABLE,
    grade::{Curve, grade, says_most, share},
};

/// Coverages at which precision is printed, in percent.
const COVERAGES: [u32; 7] = [10, 20, 33, 50, 67, 80, 100];

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct AnswersRecord {
    /// Which questions were asked.
    pub half: String,
    /// One entry for each set.
    pub sets: Vec<SetAnswers>,
}

/// The answers to the questions of a set.
#[derive(Clone, Debug, Serialize)]
pub struct SetAnswers {
    /// The set.
    pub name: String,
    /// The results for all questions.
    pub summary: Summary,
    /// The results by type of question, if the set has types.
    pub types: BTreeMap<String, Summary>,
    /// One entry for each question.
    pub questions: Vec<QuestionAnswer>,
}

/// Results for a group of questions. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Number of questions.
    pub questions: usize,
    /// The share of exact matches at full coverage.
    pub exact_match: f64,
    /// Mean F1 at full coverage.
    pub f1: f64,
    /// The share of answers that contain a right answer, at full coverage.
    pub contains: f64,
    /// The share of questions answered at the threshold.
    pub answered: f64,
    /// The share of these that contain a right answer.
    pub precision: f64,
    /// Number of wrong answers at the threshold.
    pub wrong: usize,
    /// The share of questions whose answer or, if none is given, first sentence shown has a right answer.
    pub shown_first: f64,
    /// The same for any of the sentences shown.
    pub shown: f64,
    /// The area under the risk-coverage curve; 0 if every answer is right.
    pub risk_area: f64,
    /// Precision of the most confident answers, by coverage in percent.
    pub precision_at: BTreeMap<u32, f64>,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionAnswer {
    /// Its ID.
    pub id: String,
    /// Its text.
    pub question: String,
    /// Its type, if the set has types.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The right answers.
    pub answers: Vec<String>,
    /// The best answer, whether or not it was given.
    pub best: Option<String>,
    /// The engine's confidence in it, from 0 to 1.
    pub confidence: f32,
    /// Whether it was given as the answer.
    pub is_answered: bool,
    /// Whether the best answer is exactly right.
    pub exact_match: bool,
    /// Its word-level F1.
    pub f1: f64,
    /// Whether it contains a right answer.
    pub contains: bool,
    /// The place, from 1, of the first sentence shown that has a right answer: 1 for a given answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_at: Option<usize>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

impl QuestionAnswer {
    /// Grades an answer.
    pub fn of(item: &Item, answer: &Answer) -> Self {
        let best = answer.best.as_ref();
        let has_answer =
            |text: &String| grade(text, &item.answers).contains || says_most(text, &item.answers);
        let given = answer.text.as_ref().into_iter();
        let mut shown = given.chain(answer.found.iter().map(|found| &found.sentence));
        let shown_at = shown.position(has_answer).map(|at| at + 1);
        let grade = grade(best.map(String::as_str).unwrap_or_default(), &item.answers);
        Self {
            id: item.id.clone(),
            question: item.question.clone(),
            kind: item.kind.clone(),
            answers: item.answers.clone(),
            best: best.cloned(),
            confidence: answer.confidence,
            is_answered: answer.text.is_some(),
            exact_match: grade.exact,
            f1: grade.f1,
            contains: grade.contains,
            shown_at,
            refusal: answer.refusal.as_ref().map(ToString::to_string),
        }
    }

    fn is_unanswerable(&self) -> bool {
        self.kind.as_deref() == Some(UNANSWERABLE)
    }
}

impl SetAnswers {
    /// Summarises a set.
    pub fn of(name: &str, questions: Vec<QuestionAnswer>) -> Self {
        let mut types: BTreeMap<String, Vec<&QuestionAnswer>> = BTreeMap::new();
        for question in &questions {
            types.entry(question.kind.clone().unwrap_or_default()).or_default().push(question);
        }
        let types = if types.len() < 2 { BTreeMap::new() } else { types };
        let types = types.into_iter().map(|(kind, members)| (kind, Summary::of(&members))).collect();
        let summary = Summary::of(&questions.iter().collect::<Vec<_>>());
        Self { name: name.to_owned(), summary, types, questions }
    }
}

impl Summary {
    /// Summarises questions. Unanswerable ones count towards the answered share, but not at full coverage.
    pub fn of(questions: &[&QuestionAnswer]) -> Self {
        let open: Vec<_> = questions.iter().filter(|question| !question.is_unanswerable()).collect();
        let count =
            |is: &dyn Fn(&QuestionAnswer) -> bool| open.iter().filter(|question| is(question)).count();
        let answered: Vec<_> = questions.iter().filter(|question| question.is_answered).collect();
        let right = answered.iter().filter(|question| question.contains).count();
        // Refused questions rank below all answered ones, whatever their confidence.
        let rank =
            |question: &QuestionAnswer| question.confidence + f32::from(u8::from(question.is_answered));
        let curve = Curve::of(questions.iter().map(|question| (rank(question), question.contains)));
        Self {
            questions: questions.len(),
            exact_match: share(count(&|question| question.exact_match), open.len()),
            f1: if open.is_empty() {
                0.0
            } else {
                open.iter().map(|question| question.f1).sum::<f64>() / open.len() as f64
            },
            contains: share(count(&|question| question.contains), open.len()),
            answered: share(answered.len(), questions.len()),
            precision: share(right, answered.len()),
            wrong: answered.len() - right,
            shown_first: share(count(&|question| question.shown_at == Some(1)), open.len()),
            shown: share(count(&|question| question.shown_at.is_some()), open.len()),
            risk_area: curve.area(),
            precision_at: COVERAGES
                .into_iter()
                .map(|percent| (percent, curve.precision_at(f64::from(percent) / 100.0)))
                .collect(),
        }
    }
}

impl AnswersRecord {
    /// Prints the tables, and every question if requested.
    ///
    /// # Errors
    /// Returns an error if the writer fails.
    pub fn print(&self, shows_questions: bool, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "questions: {}; shares in percent; right is what contains a right answer", self.half)?;
        writeln!(
            out,
            "{:34} {:>5} | {:>5} {:>5} {:>5} | {:>8} {:>5} {:>5} | {:>5} {:>5} | {:>5} | right of the most confident",
            "", "n", "EM", "F1", "right", "answered", "right", "wrong", "first", "shown", "risk"
        )?;
        for set in &self.sets {
            line(&set.name, &set.summary, out)?;
            for (kind, summary) in &set.types {
                line(&format!("  {kind}"), summary, out)?;
            }
        }
        if !shows_questions {
            return Ok(());
        }
        for set in &self.sets {
            for question in &set.questions {
                let verdict = match (question.is_answered, question.contains || question.is_unanswerable()) {
                    (true, _) if question.contains => "right",
                    (true, _) => "WRONG",
                    (false, true) => "found",
                    (false, false) => "found, but not the answer",
                };
                writeln!(
                    out,
                    "{} {} {:.2} {verdict}: {}\n    {:?} of {:?}",
                    set.name,
                    question.id,
                    question.confidence,
                    question.question,
                    question.best.as_deref().unwrap_or_default(),
                    question.answers,
                )?;
            }
        }
        Ok(())
    }
}

fn line(name: &str, summary: &Summary, out: &mut impl io::Write) -> io::Result<()> {
    let percent = |share: f64| share * 100.0;
    let curve: Vec<String> = summary
        .precision_at
        .iter()
        .map(|(coverage, precision)| format!("{coverage}%: {:.0}", percent(*precision)))
        .collect();
    writeln!(
        out,
        "{name:34} {:>5} | {:>5.1} {:>5.1} {:>5.1} | {:>8.1} {:>5.1} {:>5} | {:>5.1} {:>5.1} | {:>5.1} | {}",
        summary.questions,
        percent(summary.exact_match),
        percent(summary.f1),
        percent(summary.contains),
        percent(summary.answered),
        percent(summary.precision),
        summary.wrong,
        percent(summary.shown_first),
        percent(summary.shown),
        percent(summary.risk_area),
        curve.join("  "),
    )
}
