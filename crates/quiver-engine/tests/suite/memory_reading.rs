//! What is read from the text of turns, class by class of sentence.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    Quiver,
    memory::{Fact, RecallOptions, Remembered, Turn},
};

fn shown(fact: &Fact) -> String {
    let denied = if fact.denied { "not " } else { "" };
    let change = fact.change.as_deref().map(|word| format!(" ({word})")).unwrap_or_default();
    format!("{denied}{} | {} | {}{change}", fact.subject, fact.predicate, fact.object)
}

/// A memory of some turns, each `speaker: words`, and what was noted of the last.
async fn remembered(turns: &[&str]) -> (Quiver, Option<Remembered>) {
    let quiver = Quiver::in_memory().await.unwrap();
    let mut last = None;
    for (number, turn) in turns.iter().enumerate() {
        let (speaker, words) = turn.split_once(": ").unwrap();
        let time = i64::try_from(number).unwrap() * 60_000 + 1;
        let turn = Turn::new("s", words).by(speaker).at(time).numbered(number as u64);
        last = quiver.remember(vec![turn]).await.unwrap().pop();
    }
    (quiver, last)
}

/// The facts of the last of some turns.
async fn read(turns: &[&str]) -> Vec<String> {
    let (_, last) = remembered(turns).await;
    last.into_iter().flat_map(|last| last.facts).map(|(_, fact)| shown(&fact)).collect()
}

async fn check(cases: &[(&str, &[&str])]) {
    for (turn, wanted) in cases {
        let facts = read(&[turn]).await;
        for fact in *wanted {
            assert!(facts.iter().any(|found| found == fact), "{turn:?} should say {fact:?}, says {facts:#?}");
        }
    }
}

#[tokio::test]
async fn verbs_are_found_in_all_their_forms() {
    check(&[
        ("Ada: Bram will own the SlotPlanner.", &["Bram | own | SlotPlanner"]),
        ("Ada: I'll take over the crane.", &["Ada | take over | crane"]),
        ("Ada: Let's use Zig for the parser.", &["we | use | Zig", "Zig | use for | parser"]),
        (
            "Ada: We decided to use Zig for the parser.",
            &["we | decided to use | Zig", "Zig | decided to use for | parser"],
        ),
        ("Ada: Lowering the volume to 20 percent.", &["volume | lowering to | 20 percent (lowering)"]),
        ("Ada: The sluice gets paint in spring.", &["sluice | gets | paint"]),
        ("Ada: The crate holds rope as well.", &["crate | holds | rope"]),
        ("Ada: The gate code is 99.", &["gate code | is | 99"]),
        ("Ada: Feed_7 has gaps.", &["Feed_7 | has | gaps"]),
        ("Ada: The ferry leaves on 3 May.", &["ferry | leaves on | 3 May"]),
    ])
    .await;
}

#[tokio::test]
async fn clauses_of_a_sentence_are_told_apart() {
    check(&[
        (
            "Ada: Loader_2 reads tides and writes to the chart.",
            &["Loader_2 | reads | tides", "Loader_2 | writes to | chart"],
        ),
        (
            "Ada: We dropped Zig and are going with Nim.",
            &["not we | dropped | Zig", "we | is going with | Nim"],
        ),
        ("Ada: Bo won't steer the boat, Cy will.", &["not Bo | steer | boat", "Cy | steer | boat"]),
        ("Ada: It is the valve that drips on the motor.", &["valve | drips on | motor"]),
        ("Ada: Update: the dock closes at six.", &["dock | closes at | six (update)"]),
        ("Ada: There is a leak in Tank_4.", &["Tank_4 | has | leak"]),
        ("Ada: I asked Bo to paint the mast.", &["Bo | paint | mast"]),
        ("Ada: The harbour wants logs kept for 30 days.", &["logs | kept for | 30 days"]),
        ("Ada: The pump stopped because the fuse blew.", &["pump | stopped because | the fuse blew"]),
        ("Ada: We can't launch the ferry until the permit is signed.", &["ferry | is blocked by | permit"]),
        ("Ada: Sales dropped by half.", &["Sales | dropped by | half"]),
    ])
    .await;
}

#[tokio::test]
async fn roles_and_states_belong_to_what_has_them() {
    check(&[
        ("Ada: The keeper of Pier_3 is Bo.", &["Pier_3 | keeper | Bo"]),
        ("Ada: Pier_3's keeper is Bo.", &["Pier_3 | keeper | Bo"]),
        ("Ada: Keeper of Pier_3: Bo.", &["Pier_3 | keeper | Bo"]),
        ("Ada: The new keeper of Pier_3 is Bo.", &["Pier_3 | keeper | Bo (new)"]),
        ("Ada: The mood of the crew changed to sour.", &["crew | mood | sour (changed)"]),
        ("Ada: The leak is sealed since 10:40.", &["leak | is | sealed"]),
        ("Ada: Tank_4 had a leak that is sealed now.", &["not Tank_4 | had | leak"]),
    ])
    .await;
}

#[tokio::test]
async fn what_words_point_at_is_found() {
    let it = read(&["Ada: The old map is in the cabin.", "Bo: Cy has it."]).await;
    assert_eq!(it, ["Cy | has | old map"]);
    let its = read(&["Ada: Lunch is late.", "Bo: Loader_2 keeps its tides in Riga."]).await;
    assert!(its.contains(&"Loader_2 | keeps | Loader_2 tides".to_owned()), "{its:?}");
    let they = read(&["Ada: Hall_9 rang.", "Bo: Friday was wet.", "Ada: They have a loud boiler."]).await;
    assert_eq!(they, ["Hall_9 | has | loud boiler"]);
    let archive = read(&["Ada: The director of the archive is Bo.", "Ada: The archive burns wood."]).await;
    assert_eq!(archive, ["archive | burns | wood"], "a director of the archive is no archive");
    let morning = read(&["Ada: Hall_9 is full.", "Ada: Bo painted Pier_3 this morning."]).await;
    assert!(!morning.iter().any(|fact| fact.contains("Hall_9")), "{morning:?}");
}

#[tokio::test]
async fn never_mind_takes_back_what_was_just_said() {
    let own = read(&["Ada: The ferry leaves at six.", "Ada: Never mind."]).await;
    assert_eq!(own, ["not ferry | leaves at | six"]);
    let other = read(&["Ada: The ferry leaves at six.", "Bo: What is a ferry?", "Ada: Never mind."]).await;
    assert_eq!(other, [""; 0]);
    let late = read(&["Ada: The ferry leaves at six.", "Bo: Fine.", "Ada: Scratch that."]).await;
    assert_eq!(late, ["not ferry | leaves at | six"]);
}

async fn answer(turns: &[&str], question: &str) -> String {
    let (quiver, _) = remembered(turns).await;
    quiver.recall(question).await.unwrap().text()
}

#[tokio::test]
async fn what_the_question_describes_is_not_its_answer() {
    let turns = ["Ada: LoadPlanner needs TideService.", "Bo: Dora looks after LoadPlanner."];
    assert!(
        answer(&turns, "Who is responsible for the planner that needs TideService?").await.contains("Dora")
    );
    let turns = [
        "Ada: Buoy_5 lies in the Narrow Sound.",
        "Bo: The tide moved by two weeks.",
        "Ada: The tide peaks on 4 June.",
    ];
    assert_eq!(answer(&turns, "When does the tide peak?").await, "The tide peaks on 4 June");
}

#[tokio::test]
async fn a_state_ends_the_status_before_it() {
    let turns = ["Ada: The status of Leak_2 is open.", "Bo: Leak_2 is sealed as of 10:40."];
    assert_eq!(answer(&turns, "What is the status of Leak_2?").await, "Leak_2 is sealed as of 10:40");
}

#[tokio::test]
async fn what_was_turned_down_is_shown_with_what_took_its_place() {
    let turns = ["Ada: For the sails we settled on hemp.", "Ada: We dropped hemp and are going with nylon."];
    assert!(answer(&turns, "Which cloth do the sails have?").await.contains("nylon"));
}

#[tokio::test]
async fn sentences_with_relative_clauses_say_each_thing_of_its_own() {
    check(&[
        ("Ada: The form, which Bo keeps, feeds the ledger.", &["form | feeds | ledger", "Bo | keeps | form"]),
        (
            "Ada: The archive, which lives in rack 22, has been closed.",
            &["archive | is | closed", "archive | lives in | rack 22"],
        ),
        ("Ada: We use Kelp, which runs in Oslo.", &["we | use | Kelp", "Kelp | runs in | Oslo"]),
        (
            "Ada: The service that handles refunds is owned by Dana.",
            &["service | is owned by | Dana", "service | handles | refunds"],
        ),
        ("Ada: The index we use for search is Kelp.", &["index | is | Kelp"]),
        ("Ada: Dana leads the team that owns tides.", &["Dana | leads | team", "team | owns | tides"]),
        (
            "Ada: The report written by Bo is due on Friday.",
            &["report | is due on | Friday", "report | is written by | Bo"],
        ),
        (
            "Ada: The tug was build 12, shipped by Noor.",
            &["tug | is | build 12", "build 12 | is shipped by | Noor"],
        ),
        (
            "Ada: Bug_77 was reported by Ike, assigned to Li.",
            &["Bug_77 | is reported by | Ike", "Bug_77 | is assigned to | Li"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_stands_beside_a_name_is_said_of_it() {
    check(&[
        (
            "Ada: The client, Mrs Ude, was charged on Friday.",
            &["Mrs Ude | is charged on | Friday", "client | is | Mrs Ude"],
        ),
        ("Ada: Kelp is owned by Dana, our lead.", &["Kelp | is owned by | Dana", "Dana | is | lead"]),
        ("Ada: I asked the vendor, Halcyon, for a refund.", &["vendor | is | Halcyon"]),
    ])
    .await;
}

#[tokio::test]
async fn lists_are_taken_one_by_one() {
    check(&[
        (
            "Ada: Tern owns billing, search and auth.",
            &["Tern | owns | billing", "Tern | owns | search", "Tern | owns | auth"],
        ),
        (
            "Ada: Kelp depends on Redis, Kafka, and Vault.",
            &["Kelp | depends on | Redis", "Kelp | depends on | Kafka", "Kelp | depends on | Vault"],
        ),
        (
            "Ada: Billing, search and auth belong to Tern.",
            &["Billing | belongs to | Tern", "search | belongs to | Tern", "auth | belongs to | Tern"],
        ),
        (
            "Ada: Orca was built by Bo, and Tern by Ines.",
            &["Orca | is built by | Bo", "Tern | is built by | Ines"],
        ),
        ("Ada: Bo owns the crane, Ines the barge.", &["Bo | owns | crane", "Ines | owns | barge"]),
        ("Ada: Owner: Dana, priority: P1", &["Owner | is | Dana", "priority | is | P1"]),
    ])
    .await;
}

#[tokio::test]
async fn what_opens_a_sentence_is_no_part_of_it() {
    check(&[
        ("Ada: Hi all, Kelp is with Tobias.", &["Kelp | is with | Tobias"]),
        ("Ada: Turns out the leak was caused by a valve.", &["leak | is caused by | valve"]),
        ("Ada: Please note that Kelp requires a key.", &["Kelp | requires | key"]),
        ("Ada: Bo told me the vendor is Acme.", &["vendor | is | Acme"]),
        ("Ada: What fills it are letters.", &[]),
        ("Ada: root cause = stuck valve", &["root cause | is | stuck valve"]),
    ])
    .await;
    assert!(read(&["Ada: Kind regards, Hollis"]).await.is_empty());
    let turns = ["Ada: The tank is nearly full.", "Bo: What fills it are letters from the mill."];
    assert!(read(&turns).await.contains(&"letters from the mill | fills | tank".to_owned()));
}

#[tokio::test]
async fn what_is_turned_down_is_denied() {
    check(&[
        (
            "Ada: We submit to Tern rather than to Orca.",
            &["we | submit to | Tern", "not we | submit to | Orca"],
        ),
        ("Ada: Our vendor is Halcyon, not Acme.", &["vendor | is | Halcyon", "not vendor | is | Acme"]),
        ("Ada: Instead of Orca we use Kelp.", &["we | use | Kelp (instead)", "not we | use | Orca"]),
        (
            "Ada: The deadline is no longer Friday but Monday.",
            &["not deadline | is | Friday", "deadline | is | Monday (longer)"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn short_messages_need_no_verb() {
    check(&[
        ("Ada: redis-7 still evicting, redis-4 fine", &["redis-7 | is | evicting", "redis-4 | is | fine"]),
        ("Ada: WH-118 root cause: race in the camera", &["WH-118 | root cause | race in the camera"]),
        ("Ada: Budget for the mast: 900 euros.", &["mast | budget | 900 euros"]),
        ("Ada: Floor 5 is back, everyone.", &["Floor 5 | is | back (back)"]),
        ("Ada: The mast slips by two weeks, new date 9 June.", &["mast | date | 9 June (new)"]),
    ])
    .await;
}

#[tokio::test]
async fn what_points_back_is_what_was_named_last() {
    let turns = ["Ada: The table is made by the dedup job, and that one runs on Spark."];
    assert!(read(&turns).await.contains(&"dedup job | runs on | Spark".to_owned()));
    let turns = ["Ada: Mr Sola was billed twice.", "Bo: Odile approved a credit of 75 euros for him."];
    assert!(read(&turns).await.contains(&"Odile | approved for | Mr Sola".to_owned()));
    let turns = ["Ada: The lock was left behind by Kelp.", "Bo: Orca fixes this."];
    assert!(read(&turns).await.contains(&"Orca | fixes | lock".to_owned()));
    let turns = ["Ada: The leak is with Farah.", "Bo: Lee takes over the leak."];
    assert!(read(&turns).await.contains(&"leak | is assigned to | Lee (over)".to_owned()));
}

#[tokio::test]
async fn a_thing_has_one_holder_in_whatever_words() {
    let turns = [
        "Ada: Tern owns tides.",
        "Ada: Tern owns winds.",
        "Bo: Winds have been re-assigned to Orca.",
        "Bo: The owner of tides is now Dora.",
    ];
    assert_eq!(answer(&turns, "Who owns winds?").await, "Winds have been re-assigned to Orca");
    assert_eq!(answer(&turns, "Who owns tides?").await, "The owner of tides is now Dora");
    assert_eq!(answer(&turns[..3], "What does Tern own?").await, "Tern owns tides");
    let turns = ["Ada: Leak_2 was assigned to Hedda first.", "Bo: Hedda is ill, so Leak_2 goes to Fabio."];
    let now = answer(&turns, "Who is Leak_2 assigned to now?").await;
    assert_eq!(now, "Hedda is ill, so Leak_2 goes to Fabio");
    let turns = ["Ada: Kim leads Kelp_2.", "Bo: Lou has replaced Kim as the lead of Kelp_2."];
    assert!(answer(&turns, "Who leads Kelp_2?").await.starts_with("Lou has replaced Kim"));
    let turns = ["Ada: The crane runs on diesel.", "Bo: We are moving the crane from diesel to gas."];
    let moved = answer(&turns, "What does the crane run on?").await;
    assert_eq!(moved, "We are moving the crane from diesel to gas");
}

#[tokio::test]
async fn short_forms_are_the_things_that_they_are_short_for() {
    let turns = ["Ada: Halcyon Labs signed the lease.", "Bo: Halcyon pays 900 a month."];
    assert_eq!(answer(&turns, "How much does Halcyon Labs pay?").await, "Halcyon pays 900 a month");
    let learnt = read(&turns).await;
    assert!(learnt.contains(&"Halcyon | is short for | Halcyon Labs".to_owned()), "{learnt:?}");
    let turns = ["Ada: The k8s cluster is run by Ugo."];
    assert!(answer(&turns, "Who runs the Kubernetes cluster?").await.contains("Ugo"));
    let turns = ["Ada: The SLA of Kelp_2 is 4 hours."];
    assert!(answer(&turns, "What is the service level agreement of Kelp_2?").await.contains("4 hours"));
    let turns = ["Ada: The cfg service is with Bea."];
    assert!(answer(&turns, "Who has the configuration service?").await.contains("Bea"));
    let turns = ["Ada: The tide service (TideSvc) lives in Riga."];
    assert!(answer(&turns, "Where does TideSvc live?").await.contains("Riga"));
}

#[tokio::test]
async fn what_is_asked_about_counts_more_than_the_name_alone() {
    let turns = [
        "Ada: Leak_2 is declared, oil is lost in hall 3.",
        "Bo: The root cause is a stuck valve.",
        "Ada: A workaround exists: close the gate by hand.",
        "Bo: The stuck gate of hall 3 is old.",
    ];
    assert!(answer_in_session(&turns, "What's the root cause of Leak_2?").await.contains("stuck valve"));
    assert!(answer_in_session(&turns, "What's the workaround for the stuck gate?").await.contains("by hand"));
    let turns = ["Ada: The probe was trained on Set_4.", "Bo: Set_4 has an issue with labels."];
    let joined = answer(&turns, "What is wrong with the data the probe was trained on?").await;
    assert!(joined.contains("labels"), "{joined}");
}

async fn answer_in_session(turns: &[&str], question: &str) -> String {
    let (quiver, _) = remembered(turns).await;
    let options = RecallOptions { session: Some("s".to_owned()), ..RecallOptions::default() };
    quiver.recall_with(question, &options).await.unwrap().text()
}

#[tokio::test]
async fn a_pronoun_drawn_together_with_its_verb_is_a_pronoun() {
    let turns = ["Ada: Kelp_2 isn't ready; it's waiting for a stamp."];
    assert!(read(&turns).await.contains(&"Kelp_2 | is waiting for | stamp".to_owned()));
    let that = read(&["Ada: That's tight."]).await;
    assert_eq!(that, [""; 0], "what only points says nothing");
    let turns = ["Ada: The mails go to a topic called raw-mails.", "Bo: raw-mails has gaps."];
    let called = answer(&turns, "What is wrong with the topic that the mails go to?").await;
    assert!(called.contains("gaps"), "{called}");
    let turns = ["Ada: The watch commander is Dele.", "Bo: Dele hands over to Ximena for the night."];
    assert!(answer(&turns, "Who is the watch commander now?").await.contains("Ximena"));
}

#[tokio::test]
async fn what_cannot_be_done_waits_and_what_is_anybodys_is_owned() {
    check(&[
        (
            "Ada: SlotPlanner can't ship until the TideTable is done.",
            &["SlotPlanner | is blocked by | TideTable"],
        ),
        ("Ada: TideTable is Bo's baby.", &["TideTable | is owned by | Bo"]),
        ("Ada: The charts are going to be Bo's job.", &["charts | is owned by | Bo"]),
        ("Ada: I gave the winches 24 amperes.", &["winches | has | 24 amperes"]),
        ("Ada: Bo granted Marit access to the vault.", &["Marit | has | access"]),
        ("Ada: The tug used to be red.", &["not tug | is | red"]),
    ])
    .await;
}

#[tokio::test]
async fn courteous_sentences_say_what_they_say() {
    check(&[
        (
            "Ada: If nobody minds, I'd like to record that the SlotPlanner, which we promised, is written in Zig.",
            &["SlotPlanner | is written in | Zig"],
        ),
        ("Ada: As far as the sails are concerned, we stay with Nordtuch.", &["sails | stay with | Nordtuch"]),
        (
            "Ada: The log, on which the pilots rely, is kept by Bo.",
            &["log | is kept by | Bo", "pilots | rely on | log"],
        ),
        ("Ada: I looked, and what stops the pump is a worn valve.", &["worn valve | stops | pump"]),
        ("Ada: The safe may be opened by Dr Winter alone.", &["safe | opened by | Dr Winter alone"]),
        ("Ada: The manager of the inn, Ms Karst, agrees.", &["inn | manager | Ms Karst"]),
        ("Ada: With the mast on its way I've lowered T-31 to P3.", &["T-31 | lowered to | P3 (lowered)"]),
    ])
    .await;
}

#[tokio::test]
async fn they_are_a_party_and_no_ticket() {
    let turns = ["Ada: Ticket_71 came from Gull Harbour.", "Ada: Their plan is Gold Plus."];
    let facts = read(&turns).await;
    assert!(facts.iter().any(|fact| fact.starts_with("Gull Harbour plan | is | Gold Plus")), "{facts:#?}");
}

#[tokio::test]
async fn a_thing_has_one_place_on_a_scale() {
    let turns = [
        "Ada: Declaring Leak_7, severity is SEV-1.",
        "Bo: The bilge is dry again.",
        "Ada: I'm taking Leak_7 down to SEV-3.",
    ];
    let answer = answer(&turns, "What severity does Leak_7 have?").await;
    assert!(answer.contains("SEV-3") && !answer.contains("SEV-1"), "{answer}");
}

#[tokio::test]
async fn a_value_ends_that_of_the_same_noun() {
    let turns = [
        "Ada: The owners granted us a budget of 84,000 euros.",
        "Bo: Sorry, our budget is now 79,500 euros.",
    ];
    assert!(answer(&turns, "What budget did the owners grant us?").await.contains("79,500"));
}
