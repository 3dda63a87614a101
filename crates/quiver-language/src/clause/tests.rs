use std::fmt::Write;

use super::{Clause, Mood, Tense, Voice, clauses};

/// Formats a clause: subject, verb with its features, arguments, times, adverbs.
fn shown(text: &str, clause: &Clause) -> String {
    let predicate = &clause.predicate;
    let mut out = format!("{} | ", &text[clause.subject.range.clone()]);
    out.push_str(if clause.is_negated { "not " } else { "" });
    out.push_str(match predicate.tense {
        Tense::Past => "did ",
        Tense::Present => "",
        Tense::Future => "will ",
    });
    out.push_str(if predicate.is_former { "once " } else { "" });
    out.push_str(if predicate.is_perfect { "perfectly " } else { "" });
    out.push_str(if predicate.is_progressive { "still " } else { "" });
    out.push_str(if predicate.voice == Voice::Passive { "be-done " } else { "" });
    out.push_str(&predicate.lemma);
    if let Some(particle) = &predicate.particle {
        write!(out, " {}", &text[particle.clone()]).unwrap();
    }
    for argument in &clause.arguments {
        let preposition = argument.preposition.clone().map(|range| format!("{} ", &text[range]));
        write!(out, " | {}{}", preposition.unwrap_or_default(), &text[argument.phrase.range.clone()])
            .unwrap();
    }
    for time in &clause.times {
        write!(out, " | @{}", &text[time.range.clone()]).unwrap();
    }
    for adverb in &clause.adverbs {
        write!(out, " | +{}", &text[adverb.clone()]).unwrap();
    }
    if clause.mood != Mood::Asserted {
        write!(out, " | {:?}", clause.mood).unwrap();
    }
    out
}

fn read(text: &str) -> Vec<String> {
    clauses(text).iter().map(|clause| shown(text, clause)).collect()
}

/// Compares all clauses of each text with the expected ones, exactly.
fn check(cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, wanted)| read(text) != *wanted)
        .map(|(text, wanted)| format!("{text}\n  read   {:?}\n  wanted {wanted:?}", read(text)))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_statement_gives_subject_verb_and_object() {
    check(&[
        ("Lena runs the bakery.", &["Lena | run | the bakery"]),
        ("The pump failed yesterday.", &["The pump | did fail | @yesterday"]),
        ("My sister lives in Bergen.", &["My sister | live | in Bergen"]),
        ("Ada and Tom own a boat.", &["Ada and Tom | own | a boat"]),
        (
            "She moved from Oslo to Bergen in May 2021.",
            &["She | did move | from Oslo | to Bergen | @in May 2021"],
        ),
        (
            "The archive contains three maps of the harbour.",
            &["The archive | contain | three maps of the harbour"],
        ),
        ("Rita's brother drives the night bus.", &["Rita's brother | drive | the night bus"]),
        ("The museum is open.", &["The museum | be | open"]),
        ("The choir meets in the hall each week.", &["The choir | meet | in the hall | +each week"]),
        ("Bern is the capital of Switzerland.", &["Bern | be | the capital of Switzerland"]),
        ("The gate is at the far side of the garden.", &["The gate | be | at the far side of the garden"]),
        ("We bought bread, milk and a lamp.", &["We | did buy | bread, milk and a lamp"]),
        ("The council shut down the mill in 1911.", &["The council | did shut down | the mill | @in 1911"]),
    ]);
}

#[test]
fn voice_tense_and_polarity_are_told() {
    check(&[
        (
            "The bridge was built by the army in 1932.",
            &["The bridge | did be-done build | by the army | @in 1932"],
        ),
        ("The form has been signed.", &["The form | perfectly be-done sign"]),
        ("The roof is being repaired.", &["The roof | still be-done repair"]),
        ("Nils doesn't eat fish.", &["Nils | not eat | fish"]),
        ("The lift has not worked since March.", &["The lift | not perfectly work | @since March"]),
        ("The clinic no longer accepts cash.", &["The clinic | not accept | cash | +no longer"]),
        ("Vera will visit Porto next week.", &["Vera | will visit | Porto | @next week"]),
        ("I'm going to sell the van.", &["I | will sell | the van"]),
        ("They're painting the hall.", &["They | still paint | the hall"]),
        ("We've ordered two benches.", &["We | perfectly order | two benches"]),
        ("Omar used to teach chemistry.", &["Omar | did once teach | chemistry"]),
        ("It isn't raining.", &[]),
        ("Ivo never drinks coffee.", &["Ivo | not drink | coffee | +never"]),
        ("Nobody owns the shed.", &["Nobody | not own | the shed"]),
        ("The house has no garden.", &["The house | not have | no garden"]),
        ("The budget was never approved.", &["The budget | not did be-done approve"]),
    ]);
}

#[test]
fn modals_say_how_it_is_meant() {
    check(&[
        ("The valve can withstand great heat.", &["The valve | withstand | great heat | Possible"]),
        ("Visitors must sign the book.", &["Visitors | sign | the book | Obliged"]),
        ("The ferry might stop in June.", &["The ferry | stop | @in June | Hypothetical"]),
        ("She would buy the house.", &["She | buy | the house | Hypothetical"]),
    ]);
}

#[test]
fn coordinated_clauses_are_read_one_by_one() {
    check(&[
        (
            "Paul left Acme in May and joined Initech in June.",
            &["Paul | did leave | Acme | @in May", "Paul | did join | Initech | @in June"],
        ),
        ("The pump failed, but the tank is full.", &["The pump | did fail", "the tank | be | full"]),
        ("We moved the meeting to Friday because the hall is closed.", &[]),
        ("The server crashed; Mia restarted it.", &["The server | did crash", "Mia | did restart | it"]),
    ]);
}

#[test]
fn what_opens_a_sentence_keeps_its_place() {
    check(&[
        ("Since last Monday Lena runs the bakery.", &["Lena | run | the bakery | @Since last Monday"]),
        ("In 1998 the firm opened a shop in Graz.", &["the firm | did open | a shop | in Graz | @In 1998"]),
        ("However, the plan failed.", &["the plan | did fail | +However"]),
        ("Today we closed the deal.", &["we | did close | the deal | @Today"]),
        ("Yes, Ana now owns the flat.", &["Ana | own | the flat | +Yes | +now"]),
        (
            "Before she moved to Ghent, Ida taught chemistry.",
            &["Ida | did teach | chemistry | @Before she moved to Ghent"],
        ),
    ]);
}

#[test]
fn what_is_not_stated_gives_nothing() {
    check(&[
        ("Does Lena run the bakery?", &[]),
        ("Lena runs the bakery?", &[]),
        ("If Lena runs the bakery, Tom is glad.", &[]),
        ("Restart the pump.", &[]),
        ("Check logs daily.", &[]),
        ("I wish Lena ran the bakery.", &[]),
        ("Tom said that Lena runs the bakery.", &[]),
        ("I think Lena runs the bakery.", &[]),
        ("The woman who runs the bakery left town.", &[]),
        ("Lena, who runs the bakery, left.", &[]),
        ("Tom wants to buy the bakery.", &[]),
        ("Running the bakery is hard.", &[]),
        ("Lena saw Tom running.", &[]),
        ("The bakery run by Lena closed.", &[]),
        ("When Lena runs the bakery, bread is good.", &[]),
        ("Bakery of the year: Lena runs it.", &[]),
        ("It is.", &[]),
        ("Thanks!", &[]),
        ("Glad I could help.", &[]),
        ("The new clock makes Petra set the table.", &[]),
        ("The birds we've seen", &[]),
        ("Travel Desk links", &[]),
        ("The goal is finding a home.", &[]),
        ("A letter sent to the mayor annually.", &[]),
        ("I know this requires care.", &[]),
        ("List of things people can borrow.", &[]),
        ("Saturday service is free.", &[]),
        ("Take your bag and leave.", &[]),
        ("Mail views", &[]),
        ("Help needed", &[]),
        ("Issues reported on the bus line", &[]),
        ("Custom window frames", &[]),
        ("Sorting garden tools", &[]),
        ("Core promises", &[]),
        ("Lets paint the fence.", &[]),
        ("Ivo tried to work on it.", &[]),
        ("Nina sent a letter asking for help.", &[]),
        ("The chart shows the data sent by the probe.", &[]),
        ("Rock based on quartz", &[]),
        ("Nora next steps", &[]),
        ("The list of shops looks like this.", &[]),
        ("Die Bäckerei ist seit Montag geschlossen und wird von Lena geführt.", &[]),
    ]);
}

#[test]
fn two_readings_give_nothing() {
    check(&[
        ("The test runs failed.", &[]),
        ("Time flies like an arrow.", &[]),
        ("The old man the boats.", &[]),
        ("She's moved to Rome.", &[]),
        ("Her duck swims.", &["Her duck | swim"]),
    ]);
}

#[test]
fn every_span_lies_within_its_text() {
    let text = "Ünal’s café opened in İzmir; “Blue Door” sells 16 kg of tea. She'll close it on 3 May.";
    for clause in clauses(text) {
        let arguments = clause.arguments.iter().map(|argument| argument.phrase.range.clone());
        let spans = arguments.chain([
            clause.range.clone(),
            clause.subject.range.clone(),
            clause.predicate.range.clone(),
        ]);
        for span in spans {
            assert!(text.get(span.clone()).is_some_and(|text| !text.is_empty()), "{span:?}");
        }
    }
}
