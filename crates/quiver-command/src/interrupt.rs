//! Ctrl-C, and the signal by which a supervisor asks for an end.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Exit, exit::Failed, output::Output};

/// Whether the command under way ends in good order by itself.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// The command under way listens itself from here on.
pub(crate) fn handle() {
    HANDLED.store(true, Ordering::Relaxed);
}

/// Ends the process when it is asked to, unless the command listens itself.
pub(crate) async fn listen(json: bool) {
    loop {
        interruption().await;
        if !HANDLED.load(Ordering::Relaxed) {
            end(json, "interrupted");
        }
    }
}

/// Ends the process at once, with the document that `--json` promises.
pub(crate) fn end(json: bool, why: &str) -> ! {
    Output::new(json).last_error(&Failed::interrupted(why).into());
    std::process::exit(i32::from(Exit::Interrupted as u8));
}

/// Waits until the user or a supervisor asks for an end.
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
        std::future::pending::<()>().await; // no signal will ever come
    }
}
