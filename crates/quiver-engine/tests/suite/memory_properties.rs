//! Properties of the memory over random conversations, and what eight writers and eight readers at once must not break.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells what it measured"
)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use proptest::prelude::*;
use quiver::{
    Location, Quiver,
    graph::Graph,
    memory::{Cardinality, Fact, FactsOptions, Forget, Turn},
    store::{MemoryStore, PointStore},
};

/// A statement in few words, so that statements meet: subject, predicate, object, whether it is denied, and its minute.
type Said = (u8, u8, u8, bool, i64);

fn turn(index: usize, (subject, predicate, object, denied, time): Said) -> Turn {
    let predicate = ["status", "likes", "is assigned to"][usize::from(predicate) % 3];
    let fact = Fact::new(format!("thing {subject}"), predicate, format!("value {object}"));
    let fact = if denied { fact.denied() } else { fact };
    let words = ["Fine.", "Now it is so.", "It changed."][index % 3];
    Turn::new(format!("session {}", index % 2), words)
        .by("Ada")
        .at(time * 60_000)
        .numbered(index as u64)
        .stating(fact)
}

fn conversation() -> impl Strategy<Value = Vec<Said>> {
    // Every statement has a minute of its own: that the order of arrival does not matter is promised for dated facts.
    proptest::collection::vec((0..3u8, 0..3u8, 0..4u8, proptest::bool::weighted(0.2)), 1..14).prop_map(
        |statements| {
            let dated = statements.into_iter().enumerate();
            dated.map(|(at, (s, p, o, denied))| (s, p, o, denied, i64::try_from(at).unwrap())).collect()
        },
    )
}

async fn remember(turns: &[Turn]) -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    for turn in turns {
        quiver.remember(vec![turn.clone()]).await.unwrap();
    }
    quiver
}

async fn dump(quiver: &Quiver) -> String {
    let mut text = Vec::new();
    quiver.export().vectors().write_to(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

async fn truth(quiver: &Quiver) -> Vec<String> {
    let mut lines = Vec::new();
    for subject in 0..3 {
        for fact in quiver.facts(format!("thing {subject}")).await.unwrap() {
            lines.push(format!("{} {} {}", fact.subject, fact.predicate, fact.object));
        }
        let recalled = quiver.recall(format!("What is the status of thing {subject}?")).await.unwrap();
        lines.push(recalled.text());
    }
    lines
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn replay_changes_nothing(said in conversation()) {
        run(async {
            let turns: Vec<Turn> = said.iter().copied().enumerate().map(|(at, said)| turn(at, said)).collect();
            let once = remember(&turns).await;
            let twice = remember(&[turns.clone(), turns].concat()).await;
            assert_eq!(dump(&once).await, dump(&twice).await);
            assert_eq!(truth(&once).await, truth(&twice).await);
            assert_eq!(once.verify().await.unwrap(), []);
        });
    }

    #[test]
    fn the_order_of_arrival_does_not_matter(said in conversation(), seed in any::<u64>()) {
        run(async {
            let turns: Vec<Turn> = said.iter().copied().enumerate().map(|(at, said)| turn(at, said)).collect();
            let mut shuffled = turns.clone();
            for at in (1..shuffled.len()).rev() {
                let other = usize::try_from(seed.rotate_left(u32::try_from(at).unwrap()) % (at as u64 + 1)).unwrap();
                shuffled.swap(at, other);
            }
            let (in_order, shuffled) = (remember(&turns).await, remember(&shuffled).await);
            assert_eq!(dump(&in_order).await, dump(&shuffled).await);
            assert_eq!(truth(&in_order).await, truth(&shuffled).await);
        });
    }

    #[test]
    fn undoing_restores(said in conversation()) {
        run(async {
            let turns: Vec<Turn> = said.iter().copied().enumerate().map(|(at, said)| turn(at, said)).collect();
            let quiver = remember(&turns).await;
            let (before, then) = (dump(&quiver).await, truth(&quiver).await);
            let history = FactsOptions { history: true, ..FactsOptions::default() };
            for fact in quiver.facts("thing 0").options(history).await.unwrap() {
                quiver.undo(fact.id).await.unwrap();
                quiver.redo(fact.id).await.unwrap();
            }
            let merge = quiver.merge("thing 0", "thing 1", "a test").await.unwrap();
            quiver.undo(merge).await.unwrap();
            assert_eq!(truth(&quiver).await, then);
            let rest: Vec<String> = before.lines().map(str::to_owned).collect();
            let after = dump(&quiver).await;
            for line in rest {
                assert!(after.contains(&line), "{line}");
            }
        });
    }

    #[test]
    fn forgetting_leaves_no_trace(said in conversation()) {
        run(async {
            let turns: Vec<Turn> = said.iter().copied().enumerate().map(|(at, said)| turn(at, said)).collect();
            let (kept, forgotten): (Vec<Turn>, Vec<Turn>) = turns.iter().cloned().partition(|turn| turn.session == "session 0");
            let quiver = remember(&turns).await;
            if !forgotten.is_empty() {
                quiver.forget(&Forget::Session("session 1".to_owned())).await.unwrap();
            }
            assert_eq!(dump(&quiver).await, dump(&remember(&kept).await).await);
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_writers_and_eight_readers() {
    eight_and_eight(Arc::new(MemoryStore::open(Graph::schema(None)))).await;
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_writers_and_eight_readers_of_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let store =
        quiver::store::EmbeddedStore::open(directory.path(), "race", Graph::schema(None)).await.unwrap();
    eight_and_eight(Arc::new(store)).await;
}

#[cfg(feature = "server")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn eight_writers_and_eight_readers_of_a_server() {
    let server = crate::server::Server::find();
    let mut options = quiver::store::ServerOptions::new(&server.url);
    options.prefix = format!("memory_race_{}", std::process::id());
    let store = quiver::store::ServerStore::open(options, Graph::schema(None)).await.unwrap();
    eight_and_eight(Arc::new(store)).await;
}

/// Eight writers and eight readers over one store: no fact is lost, no read after an acknowledged write is stale, and a
/// single-valued predicate has one value. Runs for seconds; for as many as `QUIVER_TEST_MEMORY_S` says, if it does.
async fn eight_and_eight(store: Arc<dyn PointStore>) {
    let seconds = std::env::var("QUIVER_TEST_MEMORY_S").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let open = || Quiver::builder().location(Location::Store(store.clone())).open();
    let declaring = open().await.unwrap();
    declaring.declare("held by", Some(Cardinality::One)).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let clock = Arc::new(AtomicU64::new(1));
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut writers = Vec::new();
    for writer in 0..8u64 {
        let (quiver, clock) = (open().await.unwrap(), Arc::clone(&clock));
        writers.push(tokio::spawn(async move {
            let mut written = 0;
            // Twice at least, however slow the machine.
            while written < 2 || Instant::now() < deadline {
                written += 1;
                let time = i64::try_from(clock.fetch_add(1, Ordering::SeqCst)).unwrap();
                let own = Fact::new(format!("Crate_{writer}"), "holds", format!("Item_{writer}_{written}"));
                let contested = Fact::new("Baton", "held by", format!("Runner_{writer}"));
                let turn = Turn::new("race", "Go.").at(time).numbered(writer * 1_000_000 + written);
                quiver.remember(vec![turn.stating(own).stating(contested)]).await.unwrap();
                // What was acknowledged is read at once, through another memory over the same store.
                if written % 16 == 1 {
                    let question = format!("What holds Item_{writer}_{written}?");
                    let recalled = quiver.recall(&question).await.unwrap();
                    assert_eq!(recalled.answer, Some(format!("Crate_{writer}")), "{recalled:#?}");
                }
                // A store in memory never waits, and so never lets a reader go first by itself.
                tokio::task::yield_now().await;
            }
            written
        }));
    }
    let mut readers = Vec::new();
    for _ in 0..8 {
        let (quiver, stop) = (open().await.unwrap(), Arc::clone(&stop));
        readers.push(tokio::spawn(async move {
            let mut last: Option<i64> = None;
            let mut reads = 0;
            while !stop.load(Ordering::SeqCst) {
                let recalled = quiver.recall("By whom is the Baton held?").await.unwrap();
                assert!(recalled.facts.len() <= 1, "{recalled:#?}");
                if let Some(fact) = recalled.facts.first() {
                    assert!(fact.valid_from >= last, "{:?} came after {last:?}", fact.valid_from);
                    last = fact.valid_from;
                }
                reads += 1;
                tokio::task::yield_now().await;
            }
            reads
        }));
    }
    let mut written = 0;
    for (writer, task) in writers.into_iter().enumerate() {
        let own = task.await.unwrap();
        let facts = declaring.facts(format!("Crate_{writer}")).await.unwrap();
        assert_eq!(facts.len() as u64, own, "no fact of writer {writer} is lost");
        written += own;
    }
    stop.store(true, Ordering::SeqCst);
    let mut reads = 0;
    for task in readers {
        reads += task.await.unwrap();
    }
    println!("{written} turns were remembered while {reads} questions were asked");
    let held = declaring.facts("Baton").await.unwrap();
    assert_eq!(held.len(), 1, "one current value: {held:#?}");
    assert!(written > 8 && reads > 8, "{written} turns, {reads} reads");
}
