//! A memory for agents: turns go in, facts come out, as they are and as they were.

use quiver::{
    Quiver,
    memory::{Fact, Turn},
};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> quiver::Result<()> {
    let quiver = Quiver::in_memory().await?; // or Quiver::open("directory")

    // An agent that knows its facts gives them; without them, they are read from the text.
    quiver
        .remember(vec![
            Turn::new("launch", "PaymentService will keep its ledger in PostgreSQL.")
                .by("Planner")
                .at(1_000)
                .stating(Fact::new("PaymentService", "STORES_IN", "PostgreSQL")),
            Turn::new("launch", "PostgreSQL is run by the Harbour team.").by("Operator").at(2_000),
            Turn::new("launch", "Sounds good to me.").by("Reviewer").at(3_000),
            Turn::new("launch", "Change of plan: PostgreSQL is run by the Beacon team now.")
                .by("Operator")
                .at(4_000),
        ])
        .await?;

    // Two facts are joined, by two ways of writing one name, and the later team has taken the place of the other.
    let question = "Which team runs the database that the payment service stores its data in?";
    let recalled = quiver.recall(question).await?;
    println!("{}\n  {} tokens\n", recalled.text(), recalled.tokens);

    // What was true at an earlier moment.
    println!("before: {}\n", quiver.recall(question).as_of(2_500).await?.text());

    // All that was said of a thing, with what became of it.
    for fact in quiver.facts("PostgreSQL").history().await? {
        let state = if fact.holds { "holds" } else { "ended" };
        println!("{state}: {} {} {}", fact.subject, fact.predicate, fact.object);
    }
    Ok(())
}
