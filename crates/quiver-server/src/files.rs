//! Files that requests contain: one as the whole body, or several as `multipart/form-data` (RFC 7578).

use std::{collections::HashSet, io::Cursor};

use axum::body::Bytes;
use quiver::{
    Document,
    read::{extension_of, read_stream},
};
use quiver_forms::request::Wrong;
use tokio::task::spawn_blocking;

use crate::{
    app::{App, panicked},
    problem::{Code, Problem},
};

/// Maximum number of files in a request.
const FILES_MAX: usize = 1000;
/// Maximum size of the head of a part in bytes.
const HEAD_BYTES_MAX: usize = 8 << 10;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Its name, which is the key of its document.
    pub(crate) name: String,
    /// Its media type without parameters; may be empty.
    pub(crate) kind: String,
    pub(crate) content: Bytes,
}

/// Reads files as `quiver ingest` does. A file of records yields a document for each. Fails if one can't be read.
pub(crate) async fn read(app: &App, files: Vec<File>) -> Result<Vec<Document>, Problem> {
    let options = app.config.reading();
    let read = spawn_blocking(move || {
        let (mut documents, mut keys) = (Vec::new(), HashSet::new());
        for File { name, kind, content } in files {
            let named = name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() <= 8);
            // Browsers and scripts often do not know the type of a file.
            let is_vague = matches!(kind.as_str(), "" | "text/plain" | "application/octet-stream");
            let ending = extension_of(&kind).filter(|_| !is_vague).or(named).or_else(|| extension_of(&kind));
            let before = documents.len();
            for document in read_stream(&name, ending, Cursor::new(content), &options) {
                let document = document.map_err(|problem| {
                    Problem::new(Code::Unreadable, problem.to_string()).with_place(name.as_str())
                })?;
                if !keys.insert(document.key.clone()) {
                    let detail =
                        format!("{:?} is the key of two documents; keys must be unique", document.key);
                    return Err(Problem::at(name, detail));
                }
                documents.push(document);
            }
            if documents.len() == before {
                let detail = format!("{name}: the file contains no text");
                return Err(Problem::new(Code::Unreadable, detail).with_place(name));
            }
        }
        Ok(documents)
    });
    read.await.unwrap_or_else(|error| Err(panicked(&error)))
}

/// Returns the boundary between the parts, from the header `Content-Type`.
pub(crate) fn boundary(content_type: &str) -> Option<String> {
    let parameters = parameters(content_type);
    let boundary = parameters.into_iter().find(|(name, _)| name == "boundary")?.1;
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// Takes a body apart.
pub(crate) fn parts(body: &Bytes, boundary: &str) -> Result<Vec<File>, Wrong> {
    let broken = |why: &str| Wrong::new("body", format!("is not valid `multipart/form-data`: {why}"));
    let delimiter = format!("\r\n--{boundary}").into_bytes();
    // The first delimiter may begin the body.
    let mut at = if body.starts_with(&delimiter[2..]) {
        delimiter.len() - 2
    } else {
        find(body, &delimiter).ok_or_else(|| broken("it does not have the boundary of the header"))?
            + delimiter.len()
    };
    let mut files = Vec::new();
    loop {
        let rest = &body[at..];
        if rest.starts_with(b"--") {
            return Ok(files);
        }
        let padding = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if !rest[padding..].starts_with(b"\r\n") {
            return Err(broken("a boundary must end its line"));
        }
        if files.len() == FILES_MAX {
            return Err(Wrong::new("body", format!("give at most {FILES_MAX} files")));
        }
        // The line end before the first header also ends an empty head.
        let head_begin = at + padding;
        let head = &body[head_begin..body.len().min(head_begin + HEAD_BYTES_MAX)];
        let head_end = find(head, b"\r\n\r\n").ok_or_else(|| broken("a part has no end of its headers"))?;
        let head = std::str::from_utf8(&head[..head_end]).map_err(|_| broken("a header must be UTF-8"))?;
        let begin = head_begin + head_end + 4;
        // An empty content may be followed by the delimiter at once.
        let content_and_rest = &body[begin - 2..];
        let end = find(content_and_rest, &delimiter).ok_or_else(|| broken("the last part does not end"))?;
        let content = body.slice(begin..(begin - 2 + end).max(begin));
        files.push(file(head, content)?);
        at = begin - 2 + end + delimiter.len();
    }
}

fn file(head: &str, content: Bytes) -> Result<File, Wrong> {
    let headers: Vec<(&str, &str)> = head.lines().filter_map(|line| line.split_once(':')).collect();
    let header = |wanted: &str| {
        let found = headers.iter().find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim()).unwrap_or_default()
    };
    let disposition = parameters(header("content-disposition"));
    let of =
        |wanted: &str| disposition.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    let field = of("name").unwrap_or_default();
    let Some(name) = of("filename").filter(|name| !name.trim().is_empty()) else {
        let place = if field.is_empty() { "body" } else { field.as_str() };
        return Err(Wrong::new(
            place,
            "every part must be a file with a `filename`, as `curl -F file=@handbook.pdf` sends it; other documents \
             are added as JSON",
        ));
    };
    let kind = header("content-type").split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Ok(File { name, kind, content })
}

/// Returns the parameters of a header, with their names in lower case.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    let mut rest = header.split_once(';').map_or("", |(_, rest)| rest);
    while let Some((name, value)) = rest.split_once('=') {
        let value = value.trim_start();
        let (value, after) = match value.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => value
                .split_once(';')
                .map_or((value.trim().to_owned(), ""), |(value, after)| (value.trim().to_owned(), after)),
        };
        parameters.push((name.trim_start_matches([';', ' ', '\t']).trim().to_ascii_lowercase(), value));
        rest = after;
    }
    parameters
}

/// Returns the text up to the closing quote, and what follows it. Browsers write a quote in a name as `%22`.
fn unquoted(text: &str) -> (String, &str) {
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, character) in text.char_indices() {
        match character {
            // Windows browsers wrote paths with single backslashes.
            '"' | '\\' if is_escaped => value.push(character),
            _ if is_escaped => value.extend(['\\', character]),
            '\\' => {
                is_escaped = true;
                continue;
            }
            '"' => return (value.replace("%22", "\""), &text[at + 1..]),
            _ => value.push(character),
        }
        is_escaped = false;
    }
    (value, "")
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(at) = text[from..].iter().position(|byte| *byte == first) {
        if text[from + at..].starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<(String, String, String)>, String> {
        let read = parts(&Bytes::from(text.replace('\n', "\r\n")), "b-1").map_err(|wrong| wrong.why)?;
        let text = |content: &Bytes| String::from_utf8_lossy(content).into_owned();
        Ok(read.into_iter().map(|file| (file.name, file.kind, text(&file.content))).collect())
    }

    #[test]
    fn files_are_taken_out_of_a_form() {
        let files = of(
            "ignored\n--b-1  \nContent-Disposition: form-data; name=\"file\"; filename=\"a;b=\\\"c%22.md\"\n\
                        content-type: text/markdown; charset=utf-8\n\n# One\n--b-2\n\n--b-1\n\
                        CONTENT-DISPOSITION: form-data; filename=empty.txt; name=x\n\n\n--b-1--\nafter",
        )
        .unwrap();
        let file = |name: &str, kind: &str, text: &str| (name.to_owned(), kind.to_owned(), text.to_owned());
        assert_eq!(files[0], file("a;b=\"c\".md", "text/markdown", "# One\r\n--b-2\r\n"));
        assert_eq!(files[1], file("empty.txt", "", ""));
        assert_eq!(files.len(), 2);
        assert_eq!(of("--b-1--").unwrap(), []);
    }

    #[test]
    fn what_is_no_form_of_files_is_refused() {
        let refused = [
            ("", "boundary of the header"),
            ("--b-1", "must end its line"),
            ("--b-1x\n\n--b-1--", "must end its line"),
            ("--b-1\nContent-Type: text/plain", "no end of its headers"),
            ("--b-1\nContent-Disposition: form-data; filename=a\n\ntext", "does not end"),
            ("--b-1\nContent-Disposition: form-data; name=a\n\ntext\n--b-1--", "must be a file"),
            ("--b-1\n\ntext\n--b-1--", "must be a file"),
        ];
        for (text, why) in refused {
            let told = of(text).unwrap_err();
            assert!(told.contains(why), "{text:?}: {told}");
        }
    }

    #[test]
    fn a_boundary_is_a_parameter_that_may_be_quoted() {
        assert_eq!(boundary("multipart/form-data; Boundary=abc").as_deref(), Some("abc"));
        assert_eq!(boundary("multipart/form-data; x=1; boundary=\"a b\"").as_deref(), Some("a b"));
        for none in
            ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\""]
        {
            assert_eq!(boundary(none), None);
        }
    }
}
