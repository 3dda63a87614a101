//! Every case lists all facts of its text, so one fact too many fails the test.

use super::*;
use crate::calendar::{DAY, from_civil};

/// Reads a turn that Ada says on Wednesday, 14 June 2023.
fn read_by_ada(text: &str) -> Vec<ReadFact> {
    let turn =
        TurnToRead { text, speaker: Some("Ada"), time: from_civil(2023, 6, 14), ..TurnToRead::default() };
    read_turn(&turn)
}

fn lines(text: &str) -> Vec<String> {
    let line = |fact: ReadFact| {
        let ReadFact { subject, predicate, object, denied, change, .. } = fact;
        let denied = if denied { "not: " } else { "" };
        let change = change.map(|change| format!(" [{change}]")).unwrap_or_default();
        format!("{denied}{subject} | {predicate} | {object}{change}")
    };
    read_by_ada(text).into_iter().map(line).collect()
}

fn check(cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expect)| lines(text) != *expect)
        .map(|(text, expect)| format!("{text}\n  read:   {:?}\n  expect: {expect:?}", lines(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn who_has_or_does_what_is_read() {
    check(&[
        ("Ann manages Bob.", &["Ann | manages | Bob"]),
        ("Redis is run by Mo.", &["Redis | is run by | Mo"]),
        ("From now on Redis is run by Lena.", &["Redis | is run by | Lena [from now on]"]),
        ("Ana runs Redis now.", &["Ana | runs | Redis [now]"]),
        ("Mo no longer runs Redis.", &["not: Mo | runs | Redis"]),
        ("SessionStore is owned by Team Falcon.", &["SessionStore | is owned by | Team Falcon"]),
        ("I manage the seed library.", &["Ada | manages | seed library"]),
        ("Mara Lind is the lead of Apollo.", &["Mara Lind | is the lead of | Apollo"]),
        ("Apollo's owner is Mo.", &["Apollo | has owner | Mo"]),
        ("Ivo is responsible for the ferry timetable.", &["Ivo | is responsible for | ferry timetable"]),
        ("Bug 712 is assigned to Rosa.", &["Bug 712 | is assigned to | Rosa"]),
        ("Bug 712 has been reassigned to Ken.", &["Bug 712 | has been reassigned to | Ken [reassigned]"]),
        ("Rosa reports to Ken Adeyemi.", &["Rosa | reports to | Ken Adeyemi"]),
        ("I'm working on N-API.", &["Ada | is working on | N-API"]),
        ("I live in Bergen.", &["Ada | lives in | Bergen"]),
        ("Mo owns the cache, but Ana runs Redis.", &["Mo | owns | cache", "Ana | runs | Redis"]),
        ("Ken mentors Rosa and Ivo.", &["Ken | mentors | Rosa", "Ken | mentors | Ivo"]),
    ]);
}

#[test]
fn what_things_are_and_need_is_read() {
    check(&[
        ("AuthModule depends on RateLimiter.", &["AuthModule | depends on | RateLimiter"]),
        ("We use PostgreSQL.", &["we | use | PostgreSQL"]),
        ("The importer runs on Kestrel.", &["importer | runs on | Kestrel"]),
        ("Ticket 4471 has priority high.", &["Ticket 4471 | has priority | high"]),
        (
            "Ticket 4471 has been reclassified to critical.",
            &["Ticket 4471 | has been reclassified to | critical [reclassified]"],
        ),
        ("We moved billing from Redis to Kafka.", &[]),
        (
            "We moved the billing queue from Redis to Kafka.",
            &["billing queue | moved to | Kafka [from Redis]"],
        ),
        ("The budget of Apollo is 90,000 euros.", &["Apollo | has budget | 90,000 euros"]),
        ("Apollo has a budget of 90,000 euros.", &["Apollo | has budget | 90,000 euros"]),
        ("The deadline for the tide report is 3 July.", &["tide report | has deadline | 3 July"]),
        ("The Bergen contract expires on 3 May 2024.", &["Bergen contract | expires on | 3 May 2024"]),
        ("The legacy API is deprecated.", &["legacy API | has status | deprecated"]),
        ("The archive is located in Bergen.", &["archive | is located in | Bergen"]),
        ("The board agreed on Lisbon.", &["board | agreed on | Lisbon"]),
        ("The deadline for Heron moved to 15 October.", &["Heron | has deadline | 15 October [moved]"]),
        ("The status of ticket_91 is open.", &["ticket_91 | has status | open"]),
        ("We've decided to use Kafka.", &["we | decided to use | Kafka"]),
        ("We decided to use Postgres.", &["we | decided to use | Postgres"]),
        ("Ada Lovelace wrote the first program.", &["Ada Lovelace | wrote | first program"]),
        ("The picnic is cancelled.", &["picnic | has status | cancelled"]),
        ("Kestrel weighs 40 kg.", &["Kestrel | weighs | 40 kg"]),
    ]);
}

#[test]
fn what_is_not_surely_stated_is_not_read() {
    for text in [
        "Wow is cool.",
        "Who runs Redis?",
        "If Mo runs Redis, we are fine.",
        "Maybe Mo runs Redis.",
        "I think Mo owns the cache.",
        "Mo might own the cache.",
        "Mo should own the cache.",
        "Redis is great.",
        "I love cooking pasta.",
        "It is run by Mo.",
        "That runs on Kestrel.",
        "My family supports me.",
        "Painting leads to growth.",
        "I need a break.",
        "I use it every day.",
        "The kids run around the garden.",
        "Mo runs Redis, I heard.",
        "Mo does not run Redis or Kafka.",
        "Redis is like a dictionary.",
        "Let's say Mo owns the cache!",
        "He said \"Mo owns the cache\".",
        "Music helps people.",
        "Nature holds a special place in my heart.",
        "The best way to use Redis is with care.",
        "The water is frozen.",
        "The road ahead is blocked.",
        "The length depends on the particular situation.",
        "The five minutes are finished.",
        "The office of our boss is closed.",
    ] {
        assert_eq!(lines(text), Vec::<String>::new(), "{text}");
    }
    let nobody = TurnToRead { text: "I manage the seed library.", ..TurnToRead::default() };
    assert_eq!(read_turn(&nobody), []);
}

#[test]
fn dates_in_text_say_when_a_fact_holds() {
    let day = |year, month, day| Some(from_civil(year, month, day));
    for (text, from, to) in [
        ("Lena runs Redis.", None, None),
        ("Since last Monday Lena runs Redis.", day(2023, 6, 12), None),
        ("Lena runs Redis until 3 July.", None, day(2023, 7, 4)),
        ("From 1 to 15 July Lena runs Redis.", day(2023, 7, 1), day(2023, 7, 16)),
        ("Starting next week, Lena runs Redis.", day(2023, 6, 19), None),
        ("As of Q3 Lena runs Redis.", day(2023, 7, 1), None),
        ("As of this morning, Lena runs Redis.", Some(from_civil(2023, 6, 14)), None),
        ("Lena runs Redis from 2 May 2023 until 2023-08-01.", day(2023, 5, 2), day(2023, 8, 2)),
        ("Since two weeks ago Lena runs Redis.", day(2023, 5, 31), None),
    ] {
        let facts = read_by_ada(text);
        let [fact] = facts.as_slice() else { panic!("{text}: {facts:?}") };
        let said = (fact.subject.as_str(), fact.predicate.as_str(), fact.object.as_str());
        assert_eq!(said, ("Lena", "runs", "Redis"), "{text}");
        assert_eq!((fact.valid_from, fact.valid_to), (from, to), "{text}");
    }
    assert_eq!(from_civil(2023, 6, 14) + DAY, from_civil(2023, 6, 15));
}

#[test]
fn a_denial_begins_when_its_sentence_says() {
    let facts = read_by_ada("As of 2 May 2023 Mo no longer runs Redis.");
    let [fact] = facts.as_slice() else { panic!("{facts:?}") };
    assert_eq!((fact.denied, fact.valid_from), (true, Some(from_civil(2023, 5, 2))));
}

#[test]
fn who_takes_over_and_what_moves_is_read_of_the_thing_without_its_article() {
    check(&[
        (
            "The deadline of the harbour survey was moved to 4 September 2023.",
            &["harbour survey | has deadline | 4 September 2023 [moved]"],
        ),
        (
            "The budget for the seed library has been raised to 900 euros.",
            &["seed library | has budget | 900 euros [raised]"],
        ),
        ("Rosa took over the seed library from Ken.", &["Rosa | took over | seed library [took over]"]),
        ("Rosa takes over the night shift.", &["Rosa | took over | night shift [took over]"]),
        ("Ivo has taken over Kestrel.", &["Ivo | took over | Kestrel [took over]"]),
        ("Rosa took over in May.", &[]),
        ("Rosa took over as chair.", &[]),
        ("Rosa might take over the seed library.", &[]),
        ("Ola is away from June, Rosa takes over the seed library.", &[]),
    ]);
}

#[test]
fn any_verb_between_two_things_states_a_fact() {
    check(&[
        ("Odile tunes the concert harp.", &["Odile | tunes | concert harp"]),
        ("Birk fosters Ronja.", &["Birk | fosters | Ronja"]),
        ("The upper weir feeds Lake Orsa.", &["upper weir | feeds | Lake Orsa"]),
        ("Tram 12 stops at Quarry Hill.", &["Tram 12 | stops at | Quarry Hill"]),
        ("Tram 12 departs from Quarry Hill.", &["Tram 12 | departs from | Quarry Hill"]),
        ("Mayor Lund succeeded Mayor Berg.", &["Mayor Lund | succeeded | Mayor Berg"]),
        ("The concert harp is tuned by Odile.", &["concert harp | is tuned by | Odile"]),
        ("The storm sail was sewn by Halvard Ness.", &["storm sail | was sewn by | Halvard Ness"]),
        ("The red tractor is parked in Shed Two.", &["red tractor | is parked in | Shed Two"]),
        ("Stew is served at Luna.", &["Stew | is served at | Luna"]),
        (
            "Plans for Heron have been confirmed by Odile",
            &["Plans for Heron | has been confirmed by | Odile"],
        ),
        ("Alarm 7 has been escalated to urgent.", &["Alarm 7 | has been escalated to | urgent [escalated]"]),
        ("Boiler 3 has safety class good.", &["Boiler 3 | has safety class | good"]),
        ("The harbour wall has a weight limit of 40 t.", &["harbour wall | has weight limit | 40 t"]),
    ]);
}

#[test]
fn a_clause_is_read_by_its_parts_if_it_says_more() {
    check(&[
        (
            "Odile tunes the concert harp in the small hall every other week.",
            &["Odile | tunes | concert harp in the small hall"],
        ),
        ("Birk fosters Ronja during the winter, usually with a neighbour.", &["Birk | fosters | Ronja"]),
        (
            "The key to the boat shed is kept by Halvard Ness.",
            &["key to the boat shed | is kept by | Halvard Ness"],
        ),
        (
            "The storm sail was brought from Bergen by Odile on a trailer.",
            &["storm sail | was brought by | Odile", "storm sail | was brought from | Bergen"],
        ),
        ("The play is based on a novel by Hamsun.", &[]),
        (
            "The bench was given by the baker on Quarry Street.",
            &["bench | was given by | baker on Quarry Street"],
        ),
        ("We buy our strings from a luthier called Ferris.", &["we | buy strings from | Ferris"]),
        ("Ronja takes her orders from Captain Lund.", &["Ronja | takes orders from | Captain Lund"]),
        (
            "The harbour office is led by Mayor Lund, who collects the dues.",
            &["harbour office | is led by | Mayor Lund", "Mayor Lund | collects | dues"],
        ),
        (
            "Birk is the nephew of Mayor Lund and lives by the weir.",
            &["Birk | is the nephew of | Mayor Lund", "Birk | lives by | weir"],
        ),
        ("I've got a sister, Odile, and she lives in Arbe.", &["Ada | has | sister"]),
        ("The new head of the choir is Odile.", &["Odile | is the head of | choir [new]"]),
        ("The tug Heron is pulling the barge Luna up the river.", &["Heron | pulls | Luna"]),
        ("Odile locks up the small hall at night.", &["Odile | locks up | small hall"]),
        ("The lamps are switched on by Birk at dusk.", &["lamps | is switched on by | Birk"]),
    ]);
}

#[test]
fn what_begins_and_ends_is_read_in_many_words() {
    check(&[
        ("Odile quit tuning the concert harp last spring.", &["not: Odile | tunes | concert harp"]),
        ("Odile has stopped tuning the concert harp.", &["not: Odile | tunes | concert harp"]),
        ("Odile gave up looking after the boats.", &["not: Odile | looks after | boats"]),
        ("These days Odile doesn't tune the concert harp.", &["not: Odile | tunes | concert harp"]),
        ("Birk has retired, and he no longer winds the tower clock.", &["not: Birk | winds | tower clock"]),
        ("It is Birk who tunes the concert harp now.", &["Birk | tunes | concert harp [it is]"]),
        ("From this term on it's Birk who does the harp lessons.", &["Birk | does | harp lessons [it is]"]),
        ("Birk's tuning the concert harp now.", &["Birk | tunes | concert harp [now]"]),
        ("Birk's tuning fork is in the small hall.", &[]),
        ("Odile's stopped dealing with repairs.", &["not: Odile | deals with | repairs"]),
        ("Just to say, Birk deals with repairs now.", &["Birk | deals with | repairs [now]"]),
        ("The harp isn't being tuned by Odile any more.", &["not: harp | is tuned by | Odile"]),
        ("Birk tunes the concert harp these days.", &["Birk | tunes | concert harp [these days]"]),
        ("Tuning the concert harp is now the job of Birk.", &["Birk | tunes | concert harp [now]"]),
        ("Tuning the concert harp is now Birk's job.", &["Birk | tunes | concert harp [now]"]),
        ("Since the flood, Birk has been tuning the concert harp.", &["Birk | tunes | concert harp"]),
        ("At noon the status of Alarm 7 was set to ready.", &["Alarm 7 | has status | ready [set]"]),
        ("On Sundays Birk winds the tower clock.", &["Birk | winds | tower clock"]),
        ("Birk has not wound the tower clock since his fall.", &["not: Birk | wound | tower clock"]),
        ("Mayor Lund, who retired in May, leads the choir.", &["Mayor Lund | leads | choir"]),
        ("Odile, for her part, assists Ronja.", &["Odile | assists | Ronja"]),
        ("In theory, Birk tunes the concert harp.", &[]),
        ("In the story, Birk tunes the concert harp.", &[]),
        ("Birk has taken over tuning the concert harp.", &["Birk | tunes | concert harp [took over]"]),
        ("Birk has been tuning the concert harp instead.", &["Birk | tunes | concert harp [instead]"]),
        ("The council has moved the fair to the Quarry Field.", &["fair | moved to | Quarry Field [moved]"]),
    ]);
}

#[test]
fn what_follows_a_clause_may_take_it_back() {
    for text in [
        "Birk tunes the concert harp, I heard.",
        "Birk tunes the concert harp, but only in theory.",
        "Birk tunes the concert harp unless Odile is back.",
        "Birk tunes the concert harp when Odile is away.",
        "Birk doesn't tune the concert harp.",
        "Music fills hearts in the evening.",
        "Error recovery tests eat 6 GB of memory.",
        "Her uncle tunes the concert harp in the evenings.",
    ] {
        assert_eq!(lines(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_is_no_plain_statement_about_two_things_is_not_read() {
    for text in [
        "Chair needed for the Harbour Group",
        "Define goals for Project Heron.",
        "Late elections for Heron 4.0",
        "Income reached 3,000",
        "Birk's grown E.",
        "The meeting was led by Ronja.",
        "Birk loves the concert harp.",
        "Ronja says the harp is out of tune.",
        "Odile tunes the harp of her aunt in the evenings.",
        "Odile arrived on Tuesday.",
    ] {
        assert_eq!(lines(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_takes_the_place_of_something_says_so() {
    check(&[
        ("Odile no longer tunes the concert harp.", &["not: Odile | tunes | concert harp"]),
        ("Odile has stopped tuning the concert harp.", &["not: Odile | tunes | concert harp"]),
        ("Odile no longer looks after the harp.", &["not: Odile | looks after | harp"]),
        ("The harp is looked after by Odile.", &["harp | is looked after by | Odile"]),
        ("Birk looks after the harp now.", &["Birk | looks after | harp [now]"]),
        ("Alarm 7 has been re-rated to urgent.", &["Alarm 7 | has been re-rated to | urgent [re-rated]"]),
        ("Alarm 7 has hazard low.", &["Alarm 7 | has hazard | low"]),
        ("Odile doesn't tune the concert harp any more.", &["not: Odile | tunes | concert harp"]),
        ("The concert harp is no longer tuned by Odile.", &["not: concert harp | is tuned by | Odile"]),
        (
            "Birk tunes the concert harp instead of Odile.",
            &["not: Odile | tunes | concert harp", "Birk | tunes | concert harp [instead]"],
        ),
        (
            "Birk took over tuning the concert harp from Odile.",
            &["not: Odile | tunes | concert harp", "Birk | tunes | concert harp [instead]"],
        ),
        ("Since Monday the concert harp is tuned by Birk.", &["concert harp | is tuned by | Birk [since]"]),
        ("Since Monday Birk tunes the concert harp.", &["Birk | tunes | concert harp"]),
        ("From this term on the harp is tuned by Birk.", &["harp | is tuned by | Birk [from now on]"]),
        ("Starting today the harp is tuned by Birk.", &["harp | is tuned by | Birk [from now on]"]),
        ("Now the concert harp is tuned by Birk.", &["concert harp | is tuned by | Birk [now]"]),
    ]);
}

#[test]
fn what_two_people_do_is_a_fact_of_each() {
    check(&[
        ("Ida and Mo both tend the apiary.", &["Ida | tends | apiary", "Mo | tends | apiary"]),
        ("Ida and Mo have a key to the vault.", &["Ida | has key to | vault", "Mo | has key to | vault"]),
        // A verb in the singular has a single subject.
        ("Hay and Sons owns the vault.", &["Hay and Sons | owns | vault"]),
        ("Ida tends the apiary too.", &["Ida | tends | apiary"]),
        ("Mo no longer has a key to the vault, he gave it back.", &["not: Mo | has key to | vault"]),
        ("Mo has a plan to build a barn.", &[]),
        ("I have been to the vault.", &[]),
    ]);
}

#[test]
fn a_value_that_rises_or_falls_is_a_change() {
    check(&[
        ("The price of the rye loaf has gone up to 5 francs.", &["rye loaf | costs | 5 francs [gone up to]"]),
        (
            "The kayak in the window has been marked down to 90 francs.",
            &["kayak in the window | has been marked down to | 90 francs [marked down]"],
        ),
        (
            "The launch has just been put back to Friday because the slip is icy.",
            &["launch | has been put back to | Friday [put back]"],
        ),
        ("Postage went up, the rye loaf now costs 6 francs.", &["rye loaf | costs | 6 francs [now]"]),
        (
            "Small change, the regatta has been moved to Sunday.",
            &["regatta | has been moved to | Sunday [moved]"],
        ),
        ("The status of parcel 12 is pending.", &["parcel 12 | has status | pending"]),
        ("The lift has gone up to the roof.", &[]),
        ("The vote was carried over to Friday.", &[]),
    ]);
}

#[test]
fn what_announces_a_statement_or_comments_on_it_adds_nothing() {
    check(&[
        ("Just for the record: Ines mentors Pavo.", &["Ines | mentors | Pavo"]),
        (
            "Correction, I misread the label: the kiln is set to 900 degrees.",
            &["kiln | is set to | 900 degrees [set]"],
        ),
        (
            "New rule from now on: the kiln is emptied by Pavo.",
            &["kiln | is emptied by | Pavo [from now on]"],
        ),
        ("Change of plan: the glazing is done by Pavo.", &["glazing | is done by | Pavo [change]"]),
        ("Ines mentors Pavo on the wheel, he's quick but untidy.", &["Ines | mentors | Pavo"]),
        ("Ines has retired, she no longer mentors Pavo.", &["not: Ines | mentors | Pavo"]),
        ("Ines mentors Pavo, in case anybody asks.", &["Ines | mentors | Pavo"]),
        (
            "Due to the storm, the market has been moved to Hall 2.",
            &["market | has been moved to | Hall 2 [moved]"],
        ),
        ("An idea for later: Pavo runs the kiln.", &[]),
        ("Open question: Pavo runs the kiln.", &[]),
        ("Ines mentors Pavo, I think.", &[]),
        ("Ines mentors Pavo, if he stays.", &[]),
    ]);
}

#[test]
fn where_things_are_and_who_is_what_to_somebody_is_read() {
    check(&[
        ("The spare wheel is in Locker 7.", &["spare wheel | is in | Locker 7"]),
        ("Crate 12 is aboard the Halcyon.", &["Crate 12 | is aboard | Halcyon"]),
        ("The raku course takes place in the Long Barn.", &["raku course | takes place in | Long Barn"]),
        ("Pavo Reyes's secretary is Linn Aho.", &["Pavo Reyes | has secretary | Linn Aho"]),
        ("The new chair of the guild is Linn Aho.", &["guild | has chair | Linn Aho [new]"]),
        ("Pavo has stepped down as chair of the guild.", &["not: guild | has chair | Pavo"]),
        ("Pavo resigned as treasurer of the guild.", &["not: guild | has treasurer | Pavo"]),
        (
            "Linn is on leave and has handed the shelf over to Pavo.",
            &["Pavo | took over | shelf [took over]"],
        ),
        (
            "Linn runs the kiln and works for Team Birch.",
            &["Linn | runs | kiln", "Linn | works for | Team Birch"],
        ),
        ("The deposit for a spare wheel is 80 euros.", &["spare wheel | has deposit | 80 euros"]),
        (
            "Sorry, that was wrong: the deposit for a spare wheel is 90 euros.",
            &["spare wheel | has deposit | 90 euros [change]"],
        ),
        ("Crate 12 is classified as fragile.", &["Crate 12 | is classified as | fragile"]),
        ("The wheel is in a bad state.", &[]),
        ("The market is on Friday.", &[]),
        ("Pavo's trouble is Linn.", &[]),
        ("Pavo stepped down.", &[]),
    ]);
}

#[test]
fn what_is_given_to_somebody_and_what_a_particle_ends_is_read() {
    check(&[
        ("Pavo sold the old kiln to Linn.", &["Pavo | sold | old kiln", "Pavo | sold old kiln to | Linn"]),
        ("Pavo has handed the glaze shelf over to Linn.", &["Linn | took over | glaze shelf [took over]"]),
        ("Pavo puts the ashes out.", &["Pavo | puts out | ashes"]),
        ("Pavo does the glazing.", &["Pavo | does | glazing"]),
        ("Pavo has stopped doing the glazing.", &["not: Pavo | does | glazing"]),
        ("Our clay comes from Vesterhav.", &["clay | comes from | Vesterhav"]),
        (
            "Dear all, Pavo rents shed 6 from Linn.",
            &["Pavo | rents | shed 6", "Pavo | rents shed 6 from | Linn"],
        ),
        ("The frost level for the orchard is amber.", &["orchard | has frost level | amber"]),
        ("Warden Reyes deputises for Warden Aho.", &["Warden Reyes | deputises for | Warden Aho"]),
        ("Pavo does not know.", &[]),
    ]);
}

#[test]
fn headlines_and_lists_state_nothing() {
    for text in [
        "Finish docs PR",
        "Write tests for the KilnTracker",
        "Interop tests for RAKU",
        "Our kiln apps expose core RAKU features in a robust form",
        "RAKU - cost explorer API",
        "Kiln Stress tests / Testbed",
        "Fixed RAKU tests on the raku-kiln",
        "They've replaced Pavo.",
        "My favourite stew is hot and spicy pot.",
        "Kiln, and, which",
        "Update, and, but, so",
        "Due to, and",
        "I went to a gathering organised by the guild.",
    ] {
        assert_eq!(lines(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_end_that_is_cut_off_or_identifies_nothing_is_no_fact() {
    check(&[
        ("The ticket costs $226.", &[]),
        ("The Halcyon costs $226 a day.", &["Halcyon | costs | $226 a day"]),
        ("I have 10 nice houses.", &[]),
        ("I have two daughters.", &["Ada | has | two daughters"]),
        ("I have installed Kestrel Studio.", &[]),
        ("I have a used car.", &["Ada | has | used car"]),
        ("I use Kestrel Linux myself.", &[]),
        ("I am running 3 partitions.", &[]),
        ("Theyve released a Kestrel binary.", &[]),
        ("Holm beat Velm 22-0.", &[]),
        ("Robert Holm wrote Let It Be.", &[]),
        ("Ida Holm recorded the Dutch, Danish and Finnish editions.", &[]),
        (
            "The Winter Ferry was dubbed into Zulu for its release in Africa.",
            &["Winter Ferry | was dubbed into | Zulu"],
        ),
        ("The snow is at least four inches deep.", &[]),
        ("Mo: before you leave, run the Kestrel checks.", &[]),
        ("Try kestrel for example.It is based on Velm.", &[]),
    ]);
}
