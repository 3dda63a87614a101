//! Cuts documents into passages that are short enough to be embedded and long enough to be read.
//!
//! [`chunk`] keeps a short text whole and unchanged. A longer one is cut at the largest units that fit: sections of
//! Markdown, paragraphs, sentences, words. Every chunk carries the document's title, and in Markdown the headings
//! that lead to it, because a section called "Limits" says little without them.

mod markdown;
pub use quiver_language::{character::count_words as tokens, sentences, title::TITLE_SEPARATOR};

use crate::document::{Chunk, Document, Format};
use markdown::Outline;
use std::ops::Range;
use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter, TextSplitter};

/// How long chunks may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// The most tokens a chunk may have. A text of no more is kept whole.
    ///
    /// The default of 350 keeps ordinary paragraphs whole; in English it is about 460 word pieces, which embedding
    /// models with a window of 512 can still read together with a title.
    pub tokens_max: usize,
    /// How many tokens neighbouring chunks of one document may share. The default is none: the graph joins what the
    /// cut parted, and a repeated sentence would be found twice.
    pub tokens_overlap: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self { tokens_max: 350, tokens_overlap: 0 }
    }
}

impl Chunk {
    /// Makes a chunk of a whole text, with its sentences found.
    pub fn new(text: impl Into<String>, title: Option<String>) -> Self {
        let text = text.into();
        let sentences = sentences(&text);
        Self { text, title, position: 0, sentences }
    }
}

/// Cuts a document into chunks, with [`tokens`] as the measure of length. A document without text has none.
pub fn chunk(document: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    chunk_by(document, options, &tokens)
}

/// Cuts a document into chunks, with the length of a text told by a function, for example a model's tokenizer.
pub fn chunk_by(document: &Document, options: &ChunkOptions, length: &dyn Fn(&str) -> usize) -> Vec<Chunk> {
    let text = document.text.as_str();
    if text.trim().is_empty() {
        return Vec::new();
    }
    let outline = match document.format {
        Format::Markdown => Outline::of(text),
        Format::Plain => Outline::default(),
    };
    // Measuring a long text is wasted: no token is longer than this many bytes on average.
    let whole = text.len() <= options.tokens_max.saturating_mul(TOKEN_BYTES_MAX)
        && length(text) <= options.tokens_max;
    let chunk = |range: Range<usize>| {
        let title = outline.title(document.title.as_deref(), &range);
        Chunk::new(&text[range], title)
    };
    if whole {
        return vec![chunk(0..text.len())];
    }
    let mut chunks: Vec<Chunk> = cut(document, &outline, options, length).into_iter().map(chunk).collect();
    for (position, chunk) in (0..).zip(&mut chunks) {
        chunk.position = position;
    }
    chunks
}

/// The heading that a Markdown text begins with, if it is one of the outermost level.
pub(crate) fn first_heading(text: &str) -> Option<String> {
    Outline::of(text).first_title().map(str::to_owned)
}

/// Texts of more bytes than this for each token allowed are cut without being measured first.
const TOKEN_BYTES_MAX: usize = 64;

/// The splitter looks at all that is left of its text for every chunk, so it's given blocks of at most this length,
/// and a long document takes time in proportion to its length.
const BLOCK_BYTES_MAX: usize = 32 * 1024;

fn cut(
    document: &Document,
    outline: &Outline,
    options: &ChunkOptions,
    length: &dyn Fn(&str) -> usize,
) -> Vec<Range<usize>> {
    let text = document.text.as_str();
    let tokens_max = options.tokens_max.max(1);
    let overlap = options.tokens_overlap.min(tokens_max - 1);
    let config = ChunkConfig::new(tokens_max)
        .with_sizer(Length(length))
        .with_overlap(overlap)
        .expect("the overlap was made smaller than the chunk");
    let mut ranges = Vec::new();
    let mut add = |block: &Range<usize>, (offset, piece): (usize, &str)| {
        let start = block.start + offset;
        if piece.contains(char::is_alphanumeric) {
            ranges.push(start..start + piece.len());
        }
    };
    let blocks = blocks(text, outline);
    match document.format {
        Format::Plain => {
            let splitter = TextSplitter::new(config);
            for block in blocks {
                splitter.chunk_indices(&text[block.clone()]).for_each(|piece| add(&block, piece));
            }
        }
        Format::Markdown => {
            let splitter = MarkdownSplitter::new(config);
            for block in blocks {
                splitter.chunk_indices(&text[block.clone()]).for_each(|piece| add(&block, piece));
            }
        }
    }
    ranges
}

/// Parts a text into blocks of bounded length, at a heading, a blank line, a line break or a space, in this order.
fn blocks(text: &str, outline: &Outline) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while text.len() - start > BLOCK_BYTES_MAX {
        let mut end = start + BLOCK_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let window = &text[start..end];
        let in_window =
            |offset: Option<usize>| offset.filter(|offset| *offset > 0).map(|offset| start + offset);
        end = outline
            .last_heading_within(start + 1..end)
            .or_else(|| in_window(window.rfind("\n\n").map(|at| at + 2)))
            .or_else(|| in_window(window.rfind('\n').map(|at| at + 1)))
            .or_else(|| in_window(window.rfind(['。', '！', '？']).map(|at| at + '。'.len_utf8())))
            .or_else(|| in_window(window.rfind(char::is_whitespace)))
            .unwrap_or(end);
        blocks.push(start..end);
        start = end;
    }
    blocks.push(start..text.len());
    blocks
}

/// A measure of length in the form that the splitter wants.
struct Length<'f>(&'f dyn Fn(&str) -> usize);

impl ChunkSizer for Length<'_> {
    fn size(&self, chunk: &str) -> usize {
        (self.0)(chunk)
    }
}

#[cfg(test)]
mod tests;
