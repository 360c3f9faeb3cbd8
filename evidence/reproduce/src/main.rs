//! The papers' experiments, and their published numbers beside ours.
//!
//! ```text
//! cargo run --release -p reproduce -- list [--races]
//! cargo run --release -p reproduce -- run fig4-d8-uniform fig2
//! cargo run --release -p reproduce -- run synthetic-d4/ackley-d-4-uniform-cost --method pbgi --seeds 4..8
//! cargo run --release -p reproduce -- report DIR
//! ```
//!
//! Options of `run`: `--seeds N`, `--seeds A..B`, `--seed S`, `--method NAME`, `--out DIR`,
//! `--threads T`, `--backend cpu|gpu|auto`, `--quick`, `--data DIR`.
//!
//! Seeds run side by side. Each result is written as soon as it is there. An interrupted run
//! resumes when it is started again, however it was interrupted, and ends with the same numbers.
//! What several experiments share is run once. Each experiment leaves its numbers (CSV), its
//! pictures (SVG), and `summary.json`: our numbers, the published ones, and whether they agree.
//! `report` makes one page of all experiments, with the reason for a difference if `explained.csv`
//! knows it.
//!
//! A single race or method leaves its numbers in a folder of its own, `NAME-part`. Its results are
//! kept with the others, so that the whole experiment does not run them again.

mod budgeted;
mod bump;
mod catalog;
mod comparison;
mod contest;
mod estimation;
mod experiment;
mod four_points;
mod explained;
mod figure;
mod optimization;
mod output;
mod published;
mod report;
mod runner;
mod stopping;
mod slug;
mod store;
mod subsets;

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, Subcommand};
use gittins::BackendOptions;
use gittins::backend::Choice;
use serde_json::json;

use experiment::{Experiment, Part, Size};
use frontend::{Console, Result};
use slug::slug;
use store::Store;

/// Regenerates the figures of the papers.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The experiments there are.
    List {
        /// Also the races of each experiment and their methods, which can be run alone.
        #[arg(long)]
        races: bool,
        /// Print one JSON object and nothing else.
        #[arg(long)]
        json: bool,
    },
    /// Runs experiments, and says how their numbers compare with the published ones.
    Run {
        /// Names, as `list` has them, or `all`; NAME/RACE for one race.
        #[arg(required = true)]
        names: Vec<String>,
        /// How many seeds, counted up from 0, or a range A..B, without B; each experiment's own
        /// number unless set.
        #[arg(long, value_parser = seeds)]
        seeds: Option<Range<u64>>,
        /// This seed alone.
        #[arg(long, conflicts_with = "seeds")]
        seed: Option<u64>,
        /// One method alone, as `list --races` has it.
        #[arg(long)]
        method: Option<String>,
        /// Where results go, and where those of earlier runs are.
        #[arg(long, default_value = "target/reproduce")]
        out: PathBuf,
        /// How many threads; all there are unless set.
        #[arg(long)]
        threads: Option<usize>,
        /// Two seeds and a tenth of the budget, to see everything work.
        #[arg(long)]
        quick: bool,
        /// The folder with published data that some experiments read; without it `all` leaves them
        /// out.
        #[arg(long)]
        data: Option<PathBuf>,
        /// Who evaluates batches: cpu, gpu or auto. On the CPU numbers repeat to the bit.
        #[arg(long, default_value = "cpu")]
        backend: Choice,
        #[command(flatten)]
        console: Console,
    },
    /// Makes one page of the experiments in a folder.
    Report {
        /// The folder that `run` was given.
        folder: PathBuf,
        /// Of runs with `--quick`.
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        console: Console,
    },
}

fn main() -> Result<()> {
    match Args::parse().command {
        Command::List { races, json } => list(races, json),
        Command::Run {
            names,
            seeds,
            seed,
            method,
            out,
            threads,
            quick,
            data,
            backend,
            console,
        } => {
            if let Some(threads) = threads {
                rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
            }
            let backend = BackendOptions { choice: backend, ..BackendOptions::from_env()? }.open();
            let seeds = seed.map(|seed| seed..seed + 1).or(seeds);
            let part = Part { race: None, method: method.as_deref().map(slug) };
            let size = Size { seeds, quick, backend, data: data.map(Arc::from), part };
            run(&names, &size, &out, &console)
        }
        Command::Report { folder, quick, console } => {
            report::write(&catalog::all(), &folder, quick, &console)
        }
    }
}

/// `N`, the seeds from 0 on, or `A..B`.
fn seeds(text: &str) -> std::result::Result<Range<u64>, String> {
    let number = |text: &str| text.parse().map_err(|error| format!("{text:?}: {error}"));
    let range = match text.split_once("..") {
        None => 0..number(text)?,
        Some((first, end)) => number(first)?..number(end)?,
    };
    if range.is_empty() { Err(format!("no seed is in {range:?}")) } else { Ok(range) }
}

fn list(races: bool, json: bool) -> Result<()> {
    let all = catalog::all();
    if json {
        let row = |e: &dyn Experiment| {
            let mut row = json!({ "name": e.name(), "title": e.title(), "seeds": e.seeds() });
            if races {
                row["races"] = json!(e.races());
            }
            row
        };
        let rows: Vec<_> = all.iter().map(|experiment| row(&**experiment)).collect();
        println!("{}", json!({ "experiments": rows }));
        return Ok(());
    }
    for experiment in all {
        println!(
            "{:<18} {:>3} seeds  {}",
            experiment.name(),
            experiment.seeds(),
            experiment.title()
        );
        for entries in experiment.races().iter().filter(|_| races) {
            println!("  {}: {}", entries.race, entries.methods.join(", "));
        }
    }
    Ok(())
}

fn run(names: &[String], size: &Size, out: &Path, console: &Console) -> Result<()> {
    let all = catalog::all();
    let mut chosen: Vec<(&dyn Experiment, Size)> = Vec::new();
    for name in names {
        let (name, race) = match name.split_once('/') {
            Some((name, race)) => (name, Some(slug(race))),
            None => (name.as_str(), None),
        };
        let size = Size { part: Part { race, ..size.part.clone() }, ..size.clone() };
        let can_be_run =
            |experiment: &dyn Experiment| size.data.is_some() || !experiment.reads_data();
        let found = all.iter().filter(|experiment| {
            name == "all" && can_be_run(&***experiment) || experiment.name() == name
        });
        let before = chosen.len();
        chosen.extend(found.map(|experiment| (&**experiment, size.clone())));
        if chosen.len() == before {
            return Err(io::Error::other(format!(
                "there is no experiment {name:?}; `reproduce list` says which there are"
            ))
            .into());
        }
    }
    let experiments = parts(&chosen)?;
    let experiments: Vec<(&dyn Experiment, &Size)> =
        experiments.iter().map(|(experiment, size)| (experiment.get(), *size)).collect();
    let store = Store::write(out)?;
    let progress = runner::run(&experiments, &store, console)?;
    let mut summaries = Vec::new();
    for (experiment, size) in experiments {
        let digest = experiment.digest(size, &store)?;
        summaries.push(output::write(experiment, &digest, size, out)?);
    }
    output::print(&summaries, out, console, progress);
    Ok(())
}

/// An experiment of the catalog, or a part of it.
enum Chosen<'a> {
    Whole(&'a dyn Experiment),
    Part(Box<dyn Experiment>),
}

impl Chosen<'_> {
    fn get(&self) -> &dyn Experiment {
        match self {
            Self::Whole(experiment) => *experiment,
            Self::Part(experiment) => &**experiment,
        }
    }
}

/// The parts of the experiments that were chosen, without those that have no such part.
///
/// # Errors
/// If no experiment has such a part.
fn parts<'a>(chosen: &'a [(&'a dyn Experiment, Size)]) -> Result<Vec<(Chosen<'a>, &'a Size)>> {
    let mut parts = Vec::new();
    for (experiment, size) in chosen {
        if size.part.is_whole() {
            parts.push((Chosen::Whole(*experiment), size));
        } else if let Some(part) = experiment.part(&size.part) {
            parts.push((Chosen::Part(part), size));
        }
    }
    if parts.is_empty() {
        let told = "there is no such race or method; `reproduce list --races` says which there are";
        return Err(io::Error::other(told).into());
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use gittins::Cpu;

    use super::*;

    fn size(part: &Part) -> Size {
        Size { seeds: None, quick: true, backend: Arc::new(Cpu), data: None, part: part.clone() }
    }

    /// Every race and every method that `list --races` names is a part of its experiment, whose
    /// tasks are tasks of the whole.
    #[test]
    fn parts_are_parts_of_the_whole() {
        let arms = |experiment: &dyn Experiment, size: &Size| -> Vec<String> {
            experiment.tasks(size).into_iter().map(|task| task.arm).collect()
        };
        for experiment in catalog::all().iter().filter(|experiment| !experiment.reads_data()) {
            let whole = arms(&**experiment, &size(&Part::default()));
            for entries in experiment.races() {
                for method in entries.methods.into_iter().map(Some).chain([None]) {
                    let part = Part { race: Some(entries.race.clone()), method };
                    let alone = experiment.part(&part).unwrap();
                    let arms = arms(&*alone, &size(&part));
                    assert!(!arms.is_empty() && arms.iter().all(|arm| whole.contains(arm)));
                }
            }
            let none = Part { method: Some("nobody".to_owned()), ..Part::default() };
            assert!(experiment.part(&none).is_none());
        }
    }

    #[test]
    fn seeds_are_a_number_or_a_range() {
        assert_eq!(seeds("3"), Ok(0..3));
        assert_eq!(seeds("3..5"), Ok(3..5));
        assert!(seeds("0").is_err() && seeds("5..5").is_err() && seeds("a..b").is_err());
    }
}
