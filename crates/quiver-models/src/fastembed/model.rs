//! An opened model with its tokenizer.

use std::{ops::Range, path::Path};

use ::fastembed::{
    EmbeddingModel, InitOptionsUserDefined, OutputKey, Pooling, QuantizationMode, SingleBatchOutput,
    TextEmbedding, TextInitOptions,
};

use super::{
    FastEmbedOptions,
    files::ModelFiles,
    pass::{Pooled, Window, batches, even_runs},
};
use crate::{Error, ErrorKind, Result, prefixes::Prefixes};

/// Small batches fit into the processor's caches; larger ones were not faster.
const TEXTS_MAX: usize = 32;
const TOKENS_MAX: usize = 4_096;
/// The default window of models whose files don't specify one.
const WINDOW_TOKENS: usize = 256;
const WINDOW_TOKENS_MIN: usize = 16;

/// An opened model.
pub(super) struct Model {
    inner: TextEmbedding,
    outputs: Vec<OutputKey>,
    pools_first: bool,
    /// Whether batches have only one text. Dynamically quantized models scale their values to each batch.
    one_by_one: bool,
    window_tokens: usize,
}

/// The model's part of the fingerprint, and the prefixes of its texts.
pub(super) struct Description {
    pub(super) name: String,
    pub(super) tokenizer: String,
    pub(super) prefixes: Prefixes,
}

impl Model {
    pub(super) fn open(options: &FastEmbedOptions) -> Result<(Self, Description)> {
        let directory = Path::new(&options.model);
        if directory.is_dir() {
            return Self::open_directory(directory, options);
        }
        Self::open_from_hub(&options.model, options)
    }

    fn open_directory(directory: &Path, options: &FastEmbedOptions) -> Result<(Self, Description)> {
        let files = ModelFiles::read(directory)?;
        let description = Description {
            prefixes: files.prefixes().unwrap_or_else(|| Prefixes::known(&files.name)),
            name: format!("{}@{}", files.name, files.model_digest),
            tokenizer: format!("tokenizer {}", files.tokenizer_digest),
        };
        let mut init = InitOptionsUserDefined::new()
            .with_max_length(options.window_tokens.or(files.window_tokens).unwrap_or(WINDOW_TOKENS));
        if let Some(threads) = options.threads {
            init = init.with_intra_threads(threads);
        }
        let pools_first = files.pools_first;
        let one_by_one = files.is_dynamically_quantized;
        let inner = TextEmbedding::try_new_from_user_defined(files.into_model(), init)
            .map_err(|error| unusable(&directory.display().to_string(), error))?;
        Ok((Self::new(inner, None, pools_first, one_by_one)?, description))
    }

    fn open_from_hub(name: &str, options: &FastEmbedOptions) -> Result<(Self, Description)> {
        let model = known_model(name)?;
        let info = TextEmbedding::get_model_info(&model).map_err(|error| unusable(name, error))?;
        let description = Description {
            name: format!("{}/{}", info.model_code, info.model_file),
            tokenizer: "tokenizer of the model".to_owned(),
            prefixes: Prefixes::known(&info.model_code),
        };
        let mut init = TextInitOptions::new(model.clone())
            .with_show_download_progress(false)
            .with_max_length(options.window_tokens.unwrap_or(WINDOW_TOKENS));
        if let Some(directory) = &options.cache_dir {
            init = init.with_cache_dir(directory.clone());
        }
        if let Some(threads) = options.threads {
            init = init.with_intra_threads(threads);
        }
        let inner = TextEmbedding::try_new(init).map_err(|error| undownloadable(name, error))?;
        let pools_first = TextEmbedding::get_default_pooling_method(&model) != Some(Pooling::Mean);
        let one_by_one = TextEmbedding::get_quantization_mode(&model) == QuantizationMode::Dynamic;
        Ok((Self::new(inner, info.output_key.clone(), pools_first, one_by_one)?, description))
    }

    fn new(
        mut inner: TextEmbedding,
        output: Option<OutputKey>,
        pools_first: bool,
        one_by_one: bool,
    ) -> Result<Self> {
        // fastembed has set the truncation to the smaller of the requested window and the model's limit. Texts are
        // split before they reach the tokenizer, so nothing must be truncated.
        let window_tokens =
            inner.tokenizer.get_truncation().map_or(WINDOW_TOKENS, |truncation| truncation.max_length);
        if window_tokens < WINDOW_TOKENS_MIN {
            let message =
                format!("a window of {window_tokens} tokens is less than the minimum of {WINDOW_TOKENS_MIN}");
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        inner.tokenizer.with_truncation(None).map_err(|error| unusable("the tokenizer", error))?;
        let by_name = ["text_embeds", "last_hidden_state", "sentence_embedding", "token_embeddings"];
        let outputs = match output {
            Some(output) => vec![output],
            None => [OutputKey::OnlyOne].into_iter().chain(by_name.map(OutputKey::ByName)).collect(),
        };
        Ok(Self { inner, outputs, pools_first, one_by_one, window_tokens })
    }

    pub(super) fn window_tokens(&self) -> usize {
        self.window_tokens
    }

    pub(super) fn pools_first(&self) -> bool {
        self.pools_first
    }

    /// Splits a text into windows, each with the prefix.
    pub(super) fn windows(&self, prefix: &str, text: &str, spans: &[Range<usize>]) -> Result<Vec<Window>> {
        let full = format!("{prefix}{text}");
        let encoding = self.inner.tokenizer.encode(full.as_str(), true).map_err(untokenizable)?;
        if encoding.len() <= self.window_tokens {
            let touched = |span: &Range<usize>| {
                let span = span.start + prefix.len()..span.end + prefix.len();
                let tokens =
                    encoding.get_offsets().iter().zip(encoding.get_special_tokens_mask()).enumerate();
                tokens
                    .filter(|(_, (offsets, special))| **special == 0 && overlaps(&span, offsets))
                    .map(|(token, _)| token)
                    .collect()
            };
            let spans = spans.iter().map(touched).collect();
            return Ok(vec![Window { tokens: encoding.len(), text: full, spans }]);
        }
        let mut windows = Vec::new();
        for slice in self.slices(prefix, text)? {
            let clip = |span: &Range<usize>| {
                let start = span.start.clamp(slice.start, slice.end);
                start - slice.start..span.end.clamp(start, slice.end) - slice.start
            };
            let spans: Vec<Range<usize>> = spans.iter().map(clip).collect();
            windows.extend(self.windows(prefix, &text[slice], &spans)?);
        }
        Ok(windows)
    }

    /// Splits a text that is too long into at least two parts.
    fn slices(&self, prefix: &str, text: &str) -> Result<Vec<Range<usize>>> {
        let around = self.inner.tokenizer.encode(prefix, true).map_err(untokenizable)?.len();
        let encoding = self.inner.tokenizer.encode(text, false).map_err(untokenizable)?;
        let offsets = encoding.get_offsets();
        let starts_word: Vec<bool> = offsets.iter().map(|(start, _)| is_word_start(text, *start)).collect();
        let mut runs = even_runs(&starts_word, self.window_tokens.saturating_sub(around).max(1));
        if runs.len() == 1 {
            runs = even_runs(&starts_word, offsets.len().div_ceil(2));
        }
        // A part starts at the first token of its run; text between two runs belongs to the earlier part.
        let mut cuts: Vec<usize> =
            runs.iter().skip(1).map(|run| text.floor_char_boundary(offsets[run.start].0)).collect();
        cuts.insert(0, 0);
        cuts.push(text.len());
        let slices: Vec<Range<usize>> =
            cuts.windows(2).filter(|cut| cut[0] < cut[1]).map(|cut| cut[0]..cut[1]).collect();
        if slices.len() < 2 {
            let message = format!("a text of {} bytes can't be split into windows of the model", text.len());
            return Err(Error::new(ErrorKind::Limit, message));
        }
        Ok(slices)
    }

    /// Runs the model on windows and returns the results in the same order.
    pub(super) fn embed(&mut self, windows: &[Window]) -> Result<Vec<Pooled>> {
        let lengths: Vec<usize> = windows.iter().map(|window| window.tokens).collect();
        let texts_max = if self.one_by_one { 1 } else { TEXTS_MAX };
        let mut pooled: Vec<Pooled> = windows.iter().map(|_| Pooled::default()).collect();
        for batch in batches(&lengths, texts_max, TOKENS_MAX) {
            let texts: Vec<&str> = batch.iter().map(|index| windows[*index].text.as_str()).collect();
            let output = self
                .inner
                .transform(&texts, Some(texts.len()))
                .map_err(|error| unusable("the model", error))?;
            for output in output.into_raw() {
                let members = batch.iter().map(|index| &windows[*index]);
                for (index, one) in batch.iter().zip(self.pool(&output, members)?) {
                    pooled[*index] = one;
                }
            }
        }
        Ok(pooled)
    }

    fn pool<'w>(
        &self,
        output: &SingleBatchOutput,
        windows: impl Iterator<Item = &'w Window>,
    ) -> Result<Vec<Pooled>> {
        let array =
            output.select_output(&self.outputs.as_slice()).map_err(|error| unusable("the model", error))?;
        let shape = array.shape().to_vec();
        let numbers = array
            .as_slice()
            .ok_or_else(|| Error::new(ErrorKind::Other, "the model's output is not contiguous"))?;
        match *shape.as_slice() {
            [_, dimension] if dimension > 0 => Ok(numbers.chunks(dimension).map(Pooled::of_vector).collect()),
            [_, tokens, dimension] if tokens * dimension > 0 => {
                let pool = |(index, window): (usize, &Window)| {
                    let states =
                        numbers[index * tokens * dimension..][..tokens * dimension].chunks(dimension);
                    if self.pools_first {
                        return states.take(1).next().map(Pooled::of_vector).unwrap_or_default();
                    }
                    let mask = output.attention_mask_array.row(index);
                    let attended = states.zip(mask).filter(|(_, mask)| **mask != 0).map(|(state, _)| state);
                    Pooled::of_states(&attended.collect::<Vec<_>>(), window)
                };
                Ok(windows.enumerate().map(pool).collect())
            }
            _ => Err(Error::new(ErrorKind::Invalid, format!("the model's output has the shape {shape:?}"))),
        }
    }
}

/// Returns whether a span and a token have a character in common.
fn overlaps(span: &Range<usize>, (start, end): &(usize, usize)) -> bool {
    span.start.max(*start) < span.end.min(*end)
}

fn is_word_start(text: &str, at: usize) -> bool {
    let Some((before, after)) = text.split_at_checked(at) else { return false };
    before.is_empty() || before.ends_with(char::is_whitespace) || after.starts_with(char::is_whitespace)
}

/// Finds a model by its name on the hub, with or without the owner, or by fastembed's own name.
fn known_model(name: &str) -> Result<EmbeddingModel> {
    let models = TextEmbedding::list_supported_models();
    let wanted = name.to_lowercase();
    let is_meant = |code: &str| code.to_lowercase() == wanted || short(code) == wanted;
    if let Some(model) = models.iter().find(|info| is_meant(&info.model_code)) {
        return Ok(model.model.clone());
    }
    if let Ok(model) = name.parse::<EmbeddingModel>() {
        return Ok(model);
    }
    Err(unknown(name, "model", models.iter().map(|info| info.model_code.as_str()).collect()))
}

/// Creates the error for an unknown name and suggests the most similar ones.
pub(super) fn unknown(name: &str, what: &str, mut codes: Vec<&str>) -> Error {
    // A typo usually leaves the start of the name intact.
    let wanted = short(name);
    let likeness = |code: &str| {
        short(code).bytes().zip(wanted.bytes()).take_while(|(left, right)| left == right).count()
    };
    codes.sort_by_key(|code| (std::cmp::Reverse(likeness(code)), *code));
    codes.dedup();
    codes.truncate(4);
    Error::new(
        ErrorKind::NotFound,
        format!(
            "{name} is neither a directory nor a {what} that fastembed knows, such as {}",
            codes.join(", ")
        ),
    )
}

/// Returns a model's name without its owner, in lower case.
fn short(code: &str) -> String {
    code.rsplit('/').next().unwrap_or_default().to_lowercase()
}

pub(super) fn untokenizable(error: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::new(ErrorKind::Invalid, "a text can't be tokenized").with_source(error)
}

pub(super) fn unusable(what: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let error = error.into();
    Error::new(ErrorKind::Invalid, format!("{what} can't be used: {error}")).with_source(error)
}

pub(super) fn undownloadable(name: &str, error: ::fastembed::Error) -> Error {
    match error {
        ::fastembed::Error::ModelRetrieval { .. } | ::fastembed::Error::Other(_) | ::fastembed::Error::Io(_) => {
            Error::new(
                ErrorKind::Unavailable,
                format!(
                    "{name} can't be downloaded: {error}; check the network (HF_ENDPOINT selects another hub), or name a \
                     directory with the model's files"
                ),
            )
            .with_source(error)
        }
        other => unusable(name, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_go_by_several_names() {
        for name in ["all-MiniLM-L6-v2", "Xenova/all-MiniLM-L6-v2", "BGESmallENV15", "baai/BGE-m3"] {
            assert!(known_model(name).is_ok(), "{name}");
        }
        let error = known_model("all-MiniLM-L7").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains("all-MiniLM-L6-v2"), "{error}");
    }
}
