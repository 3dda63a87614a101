//! Prints a record as text.

use std::{fmt::Write, io};

use crate::record::{Group, MethodSummary, Record};

/// Prints a record's summary.
///
/// # Errors
/// Returns an error if the writer fails.
pub fn print(record: &Record, out: &mut impl io::Write) -> io::Result<()> {
    let (set, index) = (&record.dataset, &record.index);
    let titles = if record.options.titles { "" } else { ", titles removed" };
    writeln!(
        out,
        "{} questions over {} passages{titles}; {} on {}",
        set.questions, set.passages, record.options.embedder, record.options.store
    )?;
    if let Some(reranker) = &record.fingerprints.reranker {
        writeln!(out, "candidates of the graph methods are ordered by {reranker}")?;
    }
    writeln!(
        out,
        "index: {:.1} s, {} passages, {} entities, {} relations{}{}",
        index.measured.index_ms / 1000.0,
        index.passages,
        index.entities,
        index.relations,
        megabytes(", disk", index.measured.disk_bytes),
        megabytes(", memory peak", index.measured.memory_peak_bytes),
    )?;
    if (index.passages_written as u64) < index.passages {
        writeln!(out, "the index was there: {} passages were written in this run", index.passages_written)?;
    }
    if set.gold_absent > 0 {
        writeln!(out, "{} gold passages are not in the corpus; no method can find them", set.gold_absent)?;
    }
    writeln!(
        out,
        "\n{:14} {:>5} {:>5} {:>12} {:>5} {:>7} {:>18} {:>6} {:>6} {:>6} {:>5} {:>5} {:>5} {:>5}",
        "method",
        "R@2",
        "R@5",
        "95 %",
        "R@10",
        "all@5",
        "R@5 over hybrid",
        "p50ms",
        "p95ms",
        "p99ms",
        "calls",
        "points",
        "embed",
        "model"
    )?;
    for method in &record.methods {
        writeln!(out, "{}", line(method))?;
    }
    print_groups(record, out)?;
    print_answers(record, out)?;
    for failure in &record.failed {
        writeln!(out, "failed: {} by {}: {}", failure.id, failure.method, failure.error)?;
    }
    writeln!(out, "\nresults {}", &record.results_blake3[..16])
}

fn line(summary: &MethodSummary) -> String {
    let recall = |top: usize| percent(summary.recall.get(&top).copied().unwrap_or_default());
    let [low, high] = summary.interval.recall.get(&5).copied().unwrap_or_default();
    let mut line = format!(
        "{:14} {:>5} {:>5} {:>12} {:>5} {:>7}",
        summary.method,
        recall(2),
        recall(5),
        format!("{}–{}", percent(low), percent(high)),
        recall(10),
        percent(summary.all_gold_5)
    );
    let paired = summary.against_hybrid.as_ref().map_or(String::new(), |paired| {
        let [low, high] = paired.interval.map(|bound| bound * 100.0);
        format!("{:+.1} ({low:+.1}, {high:+.1})", paired.recall_5 * 100.0)
    });
    let (latency, cost) = (&summary.latency_ms, &summary.cost);
    let _ = write!(
        line,
        " {paired:>18} {:>6.1} {:>6.1} {:>6.1} {:>5.1} {:>5.0} {:>5.1} {:>5.0}",
        latency.p50,
        latency.p95,
        latency.p99,
        cost.store_calls,
        cost.points_read,
        cost.embeddings,
        cost.model_calls
    );
    line
}

fn print_groups(record: &Record, out: &mut impl io::Write) -> io::Result<()> {
    let Some(first) = record.methods.first() else { return Ok(()) };
    if first.groups.len() < 2 {
        return Ok(());
    }
    write!(out, "\n{:24} {:>5}", "R@5 by", "n")?;
    for method in &record.methods {
        write!(out, " {:>14}", method.method)?;
    }
    writeln!(out)?;
    for (row, group) in first.groups.iter().enumerate() {
        write!(out, "{:24} {:>5}", format!("{} {}", group.by, group.value), group.questions)?;
        for method in &record.methods {
            let recall = |group: &Group| percent(group.recall.get(&5).copied().unwrap_or_default());
            write!(out, " {:>14}", method.groups.get(row).map_or(String::new(), recall))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_answers(record: &Record, out: &mut impl io::Write) -> io::Result<()> {
    let answering = record.methods.iter().filter_map(|method| Some((method, method.answers.as_ref()?)));
    for (row, (method, answers)) in answering.enumerate() {
        if row == 0 {
            writeln!(
                out,
                "\n{:14} {:>11} {:>5} {:>8} {:>7}",
                "answers", "exact match", "F1", "contains", "refused"
            )?;
        }
        writeln!(
            out,
            "{:14} {:>11} {:>5} {:>8} {:>7}",
            method.method,
            percent(answers.exact_match),
            percent(answers.f1),
            percent(answers.contains),
            percent(answers.refused)
        )?;
    }
    Ok(())
}

/// Formats a share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// Formats bytes as megabytes after a word; empty if unknown.
pub(crate) fn megabytes(word: &str, bytes: Option<u64>) -> String {
    bytes.map_or(String::new(), |bytes| format!("{word} {:.0} MB", bytes as f64 / 1e6))
}
