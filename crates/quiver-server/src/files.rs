//! Files that requests contain: one as the whole body, or several as `multipart/form-data` (RFC 7578).

use std::{collections::HashSet, convert::Infallible, io::Cursor};

use axum::{body::Bytes, http::header};
use futures::stream;
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
    multer::parse_boundary(content_type).ok().filter(|boundary| (1..=70).contains(&boundary.len()))
}

/// Takes a body apart.
pub(crate) async fn parts(body: Bytes, boundary: &str) -> Result<Vec<File>, Wrong> {
    let broken =
        |error: multer::Error| Wrong::new("body", format!("is not valid `multipart/form-data`: {error}"));
    let whole = stream::once(async { Ok::<_, Infallible>(body) });
    let mut form = multer::Multipart::new(whole, boundary);
    let mut files = Vec::new();
    while let Some(part) = form.next_field().await.map_err(broken)? {
        if files.len() == FILES_MAX {
            return Err(Wrong::new("body", format!("give at most {FILES_MAX} files")));
        }
        let name = part.file_name().filter(|name| !name.trim().is_empty());
        let Some(name) = name.map(|name| name.replace("%22", "\"")) else {
            let place = part.name().filter(|field| !field.is_empty()).unwrap_or("body");
            return Err(Wrong::new(
                place,
                "every part must be a file with a `filename`, as `curl -F file=@handbook.pdf` sends it; other \
                 documents are added as JSON",
            ));
        };
        // As the client wrote it: a type that can't be read is as good as none.
        let kind = part.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        files.push(File { name, kind, content: part.bytes().await.map_err(broken)? });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn of(text: &str) -> Result<Vec<(String, String, String)>, String> {
        let body = Bytes::from(text.replace('\n', "\r\n"));
        let read = parts(body, "b-1").await.map_err(|wrong| wrong.why)?;
        let text = |content: &Bytes| String::from_utf8_lossy(content).into_owned();
        Ok(read.into_iter().map(|file| (file.name, file.kind, text(&file.content))).collect())
    }

    #[tokio::test]
    async fn files_are_taken_out_of_a_form() {
        let files = of(
            "ignored\n--b-1  \nContent-Disposition: form-data; name=\"file\"; filename=\"a;b=\\\"c%22.md\"\n\
                        content-type: text/markdown; charset=utf-8\n\n# One\n--b-2\n\n--b-1\n\
                        CONTENT-DISPOSITION: form-data; filename=empty.txt; name=x\n\n\n--b-1--\nafter",
        )
        .await
        .unwrap();
        let file = |name: &str, kind: &str, text: &str| (name.to_owned(), kind.to_owned(), text.to_owned());
        assert_eq!(files[0], file("a;b=\"c\".md", "text/markdown", "# One\r\n--b-2\r\n"));
        assert_eq!(files[1], file("empty.txt", "", ""));
        assert_eq!(files.len(), 2);
        assert_eq!(of("--b-1--").await.unwrap(), []);
    }

    #[tokio::test]
    async fn what_is_no_form_of_files_is_refused() {
        let refused = [
            ("", "incomplete"),
            ("--b-1", "incomplete"),
            ("--b-1x\n\n--b-1--", "incomplete"),
            ("--b-1\nContent-Type: text/plain", "incomplete"),
            ("--b-1\nContent-Disposition: form-data; filename=a\n\ntext", "incomplete"),
            ("--b-1\nContent-Disposition form-data\n\ntext\n--b-1--", "failed to read headers"),
            ("--b-1\nContent-Disposition: form-data; name=a\n\ntext\n--b-1--", "must be a file"),
            ("--b-1\nContent-Type: text/plain\n\ntext\n--b-1--", "must be a file"),
        ];
        for (text, why) in refused {
            let told = of(text).await.unwrap_err();
            assert!(told.contains(why), "{text:?}: {told}");
        }
        let many =
            "--b-1\nContent-Disposition: form-data; filename=a\n\n\n".repeat(FILES_MAX + 1) + "--b-1--";
        assert!(of(&many).await.unwrap_err().contains("at most 1000 files"));
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
