//! Grades questions that are read as queries over loaded records, by comparing result sets.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use quiver::{
    Document, Quiver,
    cypher::Value,
    query::{NodeTable, QueriedQuestion, QueryOptions, RelationshipTable, TableFormat, TableRow, read_table},
};
use serde::{Deserialize, Serialize};

/// Options of `quiver-eval constraints`.
#[derive(Clone, Debug, clap::Args)]
pub struct ConstraintsOptions {
    /// Folders of tables, `LABEL.nodes.csv` and `LABEL.TYPE.LABEL.csv`, with a file of questions
    #[arg(required = true, value_name = "DIR")]
    pub domains: Vec<PathBuf>,
    /// The name of the file of questions
    #[arg(long, default_value = "questions.jsonl", value_name = "NAME")]
    pub questions: String,
    /// Uses retrieval instead: each node becomes a page with its row and its relationships in words, and as many pages
    /// are retrieved as the question has rows
    #[arg(long)]
    pub pages: bool,
    /// Shows the questions that are not answered correctly
    #[arg(long)]
    pub show: bool,
    /// A file to write the results to as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct GoldQuestion {
    kind: String,
    question: String,
    outcome: Outcome,
    #[serde(default)]
    rows: Option<Vec<String>>,
    #[serde(default)]
    value: Option<i64>,
}

/// The expected outcome of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// These rows, or this value.
    Rows,
    /// A name in it matches several entities, and the result says so.
    #[serde(rename = "ask back")]
    AskBack,
    /// It is not a query.
    Silent,
}

/// How a question was graded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// The rows are the expected ones, or it was correctly not read as a query.
    Right,
    /// The rows differ from the expected ones, or none were expected.
    Wrong,
    /// It could have been answered but was not read as a query.
    Missed,
}

/// The graded result of a question.
#[derive(Clone, Debug, Serialize)]
pub struct Graded {
    /// The domain.
    pub domain: String,
    /// The kind of question.
    pub kind: String,
    /// The question.
    pub question: String,
    /// The grade.
    pub grade: Grade,
    /// The queries it was read as.
    pub queries: Vec<String>,
    /// With `--pages`, the share of the expected rows among the retrieved pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
}

/// A table of nodes or relationships.
#[derive(Debug)]
struct Table {
    source: String,
    kind: TableKind,
    rows: Vec<TableRow>,
}

#[derive(Debug)]
enum TableKind {
    Nodes { label: String, key: String },
    Relationships { from: String, kind: String, to: String },
}

/// Loads each domain into a database in memory and grades its questions.
///
/// # Errors
/// Returns an error if a file can't be read or loaded.
pub async fn constraints(options: &ConstraintsOptions) -> Result<Vec<Graded>> {
    let mut graded = Vec::new();
    for folder in &options.domains {
        let tables = tables(folder).with_context(|| folder.display().to_string())?;
        let quiver = if options.pages { as_pages(&tables).await? } else { load(tables).await? };
        let domain = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = folder.join(&options.questions);
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let gold: GoldQuestion = serde_json::from_str(line).with_context(|| line.to_owned())?;
            if options.pages {
                graded.extend(retrieved(&quiver, &domain, gold).await?);
                continue;
            }
            let found = quiver.query_question(&gold.question, QueryOptions::default()).await?;
            graded.push(Graded {
                domain: domain.clone(),
                grade: grade(&gold, &found),
                queries: found.readings.into_iter().map(|reading| reading.cypher).collect(),
                kind: gold.kind,
                question: gold.question,
                recall: None,
            });
        }
    }
    Ok(graded)
}

/// Returns the first column of a table, which identifies its nodes.
fn key_of(file: &Path) -> Result<String> {
    let text = fs::read_to_string(file)?;
    let heading = text.lines().next().and_then(|line| line.split([',', ':']).next());
    Ok(heading.context("the table is empty")?.to_owned())
}

/// Returns the tables of a folder, node tables first.
fn tables(folder: &Path) -> Result<Vec<Table>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "csv"));
    files.sort();
    let mut tables = Vec::new();
    for file in files {
        let source = file.display().to_string();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let rows = read_table(&source, TableFormat::Csv, File::open(&file)?)?;
        let kind = match name.split('.').collect::<Vec<_>>()[..] {
            [label, "nodes", "csv"] => TableKind::Nodes { label: label.to_owned(), key: key_of(&file)? },
            [from, kind, to, "csv"] => {
                TableKind::Relationships { from: from.to_owned(), kind: kind.to_owned(), to: to.to_owned() }
            }
            _ => bail!("{source} is no table of nodes or relationships"),
        };
        tables.push(Table { source, kind, rows });
    }
    tables.sort_by_key(|table| matches!(table.kind, TableKind::Relationships { .. }));
    Ok(tables)
}

async fn load(tables: Vec<Table>) -> Result<Quiver> {
    let quiver = Quiver::in_memory().await?;
    let mut keys = BTreeMap::new();
    for Table { source, kind, rows } in tables {
        match kind {
            TableKind::Nodes { label, key } => {
                keys.insert(label.clone(), key.clone());
                quiver.load_nodes(NodeTable { source, label, key, rows }).await?;
            }
            TableKind::Relationships { from, kind, to } => {
                let end = |label: String| -> Result<(String, String)> {
                    let key = keys.get(&label);
                    let key = key.with_context(|| format!("{source}: there is no table of {label}"))?;
                    Ok((label, key.clone()))
                };
                let (from, to) = (end(from)?, end(to)?);
                quiver
                    .load_relationships(RelationshipTable { source, kind, from, to, key: None, rows })
                    .await?;
            }
        }
    }
    Ok(quiver)
}

/// Returns the nodes as documents: each with its label, its properties and its relationships in words.
async fn as_pages(tables: &[Table]) -> Result<Quiver> {
    let text = |value: Option<&Value>| {
        value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for table in tables {
        for TableRow { values, .. } in &table.rows {
            match &table.kind {
                TableKind::Nodes { label, key } => {
                    let name = text(values.get(key)).unwrap_or_default();
                    let others = values.iter().filter(|(other, _)| *other != key);
                    let said = others
                        .filter_map(|(key, value)| Some(format!(" Its {key} is {}.", text(Some(value))?)));
                    let page = pages.entry(name.clone()).or_default();
                    let _ = write!(page, "{name} is a {label}.{}", said.collect::<String>());
                }
                TableKind::Relationships { kind, .. } => {
                    let (Some(from), Some(to)) = (text(values.get("from")), text(values.get("to"))) else {
                        continue;
                    };
                    let line = format!(" {from} {} {to}.", kind.replace('_', " ").to_lowercase());
                    for end in [from, to] {
                        pages.entry(end).or_default().push_str(&line);
                    }
                }
            }
        }
    }
    let quiver = Quiver::in_memory().await?;
    let documents = pages.into_iter().map(|(name, page)| Document::new(name.clone(), page).with_title(name));
    quiver.ingest(documents.collect::<Vec<_>>()).await?;
    Ok(quiver)
}

/// Maximum number of pages retrieved for a question.
const PAGES_MAX: usize = 100;

/// Retrieves as many pages as a question has rows; `None` if it has no rows or they are not pages.
async fn retrieved(quiver: &Quiver, domain: &str, gold: GoldQuestion) -> Result<Option<Graded>> {
    let wanted: BTreeSet<String> = gold.rows.into_iter().flatten().collect();
    if gold.outcome != Outcome::Rows || wanted.is_empty() {
        return Ok(None);
    }
    for row in &wanted {
        if !quiver.has_document(row).await? {
            return Ok(None);
        }
    }
    let evidence = quiver.retrieve(gold.question.as_str()).passages(wanted.len().min(PAGES_MAX)).await?;
    let found: BTreeSet<String> =
        evidence.passages.into_iter().map(|ranked| ranked.passage.document).collect();
    let hits = found.intersection(&wanted).count();
    Ok(Some(Graded {
        domain: domain.to_owned(),
        kind: gold.kind,
        question: gold.question,
        grade: if found == wanted { Grade::Right } else { Grade::Missed },
        queries: Vec::new(),
        recall: Some(hits as f64 / wanted.len() as f64),
    }))
}

fn grade(gold: &GoldQuestion, found: &QueriedQuestion) -> Grade {
    let Some(queried) = &found.queried else {
        return match gold.outcome {
            Outcome::Silent => Grade::Right,
            Outcome::AskBack if !found.readings.is_empty() => Grade::Right,
            _ => Grade::Missed,
        };
    };
    if gold.outcome != Outcome::Rows {
        return Grade::Wrong;
    }
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let rows: BTreeSet<String> = queried.rows.rows.iter().filter_map(|row| row.first()).map(shown).collect();
    let wanted: BTreeSet<String> = match (&gold.rows, gold.value) {
        (Some(rows), _) => rows.iter().cloned().collect(),
        (None, Some(value)) => BTreeSet::from([value.to_string()]),
        (None, None) => BTreeSet::new(),
    };
    if rows == wanted { Grade::Right } else { Grade::Wrong }
}

/// Prints the grades by domain and kind.
///
/// # Errors
/// Returns an error if it can't be written.
pub fn print(graded: &[Graded], show: bool, output: &mut dyn Write) -> Result<()> {
    let mut counts: BTreeMap<(&str, &str), [usize; 3]> = BTreeMap::new();
    for one in graded {
        for kind in [one.kind.as_str(), "~ all"] {
            counts.entry((&one.domain, kind)).or_default()[one.grade as usize] += 1;
            counts.entry(("~ all", kind)).or_default()[one.grade as usize] += 1;
        }
    }
    writeln!(output, "{:<10} {:<16} {:>5} {:>5} {:>6}", "domain", "kind", "right", "wrong", "missed")?;
    for ((domain, kind), [right, wrong, missed]) in counts {
        let (domain, kind) = (domain.trim_start_matches("~ "), kind.trim_start_matches("~ "));
        writeln!(output, "{domain:<10} {kind:<16} {right:>5} {wrong:>5} {missed:>6}")?;
    }
    let recalls: Vec<f64> = graded.iter().filter_map(|one| one.recall).collect();
    if !recalls.is_empty() {
        let mean = 100.0 * recalls.iter().sum::<f64>() / recalls.len() as f64;
        writeln!(
            output,
            "{mean:.1} % of the wanted rows are among as many pages, the mean of {} questions",
            recalls.len()
        )?;
    }
    for one in graded.iter().filter(|one| show && one.grade != Grade::Right) {
        writeln!(output, "\n{:?}, {}, {}: {}", one.grade, one.domain, one.kind, one.question)?;
        for query in &one.queries {
            writeln!(output, "  {}", query.replace('\n', " "))?;
        }
    }
    Ok(())
}
