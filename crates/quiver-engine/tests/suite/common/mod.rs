//! What the tests of the engine share.

use quiver::{Document, Quiver};

/// A few pages whose answers lie several pages apart.
pub(crate) fn handbook() -> Vec<Document> {
    vec![
        Document::new("diabetes", "Metformin is the first-line drug for type 2 diabetes in adults.")
            .with_title("Type 2 diabetes"),
        Document::new(
            "metformin",
            "Metformin leaves the body through the kidneys. Renal function must be monitored once a year.",
        )
        .with_title("Metformin"),
        Document::new(
            "gout",
            "Gout is an inflammation of joints. Allopurinol lowers the urate in the blood.",
        )
        .with_title("Gout"),
        Document::new(
            "renal-function",
            "Renal function is measured by the Lindqvist Laboratory in the east wing.",
        )
        .with_title("Renal function"),
        Document::new(
            "lindqvist",
            "The Lindqvist Laboratory was founded in 1987. Its director is Dr Maren Holt.",
        )
        .with_title("Lindqvist Laboratory"),
    ]
}

/// An engine in memory with these documents.
pub(crate) async fn engine(documents: Vec<Document>) -> Quiver {
    let quiver = Quiver::in_memory().await.expect("a database in memory opens");
    quiver.ingest(documents).await.expect("documents are ingested");
    quiver
}
