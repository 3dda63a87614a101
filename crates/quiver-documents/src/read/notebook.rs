//! Jupyter notebooks: what is written in them and their code, without what the code put out.

use super::{
    ReadProblem, markdown_html::without_html, picture::without_pictures, row::without_tables, with_headings,
};
use crate::{chunk::first_heading, document::Document};
use serde_json::Value;
use std::path::Path;

pub(super) fn document(path: &Path, text: &str) -> Result<Document, ReadProblem> {
    let notebook: Value =
        serde_json::from_str(text).map_err(|error| ReadProblem::json(path, None, &error))?;
    let Some(cells) = notebook["cells"].as_array() else {
        return Err(ReadProblem::new(path, None, "not a notebook: it has no cells", "name the file .json"));
    };
    let language = notebook["metadata"]["kernelspec"]["language"]
        .as_str()
        .or_else(|| notebook["metadata"]["language_info"]["name"].as_str())
        .unwrap_or_default();
    let mut read = String::new();
    for cell in cells {
        let source = match &cell["source"] {
            Value::String(source) => source.clone(),
            Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        match cell["cell_type"].as_str() {
            _ if source.trim().is_empty() => {}
            Some("markdown") => {
                let text = without_tables(without_pictures(without_html(source)));
                read.extend([text.trim_end(), "\n\n"]);
            }
            Some("code") => read.extend(["```", language, "\n", source.trim_end(), "\n```\n\n"]),
            _ => {}
        }
    }
    let title = first_heading(&read);
    Ok(with_headings(read, title))
}
