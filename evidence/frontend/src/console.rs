//! What every program prints: JSON or text, with a progress bar on a terminal and as plain lines in
//! a pipe.

use std::fmt::Display;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

/// The options that every program has.
#[derive(clap::Args)]
pub struct Console {
    /// Print one JSON object and nothing else.
    #[arg(long)]
    json: bool,
}

impl Console {
    /// Begins a run of at most `length` steps, under a title.
    pub fn progress(&self, title: impl Display, length: u64) -> Progress {
        if !self.json {
            println!("{title}");
        }
        let bar =
            if std::io::stderr().is_terminal() && (self.json || std::io::stdout().is_terminal()) {
                let style =
                    ProgressStyle::with_template("{elapsed:>4} {wide_bar} {pos}/{len}, {eta} left")
                        .expect("a valid template");
                let bar = ProgressBar::new(length).with_style(style);
                bar.enable_steady_tick(Duration::from_millis(200));
                bar
            } else {
                ProgressBar::hidden()
            };
        Progress { bar, silent: self.json }
    }

    /// Ends a run and prints its result: the object with `--json`, otherwise the text.
    pub fn result(&self, progress: Progress, json: &Value, text: impl Display) {
        drop(progress);
        if self.json { println!("{json}") } else { println!("{text}") }
    }
}

/// A run that goes on. The bar goes away when this is dropped.
pub struct Progress {
    bar: ProgressBar,
    silent: bool,
}

impl Progress {
    /// One more step is done. Prints a line of text, above the bar if there is one.
    pub fn step(&self, line: impl Display) {
        self.line(line);
        self.advance(1);
    }

    /// Prints a line of text, above the bar if there is one.
    pub fn line(&self, line: impl Display) {
        if !self.silent {
            self.bar.suspend(|| println!("{line}"));
        }
    }

    /// This many more steps are done; prints nothing.
    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
