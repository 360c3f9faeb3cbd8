//! Processes of runners that were killed: they are ended, and what they printed is told.

use std::fs;
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use gittins::journal::Journal;
use gittins::study::TrialState;
use gittins::{Outcome, TrialId};

use super::bill::Meter;
use super::course::{Course, Due, Heard};
use super::ends;
use super::folder::{Folder, Folders, Process};
use super::follower::Follower;
use super::line::Said;
use crate::file::StagesFile;
use crate::process::kill;
use crate::process::owner;
use crate::program::command::variable;
use crate::words::failure::{Failure, Result};
use crate::words::show::number_of;

/// How long a process that was killed may take to be gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether it is gone.
const PACE: Duration = Duration::from_millis(20);

/// Why no more lines are told.
enum Stop {
    /// The run takes none any more.
    Over,
    /// It cannot go on.
    Broken(String),
    /// The journal or a file is out of reach.
    Error(Failure),
}

/// Settles all that runners of this machine left that are gone. Returns a line for each trial.
///
/// # Errors
/// Those of the journal and of the files; a process that cannot be ended; a folder of a trial of
/// another study, whose checkpoint would be taken for a trial that begins.
pub fn settle_all(journal: &mut Journal, stages: &StagesFile) -> Result<Vec<String>> {
    let folders = &Folders::of(journal);
    let claim = folders.claim()?;
    journal.sync()?;
    let mut settled = Vec::new();
    for trial in folders.numbers() {
        if journal.left_out().contains_key(&trial) {
            // Its row is gone, as the next ask says.
            continue;
        }
        let Some(run) = journal.trial(trial) else {
            return Err(Failure::new(format!(
                "{} is of a trial that {} does not have: delete the folders of an earlier study, or move them away",
                folders.trial(trial).path().display(),
                journal.path().display()
            )));
        };
        for process in folders.trial(trial).processes() {
            if process.is_lost() {
                let reports = settle(journal, stages, process, run)?;
                let told = match reports {
                    0 => String::new(),
                    1 => "; its last report is told".to_owned(),
                    count => format!("; its last {count} reports are told"),
                };
                settled.push(format!("{trial:>5}  was left by a run that is gone{told}"));
            }
        }
    }
    if claim.is_broken()? {
        // A runner was killed between a question and its note: nobody works on what it was given.
        for run in orphaned(journal, folders) {
            journal.withdraw(run)?;
        }
        claim.end()?;
    }
    Ok(settled)
}

/// The pending runs on which no process works.
fn orphaned(journal: &Journal, folders: &Folders) -> Vec<TrialId> {
    let is_idle = |run: TrialId| {
        let number = number_of(journal, run);
        folders.trial(number).processes().last().is_none_or(Process::has_ended)
    };
    let runs = journal.study().history().iter();
    runs.filter(|run| run.state == TrialState::Pending && is_idle(run.id))
        .map(|run| run.id)
        .collect()
}

/// Ends a process whose runner is gone, tells what it printed, and takes its run back. Returns how
/// many reports were told.
///
/// # Errors
/// Those of the journal and of the files; a process that cannot be ended.
pub fn settle(
    journal: &mut Journal,
    stages: &StagesFile,
    mut process: Process,
    run: TrialId,
) -> Result<usize> {
    end(&process)?;
    let rest = match process.from() {
        Some(from) => tell_rest(journal, stages, &mut process, run, from)?,
        None => Rest { owed: process.folder().owed(), ..Rest::default() },
    };
    let state = journal.study().history()[run.index()].state;
    if process.is_last() && state == TrialState::Pending {
        match &rest.why {
            Some(_) => journal.tell(run, Outcome::failed().cost(rest.owed))?,
            None => journal.withdraw(run)?,
        }
    }
    let owed = if rest.why.is_some() { 0.0 } else { rest.owed };
    process.ends(rest.seconds, owed, rest.why.as_deref());
    process.write()?;
    Ok(rest.reports)
}

/// What was left of a process.
#[derive(Debug, Default)]
struct Rest {
    /// How many reports were told.
    reports: usize,
    /// How long it ran.
    seconds: f64,
    /// What it cost since the last of them.
    owed: f64,
    /// Why its run cannot go on, if it cannot.
    why: Option<String>,
}

/// Tells what a process printed from a byte of the output on, and nobody told.
fn tell_rest(
    journal: &mut Journal,
    stages: &StagesFile,
    process: &mut Process,
    run: TrialId,
    from: u64,
) -> Result<Rest> {
    let path = process.folder().output();
    let written = fs::metadata(&path)?.modified()?.duration_since(UNIX_EPOCH);
    let told = journal.study().history()[run.index()].progress();
    let began = process.moment(told).unwrap_or(0.0);
    let ended = written.map_or(began, |at| at.as_secs_f64()).max(began);
    // A line without an end was not printed whole.
    let each = |line: &mut dyn FnMut(Said)| -> Result<()> {
        let mut follower = Follower::new(&path, from)?;
        Ok(follower.read_all(|text| stages.form.read(text).into_iter().for_each(&mut *line))?)
    };
    let is_told = process.has_reported(told);
    let carried = if is_told { 0.0 } else { process.folder().owed() };
    // What came up to the last report that was told is paid: of items, all of the process.
    let (mut count, mut paid, mut last) = (0, 0, told);
    each(&mut |said| {
        count += 1;
        let is_item = said.progress.is_none();
        if is_told && (is_item || paid == 0 && progress(&said, told, count) >= told) {
            paid = count;
        }
        last = last.max(progress(&said, told, count));
    })?;
    let meter = Meter::new(stages.bill, stages.total(), (began, told), carried);
    let mut course = stages.course((told, stages.next(told)), meter);
    let mut reports = 0;
    let (mut number, mut stop) = (0, None);
    each(&mut |said| {
        number += 1;
        if number <= paid || stop.is_some() {
            return;
        }
        // Nobody saw when the lines came: they share the time by their progress.
        let share =
            (progress(&said, told, number) - told).max(0.0) / (last - told).max(f64::MIN_POSITIVE);
        let at = began + (ended - began) * share.min(1.0);
        match course.hear(said, at, &mut |_| {}) {
            Heard::Stage(due) => match tell(journal, stages, process, (run, &due), &mut course) {
                Ok(true) => reports += 1,
                Ok(false) => stop = Some(Stop::Over),
                Err(error) => stop = Some(Stop::Error(error)),
            },
            Heard::Broken(why) => stop = Some(Stop::Broken(why)),
            Heard::Nothing | Heard::Beyond(_) => {}
        }
    })?;
    let why = match stop {
        Some(Stop::Error(error)) => return Err(error),
        Some(Stop::Broken(why)) => Some(why),
        Some(Stop::Over) | None => None,
    };
    // Items that came before the one that failed count.
    if let Some(due) = course.last().filter(|_| why.is_none() || stages.are_items()) {
        reports += usize::from(tell(journal, stages, process, (run, &due), &mut course)?);
    }
    let seconds = ended - process.note["began"].as_f64().unwrap_or(ended);
    Ok(Rest { reports, seconds, owed: course.owed(ended), why })
}

/// How far a run was at the line of this number; of items, none of which was told yet, each is one
/// further.
fn progress(said: &Said, told: f64, number: usize) -> f64 {
    match &said.progress {
        Some(Ok(progress)) => *progress,
        Some(Err(_)) => 0.0,
        None => told + number as f64,
    }
}

/// Tells a report; false if the run takes none any more.
fn tell(
    journal: &mut Journal,
    stages: &StagesFile,
    process: &mut Process,
    (run, due): (TrialId, &Due),
    course: &mut Course,
) -> Result<bool> {
    if !takes(journal, run, due) {
        return Ok(false);
    }
    process.reports(due.progress, due.at);
    process.write()?;
    ends::tell(journal, stages, run, due, &process.folder().output())?;
    course.told(due, stages.next(due.progress));
    Ok(true)
}

/// Whether a run takes a report.
pub fn takes(journal: &Journal, run: TrialId, due: &Due) -> bool {
    let run = &journal.study().history()[run.index()];
    let is_over = matches!(run.state, TrialState::Complete | TrialState::Failed);
    !is_over && due.progress > run.progress()
}

/// Ends what a runner that is gone left running.
fn end(process: &Process) -> Result<()> {
    let began = Instant::now();
    owner::end_orphan(&process.note);
    if process.note["process"].is_null() {
        // The runner was killed before it wrote the number of the process that it had started.
        while let groups = by_environment(process.folder())
            && !groups.is_empty()
            && began.elapsed() < PATIENCE
        {
            groups.into_iter().for_each(kill);
            thread::sleep(PACE);
        }
        return Ok(());
    }
    while owner::lives(&process.note, "process") {
        if began.elapsed() > PATIENCE {
            return Err(Failure::new(format!(
                "process {} of a run that is gone still works in {}: end it, and run again",
                process.note["process"],
                process.folder().output().display()
            )));
        }
        thread::sleep(PACE);
    }
    Ok(())
}

/// The groups of processes that have the folder's checkpoint in their environment. None is found
/// where the machine does not say that.
fn by_environment(folder: &Folder) -> Vec<u32> {
    let Ok(checkpoint) = folder.checkpoint() else { return Vec::new() };
    let wanted = format!("{}={}", variable("checkpoint"), checkpoint.display());
    let has = |process: &str| {
        let text = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        text.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes())
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok().filter(|_| has(&name))).collect()
}
