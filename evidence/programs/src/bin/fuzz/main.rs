//! Whole studies by chance: random sequences of every public call on random spaces, costs,
//! policies, models and rules. They are compared with a simple log, with invariants of any study,
//! and with twins that differ in something that must not matter.
//!
//! ```text
//! cargo run --profile fuzz --bin fuzz -- --operations 1000000
//! cargo run --profile fuzz --bin fuzz -- --study 1234567890
//! cargo run --profile fuzz --bin fuzz -- --replay transcript.json
//! ```
//!
//! Each study is drawn from a seed of its own. If something does not hold, the program prints the
//! study, its seed and a short sequence of calls that leads there, and ends with status 1.
//! `--study` shows the same again, and `--replay` what was shown, from a file.

mod calls;
mod dice;
mod invariants;
mod oracles;
mod play;
mod run;
mod said;
mod shrink;
mod spoiled;
mod tally;
mod trial_log;
mod twin;
mod view;
mod world;

use std::io;
use std::num::NonZero;
use std::panic;
use std::path::PathBuf;
use std::thread;

use clap::Parser;
use serde_json::json;

use frontend::{Console, Result};
use run::{Case, Ended, Failure};
use tally::Tally;

/// Looks for wrong behavior of whole studies.
#[derive(Parser)]
struct Args {
    /// How many operations the studies have together, twins not counted.
    #[arg(long, default_value_t = 20_000)]
    operations: usize,
    /// One seed fixes every study.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Threads; each study runs on one. As many as there are cores unless set.
    #[arg(long)]
    threads: Option<usize>,
    /// Runs this study alone, by the seed that a failure gave.
    #[arg(long)]
    study: Option<u64>,
    /// Plays the settings and calls that a failure gave, from a file.
    #[arg(long)]
    replay: Option<PathBuf>,
    /// Goes on after a failure.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    console: Console,
}

fn main() -> Result<()> {
    let Args { operations, seed, threads, study, replay, all, console } = Args::parse();
    gittins_papers::register();
    let threads =
        threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    quiet_panics();
    if study.is_some() || replay.is_some() {
        let progress = console.progress("one study", 1);
        let mut tally = Tally::default();
        let failed = match (&replay, study) {
            (Some(path), _) => Case::read(path)?.again(&mut tally).err(),
            (None, seed) => run::study(seed.unwrap_or_default(), &mut tally).err(),
        };
        console.result(progress, &tally.json(), tally.text());
        return end(failed.as_slice());
    }
    let progress = console.progress(
        format_args!("{operations} operations from seed {seed} on {threads} threads"),
        operations as u64,
    );
    let done = |operations: usize, failed: Option<&Failure>| match failed {
        Some(Failure { seed, broken, .. }) => {
            progress.step(format_args!("study {seed}: {}", broken.invariant));
        }
        None => progress.advance(operations as u64),
    };
    let Ended { tally, failures, slowest, seconds } =
        run::run(seed, operations, threads, all, done);
    let mut json = tally.json();
    json["seconds"] = json!(seconds);
    json["failures"] = json!(failures.iter().map(told).collect::<Vec<_>>());
    let slow = format!("the slowest study, {}, took {:.1} s", slowest.seed, slowest.seconds);
    console.result(progress, &json, format_args!("{}{seconds:.1} s; {slow}", tally.text()));
    end(&failures)
}

/// Reports failures as an error.
fn end(failures: &[Failure]) -> Result<()> {
    match failures {
        [] => Ok(()),
        failures => {
            Err(io::Error::other(failures.iter().map(told).collect::<Vec<_>>().join("\n")).into())
        }
    }
}

fn told(failure: &Failure) -> String {
    let Failure { seed, broken, story } = failure;
    format!(
        "study {seed}: \"{}\" does not hold at call {}\n  {}\n{story}",
        broken.invariant, broken.call, broken.detail
    )
}

/// A panic within a call is caught and reported with its calls; its place is kept for that. Any
/// other panic is reported as usual.
fn quiet_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !play::ATTEMPTING.get() {
            return usual(info);
        }
        let place = info
            .location()
            .map(|place| format!("at {}:{}", place.file(), place.line()))
            .unwrap_or_default();
        play::PANICKED.set(place);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some seconds of work.
    const OPERATIONS: usize = 12_000;

    /// The long run's first studies.
    #[test]
    fn random_studies_do_what_they_say() {
        quiet_panics();
        let ended = run::run(7, OPERATIONS, 2, false, |_, _| {});
        assert!(
            ended.failures.is_empty(),
            "{}",
            ended.failures.iter().map(told).collect::<String>()
        );
        assert!(ended.tally.operations() > OPERATIONS / 2 && ended.tally.shadowed > 0);
        let names = "Announce,Ask,AskTogether,Correct,Forecast,Import,Record,Report,Resume,\
                     Tell UnderWay,TellCost,Verdict,Withdraw";
        for name in names.split(',') {
            assert!(ended.tally.count(name) > 0, "no {name}");
        }
    }
}
