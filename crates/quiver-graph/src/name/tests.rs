use proptest::prelude::*;

use super::normalise;

#[test]
fn spellings_of_one_name_meet() {
    for (a, b) in [
        ("  Marie   Curie ", "marie curie"),
        ("“Polish–Russian War”", "polish-russian war"),
        ("O’Neill", "o'neill"),
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

proptest! {
    #[test]
    fn normalising_is_idempotent(name in "\\PC{0,24}") {
        let once = normalise(&name);
        prop_assert_eq!(normalise(&once), once);
    }

    #[test]
    fn no_letter_is_lost_to_nothing(name in "\\p{L}{1,12}") {
        prop_assert!(!normalise(&name).is_empty());
    }
}
