//! Each stage is a span with ids and counts, and no words of anybody. In a program of its own: `tracing` remembers for the
//! whole process whether anybody listens to a span, and a test that runs beside this one may be first to enter it.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use quiver::{
    Document, Quiver,
    memory::{Forget, Turn},
};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
    registry::LookupSpan,
};

/// A span: its name, that of the span around it, and its fields.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: &'static str,
    parent: Option<&'static str>,
    fields: BTreeMap<&'static str, String>,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }
}

/// Keeps the spans of the engine in the order in which they began.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<(u64, Seen)>>>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().target() != "quiver::stage" {
            return;
        }
        let parent = context.span(id).and_then(|span| span.parent().map(|parent| parent.name()));
        let mut seen = Seen { name: attributes.metadata().name(), parent, ..Seen::default() };
        attributes.record(&mut seen);
        self.0.lock().expect("no panic").push((id.into_u64(), seen));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().expect("no panic");
        // An id is given again once its span has ended.
        if let Some((_, seen)) = spans.iter_mut().rev().find(|(known, _)| *known == id.into_u64()) {
            values.record(seen);
        }
    }
}

impl Recorder {
    /// The spans since the last call, as lines of names.
    fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.0.lock().expect("no panic")).into_iter().map(|(_, seen)| seen).collect()
    }
}

fn lines(spans: &[Seen]) -> Vec<String> {
    let line = |seen: &Seen| {
        let fields: Vec<&str> = seen.fields.keys().copied().collect();
        format!("{} < {}: {}", seen.name, seen.parent.unwrap_or("-"), fields.join(" "))
    };
    spans.iter().map(line).collect()
}

#[tokio::test]
async fn each_stage_is_a_span_with_ids_and_counts_and_without_words() {
    let recorder = Recorder::default();
    let _recording = tracing::subscriber::set_default(tracing_subscriber::registry().with(recorder.clone()));
    let quiver = Quiver::in_memory().await.expect("a database");
    let documents = [
        Document::new("ships/aurelia", "The Aurelia was built at the Norby yard in 1911."),
        Document::new("ships/norby", "The Norby yard was founded by Ida Holm in Bergen."),
    ];
    quiver.ingest(documents).await.expect("an ingest");
    let ingest = recorder.take();
    assert_eq!(
        lines(&ingest),
        [
            "ingest < -: documents entities passages relations workspace",
            "batch < ingest: documents",
            "plan < batch: documents fresh moved stale",
            "extract < batch: passages",
            "build < batch: entities passages relations",
            "embed < build: texts",
            "write_entities < ingest: entities",
            "write_relations < ingest: relations",
            "write_passages < ingest: passages",
        ]
    );
    assert_eq!(ingest[0].fields["passages"], "2");

    let answer = quiver.ask("Who founded the yard where the Aurelia was built?").await.expect("an answer");
    let ask = recorder.take();
    assert_eq!(
        lines(&ask),
        [
            "ask < -: workspace",
            "query < ask: ",
            "retrieve < ask: workspace",
            "understand < retrieve: names terms",
            "search < retrieve: about candidates mentioning named plain supporting",
            "expand < retrieve: candidates seeds started_from",
            "rerank < retrieve: candidates first passages",
            "answer < ask: cited confidence considered is_answered",
        ]
    );
    assert_eq!(ask[6].fields["first"], answer.evidence.passages[0].passage.id.to_string());
    assert_eq!(ask[6].fields["passages"], "2");

    let turn = Turn::new("kitchen", "Mara works at Tidewater.");
    quiver.remember(vec![turn]).await.expect("a turn");
    quiver.recall("Where does Mara work?").await.expect("a recollection");
    quiver.forget(&Forget::Session("kitchen".to_owned())).await.expect("no turn");
    quiver.delete("ships/aurelia").await.expect("no document");
    let rest = recorder.take();
    assert_eq!(
        lines(&rest),
        [
            "remember < -: facts turns workspace",
            "read_facts < remember: workspace",
            "recall < -: facts turns workspace",
            "forget < -: facts turns workspace",
            "delete < -: passages workspace",
        ]
    );
    for seen in ingest.iter().chain(&ask).chain(&rest) {
        for value in seen.fields.values() {
            let is_word = ["Aurelia", "Norby", "Holm", "ships", "Mara", "kitchen"]
                .iter()
                .any(|word| value.contains(word));
            assert!(!is_word, "{seen:?}");
        }
    }
}
