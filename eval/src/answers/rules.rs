//! `quiver-eval answers --rules`: what each rule that rules answers out does to the answers of a set.

use std::{collections::BTreeMap, io};

use anyhow::{Context, Result};
use quiver::{AnswerWeights, AskOptions, Question};
use serde::Serialize;

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

/// Answers every question once for each rule, without it. Passages are retrieved once.
///
/// # Errors
/// As for [`answers`](super::answers).
pub async fn rule_effects(options: &AnswersOptions) -> Result<RuleEffects> {
    let names = AnswerWeights::rule_names();
    let mut effects = RuleEffects { rules: names.len(), ..RuleEffects::default() };
    for set in open(options).await? {
        let without = |name: &str| {
            let mut weights = AnswerWeights::learned().clone();
            weights.ignored_rules = vec![name.to_owned()];
            set.quiver.clone().with_answer_weights(weights)
        };
        let engines: Vec<_> = names.iter().map(|name| (*name, without(name))).collect();
        for (_, item) in &set.questions {
            let asked = AskOptions { confidence_min: options.confidence_min, ..set.ask_options(options.top) };
            let question = Question::new(&item.question).with_options(asked);
            let evidence =
                set.quiver.retrieve(question).await.with_context(|| format!("{}: {}", set.name, item.id))?;
            let is_right =
                |text: &String| grade(text, &item.answers).contains || says_most(text, &item.answers);
            let usual = set.quiver.answer(evidence.clone()).await.text;
            let was_right = usual.as_ref().is_some_and(is_right);
            effects.questions += 1;
            for (name, quiver) in &engines {
                let answer = quiver.answer(evidence.clone()).await.text;
                if answer == usual {
                    continue;
                }
                let effect = effects.effects.entry((*name).to_owned()).or_default();
                match &answer {
                    Some(text) if is_right(text) => effect.right += usize::from(!was_right),
                    Some(_) => effect.wrong += 1,
                    None => {}
                }
                effect.lost += usize::from(was_right && !answer.as_ref().is_some_and(is_right));
                let answer = answer.unwrap_or_else(|| "no answer".to_owned());
                effect.questions.push(format!("{} {}: {} {answer:?}", set.name, item.id, item.question));
            }
        }
    }
    Ok(effects)
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
