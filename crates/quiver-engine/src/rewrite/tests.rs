use quiver_models::Lexical;

use super::{answered_ranges, put_in_place};

/// Checks that the name replaces these words of the question.
fn check(question: &str, answered: &str, name: &str, expected: &str) {
    let lexical = Lexical::default();
    let words = lexical.query_terms(answered);
    let ranges = answered_ranges(question, |term| words.contains(&term), &lexical);
    assert_eq!(put_in_place(question, &ranges, name), expected);
}

#[test]
fn a_name_takes_the_place_of_what_was_answered() {
    check(
        "Who is the mother of the director of Polish-Russian War?",
        "Polish-Russian War",
        "Xawery Żuławski",
        "Who is the mother of the director of Xawery Żuławski?",
    );
    check(
        "Where was the author of The Lord of the Rings born?",
        "Lord of the Rings",
        "Tolkien",
        "Where was the author of The Tolkien born?",
    );
}

#[test]
fn names_beyond_the_first_are_left_out() {
    check(
        "Did Ada meet Brahe before Kepler died?",
        "Ada Kepler",
        "Rudolf II",
        "Did Rudolf II meet Brahe before died?",
    );
}

#[test]
fn a_name_is_added_where_nothing_was_answered() {
    check("Who founded the club?", "", "Bergen", "Who founded the club? Bergen");
}
