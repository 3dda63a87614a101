//! An answer in a language model's words, from the evidence alone, with its cost.
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

use std::{env, error::Error};

use quiver::{
    Document, Quiver,
    models::chat::{
        Budget, BudgetedChat, CachedChat, ChatModel, ChatSetting, CountingChat, Prices, estimate,
    },
    prompt::{AnswerReader, PromptPassage, answer_request},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let setting: ChatSetting = env::args().nth(1).unwrap_or_default().parse()?;
    let Some(model) = setting.open()? else {
        println!("name a language model: http:URL#MODEL");
        return Ok(());
    };
    // Nothing is paid for twice, no more than this is spent, and all of it is written down.
    let prices = Prices { million_in: 0.15, million_out: 0.60 };
    let budget = Budget { cost_max: Some(0.05), ..Budget::default() };
    let chat = CachedChat::open(BudgetedChat::new(model, budget, prices), "quiver-replies")?;
    let chat = CountingChat::new(chat, prices);

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
    let question = "What must be monitored with the first-line drug for type 2 diabetes?";
    let evidence = quiver.retrieve(question).await?;
    let passages: Vec<PromptPassage<'_>> = evidence.passages.iter().map(PromptPassage::from).collect();

    let request = answer_request(question, &passages);
    println!("At the most: {}", estimate::tally_max(&request, &prices));
    // What comes is checked against the passages that it cites, sentence by sentence.
    let mut reader = AnswerReader::new(question, &passages);
    let mut show = |piece: &str| {
        for (sentence, cited) in reader.feed(piece) {
            println!("… {sentence} {cited:?}");
        }
    };
    let reply = chat.stream(&request, &mut show).await?;
    let answer = reader.read(&reply);
    println!("{}", answer.text().or(answer.refusal).unwrap_or_default());
    for dropped in answer.dropped {
        println!("dropped, because {}: {}", dropped.why, dropped.sentence);
    }
    println!("{}", chat.ledger().total);
    Ok(())
}
