//! A small thesaurus of words that may express the same relation, such as "who looks after it" and "assigned to". A
//! related word counts less than the word itself.

use std::{collections::HashMap, sync::LazyLock};

/// The groups a word belongs to, one bit each. Words that share a group may express the same relation.
pub(crate) fn groups(word: &str) -> u32 {
    base_forms(word).find_map(|base| GROUPS.get(&*base)).copied().unwrap_or_default()
}

/// A word and its possible base forms.
fn base_forms(word: &str) -> impl Iterator<Item = String> {
    let ending =
        |ending: &str, instead: &str| word.strip_suffix(ending).map(|stem| format!("{stem}{instead}"));
    let doubled = ["ed", "ing"].into_iter().find_map(|ending| {
        let stem = word.strip_suffix(ending)?;
        let last = stem.chars().next_back()?;
        stem.strip_suffix(last).filter(|stem| stem.ends_with(last)).map(str::to_owned)
    });
    [
        Some(word.to_owned()),
        ending("s", ""),
        ending("es", ""),
        ending("ies", "y"),
        ending("d", ""),
        ending("ed", ""),
        ending("ied", "y"),
        ending("ing", ""),
        ending("ing", "e"),
        doubled,
    ]
    .into_iter()
    .flatten()
}

static GROUPS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut groups: HashMap<&str, u32> = HashMap::new();
    for (number, words) in RELATED.iter().enumerate() {
        for word in words.split(' ') {
            *groups.entry(word).or_default() |= 1 << number;
        }
    }
    groups
});

/// Groups of base forms, at most 32.
const RELATED: &[&str] = &[
    "own owner belong responsible responsibility charge maintain maintainer handle assign assignee manage manager look care entrust \
     lead leader head transfer hand supervise supervisor work",
    "block blocker wait stop prevent hold impede obstruct stall delay hinder stick",
    "use depend need require rely employ utilise utilize dependency",
    "problem issue error fault defect bug anomaly wrong matter trouble failure flaw fail break broken",
    "cause reason because due trigger culprit explain lead origin",
    "fix resolve solve repair mend correct remedy patch resolution solution workaround",
    "due deadline finish ready deliver complete expect",
    "store keep live locate host sit reside save hold location house stand",
    "report raise file open notice discover find detect submit",
    "replace supersede migrate switch move change succeed substitute",
    "cost price pay charge expense spend fee",
    "make create build write develop author produce generate implement design compose creator developer",
    "begin start launch commence open",
    "end stop finish expire close conclude valid",
    "feed supply provide source input deliver come read",
    "approve sign authorise authorize permit allow accept",
    "choose select pick decide settle opt adopt",
    "run deploy host execute operate",
    "teach train fit learn",
    "contain include comprise consist have",
    "send submit deliver forward transfer",
    "measure record observe log find",
    "pay fund finance sponsor",
    "tell inform notify contact ask call",
    "call name rename title dub",
    "report manager boss supervisor superior",
    "review check inspect audit examine test verify pass fail",
];
