//! `gittins init`: a study.toml to fill in.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use serde_json::json;

use crate::words::code::Code;
use crate::words::console::Console;
use crate::words::failure::{At, Failure, Result};

/// A study of trials.
const TRIALS: &str = include_str!("study.toml");

/// A study of runs in stages.
const STAGES: &str = include_str!("stages.toml");

/// Write a study.toml to fill in. It never replaces a file.
#[derive(Debug, clap::Args)]
pub struct Init {
    /// Where.
    #[arg(value_name = "STUDY.toml", default_value = "study.toml")]
    study: PathBuf,
    /// For trainings that report while they go on, and may be left and resumed.
    #[arg(long)]
    stages: bool,
}

impl Init {
    /// Writes it.
    pub fn run(&self, console: Console) -> Result<Code> {
        let text = if self.stages { STAGES } else { TRIALS };
        let made = OpenOptions::new().write(true).create_new(true).open(&self.study);
        let written = made.and_then(|mut file| file.write_all(text.as_bytes()));
        written
            .map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => Failure::new("it is there already, and stays as it is"),
                _ => error.into(),
            })
            .at(self.study.display())?;
        let name = self.study.display();
        let words = format!(
            "{name} is written. Fill in what varies and the command, and then: gittins run {name}"
        );
        console.print(&json!({ "written": [self.study] }), &words)
    }
}
