//! What the engine's ways cost, end to end and hop by hop.
//!
//! Corpus: a seeded one of 1,000 documents of about 60 words, each about one name and mentioning two others, so that
//! every question has its answer two hops away. In memory, and in a directory where the feature `embedded` is on;
//! words alone, no model. Read medians: `ingest` is the time for 100 documents into an empty database, `search` and
//! `hop` one call to the graph, `ask` one question from its words to its answer in a database of 1,000 documents.

use divan::{Bencher, black_box};
use quiver::{
    Document, Quiver,
    graph::{Direction, EntityId, Hop, Nearest, Passage},
    store::{Filter, SparseVector, Target},
};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

/// The n-th name: two made-up words, distinct for every n below 10,000.
fn name(n: usize) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "de", "fi", "go", "lu", "mar", "nes", "pol", "rin", "sta"];
    let digit = |place: u32| SYLLABLES[n / 10_usize.pow(place) % 10];
    format!("{}{} {}{}", capital(digit(0)), digit(1), capital(digit(2)), digit(3))
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn documents(count: usize) -> Vec<Document> {
    let document = |n: usize| {
        let (near, far) = (name((n * 7 + 1) % count), name((n * 13 + 5) % count));
        let text = format!(
            "{} is a town on the northern road. Its mayor in the year {} was {near}, who had come from {far}. The \
             market is held on the third day of the week, and the harbour, which was dredged twice, takes ships of \
             forty tons. Travellers praise the bread and the bells; the winters are long, and the school is named \
             after a painter.",
            name(n),
            1500 + n % 400,
        );
        Document::new(format!("town-{n}"), text).with_title(name(n))
    };
    (0..count).map(document).collect()
}

#[derive(Clone, Copy, Debug)]
enum Backend {
    Memory,
    #[cfg(feature = "embedded")]
    Embedded,
}

#[cfg(not(feature = "embedded"))]
const BACKENDS: [Backend; 1] = [Backend::Memory];
#[cfg(feature = "embedded")]
const BACKENDS: [Backend; 2] = [Backend::Memory, Backend::Embedded];

/// An engine, with the directory that it lives in.
fn open(runtime: &Runtime, backend: Backend) -> (Quiver, tempfile::TempDir) {
    let home = tempfile::tempdir().expect("a temporary directory");
    let builder = match backend {
        Backend::Memory => Quiver::builder().memory(),
        #[cfg(feature = "embedded")]
        Backend::Embedded => Quiver::builder().directory(home.path()),
    };
    (runtime.block_on(builder.open()).expect("an empty database opens"), home)
}

fn filled(runtime: &Runtime, backend: Backend) -> (Quiver, tempfile::TempDir) {
    let (quiver, home) = open(runtime, backend);
    runtime.block_on(quiver.ingest(documents(1000)).into_future()).expect("documents are ingested");
    (quiver, home)
}

fn runtime() -> Runtime {
    Runtime::new().expect("a runtime")
}

#[divan::bench(args = BACKENDS, sample_count = 10, sample_size = 1)]
fn ingest(bencher: Bencher<'_, '_>, backend: Backend) {
    let runtime = runtime();
    bencher.with_inputs(|| (open(&runtime, backend), documents(100))).bench_values(
        |((quiver, home), documents)| {
            runtime.block_on(quiver.ingest(documents).into_future()).expect("documents are ingested");
            (quiver, home)
        },
    );
}

#[divan::bench(args = BACKENDS)]
fn search(bencher: Bencher<'_, '_>, backend: Backend) {
    let runtime = runtime();
    let (quiver, _home) = filled(&runtime, backend);
    let words = quiver.encoder().analysis().query_vector("the mayor of the town with the harbour", |_| 1.0);
    let nearest = Nearest {
        target: Target::Sparse(SparseVector::from_pairs(words)),
        among: Filter::everything(),
        limit: 30,
    };
    bencher.bench(|| {
        let found = runtime.block_on(quiver.graph().nearest::<Passage>(vec![nearest.clone()]));
        black_box(found.expect("the store answers"))
    });
}

#[divan::bench(args = BACKENDS)]
fn hop(bencher: Bencher<'_, '_>, backend: Backend) {
    let runtime = runtime();
    let (quiver, _home) = filled(&runtime, backend);
    let from: Vec<EntityId> =
        (0..50).map(|n| EntityId::of_name(quiver.graph().workspace(), None, &name(n))).collect();
    let words = quiver.encoder().analysis().query_vector("who was mayor", |_| 1.0);
    let targets = [Target::Sparse(SparseVector::from_pairs(words))];
    let hop = Hop {
        from: &from,
        direction: Direction::Both,
        predicates: &[],
        valid_at: None,
        targets: &targets,
        limit: 100,
    };
    bencher.bench(|| black_box(runtime.block_on(quiver.graph().hop(&hop)).expect("the store answers")));
}

#[divan::bench(args = BACKENDS)]
fn ask(bencher: Bencher<'_, '_>, backend: Backend) {
    let runtime = runtime();
    let (quiver, _home) = filled(&runtime, backend);
    let question = format!("Where did the mayor of {} come from?", name(42));
    bencher.bench(|| {
        black_box(runtime.block_on(quiver.ask(question.as_str()).into_future()).expect("an answer"))
    });
}
