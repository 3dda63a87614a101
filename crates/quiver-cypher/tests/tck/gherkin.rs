//! The subset of Gherkin that the TCK uses.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    pub(crate) text: String,
    pub(crate) body: String,
    pub(crate) table: Vec<Vec<String>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut chars = line.trim().trim_start_matches('|').chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('|') => cell.push('|'),
                Some('n') => cell.push('\n'),
                Some('\\') => cell.push('\\'),
                Some(other) => {
                    cell.push('\\');
                    cell.push(other);
                }
                None => {}
            },
            '|' => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    cells
}

/// The scenarios of a file; outlines are expanded by their examples.
pub(crate) fn scenarios(text: &str) -> Vec<Scenario> {
    let mut background: Vec<Step> = Vec::new();
    let mut found = Vec::new();
    let mut current: Option<(Scenario, Vec<Vec<String>>, bool)> = None;
    let mut in_background = false;
    let mut in_examples = false;
    let mut lines = text.lines();
    let finish = |current: &mut Option<(Scenario, Vec<Vec<String>>, bool)>, found: &mut Vec<Scenario>| {
        let Some((scenario, examples, is_outline)) = current.take() else { return };
        if !is_outline {
            found.push(scenario);
            return;
        }
        let Some(header) = examples.first() else { return };
        for (number, row) in examples[1..].iter().enumerate() {
            let values: BTreeMap<&str, &str> =
                header.iter().map(String::as_str).zip(row.iter().map(String::as_str)).collect();
            let fill = |text: &str| {
                values
                    .iter()
                    .fold(text.to_owned(), |text, (key, value)| text.replace(&format!("<{key}>"), value))
            };
            let steps = scenario.steps.iter().map(|step| Step {
                text: fill(&step.text),
                body: fill(&step.body),
                table: step.table.iter().map(|row| row.iter().map(|cell| fill(cell)).collect()).collect(),
            });
            found.push(Scenario {
                name: format!("{} #{}", scenario.name, number + 1),
                steps: steps.collect(),
            });
        }
    };
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with('@') {
            continue;
        }
        if trimmed.starts_with("Background:") {
            in_background = true;
            continue;
        }
        let heading = trimmed.strip_prefix("Scenario Outline:").map(|name| (name, true));
        if let Some((name, is_outline)) =
            heading.or_else(|| trimmed.strip_prefix("Scenario:").map(|name| (name, false)))
        {
            finish(&mut current, &mut found);
            in_background = false;
            in_examples = false;
            let scenario = Scenario { name: name.trim().to_owned(), steps: background.clone() };
            current = Some((scenario, Vec::new(), is_outline));
            continue;
        }
        if trimmed.starts_with("Feature:") {
            continue;
        }
        if trimmed.starts_with("Examples:") {
            in_examples = true;
            continue;
        }
        let steps = match (&mut current, in_background) {
            (_, true) => &mut background,
            (Some((scenario, examples, _)), _) => {
                if in_examples {
                    examples.push(cells(trimmed));
                    continue;
                }
                &mut scenario.steps
            }
            _ => continue,
        };
        if trimmed.starts_with("\"\"\"") {
            let mut body = Vec::new();
            for line in lines.by_ref() {
                if line.trim() == "\"\"\"" {
                    break;
                }
                body.push(line.strip_prefix("      ").unwrap_or(line));
            }
            if let Some(step) = steps.last_mut() {
                step.body = body.join("\n");
            }
        } else if trimmed.starts_with('|') {
            if let Some(step) = steps.last_mut() {
                step.table.push(cells(trimmed));
            }
        } else {
            let text = trimmed.split_once(' ').map_or(trimmed, |(_, text)| text);
            steps.push(Step { text: text.to_owned(), ..Step::default() });
        }
    }
    finish(&mut current, &mut found);
    found
}
