//! What to write instead of what can't be read: a number, of which the standard library only says what is wrong with
//! it, or a command.

use std::{
    error::Error,
    num::{IntErrorKind, ParseFloatError, ParseIntError},
    str::ParseBoolError,
};

use clap::{
    CommandFactory as _,
    error::{ContextKind, ContextValue},
};

use crate::arguments::Arguments;

/// Returns what is wrong with the command line, with the mend for a number that can't be read, and with the visible
/// commands that were probably meant.
pub(crate) fn rendered(error: &mut clap::Error) -> String {
    suggest_visible(error);
    let text = error.render().to_string();
    match error.source().and_then(|cause| Some((cause, mend(cause)?))) {
        Some((cause, mend)) => {
            let is_negative = cause.is::<ParseIntError>() && text.contains("invalid value '-");
            let mend = if is_negative { "give a whole number that is not negative" } else { mend };
            text.replacen(&cause.to_string(), mend, 1)
        }
        None => text,
    }
}

/// Suggests the visible commands that one mistake leads to, or else those of the parser's suggestions that are visible,
/// the nearest first. The parser also suggests hidden ones and other names of commands, the nearest last.
fn suggest_visible(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let suggested = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(suggested)) => suggested.as_slice(),
        _ => &[],
    };
    let mut command = Arguments::command();
    command.build();
    // The error does not say which command has the subcommands, but how that command is used.
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let mut of = &command;
    for word in usage.split_whitespace().skip_while(|word| *word != command.get_name()).skip(1) {
        let Some(inner) = of.get_subcommands().find(|inner| inner.get_name() == word) else { break };
        of = inner;
    }
    let visible: Vec<&str> =
        of.get_subcommands().filter(|inner| !inner.is_hide_set()).map(clap::Command::get_name).collect();
    let is_visible = |name: &&String| visible.contains(&name.as_str());
    let mut suggested: Vec<String> = suggested.iter().rev().filter(is_visible).cloned().collect();
    // The parser takes two letters in the wrong order for two wrong letters.
    let is_near = |name: &&&str| strsim::osa_distance(typed, name) == 1;
    let near: Vec<String> = visible.iter().filter(is_near).map(|name| (*name).to_owned()).collect();
    if near.iter().any(|name| !suggested.contains(name)) {
        suggested = near;
    }
    if suggested.is_empty() {
        error.remove(ContextKind::SuggestedSubcommand);
    } else {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(suggested));
    }
}

/// Returns what to write instead of a value, if it should be a number, or true or false.
pub(crate) fn mend(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(integer) = error.downcast_ref::<ParseIntError>() {
        return Some(match integer.kind() {
            IntErrorKind::PosOverflow => "the number is too large",
            IntErrorKind::NegOverflow => "the number is too small",
            IntErrorKind::Zero => "the number must not be 0",
            _ => "give a whole number",
        });
    }
    if error.is::<ParseFloatError>() {
        return Some("give a number");
    }
    error.is::<ParseBoolError>().then_some("give true or false")
}

#[cfg(test)]
mod tests {
    use super::{Arguments, rendered};

    #[test]
    fn visible_commands_are_suggested_nearest_first() {
        for (typed, expected) in [
            // The command for documents is also called "list".
            ("ingst", "tip: a similar subcommand exists: 'ingest'"),
            ("exprt", "tip: some similar subcommands exist: 'export', 'import'"),
            ("decide lis", "tip: a similar subcommand exists: 'list'"),
            ("aks", "tip: a similar subcommand exists: 'ask'"),
            ("lis", ""),
            ("raed-untrusted", ""),
        ] {
            let words = std::iter::once("quiver").chain(typed.split(' '));
            let mut error = Arguments::read(words).expect_err("there is no such command");
            let text = rendered(&mut error);
            let tip = text.lines().find(|line| line.contains("tip:")).unwrap_or_default();
            assert_eq!(tip.trim(), expected, "{typed}");
        }
    }
}
