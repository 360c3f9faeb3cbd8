//! Whole trials: chosen one by one or in rounds, made, and told.

use std::time::Instant;

use gittins::study::{TrialState, Why};

use super::screen::{Came, Hand, Line};
use super::shared::{PATIENCE, Shared};
use super::state::State;
use super::task::Task;
use super::told::{self, Files, Told};
use super::witness;
use crate::file::CostSource;
use crate::findings::ending::Ending;
use crate::findings::measured::Measured;
use crate::findings::tally::Tally;
use crate::process::owner;
use crate::process::{Captured, End, Finished, Patience, Running};
use crate::program::command::Command;
use crate::words::failure::{Failure, Result};
use crate::words::show;

/// Makes trials until the run ends.
pub fn work(shared: &Shared, command: &Command, worker: usize) {
    while let Some(task) = shared.next() {
        make(shared, command, &task, worker);
    }
}

/// Makes one trial.
fn make(shared: &Shared, command: &Command, task: &Task, worker: usize) {
    let file = &shared.file;
    let value = |name: &str| {
        let cell = || file.candidates.as_ref()?.cell(task.ask.values(), name);
        let value = || task.ask.named().find(|(known, _)| *known == name);
        let value = || value().map(|(_, value)| value.clone());
        cell().or_else(value).unwrap_or(gittins::Value::Absent)
    };
    let files = Files::before(file, task.number, &value);
    let mut process =
        command.process((task.number, worker), task.ask.values(), file.directory.as_deref());
    let captures = [told::capture(file), Default::default()];
    let running = match Running::start(&mut process, captures, &shared.groups) {
        Ok(running) => running,
        Err(error) => {
            return shared.withdraw(task, Some(told::cannot_start(&process, error)));
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
            self.screen.verdict(format!("waits: {words}"));
        }
        Ok(verdict.is_stop())
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
    ///
    /// # Errors
    /// Those of the journal.
    pub fn release(&mut self) -> Result<()> {
        while let Some(task) = self.chosen()? {
            self.journal.withdraw(task.ask.id())?;
        }
        Ok(())
    }
}

impl Shared {
    /// The next trial. Waits as long as it depends on those pending whether there is one. None
    /// once the run has ended.
    fn next(&self) -> Option<Task> {
        self.decided(|state| self.decide(state))
    }

    /// A trial, or why there is none as things stand.
    fn decide(&self, state: &mut State) -> Result<std::result::Result<Task, Ending>> {
        if let Some(ending) = state.fails(self.file.limits.failures)? {
            return Ok(Err(ending));
        }
        if self.file.is_spent(state.journal.study()) {
            // The verdict says so, of which those that a search gave know nothing.
            state.release()?;
        }
        let task = match state.chosen()? {
            Some(task) => {
                if let Some(ending) = state.limit(&self.file) {
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
        state.screen.began(state.running.len(), expected);
        Ok(Ok(task))
    }

    /// A verdict and a search: the first trial of a round. The others wait until they are made.
    fn choose(&self, state: &mut State) -> Result<std::result::Result<Task, Ending>> {
        let began = Instant::now();
        if let Some(ending) = state.ends(&self.file)? {
            return Ok(Err(ending));
        }
        if state.declines()? {
            let words = "no other trial is worth its price beside those pending".to_owned();
            return Ok(Err(Ending::Verdict(words)));
        }
        let begun = Tally::of(state.journal.study()).begun;
        let left = self.file.limits.trials.map_or(usize::MAX, |most| most.saturating_sub(begun));
        let asks = state.ask(state.pace.round().min(left).max(1))?;
        if asks.is_empty() {
            return Ok(Err(Ending::Exhausted));
        }
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
            state.screen.say(&format!(
                "       choosing took {choosing}, and the trials {making}: while that is so, one search gives several trials"
            ));
        }
        let task = state.ahead.pop_front();
        task.map(Ok).ok_or_else(|| Failure::new("a search gave no trial"))
    }

    /// Writes down the process of a trial.
    pub fn started(&self, task: &Task, process: u32) {
        // Whoever chooses holds the lock.
        let began = owner::now();
        let mut state = self.lock();
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
            self.end(&mut state, Err(error));
        }
    }

    /// Takes a trial back that could not be made or was interrupted.
    pub fn withdraw(&self, task: &Task, error: Option<Failure>) {
        let mut state = self.lock();
        let id = task.ask.id();
        state.leave(id);
        let withdrawn = state.standing(id).and_then(|standing| match standing {
            TrialState::Pending => Ok(state.journal.withdraw(id)?),
            // Somebody else told it in the meantime, or gave it up.
            _ => Ok(()),
        });
        if let Some(error) = error.or_else(|| withdrawn.err()) {
            self.end(&mut state, Err(error));
        }
        self.wake();
    }

    /// Takes what a trial says.
    pub fn tell(&self, task: &Task, told: &Told, finished: &Finished) {
        let mut state = self.lock();
        if let Err(error) = self.enter(&mut state, task, told, finished) {
            self.end(&mut state, Err(error));
        }
        self.wake();
    }

    fn enter(
        &self,
        state: &mut State,
        task: &Task,
        told: &Told,
        finished: &Finished,
    ) -> Result<()> {
        let id = task.ask.id();
        let expected = state.leave(id);
        state.pace.made(finished.wall);
        let standing = state.standing(id)?;
        if standing.is_told() {
            state.screen.say(&format!(
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
        if let Some(why) = &lack
            && (told.failed || told.why.is_none())
        {
            let tail = tails.into_iter().rfind(|tail| !tail.is_empty());
            state.failures.add(0.0, why, tail);
        }
        let study = state.journal.study();
        let known = study.history().get(id.index()).and_then(|trial| trial.cost);
        let is_known = matches!(self.file.cost, CostSource::Parameters(_));
        let line = Line {
            number: task.number,
            came: match &told.why {
                Some(why) => Came::Failed(why.clone()),
                None => Came::Outcome(told.value.unwrap_or(f64::NAN)),
            },
            cost: if is_known { known } else { told.cost },
            expected,
            measured: told.measured.iter().map(Measured::words).collect(),
            hand: Hand::of(study, Some(id)),
            spent: Tally::of(study).spent,
            next: None,
            goes_on: false,
            values: show::setting(study.domain().label(task.ask.row()), task.ask.named()),
        };
        let running = state.running.len();
        state.screen.tell(&line);
        state.screen.over(task.number, running);
        state.lacks(task.number, &told.measured, &told.unmeasured);
        Ok(())
    }
}

#[cfg(test)]
#[path = "whole_tests.rs"]
mod tests;
