//! Progress of a command on standard error: a bar on a terminal, an occasional line elsewhere.

use std::{
    io::{self, IsTerminal},
    sync::Mutex,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{caller, output::note, visible::visible};

/// Minimum time between lines if there is no terminal.
const LINES_APART: Duration = Duration::from_secs(5);

/// Reports the progress of a command.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// Whether only problems are reported.
    quiet: bool,
    last: Mutex<Instant>,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = (!quiet && !caller::is_another() && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]");
            bar.set_style(style.expect("the template is well-formed"));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, quiet, last: Mutex::new(Instant::now()) }
    }

    /// Reports progress as text.
    pub(crate) fn tell(&self, how_far: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(visible(how_far).into_owned());
            return;
        }
        if self.quiet {
            return;
        }
        let mut last = self.last.lock().expect("nobody panics while holding it");
        if last.elapsed() >= LINES_APART {
            *last = Instant::now();
            note(how_far);
        }
    }

    /// Reports how many items of a total are done.
    pub(crate) fn tell_share(&self, what: &str, done: u64, total: u64) {
        if let Some(bar) = &self.bar
            && bar.length() != Some(total)
        {
            bar.set_length(total);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} [{eta} left]");
            bar.set_style(style.expect("the template is well-formed"));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(visible(what).into_owned());
        } else {
            self.tell(&format!("{what}: {done} of {total}"));
        }
    }

    /// Prints a permanent message, also if only problems are reported.
    pub(crate) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(text)),
            None => note(text),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
