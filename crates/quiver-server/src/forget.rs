//! Forgetting, which shows first what would go.

use quiver::{ErrorKind, Quiver, memory::Forget};
use quiver_forms::agent::{ForgetParameters, Forgotten};

use crate::problem::{Code, Problem};

/// Forgets what is said, or shows what that would be. What was forgotten stands in no file any more afterwards.
pub(crate) async fn forget(quiver: &Quiver, asked: ForgetParameters) -> Result<Forgotten, Problem> {
    let what = match (asked.session, asked.turn, asked.about, asked.document) {
        (None, None, None, Some(document)) => return forget_document(quiver, document, asked.dry_run).await,
        (Some(session), Some(turn), None, None) => Forget::Turn(session, turn),
        (Some(session), None, None, None) => Forget::Session(session),
        (None, None, Some(about), None) => Forget::About(about),
        _ => {
            let detail = "say what to forget: `session`, `session` with `turn`, `about` or `document`";
            return Err(Problem::at("body", detail));
        }
    };
    let preview = quiver.forget_preview(&what).await?;
    if asked.dry_run {
        return Ok(Forgotten::preview(&preview));
    }
    quiver.begin_erasure().await?;
    let forgotten = quiver.forget(&what).await;
    // If only a part of it was forgotten, the next opening rebuilds the files.
    if forgotten.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::NotFound) {
        quiver.compact().await?;
    }
    Ok(Forgotten::preview(&preview).done(forgotten?.turns))
}

async fn forget_document(quiver: &Quiver, document: String, dry_run: bool) -> Result<Forgotten, Problem> {
    if dry_run {
        let passages = quiver.passages_of(&document).await?.len();
        if passages == 0 {
            return Err(no_document(&document));
        }
        return Ok(Forgotten::of_document(document, passages, true));
    }
    let removed = delete(quiver, &document).await?;
    Ok(Forgotten::of_document(document, removed.passages, false))
}

/// Deletes a document from the database and its files.
pub(crate) async fn delete(quiver: &Quiver, document: &str) -> Result<quiver::graph::Removed, Problem> {
    if !quiver.has_document(document).await? {
        return Err(no_document(document));
    }
    quiver.begin_erasure().await?;
    let removed = quiver.delete(document).await?;
    quiver.compact().await?;
    Ok(removed)
}

pub(crate) fn no_document(document: &str) -> Problem {
    let detail = format!("there is no document {document:?}; `GET /v1/documents` lists them");
    Problem::new(Code::NotFound, detail)
}
