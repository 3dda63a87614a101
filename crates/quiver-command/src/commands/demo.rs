//! `quiver demo`: a tour, or the page.

use std::time::Instant;

use anyhow::Result;
use quiver::{Answer, Quiver};
use tempfile::TempDir;

use super::{ask::path_lines, count};
use crate::{
    Exit, database,
    demo::{DemoQuestion, Verdict, documents, questions},
    json,
    output::Output,
    settings::{Place, Settings},
};

/// Chooses the demo's database. Nobody wants the demo among their own documents, so only a flag can set it; otherwise
/// it is a directory that is deleted when dropped.
fn place(settings: &Settings) -> Result<(Settings, Option<TempDir>)> {
    if settings.place_is_flag {
        return Ok((settings.clone(), None));
    }
    let directory = tempfile::tempdir()?;
    let place = Place::Directory(directory.path().join("demo-data"));
    Ok((Settings { place, ..settings.clone() }, Some(directory)))
}

/// Serves the handbook on this machine until it is interrupted, and opens a browser.
#[cfg(feature = "serve")]
pub(super) async fn open(settings: &Settings, output: &mut Output) -> Result<Exit> {
    use super::serve;

    let listener =
        serve::bind(std::net::SocketAddr::from(([127, 0, 0, 1], 0)), "`quiver serve --listen`").await?;
    let (settings, _temporary) = place(settings)?;
    let quiver = database::open_or_create(&settings).await?;
    quiver.ingest(documents()).await?;
    let directory = tempfile::tempdir()?;
    let keys = quiver_server::Keys::open(directory.path().join("none"))?;
    let config = quiver_server::Config {
        workspace: settings.workspace.clone(),
        ask: super::ask::options(&settings),
        examples: questions().into_iter().map(|question| question.question).collect(),
        ..quiver_server::Config::default()
    };
    let address = serve::announce(("http", &listener), None, false, output)?;
    serve::open_browser(&address);
    serve::until_interrupted(quiver_server::Server::new(quiver, keys, config), listener, output.is_json())
        .await;
    Ok(Exit::Done)
}

pub(super) async fn run(settings: &Settings, output: &mut Output) -> Result<Exit> {
    let (settings, _temporary) = place(settings)?;
    let quiver = database::open_or_create(&settings).await?;
    let began = Instant::now();
    let documents = documents();
    let number = documents.len();
    let receipt = quiver.ingest(documents).await?;
    let text = !output.is_json();
    if text {
        output.line("The medicines handbook of Lanternfield, a fictional hospital, as a graph:")?;
        output.line(format_args!(
            "{} gave {}, {} and {} in {:.2} s, without a model or network.",
            count(number, "page"),
            count(receipt.passages_written + receipt.passages_kept, "passage"),
            count(receipt.entities, "entity"),
            count(receipt.relations, "relation"),
            began.elapsed().as_secs_f64()
        ))?;
        output.line("Each question below needs several pages; no single page has the answer.")?;
        output.line(
            "Without a language model some answers are missed; these are shown with the handbook's answer.",
        )?;
    }
    let mut toured =
        json::Toured { documents: number, right: 0, refused_rightly: 0, wrong: 0, questions: Vec::new() };
    for (index, question) in questions().iter().enumerate() {
        let verdict = put(&quiver, index, question, &mut toured, output).await?;
        match verdict {
            Verdict::Right => toured.right += 1,
            Verdict::RefusedRightly => toured.refused_rightly += 1,
            Verdict::Wrong | Verdict::RefusedWrongly => toured.wrong += 1,
        }
    }
    if text {
        let asked = toured.questions.len();
        let refused = toured.refused_rightly;
        output.line(format_args!(
            "\n{} of {asked} answered right, {refused} correctly refused",
            toured.right
        ))?;
        if toured.wrong > 0 {
            output.line(format_args!(
                "{} missed: a language model (--chat) would write answers from the same pages",
                toured.wrong
            ))?;
        }
        print_tour(output)?;
    } else {
        output.document(toured)?;
    }
    drop(quiver);
    // Missed answers are marked as such, and the tour succeeded all the same.
    Ok(Exit::Done)
}

/// Asks a question and shows the result.
async fn put(
    quiver: &Quiver,
    index: usize,
    question: &DemoQuestion,
    toured: &mut json::Toured,
    output: &mut Output,
) -> Result<Verdict> {
    let answer = quiver.ask(question.question.as_str()).await?;
    let verdict = question.judge(answer.text.as_deref());
    if !output.is_json() {
        print(quiver, index, question, &answer, verdict, output).await?;
    }
    let citation = answer.citations.first().filter(|_| answer.text.is_some());
    toured.questions.push(json::ToldQuestion {
        question: question.question.clone(),
        hops: question.hops,
        expected: question.answers.clone(),
        path: json::ToldQuestion::path(citation),
        answer: answer.text,
        refusal: answer.refusal.map(|refusal| refusal.to_string()),
        verdict: match verdict {
            Verdict::Right => "right",
            Verdict::RefusedRightly => "refused_rightly",
            Verdict::Wrong => "wrong",
            Verdict::RefusedWrongly => "refused_wrongly",
        },
    });
    Ok(verdict)
}

async fn print(
    quiver: &Quiver,
    index: usize,
    question: &DemoQuestion,
    answer: &Answer,
    verdict: Verdict,
    output: &mut Output,
) -> Result<()> {
    let needs = match question.hops {
        0 => "not in the handbook".to_owned(),
        pages => count(pages, "page"),
    };
    output.line(format_args!("\n{}. {} ({needs})", index + 1, question.question))?;
    let said = match (&answer.text, &answer.refusal) {
        (Some(text), _) => text.clone(),
        (None, Some(refusal)) => format!("no answer: {refusal}"),
        (None, None) => "no answer".to_owned(),
    };
    match verdict {
        Verdict::Right => output.line(format_args!("   right: {said}"))?,
        Verdict::RefusedRightly => output.line(format_args!("   correctly refused: {said}"))?,
        Verdict::Wrong | Verdict::RefusedWrongly => {
            let expected = question.answers.first().map_or("a refusal", String::as_str);
            let label = if verdict == Verdict::Wrong { "wrong" } else { "missed" };
            output.line(format_args!("   {label}: {said} (the handbook says: {expected})"))?;
            if let Some(found) = answer.found.first() {
                output.line(format_args!("   most relevant, in {}: “{}”", found.title, found.sentence))?;
            }
        }
    }
    let Some(citation) = answer.citations.first().filter(|_| answer.text.is_some()) else { return Ok(()) };
    for line in path_lines(quiver, citation).await? {
        output.line(format_args!("   | {line}"))?;
    }
    output.line(format_args!("   |   “{}”", citation.sentence))?;
    Ok(())
}

fn print_tour(output: &mut Output) -> Result<()> {
    output.line("\nWhat to try next:")?;
    for (command, what) in [
        ("quiver demo --open", "shows it in a browser"),
        ("quiver demo --path demo-data", "keeps the handbook in a directory"),
        (
            "quiver ask --path demo-data --trace \"Which antidote reverses the anticoagulant for atrial fibrillation?\"",
            "shows what each step did to find an answer",
        ),
        ("quiver ingest FOLDER", "reads your own documents into ./quiver-data"),
        ("quiver ask \"YOUR QUESTION\"", "answers from them"),
        ("quiver verify", "checks every reference of the graph"),
        ("quiver export | head", "shows what is stored, as lines of JSON"),
    ] {
        output.line(format_args!("  {command}\n      {what}"))?;
    }
    Ok(())
}
