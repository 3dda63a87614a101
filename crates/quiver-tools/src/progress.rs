//! Progress of a call, for clients that ask for it.

use rmcp::{RoleServer, model::ProgressNotificationParam, service::RequestContext};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The progress of a call.
#[derive(Debug)]
pub(crate) struct Step {
    /// Grows with each step.
    pub(crate) done: usize,
    /// Its final value, if known.
    pub(crate) total: Option<usize>,
    pub(crate) message: String,
}

/// Runs work that reports progress. All of it has been sent when this returns.
pub(crate) async fn telling<T>(
    context: &RequestContext<RoleServer>,
    work: impl AsyncFnOnce(UnboundedSender<Step>) -> T,
) -> T {
    // At most as many as a call has batches or stages.
    let (sender, mut steps) = unbounded_channel::<Step>();
    let (token, peer) = (context.meta.get_progress_token(), context.peer.clone());
    // Sent while the work goes on, even if the work never yields.
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
            // The client may have disconnected.
            let _ = peer.notify_progress(progress).await;
        }
    });
    let done = Box::pin(work(sender)).await;
    let _ = told.await;
    done
}
