//! Attributes that stand in a line above a block of `AsciiDoc`: `[source,rust]`, `[#vats]`, `[%header,cols="1h,2"]`.

/// The attributes of the next block.
#[derive(Debug, Default)]
pub(super) struct Style {
    positional: Vec<String>,
    named: Vec<(String, String)>,
}

impl Style {
    /// Adds the attributes of a line, without its brackets.
    pub(super) fn add(&mut self, line: &str) {
        for (at, part) in parts(line).into_iter().enumerate() {
            let named = part.split_once('=').filter(|(name, _)| {
                !name.is_empty()
                    && name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            });
            match named {
                Some((name, value)) => {
                    self.named
                        .push((name.trim().to_owned(), value.trim().trim_matches(['"', '\'']).to_owned()));
                }
                None if at < self.positional.len() => {
                    if !part.trim().is_empty() {
                        part.trim().trim_matches(['"', '\'']).clone_into(&mut self.positional[at]);
                    }
                }
                None => self.positional.push(part.trim().trim_matches(['"', '\'']).to_owned()),
            }
        }
    }

    /// What the block is: "source" of `[source#main%linenums,rust]`.
    pub(super) fn name(&self) -> &str {
        self.at(0).split(['#', '.', '%']).next().unwrap_or_default()
    }

    /// The attribute at a place.
    pub(super) fn at(&self, at: usize) -> &str {
        self.positional.get(at).map_or("", String::as_str)
    }

    pub(super) fn named(&self, name: &str) -> Option<&str> {
        self.named.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn has_option(&self, option: &str) -> bool {
        let listed = self.named("options").or_else(|| self.named("opts"));
        self.at(0).split('%').skip(1).any(|known| known.split(['#', '.']).next() == Some(option))
            || listed.is_some_and(|options| options.split(',').any(|known| known.trim() == option))
    }
}

/// The parts between commas that are in no quotation.
fn parts(line: &str) -> Vec<&str> {
    let (mut parts, mut start, mut in_quotation) = (Vec::new(), 0, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => in_quotation = !in_quotation,
            b',' if !in_quotation => {
                parts.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}
