//! Regular expressions: `text =~ pattern`.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};

use crate::error::{Result, argument};

/// Number of compiled expressions that a thread keeps. A query rarely has more.
const KEPT_MAX: usize = 8;
/// Maximum size of a compiled expression in bytes.
const SIZE_MAX: usize = 1 << 20;

thread_local! {
    /// The recently used expressions, the latest first.
    static KEPT: RefCell<Vec<(String, Regex)>> = const { RefCell::new(Vec::new()) };
}

/// Whether a pattern matches the whole of a text. Time is linear in the text.
///
/// The syntax is that of the crate `regex`: `(?i)` and `(?s)` as in Java, without backreferences and lookaround.
pub(super) fn matches(text: &str, pattern: &str) -> Result<bool> {
    KEPT.with_borrow_mut(|kept| {
        match kept.iter().position(|(known, _)| known == pattern) {
            Some(at) => kept[..=at].rotate_right(1),
            None => {
                kept.insert(0, (pattern.to_owned(), compiled(pattern)?));
                kept.truncate(KEPT_MAX);
            }
        }
        Ok(kept[0].1.is_match(text))
    })
}

fn compiled(pattern: &str) -> Result<Regex> {
    let whole = format!(r"\A(?:{pattern})\z");
    let built = RegexBuilder::new(&whole).size_limit(SIZE_MAX).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            argument(format!("the regular expression {pattern:?} is too large"))
        }
        // The last line of the message says what is wrong; those before it draw the position.
        error => {
            let message = error.to_string();
            let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
            argument(format!("{pattern:?} is not a supported regular expression: {reason}"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn the_whole_text_has_to_match() {
        for (text, pattern, expected) in [
            ("payments", "pay.*", true),
            ("repayments", "pay.*", false),
            ("Payments\nof May", "(?is).*may", true),
            ("b", "a|b", true),
            ("ab", "a|b", false),
            ("", "", true),
        ] {
            assert_eq!(matches(text, pattern).unwrap(), expected, "{text:?} {pattern:?}");
        }
    }

    #[test]
    fn what_is_no_expression_or_too_large_is_named() {
        for (pattern, expected) in [
            ("(", "unclosed group"),
            ("a(?=b)", "look-around"),
            ("(a)\\1", "backreferences"),
            ("(a{1000}){1000}", "too large"),
        ] {
            let message = matches("a", pattern).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
