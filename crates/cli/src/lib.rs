//! The command `gittins`: tunes any command, and stops when another trial is not worth its price.

mod actions;
mod file;
mod findings;
mod opened;
mod process;
mod program;
mod run;
mod sheet;
mod stages;
mod words;

use std::ffi::OsString;

use actions::Question;
use clap::{CommandFactory, Parser, Subcommand};
use gittins::backend::Choice;
use gittins::internals::usual_backend;
use words::code::{Code, DONE, ERROR};
use words::console::{self, Console};

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
    Init(actions::Init),
    /// Make trials until another one is not worth its price.
    Run(run::Run),
    Ask(actions::Ask),
    Tell(actions::Tell),
    Fail(actions::Fail),
    Withdraw(actions::Withdraw),
    /// Say whether another trial is worth its price: exit code 0 to stop, 1 to go on, 2 for an
    /// error.
    ShouldStop(actions::Look),
    /// Print the best trial and the recommended one, or the front of several objectives.
    Best(actions::Look),
    /// Print how a study stands.
    Status(actions::Look),
    Show(actions::Show),
    Import(actions::Import),
    Export(actions::Export),
    Plot(actions::Plot),
    Doctor(actions::Doctor),
    Completions(actions::Completions),
    Man(actions::Man),
    /// Print the JSON schema of study.toml, for editors.
    Schema,
}

/// Does what a command line says, whose first word is the name of the command, and returns the exit
/// code. It prints to the standard output and error, and heeds signals while a study runs: it is to
/// have the process for itself.
pub fn run(words: impl IntoIterator<Item = OsString>) -> Code {
    usual_backend(Choice::Cpu);
    gittins_papers::register();
    let words: Vec<OsString> = words.into_iter().collect();
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(error) => return usage(&error, &words),
    };
    let console = Console { json: args.json };
    let done = match args.action {
        Action::Init(init) => init.run(console),
        Action::Run(options) => run::run(options, console),
        Action::Ask(ask) => ask.run(console),
        Action::Tell(tell) => tell.run(console),
        Action::Fail(fail) => fail.run(console),
        Action::Withdraw(withdraw) => withdraw.run(console),
        Action::ShouldStop(look) => look.run(Question::ShouldStop, console),
        Action::Best(look) => look.run(Question::Best, console),
        Action::Status(look) => look.run(Question::Status, console),
        Action::Show(show) => show.run(console),
        Action::Import(import) => import.run(console),
        Action::Export(export) => export.run(console),
        Action::Plot(plot) => plot.run(console),
        Action::Doctor(doctor) => doctor.run(console),
        Action::Completions(completions) => completions.run(Args::command()),
        Action::Man(man) => man.run(Args::command()),
        Action::Schema => console::put(&format!("{:#}", file::schema::schema())).map(|()| DONE),
    };
    done.unwrap_or_else(|failure| {
        console.error(&failure);
        ERROR
    })
}

/// Prints what is wrong with a command line, or the help that it asks for.
fn usage(error: &clap::Error, words: &[OsString]) -> Code {
    let json = words.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    if json && error.use_stderr() {
        // What is wrong comes before the first blank line, and what to do after it.
        let text = error.to_string();
        let words = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = words.split_whitespace().collect();
        Console { json }.error(&words::failure::Failure::new(words.join(" ")));
    } else if error.print().is_err() {
        return ERROR;
    }
    if error.use_stderr() { ERROR } else { DONE }
}
