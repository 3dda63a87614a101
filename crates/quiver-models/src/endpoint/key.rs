use std::{collections::HashSet, fmt, fs, path::Path};

use reqwest::{Url, header::HeaderValue};

use crate::{Error, ErrorKind, Result};

/// Hosts whose keys have a conventional environment variable.
const KNOWN: &[(&str, &str)] = &[("api.openai.com", "OPENAI_API_KEY")];

/// Minimum number of consecutive bytes of a key that are redacted. A shorter match may be part of an ordinary word.
const PART_BYTES_MIN: usize = 6;

/// An API key. Its `Debug` output hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// Reads a key from a file that contains nothing else.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`] if the file can't be read or is empty.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let invalid = |problem: &str| {
            Error::new(ErrorKind::Invalid, format!("the key file {} {problem}", path.display()))
        };
        let key = fs::read_to_string(path).map_err(|error| invalid("can't be read").with_source(error))?;
        match key.trim() {
            "" => Err(invalid("is empty")),
            key => Ok(Self::new(key)),
        }
    }

    pub(super) fn authorization(&self, what: &str) -> Result<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).map_err(|_| {
            Error::new(
                ErrorKind::Invalid,
                format!("the {what}'s key has characters that are invalid in a header"),
            )
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Redacts the key, and every part of it that has at least `PART_BYTES_MIN` bytes. Some endpoints quote the
    /// beginning or the end of a key that they reject.
    pub(super) fn blotted(&self, text: &str) -> String {
        let key = self.0.as_bytes();
        if key.len() < PART_BYTES_MIN {
            return text.replace(&self.0, "…");
        }
        let parts: HashSet<&[u8]> = key.windows(PART_BYTES_MIN).collect();
        let bytes = text.as_bytes();
        let mut blotted = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(character) = text[at..].chars().next() {
            let mut end = at;
            while bytes.get(end..end + PART_BYTES_MIN).is_some_and(|part| parts.contains(part)) {
                end += 1;
            }
            if end > at {
                blotted.push('…');
                at = text.ceil_char_boundary(end + PART_BYTES_MIN - 1);
            } else {
                blotted.push(character);
                at += character.len_utf8();
            }
        }
        blotted
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Finds the key. The order is: the given key, the environment variable, the file named by the variable with the
/// suffix `_FILE`, and the conventional variable of a known host.
pub(super) fn find(
    given: Option<&Key>,
    variable: &str,
    url: &Url,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Key>> {
    let from = |variable: &str| environment(variable).map(Key).and_then(Key::trimmed);
    if let Some(key) = given.cloned().and_then(Key::trimmed).or_else(|| from(variable)) {
        return Ok(Some(key));
    }
    if let Some(path) = environment(&format!("{variable}_FILE")).filter(|path| !path.is_empty()) {
        return Key::from_file(path).map(Some);
    }
    // Send a known host's key only to that host.
    let known = KNOWN.iter().find(|(host, _)| url.host_str() == Some(host) && url.scheme() == "https");
    Ok(known.and_then(|(_, variable)| from(variable)))
}

impl Key {
    fn trimmed(self) -> Option<Self> {
        match self.0.trim() {
            "" => None,
            key => Some(Self(key.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn parts_of_a_key_are_blotted_out_and_other_words_stay() {
        let key = Key::new("sk-4471abcdefgh9982");
        let blotted = |text: &str| key.blotted(text);
        assert_eq!(blotted("wrong key sk-4471abcdefgh9982."), "wrong key ….");
        assert_eq!(blotted("Incorrect key: sk-4471abc***gh9982, żółw"), "Incorrect key: …***…, żółw");
        assert_eq!(blotted("the abcde of sk-44"), "the abcde of sk-44");
        assert_eq!(blotted("nothing of it"), "nothing of it");
    }
}
