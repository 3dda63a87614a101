const BEGIN: &str = "<think>";
const END: &str = "</think>";

/// Removes a model's reasoning from its reply if the endpoint does not separate the two.
#[derive(Default)]
pub(super) enum Thoughts {
    /// Only whitespace or a part of the opening tag has arrived.
    #[default]
    Before,
    /// Inside the reasoning.
    Inside,
    /// After the reasoning, before the first character of the reply.
    After,
    /// Inside the reply.
    Over,
}

impl Thoughts {
    /// Takes the text that certainly belongs to the reply from the front of `waiting`. The rest waits for more data.
    pub(super) fn speech(&mut self, waiting: &mut String) -> String {
        loop {
            match self {
                Self::Before => {
                    let begun = waiting.trim_start();
                    if let Some(inside) = begun.strip_prefix(BEGIN) {
                        *waiting = inside.to_owned();
                        *self = Self::Inside;
                    } else if BEGIN.starts_with(begun) {
                        return String::new();
                    } else {
                        *self = Self::Over;
                    }
                }
                Self::Inside => {
                    let Some(end) = waiting.find(END) else { return String::new() };
                    waiting.drain(..end + END.len());
                    *self = Self::After;
                }
                Self::After => {
                    *waiting = waiting.trim_start().to_owned();
                    if waiting.is_empty() {
                        return String::new();
                    }
                    *self = Self::Over;
                }
                Self::Over => return std::mem::take(waiting),
            }
        }
    }

    /// Returns the remaining text at the end of the reply. Unclosed reasoning is dropped.
    pub(super) fn rest(&self, waiting: String) -> String {
        if matches!(self, Self::Inside) { String::new() } else { waiting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_left_out_however_they_are_cut() {
        for (text, speech) in [
            ("\n<think>\nhm {\"a\":1}</think>\n\nPlain <think>words</think>.", "Plain <think>words</think>."),
            ("Plain.", "Plain."),
            ("<th", "<th"),
            ("<think>without end", ""),
            (" <b>", " <b>"),
        ] {
            for size in 1..=text.len() {
                let (mut thoughts, mut waiting, mut heard) =
                    (Thoughts::default(), String::new(), String::new());
                for chunk in text.as_bytes().chunks(size) {
                    waiting.push_str(std::str::from_utf8(chunk).unwrap());
                    heard.push_str(&thoughts.speech(&mut waiting));
                }
                heard.push_str(&thoughts.rest(waiting));
                assert_eq!(heard, speech, "{text:?} in chunks of {size}");
            }
        }
    }
}
