use std::{fmt, path::Path};

use crate::{Error, ErrorKind, Result};

/// Counts tokens with a model's tokenizer.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
}

impl Tokenizer {
    /// Opens a `tokenizer.json` file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if the file does not exist, and [`ErrorKind::Invalid`] if it is not a
    /// tokenizer.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if !path.is_file() {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no tokenizer {}", path.display())));
        }
        let unreadable = |source| {
            Error::new(ErrorKind::Invalid, format!("{} is not a tokenizer: {source}", path.display()))
        };
        let mut inner = tokenizers::Tokenizer::from_file(path).map_err(unreadable)?;
        // Count the whole text, not the padded or truncated input of a model.
        inner.with_padding(None);
        inner.with_truncation(None).map_err(unreadable)?;
        Ok(Self { inner })
    }

    /// Returns the number of tokens in a text, without the special tokens that a model adds.
    pub fn count(&self, text: &str) -> usize {
        // If the tokenizer fails, count characters: an overestimate is safer than an underestimate.
        self.inner.encode(text, false).map_or_else(|_| text.chars().count(), |encoding| encoding.len())
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer").field("words", &self.inner.get_vocab_size(true)).finish()
    }
}
