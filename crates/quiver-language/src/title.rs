//! Document titles, which may include a path of headings.

/// The separator between a document's title and the headings of a passage.
pub const TITLE_SEPARATOR: &str = " › ";

/// Returns the document's title without its headings and bracketed suffix, as it is likely to occur in the text.
pub fn bare_title(title: &str) -> &str {
    without_bracket(title.split(TITLE_SEPARATOR).next().unwrap_or(title)).trim()
}

/// Removes a bracketed suffix from a title: "Mercury (planet)".
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
