//! Compares two spellings of a word.

/// Number of letters at the end of a word in which another letter makes another word: "Karlsburg" and "Karlsberg".
const ENDING: usize = 3;

/// How a word is misspelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    /// Two letters are swapped, or one is doubled.
    Typed,
    /// A letter in the middle is missing or is another one.
    Letter,
}

/// Compares two different words. The first and the last letter must be the same: there, a letter makes another word.
pub(super) fn slip(one: &str, other: &str) -> Option<Slip> {
    let (mut short, mut long): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if short.len() > long.len() {
        std::mem::swap(&mut short, &mut long);
    }
    let start = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let end = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
    if start == 0 || end == 0 || !short.iter().chain(&long).all(|letter| letter.is_alphabetic()) {
        return None;
    }
    let is_in_ending = end < ENDING;
    match (long.len() - short.len(), short.len().saturating_sub(start + end)) {
        // A doubled letter is equal to the one before it, so the common start includes it.
        (1, 0) if start < short.len() && long[start] == long[start - 1] => Some(Slip::Typed),
        (1, 0) | (0, 1) if !is_in_ending => Some(Slip::Letter),
        (0, 2) if short[start] == long[start + 1] && short[start + 1] == long[start] => Some(Slip::Typed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_within_a_word() {
        for (one, other, expect) in [
            ("haldenburg", "hadlenburg", Some(Slip::Typed)),
            ("lindqvist", "lindqqvist", Some(Slip::Typed)),
            ("lindqvist", "lundqvist", Some(Slip::Letter)),
            ("lindqvist", "lidqvist", Some(Slip::Letter)),
            ("karlsburg", "karlsberg", None),
            ("haldenburg", "haldenburgs", None),
            ("lindmann", "lindman", None),
            ("katherine", "catherine", None),
            ("lindqvist", "landqvest", None),
        ] {
            assert_eq!(slip(one, other), expect, "{one} {other}");
            assert_eq!(slip(other, one), expect, "{other} {one}");
        }
    }
}
