//! The list that a sentence introduces: "It supports three modes:".

use quiver::{Evidence, excerpt, graph::PassageId};

/// Maximum number of items shown.
const ITEMS_MAX: usize = 5;

/// Returns the first items of the list that a quoted sentence introduces, a line for each; none if it introduces none.
pub(super) fn items(evidence: &Evidence, passage: PassageId, sentence: &str) -> Vec<String> {
    let mut passages = evidence.passages.iter().map(|ranked| &ranked.passage);
    passages.find(|known| known.id == passage).map_or_else(Vec::new, |found| after(&found.text, sentence))
}

fn after(passage: &str, sentence: &str) -> Vec<String> {
    let said = letters(sentence);
    if !sentence.trim_end().ends_with(':') || said.is_empty() {
        return Vec::new();
    }
    // The sentence may begin on an earlier line, or follow another one.
    let is_end = |line: &&str| {
        let line = letters(line);
        !line.is_empty() && (said.ends_with(&line) || line.ends_with(&said))
    };
    let mut lines =
        passage.lines().skip_while(|line| !is_end(line)).skip(1).skip_while(|line| is_blank(line));
    let Some(first) = lines.next() else { return Vec::new() };
    let Some(begin) = item(first) else { return Vec::new() };
    let indent = indentation(first);
    let mut items = vec![begin.to_owned()];
    for line in lines.filter(|line| !is_blank(line)) {
        match (item(line), indentation(line)) {
            (Some(next), at) if at <= indent => items.push(next.to_owned()),
            // Lists within the items are left out.
            (Some(_), _) => {}
            (None, at) if at > indent => {
                items.last_mut().into_iter().for_each(|last| last.extend([" ", line.trim()]));
            }
            (None, _) => break,
        }
        if items.len() > ITEMS_MAX {
            break;
        }
    }
    let is_cut = items.len() > ITEMS_MAX;
    let shown = items.iter().take(ITEMS_MAX).map(|item| format!("- {}", excerpt(item, "").text));
    shown.chain(is_cut.then(|| "- …".to_owned())).collect()
}

/// The text of a list item.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    let number = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match number {
        0 => line.strip_prefix(['-', '*', '+', '•'])?,
        number => line[number..].strip_prefix(['.', ')'])?,
    };
    rest.strip_prefix(' ').map(str::trim).filter(|text| text.contains(char::is_alphanumeric))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// What is compared: quotations have no markup.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn a_sentence_with_a_colon_is_shown_with_the_first_items_of_its_list() {
        let passage = "# Looms\n\nA loom weaves. The **loom** supports\nthree modes:\n\n- `plain`: for linen,\n  also for wool\n  - fine\n- twill\n* satin\n\nIt is old.\n";
        let items = ["- plain: for linen, also for wool", "- twill", "- satin"];
        assert_eq!(after(passage, "The loom supports three modes:"), items);
        assert!(after(passage, "A loom weaves.").is_empty());
        assert!(after(passage, "It does this:").is_empty());
        let numbers: String = (1..=9).map(|number| format!("{number}. step {number}\n")).collect();
        let steps = after(&format!("Do this:\n{numbers}"), "Do this:");
        assert_eq!((steps.len(), steps[4].as_str(), steps[5].as_str()), (6, "- step 5", "- …"));
        assert!(after("It says:\n\nNothing more.", "It says:").is_empty());
        assert!(after("It says:", "It says:").is_empty() && after("", ":").is_empty());
    }
}
