//! `gittins ask`: the next point to evaluate, for a loop of your own.

use std::path::PathBuf;
use std::process::ExitCode;

use gittins::Value;
use serde_json::json;

use crate::command::variable;
use crate::console::Console;
use crate::failure::Result;
use crate::opened::Opened;
use crate::show;

/// Ask for the next trial. Tell its outcome by its number.
#[derive(Debug, clap::Args)]
pub struct Ask {
    /// A study.toml or a journal.
    file: PathBuf,
    /// Print assignments for a shell: eval "$(gittins ask study.toml --env)".
    #[arg(long, conflicts_with = "json")]
    env: bool,
}

impl Ask {
    /// Asks.
    pub fn run(&self, console: Console) -> Result<ExitCode> {
        let mut opened = Opened::or_new(&self.file)?;
        let ask = opened.journal.ask()?;
        let number = show::number_of(&opened.journal, ask.id());
        let json = json!({
            "trial": number, "values": show::values_json(ask.named()), "why": ask.why().to_string(),
        });
        let there = ask.named().filter(|(_, value)| **value != Value::Absent);
        let text: Vec<String> = match self.env {
            true => {
                let gone = ask.named().filter(|(_, value)| **value == Value::Absent);
                let gone = gone.map(|(name, _)| format!("unset {}", variable(name)));
                [format!("export GITTINS_TRIAL={number}")]
                    .into_iter()
                    .chain(gone)
                    .chain(there.map(|(name, value)| {
                        format!("export {}={}", variable(name), quoted(&value.to_string()))
                    }))
                    .collect()
            }
            false => [format!("trial {number}")]
                .into_iter()
                .chain(there.map(|(name, value)| format!("{name} = {value}")))
                .chain([format!("why: {}", ask.why())])
                .collect(),
        };
        console.print(&json, &text.join("\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A text that a shell reads as itself.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
