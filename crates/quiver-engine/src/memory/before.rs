//! Questions for what was so before something else: "Who owned the billing service before Dana?" What is asked for is the
//! value that held until the one that the question names.

use quiver_graph::name;

use super::shape::Shape;

/// A question without its last part, and the name in that part.
pub(super) struct Before {
    pub(super) question: String,
    /// What came next; `None` if it is whatever holds now.
    next: Option<String>,
}

/// Maximum number of words of what came next.
const NEXT_MAX: usize = 4;

impl Before {
    /// Parses a question; `None` if it does not ask for what was so before.
    pub(super) fn of(question: &str) -> Option<Self> {
        let bare = question.trim().trim_end_matches(['?', '.', '!', ' ']);
        let first = bare.split_whitespace().next()?.to_lowercase();
        if !matches!(first.as_str(), "who" | "whom" | "what" | "which" | "where") {
            return None;
        }
        if let Some(asked) = bare.strip_suffix(" before").or_else(|| bare.strip_suffix(" previously")) {
            return Some(Self { question: format!("{}?", asked.trim_end()), next: None });
        }
        let at = bare.rfind(" before ")?;
        let next = bare[at + " before ".len()..].trim();
        let next = next.strip_prefix("the ").unwrap_or(next);
        // "Before she moved": whatever holds now came then.
        let begins = |pronoun: &str| next.to_lowercase().starts_with(pronoun);
        if ["he ", "she ", "it ", "they ", "we ", "i ", "you "].into_iter().any(begins) {
            return Some(Self { question: format!("{}?", bare[..at].trim_end()), next: None });
        }
        let is_name = next.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
            && next.split_whitespace().count() <= NEXT_MAX
            && !matches!(Shape::of(next), Shape::Time | Shape::Span | Shape::Number);
        is_name.then(|| Self { question: format!("{}?", bare[..at].trim_end()), next: Some(next.to_owned()) })
    }

    /// Whether a value is the one that came next. Without a name, the value that holds now is.
    pub(super) fn is_next(&self, value: &str, now: &str) -> bool {
        let next = name::normalise(self.next.as_deref().unwrap_or(now));
        let value = name::normalise(value);
        let within = |short: &str, long: &str| {
            let long: Vec<&str> = long.split(' ').collect();
            short.split(' ').all(|word| long.contains(&word))
        };
        within(&value, &next) || within(&next, &value)
    }
}

#[cfg(test)]
mod tests {
    use super::Before;

    #[test]
    fn what_came_next_has_a_name_or_holds_now() {
        let before = Before::of("Who owned the mill before Dana?").expect("a name");
        assert!(before.is_next("Dana", "Ida") && !before.is_next("Bo", "Dana"));
        let before = Before::of("What part did Danny have before he got promoted?").expect("a clause");
        assert_eq!(before.question, "What part did Danny have?");
        assert!(before.is_next("First Gull", "First Gull") && !before.is_next("Second Gull", "First Gull"));
        assert!(Before::of("Who came before lunch?").is_none());
    }
}
