//! Splits documents into passages that are short enough to embed and long enough to understand.
//!
//! [`chunk`] keeps a short text whole and unchanged. It splits a longer one at the largest units that fit: Markdown
//! sections, paragraphs, sentences, words. Every chunk carries the document's title and, in Markdown, the headings
//! above it, because a section called "Limits" says little without them.

mod code;
mod markdown;

pub(crate) use code::is_code;

use crate::document::{Chunk, Document, Format};
use markdown::Outline;
use quiver_language::{character::count_words as tokens, sentences, title::TITLE_SEPARATOR};
use std::ops::Range;
use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter, TextSplitter};

/// Limits for the length of chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// Maximum number of tokens in a chunk. A text within this limit is kept whole.
    ///
    /// The default of 350 keeps ordinary paragraphs whole. In English it corresponds to about 460 word pieces, which
    /// fit together with a title into the 512-token window of common embedding models.
    pub tokens_max: usize,
    /// Number of tokens that adjacent chunks of a document may share. The default is 0: the graph connects adjacent
    /// chunks anyway, and a repeated sentence would be found twice.
    pub tokens_overlap: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self { tokens_max: 350, tokens_overlap: 0 }
    }
}

impl Chunk {
    /// Creates a chunk from a whole text and splits it into sentences.
    pub fn new(text: impl Into<String>, title: Option<String>) -> Self {
        let text = text.into();
        let sentences = sentences(&text);
        Self { text, title, sentences, ..Self::default() }
    }
}

/// Splits a document into chunks, with length measured by [`tokens`]. A document without text has no chunks.
pub fn chunk(document: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    chunk_by(document, options, &tokens)
}

/// Splits a document into chunks, with length measured by a function, for example a model's tokenizer.
pub fn chunk_by(document: &Document, options: &ChunkOptions, length: &dyn Fn(&str) -> usize) -> Vec<Chunk> {
    let text = document.text.as_str();
    if text.trim().is_empty() {
        return Vec::new();
    }
    if document.format == Format::Code {
        return code_chunks(document, options);
    }
    let outline = match document.format {
        Format::Markdown | Format::Sections => Outline::of(text),
        Format::Plain | Format::Code => Outline::default(),
    };
    // Don't measure texts that are certainly too long: no token is longer than `TOKEN_BYTES_MAX` bytes on average.
    let whole = text.len() <= options.tokens_max.saturating_mul(TOKEN_BYTES_MAX)
        && length(text) <= options.tokens_max;
    let chunk = |range: Range<usize>| {
        let title = outline.title(document.title.as_deref(), &range);
        Chunk::new(&text[range], title)
    };
    let stands_alone = document.format != Format::Sections || outline.sections(text).len() < 2;
    if whole && stands_alone {
        return vec![chunk(0..text.len())];
    }
    let mut chunks: Vec<Chunk> = cut(document, &outline, options, length).into_iter().map(chunk).collect();
    for (position, chunk) in (0..).zip(&mut chunks) {
        chunk.position = position;
    }
    chunks
}

/// Splits source code at definitions, and definitions that are too long at lines. Omits import statements.
fn code_chunks(document: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    let (text, tokens_max) = (document.text.as_str(), options.tokens_max.max(1));
    let ending = document.key.rsplit(['.', '/']).next().unwrap_or_default().to_lowercase();
    let length = |text: &str| code::length(text, tokens_max);
    let splitter = TextSplitter::new(ChunkConfig::new(tokens_max).with_sizer(Length(&length)));
    let mut chunks = Vec::new();
    for part in code::parts(text, &ending, tokens_max) {
        let path: Vec<&str> =
            document.title.as_deref().into_iter().chain(part.names.iter().map(String::as_str)).collect();
        let title = (!path.is_empty()).then(|| path.join(TITLE_SEPARATOR));
        let mut add = |text: &str| {
            let position = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
            let format = Format::Code;
            chunks.push(Chunk { position, format, ..Chunk::new(text, title.clone()) });
        };
        if length(&text[part.range.clone()]) <= tokens_max {
            add(&text[part.range]);
            continue;
        }
        for block in blocks(text, part.range, &Outline::default()) {
            let pieces = splitter.chunks(&text[block]);
            pieces.filter(|piece| piece.contains(char::is_alphanumeric)).for_each(&mut add);
        }
    }
    chunks
}

/// Returns the title of a Markdown text: its first heading, if that is above all others or stands alone.
pub(crate) fn first_heading(text: &str) -> Option<String> {
    Outline::of(text).first_title(text).map(str::to_owned)
}

/// Maximum average length of a token in bytes.
const TOKEN_BYTES_MAX: usize = 64;

/// Maximum length of a block. The splitter scans the rest of its input for every chunk, so splitting in blocks keeps
/// the run time linear in the length of the document.
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
    let blocks = match document.format {
        Format::Sections => {
            let sections = outline.sections(text).into_iter();
            sections.flat_map(|section| blocks(text, section, outline)).collect()
        }
        Format::Markdown => {
            let parts = outline.without_contents(text).into_iter();
            parts.flat_map(|part| blocks(text, part, outline)).collect()
        }
        Format::Plain | Format::Code => blocks(text, 0..text.len(), outline),
    };
    match document.format {
        Format::Plain | Format::Code => {
            let splitter = TextSplitter::new(config);
            for block in blocks {
                splitter.chunk_indices(&text[block.clone()]).for_each(|piece| add(&block, piece));
            }
        }
        Format::Markdown | Format::Sections => {
            let splitter = MarkdownSplitter::new(config);
            for block in blocks {
                let pieces = splitter.chunk_indices(&text[block.clone()]);
                let is_told = |(offset, piece): &(usize, &str)| {
                    let start = block.start + offset;
                    !outline.leads(text, start..start + piece.len())
                };
                pieces.filter(is_told).for_each(|piece| add(&block, piece));
            }
        }
    }
    ranges
}

/// Splits a part of a text into blocks of limited length, preferably at a heading, then at a blank line, a line break,
/// an ideographic full stop, or white space.
fn blocks(text: &str, part: Range<usize>, outline: &Outline) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let Range { mut start, end: last } = part;
    while last - start > BLOCK_BYTES_MAX {
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
    blocks.push(start..last);
    blocks
}

/// Adapts a length function to the splitter's interface.
struct Length<'f>(&'f dyn Fn(&str) -> usize);

impl ChunkSizer for Length<'_> {
    fn size(&self, chunk: &str) -> usize {
        (self.0)(chunk)
    }
}

#[cfg(test)]
mod tests;
