use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::{Direction, Precision, TimeRelation, times};

/// The time of utterance of all sentences: Wednesday, 8 May 2024, 10:00.
const SAID_AT: &str = "2024-05-08T10:00";

fn milliseconds(time: &str) -> i64 {
    let time: DateTime = time.parse().unwrap();
    time.to_zoned(TimeZone::UTC).unwrap().timestamp().as_millisecond()
}

fn shown(milliseconds: i64) -> String {
    let time = Timestamp::from_millisecond(milliseconds).unwrap().to_zoned(TimeZone::UTC).datetime();
    let text = time.strftime("%Y-%m-%dT%H:%M").to_string();
    text.strip_suffix("T00:00").map(str::to_owned).unwrap_or(text)
}

/// Formats all time expressions of a text: words, relation, start, end and precision.
fn read_in(text: &str, direction: Direction) -> Vec<String> {
    let found = times(text).into_iter().map(|time| {
        let words = &text[time.range.clone()];
        if let Some(event) = &time.event {
            assert_eq!(time.resolve(milliseconds(SAID_AT), direction), None);
            return format!("{words} | {:?} | event {}", time.relation, &text[event.clone()]);
        }
        match time.resolve(milliseconds(SAID_AT), direction) {
            Some(range) => format!(
                "{words} | {:?} | {} to {} | {:?}",
                time.relation,
                shown(range.start),
                shown(range.end),
                range.precision
            ),
            None => format!("{words} | {:?} | open", time.relation),
        }
    });
    found.collect()
}

fn read(text: &str) -> Vec<String> {
    read_in(text, Direction::Nearest)
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, wanted) in cases {
        assert_eq!(read(text), *wanted, "{text}");
    }
}

#[test]
fn dates_of_the_calendar_are_read_in_every_order() {
    check(&[
        (
            "The bridge opened on 8 December 2023.",
            &["on 8 December 2023 | During | 2023-12-08 to 2023-12-09 | Day"],
        ),
        (
            "It was signed on December 8th, 2023.",
            &["on December 8th, 2023 | During | 2023-12-08 to 2023-12-09 | Day"],
        ),
        ("Signed 2023-12-08 in Lyon.", &["2023-12-08 | During | 2023-12-08 to 2023-12-09 | Day"]),
        ("Valid as of 24/12/2023.", &["as of 24/12/2023 | Starting | 2023-12-24 to 2023-12-25 | Day"]),
        ("Invoice of 08.12.2023", &["of 08.12.2023 | During | 2023-12-08 to 2023-12-09 | Day"]),
        ("The order dates from 04/05/2023.", &[]),
        (
            "The mill burned down in March 1911.",
            &["in March 1911 | During | 1911-03-01 to 1911-04-01 | Month"],
        ),
        ("She was hired in 2019.", &["in 2019 | During | 2019-01-01 to 2020-01-01 | Year"]),
        ("Jazz of the 1920s was loud.", &["of the 1920s | During | 1920-01-01 to 1930-01-01 | Decade"]),
        (
            "In the 19th century it was rebuilt.",
            &["In the 19th century | During | 1801-01-01 to 1901-01-01 | Century"],
        ),
        ("We meet on Friday, 10 May.", &["on Friday, 10 May | During | 2024-05-10 to 2024-05-11 | Day"]),
        ("It closed on 30 February 2023.", &["on 30 February 2023 | During | open"]),
    ]);
}

#[test]
fn dates_without_a_year_are_found_by_the_direction() {
    check(&[
        ("The lease began on 3 June.", &["on 3 June | During | 2024-06-03 to 2024-06-04 | Day"]),
        ("The lease began in November.", &["in November | During | 2023-11-01 to 2023-12-01 | Month"]),
        ("Rates rise as of Q3.", &["as of Q3 | Starting | 2024-07-01 to 2024-10-01 | Quarter"]),
        (
            "Since November the ferry sails daily.",
            &["Since November | Since | 2023-11-01 to 2023-12-01 | Month"],
        ),
        (
            "The pool stays shut until November.",
            &["until November | Until | 2024-11-01 to 2024-12-01 | Month"],
        ),
    ]);
    let text = "The lease began on 3 June.";
    assert_eq!(read_in(text, Direction::Past), ["on 3 June | During | 2023-06-03 to 2023-06-04 | Day"]);
    let text = "The audit is on Monday.";
    assert_eq!(read(text), ["on Monday | During | open"]);
    assert_eq!(read_in(text, Direction::Past), ["on Monday | During | 2024-05-06 to 2024-05-07 | Day"]);
    assert_eq!(read_in(text, Direction::Future), ["on Monday | During | 2024-05-13 to 2024-05-14 | Day"]);
}

#[test]
fn times_are_told_from_the_moment_of_speaking() {
    check(&[
        (
            "Since last Monday Lena runs Redis.",
            &["Since last Monday | Since | 2024-05-06 to 2024-05-07 | Day"],
        ),
        ("From Monday Lena runs the bakery.", &["From Monday | Starting | open"]),
        ("We moved two weeks ago.", &["two weeks ago | During | 2024-04-21 to 2024-04-28 | Week"]),
        ("A month ago the pump failed.", &["A month ago | During | 2024-04-01 to 2024-05-01 | Month"]),
        ("He retired three years ago.", &["three years ago | During | 2021-01-01 to 2022-01-01 | Year"]),
        (
            "The new tariff applies starting next week.",
            &["starting next week | Starting | 2024-05-13 to 2024-05-20 | Week"],
        ),
        ("Yesterday the lift stuck.", &["Yesterday | During | 2024-05-07 to 2024-05-08 | Day"]),
        (
            "Call me the day after tomorrow.",
            &["the day after tomorrow | During | 2024-05-10 to 2024-05-11 | Day"],
        ),
        ("Last night the alarm rang.", &["Last night | During | 2024-05-07 to 2024-05-08 | Day"]),
        ("She visited Porto last May.", &["last May | During | 2023-05-01 to 2023-06-01 | Month"]),
        ("The choir sings next December.", &["next December | During | 2024-12-01 to 2025-01-01 | Month"]),
        ("We hiked last summer.", &["last summer | During | 2023-06-01 to 2023-09-01 | Season"]),
        ("Sales grew last quarter.", &["last quarter | During | 2024-01-01 to 2024-04-01 | Quarter"]),
        (
            "Sales grew in the last two quarters.",
            &["in the last two quarters | During | 2023-11-08T10:00 to 2024-05-08T10:00 | Quarter"],
        ),
        ("The past year was dry.", &["The past year | During | 2023-05-08T10:00 to 2024-05-08T10:00 | Year"]),
        ("The parcel arrives in three days.", &["in three days | During | 2024-05-11 to 2024-05-12 | Day"]),
        ("The fair opens this weekend.", &["this weekend | During | 2024-05-11 to 2024-05-13 | Week"]),
        ("Send it by this Friday.", &["by this Friday | By | 2024-05-10 to 2024-05-11 | Day"]),
        (
            "Rent is due at the end of the month.",
            &["at the end of the month | During | 2024-05-21T16:00 to 2024-06-01 | Month"],
        ),
        (
            "The road opens in early July.",
            &["in early July | During | 2024-07-01 to 2024-07-11T08:00 | Month"],
        ),
        ("Tests begin mid-June 2024.", &["mid-June 2024 | During | 2024-06-11 to 2024-06-21 | Month"]),
    ]);
    assert_eq!(read_in("They built it in two weeks.", Direction::Past), ["in two weeks | During | open"]);
}

#[test]
fn ranges_have_two_ends() {
    check(&[
        (
            "The stand is ours from 1 to 15 April.",
            &["from 1 to 15 April | During | 2024-04-01 to 2024-04-16 | Day"],
        ),
        (
            "Closed from 28 May until 3 June 2024.",
            &["from 28 May until 3 June 2024 | During | 2024-05-28 to 2024-06-04 | Day"],
        ),
        ("The course runs May 3–5, 2024.", &["May 3–5, 2024 | During | 2024-05-03 to 2024-05-06 | Day"]),
        (
            "It was rebuilt between 1911 and 1914.",
            &["between 1911 and 1914 | During | 1911-01-01 to 1915-01-01 | Year"],
        ),
        ("He served from 1998 to 2004.", &["from 1998 to 2004 | During | 1998-01-01 to 2005-01-01 | Year"]),
        (
            "Closed from November to February.",
            &["from November to February | During | 2023-11-01 to 2024-03-01 | Month"],
        ),
        (
            "The rule holds from July onwards.",
            &["from July onwards | Starting | 2024-07-01 to 2024-08-01 | Month"],
        ),
        ("Open until 3 May 2025.", &["until 3 May 2025 | Until | 2025-05-03 to 2025-05-04 | Day"]),
        ("Nothing ships before 2025.", &["before 2025 | Before | 2025-01-01 to 2026-01-01 | Year"]),
    ]);
}

#[test]
fn times_of_day_belong_to_their_day() {
    check(&[
        (
            "The call is tomorrow at 3 pm.",
            &["tomorrow at 3 pm | During | 2024-05-09T15:00 to 2024-05-09T16:00 | Hour"],
        ),
        (
            "We start at 9:30 on 10 May.",
            &["at 9:30 on 10 May | During | 2024-05-10T09:30 to 2024-05-10T09:31 | Minute"],
        ),
        ("Be there by 6pm.", &["by 6pm | By | 2024-05-08T18:00 to 2024-05-08T19:00 | Hour"]),
        ("The odds are 2:1 and the score 14:30.", &[]),
    ]);
}

#[test]
fn an_event_is_a_time_that_no_calendar_knows() {
    check(&[
        (
            "Before she moved to Ghent, Ida taught chemistry.",
            &["Before she moved to Ghent | Before | event she moved to Ghent"],
        ),
        (
            "Keep the valve shut until the pressure has dropped.",
            &["until the pressure has dropped | Until | event the pressure has dropped"],
        ),
        (
            "After leaving the army he farmed.",
            &["After leaving the army he farmed | After | event leaving the army he farmed"],
        ),
        ("After all, it was cheap.", &[]),
        ("He looked after the children.", &[]),
        ("She was named after Marie Curie.", &[]),
    ]);
}

#[test]
fn what_only_looks_like_a_time_is_none() {
    check(&[
        ("You may march in 2000 boots.", &[]),
        ("Theresa May met April Jones.", &[]),
        ("The Friday Prize and Good Friday", &[]),
        ("We train every Monday and each May.", &[]),
        ("It costs $2000 in total.", &[]),
        ("Mondays are quiet; the sun sat low.", &[]),
        ("Turn the knob through 90 degrees.", &[]),
        ("Go through the door by the second window.", &[]),
        ("The next day they left.", &[]),
        ("In the last week of it nobody slept.", &[]),
        ("The fall of the wall came as a spring unwound.", &[]),
    ]);
}

#[test]
fn other_languages_give_the_dates_that_stand_alone() {
    check(&[
        (
            "Die Brücke wurde am 3. Mai 2021 für den Verkehr geöffnet.",
            &["3. Mai 2021 | During | 2021-05-03 to 2021-05-04 | Day"],
        ),
        (
            "El puente fue abierto el 15 de marzo de 1998 por la reina.",
            &["15 de marzo de 1998 | During | 1998-03-15 to 1998-03-16 | Day"],
        ),
        ("Le pont a été ouvert en mai.", &[]),
    ]);
}

#[test]
fn every_precision_is_finer_than_the_next() {
    assert!(Precision::Minute < Precision::Day && Precision::Month < Precision::Year);
    assert_eq!(times("Since 2019")[0].relation, TimeRelation::Since);
}
