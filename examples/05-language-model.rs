//! A language model in the pipeline: it reads the documents, orders the candidates and words the answer, with its cost.
//!
//! Needs a language model behind an OpenAI-compatible endpoint, and has not been run against one:
//!
//! ```sh
//! # A local Ollama:
//! cargo run --example 05-language-model --features http -- 'http:http://localhost:11434/v1#qwen3:8b'
//! # A hosted endpoint, with the key in QUIVER_CHAT_API_KEY:
//! cargo run --example 05-language-model --features http -- 'http:https://api.openai.com/v1#gpt-4o-mini'
//! ```
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::{
    env,
    error::Error,
    io::{self, Write as _},
    sync::Arc,
};

use quiver::{
    ChatOptions, Document, IngestOptions, Progress, Quiver,
    models::chat::{Budget, BudgetedChat, CachedChat, ChatSetting, Prices},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let setting: ChatSetting = env::args().nth(1).unwrap_or_default().parse()?;
    let Some(model) = setting.open()? else {
        println!("name a language model: http:URL#MODEL");
        return Ok(());
    };
    // Nothing is paid for twice, and no more than this is spent; the engine writes down what is.
    let prices = Prices { million_in: 0.15, million_out: 0.60 };
    let budget = Budget { cost_max: Some(0.05), ..Budget::default() };
    let chat = CachedChat::open(BudgetedChat::new(model, budget, prices), "quiver-replies")?;
    let options = ChatOptions { prices, ..ChatOptions::default() };
    let quiver = Quiver::builder().chat_model(Arc::new(chat)).chat_options(options).open().await?;

    let documents = [
        Document::new("diabetes", "Metformin is the first-line drug for type 2 diabetes.")
            .with_title("Type 2 diabetes"),
        Document::new("metformin", "Metformin is cleared by the kidneys. Renal function must be monitored."),
    ];
    let most = quiver.estimate_ingest(&mut documents.clone().into_iter(), &IngestOptions::default()).await?;
    println!("at the most: {}", most.most);
    let receipt = quiver.ingest(documents).await?;
    println!("it took:     {}", receipt.ledger.total);
    receipt.problems.iter().for_each(|problem| println!("{problem}"));

    // Two calls: one orders the candidates, one words the answer. A sentence is given when it is known to stand.
    let question = "What must be monitored with the first-line drug for type 2 diabetes?";
    let show = |progress: Progress<'_>| {
        if let Progress::Sentence(sentence) = progress {
            print!("{} ", sentence.text);
            let _ = io::stdout().flush(); // shown late is shown too
        }
    };
    let answer = quiver.ask(question).on_progress(show).await?;
    println!();
    if let Some(refusal) = &answer.refusal {
        println!("no answer: {refusal}");
    }
    for citation in &answer.citations {
        println!("from {}: {}", citation.title, citation.sentence);
    }
    // What each call took, what was dropped and why, what failed and was done without.
    println!("{}", answer.trace());
    println!("in all: {}", quiver.stats().await?.spent.total);
    Ok(())
}
