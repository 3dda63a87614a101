//! A conversation: follow-up questions are understood from what it is about, and what is unclear is asked back.

use quiver::{
    Document, Quiver,
    session::{FollowUp, Reply},
};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> quiver::Result<()> {
    let quiver = Quiver::in_memory().await?; // or Quiver::open("directory")
    let page = |title: &str, text: &str| Document::new(title, text).with_title(title);
    quiver
        .ingest([
            page("Apollo", "Apollo moves the billing to a new ledger. It is led by Mara Lind."),
            page("Apollo: report", "Apollo has one blocker: the auditors have not signed."),
            page("Hermes", "Hermes rebuilds the notifications. It is led by Tom Okafor."),
            page("Mara Lind", "Mara Lind is an engineer in Gothenburg. She reports to Petra Vance."),
            page("Pier North", "Pier North was opened in 1902."),
            page("Pier South", "Pier South was opened in 1931."),
        ])
        .await?;

    let mut session = quiver.session("planning");
    for question in [
        "Who leads Apollo?",
        "What are its blockers?",        // a possessive
        "And Hermes?",                   // an ellipsis
        "Back to Apollo: who leads it?", // a return to what was spoken of before
        "Who does she report to?",       // what the last answer named
        "When was Pier opened?",         // two things have the name: it is asked back
        "The second one.",               // and this chooses
    ] {
        show(&session.ask(question).await?);
    }

    // The caller may know better than the rules what a question means.
    let question = FollowUp::new("And the other?").standing_for("When was Pier North opened?");
    show(&session.ask(question).await?);
    session.close().await?; // every turn is written, and the session can be gone on with

    // What an assistant should know for a question, in a budget of tokens.
    let context = quiver.context("What holds Apollo up?").tokens(80).session("planning").await?;
    println!("{}({} tokens; dropped: {})", context.text(), context.tokens, context.left.len());
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example shows what it found")]
fn show(reply: &Reply) {
    println!("> {}", reply.read.question);
    for rewrite in &reply.read.rewrites {
        println!("  “{}” is “{}”: {}", rewrite.said, rewrite.stands_for, rewrite.because);
    }
    match (&reply.answer, reply.asks()) {
        (Some(answer), _) => println!("  {}\n", answer.text.as_deref().unwrap_or("no answer")),
        (None, Some(asks)) => println!("  {asks}\n"),
        (None, None) => {}
    }
}
