//! What the workers of a run share: one journal behind a lock, and what is under way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gittins::stop::Counts;
use gittins::study::{Origin, TrialState, Why};
use gittins::{Ask, ErrorKind, Study, TrialId};

use super::pace::Pace;
use super::progress::{Hand, Line, Progress};
use super::told::Told;
use super::witness;
use crate::desk::{self, Desk, PATIENCE};
use crate::ending::{Ending, ending, limit};
use crate::failure::{Failure, Result};
use crate::failures::Failures;
use crate::file::{Limits, StudyFile};
use crate::front;
use crate::measured::{self, Measured};
use crate::process::{Captured, Finished, Groups};
use crate::show;
use crate::tally::Tally;
use gittins::journal::Journal;

/// What the workers share.
pub struct Shared {
    /// The file.
    pub file: StudyFile,
    /// The groups of the processes that run.
    pub groups: Groups,
    desk: Desk<State>,
}

/// What changes during a run.
pub struct State {
    /// The study.
    pub journal: Journal,
    /// Why the run ended, or what went wrong.
    pub ended: Option<Result<Ending>>,
    /// How the run goes.
    pub progress: Progress,
    /// How long choosing takes beside the trials.
    pub pace: Pace,
    /// Whether it was said that choosing takes longer.
    said_slow: bool,
    /// Trials that a search gave, and nobody makes yet.
    ahead: VecDeque<Task>,
    /// The trials under way here, and what they are expected to cost.
    running: BTreeMap<TrialId, Option<f64>>,
    /// The trials that failed since this runner began.
    failures: Failures,
    /// The numbers of which it was said that one was not measured.
    said_unmeasured: BTreeSet<String>,
    /// That no other trial is worth its price beside those that run: how everything stood, and when
    /// that was said.
    declined: Option<(Standing, Instant)>,
}

/// What a verdict beside the trials under way depends on, besides time.
type Standing = (usize, Counts, u64);

impl desk::Shared for State {
    fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    fn ended(&mut self) -> &mut Option<Result<Ending>> {
        &mut self.ended
    }

    fn close(&mut self) -> Result<()> {
        self.release()
    }
}

impl State {
    /// Whether another trial is not worth its price beside those that run here. They take their
    /// time, and one that is overdue counts for nothing, so the answer stands for a while only.
    fn declines(&mut self) -> Result<bool> {
        if self.running.is_empty() {
            return Ok(false);
        }
        let study = self.journal.study();
        let standing = (study.history().len(), study.counts(), study.total_cost().to_bits());
        if let Some((known, said)) = self.declined
            && known == standing
            && said.elapsed() < PATIENCE
        {
            return Ok(true);
        }
        let verdict = self.journal.verdict_on_another()?;
        self.declined = verdict.is_stop().then(|| (standing, Instant::now()));
        if verdict.is_stop() {
            let words = verdict.reason().to_string();
            let words = words.strip_prefix("stop: ").unwrap_or(&words);
            self.progress.verdict(format!("waits: {words}"));
        }
        Ok(verdict.is_stop())
    }

    /// So many trials by one search. One, if fewer are left than that.
    fn ask(&mut self, count: usize) -> gittins::Result<Vec<Ask>> {
        if count > 1 {
            match self.journal.ask_many(count) {
                Err(error) if error.kind() == ErrorKind::Exhausted => {}
                asked => return asked,
            }
        }
        self.journal.ask().map(|ask| vec![ask])
    }

    /// A trial that an earlier search gave, and that nobody gave up or told in the meantime.
    fn chosen(&mut self) -> Result<Option<Task>> {
        while let Some(task) = self.ahead.pop_front() {
            if self.standing(task.ask.id())? == TrialState::Pending {
                return Ok(Some(task));
            }
        }
        Ok(None)
    }

    /// Takes the trials back that nobody makes any more.
    fn release(&mut self) -> Result<()> {
        while let Some(task) = self.chosen()? {
            self.journal.withdraw(task.ask.id())?;
        }
        Ok(())
    }

    /// How a trial stands, after what other processes wrote.
    fn standing(&mut self, id: TrialId) -> Result<TrialState> {
        self.journal.sync()?;
        let trial = self.journal.study().history().get(id.index());
        let unknown = || Failure::new(format!("{id} is no longer in the journal"));
        Ok(trial.ok_or_else(unknown)?.state)
    }
}

/// A trial to make.
pub struct Task {
    /// What was asked.
    pub ask: Ask,
    /// The number in the journal.
    pub number: usize,
    /// How many seconds it took to choose it.
    choosing: f64,
}

impl Shared {
    /// Begins a run.
    pub fn new(
        file: StudyFile,
        journal: Journal,
        progress: Progress,
        groups: Groups,
        interrupted: Arc<AtomicBool>,
    ) -> Self {
        let state = State {
            journal,
            ended: None,
            progress,
            pace: Pace::default(),
            said_slow: false,
            ahead: VecDeque::new(),
            running: BTreeMap::new(),
            failures: Failures::default(),
            said_unmeasured: BTreeSet::new(),
            declined: None,
        };
        Self { file, groups, desk: Desk::new(state, interrupted) }
    }

    /// What is left once all workers have ended.
    pub fn into_state(self) -> State {
        let mut state = self.desk.into_state();
        // A run that was interrupted has trials that it never began.
        if let Err(error) = state.release() {
            state.ended.get_or_insert(Err(error));
        }
        state
    }

    /// Whether trials under way are to end now: somebody wants it, or something went wrong.
    pub fn is_over(&self) -> bool {
        self.desk.is_over()
    }

    /// The next trial. Waits as long as it depends on those under way whether there is one. None
    /// once the run has ended.
    pub fn next(&self) -> Option<Task> {
        self.desk.next(|state| self.decide(state))
    }

    /// A trial, or why there is none as things stand.
    fn decide(&self, state: &mut State) -> Result<std::result::Result<Task, Ending>> {
        state.journal.sync()?;
        let others = || furthest(state.journal.study());
        if let Some(ending) = state.failures.ending(self.file.limits.failures, others) {
            return Ok(Err(ending));
        }
        if self.file.is_spent(state.journal.study()) {
            // The verdict says so, of which those that a search gave know nothing.
            state.release()?;
        }
        let task = match state.chosen()? {
            // Its place among the trials is taken already.
            Some(task) => {
                let limits = Limits { trials: None, ..self.file.limits };
                let study = state.journal.study();
                if let Some(ending) = limit(study, &limits, self.file.unit.as_deref()) {
                    state.ahead.push_front(task);
                    return Ok(Err(ending));
                }
                task
            }
            None => match self.choose(state)? {
                Ok(task) => task,
                Err(ending) => return Ok(Err(ending)),
            },
        };
        let expected = match task.ask.why() {
            Why::Suggested(suggestion) => Some(suggestion.cost).filter(|cost| cost.is_finite()),
            _ => None,
        };
        state.running.insert(task.ask.id(), expected);
        state.progress.began(state.running.len(), expected);
        Ok(Ok(task))
    }

    /// A verdict and a search: the first trial of a round. The others wait until they are made.
    fn choose(&self, state: &mut State) -> Result<std::result::Result<Task, Ending>> {
        let began = Instant::now();
        match ending(&mut state.journal, &self.file.limits, self.file.unit.as_deref())? {
            Ok(ending) => return Ok(Err(ending)),
            Err(verdict) => state.progress.verdict(verdict.reason().to_string()),
        }
        if state.declines()? {
            let words = "no other trial is worth its price beside those under way".to_owned();
            return Ok(Err(Ending::Verdict(words)));
        }
        let begun = Tally::of(state.journal.study()).begun;
        let left = self.file.limits.trials.map_or(usize::MAX, |most| most.saturating_sub(begun));
        let asks = match state.ask(state.pace.round().min(left).max(1)) {
            Ok(asks) => asks,
            Err(error) if error.kind() == ErrorKind::Exhausted => {
                return Ok(Err(Ending::Exhausted));
            }
            Err(error) => return Err(error.into()),
        };
        let took = began.elapsed();
        let choosing = took.as_secs_f64() / asks.len() as f64;
        for ask in asks {
            state.journal.note(ask.id(), witness::KEY, &witness::note(None, choosing))?;
            let number = show::number_of(&state.journal, ask.id());
            state.ahead.push_back(Task { ask, number, choosing });
        }
        state.pace.chose(took);
        if state.pace.is_slow() && !state.said_slow {
            state.said_slow = true;
            let [choosing, making] = state.pace.seconds().map(show::time);
            state.progress.say(&format!(
                "       choosing took {choosing}, and the trials {making}: while that is so, one search gives several trials"
            ));
        }
        let task = state.ahead.pop_front();
        task.map(Ok).ok_or_else(|| Failure::new("a search gave no trial"))
    }

    /// Writes down the process of a trial.
    pub fn started(&self, task: &Task, process: u32) {
        // Whoever chooses holds the lock.
        let began = witness::now();
        let mut state = self.desk.lock();
        let id = task.ask.id();
        let noted = state.standing(id).and_then(|standing| match standing {
            TrialState::Pending => Ok(state.journal.note(
                id,
                witness::KEY,
                &witness::note(Some((process, began)), task.choosing),
            )?),
            _ => Ok(()),
        });
        if let Err(error) = noted {
            self.desk.end(&mut state, Err(error));
        }
    }

    /// Takes a trial back that could not be made or was interrupted.
    pub fn withdraw(&self, task: &Task, error: Option<Failure>) {
        let mut state = self.desk.lock();
        let id = task.ask.id();
        state.running.remove(&id);
        let withdrawn = state.standing(id).and_then(|standing| match standing {
            TrialState::Pending => Ok(state.journal.withdraw(id)?),
            // Somebody else told it in the meantime, or gave it up.
            _ => Ok(()),
        });
        if let Some(error) = error.or_else(|| withdrawn.err()) {
            self.desk.end(&mut state, Err(error));
        }
        self.desk.wake();
    }

    /// Takes what a trial says.
    pub fn tell(&self, task: &Task, told: &Told, finished: &Finished) {
        let mut state = self.desk.lock();
        if let Err(error) = self.enter(&mut state, task, told, finished) {
            self.desk.end(&mut state, Err(error));
        }
        self.desk.wake();
    }

    fn enter(
        &self,
        state: &mut State,
        task: &Task,
        told: &Told,
        finished: &Finished,
    ) -> Result<()> {
        let id = task.ask.id();
        let expected = state.running.remove(&id).flatten();
        state.pace.made(finished.wall);
        let standing = state.standing(id)?;
        if standing.is_told() {
            state.progress.say(&format!(
                "{:>5}  was told by somebody else in the meantime; what came here is not taken",
                task.number
            ));
            return Ok(());
        }
        let tails = [&finished.output, &finished.errors].map(Captured::tail);
        // A trial that was given up takes no notes any more, and its result all the same.
        let lack = told.lack();
        if let Some(why) = &lack
            && standing == TrialState::Pending
        {
            state.journal.note(id, show::WHY, why)?;
            let kept = show::OUTPUTS.into_iter().zip(&tails);
            for (key, tail) in kept.filter(|(_, tail)| !tail.is_empty()) {
                state.journal.note(id, key, tail)?;
            }
        }
        state.journal.tell(id, told.outcome.clone())?;
        if !told.unmeasured.is_empty() {
            state.failures.lacks();
        }
        if let Some(why) = &lack
            && (told.failed || told.why.is_none())
        {
            let tail = tails.into_iter().rfind(|tail| !tail.is_empty());
            state.failures.add(0.0, why, tail);
        }
        let study = state.journal.study();
        let line = Line {
            number: task.number,
            value: told.value,
            why: told.why.clone(),
            cost: told.cost,
            expected,
            measured: told.measured.iter().map(Measured::words).collect(),
            hand: match front::standing(study, id) {
                Some(standing) => Hand::Front(standing),
                None => Hand::Best(study.best().and_then(|best| best.outcome)),
            },
            spent: Tally::of(study).spent,
            values: show::values(task.ask.named()),
        };
        let running = state.running.len();
        state.progress.ended(&line, running);
        for (name, why) in &told.unmeasured {
            if state.said_unmeasured.insert(name.clone()) {
                let missed = told.measured.iter().find(|one| one.name == *name);
                let missed = missed.map_or("", Measured::missed);
                state.progress.say(&format!(
                    "       {name} was not measured in trial {}, {missed}: {why}",
                    task.number
                ));
            }
        }
        Ok(())
    }
}

/// How far the trials came that did not fail: to their end, if one of them that was made here has all
/// its numbers. What was made elsewhere says nothing of the command.
fn furthest(study: &Study) -> f64 {
    let came = study.history().iter().any(|trial| {
        trial.origin != Origin::Imported
            && trial.state == TrialState::Complete
            && measured::are_measured(study, trial)
    });
    if came { f64::INFINITY } else { 0.0 }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
