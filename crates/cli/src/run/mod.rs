//! `gittins run`: makes trials until another one is not worth its price.

pub mod lock;
mod pace;
mod report;
pub mod screen;
pub mod shared;
mod signals;
pub mod state;
mod task;
pub mod told;
mod whole;
pub mod witness;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use crate::file::{Commands, StagesFile, StudyFile};
use crate::process::Groups;
use crate::program::command::Command;
use crate::stages::{self, Runs};
use crate::words::code::Code;
use crate::words::console::Console;
use crate::words::failure::{At, Failure, Result};
use crate::words::number;
use gittins::journal::Journal;
use screen::Screen;
use shared::Shared;
use state::State;

/// Runs a study.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The study.
    #[arg(value_name = "STUDY.toml")]
    study: PathBuf,
    /// How many trials run at once; what the file says unless set, and without that 1.
    #[arg(long, short, value_parser = number::count)]
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
    let program = Program::of(&file, &arguments).at(place)?;
    let mut screen = Screen::new(console.json, file.unit.clone());
    if let Some(words) = lock::words(&file.journal) {
        screen.say(&words);
    }
    let mut journal = file.open_for(program.is_resumable())?;
    let lost = program.settle(&mut journal)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let groups = Groups::default();
    signals::watch(interrupted.clone(), groups.clone())?;
    report::begin(&mut screen, &file, &journal, &lost);

    let workers = file.workers;
    let shared = Shared::new(file, State::new(journal, screen), groups, interrupted);
    thread::scope(|scope| {
        for worker in 0..workers {
            let (shared, program) = (&shared, &program);
            scope.spawn(move || program.work(shared, worker));
        }
    });
    let file = shared.file.clone();
    let (mut state, ended) = shared.into_state();
    state.screen.finish();
    let ending = ended?;
    report::end(&mut state, &file, &ending, console)
}

/// What a run makes trials with.
enum Program {
    /// The command of a whole trial.
    Whole(Command),
    /// Those of a trial in stages, with what the file says of these.
    InStages(Box<StagesFile>, Commands),
}

impl Program {
    /// What a command is to a study.
    fn of(file: &StudyFile, arguments: &[String]) -> Result<Self> {
        Ok(match &file.stages {
            Some(stages) => {
                Self::InStages(Box::new(stages.clone()), stages.commands(file, arguments)?)
            }
            None => Self::Whole(Command::new(arguments, file.searched(), file.reading)?),
        })
    }

    /// Whether a trial that was left can be resumed.
    fn is_resumable(&self) -> bool {
        matches!(self, Self::InStages(_, commands) if commands.resumable)
    }

    /// Settles what runs of this machine left that are gone. Returns lines that say it.
    fn settle(&self, journal: &mut Journal) -> Result<Vec<String>> {
        match self {
            Self::Whole(_) => witness::give_up_lost(journal),
            Self::InStages(stages, _) => stages::settle_all(journal, stages),
        }
    }

    /// Works as one of several until the run ends.
    fn work(&self, shared: &Shared, worker: usize) {
        match self {
            Self::Whole(command) => whole::work(shared, command, worker),
            Self::InStages(stages, commands) => {
                stages::work(&Runs::new(shared, stages, commands), worker);
            }
        }
    }
}
