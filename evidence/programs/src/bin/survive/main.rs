//! Kills the processes of studies that live in files, at random moments, and looks for what was
//! lost.

mod check;
mod mutate;
mod staged;
mod worker;

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Parser;
use frontend::{Console, Result};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::json;

use check::{Tally, check};

/// Kills the processes of studies that live in files (kill -9), at random moments, and leaves parts
/// of lines, blanks and zeros behind, as a machine does that loses power. After each run it checks that nothing is
/// lost that was told, that no point was given to two processes, and, with one process, that the run
/// has the points and the verdict of one that was never killed.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    console: Console,
    /// How often a process is killed, in all.
    #[arg(long, default_value_t = 1000)]
    kills: usize,
    /// Processes that work on one file at once.
    #[arg(long, default_value_t = 1)]
    processes: usize,
    /// Whether the studies are of runs in stages.
    #[arg(long)]
    stages: bool,
    /// Trials of each run; with `--stages` reports of each study.
    #[arg(long, default_value_t = 40)]
    trials: usize,
    /// The longest life of a process, in milliseconds; lives are uniform up to it.
    #[arg(long, default_value_t = 60)]
    life: u64,
    /// The seed of the moments, and of the studies.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Kills nobody, but opens so many files that were changed at random. Each is read or refused; a
    /// panic ends the program. Each fourth has got blanks or zeros alone, and goes on with all that
    /// was told.
    #[arg(long)]
    mutations: Option<usize>,
    /// Works on this file, as one of the processes; the program calls itself so.
    #[arg(long, hide = true)]
    file: Option<PathBuf>,
    /// The number of this process.
    #[arg(long, hide = true, default_value_t = 0)]
    slot: usize,
}

/// A process, and the thread that takes down what it says that it told.
struct Worker {
    child: Child,
    reader: JoinHandle<Vec<String>>,
}

impl Worker {
    fn start(args: &Args, file: &Path, slot: usize, seed: u64) -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--file")
            .arg(file)
            .args(["--slot", &slot.to_string(), "--seed", &seed.to_string()])
            .args(["--trials", &args.trials.to_string()])
            .args(["--processes", &args.processes.to_string()])
            .args(args.stages.then_some("--stages"))
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().expect("it is piped");
        let lines = || BufReader::new(output).lines().map_while(std::io::Result::ok).collect();
        Ok(Self { child, reader: thread::spawn(lines) })
    }

    /// What it told, once it has ended.
    fn told(mut self) -> Result<(bool, Vec<String>)> {
        let ended = self.child.wait()?;
        Ok((ended.success(), self.reader.join().unwrap_or_default()))
    }
}

/// A part of a line, as a write that was cut short leaves it, blanks, or zeros.
fn tear(file: &Path, generator: &mut Pcg64) -> Result<()> {
    let text = std::fs::read_to_string(file)?;
    let lines: Vec<&str> = text.lines().filter(|line| line.len() > 2 && line.is_ascii()).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let line = lines[generator.random_range(0..lines.len())].trim_start();
    let part = &line[..generator.random_range(1..line.len().max(2))];
    let zeros = "\0".repeat(generator.random_range(1..600));
    // Blanks behind a part of a line would be the end of a line that nobody wrote.
    let is_whole = text.ends_with('\n');
    let left = match generator.random_range(0..4) {
        1 if is_whole => "\n \n".to_owned(),
        0 | 1 => zeros,
        2 => format!("{part}{zeros}"),
        _ => part.to_owned(),
    };
    OpenOptions::new().append(true).open(file)?.write_all(left.as_bytes())?;
    Ok(())
}

/// One run, until its trials are told. Returns what the processes said, and how often one was
/// killed.
fn run(
    args: &Args,
    file: &Path,
    seed: u64,
    left: usize,
    generator: &mut Pcg64,
) -> Result<(Vec<String>, usize)> {
    let (mut said, mut kills) = (Vec::new(), 0);
    let mut workers: Vec<Option<Worker>> = (0..args.processes).map(|_| None).collect();
    loop {
        for (slot, worker) in workers.iter_mut().enumerate() {
            if worker.is_none() {
                *worker = Some(Worker::start(args, file, slot, seed)?);
            }
        }
        if kills == left {
            // The rest in peace.
            for worker in workers.into_iter().flatten() {
                said.extend(worker.told()?.1);
            }
            return Ok((said, kills));
        }
        let life = generator.random_range(0..=1000 * args.life) / args.processes as u64;
        thread::sleep(Duration::from_micros(life));
        let slot = generator.random_range(0..args.processes);
        if let Some(mut worker) = workers[slot].take() {
            let ended = worker.child.try_wait()?;
            if ended.is_none() {
                worker.child.kill()?;
                kills += 1;
            }
            let (success, told) = worker.told()?;
            said.extend(told);
            if ended.is_some() && success {
                for worker in workers.into_iter().flatten() {
                    said.extend(worker.told()?.1);
                }
                return Ok((said, kills));
            }
            if ended.is_some() {
                return Err(std::io::Error::other("a process failed by itself").into());
            }
            if file.exists() && generator.random_range(0..4) == 0 {
                tear(file, generator)?;
            }
        }
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(file) = &args.file {
        if args.stages {
            return staged::work(file, args.processes, args.trials, args.seed);
        }
        return worker::work(file, args.slot, args.processes, args.trials, args.seed);
    }
    let folder = std::env::temp_dir().join(format!("gittins-survive-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    if let Some(count) = args.mutations {
        let progress = args.console.progress(format!("{count} changed files"), count as u64);
        let read = mutate::read(&folder, (count, args.seed, args.stages), || progress.advance(1))?;
        std::fs::remove_dir_all(&folder)?;
        let json = json!({"files": count, "read": read.whole, "refused": read.refused});
        let text = format!("{count} changed files: {} read, {} refused", read.whole, read.refused);
        args.console.result(progress, &json, text);
        return Ok(());
    }
    let mut generator = Pcg64::seed_from_u64(args.seed);
    let title = format!("{} kills of {} at a time", args.kills, args.processes);
    let progress = args.console.progress(title, args.kills as u64);
    let mut tally = Tally::default();
    while tally.kills < args.kills {
        let seed = args.seed + tally.runs as u64;
        let file = folder.join(format!("run-{}.log", tally.runs));
        let left = args.kills - tally.kills;
        let (said, kills) = run(&args, &file, seed, left, &mut generator)?;
        tally.kills += kills;
        tally.runs += 1;
        let check = if args.stages { staged::check } else { check };
        check(&file, &said, (args.trials, args.processes, seed), &mut tally)?;
        progress.advance(kills as u64);
        std::fs::remove_file(&file)?;
    }
    std::fs::remove_dir_all(&folder)?;
    let Tally { runs, kills, told, mended, .. } = tally;
    let json = json!({"runs": runs, "kills": kills, "told": told, "cut_lines": mended,
        "processes": args.processes});
    let same = if args.processes == 1 { ", each with the points of one without kills" } else { "" };
    let (of, what) =
        if args.stages { ("studies in stages", "reports") } else { ("runs", "outcomes") };
    let text = format!(
        "{kills} kills in {runs} {of}{same}: {told} {what} told, none lost; no point twice; {mended} lines mended"
    );
    args.console.result(progress, &json, text);
    Ok(())
}
