//! A directory that several processes use at once: the first one opens it and serves the others.

use std::error::Error;

use quiver::Document;
use quiver_server::{Client, forms::request::Ask};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let database = home.path().join("quiver-data");

    // Two of them here; they could as well be in two processes, or one of them `quiver mcp`.
    let one = Client::open(&database).await?;
    let other = Client::open(&database).await?;
    one.ingest([
        Document::new("ship", "The Aurelia was built at the Norby yard in 1911."),
        Document::new("yard", "The Norby yard was founded by Ida Holm in Bergen."),
    ])
    .await?;
    one.remember(["Redis is run by Mo."]).await?;

    // The one that opened the directory ends. The other takes over, and has everything that was acknowledged.
    one.close().await;
    let ask = Ask { passages: Some(3), ..Ask::new("Who founded the yard where the Aurelia was built?") };
    let answered = other.ask(ask).await?;
    println!("{}", answered.answer.as_deref().unwrap_or("no answer"));
    for citation in &answered.citations {
        println!("  {}: “{}”", citation.title, citation.sentence);
    }
    println!("{}", other.recall("Who runs Redis?").await?.answer.as_deref().unwrap_or("no answer"));
    other.close().await;
    Ok(())
}
