use std::{fmt, path::Path};

use crate::{Error, ErrorKind, Result};

/// Cuts texts into the tokens of a model, to count them.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
}

impl Tokenizer {
    /// Opens a `tokenizer.json`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] where there is no such file; [`ErrorKind::Invalid`] where it is no tokenizer.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if !path.is_file() {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no tokenizer {}", path.display())));
        }
        let unreadable =
            |source| Error::new(ErrorKind::Invalid, format!("{} is no tokenizer: {source}", path.display()));
        let mut inner = tokenizers::Tokenizer::from_file(path).map_err(unreadable)?;
        // What is counted is the text, not what a model would be shown of it.
        inner.with_padding(None);
        inner.with_truncation(None).map_err(unreadable)?;
        Ok(Self { inner })
    }

    /// The number of tokens of a text, without those that a model puts around it.
    pub fn count(&self, text: &str) -> usize {
        // A text that it can't cut is counted by its characters: too many rather than too few.
        self.inner.encode(text, false).map_or_else(|_| text.chars().count(), |encoding| encoding.len())
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer").field("words", &self.inner.get_vocab_size(true)).finish()
    }
}
