//! Turns of conversations with all the facts that they state, so that one fact too many fails the test. The
//! turns were written before the rules were run on them.

use crate::{
    calendar::{from_civil, to_civil},
    reader::{TurnToRead, read_turn},
};

/// Reads a turn that Ada says on Wednesday, 14 June 2023.
fn lines(text: &str) -> Vec<String> {
    let turn =
        TurnToRead { text, speaker: Some("Ada"), time: from_civil(2023, 6, 14), ..TurnToRead::default() };
    let facts = read_turn(&turn).into_iter().map(|fact| {
        let denied = if fact.denied { "not: " } else { "" };
        let since = fact.valid_from.map(|from| {
            let (year, month, day) = to_civil(from);
            format!(" @{year}-{month:02}-{day:02}")
        });
        let since = since.unwrap_or_default();
        format!("{denied}{} | {} | {}{since}", fact.subject, fact.predicate, fact.object)
    });
    facts.collect()
}

fn check(cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expect)| lines(text) != *expect)
        .map(|(text, expect)| format!("{text}\n  read:   {:?}\n  expect: {expect:?}", lines(text)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn home_work_and_school_are_read() {
    check(&[
        (
            "Hi Bo! I moved to Lisbon in May and started a new job at Hartwell Labs.",
            &["Ada | moved to | Lisbon @2023-05-01", "Ada | started | new job at Hartwell Labs"],
        ),
        (
            "Well, I teach chemistry at Larkspur High School.",
            &["Ada | teaches | chemistry", "Ada | teaches at | Larkspur High School"],
        ),
        (
            "My brother works as a paramedic in Leeds.",
            &["Ada's brother | works as | paramedic", "Ada's brother | works in | Leeds"],
        ),
        ("I'm a freelance translator, but I used to be a lawyer.", &["Ada | is a | freelance translator"]),
        (
            "I graduated from Uppsala University in 2015.",
            &["Ada | graduated from | Uppsala University @2015-01-01"],
        ),
        (
            "Jonas works at the Norwegian Mapping Authority.",
            &["Jonas | works at | Norwegian Mapping Authority"],
        ),
        (
            "I'm originally from Tromsø, but I grew up in Malmö.",
            &["Ada | is from | Tromsø", "Ada | grew up in | Malmö"],
        ),
        ("I've been living in Ghent since 2018.", &["Ada | lives in | Ghent @2018-01-01"]),
        ("I quit my job at Fenwick on Monday.", &["Ada | quit | job at Fenwick @2023-06-12"]),
        ("By the way, I finished my PhD in March!", &["Ada | finished | PhD @2023-03-01"]),
        ("I own a small bakery in Delft.", &["Ada | owns | small bakery in Delft"]),
        ("I work in fast food.", &["Ada | works in | fast food"]),
        ("I work at the Institute of Technology.", &["Ada | works at | Institute of Technology"]),
        ("I am a student at Auburn right now.", &["Ada | is a | student at Auburn"]),
    ]);
}

#[test]
fn family_and_pets_are_read() {
    check(&[
        (
            "My sister Ines lives in Porto, so I see her every weekend.",
            &["Ada | has sister | Ines", "Ines | lives in | Porto"],
        ),
        (
            "Our dog is called Biscuit, and my wife's name is Eva.",
            &["Ada | has dog | Biscuit", "Ada | has wife | Eva"],
        ),
        (
            "We adopted two kittens from the shelter last month.",
            &["Ada | adopted | two kittens from the shelter @2023-05-01"],
        ),
        ("I have two daughters and a son.", &["Ada | has | two daughters", "Ada | has | son"]),
        ("I have a parrot named Pico.", &["Ada | has parrot | Pico"]),
        ("I got married to Tom in 2019 in Vienna.", &["Ada | got married to | Tom @2019-01-01"]),
        ("My grandmother passed away on 3 March.", &["Ada's grandmother | died on | 3 March @2023-03-03"]),
        ("My cousin Mira got a job at Northwind last Friday!", &["Ada | has cousin | Mira"]),
        ("I'd like to introduce my colleague Priya.", &["Ada | has colleague | Priya"]),
        ("My sister Ann said she works at Google.", &["Ada | has sister | Ann"]),
        (
            "Congrats on the puppy! I got a hamster yesterday. His name is Otto.",
            &["Ada | got | hamster @2023-06-13", "Ada | has hamster | Otto"],
        ),
        ("My son is 12 and my daughter is 9.", &["Ada's son | has age | 12", "Ada's daughter | has age | 9"]),
        ("My birthday is on 9 October.", &["Ada | has birthday | 9 October"]),
    ]);
}

#[test]
fn health_belongings_and_pastimes_are_read() {
    check(&[
        (
            "Yeah, I'm allergic to peanuts and shellfish.",
            &["Ada | is allergic to | peanuts", "Ada | is allergic to | shellfish"],
        ),
        ("I was diagnosed with asthma two years ago!", &["Ada | was diagnosed with | asthma @2021-01-01"]),
        ("I speak Danish and a little Polish.", &["Ada | speaks | Danish"]),
        ("My favourite book is Middlemarch.", &["Ada | has favourite book | Middlemarch"]),
        ("I'm a member of the Riverside Choir.", &["Ada | is a member of | Riverside Choir"]),
        ("I joined a climbing club last week, it's fun.", &["Ada | joined | climbing club @2023-06-05"]),
        ("I'm a huge fan of Lord of the Flies!", &["Ada | is a fan of | Lord of the Flies"]),
        ("I'm now part of the night watch crew.", &["Ada | is part of | night watch crew"]),
        ("I lost my job at Fenwick in May.", &["Ada | lost | job at Fenwick @2023-05-01"]),
        ("I drive a Volvo.", &["Ada | drives | Volvo"]),
        ("I play the cello in a quartet.", &["Ada | plays | cello"]),
        ("I'm vegetarian, so no ham for me.", &["Ada | is | vegetarian"]),
        ("I'm left-handed and I wear glasses.", &["Ada | is | left-handed"]),
        ("I bought a house near Bergen last year.", &["Ada | bought | house near Bergen @2022-01-01"]),
        ("Last summer I visited Iceland with my husband, Karl.", &["Ada | visited | Iceland"]),
    ]);
}

#[test]
fn what_holds_only_in_part_or_not_at_all_is_not_read() {
    for text in [
        "Do you live in Oslo? I'd love to move to Oslo.",
        "If I lived in Rome, I would have a Vespa.",
        "I prefer going to work by tram.",
        "I'd say a large size, but I prefer the blue one with buttons.",
        "I got the job at Kestrel, I start on 1 December!",
        "I applied for a post at the harbour office and signed up for a half marathon.",
        "I work for a small company that rents boats.",
        "I've been working in the field since 2012.",
        "My favourite genre is probably horror.",
        "My favourite book is Gulliver's Travels to the Moon.",
        "I'm a big fan of the Salt and Pepper films.",
        "We are engaged with all parties.",
        "We have new computers here.",
        "We have nasty snakes.",
        "I have important business to take care of.",
        "We visited a variety of workshops last year.",
        "We launched Harbour Together Norway last year.",
        "My lease ends next month.",
        "We are working for Norwegians.",
        "Felix got my goat last night.",
        "Mary's birthday is coming.",
        "I work in the evening.",
        "I'm going to start a new job at Kestrel.",
        "I don't have a dog.",
        "I think my sister works at a bank.",
        "I wish I had a brother named Max.",
        "She lives in Paris with him.",
        "Haha, I live in chaos!",
        "I feel like I adopted your whole family.",
        "I almost bought a boat last summer.",
        "Imagine I moved to Mars.",
        "He said I was born in a barn.",
        "My phone says I live in Bonn.",
        "I never joined the club.",
        "Is your sister Ann coming?",
        "We used to have a cat called Soot.",
        "I'm just kidding, I got a tattoo yesterday.",
        "I work from home on Fridays.",
        "I'm in Berlin this week.",
        "I ran the Berlin Marathon in September, can you believe it?",
        "Not that I live in Oslo or anything.",
        "I got a call from the bank yesterday.",
        "I started crying at the wedding.",
        "I took a picture of the lake yesterday.",
        "She told me, \"I moved to Lima last week.\"",
        "I bought it yesterday and I love it.",
        "My family is my rock.",
        "I'm a bit tired today.",
        "I'm a student at heart.",
        "I'm a good judge of character.",
        "I had a stroke of luck yesterday.",
        "I got a hot dog at the game yesterday.",
        "I bought a toy car for you.",
        "I left my laptop at home.",
        "Coffee is my best friend.",
        "My favourite season is coming.",
        "My favourite shop is gone.",
        "My favourite part is the ending.",
        "We moved to Kafka last year.",
        "I went to an event recently.",
        "I got this puppy for you!",
        "Yeah, I saw \"That\"!",
        "My boss thinks I live in Oslo.",
        "I got married to my work.",
        "I turned 30 pages yesterday.",
    ] {
        assert_eq!(lines(text), Vec::<String>::new(), "{text}");
    }
    let nobody = TurnToRead { text: "I moved to Lisbon in May.", ..TurnToRead::default() };
    assert_eq!(read_turn(&nobody), []);
}

#[test]
fn a_verb_in_capitals_is_not_part_of_a_name() {
    check(&[
        ("My cousin Milo DJs at a roller rink.", &["Ada | has cousin | Milo"]),
        ("My friend Pia MCs every Friday.", &["Ada | has friend | Pia"]),
        ("My sister Ines LOVES the sea.", &["Ada | has sister | Ines"]),
        ("My neighbour Ivo YODELS at night.", &["Ada | has neighbour | Ivo"]),
        ("My son Karl III is asleep.", &["Ada | has son | Karl III"]),
        (
            "My brother Tom Banks lives in Bonn.",
            &["Ada | has brother | Tom Banks", "Tom Banks | lives in | Bonn"],
        ),
    ]);
}
