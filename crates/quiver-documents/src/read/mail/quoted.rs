//! What a message quotes from others, which its sender did not write.

/// What the line above a message that is quoted whole says between its dashes, in lower case.
const ORIGINAL: [&str; 7] = [
    "original message",
    "original appointment",
    "ursprüngliche nachricht",
    "message d'origine",
    "mensaje original",
    "messaggio originale",
    "oorspronkelijk bericht",
];
/// Words that begin the line above a quotation: "On Sunday, Bo wrote:".
const INTRODUCING: [&str; 8] = ["On ", "Am ", "Le ", "El ", "Il ", "Em ", "Op ", "In "];
/// Maximum number of lines above a quotation that introduce it.
const INTRODUCTION_LINES_MAX: usize = 3;
/// The element of a page that holds a quotation.
const ELEMENT: &str = "blockquote";

/// The text of a message without the lines that it quotes, the line that introduces them, and the message that follows
/// after "-----Original Message-----".
pub(super) fn own_text(text: String) -> String {
    let mut own: Vec<&str> = Vec::new();
    let mut has_quotes = false;
    for line in text.lines() {
        if is_original(line) {
            has_quotes = true;
            break;
        }
        // A mailbox writes ">From" for "From" at the start of a line.
        if let Some(from) = line.strip_prefix('>').filter(|rest| rest.starts_with("From ")) {
            own.push(from);
        } else if line.starts_with('>') {
            // Lines that are quoted follow each other, with empty ones between them.
            has_quotes = true;
            leave_introduction(&mut own);
        } else {
            own.push(line);
        }
    }
    if !has_quotes && !text.contains(">From ") {
        return text;
    }
    while own.last().is_some_and(|line| line.trim().is_empty()) {
        own.pop();
    }
    own.dedup_by(|line, before| line.trim().is_empty() && before.trim().is_empty());
    if own.is_empty() { String::new() } else { own.join("\n") + "\n" }
}

/// Removes the line that introduces a quotation from the end of a text, with the lines that it continues.
fn leave_introduction(own: &mut Vec<&str>) {
    let end = own.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |at| at + 1);
    let is_introduced = end > 0 && own[end - 1].trim_end().ends_with([':', '：']);
    if !is_introduced {
        return;
    }
    let first = end.saturating_sub(INTRODUCTION_LINES_MAX);
    let paragraph =
        own[first..end].iter().rposition(|line| line.trim().is_empty()).map_or(first, |at| first + at + 1);
    let begins = |line: &&str| {
        INTRODUCING.iter().any(|word| line.starts_with(word)) && line.contains(|c: char| c.is_ascii_digit())
    };
    let start = own[paragraph..end].iter().position(begins).map_or(end - 1, |at| paragraph + at);
    own.truncate(start);
}

/// Whether the rest of a message is the one that it answers.
fn is_original(line: &str) -> bool {
    let line = line.trim();
    let said = line.trim_matches('-');
    said.len() + 4 <= line.len() && ORIGINAL.contains(&said.trim().to_lowercase().as_str())
}

/// A page with a line ">" in the place of each quotation that a mail program marked as such.
pub(super) fn with_marks(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let (open, close) = (format!("<{ELEMENT}"), format!("</{ELEMENT}"));
    let mut kept = String::with_capacity(page.len());
    let (mut at, mut copied, mut depth) = (0, 0, 0_usize);
    while let Some(next) = lower[at..].find(ELEMENT).map(|next| at + next) {
        at = next + ELEMENT.len();
        let end = lower[at..].find('>').map_or(page.len(), |end| at + end + 1);
        if lower[..at].ends_with(&close) && depth > 0 {
            depth -= 1;
            if depth == 0 {
                copied = end;
            }
        } else if lower[..at].ends_with(&open) {
            let is_cited = ["cite", "quote"].iter().any(|word| lower[at..end].contains(word));
            if depth == 0 && is_cited {
                kept.push_str(&page[copied..at - open.len()]);
                kept.push_str("<p>&gt;</p>");
                depth = 1;
            } else if depth > 0 {
                depth += 1;
            }
        }
    }
    // One that does not end is the rest of the message.
    if depth == 0 {
        kept.push_str(&page[copied..]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{own_text, with_marks};

    fn own(text: &str) -> String {
        own_text(text.to_owned())
    }

    #[test]
    fn what_is_quoted_and_introduced_is_left_out() {
        let reply = "I agree.\n\nOn Sun, 1 Mar 2026 at 9:30, Bo Lee\n<bo@example.org> wrote:\n\n> The mast\n> leans.\n>> Why?\n\nAnn\n";
        assert_eq!(own(reply), "I agree.\n\nAnn\n");
        let inline = "Hello Bo,\nYou wrote:\n> The mast leans.\nIt does not.\n\n> It leans to port.\n\nNo.\n";
        assert_eq!(own(inline), "Hello Bo,\nIt does not.\n\nNo.\n");
        let german = "Ja.\n\nAm 01.03.2026 schrieb Bo:\n> Der Mast?\n";
        assert_eq!(own(german), "Ja.\n");
        let whole = "Yes.\n\n-----Original Message-----\nFrom: Bo\nSubject: The mast\n\nIt leans.\n";
        assert_eq!(own(whole), "Yes.\n");
        assert_eq!(own("Bo wrote:\n> It leans.\n"), "");
    }

    #[test]
    fn other_lines_stay() {
        for text in
            ["Masts > spars:\n\n  > 40 m\n\n\n- one\n", "--- Original Message ---s\n- original message\n", ""]
        {
            assert_eq!(own(text), text);
        }
        assert_eq!(own("It came.\n\n>From Oslo it sails.\n"), "It came.\n\nFrom Oslo it sails.\n");
    }

    #[test]
    fn quotations_of_pages_are_marked() {
        let page = "<p>Yes.</p><div class=\"gmail_attr\">On Sun, Bo wrote:<br></div><BLOCKQUOTE type=\"cite\">It <blockquote>leans</blockquote>.</BLOCKQUOTE><p>Ann</p>";
        let marked = "<p>Yes.</p><div class=\"gmail_attr\">On Sun, Bo wrote:<br></div><p>&gt;</p><p>Ann</p>";
        assert_eq!(with_marks(page), marked);
        for same in
            ["<blockquote style=\"margin: 0\">Indented.</blockquote>", "</blockquote>", "a <blockquote"]
        {
            assert_eq!(with_marks(same), same);
        }
    }
}
