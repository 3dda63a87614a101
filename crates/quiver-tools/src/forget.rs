//! Forgetting, with a preview of what would be deleted.

use quiver::{ErrorKind, Quiver, graph::Removed, memory::Forget};
use quiver_forms::agent::{ForgetParameters, Forgotten};

/// Why nothing was forgotten.
#[derive(Debug)]
pub enum Failure {
    /// The request names nothing to forget, or more than one thing; the text explains what to send.
    Unclear(String),
    /// There is no document with this name.
    NoDocument(String),
    /// The database failed, or has no such session, turn or entity.
    Database(quiver::Error),
}

impl From<quiver::Error> for Failure {
    fn from(error: quiver::Error) -> Self {
        Self::Database(error)
    }
}

/// Forgets a session, a turn, an entity or a document, or previews that. Afterwards no file contains the deleted data.
///
/// # Errors
/// Fails if the request names nothing to forget, if that does not exist, or if the database fails.
pub async fn forget(quiver: &Quiver, asked: ForgetParameters) -> Result<Forgotten, Failure> {
    let what = match (asked.session, asked.turn, asked.about, asked.document) {
        (None, None, None, Some(document)) => return forget_document(quiver, document, asked.dry_run).await,
        (Some(session), Some(turn), None, None) => Forget::Turn(session, turn),
        (Some(session), None, None, None) => Forget::Session(session),
        (None, None, Some(about), None) => Forget::About(about),
        _ => {
            let detail = "say what to forget: `session`, `session` with `turn`, `about` or `document`";
            return Err(Failure::Unclear(detail.to_owned()));
        }
    };
    let preview = quiver.forget_preview(&what).await?;
    if asked.dry_run {
        return Ok(Forgotten::preview(&preview));
    }
    let erasure = quiver.begin_erasure().await?;
    let forgotten = quiver.forget(&what).await;
    // If only a part of it was forgotten, the next opening rebuilds the files.
    if forgotten.as_ref().err().is_none_or(|error| error.kind() == ErrorKind::NotFound) {
        quiver.end_erasure(erasure).await?;
    }
    Ok(Forgotten::preview(&preview).done(forgotten?.turns))
}

async fn forget_document(quiver: &Quiver, document: String, dry_run: bool) -> Result<Forgotten, Failure> {
    if dry_run {
        let passages = quiver.passages_of(&document).await?.len();
        if passages == 0 {
            return Err(Failure::NoDocument(document));
        }
        return Ok(Forgotten::of_document(document, passages, true));
    }
    let removed = delete(quiver, &document).await?;
    Ok(Forgotten::of_document(document, removed.passages, false))
}

/// Deletes a document from the database and its files.
///
/// # Errors
/// Fails if the document does not exist, or if the database fails.
pub async fn delete(quiver: &Quiver, document: &str) -> Result<Removed, Failure> {
    if !quiver.has_document(document).await? {
        return Err(Failure::NoDocument(document.to_owned()));
    }
    let erasure = quiver.begin_erasure().await?;
    let removed = quiver.delete(document).await?;
    quiver.end_erasure(erasure).await?;
    Ok(removed)
}
