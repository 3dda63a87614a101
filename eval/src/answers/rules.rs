//! `quiver-eval answers --rules`: what each rule that rules answers out does to the answers of a set.

use std::{collections::BTreeMap, io};

use anyhow::{Context, Result};
use quiver::{AnswerWeights, AskOptions, Question, Quiver};
use serde::Serialize;

use crate::dataset::Item;

use super::{
    AnswersOptions,
    grade::{grade, says_most},
    open,
};

/// The changes to the answers of all sets if a rule is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RuleEffect {
    /// Wrong answers that would be given without it.
    pub wrong: usize,
    /// Right answers that would be given without it.
    pub right: usize,
    /// Right answers that would be lost without it, since a wrong one takes their place or none is clearly the best.
    pub lost: usize,
    /// Each of these questions, with the answer without the rule.
    pub questions: Vec<String>,
}

/// The effect of each rule, by name. Rules without any are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RuleEffects {
    /// The number of questions asked.
    pub questions: usize,
    /// The number of rules.
    pub rules: usize,
    /// The effects.
    pub effects: BTreeMap<String, RuleEffect>,
}

/// Answers every question without each of the rules. Passages are retrieved once. Rules that change nothing together are
/// taken to change nothing alone, so that most are tried in groups.
///
/// # Errors
/// As for [`answers`](super::answers).
pub async fn rule_effects(options: &AnswersOptions) -> Result<RuleEffects> {
    let names = AnswerWeights::rule_names();
    let mut effects = RuleEffects { rules: names.len(), ..RuleEffects::default() };
    for set in open(options).await? {
        for (_, item) in &set.questions {
            let asked = AskOptions { confidence_min: options.confidence_min, ..set.ask_options(options.top) };
            let question = Question::new(&item.question).with_options(asked);
            let evidence =
                set.quiver.retrieve(question).await.with_context(|| format!("{}: {}", set.name, item.id))?;
            let usual = set.quiver.answer(evidence.clone()).await.text;
            effects.questions += 1;
            let mut groups = vec![names.as_slice()];
            while let Some(group) = groups.pop() {
                let answer = without(&set.quiver, group).answer(evidence.clone()).await.text;
                if answer == usual {
                    continue;
                }
                if let [name] = group {
                    let place = format!("{} {}", set.name, item.id);
                    effects.effects.entry((*name).to_owned()).or_default().add(
                        item,
                        &place,
                        usual.as_ref(),
                        answer,
                    );
                } else {
                    let (first, second) = group.split_at(group.len() / 2);
                    groups.extend([second, first]);
                }
            }
        }
    }
    Ok(effects)
}

/// The same engine without some rules.
fn without(quiver: &Quiver, rules: &[&str]) -> Quiver {
    let mut weights = AnswerWeights::learned().clone();
    weights.ignored_rules = rules.iter().map(|&rule| rule.to_owned()).collect();
    quiver.clone().with_answer_weights(weights)
}

impl RuleEffect {
    /// Counts a question that gets another answer without the rule.
    fn add(&mut self, item: &Item, place: &str, usual: Option<&String>, answer: Option<String>) {
        let is_right = |text: &String| grade(text, &item.answers).contains || says_most(text, &item.answers);
        let (was_right, is_now) = (usual.is_some_and(is_right), answer.as_ref().is_some_and(is_right));
        self.right += usize::from(is_now && !was_right);
        self.lost += usize::from(was_right && !is_now);
        self.wrong += usize::from(answer.is_some() && !is_now);
        let answer = answer.unwrap_or_else(|| "no answer".to_owned());
        self.questions.push(format!("{place}: {} {answer:?}", item.question));
    }
}

impl RuleEffects {
    /// Prints a line for each rule with an effect.
    ///
    /// # Errors
    /// Returns an error if the writer fails.
    pub fn print(&self, shows_questions: bool, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(
            out,
            "{} of {} rules change an answer to one of {} questions; without each of them there would be",
            self.effects.len(),
            self.rules,
            self.questions
        )?;
        writeln!(out, "{:28} {:>10} {:>10} {:>11}", "", "more wrong", "more right", "fewer right")?;
        for (name, effect) in &self.effects {
            writeln!(out, "{name:28} {:>10} {:>10} {:>11}", effect.wrong, effect.right, effect.lost)?;
            for question in effect.questions.iter().filter(|_| shows_questions) {
                writeln!(out, "    {question}")?;
            }
        }
        Ok(())
    }
}
