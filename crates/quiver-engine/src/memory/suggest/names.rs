//! Compares names: which two are probably names of the same thing. No I/O.
//!
//! Names that differ in a number, a code or an adjective never are. Whether two names that look alike are the same is
//! decided by the texts that use them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
};

use quiver_graph::name;
use quiver_language::{
    naming::{is_legal_form, is_title},
    pack::{is_particle, starts_sentences},
    title::without_bracket,
    word::{is_adjective, is_verb},
};

use super::spelling::{Slip, slip};

/// Maximum length of a name that is searched for misspellings, in characters.
const LETTERS_MAX: usize = 60;
/// Minimum number of letters of a name with a misspelling, and of the misspelled word.
const LETTERS_MIN: usize = 8;
const WORD_LETTERS_MIN: usize = 6;
/// Maximum number of words of names that may differ in the order of words.
const ORDER_WORDS_MAX: usize = 4;
/// The lengths of abbreviations.
const INITIALS_MIN: usize = 2;
const INITIALS_MAX: usize = 6;

/// How two names are alike, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// "World Ferry Office (WFO)" and "World Ferry Office" or "WFO".
    Bracket,
    /// "Holm, Ida" and "Ida Holm".
    Comma,
    /// "Dr Ida Holm" and "Ida Holm".
    Title,
    /// "Aurelia Lines Ltd" and "Aurelia Lines".
    LegalForm,
    /// "World Ferry Office" and "WFO". If other names have these initials too, `is_only` is false.
    Initials { is_only: bool },
    /// The same words in another order.
    Order,
    /// A word with a letter doubled, or two letters swapped.
    Slip,
    /// A word with one other letter.
    Letter,
}

/// Two names that are alike, by their places in the list. The first is the fuller one, or the one of the earlier place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) likeness: Likeness,
    pub(super) one: usize,
    pub(super) other: usize,
}

/// A name with its words, in lower case and without punctuation.
struct Name<'a> {
    written: &'a str,
    words: Vec<String>,
}

impl<'a> Name<'a> {
    fn of(written: &'a str) -> Self {
        Self { written, words: words(written) }
    }

    fn has_digit(&self) -> bool {
        self.written.chars().any(char::is_numeric)
    }
}

/// The words of a name, in lower case and without punctuation.
pub(super) fn words(name: &str) -> Vec<String> {
    let normal = name::normalise(name).replace(['.', ','], " . ");
    // "S.A." is one word, "Holm, Ida" two.
    let joined = normal.replace(" . ", if name.contains(',') { " " } else { "" });
    let bare = joined.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Finds the pairs of names that are alike, in a fixed order. The names must be distinct. Of each pair, only the most
/// certain likeness is returned.
pub(super) fn alike(names: &[&str]) -> Vec<Pair> {
    let names: Vec<Name<'_>> = names.iter().map(|name| Name::of(name)).collect();
    let mut by_words: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, name) in names.iter().enumerate() {
        by_words.entry(name.words.join(" ")).or_default().push(place);
    }
    let mut pairs = Vec::new();
    add_surrounded(&names, &by_words, &mut pairs);
    add_initials(&names, &by_words, &mut pairs);
    add_orders(&names, &by_words, &mut pairs);
    add_misspelled(&names, &mut pairs);
    pairs.sort_unstable();
    let mut seen = BTreeSet::new();
    pairs.retain(|pair| seen.insert((pair.one.min(pair.other), pair.one.max(pair.other))));
    pairs
}

/// Adds names with and without a title or a legal form. If a name occurs with several, it is unclear whose it is.
fn add_surrounded(names: &[Name<'_>], by_words: &HashMap<String, Vec<usize>>, pairs: &mut Vec<Pair>) {
    let mut surrounded: BTreeMap<String, Vec<(usize, Likeness)>> = BTreeMap::new();
    let mut surnames: HashMap<&str, usize> = HashMap::new();
    for (place, name) in names.iter().enumerate() {
        let (base, likeness) = without_title_or_form(&name.words);
        if let Some(likeness) = likeness {
            surrounded.entry(base.join(" ")).or_default().push((place, likeness));
        } else if let [_, .., last] = base {
            *surnames.entry(last).or_default() += 1;
        }
    }
    for (base, found) in surrounded {
        // "Holm" may be Ida Holm or Per Holm.
        let is_clear = surnames.get(base.as_str()).is_none_or(|count| *count < 2);
        if let ([(place, likeness)], Some([plain]), true) =
            (found.as_slice(), by_words.get(&base).map(Vec::as_slice), is_clear)
        {
            pairs.push(Pair { likeness: *likeness, one: *place, other: *plain });
        }
    }
}

/// The words of a name without its titles and legal forms, and which of them there were.
fn without_title_or_form(words: &[String]) -> (&[String], Option<Likeness>) {
    let titles = words.iter().take_while(|word| is_title(word)).count();
    let forms = words.iter().rev().take_while(|word| is_legal_form(word)).count();
    if titles + forms >= words.len() {
        return (words, None);
    }
    let base = &words[titles..words.len() - forms];
    match (titles, forms) {
        (0, 0) => (base, None),
        (_, 0) => (base, Some(Likeness::Title)),
        (0, _) => (base, Some(Likeness::LegalForm)),
        _ => (words, None),
    }
}

/// Adds abbreviations: with the names of which they are the initials, and with names that have them in brackets.
fn add_initials(names: &[Name<'_>], by_words: &HashMap<String, Vec<usize>>, pairs: &mut Vec<Pair>) {
    let mut by_initials: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, name) in names.iter().enumerate() {
        let base = without_bracket(name.written);
        if let Some(inner) = name.written.trim_end().strip_prefix(base).filter(|rest| !rest.is_empty()) {
            let inner = inner.trim().trim_matches(['(', ')', '（', '）']);
            // "Mercury (planet)" says which Mercury it is; only an abbreviation is another name.
            if is_abbreviation(inner) && initials(base).contains(&inner.to_uppercase()) {
                let others = [base, inner].map(|part| by_words.get(&words(part).join(" ")));
                let others = others.into_iter().flatten().filter(|places| places.len() == 1);
                let pair = |other: usize| Pair { likeness: Likeness::Bracket, one: place, other };
                pairs.extend(others.map(|places| pair(places[0])));
            }
        } else {
            initials(base).into_iter().for_each(|short| by_initials.entry(short).or_default().push(place));
        }
    }
    for (other, name) in names.iter().enumerate().filter(|(_, name)| is_abbreviation(name.written)) {
        let short: String = name.written.chars().filter(|c| *c != '.').collect();
        let places = by_initials.get(&short).map(Vec::as_slice).unwrap_or_default();
        let likeness = Likeness::Initials { is_only: places.len() == 1 };
        pairs.extend(places.iter().map(|one| Pair { likeness, one: *one, other }));
    }
}

/// Whether a name is written like an abbreviation: a few capital letters.
fn is_abbreviation(name: &str) -> bool {
    let letters = name.chars().filter(|c| *c != '.');
    (INITIALS_MIN..=INITIALS_MAX).contains(&letters.clone().count())
        && letters.clone().all(|c| c.is_alphabetic() && c.is_uppercase())
}

/// The initials of a name of several words: of all words, and of those with a capital letter.
fn initials(name: &str) -> BTreeSet<String> {
    let first = |word: &str| word.chars().next();
    // "Setting up SAML SSO" has abbreviations of its own.
    let is_short = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    if name.split([' ', '-']).any(is_short) {
        return BTreeSet::new();
    }
    let all: Vec<char> = name.split([' ', '-']).filter_map(first).collect();
    if all.len() < 2 || name.chars().any(char::is_numeric) || !all.iter().all(|c| c.is_alphabetic()) {
        return BTreeSet::new();
    }
    let capitals: Vec<char> = all.iter().copied().filter(|c| c.is_uppercase()).collect();
    if capitals.len() < 2 {
        return BTreeSet::new();
    }
    let upper = |initials: &[char]| initials.iter().flat_map(|c| c.to_uppercase()).collect::<String>();
    BTreeSet::from([upper(&all), upper(&capitals)])
}

/// Adds names with the same words in another order.
fn add_orders(names: &[Name<'_>], by_words: &HashMap<String, Vec<usize>>, pairs: &mut Vec<Pair>) {
    let mut by_sorted: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        if name.has_digit() || name.words.len() < 2 {
            continue;
        }
        if let Some((last, first)) = name.written.split_once(',')
            && !first.contains(',')
        {
            let turned = words(&format!("{first} {last}")).join(" ");
            if let Some([other]) = by_words.get(&turned).map(Vec::as_slice) {
                pairs.push(Pair { likeness: Likeness::Comma, one: *other, other: place });
            }
            continue;
        }
        let mut sorted: Vec<&str> = name.words.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        sorted.dedup();
        // "North to South" is not "South to North".
        let is_plain = |word: &&str| !starts_sentences(word) && !is_particle(word);
        if sorted.len() == name.words.len() && sorted.len() <= ORDER_WORDS_MAX && sorted.iter().all(is_plain)
        {
            by_sorted.entry(sorted).or_default().push(place);
        }
    }
    for places in by_sorted.into_values() {
        if let [one, other] = places.as_slice()
            && names[*one].words != names[*other].words
        {
            pairs.push(Pair { likeness: Likeness::Order, one: *one, other: *other });
        }
    }
}

/// Adds long names with one misspelled letter. Two such names are equal, or one is as long as the other without a
/// letter, once a letter of each is left out.
fn add_misspelled(names: &[Name<'_>], pairs: &mut Vec<Pair>) {
    let mut keys: Vec<(u64, usize)> = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let letters: Vec<char> = name.words.join(" ").chars().collect();
        if letters.len() < LETTERS_MIN || letters.len() > LETTERS_MAX || name.has_digit() {
            continue;
        }
        keys.push((hash(&letters, None), place));
        keys.extend((0..letters.len()).map(|out| (hash(&letters, Some(out)), place)));
    }
    keys.sort_unstable();
    keys.dedup();
    for alike in keys.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        for (at, (_, one)) in alike.iter().enumerate() {
            let found = alike[at + 1..].iter().filter_map(|(_, other)| {
                let likeness = misspelled(&names[*one].words, &names[*other].words)?;
                Some(Pair { likeness, one: *one, other: *other })
            });
            pairs.extend(found);
        }
    }
}

fn hash(letters: &[char], without: Option<usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (at, letter) in letters.iter().enumerate() {
        if Some(at) != without {
            letter.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Whether two names are equal except for one misspelled letter of a long word.
fn misspelled(one: &[String], other: &[String]) -> Option<Likeness> {
    let mut differing = one.iter().zip(other).filter(|(a, b)| a != b);
    let (a, b) = differing.next().filter(|_| one.len() == other.len())?;
    let is_word = |word: &str| is_adjective(word) || is_verb(word);
    let is_short = |word: &str| word.chars().count() < WORD_LETTERS_MIN;
    if differing.next().is_some() || is_adjective(a) || is_adjective(b) || is_word(a) && is_word(b) {
        return None;
    }
    if is_short(a) || is_short(b) {
        return None;
    }
    Some(match slip(a, b)? {
        Slip::Typed => Likeness::Slip,
        Slip::Letter => Likeness::Letter,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> Vec<(Likeness, String)> {
        let text = |pair: Pair| (pair.likeness, format!("{} = {}", names[pair.one], names[pair.other]));
        alike(names).into_iter().map(text).collect()
    }

    #[track_caller]
    fn check(one: &str, other: &str, expect: Option<Likeness>) {
        for names in [[one, other], [other, one]] {
            let likenesses: Vec<Likeness> = alike(&names).into_iter().map(|pair| pair.likeness).collect();
            assert_eq!(likenesses, expect.into_iter().collect::<Vec<_>>(), "{names:?}");
        }
    }

    #[test]
    fn names_of_one_thing_are_alike() {
        check("Holm, Ida", "Ida Holm", Some(Likeness::Comma));
        check("Ida Holm", "Holm Ida", Some(Likeness::Order));
        check("Dr. Ida Holm", "Ida Holm", Some(Likeness::Title));
        check("Prof. Dr. Holm", "Holm", Some(Likeness::Title));
        check("Aurelia Lines Ltd.", "Aurelia Lines", Some(Likeness::LegalForm));
        check("Aurelia S.A.", "Aurelia", Some(Likeness::LegalForm));
        check("World Ferry Office (WFO)", "World Ferry Office", Some(Likeness::Bracket));
        check("World Ferry Office (WFO)", "WFO", Some(Likeness::Bracket));
        check("Office of World Ferries", "OWF", Some(Likeness::Initials { is_only: true }));
        check("Haldenburg Yard", "Hadlenburg Yard", Some(Likeness::Slip));
        check("Ida Lindqvist", "Ida Lindqqvist", Some(Likeness::Slip));
        check("Ida Lindqvist", "Ida Lundqvist", Some(Likeness::Letter));
    }

    #[test]
    fn names_of_two_things_are_not() {
        for (one, other) in [
            ("Server 12 North", "Server 21 North"),
            ("Valve A-113", "Valve A-131"),
            ("Upper Skerry Yard", "Lower Skerry Yard"),
            ("Mercury (planet)", "Mercury"),
            ("Ferry Norby to Haldby", "Ferry Haldby to Norby"),
            ("Martina Lindqvist", "Martine Lindqvist"),
            ("Skerry Yard", "Skerry Yards"),
            ("Mr Holm", "Mrs Holm"),
            ("Aurelia Lines Ltd", "Aurelia Lines GmbH"),
            ("Iceland", "Ireland"),
            ("phosphate", "phosphite"),
            ("Norby", "Nroby"),
        ] {
            check(one, other, None);
        }
        assert_eq!(found(&["Holm", "Dr Holm", "Ida Holm", "Per Holm"]), []);
        assert_eq!(found(&["Holm", "Dr Holm", "Mr Holm"]), []);
        let several = found(&["World Ferry Office", "West Fjord Order", "WFO"]);
        assert!(several.iter().all(|(likeness, _)| *likeness == Likeness::Initials { is_only: false }));
    }
}
