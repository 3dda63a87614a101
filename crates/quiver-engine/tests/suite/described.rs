//! Questions about a thing that they describe and another passage names, over passages without titles.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::Document;

use crate::common::engine;

/// Asks over passages without titles and returns the answer's text.
async fn ask(passages: &[&str], question: &str) -> Option<String> {
    let documents = passages.iter().enumerate().map(|(at, text)| Document::new(format!("note-{at}"), *text));
    engine(documents.collect()).await.ask(question).await.unwrap().text
}

/// Checks that the answer has a value and lacks another.
async fn check(passages: &[&str], question: &str, has: &str, lacks: &str) {
    let text = ask(passages, question).await.unwrap_or_default();
    assert!(text.contains(has) && (lacks.is_empty() || !text.contains(lacks)), "{question} {text:?}");
}

async fn refuse(passages: &[&str], question: &str) {
    assert_eq!(ask(passages, question).await, None, "{question}");
}

const WOOD: [&str; 5] = [
    "Alder is the preferred wood for smoking trout.",
    "Beech is the preferred wood for smoking ham.",
    "Alder requires soaking for an hour.",
    "Beech requires splitting into chips.",
    "Typical defects of alder are bark pockets and blue stain.",
];

#[tokio::test]
async fn a_description_leads_to_the_thing_that_it_fits() {
    check(&WOOD, "What does the preferred wood for smoking trout require?", "soaking", "splitting").await;
    check(&WOOD, "What does the preferred wood for smoking ham require?", "splitting", "soaking").await;
}

#[tokio::test]
async fn what_should_i_look_out_for_asks_what_there_is() {
    let question = "Which defects should I look out for when I use the preferred wood for smoking trout?";
    check(&WOOD, question, "bark pockets", "").await;
}

#[tokio::test]
async fn a_description_may_follow_its_verb_or_come_first() {
    let serves = [
        "Hexa serves as the standard database for the booking system.",
        "Hexa requires nightly vacuuming of its tables.",
        "Orca, which backs the search, has slow restarts as a frequent problem.",
    ];
    check(&serves, "What does the booking system's standard database require?", "vacuuming", "").await;
    let is =
        ["The capital of Orland is Vesk.", "Vesk has a population of 310,000.", "Orland borders the sea."];
    check(&is, "What is the population of the capital of Orland?", "310,000", "").await;
    let uses =
        ["We use Lumen as our default renderer for night scenes.", "Lumen needs at least 12 GB of memory."];
    check(&uses, "How much memory does the default renderer for night scenes need?", "12 GB", "").await;
}

#[tokio::test]
async fn the_thing_is_the_subject_of_a_passive_verb_or_belongs_to_a_noun() {
    let notes = [
        "Crane 4 is the designated lifting gear for the turbine hall.",
        "Crane 4 must be greased after every storm.",
        "The cable of Crane 4 is 60 metres long.",
    ];
    let question = "When must the designated lifting gear for the turbine hall be greased?";
    check(&notes, question, "after every storm", "").await;
}

#[tokio::test]
async fn a_pronoun_goes_on_about_the_thing() {
    let notes = [
        "Quill is the default parser for invoices. It requires a schema file for each sender.",
        "Invoices are kept for ten years.",
    ];
    check(&notes, "What does the default invoice parser require?", "schema file", "").await;
}

#[tokio::test]
async fn a_general_word_describes_a_special_one() {
    let notes = [
        "Fern is the main harvester for the north field.",
        "Fern burns biodiesel and seats one driver.",
        "Moss, the small tractor, burns petrol.",
    ];
    let question = "What fuel does the principal machine for the north field burn?";
    let text = ask(&notes, question).await;
    assert!(text.is_none_or(|text| text.contains("biodiesel")));
    check(&notes, "What fuel does the north field's principal harvester burn?", "biodiesel", "petrol").await;
}

#[tokio::test]
async fn two_things_of_one_description_are_not_told_apart() {
    let notes = [
        "Alder is the preferred wood for smoking trout.",
        "Beech is the preferred wood for smoking trout.",
        "Alder requires soaking for an hour.",
        "Beech requires splitting into chips.",
    ];
    refuse(&notes, "What does the preferred wood for smoking trout require?").await;
}

#[tokio::test]
async fn what_is_not_said_of_the_thing_is_refused() {
    refuse(&WOOD, "What does the preferred wood for smoking trout cost?").await;
    refuse(&WOOD, "Is the preferred wood for smoking trout poisonous?").await;
    let notes = [
        "Ibex is the standard rope for cave rescues.",
        "Unlike Ibex, Grampus needs a dry bag.",
        "The team requires Ibex on every descent.",
    ];
    refuse(&notes, "What does the standard rope for cave rescues require?").await;
    refuse(&notes, "What does the standard rope for cave rescues need?").await;
}

#[tokio::test]
async fn a_description_that_fits_in_part_is_of_something_else() {
    refuse(&WOOD, "What does the preferred wood for smoking cheese require?").await;
    refuse(&WOOD, "What does the preferred wood require?").await;
    let notes = ["Number 7 is the reserve boiler for the laundry.", "Number 7 requires a test each autumn."];
    refuse(&notes, "What does the main boiler for the laundry require?").await;
}

#[tokio::test]
async fn the_sentence_with_the_description_does_not_answer_for_the_thing() {
    let notes = [
        "Form R3 is the standard application for garden plots.",
        "Form R3 must be accompanied by a site plan.",
        "Garden plots are let for ten years.",
    ];
    check(&notes, "What must accompany the standard application for a garden plot?", "site plan", "").await;
    refuse(&notes, "Can the standard application for garden plots be sent by fax?").await;
}

#[tokio::test]
async fn a_description_that_has_ended_does_not_count_today() {
    let notes = [
        "Vela was the official timekeeper of the rally.",
        "Orion is the official timekeeper of the rally.",
        "Vela employs 40 people.",
        "Orion employs 25 people.",
    ];
    check(&notes, "How many people does the official timekeeper of the rally employ?", "25", "40").await;
}

#[tokio::test]
async fn a_longer_name_is_another_thing() {
    let notes = [
        "Bluewing is the default font for road signs.",
        "Bluewing City has 30,000 residents.",
        "Bluewing requires wide spacing.",
    ];
    check(&notes, "What does the default font for road signs require?", "wide spacing", "").await;
    refuse(&notes, "How many residents does the default font for road signs have?").await;
}

const TANKS: [&str; 3] = [
    "Our roof gardens are watered from the Elm tank.",
    "The Elm tank holds 9,000 litres.",
    "The stables are watered from the Brook tank, which holds 4,000 litres and was painted green in May.",
];

#[tokio::test]
async fn any_sentence_with_the_description_and_one_thing_names_it() {
    check(&TANKS, "How much does the tank for the roof gardens hold?", "9,000", "4,000").await;
    let halls = [
        "The choir rehearses its Easter programme in Hall B.",
        "Hall B seats 140 people.",
        "The Christmas programme is rehearsed in Hall C, which seats 300 people and has a piano.",
    ];
    check(&halls, "How many people does the hall for the Easter programme seat?", "140", "300").await;
    let planes = [
        "Trainee pilots fly the Piper Cub.",
        "The Piper Cub has to be refuelled after two hours.",
        "Paying guests fly the Archer, which has to be refuelled after four hours and seats three.",
    ];
    let question = "When does the aircraft for trainee pilots have to be refuelled?";
    check(&planes, question, "two hours", "four").await;
    let decks = [
        "For the upper deck, the shipyard picked Ostrava teak.",
        "Ostrava teak is oiled with linseed oil.",
        "The lower deck is laid with larch, which is oiled with tung oil and delivered in May.",
    ];
    check(&decks, "What is the wood for the upper deck oiled with?", "linseed", "tung").await;
}

#[tokio::test]
async fn a_name_stands_beside_its_kind_or_after_called() {
    let raised = [
        "The bakery's sourdough is raised with Bertha, a rye starter.",
        "Bertha is fed twice a day.",
        "The brioche is raised with Klaus, a wheat starter, which is fed once a week and kept in the cellar.",
    ];
    check(&raised, "How often is the starter for the bakery's sourdough fed?", "twice a day", "once").await;
    refuse(&raised, "Where is the starter for the sourdough kept?").await;
    let alarm = [
        "The mill's flood alarm is a siren named Old Tom.",
        "Old Tom is tested on the first Monday of each month.",
        "The fire alarm of the mill is a bell, which is tested every Friday.",
    ];
    check(&alarm, "When is the flood alarm of the mill tested?", "first Monday", "Friday").await;
    let forms = [
        "For residential leases, the firm uses form RL-2.",
        "Form RL-2 was last revised in June 2021.",
        "Shop leases are drawn up on form SL-9, which was last revised in May 2019.",
    ];
    let question = "When was the form we use for residential leases last revised?";
    check(&forms, question, "June 2021", "2019").await;
}

#[tokio::test]
async fn a_clause_may_describe_and_a_clause_may_name() {
    let pieces = [
        "The piece that opens the summer festival is Rosamunde.",
        "Rosamunde lasts nine minutes.",
        "The piece that closes the summer festival is Prometheus, which lasts sixteen minutes and needs a choir.",
    ];
    let question = "How long does the summer festival's opening piece last?";
    check(&pieces, question, "nine minutes", "sixteen").await;
    let question = "How long does the piece that closes the summer festival last?";
    check(&pieces, question, "sixteen", "nine").await;
    refuse(&pieces, "Does the piece that opens the summer festival need a choir?").await;
    let domes = [
        "The Marlow telescope, which we use for faint stars, stands in the north dome.",
        "The Marlow telescope is cleaned with distilled water.",
        "The Teague telescope, which we use for planets, is cleaned with isopropanol.",
    ];
    check(&domes, "What is the telescope for faint stars cleaned with?", "distilled", "isopropanol").await;
    check(&domes, "What is the telescope for planets cleaned with?", "isopropanol", "distilled").await;
}

#[tokio::test]
async fn what_is_said_of_a_sibling_is_no_answer() {
    refuse(&TANKS, "When was the tank for the roof gardens painted?").await;
    let paint = [
        "The paint for the north face of the lighthouse is Seagull white.",
        "Seagull white dries in six hours.",
        "The south face of the lighthouse is painted with Heron grey, which dries in two days.",
    ];
    let question = "How long does the paint for the lighthouse's north face take to dry?";
    check(&paint, question, "six hours", "two days").await;
    let question = "How long does the paint for the lighthouse's south face take to dry?";
    check(&paint, question, "two days", "six hours").await;
    refuse(&paint, "How long does the paint for the lighthouse's east face take to dry?").await;
    let crops = [
        "On the sandy fields we sow winter rye as a cover crop.",
        "Winter rye is ploughed in before maize is sown.",
        "White clover is sown as a cover crop on the clay fields and is ploughed in after the first frost.",
    ];
    check(&crops, "When is the cover crop for the sandy fields ploughed in?", "before maize", "frost").await;
    check(&crops, "When is the cover crop on the clay fields ploughed in?", "frost", "maize").await;
}

#[tokio::test]
async fn a_rival_a_negation_and_what_is_too_weak_name_nothing() {
    let question = "How long does the telescope for faint stars have to cool down?";
    let cools = "The Teague telescope has to cool down for one hour.";
    for first in [
        "Faint stars are not photographed with the Teague telescope.",
        "The Teague telescope is too weak for faint stars.",
        "Faint stars were photographed with the Teague telescope until 2015.",
        "The Teague telescope might be used for faint stars.",
    ] {
        refuse(&[first, cools], question).await;
    }
    let rivals = [
        "Faint stars are photographed with the Teague telescope.",
        "Faint stars are also photographed with the Hale telescope.",
        cools,
        "The Hale telescope has to cool down for five hours.",
    ];
    refuse(&rivals, question).await;
}

#[tokio::test]
async fn the_thing_has_to_have_the_part_that_the_question_gives_it() {
    let drills = [
        "Hard rock is drilled with the Titan drill.",
        "The Titan drill is lent by Orsted.",
        "Orsted lends the pump for 90 euros.",
    ];
    check(&drills, "Who lends the drill for hard rock?", "Orsted", "pump").await;
    refuse(&drills, "What does the drill for hard rock lend?").await;
}

#[tokio::test]
async fn what_was_so_before_or_holds_elsewhere_names_nothing() {
    let wards = [
        "Warfarin used to be the standard blood thinner on ward 4.",
        "The standard blood thinner on ward 4 is now apixaban.",
        "Warfarin requires weekly blood tests.",
        "Apixaban requires a check of the kidneys.",
    ];
    check(&wards, "What does the standard blood thinner on ward 4 require?", "kidneys", "weekly").await;
    refuse(&wards, "What does the standard blood thinner on ward 7 require?").await;
    let rooms = [
        "Children's parties are held in the Blue Room.",
        "The Blue Room must be booked two weeks ahead.",
        "Wedding parties are held in the Great Hall, which must be booked six months ahead and has a stage.",
    ];
    let question = "How many weeks ahead must we book the room where children's parties are held?";
    check(&rooms, question, "two weeks", "six months").await;
    refuse(&rooms, "Does the room for children's parties have a stage?").await;
}

#[tokio::test]
async fn what_follows_in_the_passage_goes_on_about_the_thing() {
    let notes = [
        "The Marlow telescope photographs faint stars. It was built in 1998. Cooling takes two hours.",
        "The Teague telescope was built in 2004.",
    ];
    check(&notes, "When was the telescope for faint stars built?", "1998", "2004").await;
}

#[tokio::test]
async fn a_name_is_announced_by_known_as_and_belongs_to_its_own_kind() {
    let tiles = [
        "The clay for the roof tiles is thinned with the old slip known as the Morla.",
        "The Morla is stirred with a beech paddle.",
        "The roof tiles sell out before Easter.",
    ];
    check(&tiles, "What is the slip for the roof tiles stirred with?", "beech", "Easter").await;
    refuse(&tiles, "What do we store the slip for the roof tiles in?").await;
    // The varnish has the name, and not the roof.
    let roof = [
        "The tiled roof of the mill is protected by a varnish called Oriel.",
        "Oriel has to be renewed every 6 years.",
    ];
    check(&roof, "How often must the varnish on the tiled roof be renewed?", "6 years", "").await;
    refuse(&roof, "How often must the tiled roof of the mill be renewed?").await;
    let tower = ["The bell of the north tower is rung by the keeper.", "The north tower closes at six."];
    refuse(&tower, "What do we give the keeper of the north tower?").await;
}

#[tokio::test]
async fn what_becomes_of_the_thing_is_told_with_its_circumstances() {
    let mail = [
        "The steamer Corvina carries the summer mail across the lake.",
        "In thick fog Corvina loses its radar echo.",
        "The ferry Dorade carries tourists; in thick fog its horn fails.",
    ];
    let question = "What does thick fog do to the steamer that carries the summer mail?";
    check(&mail, question, "radar echo", "horn").await;
    refuse(&mail, "What does thick snow do to the steamer that carries the summer mail?").await;
    refuse(&mail, "What damage can thick fog do to the steamer that carries the summer mail?").await;
    let cloth = [
        "The blue cloth is dyed in a vat called Maren.",
        "Kept too cold, Maren turns green and smells of eggs.",
        "Kept too hot, the red vat boils over.",
    ];
    check(&cloth, "What happens if the vat for the blue cloth is kept too cold?", "green", "boils").await;
    refuse(&cloth, "What happens if the vat for the blue cloth is kept too hot?").await;
    let bath = [
        "Silver spoons are cleaned in a bath called Argon Blue.",
        "Heated to a boil, Argon Blue can burn the skin.",
        "Kept in glass, Argon Blue can prevent stains.",
    ];
    let question = "What damage can the bath for the silver spoons do if it is heated to a boil?";
    check(&bath, question, "burn", "stains").await;
    refuse(&bath, "What damage can the bath for the silver spoons do if it is kept in glass?").await;
}

#[tokio::test]
async fn a_time_after_the_use_of_the_thing_is_none_before_it() {
    let courts = [
        "Moss on the tennis courts is fought with a powder called Tersol.",
        "After an application of Tersol players have to wait 3 days before a match.",
    ];
    let question = "How long do players have to wait before a match after using the powder against moss?";
    check(&courts, question, "3 days", "").await;
    refuse(&courts, "How long do players have to wait before using the powder against moss?").await;
}

#[tokio::test]
async fn a_plural_is_said_by_the_plural_with_what_it_is_of() {
    let trams = [
        "Tarvol is the recommended grease for narrow-gauge axles.",
        "Tarvol requires frequent checks of the bearing temperature.",
        "Narrow-gauge axles carry less weight than standard ones.",
    ];
    let asked = "What checks are needed for the recommended narrow-gauge axle grease?";
    check(&trams, asked, "bearing temperature", "").await;
    refuse(&trams, "Which three checks are needed for the recommended narrow-gauge axle grease?").await;
    refuse(&trams, "What checks are needed for the recommended broad-gauge axle grease?").await;
}

#[tokio::test]
async fn a_description_ends_before_the_verb_and_may_say_what_the_thing_does() {
    let halls = [
        "Hall C is the only hall cool enough for tulips.",
        "Drivers bound for Hall C must collect a badge at Gate 4.",
        "Hall D is the only hall warm enough for palms.",
    ];
    let question = "Where must drivers heading for the cool tulip hall collect their badge?";
    check(&halls, question, "Gate 4", "").await;
    refuse(&halls, "Where must drivers heading for the warm palm hall collect their badge?").await;
    let desks = [
        "Permits for the flower market are stamped by the Harbour Desk.",
        "Calls to the Harbour Desk are answered by Runa Holm.",
        "Dog licences come from the Mill Desk, whose calls are answered by Ole Vik.",
    ];
    let question = "Who answers calls to the desk stamping the flower market permits?";
    check(&desks, question, "Runa Holm", "Ole").await;
    refuse(&desks, "Who answers calls to the desk stamping the fish market permits?").await;
}

#[tokio::test]
async fn the_proper_part_of_a_name_may_stand_by_itself_where_something_is_done_to_it() {
    let kiln = "The Brant kiln is the oven of choice for thin porcelain.";
    let question = "How is the oven of choice for thin porcelain heated?";
    let heated = "Brant has to be heated with dry birch before a firing.";
    check(&[kiln, heated], question, "birch", "").await;
    let lies = "Brant lies in the hills above the clay pits.";
    refuse(&[kiln, lies], "Where does the oven of choice for thin porcelain lie?").await;
    refuse(&[kiln, "The Brant stove has to be heated with dry birch before a firing."], question).await;
}
