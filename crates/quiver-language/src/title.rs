//! The title of a document, which may be a path of headings.

/// What stands between a document's title and the headings that lead to a passage.
pub const TITLE_SEPARATOR: &str = " › ";

/// The document's title as the text is likely to have it.
pub fn bare_title(title: &str) -> &str {
    without_bracket(title.split(TITLE_SEPARATOR).next().unwrap_or(title)).trim()
}

/// A title without the bracket at its end: "Mercury (planet)".
pub fn without_bracket(title: &str) -> &str {
    let trimmed = title.trim_end();
    match trimmed.strip_suffix([')', '）']).and_then(|rest| rest.rfind(['(', '（'])) {
        Some(open) if open > 0 => trimmed[..open].trim_end(),
        _ => trimmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_bared_of_headings_and_of_its_bracket() {
        assert_eq!(bare_title("Mercury (planet) › Orbit"), "Mercury");
        assert_eq!(bare_title("(untitled)"), "(untitled)");
        assert_eq!(without_bracket("東京（都市）"), "東京");
    }
}
