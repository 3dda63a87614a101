//! Local ONNX models through fastembed.

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

/// How to open a local model.
#[derive(Clone, Debug, Default)]
pub struct FastEmbedOptions {
    /// The name of a model that fastembed knows (`all-MiniLM-L6-v2`, `BAAI/bge-small-en-v1.5`, …), or a directory
    /// with `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`, `tokenizer_config.json` and, where the model has
    /// them, `config.json`, `special_tokens_map.json`, `1_Pooling/config.json`, `sentence_bert_config.json` and
    /// `config_sentence_transformers.json`. A directory that exists is meant before a name.
    pub model: String,
    /// Where models from the hub are kept, unless `HF_HOME` says it; else `FASTEMBED_CACHE_DIR`, else
    /// `.fastembed_cache`.
    pub cache_dir: Option<PathBuf>,
    /// The ONNX runtime library; else `ORT_DYLIB_PATH`, else the usual places are searched. The first model of a
    /// process decides for all.
    pub runtime: Option<PathBuf>,
    /// Threads of one pass; all processors by default.
    pub threads: Option<usize>,
    /// Tokens that go through the model at once; else what the model's files say, else 256, and never more than the
    /// model takes. Longer texts take several windows.
    pub window_tokens: Option<usize>,
    /// What stands before a query; else what the model was trained with, where that is known.
    pub query_prefix: Option<String>,
    /// What stands before a document; else what the model was trained with, where that is known.
    pub document_prefix: Option<String>,
}

/// A local ONNX model.
///
/// The vector of a text is the mean of its token states (or the state of the first token, for models trained so),
/// scaled to the length one. With mean pooling, the vectors of spans are means over the tokens that they touch, from
/// the same pass, so that a sentence knows its neighbours (late chunking); a span without tokens has the vector of
/// its text. With other pooling, spans are embedded on their own.
///
/// A text longer than the window is not cut off: it goes through the model in even windows that begin at words, and
/// the mean is over the tokens of all.
///
/// One batch at a time is computed, on a blocking thread. A batch that is no longer wanted still ends.
pub struct FastEmbedder {
    fingerprint: Fingerprint,
    prefixes: Prefixes,
    spans_from_states: bool,
    model: Arc<Mutex<Model>>,
}

impl FastEmbedder {
    /// Opens a model: finds the runtime, reads or downloads the files, and embeds one word to learn the dimension.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] when the runtime or the model is missing, with what to do about it;
    /// [`ErrorKind::Unavailable`] when the model can't be downloaded; [`ErrorKind::Invalid`] when its files can't be
    /// used.
    pub async fn open(options: FastEmbedOptions) -> Result<Self> {
        blocking(move || Self::open_blocking(options)).await
    }

    fn open_blocking(options: FastEmbedOptions) -> Result<Self> {
        runtime::load(options.runtime.as_deref())?;
        let (mut model, description) = Model::open(&options)?;
        let probe = model.embed(&[Window::of_text("probe")])?;
        let dimension = probe.first().map(Pooled::dimension).unwrap_or_default();
        if dimension == 0 {
            return Err(Error::new(ErrorKind::Invalid, format!("{} gives no vectors", options.model)));
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

/// A text that the model is to see whole, and the spans whose states are wanted.
struct Text {
    prefix: String,
    content: String,
    spans: Vec<Range<usize>>,
    /// Spans that are texts of their own.
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
    // All windows of all texts in one list, so that lengths can be matched across texts.
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
    /// The vectors of the text and its spans, scaled to the length one.
    fn finish(self) -> Result<(Vec<f32>, Vec<Vec<f32>>)> {
        let Self { text: pass::Sum { mut sum, .. }, spans, .. } = self;
        if !normalise(&mut sum) {
            return Err(Error::new(ErrorKind::Invalid, "the model gave a vector without a direction"));
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

/// Crosses into a blocking thread. A panic of the runtime's bindings ends there.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::new(ErrorKind::Other, "the model's runtime broke down").with_source(error)),
    }
}

impl fmt::Debug for FastEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FastEmbedder").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}
