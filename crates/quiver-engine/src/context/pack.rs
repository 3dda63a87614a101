//! Packs a context: scores the items and drops some if they exceed the budget. Pure functions.

use std::fmt::Write;

use quiver_language::{sentence::sentences, word::plural};

use super::{
    Context, ContextItem, ContextOptions, ContextShares,
    gather::{Found, Gathered},
};

/// Scores the items, and drops the lowest-scored until the rest fits. If none fits, the best of which whole sentences fit
/// is cut.
pub(super) fn pack(gathered: Gathered, options: &ContextOptions, count: &dyn Fn(&str) -> usize) -> Context {
    let Gathered { question, standalone, found, now, trace } = gathered;
    let mut items: Vec<ContextItem> =
        found.into_iter().map(|found| item(found, options, now, count)).collect();
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| (a.kind, &a.text).cmp(&(b.kind, &b.text))));
    items.dedup_by(|a, b| a.kind == b.kind && a.text == b.text);
    let fits = |items: &[ContextItem]| count(&text(&grouped(items))) <= options.tokens_max;
    let mut left = Vec::new();
    while !items.is_empty() && !fits(&items) {
        left.extend(items.pop());
    }
    left.reverse();
    if items.is_empty() {
        let part = |item: &ContextItem| cut(item, &fits, count);
        if let Some((at, part)) = left.iter().enumerate().find_map(|(at, item)| Some((at, part(item)?))) {
            left.remove(at);
            items.push(part);
        }
    }
    let items = grouped(&items);
    let tokens = count(&text(&items));
    Context { question, standalone, items, left, tokens, trace }
}

fn item(found: Found, options: &ContextOptions, now: i64, count: &dyn Fn(&str) -> usize) -> ContextItem {
    let weights = &options.weights;
    let shares = ContextShares {
        relevance: weights.relevance * found.relevance,
        proximity: weights.proximity * found.proximity,
        mention: weights.mention * found.mention,
        recency: weights.recency * recency(found.time, now, options),
        interaction: weights.interaction * found.interaction,
    };
    ContextItem {
        kind: found.kind,
        label: found.label,
        tokens: count(&found.text),
        score: shares.sum(),
        shares,
        passages: found.passages,
        relation: found.relation,
        text: found.text,
    }
}

/// Returns the recency of an item: 1 now, 0.5 after the half-life, 0 without a date.
fn recency(time: Option<i64>, now: i64, options: &ContextOptions) -> f32 {
    let Some(time) = time else { return 0.0 };
    let age = now.saturating_sub(time).max(0) as f32;
    let half_life = (options.recency_half_life.as_millis() as f32).max(1.0);
    0.5_f32.powf(age / half_life)
}

/// Groups items by kind, each kind best first; records by label, in the order of the best of each.
fn grouped(items: &[ContextItem]) -> Vec<ContextItem> {
    let mut labels: Vec<&Option<String>> = Vec::new();
    for item in items {
        if !labels.contains(&&item.label) {
            labels.push(&item.label);
        }
    }
    let place = |item: &ContextItem| labels.iter().position(|label| **label == item.label);
    let mut grouped = items.to_vec();
    grouped.sort_by_key(|item| (item.kind, place(item)));
    grouped
}

/// Formats items grouped by kind.
pub(super) fn text(items: &[ContextItem]) -> String {
    let mut text = String::new();
    for group in items.chunk_by(|a, b| (a.kind, &a.label) == (b.kind, &b.label)) {
        let parted = if text.is_empty() { "" } else { "\n" };
        let ContextItem { kind, label, .. } = &group[0];
        let heading = label.as_deref().map_or_else(|| kind.to_string(), plural);
        writeln!(text, "{parted}{heading}:").expect("a string takes all");
        for item in group {
            writeln!(text, "- {}", item.text).expect("a string takes all");
        }
    }
    text
}

/// Truncates an item to as many whole sentences as fit; `None` if none do. A heading alone says nothing.
fn cut(
    item: &ContextItem,
    fits: &dyn Fn(&[ContextItem]) -> bool,
    count: &dyn Fn(&str) -> usize,
) -> Option<ContextItem> {
    if fits(std::slice::from_ref(item)) {
        return Some(item.clone());
    }
    let until = |end: usize| {
        let text = format!("{} …", &item.text[..end]);
        ContextItem { tokens: count(&text), text, ..item.clone() }
    };
    // What ends without a mark is a heading or a part of a list.
    let is_whole = |end: &usize| !item.text[..*end].ends_with(char::is_alphanumeric);
    let mut ends: Vec<usize> =
        sentences(&item.text).into_iter().map(|sentence| sentence.end).filter(is_whole).collect();
    ends.truncate(ends.partition_point(|end| fits(&[until(*end)])));
    ends.pop().map(until)
}

#[cfg(test)]
mod tests;
