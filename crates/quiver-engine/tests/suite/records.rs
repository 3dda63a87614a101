//! Questions about typed records: what somebody has, what is late, what something needs, and what happened to things.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use quiver::{AskOptions, Question, Quiver};

/// The workshop of a theatre. A prop names its maker by name or by ID; a costume is linked to its tailor.
const THEATRE: &str = "
    CREATE (ida:Maker {id: 'mk-1', name: 'Ida'}), (:Maker {id: 'mk-2', name: 'Otis'}),
        (play:Play {name: 'The Glass Crown'}), (farce:Play {name: 'Two Doors'}),
        (throne:Prop {title: 'Gilded throne', status: 'building', due_on: '2026-05-05', maker: 'Ida'}),
        (curtain:Prop {title: 'Dye the curtain', status: 'building', due_on: '2026-05-30', maker: 'Ida'}),
        (frame:Prop {title: 'Oak frame', status: 'installed', due_on: '2026-05-01', installed_on: '2026-04-29', maker: 'Otis'}),
        (lamp:Prop {title: 'Paper lamp', status: 'building', due_on: '2026-05-06', maker: 'Otis'}),
        (door:Prop {title: 'Trick door', status: 'building', due_on: '2026-05-12', maker: 'Ida'}),
        (throne)-[:FOR]->(play), (curtain)-[:FOR]->(play), (frame)-[:FOR]->(play), (lamp)-[:FOR]->(play),
        (door)-[:FOR]->(farce), (curtain)-[:NEEDS]->(frame)";

/// The buses of a town, with their breakdowns and what the manual says.
const BUSES: &str = "
    CREATE (north:Depot {name: 'North Depot'}), (south:Depot {name: 'South Depot'}), (vale:Company {name: 'Vale Lines'}),
        (b1:Bus {name: 'Bus 11', doors: 2}), (b2:Bus {name: 'Bus 12', doors: 3}), (b3:Bus {name: 'Bus 13', doors: 2}),
        (g1:Gearbox {name: 'GX-1', status: 'withdrawn'}), (g2:Gearbox {name: 'GX-2', status: 'current'}),
        (b1)-[:BUSED_FROM]->(north), (b2)-[:BUSED_FROM]->(north), (b3)-[:BUSED_FROM]->(south),
        (vale)-[:RUNS]->(b1), (vale)-[:RUNS]->(b3), (b1)-[:FITTED_WITH]->(g1), (b2)-[:FITTED_WITH]->(g1), (b3)-[:FITTED_WITH]->(g2),
        (:Breakdown {id: 'd1', date: '2026-03-02'})-[:STOPPED]->(b1), (:Breakdown {id: 'd2', date: '2026-04-02'})-[:STOPPED]->(b2),
        (:Complaint {id: 'c1', date: '2026-03-09'})-[:FILED_BY]->(vale),
        (b1)-[:COVERED_BY]->(:Manual {id: 'm1', text: 'A GX-1 is exchanged for a GX-2 on the lift.'}),
        (b1)-[:COVERED_BY]->(:Manual {id: 'm2', text: 'The bus is washed on Fridays.'})";

async fn over(records: &str) -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.query(records).await.unwrap();
    quiver
}

/// Returns the text of the answer and the first column of its rows; `None` if the question is not read as a query.
async fn asked(quiver: &Quiver, question: &str) -> Option<(String, BTreeSet<String>)> {
    // 8 May 2026.
    let options =
        AskOptions { asker: Some("mk-1".to_owned()), now: Some(1_778_234_400_000), ..AskOptions::default() };
    let answer = quiver.ask(Question::new(question).with_options(options)).await.unwrap();
    let rows = answer.query?.rows.rows;
    let first = rows.iter().map(|row| row[0].as_str().map_or_else(|| row[0].to_string(), str::to_owned));
    Some((answer.text.unwrap_or_default(), first.collect()))
}

async fn check(quiver: &Quiver, cases: &[(&str, &[&str])]) {
    for (question, expected) in cases {
        let found = asked(quiver, question).await.map(|(_, found)| found).unwrap_or_default();
        let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(found, expected, "{question}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_has_is_read_from_links_and_from_properties_that_name_them() {
    let quiver = over(THEATRE).await;
    let of_play: &[&str] = &["Gilded throne", "Dye the curtain"];
    check(
        &quiver,
        &[
            ("Which props do I have for The Glass Crown?", of_play),
            ("What's on my plate for The Glass Crown?", of_play),
            ("Which props are on my desk for The Glass Crown?", of_play),
            ("What do I still have to finish for The Glass Crown?", of_play),
            ("What props of mine are due before June?", &["Gilded throne", "Dye the curtain", "Trick door"]),
            ("Is anything of mine due before May 10th?", &["Gilded throne"]),
            ("Do I have any props due before May 10th?", &["Gilded throne"]),
            // Nobody's, another's, or nothing that somebody can have.
            ("Which plays are on my desk?", &[]),
            ("What's on my plate for The Silver Crown?", &[]),
            ("Which scenes of mine are due before June?", &[]),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn late_means_due_before_today_and_not_over() {
    let quiver = over(THEATRE).await;
    let mine: &[&str] = &["Gilded throne"];
    let all: &[&str] = &["Gilded throne", "Paper lamp"];
    check(
        &quiver,
        &[
            ("Which of my props are late?", mine),
            ("Which of mine are overdue?", mine),
            ("Which of my props am I late with?", mine),
            ("Which of my props have I missed the deadline for?", mine),
            ("Which of my props have slipped past their due date?", mine),
            ("Am I behind schedule on any props, and which?", mine),
            ("Show my overdue props.", mine),
            ("Which props are past their deadline?", all),
            ("Are any props running late?", all),
            ("Which props fall due before May 6?", &["Gilded throne", "Oak frame"]),
            (
                "Which props of The Glass Crown remain unfinished?",
                &["Gilded throne", "Paper lamp", "Dye the curtain"],
            ),
            (
                "Which props for The Glass Crown are still being built?",
                &["Gilded throne", "Paper lamp", "Dye the curtain"],
            ),
            ("Which plays are late?", &[]),
            ("Which props are past their rehearsal?", &[]),
            ("Which props are being installed?", &[]),
        ],
    )
    .await;
    // A value that may or may not mean that work is over: the rows would differ.
    let unsure = "CREATE (:Prop {title: 'Foam rock', status: 'amber', due_on: '2026-05-02', maker: 'Ida'})";
    quiver.query(unsure).await.unwrap();
    check(&quiver, &[("Which of my props are late?", &[])]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_something_needs_is_said_with_its_state() {
    let quiver = over(THEATRE).await;
    for question in [
        "What does dyeing the curtain need, and has it been installed?",
        "What does the curtain need, and is that finished?",
    ] {
        let (text, found) = asked(&quiver, question).await.unwrap();
        assert_eq!(found, BTreeSet::from(["Oak frame".to_owned()]), "{question}");
        assert!(text.contains("installed 2026-04-29"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_negations_and_numbers_are_read_against_the_schema() {
    let quiver = over(BUSES).await;
    check(
        &quiver,
        &[
            ("Which buses suffered a breakdown in March 2026?", &["Bus 11"]),
            ("In which buses was there a breakdown in April 2026?", &["Bus 12"]),
            ("Which buses did not suffer a breakdown?", &["Bus 13"]),
            ("Which buses are bused from North Depot?", &["Bus 11", "Bus 12"]),
            ("Which 2 door buses are bused from North Depot?", &["Bus 11"]),
            ("List the buses at North Depot that Vale Lines does not run.", &["Bus 12"]),
            ("How many buses are bused from North Depot?", &["2"]),
            // Who files a complaint does not receive one, and no gearbox breaks down here.
            ("Which companies received a complaint in March 2026?", &[]),
            ("In which gearboxes was there a breakdown in March 2026?", &[]),
            ("Which buses suffered a gearbox?", &[]),
        ],
    )
    .await;
    let asks_how = "Which Vale Lines buses are fitted with withdrawn gearboxes, and what are the instructions for exchanging the gearbox?";
    let (text, found) = asked(&quiver, asks_how).await.unwrap();
    assert_eq!(found, BTreeSet::from(["Bus 11".to_owned()]));
    assert!(text.contains("on the lift") && !text.contains("washed"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn times_of_day_in_texts_are_compared_by_their_day() {
    let written = "CREATE (:Parcel {name: 'P-1', dueDate: '2026-05-05T17:30:00Z', status: 'waiting'}),
        (:Parcel {name: 'P-2', dueDate: '2026-05-09T08:00:00Z', status: 'waiting'})";
    let quiver = over(written).await;
    check(
        &quiver,
        &[
            ("Which parcels are overdue?", &["P-1"]),
            ("Which parcels are due before May 10?", &["P-1", "P-2"]),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_may_do_without_its_question_word_or_open_politely() {
    let quiver = over(THEATRE).await;
    let of_play: &[&str] = &["Gilded throne", "Dye the curtain"];
    check(
        &quiver,
        &[
            ("my late props?", &["Gilded throne"]),
            ("props due before May 6", &["Gilded throne", "Oak frame"]),
            ("any overdue props of mine?", &["Gilded throne"]),
            ("overdue props for The Glass Crown", &["Gilded throne", "Paper lamp"]),
            ("props not installed for The Glass Crown", &["Gilded throne", "Paper lamp", "Dye the curtain"]),
            ("Could you tell me which props I have to finish for The Glass Crown?", of_play),
            ("Would you please list the props I have for The Glass Crown?", of_play),
            // A noun alone, a name that nothing has, and a word that nothing means.
            ("props", &[]),
            ("props for The Silver Crown", &[]),
            ("heavy props for The Glass Crown", &[]),
            ("Could you finish my late props?", &[]),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_yet_to_be_done_is_read_from_the_state_and_the_due_date() {
    let quiver = over(THEATRE).await;
    let open: &[&str] = &["Gilded throne", "Paper lamp", "Dye the curtain"];
    check(
        &quiver,
        &[
            ("Which props have a deadline before May 6?", &["Gilded throne", "Oak frame"]),
            ("Which props have their due date in the first week of May?", &[]),
            ("Which props must be finished before May 10?", &["Gilded throne", "Paper lamp"]),
            ("Which props have to be installed by May 12?", &["Gilded throne", "Paper lamp", "Trick door"]),
            ("Which props are still to be finished for The Glass Crown?", open),
            ("Which props do I have left for The Glass Crown?", &["Gilded throne", "Dye the curtain"]),
            ("List the props left to do for The Glass Crown.", open),
            // Another deadline, another piece of work, or a beginning instead of an end.
            ("Which props have a paint deadline before May 6?", &[]),
            ("Which props must be painted before May 10?", &[]),
            ("Which props must be finished after May 10?", &[]),
            ("Which props are not to be finished?", &[]),
            ("Which props have to be?", &[]),
            ("Which plays must be finished before May 10?", &[]),
        ],
    )
    .await;
    for question in [
        "What does the curtain need first, and is it installed already?",
        "What does the curtain dyeing need beforehand, and has that been installed?",
    ] {
        let (text, found) = asked(&quiver, question).await.unwrap();
        assert_eq!(found, BTreeSet::from(["Oak frame".to_owned()]), "{question}");
        assert!(text.contains("installed 2026-04-29"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verbs_are_not_taken_for_the_nouns_of_those_who_do_it() {
    let stable = "
        CREATE (mona:Trainer {name: 'Mona Reyes'}), (yard:Yard {name: 'South Yard'}), (mill:Yard {name: 'Mill Yard'}),
            (h1:Horse {name: 'Comet', jumpClass: 2}), (h2:Horse {name: 'Dusk', jumpClass: 2}), (h3:Horse {name: 'Ember', jumpClass: 1}),
            (mona)-[:TRAINS]->(h1), (mona)-[:TRAINS]->(h3),
            (h1)-[:STABLED_IN]->(yard), (h2)-[:STABLED_IN]->(yard), (h3)-[:STABLED_IN]->(mill),
            (footing:Step {name: 'Footing'})-[:BLOCKED_BY]->(:Step {name: 'Trench'})";
    let quiver = over(stable).await;
    check(
        &quiver,
        &[
            ("How many horses does Mona Reyes train?", &["2"]),
            ("Which horses in South Yard aren't trained by Mona Reyes?", &["Dusk"]),
            ("Which horses trained by Mona Reyes are stabled in South Yard?", &["Comet"]),
            ("jump class 2 horses stabled in South Yard?", &["Comet", "Dusk"]),
            ("Which horses of jump class 2 does Mona Reyes train?", &["Comet"]),
            ("Which horses does Mona Reyes sell?", &[]),
            ("What is Trench blocking?", &["Footing"]),
            ("What is Footing blocked by?", &["Trench"]),
            ("What is Footing blocking?", &[]),
        ],
    )
    .await;
}
