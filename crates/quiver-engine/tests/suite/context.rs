//! Contexts for assistants, and what still answers when the graph or the model fails.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use quiver::{
    AskOptions, Document, Evidence, Location, Quiver, RerankCandidate, Reranker,
    context::{Context, ContextKind, ContextOptions, ContextWeights},
    graph::Graph,
    memory::{Fact, Turn},
    store::{
        BlockMode, Collection, Derived, Error, ErrorKind, Filter, IndexProgress, MemoryStore, Page, Point,
        PointId, PointStore, Result, Scored, Search, Select, StoreKind, StoreReport, Version, WriteMode,
    },
};

use crate::common::handbook;

/// What a store fails at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fails {
    Never,
    /// Whatever is asked of entities and relations.
    Graph,
    /// Every search after so many calls that read passages.
    After(usize),
    /// Every search.
    Searches,
}

/// A store that fails once it is told to.
#[derive(Debug)]
struct Failing {
    store: MemoryStore,
    fails: std::sync::Mutex<Fails>,
    calls: AtomicUsize,
}

impl Failing {
    fn new() -> Arc<Self> {
        let store = MemoryStore::open(Graph::schema(None));
        Arc::new(Self { store, fails: std::sync::Mutex::new(Fails::Never), calls: AtomicUsize::new(0) })
    }

    fn fail(&self, how: Fails) {
        self.calls.store(0, Ordering::Relaxed);
        *self.fails.lock().expect("no test panics while it holds this") = how;
    }

    fn check(&self, collection: Collection, is_search: bool) -> Result<()> {
        let fails = *self.fails.lock().expect("no test panics while it holds this");
        let calls = self.calls.fetch_add(usize::from(collection == Collection::Passages), Ordering::Relaxed);
        let broken = match fails {
            Fails::Never => false,
            Fails::Graph => collection != Collection::Passages,
            Fails::After(many) => calls >= many,
            Fails::Searches => is_search,
        };
        if broken { Err(Error::new(ErrorKind::Unavailable, "the disk is gone")) } else { Ok(()) }
    }
}

#[async_trait]
impl PointStore for Failing {
    fn kind(&self) -> StoreKind {
        self.store.kind()
    }
    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()> {
        self.store.upsert(collection, points, mode).await
    }
    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        self.check(collection, false)?;
        self.store.fetch(collection, ids, select).await
    }
    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        self.store.delete(collection, filter).await
    }
    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        self.check(collection, false)?;
        self.store.scroll(collection, filter, after, limit, select).await
    }
    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>> {
        for search in searches {
            self.check(search.collection, true)?;
        }
        self.store.search(searches).await
    }
    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.check(collection, false)?;
        self.store.count(collection, filter).await
    }
    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        self.check(collection, false)?;
        self.store.estimate(collection, filter).await
    }
    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        self.store.facet(collection, field, filter, limit).await
    }
    async fn build_index(&self, progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        self.store.build_index(progress).await
    }
    async fn compact(&self) -> Result<()> {
        self.store.compact().await
    }
    async fn version(&self, collection: Collection) -> Result<Option<Version>> {
        self.store.version(collection).await
    }

    async fn read_derived(&self, collection: Collection, name: &str) -> Result<Option<Derived>> {
        self.store.read_derived(collection, name).await
    }

    async fn write_derived(
        &self,
        collection: Collection,
        name: &str,
        version: Version,
        block: Vec<u8>,
        mode: BlockMode,
    ) -> Result<()> {
        self.store.write_derived(collection, name, version, block, mode).await
    }

    async fn report(&self) -> Result<StoreReport> {
        self.store.report().await
    }
}

/// A reranker that can't be reached.
#[derive(Debug)]
struct Unreachable;

#[async_trait]
impl Reranker for Unreachable {
    fn fingerprint(&self) -> String {
        "unreachable".to_owned()
    }
    async fn rerank(
        &self,
        _: &str,
        _: &[RerankCandidate<'_>],
    ) -> std::result::Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>> {
        Err("the line is dead".into())
    }
}

const QUESTION: &str = "Who directs the Lindqvist Laboratory?";

async fn over(store: &Arc<Failing>) -> Quiver {
    let store: Arc<dyn PointStore> = Arc::<Failing>::clone(store);
    let quiver =
        Quiver::builder().location(Location::Store(store)).open().await.expect("the store does not fail yet");
    quiver.ingest(handbook()).await.expect("the store does not fail yet");
    quiver
}

fn texts(context: &Context, kind: ContextKind) -> Vec<&str> {
    context.items.iter().filter(|item| item.kind == kind).map(|item| item.text.as_str()).collect()
}

#[tokio::test]
async fn plain_retrieval_answers_when_the_graph_fails() {
    let store = Failing::new();
    let quiver = over(&store).await;
    let whole = quiver.retrieve(QUESTION).await.unwrap();
    assert!(whole.trace.degraded.is_empty(), "{}", whole.trace);

    store.fail(Fails::Graph);
    let answer = quiver.ask(QUESTION).await.unwrap();
    assert_eq!(answer.evidence.passages[0].passage.document, "lindqvist");
    assert!(answer.text.is_some_and(|text| text.contains("Maren Holt")));
    let missing = answer.evidence.trace.degraded.join("\n");
    assert!(missing.contains("the entities named in the question are missing"), "{missing}");
    assert!(missing.contains("the nearest relations are missing"), "{missing}");
    assert!(missing.contains("the disk is gone"), "{missing}");
}

#[tokio::test]
async fn what_was_reached_answers_when_the_graph_breaks_on_the_way() {
    let store = Failing::new();
    let quiver = over(&store).await;
    let mut told = 0;
    let mut errors = 0;
    // Wherever the store breaks after the first search, something answers and the trace tells.
    for calls in 0..12 {
        store.fail(Fails::After(calls));
        match quiver.retrieve(QUESTION).await {
            Ok(Evidence { passages, trace, .. }) => {
                assert!(!passages.is_empty(), "{calls}: {trace}");
                told += usize::from(!trace.degraded.is_empty());
            }
            Err(error) => {
                assert!(
                    error.to_string().contains("the question") || error.to_string().contains("seeds"),
                    "{error}"
                );
                errors += 1;
            }
        }
    }
    assert!(told >= 3 && errors <= 6, "{told} told of it, {errors} failed");
    store.fail(Fails::Searches);
    assert!(quiver.retrieve(QUESTION).await.is_err(), "without plain search there is nothing");
}

#[tokio::test]
async fn a_session_answers_when_the_graph_fails() {
    let store = Failing::new();
    let quiver = over(&store).await;
    let mut session = quiver.session("s");
    session.ask(QUESTION).await.unwrap();
    store.fail(Fails::Graph);
    let reply = session.ask("When was it founded?").await.unwrap();
    assert_eq!(reply.read.standalone, "When was it founded?");
    let answer = reply.answer.unwrap();
    assert!(!answer.evidence.passages.is_empty());
    let missing = answer.evidence.trace.degraded.join("\n");
    assert!(missing.contains("the question could not be resolved from the session"), "{missing}");
    // The graph is there again, and the session goes on.
    store.fail(Fails::Never);
    let reply = session.ask("When was the Lindqvist Laboratory founded?").await.unwrap();
    assert!(reply.read.degraded.is_empty());
    let reply = session.ask("Who directs it?").await.unwrap();
    assert_eq!(reply.read.standalone, "Who directs the Lindqvist Laboratory?");
    session.close().await.unwrap();
}

#[tokio::test]
async fn the_built_in_ranking_stands_when_the_reranker_fails() {
    let quiver = Quiver::builder().reranker(Arc::new(Unreachable)).open().await.unwrap();
    quiver.ingest(handbook()).await.unwrap();
    let evidence = quiver.retrieve(QUESTION).await.unwrap();
    assert_eq!(evidence.passages[0].passage.document, "lindqvist");
    assert!(evidence.trace.degraded.join("\n").contains("the line is dead"), "{}", evidence.trace);
}

#[tokio::test]
async fn a_context_has_facts_paths_and_passages_within_its_budget() {
    let quiver = crate::common::engine(handbook()).await;
    let fact = Fact::new("Lindqvist Laboratory", "is closed on", "Sundays");
    quiver
        .remember(vec![Turn::new("desk", "The Lindqvist Laboratory is closed on Sundays.").stating(fact)])
        .await
        .unwrap();
    let question = "What must be monitored with the first-line drug for type 2 diabetes?";
    let context = quiver.context(question).await.unwrap();
    let kinds: BTreeSet<ContextKind> = context.items.iter().map(|item| item.kind).collect();
    assert!(
        kinds.contains(&ContextKind::Passage) && kinds.contains(&ContextKind::Path),
        "{}",
        context.text()
    );
    assert!(texts(&context, ContextKind::Path).iter().any(|path| path.contains(" → ")), "{}", context.text());
    let context = quiver.context("When is the Lindqvist Laboratory closed?").await.unwrap();
    assert!(
        texts(&context, ContextKind::Fact).contains(&"Lindqvist Laboratory is closed on Sundays."),
        "{}",
        context.text()
    );
    // Grouped: facts, then paths, then passages.
    assert!(context.items.is_sorted_by_key(|item| item.kind));
    for item in &context.items {
        assert!((item.shares.sum() - item.score).abs() < 1e-5);
    }
    let mut before = usize::MAX;
    for tokens_max in [400, 120, 60, 20, 0] {
        let options = ContextOptions { tokens_max, ..ContextOptions::default() };
        let context = quiver.context(question).options(options).await.unwrap();
        assert!(context.tokens <= tokens_max, "{tokens_max}: {}", context.text());
        assert!(context.items.len() <= before);
        before = context.items.len();
        // What left scored no better than what stayed, unless nothing of it fits.
        if context.items.len() == 1 {
            continue;
        }
        let worst = context.items.iter().map(|item| item.score).fold(f32::MAX, f32::min);
        assert!(context.left.iter().all(|left| left.score <= worst), "{tokens_max}");
    }
}

#[tokio::test]
async fn a_superseded_fact_is_no_context() {
    let quiver = crate::common::engine(handbook()).await;
    let turn = |time: i64, owner: &str| {
        let text = format!("The owner of the beacon is {owner} now.");
        Turn::new("desk", text).at(time).stating(Fact::new("beacon", "owner", owner))
    };
    quiver.remember(vec![turn(1_000, "Mo"), turn(2_000, "Ana")]).await.unwrap();
    let context = quiver.context("Who is the owner of the beacon?").await.unwrap();
    let facts = texts(&context, ContextKind::Fact).join("\n");
    assert!(facts.contains("beacon owner Ana.") && !facts.contains("Mo"), "{facts}");
}

#[tokio::test]
async fn what_the_user_spoke_of_lately_counts() {
    let quiver = crate::common::engine(vec![
        Document::new("a", "The north pump was checked by Ada Brandt.").with_title("North pump"),
        Document::new("b", "The south pump was checked by Omar Lind.").with_title("South pump"),
    ])
    .await;
    let mut session = quiver.session("s");
    session.ask("Who checked the South pump?").await.unwrap();
    session.close().await.unwrap();
    let only =
        ContextWeights { relevance: 0.0, proximity: 0.0, mention: 0.0, recency: 0.0, interaction: 1.0 };
    let options =
        ContextOptions { session: Some("s".to_owned()), weights: only, ..ContextOptions::default() };
    let context = quiver.context("Which pump was checked?").options(options.clone()).await.unwrap();
    let passages = texts(&context, ContextKind::Passage);
    assert!(passages[0].starts_with("South pump"), "{passages:?}");
    let item = context.items.iter().find(|item| item.kind == ContextKind::Passage).unwrap();
    assert!(item.shares.interaction > 0.5 && item.shares.relevance == 0.0);
    // A follow-up is understood from the session.
    let context = quiver.context("Who checked it?").options(options.clone()).await.unwrap();
    assert_eq!(context.standalone, "Who checked the South pump?");
    // And another session knows nothing of it.
    let options = ContextOptions { session: Some("t".to_owned()), ..options };
    let context = quiver.context("Which pump was checked?").options(options.clone()).await.unwrap();
    assert!(context.items.iter().all(|item| item.shares.interaction == 0.0));
}

#[tokio::test]
async fn recency_counts_by_its_half_life() {
    let day = 24 * 60 * 60 * 1000;
    let quiver = crate::common::engine(vec![
        Document { time: Some(0), ..Document::new("old", "The harbour crane was painted.") },
        Document { time: Some(60 * day), ..Document::new("new", "The harbour crane was mended.") },
    ])
    .await;
    let weights =
        ContextWeights { relevance: 0.0, proximity: 0.0, mention: 0.0, recency: 1.0, interaction: 0.0 };
    let options = ContextOptions { weights, now: Some(60 * day), ..ContextOptions::default() };
    let context = quiver.context("What happened to the harbour crane?").options(options).await.unwrap();
    let passages: Vec<_> = context.items.iter().filter(|item| item.kind == ContextKind::Passage).collect();
    let of = |part: &str| passages.iter().find(|item| item.text.contains(part)).unwrap().score;
    assert!((of("mended") - 1.0).abs() < 1e-3 && (of("painted") - 0.25).abs() < 1e-3);
}

#[tokio::test]
async fn a_context_is_there_when_the_graph_fails() {
    let store = Failing::new();
    let quiver = over(&store).await;
    store.fail(Fails::Graph);
    let context = quiver.context(QUESTION).await.unwrap();
    assert!(texts(&context, ContextKind::Passage)[0].contains("Maren Holt"), "{}", context.text());
    let missing = context.trace.degraded.join("\n");
    assert!(missing.contains("nothing was recalled"), "{missing}");
    assert!(quiver.context(" ").await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_answer_come_first_by_label_with_their_relationships() {
    let quiver = Quiver::in_memory().await.unwrap();
    let written =
        "CREATE (rosa:Employee {id: 'e-7', name: 'Rosa'}), (:Employee {id: 'e-8', name: 'Ivo'})-[:HANDLES]->
            (:Ticket {title: 'Paint the door', status: 'waiting', dueDate: '2026-05-20'}),
        (bakery:Customer {name: 'Harbour Bakery'}),
        (oven:Ticket {title: 'Mend the oven', status: 'waiting', dueDate: '2026-05-04'})-[:FOR]->(bakery),
        (seal:Ticket {title: 'Order a seal', status: 'closed', dueDate: '2026-05-02'}),
        (oven)-[:NEEDS]->(seal), (oven)-[:ASSIGNED_TO]->(rosa)";
    quiver.query(written).await.unwrap();
    // 8 May 2026.
    let ask = AskOptions { asker: Some("e-7".to_owned()), ..ContextOptions::default().ask };
    let options = ContextOptions { ask, now: Some(1_778_234_400_000), ..ContextOptions::default() };
    let context = quiver.context("Which of my tickets are overdue?").options(options.clone()).await.unwrap();
    let text = context.text();
    assert!(
        text.starts_with(
            "Tickets:\n- Mend the oven (due 2026-05-04, waiting, needs Order a seal (due 2026-05-02, closed))\n\n\
             Employees:\n- Rosa\n\nRelationships:\n"
        ),
        "{text}"
    );
    for line in ["- Mend the oven ASSIGNED_TO Rosa.\n", "- Mend the oven NEEDS Order a seal.\n"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("Paint the door"), "{text}");
    let nobody = ContextOptions { now: options.now, ..ContextOptions::default() };
    let context = quiver.context("Which of my tickets are overdue?").options(nobody).await.unwrap();
    assert!(!context.text().contains("Tickets:"), "{}", context.text());
}
