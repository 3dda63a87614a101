//! Ctrl-C, and the termination signal of a supervisor.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Exit, exit::Failed, output::Output};

/// Whether the current command handles interruptions itself.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Declares that the current command handles interruptions itself.
pub(crate) fn handle() {
    HANDLED.store(true, Ordering::Relaxed);
}

/// Ends the process on interruption, unless the command handles it.
pub(crate) async fn listen(json: bool) {
    loop {
        interruption().await;
        if !HANDLED.load(Ordering::Relaxed) {
            end(json, "interrupted");
        }
    }
}

/// Ends the process at once, after printing the document that `--json` promises.
pub(crate) fn end(json: bool, why: &str) -> ! {
    Output::new(json).last_error(&Failed::interrupted(why).into());
    std::process::exit(i32::from(Exit::Interrupted as u8));
}

/// Waits for Ctrl-C or the termination signal.
pub(crate) async fn interruption() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await; // no signal will ever arrive
    }
}
