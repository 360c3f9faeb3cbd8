//! What the workers share: one journal behind a lock, and what is under way.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gittins::journal::Journal;
use gittins::study::{Advice, TrialState};
use gittins::{ErrorKind, Outcome, Study, TrialId, Value};

use super::course::Due;
use super::folder::{Folders, Process};
use super::lost;
use super::screen::{Live, Screen, Stage};
use crate::desk::{self, Desk};
use crate::ending::{Ending, limit};
use crate::failure::{Failure, Result};
use crate::failures::Failures;
use crate::file::{StagesFile, StudyFile};
use crate::process::Groups;
use crate::show;

/// What the workers share.
pub struct Shared {
    /// The file.
    pub file: StudyFile,
    /// What it says of stages.
    pub stages: StagesFile,
    /// The folders of the trials.
    pub folders: Folders,
    /// The groups of the processes that run.
    pub groups: Groups,
    desk: Desk<State>,
}

/// What changes.
pub struct State {
    /// The study.
    pub journal: Journal,
    /// Why the command ends, or what went wrong.
    pub ended: Option<Result<Ending>>,
    /// What is seen.
    pub screen: Screen,
    /// The trials on which this runner works.
    running: BTreeMap<TrialId, usize>,
    /// The trials that failed since this runner began.
    failures: Failures,
}

impl desk::Shared for State {
    fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    fn ended(&mut self) -> &mut Option<Result<Ending>> {
        &mut self.ended
    }
}

/// A run to begin or to resume.
pub struct Task {
    /// The run.
    pub run: TrialId,
    /// Its number in the journal.
    pub number: usize,
    /// Its values.
    pub values: Vec<Value>,
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

impl Shared {
    /// Begins.
    pub fn new(
        (file, stages): (StudyFile, StagesFile),
        (journal, folders): (Journal, Folders),
        screen: Screen,
        (groups, interrupted): (Groups, Arc<AtomicBool>),
    ) -> Self {
        let state = State {
            journal,
            ended: None,
            screen,
            running: BTreeMap::new(),
            failures: Failures::default(),
        };
        Self { file, stages, folders, groups, desk: Desk::new(state, interrupted) }
    }

    /// What is left once all workers have ended.
    pub fn into_state(self) -> State {
        self.desk.into_state()
    }

    /// Whether runs under way are to end now: somebody wants it, or something went wrong.
    pub fn is_over(&self) -> bool {
        self.desk.is_over()
    }

    /// What to begin or to resume. Waits as long as it depends on the runs under way whether there
    /// is something. None once the command ends.
    pub fn next(&self) -> Option<Task> {
        self.desk.next(|state| self.decide(state))
    }

    /// A run, or why there is none as things stand.
    fn decide(&self, state: &mut State) -> Result<std::result::Result<Task, Ending>> {
        state.journal.sync()?;
        let others = || furthest(state.journal.study());
        if let Some(ending) = state.failures.ending(self.file.limits.failures, others) {
            return Ok(Err(ending));
        }
        if let Some(ending) = self.limit(state) {
            return Ok(Err(ending));
        }
        let verdict = state.journal.verdict()?;
        if verdict.is_stop() {
            return Ok(Err(Ending::Verdict(verdict.reason().to_string())));
        }
        state.screen.verdict(verdict.reason().to_string());
        let claim = self.folders.claim()?;
        claim.begin()?;
        let ask = match state.journal.ask() {
            Ok(ask) => ask,
            Err(error) => {
                claim.end()?;
                return match error.kind() {
                    ErrorKind::Exhausted => Ok(Err(Ending::Exhausted)),
                    _ => Err(error.into()),
                };
            }
        };
        let run = ask.id();
        let number = show::number_of(&state.journal, run);
        let process = self.folders.trial(number).next()?;
        claim.end()?;
        state.running.insert(run, number);
        let live = self.live(state, run, ask.resume().map_or(0.0, |from| from), ask.until());
        state.screen.began(number, &live, state.running.len());
        let (values, until) = (ask.values().to_vec(), ask.until());
        Ok(Ok(Task { run, number, values, until, process }))
    }

    /// The limit that is reached.
    fn limit(&self, state: &State) -> Option<Ending> {
        limit(state.journal.study(), &self.file.limits, self.file.unit.as_deref())
    }

    /// Something about a trial that a person should know.
    pub fn say(&self, task: &Task, words: &str) {
        self.desk.lock().screen.say(&format!("{:>5}  {words}", task.number));
    }

    /// What is known of a run now, while it goes on.
    pub fn shows(&self, task: &Task, progress: f64, outcome: Option<f64>, owed: f64) {
        // Whoever decides holds the lock, and need not be waited for.
        if let Some(state) = self.desk.try_lock() {
            state.screen.moves(task.number, progress, outcome, owed);
        }
    }

    /// How far a run under way is, and until where it goes; none if it is not under way any more.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn standing(&self, task: &Task) -> Result<Option<(f64, f64)>> {
        let mut state = self.desk.lock();
        state.journal.sync()?;
        let run = &state.journal.study().history()[task.run.index()];
        Ok(match run.state {
            TrialState::Pending => run.until.map(|until| (run.progress(), until)),
            _ => None,
        })
    }

    /// Whether a run came to its end.
    pub fn is_finished(&self, task: &Task) -> bool {
        let state = self.desk.lock();
        state.journal.study().history()[task.run.index()].state == TrialState::Complete
    }

    /// Tells a report.
    ///
    /// # Errors
    /// Those of the journal, and of the file of the process.
    pub fn report(&self, task: &mut Task, due: &Due) -> Result<Then> {
        let mut state = self.desk.lock();
        state.journal.sync()?;
        if !lost::takes(&state.journal, task.run, due) {
            return Ok(Then::Leave);
        }
        task.process.reports(due.progress, due.at);
        task.process.write()?;
        let advice = state.journal.report(task.run, due.progress, due.outcome, due.cost)?;
        let limit = self.limit(&state).filter(|ending| !matches!(ending, Ending::Trials(_)));
        let (then, words) = match advice {
            Advice::Continue { .. } if limit.is_some() => (Then::Leave, "left".to_owned()),
            Advice::Continue { until } => {
                (Then::GoOn(until), format!("goes on to {}", show::number(until)))
            }
            Advice::Done => (Then::Done, "done".to_owned()),
            Advice::Abandon => (Then::Leave, "abandoned".to_owned()),
            _ => (Then::Leave, "paused".to_owned()),
        };
        let study = state.journal.study();
        let stage = Stage {
            number: task.number,
            progress: due.progress,
            outcome: due.outcome,
            cost: due.cost,
            words,
            goes_on: matches!(then, Then::GoOn(_)),
            best: study.best_report().map(|report| report.outcome),
            spent: study.total_cost(),
            values: self.words(&state, task.run),
        };
        let until = self.stages.next(due.progress);
        let live = self.live(&state, task.run, due.progress, until);
        let running = state.running.len();
        state.screen.staged(&stage, &live, running);
        // What waits may begin.
        self.desk.wake();
        Ok(then)
    }

    /// Takes that a run broke, with what it cost since its last report. Why stands with its process.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn fail(&self, task: &Task, owed: f64, why: &str) -> Result<()> {
        let mut state = self.desk.lock();
        state.journal.sync()?;
        if !lost::is_running(&state.journal, task.run) {
            state.screen.say(&format!("{:>5}  {why}", task.number));
            return Ok(());
        }
        state.journal.tell(task.run, Outcome::failed().cost(owed))?;
        self.count(&mut state, task, why);
        let spent = state.journal.study().total_cost();
        let values = self.words(&state, task.run);
        state.screen.failed(task.number, why, owed, spent, &values);
        Ok(())
    }

    /// Takes that a process broke of which the study left the run at its last report.
    pub fn broke(&self, task: &Task, why: &str) {
        let mut state = self.desk.lock();
        self.count(&mut state, task, why);
        state.screen.say(&format!("{:>5}  broke after its last report: {why}", task.number));
    }

    /// Counts a failure.
    fn count(&self, state: &mut State, task: &Task, why: &str) {
        let [output, errors] = task.process.folder().tails();
        let came = state.journal.study().history()[task.run.index()].progress();
        state.failures.add(came, why, [errors, output].into_iter().find(|tail| !tail.is_empty()));
    }

    /// Takes a run back if it is still under way.
    ///
    /// # Errors
    /// Those of the journal.
    pub fn take_back(&self, task: &Task) -> Result<()> {
        let mut state = self.desk.lock();
        state.journal.sync()?;
        // Whoever has it next has a process of its own.
        if task.process.is_last() && lost::is_running(&state.journal, task.run) {
            state.journal.withdraw(task.run)?;
        }
        Ok(())
    }

    /// Settles a process of a runner that is gone.
    ///
    /// # Errors
    /// Those of the journal and of the files.
    pub fn settle(&self, task: &Task, process: Process) -> Result<()> {
        let mut state = self.desk.lock();
        let _claim = self.folders.claim()?;
        state.journal.sync()?;
        lost::settle(&mut state.journal, &self.stages, process, task.run).map(drop)
    }

    /// Nobody works here on a run any more. An error ends the command.
    pub fn over(&self, task: &Task, error: Option<Failure>) {
        let mut state = self.desk.lock();
        state.running.remove(&task.run);
        let running = state.running.len();
        state.screen.over(task.number, running);
        if let Some(error) = error {
            self.desk.end(&mut state, Err(error));
        }
        self.desk.wake();
    }

    fn words(&self, state: &State, run: TrialId) -> String {
        let study = state.journal.study();
        let names = study.names().iter().map(String::as_str);
        show::values(names.zip(&study.history()[run.index()].values))
    }

    /// What is shown of a run under way. A forecast that fails is none.
    fn live(&self, state: &State, run: TrialId, progress: f64, until: f64) -> Live {
        let study = state.journal.study();
        Live {
            progress,
            until,
            total: self.stages.total(),
            outcome: study.history()[run.index()].reports.last().map(|report| report.outcome),
            cost: study.history()[run.index()].cost.unwrap_or(0.0),
            forecast: study.forecast_end(run).ok().flatten().map(|forecast| forecast.to_string()),
        }
    }
}

/// How far the runs came that did not fail; infinity for an end.
fn furthest(study: &Study) -> f64 {
    let came = study.history().iter().map(|run| match run.state {
        TrialState::Failed => 0.0,
        TrialState::Complete => f64::INFINITY,
        _ => run.progress(),
    });
    came.fold(0.0, f64::max)
}
