//! What to write instead of a number that can't be read. The standard library only says what is wrong with it.

use std::{
    error::Error,
    num::{IntErrorKind, ParseFloatError, ParseIntError},
    str::ParseBoolError,
};

/// Returns what is wrong with the command line, with the mend for a number that can't be read.
pub(crate) fn rendered(error: &clap::Error) -> String {
    let text = error.render().to_string();
    match error.source().and_then(|cause| Some((cause, mend(cause)?))) {
        Some((cause, mend)) => text.replacen(&cause.to_string(), mend, 1),
        None => text,
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
