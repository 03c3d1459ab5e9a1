//! Progress bars and spinners, on standard error and only where a person watches.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tool_hub_registry_client::Progress;

use crate::terminal::printer::Printer;

/// A spinner, shown while something of unknown length goes on.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    pub(crate) fn start(doing: impl Into<Cow<'static, str>>, printer: &Printer) -> Self {
        let bar = if printer.shows_progress() {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        bar.set_message(doing);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    pub(crate) fn finish(self) {
        self.0.finish_and_clear();
    }
}

/// A progress bar for each file that is uploaded or downloaded.
pub(crate) struct Bars {
    bars: MultiProgress,
    files: Mutex<HashMap<String, ProgressBar>>,
}

impl Bars {
    pub(crate) fn start(printer: &Printer) -> Self {
        let bars = MultiProgress::new();
        if !printer.shows_progress() {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            bars,
            files: Mutex::default(),
        }
    }

    pub(crate) fn finish(&self) {
        // Bars that cannot be cleared were never drawn.
        let _ = self.bars.clear();
    }

    fn files(&self) -> MutexGuard<'_, HashMap<String, ProgressBar>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Bars {
    fn started(&self, file: &str, bytes: u64) {
        let style = ProgressStyle::with_template("{msg:<12} {bar:32} {bytes}/{total_bytes}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(bytes)
            .with_style(style)
            .with_message(file.to_owned());
        if let Some(earlier) = self.files().insert(file.to_owned(), self.bars.add(bar)) {
            earlier.finish_and_clear();
        }
    }

    fn advanced(&self, file: &str, bytes: u64) {
        if let Some(bar) = self.files().get(file) {
            bar.inc(bytes);
        }
    }

    fn finished(&self, file: &str) {
        if let Some(bar) = self.files().get(file) {
            bar.finish();
        }
    }
}
