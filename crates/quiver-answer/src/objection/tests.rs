//! Rules one by one.

use quiver_models::Lexical;

use super::{
    super::{
        candidate::candidates,
        reading::{Even, SaidBy, Source, WordWeights},
    },
    negation::is_negation_of,
    *,
};

/// Weights with one word that counts little, as a name does that most passages have.
struct Light(&'static str);

impl WordWeights for Light {
    fn weight(&self, stem: u32) -> f32 {
        if Lexical::new().terms(self.0).iter().any(|term| term.hash == stem) { 0.3 } else { 1.0 }
    }

    fn is_unknown(&self, _: u32) -> bool {
        false
    }
}

fn read(question: &str, title: Option<&str>, text: &str, weights: &dyn WordWeights) -> Reading {
    Reading::of_passage(question, title, text, weights)
}

fn objection(question: &str, text: &str) -> Option<Objection> {
    of_sentence(&read(question, None, text, &Even), 0, false)
}

/// The same for a sentence with a value of the type asked for.
fn typed_objection(question: &str, text: &str) -> Option<Objection> {
    of_sentence(&read(question, None, text, &Even), 0, true)
}

/// A value in the first piece.
fn value(reading: &Reading, kind: Kind, text: &str) -> Candidate {
    let start = reading.pieces[0].unit.text.find(text).expect(text);
    let range = start..start + text.len();
    Candidate { text: text.into(), kind, piece: 0, range, features: Vec::new(), fit: 1.0 }
}

#[test]
fn a_sentence_of_another_year_answers_for_none() {
    let asked = "Who won the Holm Cup in 2025?";
    let told = "In 2024 the Holm Cup was won by Ida Low.";
    assert_eq!(objection(asked, told), Some(Objection::OtherThing));
    let title = Reading::of_passage(asked, Some("Cups in 2025"), told, &Even);
    assert_eq!(of_sentence(&title, 0, true), Some(Objection::OtherThing));
    assert_eq!(objection(asked, "In 2025 the Holm Cup was won by Ida Low."), None);
}

#[test]
fn a_page_about_another_of_its_kind_answers_for_none() {
    let text = "# Course\n\nIt is held in the mill.\n\n## Passes\n\n61 of 74 weavers passed the course.\n";
    let names_another = |title: &str| {
        let reading = read("How many weavers passed DYE110?", Some(title), text, &Even);
        reading.names_another(&reading.pieces[1])
    };
    assert!(names_another("DYE215 Looms"));
    assert!(!names_another("DYE110 Vats"));
    let text =
        "# Wharfside\n\nIda came to Wharfside from Elm.\n\n## Costs\n\nMembership is 40 euros a year.\n";
    let is_of_other = |asked: &str| {
        let reading = read(asked, Some("The Wharfside club"), text, &Light("elm"));
        is_of_other_name(&reading, &reading.pieces[1])
    };
    assert!(is_of_other("How much is the membership at Elm?"));
    assert!(!is_of_other("How much is the membership at Wharfside?"));
}

#[test]
fn a_rank_and_all_of_a_closed_question_have_to_be_said() {
    let under = |asked: &str, text: &str| {
        let text = format!("# Guild\n\n## Fair\n\n{text}\n");
        of_sentence(&read(asked, Some("Guild"), &text, &Even), 0, false)
    };
    let won = "Weavers Ruth and Pell won the wool prize of the fair in 2022.";
    assert_eq!(under("Which weavers came second for the wool prize?", won), Some(Objection::OtherThing));
    let asked = "Can I borrow a rope over a weekend?";
    let vats = "Members borrow vats over a weekend in winter, in the yard.";
    assert_eq!(under(asked, vats), Some(Objection::OtherThing));
    assert_eq!(under("Can members borrow vats over a weekend?", vats), None);
    let asked = "What name did the children choose for the loom?";
    let plan = "Name to be picked by the children: Ida, Ola or Greta for the loom.";
    assert_eq!(under(asked, plan), Some(Objection::OtherRelation));
}

#[test]
fn a_sentence_that_says_the_opposite_is_no_answer() {
    let worst = "The cost of a sort is usually its worst-case cost, measured in steps.";
    assert_eq!(objection("What is the best-case cost of a sort?", worst), Some(Objection::Opposite));
    assert_eq!(objection("What is the worst-case cost of a sort?", worst), None);
    let inactive = "Wardens call the mill when one of its parts is inactive at noon.";
    let asked = "Who calls the mill when its parts are active?";
    assert_eq!(objection(asked, inactive), Some(Objection::Opposite));
    assert!(is_negation_of("incomplete", "complete") && !is_negation_of("income", "come"));
}

#[test]
fn a_sentence_under_another_heading_is_no_answer() {
    let text = "# Services\n\n## Search\n\nIt is owned by the Find team. Logs are kept for 14 days.\n\n## Mail\n\n\
                Logs are kept for 90 days.\n\n## Drive\n\nIt has a quota.\n";
    let about = |question: &str| {
        let reading = read(question, Some("Services"), text, &Light("mail"));
        let logs: Vec<usize> =
            (0..reading.pieces.len()).filter(|at| reading.pieces[*at].lower.starts_with("logs")).collect();
        logs.into_iter().map(|at| of_sentence(&reading, at, true)).collect::<Vec<_>>()
    };
    assert_eq!(about("How long are the logs of Mail kept?"), [Some(Objection::OtherThing), None]);
    let both = [Some(Objection::OtherThing), Some(Objection::OtherThing)];
    assert_eq!(about("How long are the logs of Drive kept?"), both);
    assert_eq!(about("How long are logs kept?"), [None, None]);
}

#[test]
fn who_asks_is_no_answer_and_neither_is_anybody_of_the_kind() {
    let asked = "Who is in charge of enforcing the oath of the guild?";
    let poses = "Write down who is in charge of enforcing the oath of the guild, in red ink.";
    assert_eq!(objection(asked, poses), Some(Objection::OtherRelation));
    let told = "Ida Berg, who is in charge of enforcing the oath of the guild, lives in Bergen.";
    assert_eq!(objection(asked, told), None);
    let asked = "Which dyer mixed the red wool of the guild?";
    let any = "For the red wool that is mixed, the guild pays a dyer in Bergen.";
    assert_eq!(objection(asked, any), Some(Objection::OtherRelation));
    let named = "The red wool of the guild was mixed by a dyer called Ida Berg.";
    assert_eq!(objection(asked, named), None);
}

#[test]
fn a_question_where_needs_a_place_and_a_year_has_to_be_said() {
    let asked = "Where was the meeting of the weavers held?";
    let day = "The meeting of the weavers was held the day before the fair, on Tuesday.";
    assert_eq!(objection(asked, day), Some(Objection::Type));
    let hall = "The meeting of the weavers was held in the old hall before the fair.";
    assert_eq!(objection(asked, hall), None);
    let asked = "Where was the meeting of the weavers of 1812 held?";
    assert_eq!(objection(asked, hall), Some(Objection::OtherThing));
}

#[test]
fn a_length_a_purpose_and_a_holder_have_to_be_said() {
    let asked = "How long do the looms in the mill last?";
    let price = "The looms in the mill cost 640 euros last time.";
    assert_eq!(typed_objection(asked, price), Some(Objection::Type));
    assert_eq!(typed_objection(asked, "The looms in the mill last for 12 years."), None);
    let asked = "What is the Friday firing of the kiln for?";
    let how = "The firing of the kiln on Friday takes place empty, for 10 minutes.";
    assert_eq!(objection(asked, how), Some(Objection::OtherRelation));
    let why = "The firing of the kiln on Friday is to remove old glaze.";
    assert_eq!(objection(asked, why), None);
    let asked = "Who has a red key?";
    assert_eq!(objection(asked, "Red key: shed, cellar and loft."), Some(Objection::OtherRelation));
    assert_eq!(objection(asked, "Red key: the warden and the two dyers."), None);
}

#[test]
fn what_was_last_year_is_not_this_year() {
    let last = "Last year's main prize of the reading club was a night in the mill.";
    let asked = "What is this year's main prize of the reading club?";
    assert_eq!(objection(asked, last), Some(Objection::Over));
    assert_eq!(objection("What was last year's main prize of the reading club?", last), None);
}

#[test]
fn what_may_be_is_not_what_is() {
    for (asked, may) in [
        ("Who heads the dye works?", "Ida Berg may head the dye works next year, if all goes well."),
        ("Where is the wool stored?", "The wool could be stored in the loft above the mill."),
    ] {
        assert_eq!(objection(asked, may), Some(Objection::OtherRelation), "{asked}");
    }
    assert_eq!(
        objection("Who is allowed to open the weir?", "Only Ida and Ola may open the weir by hand."),
        None
    );
}

#[test]
fn another_month_or_quarter_is_another_time() {
    let is_other = |text: &str| {
        let reading = read("Which dye does the guild use in May?", None, text, &Even);
        is_of_other_time(&reading, &reading.pieces[0])
    };
    assert!(is_other("In March the guild uses madder; the dye of April is woad."));
    assert!(!is_other("The guild uses woad as its dye from March to June."));
    let asked = "How many bales did the mill sell in the second quarter?";
    let first = "The mill sold 40 bales in the first quarter of the year.";
    assert_eq!(objection(asked, first), Some(Objection::OtherThing));
}

#[test]
fn a_bound_a_code_and_an_organisation_have_to_be_said() {
    let asked = "What is the longest interval between two oilings?";
    let usual = "The interval between two oilings is 2 weeks as a rule.";
    assert_eq!(objection(asked, usual), Some(Objection::OtherRelation));
    assert_eq!(objection(asked, "The interval between two oilings is limited to 3 weeks."), None);
    let table = |code: &str| format!("| Shed | Places | Key |\n|---|---|---|\n| Mill | 15 | {code} |\n");
    let row_of = |table: &str| {
        let reading = read("What is the code for the mill shed?", None, table, &Even);
        let row =
            reading.pieces.iter().position(|piece| piece.unit.kind == UnitKind::Row && !piece.unit.is_head);
        of_sentence(&reading, row.unwrap(), false)
    };
    assert_eq!(row_of(&table("code")), Some(Objection::Type));
    assert_eq!(row_of(&table("code 5518")), None);
    let more = "For more information about the licence of the mill, refer to the guild.";
    assert_eq!(objection("What licence does the mill have?", more), Some(Objection::OtherRelation));
    let asked = "Which supplier delivers the madder?";
    assert_eq!(
        objection(asked, "The supplier delivers the madder fresh for every vat."),
        Some(Objection::Type)
    );
    assert_eq!(objection(asked, "The supplier Tolva delivers the madder fresh for every vat."), None);
    let asked = "What did the mending of the loom cost?";
    assert_eq!(
        objection(asked, "The yearly fee for the loom is €80, and it is free."),
        Some(Objection::OtherRelation)
    );
}

#[test]
fn a_preposition_and_the_rest_of_a_row_name_have_to_be_said() {
    let asked = "What is Ola Rees working on?";
    assert_eq!(
        objection(asked, "Ola Rees is our working dyer, here until May."),
        Some(Objection::OtherRelation)
    );
    let moved = |asked: &str, text: &str| {
        let reading = read(asked, None, text, &Even);
        lacks_preposition(&reading, &reading.pieces[0])
    };
    let asked = "Which town did Ola Rees move to?";
    assert!(moved(asked, "Ida Berg took on the dyeing when Ola Rees moved away."));
    assert!(!moved(asked, "Ola Rees moved to Leuven, and Ida Berg took on the dyeing."));
    assert!(!moved("Who was the loom mended by?", "Ola Rees mended the loom in May."));
    assert!(!moved("Who is the prize for?", "The prize is Ida's."));
    let table = "| Ticket | Price |\n|---|---|\n| Family (four) | £17 |\n| Year ticket | £22 |\n";
    let is_half = |asked: &str, name: &str| {
        let reading = read(asked, None, table, &Even);
        let row = reading.pieces.iter().find(|piece| piece.unit.text.contains(name)).unwrap();
        is_half_of_rows(&reading, row)
    };
    let asked = "What is the price of a year ticket for a family?";
    assert!(is_half(asked, "Family") && is_half(asked, "Year"));
    assert!(!is_half("What is the price of a family ticket?", "Family"));
}

#[test]
fn the_day_of_a_date_counts_nothing_and_a_show_is_nobody() {
    let asked = "How many mills are still on the old wheel?";
    let reading = read(asked, None, "The mills still on the old wheel move by 30 November.", &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Number, "30")), Some(Objection::Type));
    let asked = "Who is presenting the new wool show?";
    let text = "The new show is the Wool Hour, with Ida Berg presenting.";
    let reading = read(asked, None, text, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Name, "Wool Hour")), Some(Objection::Type));
    assert_eq!(of_value(&reading, &value(&reading, Kind::Name, "Ida Berg")), None);
    let asked = "On which day does the meat come?";
    let text = "Bread comes on both days, milk on Fridays, meat on Tuesdays.";
    let reading = read(asked, None, text, &Even);
    let over = value(&reading, Kind::Complement, "days, milk on Fridays");
    assert_eq!(of_value(&reading, &over), Some(Objection::Type));
}

#[test]
fn a_plan_tells_nothing_of_what_was_done_and_a_date_is_no_amount() {
    let asked = "When was the old wheel really turned off?";
    let other = Some(Objection::OtherRelation);
    assert_eq!(typed_objection(asked, "The old wheel is to be turned off by 3 June."), other);
    assert_eq!(typed_objection(asked, "The old wheel was turned off on 8 June."), None);
    let asked = "How long did the work on the roof really take?";
    assert_eq!(typed_objection(asked, "Work to start on the roof on 5 August and take four weeks."), other);
    assert_eq!(
        objection("Who leads the guild?", "The clerk is Ida Berg, who until last year led the guild."),
        Some(Objection::Over)
    );
    let asked = "When did Ola's leave begin?";
    assert_eq!(typed_objection(asked, "Ola is on leave until 6 January."), Some(Objection::Type));
    assert_eq!(typed_objection(asked, "Ola is on leave from 2 May until 6 January."), None);
    let asked = "Who was the head weaver before Ida Berg?";
    assert_eq!(
        typed_objection(asked, "The head weaver in the mill is Ida Berg."),
        Some(Objection::OtherRelation)
    );
    assert_eq!(typed_objection(asked, "Before Ida Berg, Ola Rees was the head weaver."), None);
    let asked = "How many looms were put up in the new mill?";
    assert_eq!(typed_objection(asked, "Ida showed the plan for the new mill: 48 looms."), other);
    assert_eq!(
        typed_objection(
            "How many looms are in the plan for the mill?",
            "The plan for the mill has 48 looms."
        ),
        None
    );
    let asked = "How much did the wool fair bring in?";
    assert_eq!(typed_objection(asked, "The wool fair is set for 5 April 2025."), Some(Objection::Type));
    let asked = "How long does the crossing to the weir take?";
    assert_eq!(
        typed_objection(asked, "The boat for the crossing to the weir takes 12 carts."),
        Some(Objection::Type)
    );
    assert_eq!(typed_objection(asked, "The crossing to the weir takes an hour."), None);
}

#[test]
fn a_time_of_day_a_place_and_a_name_have_to_be_said() {
    let asked = "What time does the wool fair begin on 14 June?";
    let day = "The wool fair this year is on 14 June, in the yard.";
    assert_eq!(objection(asked, day), Some(Objection::Type));
    assert_eq!(objection(asked, "The wool fair begins at 9 on 14 June, in the yard."), None);
    let asked = "What time does the mill open on Sundays?";
    assert_eq!(objection(asked, "The mill opens at 9 on Sundays."), None);
    assert_eq!(objection(asked, "On Sundays the mill opens at 9."), None);
    let asked = "Where do we gather if the fire alarm goes off?";
    let lacks = |text: &str| {
        let reading = read(asked, None, text, &Even);
        lacks_place(&Case::of_sentence(&reading, 0, false))
    };
    assert!(lacks("In case of fire the alarm is raised first."));
    assert!(!lacks("In case of fire the alarm is raised in the yard."));
    let text = "Translations are done on Berta; so far Danish is complete, Norse is half done.";
    let reading = read("Who does the Norse translation?", None, text, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Name, "Berta")), Some(Objection::Type));
}

#[test]
fn an_announcement_is_no_answer_without_what_it_announces() {
    let asked = "What are the two main vats of the dye works?";
    let rows = "The dye works uses two main vats:\n\n| Vat | Use |\n| --- | --- |\n| Ida | wool |\n| Greta | felt |\n";
    let reading = read(asked, None, rows, &Even);
    assert_eq!((of_sentence(&reading, 0, false), reading.context(0)), (None, 0..3));
    let long = rows.replace("wool", &"wool ".repeat(200));
    assert_eq!(of_sentence(&read(asked, None, &long, &Even), 0, false), Some(Objection::NothingNew));
    let one = rows.replace("| Greta | felt |\n", "");
    assert_eq!(of_sentence(&read(asked, None, &one, &Even), 0, false), Some(Objection::One));
}

#[test]
fn what_belongs_to_another_or_is_another_case_is_no_answer() {
    let asked = "How many litres of dye does Ida's vat hold?";
    let greta = "Greta's dye vat is 18 litres and the gauge lies.";
    assert_eq!(typed_objection(asked, greta), Some(Objection::OtherThing));
    let both = format!("# Vats\n\n## Ida and Greta\n\n{greta}\n");
    assert_eq!(of_sentence(&read(asked, None, &both, &Even), 0, true), Some(Objection::OtherThing));
    assert_eq!(typed_objection("How many litres of dye does Greta's vat hold?", greta), None);
    let text = "# Wool\n\n## Washing\n\nFor combed wool, a cold bath will do. For dyed wool, the bath of the wool has \
                to be warm for 3 hours.\n";
    let reading = read("Does combed wool need a warm bath?", Some("Wool"), text, &Even);
    let dyed = reading.pieces.iter().position(|piece| piece.lower.starts_with("for dyed"));
    let dyed = dyed.expect("a sentence about dyed wool");
    assert!(is_of_other_case(&reading, &reading.pieces[dyed]));
    let reading = read("Does dyed wool need a warm bath?", Some("Wool"), text, &Even);
    assert!(!is_of_other_case(&reading, &reading.pieces[dyed]));
}

#[test]
fn one_of_two_frequencies_and_the_lower_end_are_no_answers() {
    let of = |question: &str, text: &str, kind: Kind, shown: &str| {
        let reading = read(question, None, text, &Even);
        of_value(&reading, &value(&reading, kind, shown))
    };
    let asked = "How often should I oil the vat?";
    let both = "Oil the loom every five minutes, and the vat once a month.";
    assert_eq!(of(asked, both, Kind::Complement, "every five minutes"), Some(Objection::Ambiguous));
    let one = "You should oil the vat every five minutes.";
    assert_eq!(of(asked, one, Kind::Complement, "every five minutes"), None);
    let asked = "How many weavers were in the third group?";
    let grown = "The third group of weavers grew from 6 weavers to thirteen weavers.";
    assert_eq!(of(asked, grown, Kind::Number, "6"), Some(Objection::Ambiguous));
    assert_eq!(of(asked, grown, Kind::Number, "thirteen"), None);
}

#[test]
fn what_it_does_not_do_does_not_tell_which_does() {
    let text = "The old cart will not go under the bridge at Low Mill.";
    let asked = "Which cart can get under the bridge at Low Mill?";
    assert_eq!(objection(asked, text), Some(Objection::Negation));
    assert_eq!(objection("Which cart can't get under the bridge at Low Mill?", text), None);
    let text = "The old cart will not go under the bridge at Low Mill, but the new cart does.";
    assert_eq!(objection(asked, text), None);
}

#[test]
fn a_question_that_denies_is_not_answered_by_what_is_so() {
    let text = "Many classes of looms can be driven by a wheel in the river.";
    assert_eq!(objection("What cannot be driven by a wheel?", text), Some(Objection::Negation));
    assert_eq!(objection("What can be driven by a wheel?", text), None);
}

#[test]
fn the_outcome_of_a_way_does_not_tell_the_way() {
    let outcome = "That way, weavers can keep their looms dry in autumn.";
    let asked = "How can weavers keep their looms dry?";
    assert_eq!(objection(asked, outcome), Some(Objection::OtherRelation));
    assert_eq!(objection(asked, "Weavers can keep their looms dry with a cover of felt."), None);
}

#[test]
fn a_way_needs_a_means() {
    let asked = "How do I take a loom out of the queue?";
    assert_eq!(
        objection(asked, "A loom that waits in the queue is out of reach until its turn."),
        Some(Objection::Type)
    );
    assert_eq!(objection(asked, "Pull the red lever to take a loom out of the queue."), None);
    let by = "Members of the guild are elected by secret ballot in autumn.";
    assert_eq!(objection("How are members of the guild elected?", by), None);
    let next = "Getting a new badge takes a minute. Fill in the form at the desk.";
    assert_eq!(objection("How do I get a new badge?", next), None);
}

#[test]
fn a_question_why_needs_a_reason() {
    let asked = "Why should weavers oil their looms in autumn?";
    let none = "Weavers in the valley oil their looms in autumn, on two grounds.";
    assert_eq!(objection(asked, none), Some(Objection::OtherRelation));
    assert_eq!(objection(asked, "Weavers oil their looms in autumn as they stiffen in the frost."), None);
    let text = "A heater that was never cleaned started the fire in the dye house.";
    assert_eq!(objection("What was the cause of the fire in the dye house?", text), None);
}

#[test]
fn the_reason_is_that_of_what_the_question_asks_about() {
    let asked = "Why did the guild drain the upper weir?";
    let of = |text: &str| objection(asked, text);
    for other in [
        "The guild has bought new looms, because draining the upper weir costs two days of work.",
        "If the upper weir is drained, wardens should help the guild to carry the nets.",
    ] {
        assert_eq!(of(other), Some(Objection::OtherRelation), "{other}");
    }
    for reason in [
        "The guild drained the upper weir because the sluice had rotten boards.",
        "Because the sluice had rotten boards, the guild drained the upper weir.",
        "The sluice had rotten boards, so the guild drained the upper weir in May.",
        "The guild drained the upper weir to prevent a flood of the dye house.",
        "For safety reasons the guild drained the upper weir in the night of the fair.",
    ] {
        assert_eq!(of(reason), None, "{reason}");
    }
    let text = "The sluice of the mill had rotten boards. Thus the guild drained the upper weir.";
    let reading = read(asked, None, text, &Even);
    assert_eq!((of_sentence(&reading, 1, false), reading.context(1)), (None, 0..2));
}

#[test]
fn an_age_is_no_identifier() {
    let text = "16-year-olds may work in the dye house until eight in the evening.";
    assert_eq!(objection("Where may a 16-year-old work?", text), None);
}

#[test]
fn where_to_read_more_is_no_answer_to_yes_or_no() {
    let asked = "Do we need a permit before dyeing wool?";
    assert_eq!(
        objection(asked, "View more information on permits for dyeing wool."),
        Some(Objection::OtherRelation)
    );
    assert_eq!(objection(asked, "Dyeing wool before noon needs a permit from the guild."), None);
}

#[test]
fn a_row_about_another_identifier_is_no_answer() {
    let table = |name: &str| format!("| Name | Place |\n| --- | --- |\n| {name} | Bergen in Norway |");
    let asked = "In which place is the machine loom-north-2?";
    assert_eq!(objection(asked, &table("loom-south-1")), Some(Objection::OtherThing));
    assert_eq!(objection(asked, &table("loom-north-2")), None);
    let asked = "In which place is the machine FeltPress?";
    assert_eq!(objection(asked, &table("WoolPress")), Some(Objection::OtherThing));
    assert_eq!(objection(asked, &table("FeltPressLog")), Some(Objection::OtherThing));
    let asked = "In which place is the hand-driven machine for wool in Norway?";
    assert_eq!(objection(asked, &table("WoolPress")), None);
}

#[test]
fn a_sentence_without_the_format_or_the_number_of_things_asked_for_is_no_answer() {
    let kept = "Wool that is kept in the loft loses its colour.";
    assert_eq!(objection("How long is wool kept in the loft?", kept), Some(Objection::Type));
    let counted = "The guild has four kinds of looms, all of them built of oak.";
    assert_eq!(objection("What are the four kinds of looms of the guild?", counted), Some(Objection::One));
    let named = "The kinds of looms of the guild are box, frame, hand and pit looms.";
    assert_eq!(objection("What are the four kinds of looms of the guild?", named), None);
}

#[test]
fn a_number_without_the_unit_or_the_kind_asked_for_is_no_answer() {
    let paid = "The guild pays its warden 3 times a year, out of the chest.";
    assert_eq!(objection("What salary does the warden of the guild get?", paid), Some(Objection::Type));
    let wide = "The vat of the guild is 3 m wide and stands by the weir.";
    assert_eq!(objection("How big is the vat of the guild in litres?", wide), Some(Objection::Type));
    let counted = |text: &str| {
        let text = format!("## Votes\n\n{text}");
        let asked = "How many weavers voted for the oath?";
        of_sentence(&read(asked, Some("Minutes"), &text, &Even), 0, true)
    };
    assert_eq!(
        counted("The weavers met in May, and 87% of the guild voted for the oath."),
        Some(Objection::Type)
    );
    assert_eq!(counted("In May 14 weavers voted for the oath, in red ink."), None);
    assert_eq!(counted("In May 14 of our oldest weavers voted for the oath."), None);
}

#[test]
fn what_is_only_planned_or_only_described_is_no_answer() {
    let asked = "Which mill did the guild use for its banner?";
    let planned = "The guild is looking at hiring a mill for its banner in Ornery.";
    assert_eq!(objection(asked, planned), Some(Objection::OtherRelation));
    let described = "The council met with the mill the guild is using for its banner, to choose a colour.";
    assert_eq!(objection(asked, described), Some(Objection::OtherRelation));
    let named = "For its banner the guild is using the Ornery mill, which it chose for the colour.";
    assert_eq!(objection(asked, named), None);
    let asked = "From whom do I need a key for the loft of the guild?";
    let condition = "If you plan to use the loft of the guild, you need a key from Ida Low.";
    assert_eq!(objection(asked, condition), None);
}

#[test]
fn what_is_said_of_those_asked_for_does_not_tell_who_they_are() {
    let asked = "Who are the elder wardens of the guild?";
    let said =
        "The elder wardens of the guild are asked to meet twice a year (Spring Fair and Harvest Fair).";
    assert_eq!(objection(asked, said), Some(Objection::OtherRelation));
    let named = "The elder wardens of the guild are Ida Low and Tom Rees, both of them dyers.";
    assert_eq!(objection(asked, named), None);
}

#[test]
fn an_amount_beside_another_one_is_shown_with_its_sentence_only() {
    let text = "## Certificates\n\nThe root lasts 10 years and the leaf lasts 7 days.\n";
    let reading = read("How long does the root last?", Some("Keys"), text, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Quantity, "7 days")), Some(Objection::Ambiguous));
    assert_eq!(of_value(&reading, &value(&reading, Kind::Quantity, "10 years")), Some(Objection::Ambiguous));
}

#[test]
fn one_of_several_days_in_a_turn_is_no_answer_and_a_weekday_is_nobody() {
    let of_turn = |question: &str, text: &'static str, kind, day: &str| {
        let metadata = serde_json::Map::default();
        let said_by = Some(SaidBy { speaker: Some("Ida"), at: (None, 0) });
        let source = Source { title: None, text, score: 1.0, steps: 0, metadata: &metadata, said_by };
        let reading = Reading::of(&Lexical::new(), question, &Even, &[source]);
        of_value(&reading, &value(&reading, kind, day))
    };
    let asked = "When must the notes for the weavers' book be in?";
    let two = "The weavers' book is printed on 24 June, so the notes must be in by the 22nd.";
    assert_eq!(of_turn(asked, two, Kind::Date, "24 June"), Some(Objection::Type));
    let one = "The notes for the weavers' book must be in on Monday, 22 June.";
    assert_eq!(of_turn(asked, one, Kind::Date, "22 June"), None);
    let person = "Bring the notes for the weavers' book by Wednesday noon.";
    let reading = read("Who brings the notes for the weavers' book?", None, person, &Even);
    let found = candidates(&reading);
    let named = found.iter().find(|candidate| candidate.text == "Wednesday");
    assert!(named.is_none_or(|named| of_value(&reading, named).is_some()));
}

#[test]
fn who_asks_for_a_deed_needs_it_and_a_sibling_is_another_thing() {
    let asked = "Who founded the guild of dyers?";
    let leads = "Ida Low leads the guild of dyers.";
    assert_eq!(objection(asked, leads), Some(Objection::OtherRelation));
    assert_eq!(objection(asked, "Ida Low founded the guild of dyers."), None);
    // The question may end with "who".
    let last = objection("The guild of dyers was founded by who?", "Ida Low founded the guild of dyers.");
    assert_eq!(last, None);
    let text = "Ida Low leads the design guild. The dye guild owns the vat.";
    let about = |question: &str| of_sentence(&read(question, None, text, &Even), 0, true);
    assert_eq!(about("Who leads the dye guild?"), Some(Objection::OtherThing));
    assert_eq!(about("Who leads the design guild?"), None);
}

#[test]
fn a_sentence_with_all_of_the_question_needs_one_word_more() {
    assert_eq!(objection("What does the loom make?", "The loom makes felt."), None);
    assert_eq!(objection("What does the loom make?", "The loom really makes."), Some(Objection::NothingNew));
    assert_eq!(objection("Where is the loom?", "The loom is on the second floor."), None);
}

#[test]
fn what_is_said_of_another_name_is_no_answer_however_common_the_name() {
    let of = |question: &str, text: &str, name: &'static str| {
        of_sentence(&read(question, None, text, &Light(name)), 0, true)
    };
    let asked = "When will Katarzyna hand in her pattern?";
    assert_eq!(
        of(asked, "Hyun-woo hands in his pattern in October.", "Katarzyna"),
        Some(Objection::OtherThing)
    );
    assert_eq!(of(asked, "Katarzyna hands in her pattern in October.", "Katarzyna"), None);
    let asked = "Which fund pays for Katarzyna?";
    let other = "The small fund of the guild pays for Sefa and runs until May.";
    assert_eq!(of(asked, other, "Katarzyna"), Some(Objection::OtherThing));
}

#[test]
fn what_is_said_under_the_heading_of_a_sibling_is_no_answer() {
    let text = "| Loom | Weaver |\n|---|---|\n| heron | Ida |\n| plover | Ola |\n\n## heron\n\n\
        It stands in the loft and is warped in red.\n\n## plover\n\nIt was moved to the mill in March 2023.\n";
    let reading = read("When was heron moved to the mill?", Some("Looms"), text, &Even);
    assert_eq!(of_sentence(&reading, 3, true), Some(Objection::OtherThing));
    let reading = read("When was plover moved to the mill?", Some("Looms"), text, &Even);
    assert_eq!(of_sentence(&reading, 3, true), None);
}

#[test]
fn the_blue_one_is_not_the_white_one() {
    let text = "The mill has two vats. The blue one holds about 210 litres of dye.";
    let about = |question: &str| of_sentence(&read(question, None, text, &Even), 1, true);
    assert_eq!(about("How much dye does the white vat hold?"), Some(Objection::OtherThing));
    assert_eq!(about("How much dye does the blue vat hold?"), None);
}

#[test]
fn what_is_said_of_the_thing_tells_nothing_of_its_occasion() {
    let asked = "When is the training for the new looms?";
    let arrive = "Twelve new looms of oak arrive on 4 November.";
    assert_eq!(typed_objection(asked, arrive), Some(Objection::OtherRelation));
    let training = "The training for the new looms is on 4 November.";
    assert_eq!(typed_objection(asked, training), None);
}

#[test]
fn what_to_do_is_an_instruction() {
    let asked = "What should I do if the wool has pink spots?";
    assert_eq!(objection(asked, "Wool with pink spots is what moths leave behind."), Some(Objection::Type));
    assert_eq!(objection(asked, "Wash wool with pink spots in cold water."), None);
}

#[test]
fn a_name_a_code_and_a_price_have_to_be_told() {
    let nurse = "The nurse of the guild comes on the second Tuesday of the month.";
    assert_eq!(objection("What is the name of the nurse of the guild?", nurse), Some(Objection::Type));
    let named = "The nurse of the guild, Ida Low, comes on the second Tuesday of the month.";
    assert_eq!(objection("What is the name of the nurse of the guild?", named), None);
    let code = "The chest of the guild opens with a code, which Leopold changes every autumn.";
    assert_eq!(objection("What is the code for the chest of the guild?", code), Some(Objection::Type));
    let told = "The code for the chest of the guild is 4711 until Leopold changes it.";
    assert_eq!(objection("What is the code for the chest of the guild?", told), None);
    let lost = "The loom of the guild lost its clutch at the ford.";
    assert_eq!(objection("What will the clutch of the loom of the guild cost?", lost), Some(Objection::Type));
}

#[test]
fn a_number_of_the_past_or_of_another_part_of_the_sentence_is_no_answer() {
    let asked = "How many weavers work in the mill of the guild?";
    let began = "We began in 2009 in the back room of the mill of the guild, with eleven weavers.";
    assert_eq!(objection(asked, began), Some(Objection::Over));
    let today = "Eleven weavers work in the mill of the guild, all day.";
    assert_eq!(typed_objection(asked, today), None);
    let old = "The old loom is Tarn, aged six; the young one, Fleck, is still in parts.";
    assert_eq!(objection("How old is Fleck?", old), Some(Objection::OtherThing));
}

#[test]
fn what_an_item_with_another_label_says_is_no_answer() {
    let list = "- heron: fan 3 rattles. It is harmless.\n- curlew: eight bays of oak. The last bay was mended on 19 April.\n";
    let about = |question: &str| of_sentence(&read(question, None, list, &Even), 3, true);
    assert_eq!(about("When was the last bay of heron mended?"), Some(Objection::OtherThing));
    assert_eq!(about("When was the last bay of curlew mended?"), None);
}

#[test]
fn a_value_is_whole() {
    let reading = read("Where does the wool sleep?", None, "The wool sleeps in the oak store.", &Even);
    let found = candidates(&reading);
    let oak = found.iter().find(|candidate| candidate.text == "oak");
    assert!(oak.is_none_or(|oak| of_value(&reading, oak) == Some(Objection::Type)));
    let rows = "| Setting | Default | Meaning |\n|---|---|---|\n| drying | 90 | time in seconds |\n";
    let reading = read("How long does drying take by default?", None, rows, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Number, "90")), Some(Objection::Type));
}

#[test]
fn a_verb_left_out_belongs_to_the_name_before_its_object() {
    let text = "Ida Low weaves the border and Ola Rees the crest.";
    let who = |question: &str, name: &str| {
        let reading = read(question, None, text, &Even);
        of_value(&reading, &value(&reading, Kind::Name, name))
    };
    assert_eq!(who("Who weaves the crest?", "Ida Low"), Some(Objection::Direction));
    assert_eq!(who("Who weaves the border?", "Ida Low"), None);
}

#[test]
fn a_determiner_does_not_tell_which_one_it_is() {
    let text = "Another crew cleans the weir of the guild.";
    let reading = read("Which crew cleans the weir of the guild?", None, text, &Even);
    assert_eq!(
        of_value(&reading, &value(&reading, Kind::Subject, "Another crew cleans")),
        Some(Objection::NothingNew)
    );
    let text = "The night crew cleans the weir of the guild.";
    let reading = read("Which crew cleans the weir of the guild?", None, text, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Subject, "The night crew")), None);
}

#[test]
fn an_item_that_says_only_a_part_of_what_one_beside_it_says_is_no_answer() {
    let list = "- Shared dye = vat 41\n- Shared wool = vat 17\n- Other wool = vat 9\n";
    let about = |question: &str| {
        let reading = read(question, Some("Vats"), list, &Even);
        (0..3).map(|at| of_sentence(&reading, at, false)).collect::<Vec<_>>()
    };
    let objections = about("What is the shared wool vat?");
    assert_eq!(objections, [Some(Objection::OtherThing), None, Some(Objection::OtherThing)]);
}

#[test]
fn what_is_said_of_something_else_in_the_passage_is_no_answer() {
    let text = "The rent of the flat is 900 francs. The loft costs 80 francs.";
    let about = |question: &str| of_sentence(&read(question, None, text, &Even), 1, true);
    assert_eq!(about("How much does the flat cost?"), Some(Objection::OtherThing));
    assert_eq!(about("How much does the loft cost?"), None);
}

#[test]
fn another_code_and_a_scattered_name_are_of_another_thing() {
    let asked = "What is the storage heat of the MH-Z19B?";
    let other = "Model: MH-Z19C, whose storage heat is 60 degrees at most, by the weir.";
    assert_eq!(objection(asked, other), Some(Objection::OtherThing));
    let asked = "Where does the Weir Away Day take place?";
    let text = "## Office\n\nThe weir has wardens who live further away, in Arbe and in Ornery.\n";
    let reading = read(asked, Some("Guild"), text, &Light("day"));
    assert_eq!(of_sentence(&reading, 0, true), Some(Objection::OtherThing));
}

#[test]
fn an_amount_after_what_is_asked_about_does_not_measure_it() {
    let asked = "How long is the trial period of the guild?";
    let after = "Looms are lent for six months following the trial period of the guild.";
    assert_eq!(objection(asked, after), Some(Objection::OtherThing));
    let own = "The trial period of the guild lasts six months, after which looms are lent.";
    assert_eq!(typed_objection(asked, own), None);
}

#[test]
fn a_number_that_is_contradicted_in_its_sentence_is_no_answer() {
    let text = "They said 40 looms each but I counted 32 looms in the mill.";
    let reading = read("How many looms does the mill have?", None, text, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Number, "40")), Some(Objection::Ambiguous));
}

#[test]
fn a_term_is_not_defined_under_the_heading_of_another() {
    let text = "## Receivables\n\nTogether with loose cash, this is what the guild is owed by others.\n";
    let reading = read("What is loose cash?", Some("Terms"), text, &Even);
    assert_eq!(of_sentence(&reading, 0, false), Some(Objection::OtherThing));
    let text = "## Receivables\n\nLoose cash is what lies in the chest of the guild by the weir.\n";
    let reading = read("What is loose cash?", Some("Terms"), text, &Even);
    assert_eq!(of_sentence(&reading, 0, false), None);
}

#[test]
fn a_department_is_nobody() {
    let form = |question: &str| read(question, None, "Nobody.", &Even).form;
    let who = form("Who is the head of the guild?");
    assert!(names_activity(&who, "Operations Engineering") && !names_activity(&who, "Ida Fleming"));
}

#[test]
fn the_price_of_something_else_is_no_answer() {
    let asked = "How much does the red loom cost?";
    let other = "A lamp costing £70 is bright enough to thread the red loom at night.";
    assert_eq!(objection(asked, other), Some(Objection::OtherThing));
    assert_eq!(objection(asked, "The red loom costs £650 and comes with a bench of oak."), None);
}

#[test]
fn a_difference_is_not_one_of_its_amounts() {
    let form = |question: &str| read(question, None, "Nothing.", &Even).form;
    assert!(form("How much less per day is the manse than the cottage?").asks_twice);
    assert!(!form("How much rent per day is the manse?").asks_twice);
    assert!(form("How many wardens must agree, and from how many towns?").asks_twice);
}

#[test]
fn a_country_is_no_town() {
    let asked = "In which town is the dye works of the guild?";
    let country = "The dye works of the guild are in Portugal, which is cheap and sunny.";
    assert_eq!(objection(asked, country), Some(Objection::Type));
    assert_eq!(objection(asked, "The dye works of the guild are in Porto, which is cheap."), None);
    let text = "The guild opens the dye works in the second half of the year, in Porto.";
    let reading = read(asked, None, text, &Even);
    let half = "second half of the year";
    assert_eq!(of_value(&reading, &value(&reading, Kind::Quantity, half)), Some(Objection::Type));
}

#[test]
fn what_the_question_names_is_no_place_and_an_ordinal_is_no_value() {
    let asked = "Where is the pattern of the loom kept?";
    let same = "A pattern is drawn by hand, with a line for each weaver, and kept in the loom.";
    assert_eq!(objection(asked, same), Some(Objection::Type));
    assert_eq!(objection(asked, "The pattern of the loom is kept in the oak chest."), None);
    let reading = read("How many looms are red?", None, "The first looms are red.", &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Number, "first")), Some(Objection::Type));
}

#[test]
fn a_list_of_roles_does_not_say_who_has_one() {
    let asked = "Who is the Head Weaver of the guild?";
    let of = |text: &str| of_sentence(&read(asked, Some("Guild"), text, &Even), 0, false);
    let roles =
        "## Meetings\n\nBefore a fair of the guild, the Head Weaver, the Chief Dyer and a CFO meet.\n";
    assert_eq!(of(roles), Some(Objection::OtherRelation));
    assert_eq!(of("## Meetings\n\nThe Head Weaver of the guild, Ida Fleming, calls them.\n"), None);
    let led = "## Mill\n\nThe mill in the valley is run by the Head Weaver of the guild.\n";
    assert_eq!(of(led), Some(Objection::Direction));
}

#[test]
fn what_only_describes_the_thing_is_no_answer() {
    let asked = "In which hall is the crew that dusts the loom which weaves the guild's flags?";
    let of = |text: &str| typed_objection(asked, text);
    assert_eq!(of("The loom by the weir weaves the guild's flags."), Some(Objection::OtherRelation));
    assert_eq!(of("The crew that dusts the loom sits in the lower hall by the weir."), None);
}

#[test]
fn another_deed_and_a_number_of_a_condition_are_no_answers() {
    let asked = "When was the loom of the guild dropped?";
    let other = "The loom of the guild was bought in March 1914, with its bench.";
    assert_eq!(typed_objection(asked, other), Some(Objection::OtherRelation));
    let own = "The loom of the guild was dropped in March 1914, with its bench.";
    assert_eq!(typed_objection(asked, own), None);
    let asked = "How long do wardens have to answer a letter of the guild?";
    let condition = "If no warden answers a letter of the guild for two weeks, the guild asks again.";
    assert_eq!(typed_objection(asked, condition), Some(Objection::OtherRelation));
}

#[test]
fn what_is_said_of_a_sibling_without_a_name_is_no_answer() {
    let about = |question: &str, text: &str, at: usize| {
        of_sentence(&read(question, Some("Handbook"), text, &Even), at, true)
    };
    let loans = "# Handbook\n\nMembers may borrow two looms. Guests may not borrow looms.\n";
    assert_eq!(about("How many looms may guests borrow?", loans, 0), Some(Objection::OtherThing));
    assert_eq!(about("How many looms may members borrow?", loans, 0), None);
    let code = "# Handbook\n\nThe door code is 9134.\n";
    assert_eq!(about("What is the code of the safe?", code, 0), Some(Objection::OtherThing));
    assert_eq!(about("What is the code of the door?", code, 0), None);
    let owner = "# Handbook\n\nThe owner of the Swan is Ida Berg.\n";
    assert_eq!(about("Who is the owner of the Heron?", owner, 0), Some(Objection::OtherThing));
    assert_eq!(about("Who is the owner of the Swan?", owner, 0), None);
    let office = "# Handbook\n\nThe office has a number. The van leaves at eight.\n";
    assert_eq!(about("What is the number of the office?", office, 1), Some(Objection::OtherThing));
    let limits = "# Handbook\n\nAH-Guest is limited to 5 Mbps.\n";
    assert_eq!(about("What is the limit of AH-Own?", limits, 0), Some(Objection::OtherThing));
    assert_eq!(about("What is the limit of AH-Guest?", limits, 0), None);
    let checks = "# Handbook\n\nThe loom inspection is on 14 May. The dye is red.\n";
    assert_eq!(about("When is the dye inspection?", checks, 0), Some(Objection::OtherThing));
    assert_eq!(about("When is the loom inspection?", checks, 0), None);
    let gates = "# Handbook\n\nThe old gate was closed in 2010.\n";
    assert_eq!(about("When was the new gate closed?", gates, 0), Some(Objection::Opposite));
}

#[test]
fn what_has_ended_is_not_so_now() {
    let past = "Ida Berg was the head of the guild until 2020.";
    assert_eq!(objection("Who is the head of the guild?", past), Some(Objection::Over));
    assert_eq!(objection("Who was the head of the guild?", past), None);
    let changed = "The mill opened at nine until 2020; since then it opens at ten.";
    assert_eq!(typed_objection("When does the mill open?", changed), None);
    let reading = read("When does the mill open?", None, changed, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Date, "2020")), Some(Objection::Type));
}

#[test]
fn what_is_done_beside_a_thing_is_not_done_to_it() {
    let sold = "The mill was sold to Norvik for 12 million euros.";
    assert_eq!(typed_objection("How much was Norvik sold for?", sold), Some(Objection::Direction));
    assert_eq!(typed_objection("How much was the mill sold to Norvik for?", sold), None);
    let head = "The head of the dyers is Mia Strand.";
    assert_ne!(objection("Who is the successor of Mia Strand?", head), None);
}

#[test]
fn a_name_without_its_adjective_is_another_name() {
    let text = "# Fares\n\n## Trips\n\nA trip to Elm costs 4 euros, and one to Upper Elm is longer.\n\n## Passes\n\n\
                A pass to Elm costs 40 euros.\n\nA pass to Upper Elm costs 60 euros.\n";
    let passes = |asked: &str| {
        let reading = read(asked, Some("Fares"), text, &Even);
        let passes = reading.pieces.iter().filter(|piece| piece.lower.starts_with("a pass"));
        passes.map(|piece| drops_adjective(&reading, piece)).collect::<Vec<_>>()
    };
    assert_eq!(passes("How much is a pass to Upper Elm?"), [true, false]);
    assert_eq!(passes("How much is a pass to Elm?"), [false, false]);
}

#[test]
fn until_when_is_told_after_until() {
    let text = "The loom, given up in 2017, is repaired until the end of 2027.";
    let reading = read("Until when is the loom repaired?", None, text, &Even);
    assert_eq!(of_value(&reading, &value(&reading, Kind::Date, "2017")), Some(Objection::Type));
    assert_eq!(of_value(&reading, &value(&reading, Kind::Date, "2027")), None);
}

#[test]
fn a_number_is_of_the_name_in_its_clause() {
    let text = "The L6 weaves four cloths and the L12 weaves ten.";
    let of = |asked: &str, number: &str| {
        let reading = read(asked, None, text, &Even);
        of_value(&reading, &value(&reading, Kind::Number, number))
    };
    assert_eq!(of("How many cloths does the L12 weave?", "four"), Some(Objection::Direction));
    assert_eq!(of("How many cloths does the L6 weave?", "four"), None);
}

#[test]
fn the_part_asked_for_has_to_be_named() {
    let text = "# Guild\n\n## Fair\n\nThe fair of the guild takes place in the yard every May.\n";
    let asked = read("What is the motto of the fair?", Some("Guild"), text, &Even);
    let fair = asked.pieces.iter().find(|piece| piece.lower.starts_with("the fair")).unwrap();
    assert!(lacks_head(&asked, fair));
    let motto = text.replace("takes place in the yard", "has the motto wool and water");
    let asked = read("What is the motto of the fair?", Some("Guild"), &motto, &Even);
    let fair = asked.pieces.iter().find(|piece| piece.lower.starts_with("the fair")).unwrap();
    assert!(!lacks_head(&asked, fair));
}

#[test]
fn longer_is_not_no_longer() {
    let asked = "How long does the route to the mill take?";
    let of = |text: &str| {
        let reading = read(asked, None, text, &Even);
        of_value(&reading, &value(&reading, Kind::Quantity, "3 hours"))
    };
    assert_eq!(of("The longer route to the mill takes 3 hours."), None);
    assert_eq!(of("The route to the mill no longer takes 3 hours."), Some(Objection::Negation));
}

#[test]
fn a_relation_to_one_thing_needs_both() {
    let of = |asked: &str, text: &str| {
        let reading = read(asked, None, text, &Even);
        lacks_end_or_verb(&reading, &reading.pieces[0])
    };
    let painted = "Ola painted the mill.";
    assert!(of("Who painted the red boat?", painted) && of("What does the mill own?", painted));
    assert!(!of("Who painted the mill?", painted) && !of("What did Ola paint?", painted));
    // A clause may describe a thing that another passage names.
    assert!(!of("Who painted the boat that carries the wool of the guild?", painted));
    let owned = read("What does the red boat own?", None, "Ola owns the red boat.", &Even);
    assert!(!agrees_in_direction(&owned, &owned.pieces[0], None));
}
