//! One process of a run: started, listened to, ended when the study says so.

use std::thread;
use std::time::{Duration, Instant};

use gittins::Value;
use gittins::internals::reaches;

use super::bill::Meter;
use super::course::{Course, Due, Heard};
use super::follower::Follower;
use super::line::Said;
use super::runs::{Runs, Task, Then};
use crate::process::owner;
use crate::process::{Captured, End, Finished, Patience, Running};
use crate::run::told::{cannot_start, unsuccessful};
use crate::words::failure::{At, Failure, Result};
use crate::words::show;

/// How often it is looked whether the process before has ended.
const PACE: Duration = Duration::from_millis(50);

/// How often a run that prints nothing is shown anew.
const SHOWN: Duration = Duration::from_secs(1);

/// After so many lines without a report a person should know.
const SILENT: usize = 200;

/// How long a process on another machine is waited for beyond its grace.
const FAR: Duration = Duration::from_secs(5);

/// What comes after a process.
enum After {
    /// Nothing: the run is left, or over.
    Over,
    /// Nothing: the study left the run at its last report, and the process broke by itself.
    Broke(String),
    /// It broke, and cost this much since its last report.
    Failed(String, f64),
    /// One more process, which may end by itself at this progress.
    Again(f64),
}

/// Works as one of several until the study ends. What to begin or to resume may depend on the runs
/// pending: then it waits.
pub fn work(runs: &Runs<'_>, worker: usize) {
    while let Some(task) = runs.next() {
        make(runs, task, worker);
    }
}

/// Works on a run until it is left or over.
fn make(runs: &Runs<'_>, mut task: Task, worker: usize) {
    let error = loop {
        match step(runs, &mut task, worker) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error),
        }
    };
    let error = error.or_else(|| runs.take_back(&task).err());
    runs.over(&task, error);
}

/// One process, and what comes of it. Returns whether there is another one.
fn step(runs: &Runs<'_>, task: &mut Task, worker: usize) -> Result<bool> {
    let mut account = Account::default();
    let after = if wait_for_others(runs, task)? {
        part(runs, task, worker, &mut account)
    } else {
        account.owed = task.process.folder().owed();
        Ok(After::Over)
    };
    let (why, next) = match &after {
        Ok(After::Failed(why, cost)) => {
            runs.fail(task, *cost, why)?;
            account.owed = 0.0;
            (Some(why.as_str()), None)
        }
        Ok(After::Broke(why)) => {
            runs.broke(task, why);
            (Some(why.as_str()), None)
        }
        Ok(After::Again(until)) => (None, Some((*until, task.process.folder().next()?))),
        Ok(After::Over) | Err(_) => {
            runs.take_back(task)?;
            (None, None)
        }
    };
    // Whoever waits for this process may begin now.
    task.process.ends(account.seconds, account.owed, why);
    task.process.write()?;
    let goes_on = next.is_some();
    if let Some((until, process)) = next {
        task.until = until;
        task.process = process;
    }
    after.map(|_| goes_on)
}

/// How long a process ran, and what nobody was told of.
#[derive(Default)]
struct Account {
    seconds: f64,
    owed: f64,
}

/// Waits until the processes before have ended; false if it need not be worked on any more.
fn wait_for_others(runs: &Runs<'_>, task: &Task) -> Result<bool> {
    let began = Instant::now();
    loop {
        let all = task.process.folder().processes();
        let busy =
            all.into_iter().find(|other| other.is_before(&task.process) && !other.has_ended());
        let Some(other) = busy else { return Ok(true) };
        if other.is_lost() {
            runs.settle(task, other)?;
        } else if !owner::is_here(&other.note) && began.elapsed() > runs.shared.file.grace + FAR {
            return Ok(true);
        } else if runs.shared.is_over() {
            return Ok(false);
        } else {
            thread::sleep(PACE);
        }
    }
}

/// What a process is told to do before its end.
enum Leave {
    /// The study leaves the run.
    Left,
    /// It cannot go on.
    Broken(String),
    /// It goes on after its end.
    Beyond,
    /// The journal or a file is out of reach.
    Error(Failure),
}

/// Listens to a process.
struct Listener<'a> {
    runs: &'a Runs<'a>,
    task: &'a mut Task,
    course: Course,
    follower: Follower,
    /// From which byte of the errors on it writes.
    errors: u64,
    /// When it began, in seconds since 1970, and by a clock that does not jump.
    began: (f64, Instant),
    leave: Option<Leave>,
    /// When it was shown last.
    shown: Instant,
    /// How many lines it printed before its first report.
    silent: usize,
}

impl Listener<'_> {
    fn now(&self) -> f64 {
        self.began.0 + self.began.1.elapsed().as_secs_f64()
    }

    /// Takes what was printed since. Returns whether there may be more.
    fn listen(&mut self) -> bool {
        let form = &self.runs.stages.form;
        let mut lines: Vec<Said> = Vec::new();
        let mut count = 0;
        let read = self.follower.read(|line| {
            count += usize::from(!line.trim().is_empty());
            lines.extend(form.read(line));
        });
        let more = read.unwrap_or_else(|error| {
            self.leave = Some(Leave::Error(error.into()));
            false
        });
        if lines.is_empty() && !self.course.has_heard() {
            let before = self.silent;
            self.silent += count;
            if before < SILENT && self.silent >= SILENT {
                let words =
                    format!("printed {} lines without a report: {}", self.silent, form.missing());
                self.runs.say(self.task, &words);
            }
        }
        self.take(lines);
        more
    }

    /// Takes the last line, which has no end.
    fn end(&mut self) {
        let form = &self.runs.stages.form;
        let mut lines: Vec<Said> = Vec::new();
        self.follower.end(|line| lines.extend(form.read(line)));
        self.take(lines);
    }

    fn take(&mut self, lines: Vec<Said>) {
        let now = self.now();
        let last = lines.last().cloned();
        for said in lines {
            let (runs, task) = (self.runs, &*self.task);
            let heard = self.course.hear(said, now, &mut |words| runs.say(task, &words));
            match heard {
                Heard::Nothing => {}
                Heard::Stage(due) => self.tell(due),
                Heard::Broken(why) => {
                    self.leave.get_or_insert(Leave::Broken(why));
                }
                Heard::Beyond(progress) => {
                    if self.leave.is_none() {
                        let [progress, end] =
                            [progress, self.runs.stages.total()].map(show::number);
                        let words =
                            format!("reports {progress} after its end at {end}, and is ended");
                        self.runs.say(self.task, &words);
                        self.leave = Some(Leave::Beyond);
                    }
                }
            }
        }
        if last.is_some() || self.shown.elapsed() > SHOWN {
            self.shown = Instant::now();
            let outcome = last.and_then(|said| said.outcome.ok());
            let owed = self.course.owed(now);
            self.runs.shows(self.task, self.course.progress(), outcome, owed);
        }
    }

    /// Tells a report. What it does then is done once.
    fn tell(&mut self, due: Due) {
        let next = self.runs.stages.next(due.progress);
        match self.runs.report(self.task, &due) {
            Ok(Then::GoOn(until)) => self.course.told(&due, until),
            Ok(Then::Done) => self.course.told(&due, next),
            Ok(Then::Leave) => {
                self.course.told(&due, next);
                self.leave.get_or_insert(Leave::Left);
            }
            Err(error) => self.leave = Some(Leave::Error(error)),
        }
    }
}

/// Starts a process and listens to it until its end.
fn part(runs: &Runs<'_>, task: &mut Task, worker: usize, account: &mut Account) -> Result<After> {
    account.owed = task.process.folder().owed();
    let Some((from, until)) = runs.standing(task)? else { return Ok(After::Over) };
    task.until = task.until.max(until);
    let folder = task.process.folder().clone();
    let before: f64 = folder.processes().iter().map(|process| process.ended()[0]).sum();
    let (files, [start, errors]) = folder.open()?;
    let checkpoint = folder.checkpoint()?;
    let mut values = task.ask.values().to_vec();
    values.push(Value::from(checkpoint.to_string_lossy().into_owned()));
    values.push(Value::from(task.until));
    values.push(if from > 0.0 { Value::from(from) } else { Value::Absent });
    values.extend(runs.stages.batch(from, task.until).map(Value::from));
    let command = if from > 0.0 { &runs.commands.resumed } else { &runs.commands.first };
    let mut process =
        command.process((task.number, worker), &values, runs.shared.file.directory.as_deref());

    let began = (owner::now().unwrap_or(0.0), Instant::now());
    task.process.starts(start, began.0);
    task.process.write()?;
    let running = Running::start_into(&mut process, files, &runs.shared.groups)
        .map_err(|error| cannot_start(&process, error))?;
    owner::add_process(&mut task.process.note, running.id());
    // An error must not leave the process behind.
    let written = task.process.write();

    let meter = Meter::new(runs.stages.bill, runs.stages.total(), (began.0, from), account.owed);
    let course = runs.stages.course((from, until), meter);
    let output = folder.output();
    let follower = Follower::new(&output, start).at(output.display());
    let before = Duration::try_from_secs_f64(before).unwrap_or_default();
    let limit = runs.shared.file.time_limit.map(|limit| limit.saturating_sub(before));
    let patience = Patience { limit, grace: runs.shared.file.grace };
    let follower = match written.and(follower) {
        Ok(follower) => follower,
        Err(error) => {
            running.wait(patience, || true)?;
            return Err(error);
        }
    };
    let mut listener = Listener {
        runs,
        task,
        course,
        follower,
        errors,
        began,
        leave: None,
        shown: began.1,
        silent: 0,
    };
    let finished = running.wait(patience, || {
        listener.listen();
        listener.leave.is_some() || runs.shared.is_over()
    })?;
    while listener.listen() {}
    if matches!(finished.end, End::Itself(status) if status.success()) {
        listener.end();
    }
    account.seconds = finished.wall.as_secs_f64();
    runs.shared.lock().pace.made(finished.wall);
    let after = ended(&mut listener, from, &finished);
    account.owed = listener.course.owed(began.0 + account.seconds);
    after
}

/// What comes after a process that has ended.
fn ended(listener: &mut Listener<'_>, from: f64, finished: &Finished) -> Result<After> {
    let runs = listener.runs;
    let resumable = runs.commands.resumable;
    let total = runs.stages.total();
    let now = listener.began.0 + finished.wall.as_secs_f64();
    let errors = Captured::of_file(&listener.task.process.folder().errors(), listener.errors);
    let why =
        unsuccessful(finished.end, runs.shared.file.time_limit).map(|why| errors.explains(&why));
    let failed =
        |listener: &Listener<'_>, why: String| Ok(After::Failed(why, listener.course.owed(now)));
    match listener.leave.take() {
        Some(Leave::Error(error)) => return Err(error),
        Some(Leave::Broken(why)) => {
            tell_items(listener)?;
            return failed(listener, why);
        }
        Some(Leave::Left) if !runs.is_finished(listener.task) => {
            // It was to be ended, and had ended by itself.
            let why = why.filter(|_| finished.end != End::Asked);
            return Ok(why.map_or(After::Over, After::Broke));
        }
        Some(Leave::Left | Leave::Beyond) => return Ok(After::Over),
        None => {}
    }
    if runs.is_finished(listener.task) {
        if let (Some(why), false) = (why, finished.end == End::Asked) {
            runs.say(listener.task, &format!("{why} after its end"));
        }
        return Ok(After::Over);
    }
    if finished.end == End::Asked {
        tell_last(listener);
        return match listener.leave.take() {
            Some(Leave::Error(error)) => Err(error),
            _ => Ok(After::Over),
        };
    }
    if let Some(why) = why {
        tell_items(listener)?;
        return failed(listener, why);
    }
    let (progress, until) = (listener.course.progress(), listener.task.until);
    let [at, end, next] = [progress, total, until].map(show::number);
    // What was lost with a runner may be in its checkpoint already, so that it had nothing to do.
    let idle = from > 0.0 && progress <= from;
    let are_items = runs.stages.are_items();
    if idle && resumable && !are_items && !reaches(until, total) {
        return Ok(After::Again(total));
    }
    let why = if idle {
        format!("was resumed at {}, and reported nothing beyond", show::number(from))
    } else if !listener.course.has_heard() {
        format!("no report: {}", runs.stages.form.missing())
    } else if are_items && !reaches(progress, until) {
        let [printed, wanted] = [progress - from, until - from].map(show::number);
        format!("printed {printed} outcomes for {wanted} items")
    } else if !reaches(progress, until) {
        format!(
            "ended at {at} of {end} before the next stage, {next}; a program that is done early prints its last report once more with the progress {end}"
        )
    } else if !resumable {
        format!(
            "ended at {at} of {end}, and cannot be resumed: neither stages.resume nor stages.resumable is set, nor does the command have {{checkpoint}}"
        )
    } else {
        String::new()
    };
    if !why.is_empty() {
        return failed(listener, why);
    }
    tell_last(listener);
    match listener.leave.take() {
        Some(Leave::Error(error)) => Err(error),
        Some(_) => Ok(After::Over),
        None => Ok(match runs.standing(listener.task)? {
            Some((_, until)) if !runs.shared.is_over() => After::Again(until),
            _ => After::Over,
        }),
    }
}

/// Tells the items that came before the one that failed.
fn tell_items(listener: &mut Listener<'_>) -> Result<()> {
    if listener.runs.stages.are_items() {
        tell_last(listener);
    }
    match listener.leave.take() {
        Some(Leave::Error(error)) => Err(error),
        _ => Ok(()),
    }
}

/// Tells the last report between two stages.
fn tell_last(listener: &mut Listener<'_>) {
    if let Some(due) = listener.course.last() {
        listener.tell(due);
    }
}
