//! Packs a context: scores the items and drops some if they exceed the budget. Pure functions.

use std::fmt::Write;

use super::{
    Context, ContextItem, ContextOptions, ContextShares,
    gather::{Found, Gathered},
};

/// Scores the items, and drops the lowest-scored until the rest fits.
pub(super) fn pack(gathered: Gathered, options: &ContextOptions, count: &dyn Fn(&str) -> usize) -> Context {
    let Gathered { question, standalone, found, now, trace } = gathered;
    let mut items: Vec<ContextItem> =
        found.into_iter().map(|found| item(found, options, now, count)).collect();
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| (a.kind, &a.text).cmp(&(b.kind, &b.text))));
    items.dedup_by(|a, b| a.kind == b.kind && a.text == b.text);
    let mut left = Vec::new();
    while !items.is_empty() && count(&text(&grouped(&items))) > options.tokens_max {
        if items.len() == 1
            && let Some(cut) = cut(&items[0], options.tokens_max, count)
        {
            items[0] = cut;
            break;
        }
        left.extend(items.pop());
    }
    left.reverse();
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
        let heading = label.as_deref().map_or_else(|| kind.to_string(), heading);
        writeln!(text, "{parted}{heading}:").expect("a string takes all");
        for item in group {
            writeln!(text, "- {}", item.text).expect("a string takes all");
        }
    }
    text
}

/// Returns the heading of a group of records: the plural of their label.
fn heading(label: &str) -> String {
    let is_vowel = |c: char| "aeiou".contains(c.to_ascii_lowercase());
    match label.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{stem}ies"),
        _ if label.ends_with(['s', 'x', 'z']) || label.ends_with("ch") || label.ends_with("sh") => {
            format!("{label}es")
        }
        _ => format!("{label}s"),
    }
}

/// Truncates the only item to as many words as fit; `None` if none do.
fn cut(item: &ContextItem, tokens_max: usize, count: &dyn Fn(&str) -> usize) -> Option<ContextItem> {
    let words: Vec<&str> = item.text.split_inclusive(' ').collect();
    let with = |words: &[&str]| {
        let text = format!("{}…", words.concat().trim_end());
        ContextItem { tokens: count(&text), text, ..item.clone() }
    };
    let fits = |many: usize| count(&text(&[with(&words[..many])])) <= tokens_max;
    let (mut most, mut beyond) = (0, words.len());
    while beyond - most > 1 {
        let middle = usize::midpoint(most, beyond);
        if fits(middle) {
            most = middle;
        } else {
            beyond = middle;
        }
    }
    (most > 0).then(|| with(&words[..most]))
}

#[cfg(test)]
mod tests;
