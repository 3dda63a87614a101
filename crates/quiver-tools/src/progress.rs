//! How far a call is, for clients that ask to be told.

use rmcp::{RoleServer, model::ProgressNotificationParam, service::RequestContext};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// How far a call is.
#[derive(Debug)]
pub(crate) struct Step {
    /// It grows with each step.
    pub(crate) done: usize,
    /// What it grows to, where that is known.
    pub(crate) total: Option<usize>,
    pub(crate) message: String,
}

/// Does work that tells how far it is. All of that is sent when this returns.
pub(crate) async fn telling<T>(
    context: &RequestContext<RoleServer>,
    work: impl AsyncFnOnce(UnboundedSender<Step>) -> T,
) -> T {
    // As many as a call has batches or stages.
    let (sender, mut steps) = unbounded_channel::<Step>();
    let (token, peer) = (context.meta.get_progress_token(), context.peer.clone());
    // It is sent while the work goes on, even where that never rests.
    let told = tokio::spawn(async move {
        let Some(token) = token else { return };
        let mut last = 0;
        while let Some(Step { done, total, message }) = steps.recv().await {
            if done <= last {
                continue;
            }
            last = done;
            let (done, total) = (done as f64, total.map(|total| total as f64));
            let mut progress = ProgressNotificationParam::new(token.clone(), done).with_message(message);
            progress.total = total;
            // A client that has gone doesn't listen.
            let _ = peer.notify_progress(progress).await;
        }
    });
    let done = Box::pin(work(sender)).await;
    let _ = told.await;
    done
}
