use std::cmp::Ordering;

use super::*;
use crate::{Document, Quiver};

async fn answer(question: &str) -> Option<String> {
    let quiver = Quiver::in_memory().await.unwrap();
    let pages = [
        ("Amber Mill", "The Amber Mill grinds rye. It opened in March 1951 and stands 31 metres tall."),
        (
            "Birch Mill",
            "The Birch Mill opened on 4 November 1951, after the Amber Mill. It stands 24 metres tall.",
        ),
        ("Carp Tower", "The Carp Tower stands 90 feet tall. Ida Lindqvist designed the Carp Tower."),
        ("Ida Lindqvist", "Ida Lindqvist was born in 1903 and built bridges."),
        ("Dune House", "The Dune House was designed by Otto Brahe."),
        ("Otto Brahe", "Otto Brahe was born in 1880 in a lighthouse."),
    ];
    let documents = pages.map(|(title, text)| Document::new(title, text).with_title(title));
    quiver.ingest(documents).await.unwrap();
    quiver.ask(question).await.unwrap().text
}

#[tokio::test]
async fn the_earlier_and_the_taller_win() {
    let wanted = |name: &str| Some(name.to_owned());
    assert_eq!(answer("Which opened earlier, the Birch Mill or the Amber Mill?").await, wanted("Amber Mill"));
    assert_eq!(answer("Which opened later, the Amber Mill or the Birch Mill?").await, wanted("Birch Mill"));
    assert_eq!(answer("Which is taller, Birch Mill or Amber Mill?").await, wanted("Amber Mill"));
}

#[tokio::test]
async fn a_figure_may_be_a_hop_away() {
    let question = "Which has the architect who was born earlier, the Carp Tower or the Dune House?";
    assert_eq!(answer(question).await.as_deref(), Some("Dune House"));
}

#[tokio::test]
async fn metres_are_not_compared_with_feet() {
    let answer = answer("Which is taller, the Carp Tower or the Amber Mill?").await;
    assert!(!matches!(answer.as_deref(), Some("Carp Tower" | "Amber Mill")), "{answer:?}");
}

#[tokio::test]
async fn without_alternatives_nothing_is_compared() {
    let answer = answer("Who opened the Birch Mill before the Amber Mill?").await;
    assert!(!matches!(answer.as_deref(), Some("Birch Mill" | "Amber Mill")), "{answer:?}");
}

#[test]
fn dates_compare_as_far_as_both_are_told() {
    let date = |year, month, day| Figure::Date([year, month, day]);
    assert_eq!(date(1951, 3, 0).compared(&date(1951, 11, 4)), Some(Ordering::Less));
    assert_eq!(date(1951, 0, 0).compared(&date(1951, 11, 4)), Some(Ordering::Equal));
    assert_eq!(date(1950, 12, 31).compared(&date(1951, 1, 1)), Some(Ordering::Less));
}
