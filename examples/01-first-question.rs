//! The first question: two documents in memory, and an answer that takes both of them. It runs offline.

use quiver::{Document, Quiver};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> quiver::Result<()> {
    let quiver = Quiver::in_memory().await?;
    quiver
        .ingest([
            Document::new("diabetes", "Metformin is the first-line drug for type 2 diabetes.")
                .with_title("Type 2 diabetes"),
            Document::new(
                "metformin",
                "Metformin is cleared by the kidneys. Renal function must be monitored.",
            ),
        ])
        .await?;
    let answer = quiver.ask("What must be monitored with the first-line drug for type 2 diabetes?").await?;
    println!("{}\n\n{}", answer.text.as_deref().unwrap_or("no answer"), answer.trace());
    Ok(())
}
