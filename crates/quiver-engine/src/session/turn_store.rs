//! Stores sessions. A turn is a passage, kept separate from those of documents.

use std::cmp::Reverse;

use quiver_graph::{Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, conversation, filters};
use quiver_models::{Encoder, Input};
use quiver_store::{Payload, Vectors};

use crate::{
    Result,
    error::{In, Stage},
    memory::number_of,
};

use super::{
    exchange::{Exchange, Referent},
    options::{Retention, RetentionWay},
};

/// Metadata key for the record of a turn.
const EXCHANGE: &str = "exchange";
/// Placeholder for the text of an archived turn.
const ARCHIVED: &str = "archived";

/// The latest turns of a session, oldest first: questions and answers as well as remembered statements.
pub(crate) async fn load(graph: &Graph, session: &str, limit: usize) -> Result<Vec<Exchange>> {
    let turns: Vec<Passage> =
        graph.latest(&filters::of_session(session), limit).await.stage(Stage::Contextualise)?;
    let mut ids: Vec<EntityId> = turns
        .iter()
        .filter(|turn| !conversation::is_turn(turn))
        .flat_map(|turn| &turn.entities)
        .copied()
        .collect();
    ids.sort();
    ids.dedup();
    // If the names can't be read, remembered statements are not in focus, but the conversation is.
    let entities = graph.entities(&ids).await.unwrap_or_default();
    let mut exchanges: Vec<Exchange> = turns.iter().filter_map(|turn| read(turn, &entities)).collect();
    exchanges.sort_by_key(|exchange| (exchange.time, exchange.number));
    Ok(exchanges)
}

/// Restores a turn from its passage. A remembered statement counts as a question about its subjects.
pub(crate) fn read(turn: &Passage, entities: &[Entity]) -> Option<Exchange> {
    let time = turn.time.unwrap_or_default();
    if conversation::is_turn(turn) {
        let exchange: Exchange = serde_json::from_value(turn.metadata.get(EXCHANGE)?.clone()).ok()?;
        return Some(Exchange { time, ..exchange });
    }
    let named = |id: &EntityId| {
        let entity = entities.iter().find(|entity| entity.id == *id)?;
        Some(Referent { name: entity.name.clone(), entity: Some(entity.id) })
    };
    Some(Exchange {
        time,
        speaker: turn.speaker.clone(),
        question: turn.text.clone(),
        standalone: turn.text.clone(),
        asked: turn.subjects.iter().filter_map(named).collect(),
        answered: turn.entities.iter().filter(|id| !turn.subjects.contains(id)).filter_map(named).collect(),
        ..Exchange::default()
    })
}

/// Writes a turn. Writing the same turn again changes nothing.
pub(crate) async fn write(
    graph: &Graph,
    encoder: &Encoder,
    session: &str,
    exchange: &Exchange,
) -> Result<()> {
    let passage = passage(graph, session, exchange);
    let encoded = encoder.encode_documents(&[Input::new(&passage.text)]).await.stage(Stage::Remember)?;
    let lexical = encoder.analysis();
    let sparse = quiver_store::SparseVector::from_pairs(lexical.document_vector(&passage.text));
    let dense = encoded.into_iter().next().and_then(|encoded| encoded.dense);
    let passages = vec![Embedded { record: passage, vectors: Vectors { dense, sparse } }];
    graph.apply(Delta { passages, ..Delta::default() }).await.stage(Stage::Remember)?;
    Ok(())
}

fn passage(graph: &Graph, session: &str, exchange: &Exchange) -> Passage {
    let position = number_of(Some(conversation::DOCUMENT), Some(exchange.time), &exchange.question);
    let mut entities: Vec<EntityId> =
        exchange.spoken_of().into_iter().filter_map(|referent| referent.entity).collect();
    entities.sort();
    entities.dedup();
    let mut text = exchange.question.clone();
    if exchange.standalone != exchange.question {
        text = format!("{text}\n{}", exchange.standalone);
    }
    if let Some(answer) = &exchange.answer {
        text = format!("{text}\n{answer}");
    }
    let mut metadata = Payload::new();
    let kept = serde_json::to_value(exchange).expect("an exchange has nothing that JSON lacks");
    metadata.insert(EXCHANGE.to_owned(), kept);
    Passage {
        id: PassageId::of_turn(graph.workspace(), session, position),
        text,
        title: None,
        document: conversation::DOCUMENT.to_owned(),
        position,
        ordinal: 0,
        speaker: None,
        session: Some(session.to_owned()),
        time: Some(exchange.time),
        subjects: Vec::new(),
        entities,
        relations: Vec::new(),
        metadata,
        extraction_digest: conversation::DOCUMENT.to_owned(),
        unsplit: None,
    }
}

/// Prunes or archives the turns that the policy does not keep, and returns their number.
pub(crate) async fn retain(graph: &Graph, session: &str, retention: &Retention, now: i64) -> Result<usize> {
    let Retention { turns_max, age_max, way } = *retention;
    if turns_max.is_none() && age_max.is_none() {
        return Ok(0);
    }
    let of_session = conversation::turns().and(filters::of_session(session));
    let mut turns: Vec<Passage> = graph.all(&of_session).await.stage(Stage::Administer)?;
    turns.sort_by_key(|turn| Reverse((turn.time, turn.position)));
    let oldest = age_max.map(|age| now - i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
    let old: Vec<Passage> = turns
        .into_iter()
        .enumerate()
        .filter(|(at, turn)| {
            let many = turns_max.is_some_and(|most| *at >= most);
            many || oldest.is_some_and(|oldest| turn.time.is_some_and(|time| time < oldest))
        })
        .map(|(_, turn)| turn)
        .collect();
    match way {
        RetentionWay::Prune => {
            let ids: Vec<PassageId> = old.iter().map(|turn| turn.id).collect();
            if !ids.is_empty() {
                graph.remove(&ids).await.stage(Stage::Administer)?;
            }
            Ok(ids.len())
        }
        RetentionWay::Archive => {
            let mut archived = Vec::new();
            for mut turn in old.into_iter().filter(|turn| turn.text != ARCHIVED) {
                let Some(exchange) = read(&turn, &[]) else { continue };
                ARCHIVED.clone_into(&mut turn.text);
                let kept = Exchange {
                    question: ARCHIVED.to_owned(),
                    standalone: ARCHIVED.to_owned(),
                    rewrites: Vec::new(),
                    answer: None,
                    asks: None,
                    ..exchange
                };
                let kept = serde_json::to_value(kept).expect("an exchange has nothing that JSON lacks");
                turn.metadata.insert(EXCHANGE.to_owned(), kept);
                archived.push(Embedded { record: turn, vectors: Vectors::default() });
            }
            let count = archived.len();
            graph.apply(Delta { passages: archived, ..Delta::default() }).await.stage(Stage::Administer)?;
            Ok(count)
        }
    }
}
