//! What is answered without a language model, and what is not: one case for each class.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{Answer, AnswerForm, Document, Objection};

use crate::common::engine;

/// Asks over pages, each with its title and its text.
async fn ask(pages: &[(&str, &str)], question: &str) -> Answer {
    let pages = pages.iter().map(|(title, text)| Document::new(*title, *text).with_title(*title));
    engine(pages.collect()).await.ask(question).await.unwrap()
}

/// Checks that the answer to each question contains the text beside it.
async fn all_are_told(pages: &[(&str, &str)], questions: &[(&str, &str)]) {
    for (question, wanted) in questions {
        let answer = ask(pages, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.contains(wanted), "{question} {text:?} {}", answer.trace());
    }
}

/// Checks that none of the questions is answered.
async fn none_is_told(pages: &[(&str, &str)], questions: &[&str]) {
    for question in questions {
        let answer = ask(pages, question).await;
        assert_eq!(answer.text, None, "{question} {}", answer.trace());
    }
}

/// Checks that no page states an answer to any of the questions.
async fn nothing_is_stated(pages: &[(&str, &str)], questions: &[&str]) {
    for question in questions {
        let answer = ask(pages, question).await;
        assert!(
            answer.considered.iter().all(|one| one.form != AnswerForm::Stated),
            "{question} {}",
            answer.trace()
        );
    }
}

const FARM: [(&str, &str); 6] = [
    (
        "Barley",
        "Barley is sown in March. The preferred fertiliser for barley is nitrosal, which dissolves slowly.",
    ),
    (
        "Nitrosal",
        "Nitrosal is a grey powder. Because it attacks copper, the spreader is rinsed with vinegar.",
    ),
    (
        "Spreader",
        "The spreader is a machine that throws grain and powder over the field. It is kept in the north barn.",
    ),
    ("Oats", "Oats are sown in April. Their straw is fed to the horses."),
    ("Barn", "The north barn was built in 1931. To open its gate, lift the bar and pull the chain."),
    (
        "Workers",
        "Ilse Thorn drives the tractor. A broken axle is reported to her. Hands who make hay rest at noon.",
    ),
];

/// A sentence that begins with what is asked about and says what it is.
#[tokio::test]
async fn a_definition_is_answered_with_its_sentence() {
    let answer = ask(&FARM, "What is the spreader?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.starts_with("The spreader is a machine"), "{text:?}, {}", answer.trace());
}

#[tokio::test]
async fn a_reason_is_answered_with_its_sentence() {
    let answer = ask(&FARM, "Why is the spreader rinsed with vinegar?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.contains("it attacks copper"), "{text:?}, {}", answer.trace());
}

#[tokio::test]
async fn a_way_is_answered_with_its_sentence() {
    let answer = ask(&FARM, "How do I open the gate of the north barn?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.contains("lift the bar"), "{text:?}, {}", answer.trace());
}

/// What no page says is not answered, though pages say the rest of the question.
#[tokio::test]
async fn what_is_not_said_of_the_thing_is_not_answered() {
    none_is_told(
        &FARM,
        &[
            "When were the horses bought?",
            "How much does nitrosal cost?",
            "Who founded the farm?",
            "Why is the tractor rinsed with vinegar in April?",
        ],
    )
    .await;
}

/// A letter is not replaced in a short word, and what is derived from a word that is said stays.
#[tokio::test]
async fn a_short_word_does_not_become_another() {
    for (question, word) in
        [("Who is the broker of the barley?", "broker"), ("Who is the maker of hay?", "maker")]
    {
        let answer = ask(&FARM, question).await;
        assert!(answer.evidence.question.contains(word), "{}", answer.evidence.question);
    }
}

/// A misspelt word becomes one that pages say, and not one that only shares its stem: "compatible" is no "compater".
#[tokio::test]
async fn a_misspelt_word_becomes_one_that_is_said() {
    let pages = [
        (
            "Abacus",
            "The computer of the shop runs a compatible ledger. Several separate drawers hold the receipts.",
        ),
        ("Drawer", "The drawer was severely damaged. A clerk opens it in the evening. Ida led the shop."),
    ];
    for (question, meant) in [
        ("who leads the shop?", "who leads the shop?"),
        ("what does the compter run?", "what does the computer run?"),
        ("wich drawers hold the receipts?", "which drawers hold the receipts?"),
        ("who shoud open the seperate drawers?", "who should open the separate drawers?"),
        ("might a mighty clerk open it?", "might a mighty clerk open it?"),
    ] {
        let answer = ask(&pages, question).await;
        assert_eq!(answer.evidence.question, meant);
    }
}

/// A message has the word as it was written, and what it was read as.
#[tokio::test]
async fn a_corrected_word_is_told_as_it_was_written() {
    let answer = ask(&FARM, "Which copper painting hangs above the fertilizzer?").await;
    let refusal = answer.refusal.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(!refusal.contains("fertilizer"), "{refusal}");
}

/// A list is not answered with a sentence that only says that there are several.
#[tokio::test]
async fn a_sentence_that_announces_a_list_is_no_answer() {
    let pages = [
        (
            "Watcher",
            "There are different backends used to determine when a file has changed. One asks every second.",
        ),
        ("Builder", "The builder renders chapters as pages."),
    ];
    let answer = ask(&pages, "What backends are there to determine that a file has changed?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
}

/// "Should not be tested" gives no reason to test.
#[tokio::test]
async fn what_is_denied_is_no_answer_to_what_is_asked() {
    let pages = [
        (
            "Examples",
            "This mark is for code examples of a book that should not be tested, because they are slow.",
        ),
        ("Builder", "The builder renders chapters as pages."),
    ];
    let answer = ask(&pages, "Why should code examples of a book be tested?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
}

/// The page that names the thing leads to the answer and is none.
#[tokio::test]
async fn a_sentence_that_leads_to_the_answer_is_not_given_for_it() {
    let pages = [
        ("Barley", "Nitrosal is the preferred fertiliser for barley."),
        ("Nitrosal", "Nitrosal is a grey powder. Nitrosal requires rinsing of the spreader."),
        ("Oats", "Oats are sown in April."),
    ];
    let answer = ask(&pages, "What rinsing does the preferred fertiliser for barley require?").await;
    let text = answer.text.as_deref().unwrap_or("spreader");
    assert!(text.contains("spreader"), "{text:?}, {}", answer.trace());
}

/// What a word means is asked in several ways.
#[tokio::test]
async fn what_is_meant_by_a_word_is_a_definition() {
    for question in ["What is meant by the spreader?", "What does spreader mean?"] {
        let answer = ask(&FARM, question).await;
        let best = answer.best.as_deref().unwrap_or_default();
        assert!(best.starts_with("The spreader is a machine"), "{question} {best:?}, {}", answer.trace());
    }
}

/// A number of something else is not what is counted.
#[tokio::test]
async fn a_number_of_other_things_is_no_count() {
    let page = "The dairy has two cold rooms. The farm sold 6 tractors to the dairy.";
    let cows = "Cows graze by the river.";
    let answer = ask(&[("Dairy", page), ("Cows", cows)], "How many cows does the dairy have?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
    let against = answer.considered.iter().all(|considered| considered.objection == Some(Objection::Type));
    assert!(against, "{}", answer.trace());
}

/// That something controls how long a thing takes does not say how long.
#[tokio::test]
async fn a_sentence_that_only_poses_the_question_is_no_answer() {
    let controls = "Controls how long the dough rests before it is baked.";
    let page = format!("{controls} The baker likes rye.");
    let answer = ask(&[("Oven", &page)], "How long does the dough rest before it is baked?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
    let mut of_sentence = answer.considered.iter().filter(|considered| considered.text.starts_with(controls));
    assert!(of_sentence.all(|considered| considered.objection.is_some()), "{}", answer.trace());
}

/// Neither number of a ratio is a count by itself.
#[tokio::test]
async fn a_ratio_is_answered_whole() {
    let page = "About 1 in 3 cows of the dairy catches a cold in winter. In 2019 it sold 6 in all.";
    let answer = ask(&[("Dairy", page)], "How many cows of the dairy catch a cold in winter?").await;
    let texts: Vec<&str> = answer.considered.iter().map(|considered| considered.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.starts_with("1 in 3")), "{}", answer.trace());
    assert!(!texts.iter().any(|text| ["1", "3"].contains(text)), "{}", answer.trace());
}

/// A sentence that begins with "it" or "this" is quoted with the one that says what that is.
#[tokio::test]
async fn a_sentence_is_quoted_with_what_it_refers_to() {
    let page =
        "The lock file is kept beside the ledger. It records the checksums of all seeds and their origin.";
    let answer = ask(&[("Ledger", page)], "What records the checksums of all seeds?").await;
    let quoted: Vec<&str> =
        answer.citations.iter().chain(&answer.found).map(|citation| citation.sentence.as_str()).collect();
    assert!(
        quoted.iter().any(|quoted| quoted.contains("The lock file is kept")),
        "{quoted:?}, {}",
        answer.trace()
    );
}

/// Where several are asked for and a sentence says that there is one, the sentence is the answer.
#[tokio::test]
async fn the_only_one_answers_a_question_for_several() {
    let pages = [
        ("Hermes", "Project Hermes slipped by a month. Its primary blocker was a licence dispute."),
        ("Apollo", "Project Apollo was done in time. Its budget was met."),
    ];
    let answer = ask(&pages, "What were the primary blockers of Project Hermes?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.contains("a licence dispute"), "{text:?}, {}", answer.trace());
}

const MILL: [(&str, &str); 4] = [
    (
        "Settings of the mill",
        "Setting: speed; Description: How fast the stone turns.; Default: 40 rpm.\n\n\
         Setting: mill.gap; Description: Distance between the stones. Small gaps make fine flour.; Default: 2 mm.\n\n\
         Setting: bell; Description: Rings when the hopper is empty.",
    ),
    (
        "Settings of the dryer",
        "| Setting | Description | Default |\n|---|---|---|\n| speed | How fast the fan turns. | 900 rpm |\n\
         | heat | Temperature of the air. | 60 °C |",
    ),
    (
        "Hopper",
        "# Use\n\nThe hopper feeds the grain to the stones at an even rate. The hopper's lid has two hinges.\n\n# Care\n\n\
         A brush is at hand. The hopper collects dust in every corner of its frame.",
    ),
    (
        "Sluice",
        "The sluice is required in winter. A sluice is a gate that holds back the water of the brook. A mill race is a \
         channel that leads the water to the wheel. The TailRace is a channel that takes the water away again. The weir is \
         a low wall of oak, with a gap in the middle.",
    ),
];

/// A cell is found by its row and its head; of two rows with one name the one under the heading that is asked about.
#[tokio::test]
async fn a_cell_is_answered_alone() {
    for (question, cell) in [
        ("What is the default speed of the mill?", "40 rpm"),
        ("What is the default speed of the dryer?", "900 rpm"),
        ("What is the default of the gap?", "2 mm"),
        ("What is the default value of mill.gap?", "2 mm"),
        ("What does the bell setting do?", "Rings when the hopper is empty"),
    ] {
        let answer = ask(&MILL, question).await;
        assert_eq!(answer.text.as_deref(), Some(cell), "{question} {}", answer.trace());
    }
    // Both tables have a row of that name, and nothing tells which is meant.
    nothing_is_stated(&MILL, &["What is the default speed?"]).await;
    // The row has no such cell.
    nothing_is_stated(&MILL, &["What is the default of the bell?"]).await;
}

/// A setting is found by its name in a file, by its environment variable, by its name written apart, and by the heading
/// that it has.
#[tokio::test]
async fn a_setting_is_found_by_each_of_its_names() {
    const KILN: [(&str, &str); 2] = [
        (
            "Settings of the kiln",
            "| In the file | As an environment variable | Description | Default Value | Example |\n|---|---|---|---|---|\n\
             | Fan.Schedule | `KILN_FAN_SCHEDULE` | When the fan starts by itself. Takes cron syntax. | off | `KILN_RACKS` |\n\
             | RestTimeout | `KILN_RESTTIMEOUT` | How long the kiln waits before it closes the door | 24h | 1h |",
        ),
        (
            "The kiln as a service",
            "#### [`KILN_WORKERS=<num>`](#KILN_WORKERS) {#KILN_WORKERS}\n\n: The kiln fires several pots at once. This \
             says how many.\n\n    Defaults to 3\n\n#### `KILN_DOORS=<bool>`\n\n: Opens both of the doors by itself.\n\n\
             #### The `KILN_LAMP` option\n\nThe lamp is lit while the kiln is hot, and dark at night.\n",
        ),
    ];
    for (question, wanted) in [
        ("What does KILN_FAN_SCHEDULE do?", "When the fan starts by itself"),
        ("What is Fan.Schedule for?", "When the fan starts by itself"),
        ("What is the default value of KILN_FAN_SCHEDULE?", "off"),
        ("What is the default rest timeout of the kiln?", "24h"),
        ("What does KILN_WORKERS do?", "The kiln fires several pots at once. This says how many."),
        ("What is the default value of KILN_WORKERS?", "Defaults to 3"),
        ("What does KILN_DOORS do?", "Opens both of the doors"),
        ("What does KILN_LAMP do?", "The lamp is lit while the kiln is hot"),
        ("What is kiln workers by default?", "Defaults to 3"),
    ] {
        let answer = ask(&KILN, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.starts_with(wanted), "{question} {text:?} {}", answer.trace());
    }
    nothing_is_stated(
        &KILN,
        &[
            "What does KILN_RACKS do?",
            "What is the default value of KILN_DOORS?",
            "What does KILN_FAN do?",
            "What is a rest timeout?",
        ],
    )
    .await;
}

/// A sentence that names a setting and states no default of it is no answer to what its default is.
#[tokio::test]
async fn a_default_is_answered_only_where_one_is_stated() {
    const KILN: [(&str, &str); 1] = [(
        "The kiln",
        "If the fan limit has no value, a default applied by the kiln takes its place. Since 10 racks of 2 trays are \
         20 trays, the fan limit will be 20 then. By default the door lock opens at 80 degrees.",
    )];
    for question in ["What is the default value of the fan limit?", "What is the fan limit by default?"] {
        let answer = ask(&KILN, question).await;
        assert_eq!(answer.text, None, "{question} {}", answer.trace());
    }
    let answer = ask(&KILN, "At what temperature does the door lock open by default?").await;
    assert!(answer.text.is_some_and(|text| text.contains("80 degrees")));
}

/// A table of terms says what its terms are; any other table only what names as in programs are.
#[tokio::test]
async fn a_table_of_terms_says_what_a_thing_is() {
    let pages = [
        (
            "Words of the mill",
            "| Term | Description |\n| --- | --- |\n| **damsel** | Rod that shakes the grain out of the hopper |\n\
             | great spur wheel | Wheel on the main shaft that drives the stones |",
        ),
        (
            "Settings",
            "| Setting | Description |\n| --- | --- |\n| stone | Name of the quarry it came from |\n\
             | `gap_max` | Largest distance between the stones |",
        ),
    ];
    for (question, cell) in [
        ("What is a damsel?", "Rod that shakes the grain out of the hopper"),
        ("What is the great spur wheel?", "Wheel on the main shaft that drives the stones"),
        ("What is gap_max?", "Largest distance between the stones"),
    ] {
        let answer = ask(&pages, question).await;
        assert_eq!(answer.text.as_deref(), Some(cell), "{question} {}", answer.trace());
    }
    nothing_is_stated(&pages, &["What is a stone?"]).await;
}

/// A sentence answers what a thing does or is only if the thing is its subject, and it says no mere quality.
#[tokio::test]
async fn what_a_thing_does_is_answered_with_the_sentence_that_says_it() {
    for (question, sentence) in [
        ("What does the hopper do?", "The hopper feeds the grain to the stones"),
        ("What is the purpose of the hopper?", "The hopper feeds the grain to the stones"),
        ("What does the sluice do?", "A sluice is a gate that holds back the water"),
        ("What is a sluice?", "A sluice is a gate that holds back the water"),
        ("What is a MillRace?", "A mill race is a channel that leads the water"),
        ("What is a tail race?", "The TailRace is a channel that takes the water"),
    ] {
        let answer = ask(&MILL, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.starts_with(sentence), "{question} {text:?} {}", answer.trace());
    }
    let answer = ask(&MILL, "What is the weir?").await;
    assert!(answer.text.is_some_and(|text| text.starts_with("The weir is a low wall")));
    nothing_is_stated(
        &MILL,
        &[
            "What does the lid do?",
            "What does the brook do?",
            "What is the brook for?",
            "What does the weir do?",
            "What is the purpose of the weir?",
        ],
    )
    .await;
}

const PRESS: [(&str, &str); 4] = [
    (
        "Press",
        "The press is driven by water.\n\n# Counter\n\nIt counts the sheets. To reset the counter, turn the small key twice. \
         To reset the counter of the dryer, pull its red string. If the counter is full, the press stops and a bell \
         rings. The counter's width defaults to 6 digits.\n\n# Ink\n\nYou can thin the ink by adding linseed oil. To turn off \
         the ink, close the upper tap. To turn on the ink, open both taps.\n\n- `speed`: how fast it runs (default: 40 \
         sheets a minute)\n- `pause`: how long it rests (default: 5 seconds)",
    ),
    (
        "Dryer",
        "The dryer blows warm air. If the wheel is driven by the press, a belt creaks. When its filter is clogged, a lamp is lit. If the filter is not clogged, the lamp is \
         dark. Use the brass handle to open the dryer.\n\n# Cleaning\n\nTo clean it, do this:\n\n- Take out the filter\n- \
         Rinse it with vinegar\n\nTo clean the chain of the dryer, see the page on chains.",
    ),
    ("Chains", "To grease a chain, heat the tallow first. The default oven temperature is 80 degrees."),
    (
        "Troubles",
        "If the chain squeaks, please heat some tallow. When the wheel is stuck in frost, you should pour warm water over \
         it. If the bell is cracked, it sounds dull. Once the roller is fully worn, the paper jams.",
    ),
];

/// A way, an outcome and a default are answered with the sentence whose own clause says what is asked.
#[tokio::test]
async fn what_a_clause_states_is_answered_with_its_sentence() {
    all_are_told(
        &PRESS,
        &[
            ("How do I reset the counter?", "turn the small key"),
            ("How to reset the counter of the dryer?", "pull its red string"),
            ("How can I thin the ink?", "linseed oil"),
            ("How do you turn off the ink?", "close the upper tap"),
            ("How can the dryer be opened?", "brass handle"),
            ("How do I clean the dryer?", "Rinse it with vinegar"),
            ("What happens if the counter is full?", "a bell rings"),
            ("What happens when the filter is clogged?", "a lamp is lit"),
            ("What if the filter is not clogged?", "the lamp is dark"),
            ("What should I do if the chain squeaks?", "heat some tallow"),
            ("What can I do when the wheel is stuck in frost?", "you should pour warm water"),
            ("What happens when the roller is fully worn?", "the paper jams"),
            ("What does the width of the counter default to?", "6 digits"),
            ("What is the default speed of the press?", "40 sheets"),
            ("What is the default oven temperature?", "80 degrees"),
        ],
    )
    .await;
    nothing_is_stated(
        &PRESS,
        &[
            "How do I reset the dryer?",
            "The tallow was stolen, how do I reset the counter?",
            "How do I clean the chain?",
            "How do I grease the counter?",
            "What happens if the ink is full?",
            "What should I do if the bell is cracked?",
            "What happens if the counter is not full?",
            "What happens if the wheel drives the press?",
            "What happens when the roller is worn?",
            "What is the default width of the press?",
            "What is the default temperature?",
        ],
    )
    .await;
}

const GEESE: [(&str, &str); 3] = [
    (
        "The geese",
        "The head keeper should approve the feeding plan of the geese. In winter, the goslings are fed by Marta Lind. \
         Broken eggs come from the lower nest. The purpose of the small pond is to cool the old geese. The grey gander \
         was named by the children “Otto Bold”. The gate of the yard is painted every four years.",
    ),
    (
        "The mill",
        "Copy the weight of each sack to the red ledger. Only weigh the flour of a farmer if it is dry. The miller must \
         inform the River Water Office (RWO) of all cracked millstones. The wheel turns on weekdays from dawn to noon \
         because the river is low later. The wheel does not turn at night. If the miller sells damp flour, the bakery \
         refuses it.",
    ),
    (
        "The bakery",
        "The baker said that she could raise the price of rye bread. Seven \
         bakers carry the warm bread to the market square on foot. The night crew cleans the proving boxes. Another crew \
         sweeps the back stairs.",
    ),
];

/// What a sentence says in the words of the question, with what is left open filled in, is the answer.
#[tokio::test]
async fn a_sentence_that_fills_in_what_is_open_is_answered() {
    all_are_told(
        &GEESE,
        &[
            ("Who should approve the feeding plan of the geese?", "The head keeper"),
            ("Who feeds the goslings in winter?", "Marta Lind"),
            ("Which nest do broken eggs come from?", "lower nest"),
            ("What is the purpose of the small pond?", "cool the old geese"),
            ("What was the grey gander named?", "Otto Bold"),
            ("How often is the gate of the yard painted?", "four years"),
            ("Where do I copy the weight of each sack to?", "red ledger"),
            ("Who must inform the RWO of cracked millstones?", "miller"),
            ("Why does the wheel turn from dawn to noon?", "the river is low"),
            ("What do bakers carry to the market square?", "warm bread"),
            ("Which crew cleans the proving boxes?", "night crew"),
        ],
    )
    .await;
    none_is_told(
        &GEESE,
        &[
            "Who weighs the flour of a farmer?",
            "Who sells damp flour?",
            "Who approved the feeding plan of the sheep?",
            "What is the purpose of the large pond?",
            "When does the wheel turn at night?",
            "Who is fed by the goslings?",
            "Who refuses the bakery?",
            "Who approves the head keeper?",
            "Which crew sweeps the back stairs?",
        ],
    )
    .await;
}

/// A clause of two words is answered by the only sentence that fills its gap.
#[tokio::test]
async fn a_short_clause_is_answered_if_one_sentence_states_it() {
    const PIER: [(&str, &str); 1] = [(
        "Pier guide",
        "The office opens at nine. The archive is closed on Mondays. The scanner is on the second floor. The relay returns XML. \
         Letters are sent by courier. Plans are kept in `/srv/plans`. The night crew owns the winch. Otto Bold leads the \
         rigging crew.",
    )];
    all_are_told(
        &PIER,
        &[
            ("When does the office open?", "at nine"),
            ("When is the archive closed?", "Mondays"),
            ("Where is the scanner?", "second floor"),
            ("What does the relay return?", "XML"),
            ("How are letters sent?", "courier"),
            ("Where are plans kept?", "/srv/plans"),
            ("Who owns the winch?", "night crew"),
            ("Who leads the rigging crew?", "Otto Bold"),
        ],
    )
    .await;
    none_is_told(
        &PIER,
        &[
            "When does the archive open?",
            "Who leads the night crew?",
            "Who founded the rigging crew?",
            "Where is the archive?",
        ],
    )
    .await;
}

/// "The given lever" only refers to a lever, and a sentence about one kind does not list the kinds.
#[tokio::test]
async fn what_only_refers_to_a_thing_of_the_kind_or_names_one_of_several_is_no_answer() {
    const FERRY: [(&str, &str); 2] = [
        (
            "Crossing",
            "This results in the old ferry landing on the given pier alone. The winch pulls it back.",
        ),
        ("Cargo", "The ferry carries cut timber as cargo and returns to the pier by night. It runs daily."),
    ];
    for question in ["What pier is the old ferry landing on?", "Which kinds of cargo does the ferry carry?"] {
        let answer = ask(&FERRY, question).await;
        assert_eq!(answer.text, None, "{question} {}", answer.trace());
    }
}

/// A figure, a name or a word that tells the thing asked about from others is not answered by what tells of another.
#[tokio::test]
async fn another_of_the_kind_does_not_answer() {
    let pages = [(
        "Rules of the yard",
        "Article 12 of the yard treaty forbids carts at dusk. The six-day fair was opened by Marta Lind in 1931. The night \
         debate of the keepers lasts for 45 minutes. The Northern Barn Choir was founded by Hal Ogden. The unofficial flag \
         of the yard is green and grey. A small committee is set up to read private petitions of the millers.",
    )];
    all_are_told(
        &pages,
        &[
            ("What does Article 12 of the yard treaty forbid?", "carts"),
            ("Who opened the six-day fair?", "Marta Lind"),
            ("Who founded the Northern Barn Choir?", "Hal Ogden"),
        ],
    )
    .await;
    none_is_told(
        &pages,
        &[
            "What does Article 20 of the yard treaty forbid?",
            "Who opened the seven-day fair?",
            "Who opened the six-day fair in 1935?",
            "What debate of the keepers lasts for 55 minutes?",
            "Who founded the Southern Barn Choir?",
            "What is the official flag of the yard?",
            "What is set up to read public petitions of the millers?",
        ],
    )
    .await;
}

/// What an abbreviation stands for is said where it is introduced, letter for letter.
#[tokio::test]
async fn an_abbreviation_is_answered_in_full() {
    let pages = [
        (
            "The mill",
            "Tell the River Water Office (RWO) of it. The law on weirs (LOW) is old. Grain (G.L.) is dear.",
        ),
        ("Rules of the Lower Yard (RLY)", "The gate is shut at dusk."),
        ("The guild", "The GMB (Guild of Millers and Bakers) meets at noon. The wheel room is dry (WRD)."),
    ];
    for (question, wanted) in [
        ("What does RWO stand for?", Some("River Water Office")),
        ("What is LOW short for?", Some("law on weirs")),
        ("What does GMB stand for?", Some("Guild of Millers and Bakers")),
        ("What does RLY stand for?", Some("Rules of the Lower Yard")),
        ("What does WRD stand for?", None),
        ("What is the full form of RWO?", Some("River Water Office")),
        ("What does the mill stand for?", None),
        ("What is?", None),
    ] {
        let answer = ask(&pages, question).await;
        assert_eq!(answer.text.as_deref(), wanted, "{question} {}", answer.trace());
    }
}

const LOOM: [(&str, &str); 2] = [
    (
        "Options of the loom",
        "- `--tension`: how hard the warp is pulled while it weaves\n- `--owner`: Ann Beck\n- pick (whole number): the \
         threads that are thrown before it rests\n\n```\n-q, --quiet           prints nothing but what went wrong\n      \
         --colour string   the dye\n```",
    ),
    (
        "heddle",
        "# heddle\n\nLifts every second thread so that the shuttle can pass. Needs oil.\n\n# reed\n\nNeeds no oil at all, and is not lifted.",
    ),
];

/// What stands beside a name in a list, in the help of a program or under a heading says what the thing is or does.
#[tokio::test]
async fn what_an_entry_says_of_its_name_is_answered() {
    for (question, wanted) in [
        ("What does --tension do?", "how hard the warp is pulled"),
        ("What is the tension option for?", "how hard the warp is pulled"),
        ("What does pick do?", "the threads that are thrown"),
        ("What does the --quiet flag do?", "prints nothing but what went wrong"),
        ("What does the heddle do?", "Lifts every second thread"),
    ] {
        let answer = ask(&LOOM, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.starts_with(wanted), "{question} {text:?} {}", answer.trace());
    }
    nothing_is_stated(
        &LOOM,
        &["What does the owner do?", "What is the owner?", "What does the reed do?", "What is the colour?"],
    )
    .await;
}

/// An option with its default on a line of its own is described by the text below it.
#[tokio::test]
async fn the_text_below_an_option_says_what_it_does() {
    let text = "## Options\n\n### prefix\n\n`--prefix = loom`\\\nA string that begins the name of every bolt. It \
                has no hyphen.\n\n### thread-size\n\n`--thread-size = 5mm`\\\nThis value bounds how thick a thread may be.\n";
    let pages =
        [("Weaving by command", text), ("Looms", "A loom holds the warp. The weaver throws the pick.")];
    for (question, wanted) in [
        ("What does --prefix do?", "A string that begins the name of every bolt. It has no hyphen."),
        ("What does --thread-size do?", "This value bounds how thick a thread may be."),
    ] {
        let answer = ask(&pages, question).await;
        assert_eq!(answer.text.as_deref(), Some(wanted), "{question} {}", answer.trace());
    }
}

const CREAMERY: [(&str, &str); 12] = [
    (
        "Upland cheese",
        "Upland cheese is ripened in the Lower Cellar. The preferred culture for upland cheese is Floran. Its rind is \
         salted by hand.",
    ),
    (
        "Floran",
        "Floran is a culture that works slowly. Where a batch turns sour, the effect is reversed with Haltrin. A jar of it has a blue lid and \
         lasts for a year.",
    ),
    ("Haltrin", "Haltrin is a salt that is dissolved in whey. It comes from Voss and Sons."),
    ("Lower Cellar", "The Lower Cellar is aired once a week by the porter. It was dug in 1790."),
    ("Butter", "Butter is churned on Mondays. The churn is rinsed with hot water after use."),
    ("Cream", "Cream is skimmed at dawn. A skimmer lasts for ten years."),
    ("Whey", "Whey is fed to the pigs of the next farm, or boiled down."),
    ("Goats", "Goats are milked in the yard. Their milk is kept apart from that of cows."),
    ("Upper Cellar", "The Upper Cellar holds cheese for sale. A bell hangs at its door."),
    ("Shop", "The shop sells cheese and butter. It is closed on Sundays, when the cellar is swept."),
    ("Farm", "The farm has forty cows and a preferred bull. It lies on the upland above the river."),
    ("River", "The river turns the churn. Its ripened banks are planted with willows."),
];

/// How often something is done, and a colour, are values that stand at the end of a way.
#[tokio::test]
async fn a_way_ends_in_how_often_or_in_a_colour() {
    for (question, wanted) in [
        ("How often is the cellar in which upland cheese is ripened aired?", "once a week"),
        ("What colour is the lid of a jar of the preferred culture for upland cheese?", "blue lid"),
    ] {
        let answer = ask(&CREAMERY, question).await;
        let says = answer.text.as_deref().is_some_and(|answer| answer.contains(wanted));
        assert!(says, "{question} {:?} {}", answer.text, answer.trace());
        assert_eq!(answer.considered[0].form, AnswerForm::Derived, "{question} {}", answer.trace());
    }
    none_is_told(
        &CREAMERY,
        &[
            "What colour is the salt that reverses the preferred culture for upland cheese?",
            "How often is the preferred culture for upland cheese sold?",
            "What colour is the churn of the farm?",
        ],
    )
    .await;
}

/// An entry that is written as a call or as an argument is no thing that an article stands before.
#[tokio::test]
async fn an_entry_with_brackets_is_no_thing() {
    const LIST: [(&str, &str); 1] = [(
        "Functions of the loom",
        "- `warpfile()`: the path of the file that is read first\n- `warp_of(name)`: the threads that are stretched \
         first\n- relay: Set to true if this loom should be trusted as a relay of patterns\n\n# Arguments\n\n- \
         `<PICK>`: the pick at which the loom starts",
    )];
    for (question, wanted) in [
        ("What does warpfile() return?", None),
        ("What does the warpfile function do?", Some("the path of the file")),
        ("What is a warpfile?", None),
        ("What is the warpfile?", None),
        ("What is a pick?", None),
        ("What is a relay?", None),
        ("What is relay?", Some("Set to true")),
    ] {
        let answer = ask(&LIST, question).await;
        let stated = answer.considered.iter().find(|one| one.form == AnswerForm::Stated);
        let says = stated.map(|stated| stated.text.as_str());
        assert!(
            says.is_some_and(|says| wanted.is_some_and(|wanted| says.starts_with(wanted)))
                || says.is_none() && wanted.is_none(),
            "{question} {says:?} {}",
            answer.trace()
        );
    }
}

const ARCHIVE: [(&str, &str); 6] = [
    (
        "Reading room",
        "The reading room is used by many visitors of the town. The reading room is where the maps are shown to \
         guests.",
    ),
    (
        "Maps",
        "Overlays are sheets that lie on a map and show what changed. Overlays are cut by hand. The sheets are fixed \
         with clips.",
    ),
    (
        "Loans",
        "A map may leave the house for a week, with a bond of its value. This is called a long loan. It has to be \
         asked for in May.",
    ),
    (
        "Repairs",
        "The filling of a hole with pulp of the same colour is called leafcasting. The edges of a map are called \
         twice a year. It is known as the great check.",
    ),
    (
        "Stamps",
        "The stamp was a gift of the mayor to the house. Stamps are popular with children of the town.",
    ),
    (
        "Kiosk",
        "# Vendors\n\nA vendor hands out the keys of the lockers. They work from nine.\n\n# Guards\n\nMost work by night.",
    ),
];

/// A thing is defined by where or how it is, without an article, or by what is called so.
#[tokio::test]
async fn definitions_have_several_forms() {
    for (question, wanted) in [
        ("What is the reading room?", "The reading room is where the maps are shown to guests."),
        ("What are overlays?", "Overlays are sheets that lie on a map and show what changed."),
        ("What is an overlay?", "Overlays are sheets that lie on a map and show what changed."),
        (
            "What is a long loan?",
            "A map may leave the house for a week, with a bond of its value. This is called a long loan.",
        ),
        ("What is leafcasting?", "The filling of a hole with pulp of the same colour is called leafcasting."),
        ("What are vendors?", "A vendor hands out the keys of the lockers."),
    ] {
        let answer = ask(&ARCHIVE, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.starts_with(wanted), "{question} {text:?} {}", answer.trace());
    }
    nothing_is_stated(
        &ARCHIVE,
        &["What is a stamp?", "What is the great check?", "What is a clip?", "What are guards?"],
    )
    .await;
}

/// Where a page and a comment in a program define a thing, the page does.
#[tokio::test]
async fn a_page_defines_before_a_comment() {
    const SAVES: [(&str, &str); 2] = [
        (
            "save.rs",
            "/// The save slot is a sibling of the newest slot of the same game.\nSiblingSlot,\n\n/// The save slot is an \
             index into the list of slots.\nSlot(usize),",
        ),
        ("Saving", "A player may stop at any time. The save slot is where the state of a game is kept."),
    ];
    let answer = ask(&SAVES, "What is the save slot?").await;
    assert_eq!(
        answer.text.as_deref(),
        Some("The save slot is where the state of a game is kept."),
        "{}",
        answer.trace()
    );
}

const WEAVER: [(&str, &str); 6] = [
    (
        "Care",
        "## Cleaning the reed\n\nTake the reed out of its frame first.\n\nBrush each dent:\n\n```\nreed brush --all\n```\n\n\
         ## Storage\n\nReeds are stored upright.",
    ),
    ("Using the loom in schools", "## Storing the loom\n\nPush it against the wall.\n\n```\nloom park\n```"),
    (
        "loom oil",
        "Usage: loom oil [PART]\n\nOil the shuttle race and the treadles once.\n\n```\nloom oil race\n```",
    ),
    ("Winding", "## Winding a warp\n\nA warp is wound on a mill or on a board, by one weaver or by two."),
    (
        "Notes",
        "You can trim an existing fringe by rolling the cutter. To wash the cloth of a single customer, run \
         wash --one. To mend the selvedge completely, run mend --all. Use the plain reed if you want to sley it as gauze.",
    ),
    (
        "Settings",
        "The setting that limits the beat is described elsewhere. The `beat_max` setting limits the beat of the loom.",
    ),
];

/// A section whose heading is what is asked to be done is the answer, with its code, if it tells what to do.
#[tokio::test]
async fn a_section_answers_the_question_that_its_heading_is() {
    let answer = ask(&WEAVER, "How do I clean the reed?").await;
    assert_eq!(
        answer.text.as_deref(),
        Some("Take the reed out of its frame first. Brush each dent:\nreed brush --all"),
        "{}",
        answer.trace()
    );
    assert_eq!(answer.citations[0].title, "Care › Cleaning the reed");
    nothing_is_stated(
        &WEAVER,
        &[
            "How do I clean the loom?",
            "How do I store the loom?",
            "How do I oil the loom?",
            "How do I wind a warp?",
            "Why do I clean the reed?",
        ],
    )
    .await;
}

/// What a goal says beside the question may leave open which thing is meant, and may not single one out.
#[tokio::test]
async fn a_goal_that_is_narrower_is_another() {
    for (question, wanted) in [
        ("How do I trim a fringe?", Some("You can trim an existing fringe")),
        ("How do I mend the selvedge?", Some("To mend the selvedge completely")),
        ("How do I wash the cloth?", None),
        ("How do I sley a reed?", None),
    ] {
        let answer = ask(&WEAVER, question).await;
        let stated = answer.considered.iter().find(|one| one.form == AnswerForm::Stated);
        let says = stated.map(|stated| stated.text.as_str());
        assert!(
            says.is_some_and(|says| wanted.is_some_and(|wanted| says.starts_with(wanted)))
                || says.is_none() && wanted.is_none(),
            "{question} {says:?} {}",
            answer.trace()
        );
    }
}

/// Where a setting or a command is asked for, a sentence without the name of one is no answer.
#[tokio::test]
async fn a_sentence_without_a_name_does_not_say_which_setting() {
    let answer = ask(&WEAVER, "Which setting limits the beat of the loom?").await;
    let unnamed = answer.considered.iter().filter(|one| one.text.contains("described elsewhere"));
    assert!(unnamed.clone().all(|one| one.objection.is_some()), "{}", answer.trace());
}

const COMMANDS: [(&str, &str); 6] = [
    (
        "shed lift",
        "Usage: shed lift [N]\n\nRaise the threads of one treadle\n\n`shed lift 2` raises the second.",
    ),
    ("shed.drop", "shed.drop is a file that contains the state of all treadles. It is written by hand."),
    ("Pedal", "The .pedal file is a list of all pedals. pedals is the user that the pedals run as."),
    ("Stop", "loom-stop is a string that names the part which stops the loom."),
    ("Batten", "- batten - how well the batten beats at the end of a day\n- weight - how much it weighs"),
    (
        "Old",
        "Support for the following looms has been removed: Alpha, Beta. Alba is oiled at most three weeks apart.",
    ),
];

/// A command is told of by the first sentence of its page. What only looks like the name is another thing.
#[tokio::test]
async fn names_that_only_look_alike_are_other_things() {
    let answer = ask(&COMMANDS, "What does shed lift do?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.starts_with("Raise the threads of one treadle"), "{text:?} {}", answer.trace());
    nothing_is_stated(
        &COMMANDS,
        &[
            "What does shed drop do?",
            "What is a pedal?",
            "What is Pedal?",
            "What is a batten?",
            "What is a loom stop?",
        ],
    )
    .await;
    none_is_told(
        &COMMANDS,
        &[
            "Which looms are supported?",
            "How much yarn does Alba need?",
            "Why is the Gamma treadle tied to the frame?",
        ],
    )
    .await;
}

/// Yes or no is answered with a sentence that says, or denies, all that is asked, in the question's order.
#[tokio::test]
async fn whether_something_is_so_is_answered_with_the_sentence_that_says_it() {
    const MOTHS: [(&str, &str); 2] = [
        ("Moths", "Moths cannot see red light. If moths see blue light, they come. A moth's wings are dry."),
        (
            "Bees",
            "Bees like the blue of asters. The keeper feeds bees with sugar in wet summers. Wasps are chased by hornets.",
        ),
    ];
    for (question, wanted) in [
        ("Can a moth see red light?", "Moths cannot see red light."),
        ("Do moths see red light?", "Moths cannot see red light."),
    ] {
        let answer = ask(&MOTHS, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.starts_with(wanted), "{question} {text:?} {}", answer.trace());
    }
    nothing_is_stated(
        &MOTHS,
        &[
            "Can moths see blue light?",
            "Do bees feed the keeper with sugar?",
            "Can bees see red light?",
            "Do wasps chase hornets?",
        ],
    )
    .await;
}

/// What is described in the question's words is answered with its name.
#[tokio::test]
async fn the_name_of_what_is_described_is_the_answer() {
    const KILN: [(&str, &str); 2] = [
        (
            "Settings of the kiln",
            "# heatMax\n\nLimits the heat of the upper chamber in degrees.\n\n# draftMin\n\nLimits the air that comes in.\n\n- \
             `cool_down`: how many hours it cools before the door opens\n- Ann Beck: cools the door of the barn",
        ),
        (
            "Options",
            "```\n    --glaze-depth int   the thickness of the glaze\n    --quiet   the bell rings no more\n```",
        ),
    ];
    for (question, name) in [
        ("Which setting limits the heat of the upper chamber?", "heatMax"),
        ("Which setting holds the hours it cools before the door opens?", "cool_down"),
        ("What option sets the thickness of the glaze?", "--glaze-depth"),
    ] {
        let answer = ask(&KILN, question).await;
        assert_eq!(answer.text.as_deref(), Some(name), "{question} {}", answer.trace());
    }
    nothing_is_stated(
        &KILN,
        &["Which setting limits the heat of the lower chamber?", "Which setting cools the door of the barn?"],
    )
    .await;
}

/// A sentence about what is only compared with, or one that has what is asked as a condition, is no answer.
#[tokio::test]
async fn a_sentence_about_something_else_is_no_answer() {
    const METALS: [(&str, &str); 2] = [
        (
            "Tin",
            "Iron is hard because its grains are small, so it is never soft like lead. If you melt tin in the open \
             hearth, the hall must be aired.",
        ),
        ("Hall", "The hall has a high roof. Its doors are of oak."),
    ];
    for question in ["Why is tin softer than iron?", "How do I melt tin in the open hearth?"] {
        let answer = ask(&METALS, question).await;
        assert_eq!(answer.text, None, "{question} {}", answer.trace());
    }
}

/// Things of one kind that a letter or a number tells apart are not each other.
#[tokio::test]
async fn another_letter_is_another_thing() {
    const NODES: [(&str, &str); 3] = [
        ("Nodes", "Node-B is run by Nils Nox. Node-4 is run by Ida Lund."),
        ("Shop", "Vitamin B is sold by Bob Boas. Plan B is led by Peg Pym."),
        ("Wards", "Ward C is on the third floor."),
    ];
    all_are_told(
        &NODES,
        &[
            ("Who runs Node-B?", "Nils Nox"),
            ("Who runs Node-4?", "Ida Lund"),
            ("Who sells Vitamin B?", "Bob Boas"),
            ("Who leads Plan B?", "Peg Pym"),
        ],
    )
    .await;
    none_is_told(
        &NODES,
        &[
            "Who runs Node-A?",
            "Who runs Node-C?",
            "Who runs Node-5?",
            "Who sells Vitamin A?",
            "Who sells Vitamin C?",
            "Who leads Plan A?",
            "Which floor is Ward D on?",
        ],
    )
    .await;
}

#[tokio::test]
async fn what_every_page_speaks_of_is_defined_by_one() {
    let mut pages: Vec<(String, String)> = (0..12)
        .map(|page| {
            let task = ["install", "upgrade", "remove", "monitor"][page % 4];
            (
                format!("How to {task} Zephyr, part {page}"),
                format!(
                    "Zephyr has to be stopped. Then {task} Zephyr with the script of Zephyr number {page}."
                ),
            )
        })
        .collect();
    pages.push(("Overview".to_owned(), "Zephyr is a broker that carries messages between ships.".to_owned()));
    let pages: Vec<(&str, &str)> =
        pages.iter().map(|(title, text)| (title.as_str(), text.as_str())).collect();
    for question in ["What is Zephyr?", "What does Zephyr do?", "What is meant by Zephyr?"] {
        let answer = ask(&pages, question).await;
        assert_eq!(
            answer.text.as_deref(),
            Some("Zephyr is a broker that carries messages between ships."),
            "{question}"
        );
    }
}

const OBSERVATORY: [(&str, &str); 6] = [
    (
        "Hill Observatory",
        "The dome of the Hill Observatory was built by Arden Brothers. Its mirror is cleaned with the Selva.",
    ),
    (
        "Arden Brothers",
        "Arden Brothers is a maker of domes. It was founded in Quell, and its orders go by post.",
    ),
    ("Quell", "Quell is a town in the hills. Its mayor is Hedda Lorn. The fair is held in October."),
    (
        "Selva",
        "The Selva is a machine that blows dry snow. It is serviced every nine weeks by the night porter.",
    ),
    (
        "Pier Observatory",
        "The Pier Observatory was built in 1911 by the harbour board. Its mayor of honour is Ove Dahl.",
    ),
    ("Mirrors", "A mirror is washed with soap where no machine is at hand."),
];

/// At the end of a way over several pages on which all that the question gives is said stands the answer.
#[tokio::test]
async fn an_answer_is_derived_from_several_pages() {
    for (question, text, cited) in [
        (
            "In which town was the maker of the dome of the Hill Observatory founded?",
            "Quell",
            &["Arden Brothers", "Hill Observatory"] as &[&str],
        ),
        (
            "How often is the machine that cleans the mirror of the Hill Observatory serviced?",
            "nine weeks",
            &["Selva"],
        ),
    ] {
        let answer = ask(&OBSERVATORY, question).await;
        let derived = answer.considered.iter().any(|one| one.form == AnswerForm::Derived);
        let says = answer.text.as_deref().is_some_and(|answer| answer.contains(text));
        assert!(derived && says, "{question} {:?} {}", answer.text, answer.trace());
        let titles: Vec<&str> = answer.citations.iter().map(|citation| citation.title.as_str()).collect();
        assert!(titles.starts_with(cited), "{question} {titles:?}");
    }
    for question in [
        "Who owns the company that built the dome of the Hill Observatory?",
        "Who services the machine that cleans the mirror of the Pier Observatory?",
        "In which town was the maker of the clock of the Hill Observatory founded?",
    ] {
        let answer = ask(&OBSERVATORY, question).await;
        let derived = answer.considered.iter().any(|one| one.form == AnswerForm::Derived);
        assert!(!derived && answer.text.is_none(), "{question} {:?} {}", answer.text, answer.trace());
    }
}

/// A page whose title is a verb is not named by a sentence that uses the verb.
#[tokio::test]
async fn a_verb_does_not_lead_to_the_page_of_its_name() {
    let pages = [
        (
            "Observatory",
            "The guide of the Hill Observatory keeps spare lamps; visitors may install one by hand.",
        ),
        ("Install", "The keeper stores every lamp in Port Salla, a town of the north."),
    ];
    let question = "In which town does the guide of the Hill Observatory store the spare lamps?";
    let answer = ask(&pages, question).await;
    let derived = answer.considered.iter().any(|one| one.form == AnswerForm::Derived);
    assert!(!derived, "{:?} {}", answer.text, answer.trace());
    let named = pages.map(|(title, text)| match title {
        "Install" => ("Cabinet", text),
        _ => (title, "The guide of the Hill Observatory keeps spare lamps in the cabinet."),
    });
    let answer = ask(&named, question).await;
    let derived = answer.considered.iter().any(|one| one.form == AnswerForm::Derived);
    assert!(derived, "{:?} {}", answer.text, answer.trace());
}

const QUAY: [(&str, &str); 2] = [
    ("Tasks", "Use case: reset the tide gauge.\n\nThe tide gauge was given by the harbour board in 1911."),
    ("Shifts", "A shift on the quay begins on the second Friday. The quay is swept on Mondays."),
];

/// A label before the question's own words is no answer, and a day no length of time.
#[tokio::test]
async fn the_question_again_and_a_day_are_no_answers() {
    let answer = ask(&QUAY, "How do I reset the tide gauge?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
    let answer = ask(&QUAY, "How long is a shift on the quay?").await;
    assert_ne!(answer.best.as_deref(), Some("second Friday"), "{}", answer.trace());
}

/// Who plays a part is not answered by what the part is.
#[tokio::test]
async fn a_question_for_people_is_not_answered_with_what_they_are() {
    let pages = [
        (
            "Guild",
            "Wardens are people who are responsible for the keys and the lamps. Ann Lee was a weaver of Lyme.",
        ),
        ("Lamps", "The lamps of the guild are lit at dusk by the wardens."),
    ];
    for (question, is_stated) in [
        ("What is a warden?", true),
        ("Who was Ann Lee?", true),
        ("who was ann lee?", true),
        ("Who are the wardens?", false),
    ] {
        let answer = ask(&pages, question).await;
        let stated = answer.considered.iter().any(|one| one.form == AnswerForm::Stated);
        assert_eq!(stated, is_stated, "{question} {}", answer.trace());
    }
}

const MINUTES: [(&str, &str); 4] = [
    (
        "Rule 12: Warping by hand",
        "Rule: 12\nTitle: Warping by hand\nAuthor: Ilse Thorn,\n  Ann Lee\nStatus: adopted\nCreated: 3 May 2019\n\n\
         # Rules\n\nWind the warp by hand.",
    ),
    (
        "Rule 21: Thread types",
        "Rule: 21\nTitle: Thread types\nAuthor: Bo Hall\nType: binding\nStatus: withdrawn\nReplaces: 3\n\n# Rules\n\nUse linen.",
    ),
    (
        "Meeting of 4 June",
        "- Chair: Ann Lee\n- Room: the east hall\n- Clerk: TBD\n\nThe floor was discussed.",
    ),
    ("Meeting of 9 July", "- Chair: Bo Hall\n\nNothing was discussed."),
];

/// A line with a label answers for the text that it stands in the head of, or under the heading of.
#[tokio::test]
async fn a_line_with_a_label_answers_for_what_it_stands_under() {
    for (question, wanted) in [
        ("Who is the author of Rule 12?", Some("Ilse Thorn, Ann Lee")),
        ("Who wrote Rule 21?", Some("Bo Hall")),
        ("What is the status of Rule 12?", Some("adopted")),
        ("When was Rule 12 created?", Some("3 May 2019")),
        ("Who was the chair of the meeting of 9 July?", Some("Bo Hall")),
        ("Who chaired the meeting of 4 June?", Some("Ann Lee")),
        ("Which room holds the meeting of 4 June?", Some("the east hall")),
        ("Who is the author of Rule 13?", None),
        ("When was Rule 21 created?", None),
        ("What does Rule 21 replace?", Some("3")),
        ("What replaces Rule 21?", None),
        ("Who is the clerk of the meeting of 4 June?", None),
        ("What is a thread type?", None),
        ("Who is the chair?", None),
        ("What are the types of Rule 21?", None),
    ] {
        let answer = ask(&MINUTES, question).await;
        let stated = answer.considered.iter().find(|one| one.form == AnswerForm::Stated);
        assert_eq!(stated.map(|stated| stated.text.as_str()), wanted, "{question} {}", answer.trace());
    }
}

/// What a document says of itself in its front matter answers for it, from any of its passages, with the line.
#[tokio::test]
async fn a_field_of_front_matter_answers_for_its_document() {
    let document = |number: u64, title: &str, author: &str| {
        let text = format!("{title} is told here. It goes on about Rule 7 and Rule 8.");
        let mut document = Document::new(title, text).with_title(format!("rule-{number}: {title}"));
        for (name, value) in [("author", author), ("weight", "heavy"), ("status", "adopted")] {
            document.metadata.insert(name.to_owned(), value.into());
        }
        document
    };
    let rules = [document(7, "Warping", "Ilse Thorn"), document(8, "Dyeing", "Bo Hall")];
    let engine = engine(rules.to_vec()).await;
    for (question, wanted) in [
        ("Who wrote Rule 7?", Some("Ilse Thorn")),
        ("Who is the author of Rule-8?", Some("Bo Hall")),
        ("What is the status of Rule 8?", Some("adopted")),
        ("What is the weight of Rule 8?", None),
        ("Who wrote Rule 9?", None),
    ] {
        let answer = engine.ask(question).await.unwrap();
        let stated = answer.considered.iter().find(|one| one.form == AnswerForm::Stated);
        assert_eq!(stated.map(|stated| stated.text.as_str()), wanted, "{question} {}", answer.trace());
    }
    // Without a number the page is about a thing that it does not tell of itself.
    let page = document(9, "Apollo", "Ann Lee").with_title("Apollo");
    let pages = crate::common::engine(vec![page]).await;
    let answer = pages.ask("What is the status of Apollo?").await.unwrap();
    assert!(answer.considered.iter().all(|one| one.form != AnswerForm::Stated), "{}", answer.trace());
    let answer = engine.ask("Who wrote Rule 7?").await.unwrap();
    assert_eq!(answer.citations[0].sentence, "author: Ilse Thorn");
    assert_eq!(answer.citations[0].title, "rule-7: Warping");
}

const SHORTCUTS: [(&str, &str); 5] = [
    (
        "Keys of the loom",
        "| Key | Description |\n| --- | --- |\n| `w` | Wind the warp |\n| `c` | Cut the cloth in two |\n\
         | beam | Turns the beam |\n\n| Scope | Description |\n| --- | --- |\n| `knot:tie` | Tie a knot |",
    ),
    (
        "Commands of the loom",
        "- `loom dye`: Dye the yarn that is wound\n- `loom rinse`: rinses all of the yarn",
    ),
    ("Changelog of the loom", "- `loom beat`: Beat the weft (#12)"),
    (
        "Card",
        "## Trial of the loom\n\n-run=CARD is a filter on the name of the cards to run. Mind the noise of the trial.",
    ),
    ("Installation", "Unpack the loom first.\n\n```\nloom setup --all\n```"),
];

/// What an entry says that a key or a command does is how to do it, if it says just that.
#[tokio::test]
async fn an_entry_that_does_what_is_asked_says_how() {
    for (question, wanted) in [
        ("How do I wind the warp?", Some("Key: w; Description: Wind the warp")),
        ("How do I rinse the yarn?", Some("loom rinse: rinses all of the yarn")),
        ("How do I cut the cloth?", None),
        ("How do I tie a knot?", None),
        ("How do I run the trial?", None),
        ("How do I turn the beam?", None),
        ("How do I beat the weft?", None),
    ] {
        let answer = ask(&SHORTCUTS, question).await;
        let stated = answer.considered.iter().find(|one| one.form == AnswerForm::Stated);
        assert_eq!(stated.map(|stated| stated.text.as_str()), wanted, "{question} {}", answer.trace());
    }
}

/// A heading need not name what all pages are about, if only one section may be meant.
#[tokio::test]
async fn a_section_need_not_name_what_all_pages_are_about() {
    let stated = async |pages: &[(&str, &str)], question: &str| {
        let answer = ask(pages, question).await;
        let stated = answer.considered.iter().find(|one| one.form == AnswerForm::Stated);
        stated.map(|stated| stated.text.clone())
    };
    let question = "How do I install the loom?";
    let wanted = Some("Unpack the loom first.\nloom setup --all".to_owned());
    assert_eq!(stated(&SHORTCUTS, question).await, wanted);
    let mut two = SHORTCUTS.to_vec();
    two.push(("Install", "Carry the loom in.\n\n```\nloom enter\n```"));
    assert_eq!(stated(&two, question).await, None);
    assert_eq!(stated(&SHORTCUTS, "How do I install the warp?").await, None);
}

/// A question that names two things asks about both only if it joins them.
#[tokio::test]
async fn a_condition_in_a_question_is_not_compared() {
    let pages = [
        ("Gate", "The gate is built of oak. It is shut while the weir is cleaned."),
        ("Mill", "The mill is built of oak and grinds rye."),
    ];
    for (question, is_about_both) in [
        ("Are the gate and the mill built of oak?", true),
        ("Must the gate be shut when the mill grinds?", false),
    ] {
        let answer = ask(&pages, question).await;
        let is_compared =
            answer.considered.iter().any(|considered| considered.form == AnswerForm::Comparison);
        assert_eq!(is_compared, is_about_both, "{question} {}", answer.trace());
    }
}

/// A verb at the beginning of a sentence is nobody's name.
#[tokio::test]
async fn a_verb_that_begins_a_sentence_is_no_name() {
    let pages = [("Guild", "Recruiting new weavers is a responsibility of the loom review lead.")];
    let answer = ask(&pages, "Who is the loom review lead?").await;
    assert!(answer.considered.iter().all(|one| one.text != "Recruiting"), "{}", answer.trace());
}

/// A phone number is answered with its sentence, not with one of its groups of digits.
#[tokio::test]
async fn a_phone_number_is_answered_whole() {
    let pages =
        [("Guild", "If a loom is on fire, call the guild's phone number, +31 20 2 444 500, at once.")];
    let answer = ask(&pages, "What phone number do I call if a loom is on fire?").await;
    let text = answer.best.as_deref().unwrap_or_default();
    assert!(text.contains("+31 20 2 444 500"), "{text:?} {}", answer.trace());
}

/// An answer has the format that the question asks for.
#[tokio::test]
async fn an_address_or_a_duration_is_not_answered_with_something_else() {
    let page = "If a loom breaks, report it. We'll ask the guild of weavers about every report of a broken loom. \
                Reports of a broken loom are kept in the loft of the guild.";
    for question in
        ["To which e-mail address do I report a broken loom?", "How long are reports of a broken loom kept?"]
    {
        let answer = ask(&[("Looms", page)], question).await;
        assert_eq!(answer.text, None, "{question} {}", answer.trace());
        assert!(
            answer.considered.iter().all(|considered| considered.objection.is_some()),
            "{}",
            answer.trace()
        );
    }
}

/// A number counts what the question counts, and a year is one.
#[tokio::test]
async fn a_number_that_counts_something_else_is_no_answer() {
    let page = "# Looms\n\n## Reports\n\nThe report on the looms of Norrvik is due between April and May each year.\n\n\
                ## Threads\n\nThe looms of Norrvik need 2FA to be unlocked. One of the looms of Norrvik is red.\n";
    for question in [
        "In which year is the report on the looms of Norrvik due?",
        "How many codes do the looms of Norrvik need to be unlocked?",
        "How many of the looms of Norrvik are red?",
    ] {
        let answer = ask(&[("Looms", page)], question).await;
        assert_eq!(answer.text, None, "{question} {}", answer.trace());
    }
    let page = "# Ledgers\n\n## Age\n\nThe ledgers of Norrvik are kept for 7 years after the fair.\n";
    let answer = ask(&[("Ledgers", page)], "For how many years are the ledgers of Norrvik kept?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.contains("7 years"), "{}", answer.trace());
}

/// Records answer for themselves: not for another one with the same owner, nor for a code that they do not have.
#[tokio::test]
async fn a_record_does_not_answer_for_another() {
    let records = [
        ("Loom jams", "It jams after an hour.\n\nid: L-201; owner: Ida Berg; status: open; due: 2026-12-04."),
        (
            "Slow shuttle",
            "It takes ten minutes.\n\nid: L-203; owner: Ida Berg; status: closed; due: 2026-10-01.",
        ),
        ("Red thread", "It is missing.\n\nid: L-206; status: blocked."),
        ("north", "name: north; place: Bergen; owner: Ola Dahl; renewal: 2027-03-01."),
    ];
    for (question, right) in [
        ("What is the status of Slow shuttle?", "closed"),
        ("What is the owner of L-206?", ""),
        ("What is the renewal of L-203?", ""),
        ("What is the renewal of L-206?", ""),
        ("What is the status of north?", ""),
        ("Who owns L-203?", "Ida Berg"),
    ] {
        let answer = ask(&records, question).await;
        let is_right = answer.text.as_deref().is_none_or(|text| !right.is_empty() && text.contains(right));
        assert!(is_right, "{question} {:?} {}", answer.text, answer.trace());
    }
}

/// What leads to a page does not make it one about another year.
#[tokio::test]
async fn a_page_about_another_year_does_not_answer() {
    let reports = [
        (
            "Weavers' report 1815",
            "The weavers met in 10 halls, most of them in Porto, and spun for nine days.",
        ),
        (
            "Weavers' report 1812",
            "The weavers met in Porto and Braga for the first time. They wore new caps.",
        ),
    ];
    let answer = ask(&reports, "In how many halls did the weavers meet in 1812?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
    let answer = ask(&reports, "In how many halls did the weavers meet in 1815?").await;
    assert!(answer.text.as_deref().is_some_and(|text| text.contains("10")), "{}", answer.trace());
}

/// A number that is a bound is given as one.
#[tokio::test]
async fn a_bound_is_answered_with_what_makes_it_one() {
    let page = "# Dye vats\n\n## Indigo\n\nThe vats of Norrvik may only be stirred at temperatures below 12 degrees. \
                The vats of Norrvik hold at least 40 litres.\n";
    for (question, right) in [
        ("At what temperatures may the vats of Norrvik be stirred?", "below 12 degrees"),
        ("How many litres do the vats of Norrvik hold?", "at least 40 litres"),
    ] {
        let answer = ask(&[("Dye vats", page)], question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.contains(right), "{question} {text:?} {}", answer.trace());
    }
}

/// Whom a sentence names, what its second verb says, and an hour in words.
#[tokio::test]
async fn a_plain_question_about_a_plain_sentence_is_answered() {
    let pages = [
        ("Ida Berg", "Ida Berg represents the dyers in the Norrvik case. She came in 1998."),
        ("Ida Lund", "Ida Lund represents the weavers in the Norrvik case. She came in 2007."),
        ("Mill Inn", "The Mill Inn stands on Quarry Street and closes at eleven. Its cook is Ola."),
    ];
    for (question, right) in [
        ("Whom does Ida Lund represent in the Norrvik case?", "weavers"),
        ("When does the Mill Inn close?", "eleven"),
    ] {
        let answer = ask(&pages, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.contains(right), "{question} {text:?} {}", answer.trace());
    }
}

#[tokio::test]
async fn no_chain_of_pages_is_followed_where_the_page_of_the_named_thing_says_all() {
    let pages = [
        (
            "Upper Tarn Hut",
            "Upper Tarn Hut stands at 1,240 metres and was built in 1931. The warden is Greta Voss. A night costs 18 \
             pounds.",
        ),
        (
            "Lower Tarn Hut",
            "Lower Tarn Hut lies at 820 metres, an hour's walk below Upper Tarn Hut. Its warden is Piet Maaskant. A night \
             costs 26 pounds, and the hut is open all year except in November.",
        ),
        ("Raven Edge", "Raven Edge is a narrow ridge route from Lower Tarn Hut to the summit of Ben Torval."),
    ];
    for question in ["How much does a night at Lower Tarn Hut cost?", "Who is the warden of Lower Tarn Hut?"]
    {
        let answer = ask(&pages, question).await;
        let derived = answer.considered.iter().filter(|one| one.form == AnswerForm::Derived);
        assert_eq!(derived.count(), 0, "{question} {}", answer.trace());
    }
}

#[tokio::test]
async fn a_namesake_a_rival_and_a_missing_thing_answer_nothing() {
    let pages = [
        (
            "Upper Tarn Hut",
            "Upper Tarn Hut stands at 980 metres, two hours above the tarn. A night costs 18 pounds. It has 12 beds and a \
             stove.",
        ),
        (
            "Lower Tarn Hut",
            "Lower Tarn Hut stands at 640 metres beside the tarn. A night costs 14 pounds for members and 22 pounds for \
             guests, except in January, when the hut is shut. It has 18 beds.",
        ),
        (
            "Routes",
            "From the road to Lower Tarn Hut it is two hours, and from there to Upper Tarn Hut two more.",
        ),
        (
            "Staff",
            "The cook is Ida Holm, who lives at Weir House. The caretaker is Ola Rees. Radio call sign TARN ONE. In the \
             big hall a tent may be put up, as long as it is under 3.5 metres tall.",
        ),
    ];
    for (question, wrong) in [
        ("How much does a night at Lower Tarn Hut cost?", "18 pounds"),
        ("Does Lower Tarn Hut have a stove?", "12 beds and a stove"),
        ("what's ida holm's radio call sign", "TARN ONE"),
        ("How tall is the ceiling of the big hall?", "3.5 metres"),
    ] {
        let answer = ask(&pages, question).await;
        let given = answer.text.as_deref().unwrap_or_default();
        assert!(!given.contains(wrong), "{question} {given} {}", answer.trace());
    }
}
