//! What a worker does with the study: which run is next, and what is told of it.

use std::time::Instant;

use gittins::study::{Advice, TrialState};
use gittins::{Ask, Outcome, TrialId};

use super::course::Due;
use super::ends::{self, Beside};
use super::folder::{Folders, Process};
use super::lost;
use crate::file::{Commands, StagesFile};
use crate::findings::ending::Ending;
use crate::findings::measured::Measured;
use crate::findings::tally::Tally;
use crate::run::screen::{Came, Hand, Line, Live};
use crate::run::shared::Shared;
use crate::run::state::State;
use crate::words::failure::{Failure, Result};
use crate::words::show;

/// What a worker on runs in stages knows.
pub struct Runs<'a> {
    /// What it shares with the others.
    pub shared: &'a Shared,
    /// What the file says of stages.
    pub stages: &'a StagesFile,
    /// The commands of a run.
    pub commands: &'a Commands,
    /// The folders of the trials.
    folders: Folders,
}

/// A run to begin or to resume.
pub struct Task {
    /// What was asked.
    pub ask: Ask,
    /// Its number in the journal.
    pub number: usize,
    /// The progress at which its program may end by itself.
    pub until: f64,
    /// The process that works on it.
    pub process: Process,
}

/// What a run does after a report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Then {
    /// It goes on to this progress.
    GoOn(f64),
    /// It is left, or somebody else ended it.
    Leave,
    /// It is at its end.
    Done,
}

impl<'a> Runs<'a> {
    /// What a worker knows.
    pub fn new(shared: &'a Shared, stages: &'a StagesFile, commands: &'a Commands) -> Self {
        let folders = Folders::of(&shared.lock().journal);
        Self { shared, stages, commands, folders }
    }

    /// The next run, once there is one; none once the study ends.
    pub fn next(&self) -> Option<Task> {
        self.shared.decided(|state| self.decide(state))
    }

    /// A run, or why there is none as things stand.
    fn decide(&self, state: &mut State) -> Result<std::result::Result<Task, Ending>> {
        let file = &self.shared.file;
        if let Some(ending) = state.fails(file.limits.failures)? {
            return Ok(Err(ending));
        }
        let began = Instant::now();
        if let Some(ending) = state.ends(file)? {
            return Ok(Err(ending));
        }
        let claim = self.folders.claim()?;
        claim.begin()?;
        // What was not given is not to be looked for.
        let asked = match state.ask(1) {
            Ok(asks) if !asks.is_empty() => asks.into_iter().next(),
            none => {
                claim.end()?;
                none?.pop()
            }
        };
        let Some(ask) = asked else { return Ok(Err(Ending::Exhausted)) };
        let (run, until) = (ask.id(), ask.until());
        let number = show::number_of(&state.journal, run);
        let process = self.folders.trial(number).next()?;
        claim.end()?;
        state.pace.chose(began.elapsed());
        state.running.insert(run, None);
        let live = self.live(state, run, ask.resume().unwrap_or(0.0), until);
        state.screen.goes(number, &live);
        state.screen.began(state.running.len(), None);
        Ok(Ok(Task { ask, number, until, process }))
    }

    /// Something about a trial that a person should know.
    pub fn say(&self, task: &Task, words: &str) {
        self.shared.lock().screen.say(&format!("{:>5}  {words}", task.number));
    }

    /// What is known of a run now, while it goes on.
    pub fn shows(&self, task: &Task, progress: f64, outcome: Option<f64>, owed: f64) {
        // Whoever decides holds the lock, and need not be waited for.
        if let Some(state) = self.shared.try_lock() {
            state.screen.moves(task.number, progress, outcome, owed);
        }
    }

    /// How far a pending run is, and until where it goes; none if it is not pending any more.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn standing(&self, task: &Task) -> Result<Option<(f64, f64)>> {
        let mut state = self.shared.lock();
        Ok(match state.standing(task.ask.id())? {
            TrialState::Pending => {
                let run = &state.journal.study().history()[task.ask.id().index()];
                run.until.map(|until| (run.progress(), until))
            }
            _ => None,
        })
    }

    /// Whether a run came to its end.
    pub fn is_finished(&self, task: &Task) -> bool {
        let state = self.shared.lock();
        state.journal.study().history()[task.ask.id().index()].state == TrialState::Complete
    }

    /// Tells a report.
    ///
    /// # Errors
    /// Those of the journal, and of the file of the process.
    pub fn report(&self, task: &mut Task, due: &Due) -> Result<Then> {
        let mut state = self.shared.lock();
        state.journal.sync()?;
        if !lost::takes(&state.journal, task.ask.id(), due) {
            return Ok(Then::Leave);
        }
        task.process.reports(due.progress, due.at);
        task.process.write()?;
        let output = task.process.folder().output();
        let (advice, Beside { measured, unmeasured }) =
            ends::tell(&mut state.journal, self.stages, task.ask.id(), due, &output)?;
        let is_over = state.limit(&self.shared.file).is_some();
        let (then, words) = match advice {
            Advice::Continue { .. } if is_over => (Then::Leave, "left".to_owned()),
            Advice::Continue { until } => {
                (Then::GoOn(until), format!("goes on to {}", show::number(until)))
            }
            Advice::Done => (Then::Done, "done".to_owned()),
            Advice::Abandon => (Then::Leave, "abandoned".to_owned()),
            _ => (Then::Leave, "paused".to_owned()),
        };
        let live = self.live(&state, task.ask.id(), due.progress, self.stages.next(due.progress));
        let next = live.forecast.iter().fold(words, |words, of| format!("{words}; {of}"));
        let came = Came::Stage([due.progress, live.total, due.outcome]);
        let line = self.line(&state, task, came, due.cost);
        let words = measured.iter().map(Measured::words).collect();
        let goes_on = matches!(then, Then::GoOn(_));
        let line = Line { measured: words, next: Some(next), goes_on, ..line };
        state.screen.staged(&line, &live);
        state.lacks(task.number, &measured, &unmeasured);
        if let Some((name, why)) = unmeasured.first() {
            self.count(&mut state, task, &format!("{name} was not measured: {why}"));
        }
        // What waits may begin.
        self.shared.wake();
        Ok(then)
    }

    /// Takes that a run broke, with what it cost since its last report. Why stands with its
    /// process.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn fail(&self, task: &Task, owed: f64, why: &str) -> Result<()> {
        let mut state = self.shared.lock();
        if state.standing(task.ask.id())? != TrialState::Pending {
            state.screen.say(&format!("{:>5}  {why}", task.number));
            return Ok(());
        }
        state.journal.tell(task.ask.id(), Outcome::failed().cost(owed))?;
        self.count(&mut state, task, why);
        // A batch of items may be tried again.
        let is_over = state.standing(task.ask.id())? == TrialState::Failed;
        let again = if is_over { "" } else { "; these items may be tried again" };
        let line = self.line(&state, task, Came::Failed(format!("{why}{again}")), owed);
        state.screen.tell(&line);
        Ok(())
    }

    /// Takes that a process broke of which the study left the run at its last report.
    pub fn broke(&self, task: &Task, why: &str) {
        let mut state = self.shared.lock();
        self.count(&mut state, task, why);
        state.screen.say(&format!("{:>5}  broke after its last report: {why}", task.number));
    }

    /// Counts a failure.
    fn count(&self, state: &mut State, task: &Task, why: &str) {
        let [output, errors] = task.process.folder().tails();
        let came = state.journal.study().history()[task.ask.id().index()].progress();
        state.failures.add(came, why, [errors, output].into_iter().find(|tail| !tail.is_empty()));
    }

    /// Takes a run back if it is still pending.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn take_back(&self, task: &Task) -> Result<()> {
        let mut state = self.shared.lock();
        // Whoever has it next has a process of its own.
        if state.standing(task.ask.id())? == TrialState::Pending && task.process.is_last() {
            state.journal.withdraw(task.ask.id())?;
        }
        Ok(())
    }

    /// Settles a process of a runner that is gone.
    ///
    /// # Errors
    /// Those of the journal and of the files.
    pub fn settle(&self, task: &Task, process: Process) -> Result<()> {
        let mut state = self.shared.lock();
        let _claim = self.folders.claim()?;
        state.journal.sync()?;
        lost::settle(&mut state.journal, self.stages, process, task.ask.id()).map(drop)
    }

    /// Nobody works here on a run any more. An error ends the command.
    pub fn over(&self, task: &Task, error: Option<Failure>) {
        let mut state = self.shared.lock();
        state.leave(task.ask.id());
        let running = state.running.len();
        state.screen.over(task.number, running);
        if let Some(error) = error {
            self.shared.end(&mut state, Err(error));
        }
        self.shared.wake();
    }

    /// The line of the result of a run.
    fn line(&self, state: &State, task: &Task, came: Came, cost: f64) -> Line {
        let study = state.journal.study();
        Line {
            number: task.number,
            came,
            measured: Vec::new(),
            cost: Some(cost),
            expected: None,
            hand: Hand::of(study, Some(task.ask.id())),
            spent: Tally::of(study).spent,
            next: None,
            goes_on: false,
            values: show::setting_of(study, &study.history()[task.ask.id().index()]),
        }
    }

    /// What is shown of a pending run. A forecast that fails is none.
    fn live(&self, state: &State, run: TrialId, progress: f64, until: f64) -> Live {
        let study = state.journal.study();
        let trial = &study.history()[run.index()];
        Live {
            progress,
            until,
            total: self.stages.total(),
            outcome: trial.reports.last().map(|report| report.outcome),
            cost: trial.cost.unwrap_or(0.0),
            forecast: study.forecast_end(run).ok().flatten().map(|forecast| forecast.to_string()),
        }
    }
}
