use super::{sentences, statements};

/// Returns the sentences of a text as strings.
fn split(text: &str) -> Vec<&str> {
    sentences(text).into_iter().map(|range| &text[range]).collect()
}

#[test]
fn titles_and_initials_end_nothing() {
    assert_eq!(
        split("Dr. Smith met J. R. R. Tolkien. They talked."),
        ["Dr. Smith met J. R. R. Tolkien.", "They talked."]
    );
    assert_eq!(
        split("John F. Kennedy spoke. St. Mary's was full."),
        ["John F. Kennedy spoke.", "St. Mary's was full."]
    );
}

#[test]
fn abbreviations_end_a_sentence_only_before_one_that_begins() {
    assert_eq!(
        split("He joined the U.S. Army in May. It was cold."),
        ["He joined the U.S. Army in May.", "It was cold."]
    );
    assert_eq!(
        split("She moved to the U.S. The war was over."),
        ["She moved to the U.S.", "The war was over."]
    );
    assert_eq!(
        split("Acme Inc. Holdings paid, e.g. The Times did. See No. 5 there."),
        ["Acme Inc. Holdings paid, e.g. The Times did.", "See No. 5 there."]
    );
}

#[test]
fn an_ellipsis_in_brackets_ends_nothing() {
    let text = "Look for a block `cloud { ... }` inside it. It may be missing ... Then ask.";
    assert_eq!(
        split(text),
        ["Look for a block `cloud { ... }` inside it.", "It may be missing ...", "Then ask."]
    );
}

#[test]
fn numbers_addresses_and_files_are_left_whole() {
    let text = "Take 3.5 mg daily. See https://example.org/a.b?c=1 or main.rs for v1.2. Done!";
    assert_eq!(
        split(text),
        ["Take 3.5 mg daily.", "See https://example.org/a.b?c=1 or main.rs for v1.2.", "Done!"]
    );
}

#[test]
fn quotations_and_notes_close_with_their_sentence() {
    assert_eq!(
        split("\"Stop!\" he cried. \"Why?\" She left.[12] Then (all of it.) Yes."),
        ["\"Stop!\" he cried.", "\"Why?\"", "She left.[12]", "Then (all of it.)", "Yes."]
    );
    assert_eq!(
        split("Yahoo! is a firm. Well... perhaps. Well... Perhaps."),
        ["Yahoo! is a firm.", "Well... perhaps.", "Well...", "Perhaps."]
    );
}

#[test]
fn other_scripts_have_their_own_marks() {
    assert_eq!(
        split("他出生在北京。她说：「你好！」然后走了。真的吗？"),
        ["他出生在北京。", "她说：「你好！」", "然后走了。", "真的吗？"]
    );
    assert_eq!(
        split("А. С. Пушкин родился в Москве в 1799 г. Он был поэтом. Точка."),
        ["А. С. Пушкин родился в Москве в 1799 г.", "Он был поэтом.", "Точка."]
    );
    assert_eq!(
        split("هل وصل القطار؟ نعم وصل. ذهب إلى القاهرة."),
        ["هل وصل القطار؟", "نعم وصل.", "ذهب إلى القاهرة."]
    );
    assert_eq!(split("यह एक वाक्य है। वह दूसरा है।"), ["यह एक वाक्य है।", "वह दूसरा है।"]);
}

#[test]
fn blocks_end_sentences_and_wrapped_lines_do_not() {
    let text = "# The plan\nWe begin with the walls, which have to be high enough to\nkeep the wind out. Then:\n\n- buy \
                bricks\n- mix mortar\n  slowly\n1. Lay them.\n2. Wait\n\nEnd";
    assert_eq!(
        split(text),
        [
            "The plan",
            "We begin with the walls, which have to be high enough to\nkeep the wind out.",
            "Then:",
            "buy bricks",
            "mix mortar\n  slowly",
            "Lay them.",
            "Wait",
            "End"
        ]
    );
    assert_eq!(split("Name: Ada\nAge: 36\nrole: founder"), ["Name: Ada", "Age: 36\nrole: founder"]);
}

#[test]
fn nothing_has_no_sentences() {
    assert!(split("").is_empty());
    assert!(split(" \n\n ... --- \n").is_empty());
}

#[test]
fn ranges_are_in_order_and_within_the_text() {
    let text = "Ça va? Oui… Très bien! 「はい。」 ".repeat(50);
    let found = sentences(&text);
    assert!(found.len() >= 150);
    assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start));
}

#[test]
fn the_full_stop_of_a_german_ordinal_ends_nothing() {
    assert_eq!(split("Er kam am 3. Mai an. Sie blieb."), ["Er kam am 3. Mai an.", "Sie blieb."]);
    assert_eq!(split("They scored 3. May we go?"), ["They scored 3.", "May we go?"]);
}

#[test]
fn a_turn_typed_without_capitals_is_split_into_statements() {
    let text = "i got it. ask our rep. She knows Dr. Berg; see no. 4\nhe moved to the U.S. in May";
    let found: Vec<&str> = statements(text).into_iter().map(|range| &text[range]).collect();
    assert_eq!(
        found,
        ["i got it.", "ask our rep.", "She knows Dr. Berg;", "see no. 4", "he moved to the U.S. in May"]
    );
    assert!(statements(" \n ").is_empty());
}
