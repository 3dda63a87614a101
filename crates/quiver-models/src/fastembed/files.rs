//! Reads a model from a directory.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ::fastembed::{TokenizerFiles, UserDefinedEmbeddingModel, UserDefinedRerankingModel};
use serde_json::Value;

use crate::{Error, ErrorKind, Result, prefixes::Prefixes};

/// The contents of a model's files.
pub(super) struct ModelFiles {
    pub(super) name: String,
    pub(super) model_digest: String,
    pub(super) tokenizer_digest: String,
    pub(super) window_tokens: Option<usize>,
    pub(super) pools_first: bool,
    pub(super) is_dynamically_quantized: bool,
    prompts: Value,
    labels: usize,
    path: PathBuf,
    onnx: Vec<u8>,
    external: Option<Vec<u8>>,
    tokenizer: TokenizerFiles,
}

impl ModelFiles {
    pub(super) fn read(directory: &Path) -> Result<Self> {
        let model_path = ["model.onnx", "onnx/model.onnx"]
            .map(|name| directory.join(name))
            .into_iter()
            .find(|path| path.is_file())
            .ok_or_else(|| missing(&directory.join("model.onnx")))?;
        let onnx = read(&model_path)?;
        let external = read_optional(&model_path.with_extension("onnx_data"))?;
        let required = |name: &str| read(&directory.join(name));
        let optional = |name: &str| read_optional(&directory.join(name));
        let json = |name: &str| -> Result<Value> {
            let Some(bytes) = optional(name)? else { return Ok(Value::Null) };
            serde_json::from_slice(&bytes).map_err(|error| {
                let message = format!("{} is not JSON", directory.join(name).display());
                Error::new(ErrorKind::Invalid, message).with_source(error)
            })
        };
        let empty = || b"{}".to_vec();
        let tokenizer = TokenizerFiles {
            tokenizer_file: required("tokenizer.json")?,
            tokenizer_config_file: required("tokenizer_config.json")?,
            config_file: optional("config.json")?.unwrap_or_else(empty),
            special_tokens_map_file: optional("special_tokens_map.json")?.unwrap_or_else(empty),
        };
        let name = directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf());
        let name =
            name.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
        let window = json("sentence_bert_config.json")?["max_seq_length"].as_u64();
        let config = json("config.json")?;
        Ok(Self {
            labels: config["id2label"].as_object().map_or(1, serde_json::Map::len),
            path: model_path,
            pools_first: pools_first(directory, &json("1_Pooling/config.json")?)?,
            prompts: json("config_sentence_transformers.json")?["prompts"].take(),
            window_tokens: window.and_then(|window| usize::try_from(window).ok()),
            model_digest: digest(&[&onnx, external.as_deref().unwrap_or_default()]),
            tokenizer_digest: digest(&[&tokenizer.tokenizer_file, &tokenizer.special_tokens_map_file]),
            is_dynamically_quantized: memchr::memmem::find(&onnx, b"DynamicQuantizeLinear").is_some(),
            name,
            onnx,
            external,
            tokenizer,
        })
    }

    /// Returns the prefixes given in the model's own files.
    pub(super) fn prefixes(&self) -> Option<Prefixes> {
        let prompt =
            |names: &[&str]| names.iter().find_map(|name| self.prompts[name].as_str()).map(str::to_owned);
        let query = prompt(&["query"]);
        let document = prompt(&["document", "passage"]);
        (query.is_some() || document.is_some())
            .then(|| Prefixes { query: query.unwrap_or_default(), document: document.unwrap_or_default() })
    }

    /// Returns the number of classes of a classifier; 1 if the files don't say.
    pub(super) fn labels(&self) -> usize {
        self.labels
    }

    /// Converts the files into a reranker. It is loaded by path, so that external data next to it is found.
    pub(super) fn into_reranker(self) -> UserDefinedRerankingModel {
        UserDefinedRerankingModel::new(self.path, self.tokenizer)
    }

    pub(super) fn into_model(self) -> UserDefinedEmbeddingModel {
        let model = UserDefinedEmbeddingModel::new(self.onnx, self.tokenizer);
        match self.external {
            Some(data) => model.with_external_initializer("model.onnx_data".to_owned(), data),
            None => model,
        }
    }
}

/// Reads the pooling mode from the sentence-transformers configuration; mean pooling is the default.
fn pools_first(directory: &Path, config: &Value) -> Result<bool> {
    let is = |name: &str| config[name].as_bool() == Some(true);
    if is("pooling_mode_cls_token") {
        return Ok(true);
    }
    if config.is_null() || is("pooling_mode_mean_tokens") {
        return Ok(false);
    }
    let message = format!("{} uses neither mean pooling nor CLS pooling", directory.display());
    Err(Error::new(ErrorKind::Invalid, message))
}

fn digest(files: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        hasher.update(&(file.len() as u64).to_le_bytes());
        hasher.update(file);
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

fn read(path: &PathBuf) -> Result<Vec<u8>> {
    read_optional(path)?.ok_or_else(|| missing(path))
}

fn read_optional(path: &PathBuf) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Error::new(ErrorKind::Invalid, format!("{} can't be read", path.display()))
                .with_source(error))
        }
    }
}

fn missing(path: &Path) -> Error {
    let message = format!(
        "{} is missing; a model directory contains model.onnx or onnx/model.onnx, tokenizer.json and \
         tokenizer_config.json",
        path.display()
    );
    Error::new(ErrorKind::NotFound, message)
}
