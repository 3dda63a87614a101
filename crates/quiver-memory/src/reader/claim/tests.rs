//! Each case was judged by reading its sentence: a claim that the sentence does not state must not stand.

use super::*;
use crate::reader::EarlierTurn;

/// Checks a claim about a turn that Ada says on Wednesday, 14 June 2023, with the whole sentence or turn as its quote.
fn claim(text: &str, quote: &str, [subject, predicate, object]: [&str; 3]) -> Result<ReadFact, Unfounded> {
    let turn = turn(text);
    let claim = Claim {
        quote: quote.to_owned(),
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        ..Claim::default()
    };
    check(&claim, &turn).map(|checked| checked.fact)
}

fn turn(text: &str) -> TurnToRead<'_> {
    TurnToRead { text, speaker: Some("Ada"), time: from_civil(2023, 6, 14), ..TurnToRead::default() }
}

fn whole(text: &str, parts: [&str; 3]) -> Result<ReadFact, Unfounded> {
    claim(text, text, parts)
}

#[test]
fn what_a_clause_states_stands() {
    for (text, parts) in [
        ("Redis is looked after by Mo.", ["Redis", "is looked after by", "Mo"]),
        ("Mo runs the Redis cache.", ["Mo", "runs", "the Redis cache"]),
        ("The importer depends on Redis.", ["The importer", "depends on", "Redis"]),
        ("I sing in the Bergen choir.", ["Ada", "sings in", "Bergen choir"]),
        ("I'm allergic to walnuts.", ["Ada", "is allergic to", "walnuts"]),
        ("My sister Ines lives in Porto.", ["Ada", "has sister", "Ines"]),
        ("My sister lives in Porto.", ["Ada's sister", "lives in", "Porto"]),
        ("Apollo's owner is Mo Larsen.", ["Apollo", "has owner", "Mo Larsen"]),
        ("The owner of Apollo is Mo.", ["Apollo", "has owner", "Mo"]),
        ("Apollo has a budget of 90,000 euros.", ["Apollo", "has budget", "90,000 euros"]),
        ("Bug 712 has been reassigned to Ken.", ["Bug 712", "been reassigned to", "Ken"]),
        ("Yesterday, the crane moved to Dock 4.", ["crane", "moved to", "Dock 4"]),
        ("Mo keeps the bees, and Ana sells the Fjord honey.", ["Ana", "sells", "Fjord honey"]),
        ("Mo mentors me.", ["Mo", "mentors", "Ada"]),
        ("Kestrel gehört zu Apollo.", ["Kestrel", "gehört zu", "Apollo"]),
    ] {
        let fact = whole(text, parts).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!((fact.sentence.as_str(), fact.clause), (text, None), "the quote is the sentence");
    }
}

#[test]
fn what_no_clause_states_does_not_stand() {
    for (text, parts) in [
        // Turned round.
        ("Redis is looked after by Mo.", ["Redis", "looked after", "Mo"]),
        ("Redis is looked after by Mo.", ["Mo", "is looked after by", "Redis"]),
        ("Redis is run by Mo.", ["Redis", "run", "Mo"]),
        ("Mo reports to Ana.", ["Mo", "reports", "Ana"]),
        ("Mo's manager is Ana.", ["Mo", "is manager", "Ana"]),
        // Of another clause.
        ("Mo owns the cache, and Ana runs Redis.", ["Mo", "runs", "Redis"]),
        ("Mo left and Ana runs Redis.", ["Mo", "runs", "Redis"]),
        ("The owner of Redis lives in Oslo.", ["Redis", "lives in", "Oslo"]),
        ("My sister lives in Porto.", ["Ada", "lives in", "Porto"]),
        ("My sister Ines lives in Porto.", ["Ada", "lives in", "Porto"]),
        ("Mo's dog sleeps in Oslo.", ["Mo", "sleeps in", "Oslo"]),
        ("It is false that Mo runs Redis.", ["Mo", "runs", "Redis"]),
        ("Mo doubts Ana runs Redis.", ["Ana", "runs", "Redis"]),
        ("Reply that Mo runs Redis.", ["Mo", "runs", "Redis"]),
        ("My importer runs on Kestrel.", ["importer", "runs on", "Kestrel"]),
        ("Mo feeds that Bergen dog.", ["Mo", "feeds", "Bergen dog"]),
        ("Ich bezweifle, dass Mo Redis leitet.", ["Mo", "leitet", "Redis"]),
        // Of a part of a name, or of something else by that name.
        ("Mo runs the Redis cluster.", ["Mo", "runs", "Redis"]),
        ("The legacy API runs on Kestrel.", ["API", "runs on", "Kestrel"]),
        ("Mo Larsen runs Redis.", ["Mo", "runs", "Redis"]),
        ("The North Harbour Bridge is closed by Ana.", ["Harbour Bridge", "is closed by", "Ana"]),
        ("Mo runs the tests of Redis.", ["Mo", "runs", "tests"]),
        ("Mo runs Redis in staging.", ["Mo", "runs", "Redis"]),
        ("Mo feeds Ana's dog.", ["Mo", "feeds", "Ana"]),
        // Another predicate or tense.
        ("Mo runs Redis.", ["Mo", "owns", "Redis"]),
        ("Mo ran Redis.", ["Mo", "runs", "Redis"]),
        ("Redis was run by Mo.", ["Redis", "is run by", "Mo"]),
        ("Redis was run by Mo.", ["Redis", "run by", "Mo"]),
        ("Mo runs Redis.", ["Mo", "", "Redis"]),
        ("Kids run Redis.", ["Kids", "runs", "Redis"]),
    ] {
        let why = whole(text, parts).expect_err(text);
        assert!(matches!(why, Unfounded::Predicate { .. }), "{text}: {why}");
    }
}

#[test]
fn questions_guesses_hearsay_denials_and_jokes_state_nothing() {
    for (text, why) in [
        ("Mo runs Redis?", Unfounded::Question),
        ("He wrote “Mo runs Redis”.", Unfounded::Quotation),
        ("> Mo runs Redis", Unfounded::Quotation),
        ("I heard Mo runs Redis.", Unfounded::Uncertain { word: "heard".to_owned() }),
        ("Mo runs Redis, I think.", Unfounded::Uncertain { word: "think".to_owned() }),
        ("If Mo runs Redis, we are fine.", Unfounded::Uncertain { word: "if".to_owned() }),
        ("Mo runs Redis when Ana is away.", Unfounded::Uncertain { word: "when".to_owned() }),
        ("Imagine Mo runs Redis.", Unfounded::Uncertain { word: "imagine".to_owned() }),
        ("Mo runs Redis. Just kidding!", Unfounded::Uncertain { word: "kidding".to_owned() }),
        ("Mo runs Redis, not Kafka.", Unfounded::Negated),
        ("Mo runs Redis no longer.", Unfounded::Negated),
        ("Mo used to say Mo runs Redis.", Unfounded::Uncertain { word: "say".to_owned() }),
    ] {
        let quote = if text.contains("kidding") { "Mo runs Redis" } else { text };
        assert_eq!(claim(text, quote, ["Mo", "runs", "Redis"]).expect_err(text), why, "{text}");
    }
}

#[test]
fn the_quote_and_both_ends_must_be_said() {
    let text = "Mo runs Redis. Ana owns the cache.";
    let parts = ["Mo", "runs", "Redis"];
    let fact = claim(text, "Mo runs Redis", parts).unwrap();
    assert_eq!((fact.sentence.as_str(), fact.clause.as_deref()), ("Mo runs Redis.", Some("Mo runs Redis")));
    for quote in ["", "Mo leads Redis", "mo runs redis", "Redis. Ana owns", "Mo  runs Redis"] {
        assert_eq!(claim(text, quote, parts), Err(Unfounded::Quote), "{quote}");
    }
    let end = |name: &str| Err(Unfounded::End { name: name.to_owned() });
    assert_eq!(claim(text, "Mo runs", parts), end("Redis"), "it is said, but not in the quote");
    assert_eq!(claim(text, "o runs Redis", parts), end("Mo"), "half a word is no name");
    assert_eq!(whole("Mo runs Redis.", ["Mo", "runs", "Kafka"]), end("Kafka"));
    assert_eq!(whole("Mo runs Redis.", ["Ada", "runs", "Redis"]), end("Ada"), "Ada says nothing of herself");
    let vague = |name: &str| Err(Unfounded::Vague { name: name.to_owned() });
    assert_eq!(whole("It runs on Redis.", ["It", "runs on", "Redis"]), vague("It"));
    assert_eq!(whole("Mo runs Redis.", ["Mo", "runs", ""]), vague(""));
    assert!(whole("music helps people.", ["music", "helps", "people"]).is_err(), "of no particular thing");
    let nobody = TurnToRead { text: "I run Redis.", ..TurnToRead::default() };
    let claim = Claim {
        quote: "I run Redis".to_owned(),
        subject: "Ada".to_owned(),
        predicate: "runs".to_owned(),
        object: "Redis".to_owned(),
        ..Claim::default()
    };
    assert_eq!(check(&claim, &nobody).map(|checked| checked.fact), end("Ada"), "nobody knows who speaks");
}

#[test]
fn a_pronoun_refers_to_a_name_in_the_nearest_text_that_names_anything() {
    let before = [
        EarlierTurn { text: "Kafka was slow.", speaker: Some("Bo") },
        EarlierTurn { text: "Redis is down again.", speaker: None },
        EarlierTurn { text: "oh dear", speaker: None },
    ];
    let check = |text: &str, parts: [&str; 3]| {
        let [subject, predicate, object] = parts.map(str::to_owned);
        let claim = Claim { quote: text.to_owned(), subject, predicate, object, ..Claim::default() };
        check(&claim, &TurnToRead { before: &before, ..turn(text) }).map(|checked| checked.fact.subject)
    };
    assert_eq!(check("It is run by Mo.", ["Redis", "is run by", "Mo"]).unwrap(), "Redis");
    assert_eq!(check("Mo runs it.", ["Mo", "runs", "Redis"]).unwrap(), "Mo");
    let end = |name: &str| Err(Unfounded::End { name: name.to_owned() });
    assert_eq!(check("It is run by Mo.", ["Kafka", "is run by", "Mo"]), end("Kafka"), "Redis is nearer");
    assert_eq!(check("It is run by Mo.", ["Oslo", "is run by", "Mo"]), end("Oslo"));
    assert!(check("They run it.", ["Redis", "run", "Redis"]).is_err());
    let own = claim(
        "Mo Larsen joined today. He lives in Oslo.",
        "He lives in Oslo",
        ["Mo Larsen", "lives in", "Oslo"],
    );
    assert!(own.is_ok(), "{own:?}");
}

#[test]
fn a_denial_needs_a_word_that_denies() {
    let deny = |text: &str, parts: [&str; 3]| {
        let [subject, predicate, object] = parts.map(str::to_owned);
        let quote = text.to_owned();
        let claim = Claim { quote, subject, predicate, object, denied: true, ..Claim::default() };
        check(&claim, &turn(text)).map(|checked| checked.fact.denied)
    };
    for text in ["Mo no longer runs Redis.", "Mo does not run Redis anymore.", "Mo didn't run Redis."] {
        let predicate = if text.contains("didn't") { "run" } else { "runs" };
        assert_eq!(deny(text, ["Mo", predicate, "Redis"]), Ok(true), "{text}");
    }
    assert_eq!(deny("Mo runs Redis.", ["Mo", "runs", "Redis"]), Err(Unfounded::NotNegated));
    assert!(deny("Mo can't run Redis.", ["Mo", "runs", "Redis"]).is_err());
    assert!(deny("Mo does not run Redis or Kafka.", ["Mo", "runs", "Redis"]).is_err());
}

#[test]
fn dates_count_if_the_sentence_says_them() {
    let dated = |text: &str, from: Option<&str>, to: Option<&str>| {
        let claim = Claim {
            quote: text.to_owned(),
            subject: "Lena".to_owned(),
            predicate: "joined".to_owned(),
            object: "Redis Labs".to_owned(),
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            ..Claim::default()
        };
        let checked = check(&claim, &turn(text))?;
        Ok((checked.fact.valid_from, checked.fact.valid_to, checked.unsaid_date))
    };
    let day = |year, month, day| Some(from_civil(year, month, day));
    assert_eq!(dated("Lena joined Redis Labs.", None, None), Ok((None, None, None)));
    assert_eq!(
        dated("In May 2019 Lena joined Redis Labs.", Some("2019-05"), None),
        Ok((day(2019, 5, 1), None, None))
    );
    assert_eq!(
        dated("Lena joined Redis Labs yesterday.", Some("2023-06-13"), None),
        Ok((day(2023, 6, 13), None, None))
    );
    // What the rules read counts, whatever the reader claims.
    let since = dated("Since 3 May 2023 Lena joined Redis Labs.", Some("2020"), Some("2021"));
    assert_eq!(since, Ok((day(2023, 5, 3), None, None)));
    // A start that is not said is left out, and so is one that is no date.
    for from in ["2018-05", "soon", "2019-13", "2019-05-45", "19"] {
        let unsaid = dated("In May 2019 Lena joined Redis Labs.", Some(from), None);
        assert_eq!(unsaid, Ok((None, None, Some(from.to_owned()))), "{from}");
    }
    // An end that is not said, or not said as an end, would keep or end the fact wrongly.
    for text in ["Lena joined Redis Labs.", "In May 2019 Lena joined Redis Labs."] {
        let wrong = dated(text, None, Some("2019-05"));
        assert_eq!(wrong, Err(Unfounded::EndDate { date: "2019-05".to_owned() }), "{text}");
    }
}

#[test]
fn words_of_change_are_read_from_the_sentence() {
    let change = |text: &str| whole(text, ["Redis", "is run by", "Lena"]).unwrap().change;
    assert_eq!(change("Redis is run by Lena."), None);
    assert_eq!(change("Redis is now run by Lena.").as_deref(), Some("now"));
    assert_eq!(change("From now on Redis is run by Lena.").as_deref(), Some("from now on"));
}
