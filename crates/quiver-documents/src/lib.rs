//! Reads files and records into documents, and splits these into passages. It needs no graph, store or model.
//!
//! [`read::read`] yields the documents of a file or a folder, and a [`ReadProblem`](read::ReadProblem) for each part
//! that can't be read. [`chunk::chunk`] splits a document into passages that are short enough to embed. The principal
//! type is [`Document`].
//!
//! ```
//! use quiver_documents::{
//!     chunk::{ChunkOptions, chunk},
//!     read::{ReadOptions, read_stream},
//! };
//!
//! let text = "# Loom\n\n## Warping\n\nWind the warp evenly, and count its threads.\n\n\
//!             ## Weaving\n\nBeat every row once, and not too hard.\n";
//! let mut documents = read_stream("loom", Some("md"), text.as_bytes(), &ReadOptions::default());
//! let document = documents.next().expect("a document")?;
//! assert_eq!(document.title.as_deref(), Some("Loom"));
//!
//! let chunks = chunk(&document, &ChunkOptions { tokens_max: 9, ..ChunkOptions::default() });
//! let titles: Vec<_> = chunks.iter().filter_map(|chunk| chunk.title.as_deref()).collect();
//! assert_eq!(titles, ["Loom › Warping", "Loom › Weaving"]);
//! # Ok::<(), quiver_documents::read::ReadProblem>(())
//! ```

pub mod document;
pub mod read;
pub mod chunk;
pub mod label;

mod nesting;

pub use document::{Chunk, Document, Format, Triple};
pub use nesting::NESTING_MAX;
