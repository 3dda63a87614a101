//! `quiver-eval answers`: grades the answers given without a language model, and their confidence.
//!
//! Each question is graded twice: on the best answer regardless of confidence (full coverage), and on the
//! answer actually given. Answers are compared as in `SQuAD`. The risk-coverage curve orders them by
//! confidence.

mod grade;
mod learn;
mod record;
mod rules;

use std::{path::PathBuf, str::FromStr};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use quiver::{
    AnswerWeights, AskOptions, Document, Profile, Question, Quiver,
    models::EncoderSetting,
    read::{ReadOptions, read},
};

use crate::{
    arms::Method,
    dataset::{Dataset, read_file},
    index::{Index, IndexOptions},
    store::StoreSetting,
    train::sets::SetSetting,
    turns::{TurnLine, last, read_lines, remember},
};

pub use grade::{Curve, Grade, grade};
pub use learn::learn;
pub use record::{AnswersRecord, QuestionAnswer, SetAnswers, Summary};
pub use rules::{RuleEffect, RuleEffects, rule_effects};

/// What a run is asked to do.
#[derive(Args, Clone, Debug)]
pub struct AnswersOptions {
    /// A set: its name, its questions and its passages; repeat for each set
    #[arg(long = "set", value_name = "NAME=QUESTIONS,CORPUS")]
    pub sets: Vec<SetSetting>,
    /// Questions over a folder of documents: a name, the questions and the folder; repeat for each folder
    #[arg(long = "folder", value_name = "NAME=QUESTIONS,FOLDER")]
    pub folders: Vec<FolderSetting>,
    /// Questions over a conversation: a name, the questions and the turns; repeat for each conversation. The
    /// questions are asked at the time of the last turn
    #[arg(long = "conversation", value_name = "NAME=QUESTIONS,TURNS")]
    pub conversations: Vec<FolderSetting>,
    /// The embedder: `lexical`, `fastembed:NAME_OR_DIRECTORY`, `http:URL#MODEL`
    #[arg(long, default_value = "lexical", value_name = "EMBEDDER")]
    pub embedder: EncoderSetting,
    /// Which questions to ask: all, or every second one, which keeps the others unseen
    #[arg(long, value_enum, default_value_t = Half::All)]
    pub half: Half,
    /// Asks only the first questions of each set
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Number of passages from which an answer is taken
    #[arg(long, default_value_t = AskOptions::default().passages_limit, value_name = "N")]
    pub top: usize,
    /// Learns the weights for answers from the questions and writes them to a file, instead of answering
    #[arg(long, value_name = "FILE")]
    pub learn: Option<PathBuf>,
    /// Uses the weights in a file instead of those of the library
    #[arg(long, value_name = "FILE", conflicts_with = "learn")]
    pub weights: Option<PathBuf>,
    /// Minimum confidence of an answer, from 0 to 1
    #[arg(long, default_value_t = AskOptions::default().confidence_min, value_name = "SHARE")]
    pub confidence_min: f32,
    /// A file to write the record to
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Prints every question with its answer
    #[arg(long)]
    pub show: bool,
    /// Prints what each rule that rules answers out does: the answers there would be without it, instead of grading the
    /// answers
    #[arg(long, conflicts_with_all = ["learn", "weights"])]
    pub rules: bool,
}

impl AnswersOptions {
    /// Returns the names of the sets, folders and conversations.
    pub fn names(&self) -> Vec<&str> {
        let sets = self.sets.iter().map(|set| set.name.as_str());
        let others = self.folders.iter().chain(&self.conversations);
        sets.chain(others.map(|other| other.name.as_str())).collect()
    }
}

/// Which half of the questions of a set is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Half {
    /// All questions.
    #[default]
    All,
    /// The first, third, fifth … question: to develop on.
    Development,
    /// The second, fourth, sixth … question: to report on.
    Report,
}

impl Half {
    /// Whether the question at this position, counted from 0, belongs to this half.
    pub fn has(self, place: usize) -> bool {
        match self {
            Self::All => true,
            Self::Development => place.is_multiple_of(2),
            Self::Report => !place.is_multiple_of(2),
        }
    }
}

/// A folder or the file of a conversation given on the command line: `NAME=QUESTIONS,PLACE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSetting {
    /// The name in tables.
    pub name: String,
    /// The questions, in the plain format: `{id, question, answers, type?, gold: []}`.
    pub questions: PathBuf,
    /// The folder, or the file with the turns.
    pub place: PathBuf,
}

impl FromStr for FolderSetting {
    type Err = anyhow::Error;

    fn from_str(setting: &str) -> Result<Self> {
        match setting.split_once('=').and_then(|(name, files)| Some((name, files.split_once(',')?))) {
            Some((name, (questions, place)))
                if ![name, questions, place].contains(&"") && !place.contains(',') =>
            {
                Ok(Self { name: name.to_owned(), questions: questions.into(), place: place.into() })
            }
            _ => {
                bail!(
                    "write NAME=QUESTIONS,FOLDER or NAME=QUESTIONS,TURNS without commas in names of files, not {setting:?}"
                )
            }
        }
    }
}

/// An indexed set, ready for questions.
#[derive(Debug)]
pub struct Asked {
    /// The name in tables.
    pub name: String,
    /// The engine that contains its passages.
    pub quiver: Quiver,
    /// Its questions, each with its position in the file.
    pub questions: Vec<(usize, crate::dataset::Item)>,
    /// When they are asked, in milliseconds since 1970; `None` for now.
    pub now: Option<i64>,
}

/// Reads the sets, folders and conversations and indexes each in an engine.
///
/// # Errors
/// Returns an error if a file is missing or can't be parsed, if there is no set, or if the engine fails.
pub async fn open(options: &AnswersOptions) -> Result<Vec<Asked>> {
    if options.names().is_empty() {
        bail!(
            "there is nothing to ask; give --set NAME=QUESTIONS,CORPUS, --folder NAME=QUESTIONS,FOLDER or \
             --conversation NAME=QUESTIONS,TURNS"
        );
    }
    let mut asked = Vec::new();
    for set in &options.sets {
        let dataset = Dataset::read(&set.questions, &set.corpus, options.limit)?;
        let index_options = IndexOptions {
            embedder: options.embedder.clone(),
            store: StoreSetting::Memory,
            with_titles: true,
        };
        let index = Index::build(&dataset.corpus, &index_options, &|_, _| {}).await?;
        asked.push(Asked {
            name: set.name.clone(),
            quiver: index.quiver.clone(),
            questions: dataset.questions.into_iter().enumerate().collect(),
            now: None,
        });
    }
    for folder in &options.folders {
        let quiver = engine(options).await?;
        let documents: Vec<Document> =
            read(&folder.place, &ReadOptions::default()).filter_map(Result::ok).collect();
        quiver.ingest(documents).await.with_context(|| folder.name.clone())?;
        asked.push(Asked::of(folder, quiver, options.limit)?);
    }
    for conversation in &options.conversations {
        let quiver = engine(options).await?;
        let turns: Vec<TurnLine> = read_lines(&conversation.place)?;
        let now = last(&turns)?;
        remember(&quiver, turns).await.with_context(|| conversation.name.clone())?;
        asked.push(Asked { now, ..Asked::of(conversation, quiver, options.limit)? });
    }
    for set in &mut asked {
        set.questions.retain(|(place, item)| options.half.has(*place) && is_graded(item));
    }
    Ok(asked)
}

/// Whether a question is graded: it has an answer, or is marked as unanswerable.
fn is_graded(item: &crate::dataset::Item) -> bool {
    !item.answers.is_empty() || item.kind.as_deref() == Some(UNANSWERABLE)
}

/// The type of a question without an answer in its documents.
pub const UNANSWERABLE: &str = "unanswerable";

/// Opens an empty engine in memory.
async fn engine(options: &AnswersOptions) -> Result<Quiver> {
    let encoder = options.embedder.open().await.with_context(|| options.embedder.to_string())?;
    Ok(Quiver::builder().memory().encoder(encoder).open().await?)
}

impl Asked {
    /// Reads the questions over a folder or a conversation.
    fn of(setting: &FolderSetting, quiver: Quiver, limit: Option<usize>) -> Result<Self> {
        let text = read_file(&setting.questions)?;
        let mut questions =
            Dataset::questions_alone(&text).with_context(|| setting.questions.display().to_string())?;
        questions.truncate(limit.unwrap_or(usize::MAX));
        let questions = questions.into_iter().enumerate().collect();
        Ok(Self { name: setting.name.clone(), quiver, questions, now: None })
    }

    /// Returns the options with which its questions are asked.
    fn ask_options(&self, top: usize) -> AskOptions {
        let usual = Method::Graph.options(top).unwrap_or_else(|| AskOptions::of(Profile::Balanced));
        AskOptions { as_of: self.now, ..usual }
    }
}

/// Asks every question and grades the answers.
///
/// # Errors
/// Errors of [`open`] and of the engine.
pub async fn answers(options: &AnswersOptions) -> Result<AnswersRecord> {
    let weights: Option<AnswerWeights> = match &options.weights {
        Some(file) => {
            Some(serde_json::from_str(&read_file(file)?).with_context(|| file.display().to_string())?)
        }
        None => None,
    };
    let mut sets = Vec::new();
    for mut set in open(options).await? {
        if let Some(weights) = &weights {
            set.quiver = set.quiver.with_answer_weights(weights.clone());
        }
        let mut questions = Vec::new();
        for (_, item) in &set.questions {
            let asked = AskOptions { confidence_min: options.confidence_min, ..set.ask_options(options.top) };
            let question = Question::new(&item.question).with_options(asked);
            let answer =
                set.quiver.ask(question).await.with_context(|| format!("{}: {}", set.name, item.id))?;
            questions.push(QuestionAnswer::of(item, &answer));
        }
        sets.push(SetAnswers::of(&set.name, questions));
    }
    Ok(AnswersRecord { half: format!("{:?}", options.half).to_lowercase(), sets })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_halves_share_no_question_and_leave_none_out() {
        for place in 0..9 {
            assert!(Half::Development.has(place) != Half::Report.has(place), "question {place}");
            assert!(Half::All.has(place));
        }
    }

    #[test]
    fn a_folder_needs_a_name_questions_and_a_folder() {
        let folder: FolderSetting = "pages=questions.jsonl,notes".parse().unwrap();
        assert_eq!(folder.name, "pages");
        assert_eq!((folder.questions, folder.place), ("questions.jsonl".into(), "notes".into()));
        for wrong in
            ["pages", "pages=questions.jsonl", "=questions.jsonl,notes", "pages=,notes", "pages=a,b,c"]
        {
            let error = wrong.parse::<FolderSetting>().unwrap_err().to_string();
            assert!(error.contains("NAME=QUESTIONS,FOLDER"), "{wrong}: {error}");
        }
    }
}
