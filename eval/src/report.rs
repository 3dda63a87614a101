//! Markdown reports, computed from records alone.

use std::{collections::BTreeSet, fmt::Write};

use crate::{
    print::{megabytes, percent},
    record::{MethodSummary, Record},
};

/// Writes a report: an overview of all records, then each of them.
pub fn report(records: &[Record]) -> String {
    let mut out = String::from("# Retrieval\n\n");
    overview(records, &mut out);
    for record in records {
        details(record, &mut out);
    }
    out
}

/// Writes a table with Recall@5 of every method in every run.
fn overview(records: &[Record], out: &mut String) {
    let mut methods: Vec<&str> = Vec::new();
    for summary in records.iter().flat_map(|record| &record.methods) {
        if !methods.contains(&summary.method.as_str()) {
            methods.push(&summary.method);
        }
    }
    line(out, "Recall@5 in per cent, with 95 % intervals over the questions.\n");
    let mut rows = vec![cells("set", methods.iter().map(|method| (*method).to_owned()))];
    for record in records {
        let recall = |method: &&str| {
            record.method(method).map_or("–".to_owned(), |summary| {
                let [low, high] = summary.interval.recall.get(&5).copied().unwrap_or_default();
                format!("{} ({}–{})", recall_at(summary, 5), percent(low), percent(high))
            })
        };
        rows.push(cells(&name(record), methods.iter().map(recall)));
    }
    table(out, &rows);
}

fn details(record: &Record, out: &mut String) {
    let (set, index) = (&record.dataset, &record.index);
    line(out, &format!("## {}\n", name(record)));
    line(
        out,
        &format!(
            "{} questions, {} of them with gold passages, over {} passages; {} triples given.{}\n",
            set.questions,
            set.judged,
            set.passages,
            set.triples,
            match set.gold_absent {
                0 => String::new(),
                absent => format!(" {absent} gold passages are not in the corpus; no method can find them."),
            }
        ),
    );
    line(out, &format!("```sh\n{}\n```\n", command(record)));
    line(out, &provenance(record));
    line(
        out,
        &format!(
            "Index: {:.1} s for {} of {} passages; {} entities, {} relations, {} points, {} embeddings{}{}.\n",
            index.measured.index_ms / 1000.0,
            index.passages_written,
            index.passages,
            index.entities,
            index.relations,
            index.passages + index.entities + index.relations,
            index.embeddings,
            megabytes("; disk", index.measured.disk_bytes),
            megabytes("; memory peak", index.measured.memory_peak_bytes),
        ),
    );
    recalls(record, out);
    costs(record, out);
    groups(record, out);
    answers(record, out);
    if !record.failed.is_empty() {
        line(out, "Failed questions, which count as zero:\n");
        for failure in &record.failed {
            line(out, &format!("- `{}` by {}: {}", failure.id, failure.method, failure.error));
        }
        line(out, "");
    }
}

fn recalls(record: &Record, out: &mut String) {
    let heads = [
        "recall@2",
        "recall@5",
        "95 %",
        "recall@10",
        "all gold in 5",
        "over hybrid, recall@5",
        "better / worse",
    ];
    let mut rows = vec![cells("method", heads.map(str::to_owned))];
    for summary in &record.methods {
        let [low, high] = summary.interval.recall.get(&5).copied().unwrap_or_default();
        let (difference, counts) = summary.against_hybrid.as_ref().map_or_else(Default::default, |paired| {
            let [low, high] = paired.interval.map(|bound| bound * 100.0);
            (
                format!("{:+.1} ({low:+.1} to {high:+.1})", paired.recall_5 * 100.0),
                format!("{} / {}", paired.better, paired.worse),
            )
        });
        rows.push(cells(
            &summary.method,
            [
                recall_at(summary, 2),
                recall_at(summary, 5),
                format!("{}–{}", percent(low), percent(high)),
                recall_at(summary, 10),
                percent(summary.all_gold_5),
                difference,
                counts,
            ],
        ));
    }
    table(out, &rows);
}

fn costs(record: &Record, out: &mut String) {
    let heads =
        ["p50 ms", "p95 ms", "p99 ms", "store calls", "searches", "points read", "embeddings", "model calls"];
    let mut rows = vec![cells("a question costs", heads.map(str::to_owned))];
    for summary in &record.methods {
        let (latency, cost) = (&summary.latency_ms, &summary.cost);
        let numbers = [
            latency.p50,
            latency.p95,
            latency.p99,
            cost.store_calls,
            cost.searches,
            cost.points_read,
            cost.embeddings,
            cost.model_calls,
        ];
        rows.push(cells(&summary.method, numbers.map(|number| format!("{number:.1}"))));
    }
    table(out, &rows);
}

fn groups(record: &Record, out: &mut String) {
    let Some(first) = record.methods.first().filter(|first| first.groups.len() > 1) else { return };
    let heads = std::iter::once("questions".to_owned());
    let heads = heads.chain(record.methods.iter().map(|summary| summary.method.clone()));
    let mut rows = vec![cells("recall@5 by", heads)];
    for (row, group) in first.groups.iter().enumerate() {
        let recalls = record.methods.iter().map(|summary| {
            let recall = summary.groups.get(row).and_then(|group| group.recall.get(&5));
            percent(recall.copied().unwrap_or_default())
        });
        let questions = std::iter::once(group.questions.to_string());
        rows.push(cells(&format!("{} {}", group.by, group.value), questions.chain(recalls)));
    }
    table(out, &rows);
}

fn answers(record: &Record, out: &mut String) {
    let heads = ["exact match", "F1", "contains", "refused"];
    let mut rows = vec![cells("extractive answers", heads.map(str::to_owned))];
    for summary in &record.methods {
        if let Some(answers) = &summary.answers {
            let shares = [answers.exact_match, answers.f1, answers.contains, answers.refused];
            rows.push(cells(&summary.method, shares.map(percent)));
        }
    }
    if rows.len() > 1 {
        table(out, &rows);
    }
}

/// Returns the name of a record: its questions, and what distinguishes the run.
fn name(record: &Record) -> String {
    let file = &record.fingerprints.questions.file;
    let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
    let titles = if record.options.titles { "" } else { ", without titles" };
    let triples = if record.dataset.triples > 0 { ", with triples" } else { "" };
    let rerank =
        record.options.rerank.as_ref().map_or_else(String::new, |rerank| format!(", {rerank} ranking"));
    format!("{stem}{titles}{triples}, {}{rerank} on {}", record.options.embedder, record.options.store)
}

/// Returns the command that reproduces the record, with file names without directories.
fn command(record: &Record) -> String {
    let (options, files) = (&record.options, &record.fingerprints);
    let mut command =
        format!("quiver-eval retrieval --questions {} --corpus {}", files.questions.file, files.corpus.file);
    let mut add = |argument: String| command.extend([" ", argument.as_str()]);
    if let Some(triples) = &files.triples {
        add(format!("--triples {}", triples.file));
    }
    add(format!("--embedder {} --store {}", options.embedder, options.store));
    if let (Some(rerank), Some(weight)) = (&options.rerank, options.rerank_weight) {
        add(format!("--rerank {rerank} --rerank-weight {weight}"));
    }
    let naive: BTreeSet<&str> = crate::arms::Method::NAIVE.iter().map(|method| method.name()).collect();
    let asked = record.methods.iter().map(|summary| summary.method.as_str());
    let asked: Vec<&str> = asked.filter(|method| !naive.contains(method)).collect();
    if !asked.is_empty() {
        add(format!("--method {}", asked.join(",")));
    }
    add(format!("--top {}", options.top));
    if let Some(limit) = options.limit {
        add(format!("--limit {limit}"));
    }
    if !options.titles {
        add("--without-titles".to_owned());
    }
    command
}

fn provenance(record: &Record) -> String {
    let (program, files) = (&record.program, &record.fingerprints);
    let commit = match (&program.commit, program.modified) {
        (Some(commit), Some(true)) => format!("commit {} and changes", short(commit)),
        (Some(commit), _) => format!("commit {}", short(commit)),
        (None, _) => "of unknown commit".to_owned(),
    };
    format!(
        "quiver-eval {}, {commit}, {} build; encoder {}; questions {}, corpus {}, results {}.\n",
        program.version,
        program.profile,
        files.encoder,
        short(&files.questions.blake3),
        short(&files.corpus.blake3),
        short(&record.results_blake3)
    )
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

fn recall_at(summary: &MethodSummary, top: usize) -> String {
    percent(summary.recall.get(&top).copied().unwrap_or_default())
}

fn cells(first: &str, rest: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(rest).collect()
}

/// Writes a table whose first row is the header.
fn table(out: &mut String, rows: &[Vec<String>]) {
    for (number, row) in rows.iter().enumerate() {
        let row: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        line(out, &format!("| {} |", row.join(" | ")));
        if number == 0 {
            line(out, &format!("| --- |{}", " ---: |".repeat(row.len() - 1)));
        }
    }
    line(out, "");
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("a string takes all that is written to it");
}
