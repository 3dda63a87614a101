use proptest::prelude::*;

use super::{Runs, normalise};
use crate::{EntityId, EntityIds, Workspace};

#[test]
fn spellings_of_one_name_meet() {
    for (a, b) in [
        ("  Marie   Curie ", "marie curie"),
        ("“Polish–Russian War”", "polish-russian war"),
        ("O’Neill", "o'neill"),
        ("O´Neill", "o'neill"),
        ("Cafe\u{200b}\u{301}", "café"),
        ("\" \"Emma", "emma"),
        ("❤\u{fe0f}", "❤"),
        ("\u{2067}محمد\u{2069}", "محمد"),
        ("ＡＢＣ", "abc"),
        ("Straße", "STRASSE"),
        ("Café", "Cafe\u{301}"),
        ("Łódź.", "ŁÓDŹ"),
        ("МОСКВА", "москва"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("《红楼梦》", "红楼梦"),
    ] {
        assert_eq!(normalise(a), normalise(b), "{a:?} and {b:?}");
    }
}

#[test]
fn different_names_stay_apart() {
    for (a, b) in
        [("C", "C++"), ("C#", "C"), ("resume", "résumé"), ("北京", "南京"), ("محمد", "محمود"), ("й", "и")]
    {
        assert_ne!(normalise(a), normalise(b), "{a:?} and {b:?}");
    }
}

#[test]
fn punctuation_alone_is_kept() {
    assert_eq!(normalise("???"), "???");
    assert_eq!(normalise("\"...\""), "\"...\"");
}

#[test]
fn an_id_is_the_same_however_it_is_made() {
    let workspace = Workspace::default();
    let ids = EntityIds::new(&workspace);
    for name in ["", "marie curie", "café", &"a long name ".repeat(40)] {
        assert_eq!(ids.of_normalised(name), EntityId::of_normalised(&workspace, None, name), "{name:?}");
    }
}

proptest! {
    #[test]
    fn runs_are_normalised_like_names(text in "[ -~\\tÉ\u{301}’ſ]{1,40}", ends in prop::collection::vec(0..80usize, 1..6)) {
        let place = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let mut ends: Vec<usize> = ends.into_iter().map(place).collect();
        ends.sort_unstable();
        let mut runs = Runs::of(&text);
        for start in [ends[0], 0] {
            runs.begin(start);
            for &end in &ends {
                prop_assert_eq!(runs.up_to(end), normalise(&text[start..end]));
            }
        }
    }

    #[test]
    fn the_ascii_way_agrees_with_the_general_way(name in "[ -~\\t]{0,24}") {
        // A non-ASCII letter forces the general path.
        let general = normalise(&format!("ſ {name} ſ"));
        let quick = normalise(&format!("s {name} s"));
        prop_assert_eq!(general, quick);
    }

    #[test]
    fn normalising_is_idempotent(name in "\\PC{0,24}") {
        let once = normalise(&name);
        prop_assert_eq!(normalise(&once), once);
    }

    #[test]
    fn normalising_punctuation_is_idempotent(name in "[ \"'´“”«».,a-cÉ\u{301}\u{200d}\u{feff}ŉ—]{0,12}") {
        let once = normalise(&name);
        prop_assert_eq!(normalise(&once), once);
    }

    #[test]
    fn nothing_visible_becomes_nothing(name in "[\\p{L}\\p{N}\\p{P}\\p{S}]{1,8}") {
        prop_assert!(!normalise(&name).is_empty());
    }

    #[test]
    fn no_letter_is_lost_to_nothing(name in "\\p{L}{1,12}") {
        prop_assert!(!normalise(&name).is_empty());
    }
}
