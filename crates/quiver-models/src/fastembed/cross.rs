//! Local ONNX cross-encoders.

use std::{fmt, path::Path, path::PathBuf, sync::Arc};

use ::fastembed::{RerankInitOptions, RerankInitOptionsUserDefined, RerankerModel, TextRerank};
use tokio::sync::Mutex;

use super::{
    blocking,
    files::ModelFiles,
    model::{undownloadable, unknown, untokenizable, unusable},
    pass::batches,
    runtime,
};
use crate::{Error, ErrorKind, Result};

const TEXTS_MAX: usize = 32;
const TOKENS_MAX: usize = 4_096;
/// The default limit of a pair, in tokens. Few cross-encoders were trained with more.
const PAIR_TOKENS: usize = 512;
const PAIR_TOKENS_MIN: usize = 16;

/// How to open a [`CrossEncoder`].
#[derive(Clone, Debug, Default)]
pub struct CrossEncoderOptions {
    /// The name of a reranker that fastembed supports (`BAAI/bge-reranker-base`, `jina-reranker-v1-turbo-en`, …), or
    /// a directory. The directory contains `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`,
    /// `tokenizer_config.json` and, if the model has them, `config.json` and `special_tokens_map.json`. An existing
    /// directory takes precedence over a model name.
    pub model: String,
    /// The cache directory for downloaded models, unless `HF_HOME` is set. Default `FASTEMBED_CACHE_DIR`, or else
    /// `.fastembed_cache`.
    pub cache_dir: Option<PathBuf>,
    /// The ONNX runtime library. Default `ORT_DYLIB_PATH`, or else the usual install locations. The first model
    /// opened in a process decides for all.
    pub runtime: Option<PathBuf>,
    /// Threads per inference call; all processors by default.
    pub threads: Option<usize>,
    /// Maximum tokens of a question and a text together. Default is the value in the model's files, or else 512; it
    /// never exceeds the model's limit. In a longer pair, the end of the longer of the two is truncated.
    pub tokens_max: Option<usize>,
}

/// A local ONNX model that reads a question and a text together and scores how well the text answers the question.
///
/// A score is the model's logit: higher is better, and the scale depends on the model. The same call returns the same
/// scores on the same machine.
///
/// Calls run one at a time on a blocking thread. A call that has started runs to its end, even if its future is
/// dropped.
pub struct CrossEncoder {
    fingerprint: String,
    model: Arc<Mutex<Model>>,
}

impl CrossEncoder {
    /// Opens a model: finds the runtime, reads or downloads the files, and scores one word as a check.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotFound`] if the runtime or the model is missing, with a hint on how to install it,
    /// [`ErrorKind::Unavailable`] if the model can't be downloaded, and [`ErrorKind::Invalid`] if its files are
    /// unusable or it is not a cross-encoder.
    pub async fn open(options: CrossEncoderOptions) -> Result<Self> {
        blocking(move || {
            runtime::load(options.runtime.as_deref())?;
            let (mut model, name) = Model::open(&options)?;
            model.score("probe", &["probe"]).map_err(|error| {
                let mend = "a cross-encoder takes two texts and has one output, called logits";
                Error::new(error.kind(), format!("{name} is not a cross-encoder: {error}; {mend}"))
            })?;
            let fingerprint = format!("{name}, pairs of {} tokens", model.tokens_max);
            Ok(Self { fingerprint, model: Arc::new(Mutex::new(model)) })
        })
        .await
    }

    /// Returns a fingerprint of the model and everything else its scores depend on.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Scores texts against a question, in the given order.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`] if a text can't be tokenized, the model fails, or a score is not finite.
    pub async fn score(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let question = question.to_owned();
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let fingerprint = self.fingerprint.clone();
        let mut model = Arc::clone(&self.model).lock_owned().await;
        blocking(move || {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            model.score(&question, &texts).map_err(|error| named(&fingerprint, &error))
        })
        .await
    }
}

impl fmt::Debug for CrossEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrossEncoder").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

/// An opened model.
struct Model {
    inner: TextRerank,
    /// Whether batches have only one text. Dynamically quantized models scale their values to each batch.
    one_by_one: bool,
    tokens_max: usize,
}

impl Model {
    fn open(options: &CrossEncoderOptions) -> Result<(Self, String)> {
        let directory = Path::new(&options.model);
        if directory.is_dir() {
            return Self::open_directory(directory, options);
        }
        Self::open_from_hub(&options.model, options)
    }

    fn open_directory(directory: &Path, options: &CrossEncoderOptions) -> Result<(Self, String)> {
        let files = ModelFiles::read(directory)?;
        let labels = files.labels();
        if labels > 1 {
            let message = format!(
                "{} classifies texts into {labels} classes; a cross-encoder has one output, so name the directory of one",
                directory.display()
            );
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        let name = format!("{}@{}, tokenizer {}", files.name, files.model_digest, files.tokenizer_digest);
        let mut init = RerankInitOptionsUserDefined::new()
            .with_max_length(options.tokens_max.or(files.window_tokens).unwrap_or(PAIR_TOKENS));
        if let Some(threads) = options.threads {
            init = init.with_intra_threads(threads);
        }
        let one_by_one = files.is_dynamically_quantized;
        let inner = TextRerank::try_new_from_user_defined(files.into_reranker(), init)
            .map_err(|error| unusable(&directory.display().to_string(), error))?;
        Ok((Self::new(inner, one_by_one)?, name))
    }

    fn open_from_hub(name: &str, options: &CrossEncoderOptions) -> Result<(Self, String)> {
        let model = known_model(name)?;
        let info = TextRerank::get_model_info(&model);
        let mut init = RerankInitOptions::new(model)
            .with_show_download_progress(false)
            .with_max_length(options.tokens_max.unwrap_or(PAIR_TOKENS));
        if let Some(directory) = &options.cache_dir {
            init = init.with_cache_dir(directory.clone());
        }
        if let Some(threads) = options.threads {
            init = init.with_intra_threads(threads);
        }
        let inner = TextRerank::try_new(init).map_err(|error| undownloadable(name, error))?;
        Ok((Self::new(inner, false)?, format!("{}/{}", info.model_code, info.model_file)))
    }

    fn new(inner: TextRerank, one_by_one: bool) -> Result<Self> {
        // fastembed has set the truncation to the smaller of the requested limit and the model's limit.
        let tokens_max =
            inner.tokenizer.get_truncation().map_or(PAIR_TOKENS, |truncation| truncation.max_length);
        if tokens_max < PAIR_TOKENS_MIN {
            let message = format!(
                "a limit of {tokens_max} tokens per pair is too low; give at least {PAIR_TOKENS_MIN}"
            );
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        Ok(Self { inner, one_by_one, tokens_max })
    }

    /// Scores texts in batches of similar lengths and returns the scores in the order of the texts.
    fn score(&mut self, question: &str, texts: &[&str]) -> Result<Vec<f32>> {
        let length = |text: &&str| {
            self.inner.tokenizer.encode((question, *text), true).map(|pair| pair.len()).map_err(untokenizable)
        };
        let lengths: Vec<usize> = texts.iter().map(length).collect::<Result<_>>()?;
        let texts_max = if self.one_by_one { 1 } else { TEXTS_MAX };
        let mut scores = vec![f32::NAN; texts.len()];
        for batch in batches(&lengths, texts_max, TOKENS_MAX) {
            let members: Vec<&str> = batch.iter().map(|&index| texts[index]).collect();
            let results = self
                .inner
                .rerank(question, &members, false, Some(members.len()))
                .map_err(|error| unusable("the model", error))?;
            for result in results {
                if let Some(&index) = batch.get(result.index) {
                    scores[index] = result.score;
                }
            }
        }
        if scores.iter().all(|score| score.is_finite()) {
            return Ok(scores);
        }
        Err(Error::new(ErrorKind::Invalid, "the model returned a score that is not a number"))
    }
}

/// Finds a model by its name on the hub, with or without the owner, or by fastembed's own name.
fn known_model(name: &str) -> Result<RerankerModel> {
    let models = TextRerank::list_supported_models();
    let wanted = name.to_lowercase();
    let is_meant = |code: &str, own: &str| {
        let code = code.to_lowercase();
        code == wanted || code.rsplit('/').next() == Some(&wanted) || own.to_lowercase() == wanted
    };
    let meant = models.iter().find(|info| is_meant(&info.model_code, &format!("{:?}", info.model)));
    meant.map(|info| info.model.clone()).ok_or_else(|| {
        unknown(name, "reranker", models.iter().map(|info| info.model_code.as_str()).collect())
    })
}

fn named(model: &str, error: &Error) -> Error {
    Error::new(error.kind(), format!("{model} can't score: {error}"))
}

#[cfg(test)]
mod tests;
