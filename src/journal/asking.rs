//! Asking: the next trial of a study in a file, which no other process gets, and what a trial does that
//! reported.

use std::time::Duration;

use jiff::Timestamp;

use crate::data::trial::reports::Advice;
use crate::data::{Cost, TrialId};
use crate::error::Result;
use crate::journal::journal::{Journal, unknown};
use crate::math::clock::seconds_of;
#[cfg(doc)]
use crate::study::Study;
use crate::study::{Ask, Event, Request, decide_on};

/// How long an ask waits for the asks of other processes. A process that was stopped may hold them
/// up; beyond this time two may look for a point at once, and the slower one looks again.
const PATIENCE: Duration = Duration::from_secs(60);

impl Journal {
    /// The next point to evaluate, as [`Study::ask`] gives it, after what all processes told. Trials
    /// whose workers must have died are [given up] first. While one process looks for a point, the
    /// others wait; to tell is possible all the time.
    ///
    /// If costs are learned and the unit of cost is a time, the study is told first
    /// ([`Study::note_running`]) for how long all pending trials have been running.
    ///
    /// # Errors
    /// Those of [`Study::ask`]; `Storage` if the trial cannot be written; it is then not assigned.
    ///
    /// [given up]: crate::journal::GiveUp
    pub fn ask(&mut self) -> Result<Ask> {
        let asks = self.ask_for(&Request::new())?;
        asks.into_iter().next().ok_or_else(|| unknown(self.fold.study.trials.trial_log.next_id()))
    }

    /// The next `count` points to evaluate, as [`Study::ask_many`] gives them.
    ///
    /// # Errors
    /// Those of [`ask_for`](Self::ask_for).
    pub fn ask_many(&mut self, count: usize) -> Result<Vec<Ask>> {
        self.ask_for(&Request::new().count(count))
    }

    /// The next points by all that a request says, as [`Study::ask_for`] gives them. Other processes
    /// wait until all are found and written.
    ///
    /// # Errors
    /// Those of [`Study::ask_for`] and of [`ask`](Self::ask). Nobody has any of the points then.
    pub fn ask_for(&mut self, request: &Request) -> Result<Vec<Ask>> {
        self.log.check_writable()?;
        let turn = self.log.asking(PATIENCE);
        self.sync()?;
        self.fold.check_rows()?;
        self.give_up_overdue()?;
        let asks = self.decide(|journal| {
            // Until it is written, the study has something that the file has not.
            journal.stale = true;
            journal.fold.reserve_others();
            journal.note_times()?;
            journal.fold.study.ask_for(request)
        })?;
        drop(turn);
        if asks.is_empty() || !self.stale {
            return Ok(asks);
        }
        self.sync()?;
        self.own(asks)
    }

    /// Takes what a trial says at a progress, as [`Study::report`] does. The report is on the disk
    /// before it is decided what the trial does.
    ///
    /// # Errors
    /// Those of [`Study::report`]; `Storage` if it cannot be written: the trial then stays as it was,
    /// and can report again.
    pub fn report(
        &mut self,
        id: impl Into<TrialId>,
        progress: f64,
        outcome: f64,
        cost: f64,
    ) -> Result<Advice> {
        let trial = id.into();
        let _turn = self.log.asking(PATIENCE);
        let reported = Event::Reported { trial, progress, outcome, cost };
        self.change(|study| study.happens(reported))?;
        self.decide(|journal| decide_on(&mut journal.fold.study, trial))
    }

    /// Trials that were written last, with the identifiers that they have in the file.
    fn own(&self, asks: Vec<Ask>) -> Result<Vec<Ask>> {
        let fresh = asks.iter().filter(|ask| ask.resume().is_none()).count();
        let own = self.fold.archive.trials.iter().rev().filter(|trial| trial.worker == self.worker);
        let ids: Vec<_> = own.take(fresh).filter_map(|trial| self.fold.id(trial.number)).collect();
        if ids.len() < fresh {
            return Err(unknown(self.fold.study.trials.trial_log.next_id()));
        }
        let mut ids = ids.into_iter().rev();
        let named = |ask: Ask| match ask.resume() {
            None => ids.next().map_or(ask.clone(), |id| ask.with_id(id)),
            Some(_) => ask,
        };
        Ok(asks.into_iter().map(named).collect())
    }

    /// Notes what a pending trial has cost so far, as [`Study::note_running`] does. It concerns
    /// this process alone, and does not stand in the file. If the unit of cost is a time, the note
    /// counts in place of the time since the trial was asked for.
    ///
    /// # Errors
    /// Those of [`Study::note_running`]; `Storage`.
    pub fn note_running(&mut self, id: impl Into<TrialId>, cost_so_far: f64) -> Result<()> {
        let id = id.into();
        self.sync()?;
        self.fold.study.note_running(id, cost_so_far)?;
        let (number, _) = self.place(id)?;
        self.running.insert(number, cost_so_far);
        Ok(())
    }

    /// Tells the study what the pending trials have cost so far: what was noted, or for how long
    /// they have been running, if that is what they cost.
    pub(super) fn note_times(&mut self) -> Result<()> {
        let study = &self.fold.study;
        let is_learned = matches!(study.setup.cost, Cost::Learned);
        let is_timed = is_learned && study.stages.is_none();
        let unit = study.cost_unit().and_then(seconds_of).filter(|_| is_timed);
        if unit.is_none() && self.running.is_empty() {
            return Ok(());
        }
        let now = Timestamp::now();
        let so_far = |id| {
            let (_, entry) = self.fold.entry(id)?;
            let noted = self.running.get(&entry.number).copied();
            noted.or_else(|| {
                let started = entry.started?;
                // Clocks of machines differ.
                Some(now.duration_since(started).as_secs_f64().max(0.0) / unit?)
            })
        };
        let noted: Vec<(TrialId, f64)> =
            self.fold.pending_trials().filter_map(|id| Some((id, so_far(id)?))).collect();
        noted.into_iter().try_for_each(|(id, cost)| self.fold.study.note_running(id, cost))
    }

    fn give_up_overdue(&mut self) -> Result<()> {
        if self.overdue().is_empty() {
            return Ok(());
        }
        let lock = self.lock()?;
        // Their workers may have told them just now.
        for id in self.overdue() {
            log::warn!("{id} is given up: nothing was heard of it for too long");
            self.fold.study.withdraw(id)?;
            self.stale = true;
        }
        let operations = self.lines()?;
        if operations.is_empty() { Ok(()) } else { self.write(&lock, operations) }
    }

    /// The pending trials that are to be given up.
    fn overdue(&self) -> Vec<TrialId> {
        let (study, now) = (&self.fold.study, Timestamp::now());
        let dearest = study.history().iter().filter_map(|trial| trial.cost).reduce(f64::max);
        let expected = |id: TrialId| match &study.stages {
            Some(stages) => {
                let trial = &study.history()[id.index()];
                stages.expected_cost(study.history(), trial, trial.until?)
            }
            None => study.trials.suggested_cost(id).or(dearest),
        };
        let is_overdue = |id: &TrialId| {
            let limit = self.give_up.limit(expected(*id), study.cost_unit());
            limit.zip(self.fold.heard(*id)).is_some_and(|(limit, heard)| {
                now.duration_since(heard).as_secs_f64() > limit.as_secs_f64()
            })
        };
        self.fold.pending_trials().filter(is_overdue).collect()
    }
}
