//! How far a command has come: a bar on a terminal, now and then a line elsewhere; always on standard error.

use std::{
    io::{self, IsTerminal},
    sync::Mutex,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{output::note, visible::visible};

/// How often a line is printed where there is no terminal.
const LINES_APART: Duration = Duration::from_secs(5);

/// Tells how far a command has come.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    last: Mutex<Instant>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]");
            bar.set_style(style.expect("the template is well-formed"));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, last: Mutex::new(Instant::now()) }
    }

    /// Tells how far it has come, in words.
    pub(crate) fn tell(&self, how_far: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(visible(how_far).into_owned());
            return;
        }
        let mut last = self.last.lock().expect("nobody panics while holding it");
        if last.elapsed() >= LINES_APART {
            *last = Instant::now();
            note(how_far);
        }
    }

    /// Tells that so many of a number of things are done.
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

    /// Says something that stays.
    pub(crate) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(text)),
            None => note(text),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
