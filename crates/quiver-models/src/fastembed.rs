//! Local ONNX models, run with fastembed.

mod cross;
mod files;
mod model;
mod pass;
mod runtime;

#[cfg(test)]
mod tests;

use std::{fmt, ops::Range, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use tokio::sync::Mutex;

use crate::{
    Embedder, Embedding, Error, ErrorKind, Fingerprint, Input, Result, Role,
    embedder::{check_spans, normalise},
    prefixes::Prefixes,
};
use model::Model;
use pass::{Pooled, Window};

pub use cross::{CrossEncoder, CrossEncoderOptions};

/// How to open a local embedding model.
#[derive(Clone, Debug, Default)]
pub struct FastEmbedOptions {
    /// The name of a model that fastembed supports (`all-MiniLM-L6-v2`, `BAAI/bge-small-en-v1.5`, …), or a directory.
    /// The directory contains `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`, `tokenizer_config.json` and, if
    /// the model has them, `config.json`, `special_tokens_map.json`, `1_Pooling/config.json`,
    /// `sentence_bert_config.json` and `config_sentence_transformers.json`. An existing directory takes precedence
    /// over a model name.
    pub model: String,
    /// The cache directory for downloaded models, unless `HF_HOME` is set. Default `FASTEMBED_CACHE_DIR`, or else
    /// `.fastembed_cache`.
    pub cache_dir: Option<PathBuf>,
    /// The ONNX runtime library. Default `ORT_DYLIB_PATH`, or else the usual install locations. The first model
    /// opened in a process decides for all.
    pub runtime: Option<PathBuf>,
    /// Threads per inference call; all processors by default.
    pub threads: Option<usize>,
    /// The window in tokens. Default is the value in the model's files, or else 256; it never exceeds the model's
    /// limit. Longer texts are split into several windows.
    pub window_tokens: Option<usize>,
    /// The prefix of queries. Default is the prefix that the model was trained with, if known.
    pub query_prefix: Option<String>,
    /// The prefix of documents. Default is the prefix that the model was trained with, if known.
    pub document_prefix: Option<String>,
}

/// A local ONNX embedding model.
///
/// The vector of a text is the mean of its token states, scaled to unit length; for models trained with CLS pooling,
/// it is the state of the first token. With mean pooling, the vector of a span is the mean over the tokens it
/// overlaps, taken from the same pass, so that a sentence is embedded in its context (late chunking). A span without
/// tokens gets the vector of its text. With other pooling, spans are embedded as separate texts.
///
/// A text longer than the window is not truncated. It is split into windows of similar length that start at words,
/// and the mean is taken over the tokens of all windows.
///
/// Batches run one at a time on a blocking thread. A batch that has started runs to its end, even if its future is
/// dropped.
pub struct FastEmbedder {
    fingerprint: Fingerprint,
    prefixes: Prefixes,
    spans_from_states: bool,
    model: Arc<Mutex<Model>>,
}

impl FastEmbedder {
    /// Opens a model: finds the runtime, reads or downloads the files, and embeds one word to determine the
    /// dimension.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotFound`] if the runtime or the model is missing, with a hint on how to install it,
    /// [`ErrorKind::Unavailable`] if the model can't be downloaded, and [`ErrorKind::Invalid`] if its files are
    /// unusable.
    pub async fn open(options: FastEmbedOptions) -> Result<Self> {
        blocking(move || Self::open_blocking(options)).await
    }

    fn open_blocking(options: FastEmbedOptions) -> Result<Self> {
        runtime::load(options.runtime.as_deref())?;
        let (mut model, description) = Model::open(&options)?;
        let probe = model.embed(&[Window::of_text("probe")])?;
        let dimension = probe.first().map(Pooled::dimension).unwrap_or_default();
        if dimension == 0 {
            return Err(Error::new(ErrorKind::Invalid, format!("{} returns no vectors", options.model)));
        }
        let spans_from_states = probe.iter().all(Pooled::has_states);
        let (pooling, spans) = match (spans_from_states, model.pools_first()) {
            (true, _) => ("mean of token states", "spans from the same pass"),
            (false, true) => ("state of the first token", "spans apart"),
            (false, false) => ("pooled by the model", "spans apart"),
        };
        let prefixes = description.prefixes.or_given(options.query_prefix, options.document_prefix);
        let tokenizer =
            format!("{}, windows of {} tokens, {prefixes}", description.tokenizer, model.window_tokens());
        let fingerprint = Fingerprint {
            model: description.name,
            dimension,
            normalisation: format!("{pooling}, {spans}, unit length"),
            tokenizer,
        };
        Ok(Self { fingerprint, prefixes, spans_from_states, model: Arc::new(Mutex::new(model)) })
    }
}

#[async_trait]
impl Embedder for FastEmbedder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>> {
        check_spans(inputs)?;
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        let texts = self.plan(self.prefixes.of(role), inputs);
        let name = self.fingerprint.model.clone();
        let mut model = Arc::clone(&self.model).lock_owned().await;
        blocking(move || embed_texts(&mut model, &texts).map_err(|error| named(&name, error))).await
    }
}

/// A text to embed, and the spans to pool from its token states.
struct Text {
    prefix: String,
    content: String,
    spans: Vec<Range<usize>>,
    /// Spans that are embedded as separate texts.
    apart: Vec<Range<usize>>,
}

impl FastEmbedder {
    fn plan(&self, prefix: &str, inputs: &[Input<'_>]) -> Vec<Text> {
        let plan = |input: &Input<'_>| {
            let (spans, apart) =
                if self.spans_from_states { (input.spans, &[][..]) } else { (&[][..], input.spans) };
            Text {
                prefix: prefix.to_owned(),
                content: input.text.to_owned(),
                spans: spans.to_vec(),
                apart: apart.to_vec(),
            }
        };
        inputs.iter().map(plan).collect()
    }
}

fn embed_texts(model: &mut Model, texts: &[Text]) -> Result<Vec<Embedding>> {
    // Collect the windows of all texts in one list, so that texts of similar length share a batch.
    let mut windows = Vec::new();
    let mut owners = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        windows.extend(model.windows(&text.prefix, &text.content, &text.spans)?);
        owners.resize(windows.len(), (index, None));
        for (position, span) in text.apart.iter().enumerate() {
            windows.extend(model.windows(&text.prefix, &text.content[span.clone()], &[])?);
            owners.resize(windows.len(), (index, Some(position)));
        }
    }
    let pooled = model.embed(&windows)?;

    let mut whole: Vec<Pooled> = texts.iter().map(|text| Pooled::new(text.spans.len())).collect();
    let mut apart: Vec<Vec<Pooled>> =
        texts.iter().map(|text| text.apart.iter().map(|_| Pooled::new(0)).collect()).collect();
    for ((index, position), part) in owners.into_iter().zip(pooled) {
        match position {
            None => whole[index].add(part),
            Some(position) => apart[index][position].add(part),
        }
    }
    let finish = |(whole, apart): (Pooled, Vec<Pooled>)| {
        let (text, mut spans) = whole.finish()?;
        for pooled in apart {
            spans.push(pooled.finish()?.0);
        }
        Ok(Embedding { text, spans })
    };
    whole.into_iter().zip(apart).map(finish).collect()
}

impl Pooled {
    /// Returns the vectors of the text and its spans, scaled to unit length.
    fn finish(self) -> Result<(Vec<f32>, Vec<Vec<f32>>)> {
        let Self { text: pass::Sum { mut sum, .. }, spans, .. } = self;
        if !normalise(&mut sum) {
            return Err(Error::new(ErrorKind::Invalid, "the model returned a zero vector"));
        }
        let spans =
            spans.into_iter().map(|mut span| if normalise(&mut span.sum) { span.sum } else { sum.clone() });
        let spans = spans.collect();
        Ok((sum, spans))
    }
}

fn named(model: &str, error: Error) -> Error {
    Error::new(error.kind(), format!("{model} can't embed")).with_source(error)
}

/// Runs work on a blocking thread. A panic in the runtime's bindings becomes an error.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::new(ErrorKind::Other, "the model's runtime failed").with_source(error)),
    }
}

impl fmt::Debug for FastEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastEmbedder").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}
