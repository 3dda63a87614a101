//! The process that a command runs for, if that is another one: its input, and the messages for it.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

tokio::task_local! {
    /// The caller of the command that this task runs; unset if the command is this process's own.
    static CALLER: Caller;
}

/// The process that a command runs for.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    notes: Mutex<Vec<String>>,
    input: Mutex<Option<String>>,
    paths: BTreeMap<String, String>,
    is_bound: bool,
}

impl Caller {
    pub(crate) fn new(input: Option<String>, paths: BTreeMap<String, String>, is_bound: bool) -> Self {
        Self { notes: Mutex::default(), input: Mutex::new(input), paths, is_bound }
    }

    /// Runs work for this caller, and returns the messages for it as well.
    pub(crate) async fn run<T>(self, work: impl Future<Output = T>) -> (T, Vec<String>) {
        let work = async {
            let done = work.await;
            (done, CALLER.with(|caller| std::mem::take(&mut *locked(&caller.notes))))
        };
        CALLER.scope(self, work).await
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the command runs for another process.
pub(crate) fn is_another() -> bool {
    CALLER.try_with(|_| ()).is_ok()
}

/// Whether the caller may learn about one workspace only.
pub(crate) fn is_bound() -> bool {
    CALLER.try_with(|caller| caller.is_bound).unwrap_or_default()
}

/// Records a message for the caller. Returns `false` if the caller is this process.
pub(crate) fn told(note: &str) -> bool {
    CALLER.try_with(|caller| locked(&caller.notes).push(note.to_owned())).is_ok()
}

/// Takes the caller's input. Returns `None` if the command is this process's own.
pub(crate) fn input() -> Option<String> {
    CALLER.try_with(|caller| locked(&caller.input).take().unwrap_or_default()).ok()
}

/// Returns the absolute path of an argument at the caller, or as computed by `here` if the command is this process's
/// own.
pub(crate) fn path(argument: &str, here: impl FnOnce(&str) -> Option<String>) -> Option<String> {
    if is_another() {
        return CALLER.with(|caller| caller.paths.get(argument).cloned());
    }
    here(argument)
}
