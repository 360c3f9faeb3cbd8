//! `gittins run`: makes trials until another one is not worth its price.

mod pace;
mod progress;
mod report;
pub mod signals;
mod state;
pub mod told;
pub mod witness;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use crate::code::Code;
use crate::command::Command;
use crate::console::Console;
use crate::desk;
use crate::failure::{At, Failure, Result};
use crate::file::StudyFile;
use crate::lock;
use crate::process::{End, Groups, Patience, Running};
use crate::stages;
use progress::Progress;
use state::{Shared, Task};
use told::Files;

/// Runs a study.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The study.
    #[arg(value_name = "STUDY.toml")]
    study: PathBuf,
    /// How many trials run at once; what the file says unless set, and without that 1.
    #[arg(long, short, value_parser = clap::value_parser!(u16).range(1..))]
    workers: Option<u16>,
    /// Run the command, which is one argument, by a shell. Values are quoted.
    #[arg(long)]
    shell: bool,
    /// The command of a trial, with {placeholders}; that of the file unless set.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Makes trials until the study ends.
pub fn run(options: Run, console: Console) -> Result<Code> {
    let mut file = StudyFile::read(&options.study)?;
    if let Some(workers) = options.workers {
        file.set_workers(workers.into())?;
    }
    if options.shell {
        file.reading.shell = true;
    }
    let (arguments, place) = match (options.command, file.command.clone()) {
        (given, _) if !given.is_empty() => (given, "after --".to_owned()),
        (_, Some(known)) => (known, format!("{}, command", options.study.display())),
        _ => {
            return Err(Failure::new(format!(
                "there is no command: add the key command to {}, or write it after --",
                options.study.display()
            )));
        }
    };
    if !file.ends() {
        return Err(Failure::new(format!(
            "{}: nothing would ever end this run; set price, budget, or a limit under [stop]",
            options.study.display()
        )));
    }
    if let Some(stages) = file.stages.clone() {
        return stages::run(file, stages, (&arguments, &place), console);
    }
    let command = Command::new(&arguments, &file.space, file.reading).at(place)?;
    let progress = Progress::new(console.json, file.unit.clone());
    if let Some(words) = lock::words(&file.journal) {
        progress.say(&words);
    }
    let mut journal = file.open()?;
    let lost = witness::give_up_lost(&mut journal)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let groups = Groups::default();
    signals::watch(interrupted.clone(), groups.clone())?;
    report::begin(&progress, &file, &journal, &lost);

    let workers = file.workers;
    let shared = Shared::new(file, journal, progress, groups, interrupted);
    thread::scope(|scope| {
        for worker in 0..workers {
            let (shared, command) = (&shared, &command);
            scope.spawn(move || {
                while let Some(task) = shared.next() {
                    make(shared, command, &task, worker);
                }
            });
        }
    });
    let (file, over) = (shared.file.clone(), shared.is_over());
    let mut state = shared.into_state();
    state.progress.finish();
    let ending = desk::ending(state.ended, over)?;
    report::end(&mut state.journal, &file, (&ending, &state.pace), console)?;
    Ok(ending.exit_code())
}

/// Makes one trial.
fn make(shared: &Shared, command: &Command, task: &Task, worker: usize) {
    let file = &shared.file;
    let value = |name: &str| {
        task.ask
            .named()
            .find(|(known, _)| *known == name)
            .map_or(gittins::Value::Absent, |(_, value)| value.clone())
    };
    let files = Files::before(file, task.number, &value);
    let mut process =
        command.process((task.number, worker), task.ask.values(), file.directory.as_deref());
    let captures = [told::capture(file), Default::default()];
    let running = match Running::start(&mut process, captures, &shared.groups) {
        Ok(running) => running,
        Err(error) => {
            let program = process.get_program().to_string_lossy().into_owned();
            let error = Failure::from(error).at(format_args!("cannot start {program:?}"));
            return shared.withdraw(task, Some(error));
        }
    };
    shared.started(task, running.id());
    let patience = Patience { limit: file.time_limit, grace: file.grace };
    match running.wait(patience, || shared.is_over()) {
        Ok(finished) if finished.end == End::Asked => shared.withdraw(task, None),
        Ok(mut finished) => {
            let told = told::told(file, &files, &mut finished);
            shared.tell(task, &told, &finished);
        }
        Err(error) => shared.withdraw(task, Some(error.into())),
    }
}
