//! Ctrl-C, the termination signal of a supervisor, and the end of a terminal.

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

/// Whether hangups are ignored, as with `nohup`, or this can't be determined.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & 1 == 1)
}

/// Waits for Ctrl-C, the termination signal, or the end of the terminal.
pub(crate) async fn interruption() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            let mut hung_up = if ignores_hangup() { None } else { signal(SignalKind::hangup()).ok() };
            let hung_up = async {
                match &mut hung_up {
                    Some(hung_up) => hung_up.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
                _ = hung_up => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await; // No signal will ever arrive.
    }
}
