//! The command `gittins`: tunes any command, and stops when another trial is not worth its price.

#[cfg(not(unix))]
compile_error!("the command needs process groups and signals as Unix has them");

mod command;
mod console;
mod ending;
mod failure;
mod file;
mod finder;
mod journal;
mod nearest;
mod process;
mod run;
mod show;
mod tally;
mod template;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use console::Console;

/// Tunes any command, and stops when another trial is not worth its price.
#[derive(Parser)]
#[command(name = "gittins", version, max_term_width = 100)]
struct Args {
    /// Print one JSON object and nothing else.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make trials until another one is not worth its price.
    Run(run::Run),
}

/// The exit code of an error, also of a command line that cannot be read.
const ERROR: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    let console = Console { json: args.json };
    let done = match args.action {
        Action::Run(options) => run::run(options, console),
    };
    done.unwrap_or_else(|failure| {
        console.error(&failure);
        ExitCode::from(ERROR)
    })
}
