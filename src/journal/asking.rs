//! Asking: the next trial of a study in a file, which no other process gets.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Map;

use crate::data::Cost;
use crate::error::Result;
use crate::journal::give_up::seconds_of;
use crate::journal::journal::{Journal, unknown};
use crate::journal::operation::{CREATE_TRIAL, Operation, RUNNING};
use crate::journal::said::{ASK, FIT, POLICY, SECOND, Told, json_of};
use crate::study::{Ask, Fits, TrialId, limit_of};
use crate::suggest::{Policy, Round};

/// How long an ask waits for the asks of other processes. A process that was stopped may hold them
/// up; beyond this time two may look for a point at once, and the slower one looks again.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often an ask looks again because others asked in the meantime. After that it takes what it
/// found, next to what others have.
const ATTEMPTS: usize = 8;

impl Journal {
    /// The next point to evaluate, as [`Study::ask`](crate::Study::ask) gives it, after what all processes told. Trials
    /// whose workers must have died are [given up] first. While one process looks for a
    /// point, the others wait; to tell is possible all the time.
    ///
    /// If costs are learned and the unit of cost is a time, the study is told first
    /// ([`Study::note_running`](crate::Study::note_running)) for how long all trials under way have been running.
    ///
    /// # Errors
    /// Those of [`Study::ask`](crate::Study::ask); `Storage` if the trial cannot be written: nobody has it then.
    ///
    /// [given up]: crate::journal::GiveUp
    pub fn ask(&mut self) -> Result<Ask> {
        let asks = self.ask_some(1, None)?;
        asks.into_iter().next().ok_or_else(|| unknown(self.fold.study.trials.books.next_id()))
    }

    /// The next `count` points to evaluate, as [`Study::ask_many`](crate::Study::ask_many) gives them. Other processes wait
    /// until all are found and written.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask). Nobody has any of the points then.
    pub fn ask_many(&mut self, count: usize) -> Result<Vec<Ask>> {
        if count == 0 { Ok(Vec::new()) } else { self.ask_some(count, None) }
    }

    /// The next point whose expected cost is at most `limit`, as [`Study::ask_within`](crate::Study::ask_within) gives it; none
    /// if there is no such point.
    ///
    /// # Errors
    /// Those of [`Study::ask_within`](crate::Study::ask_within) and of [`ask`](Self::ask).
    pub fn ask_within(&mut self, limit: f64) -> Result<Option<Ask>> {
        let limit = limit_of(limit)?;
        Ok(self.ask_some(1, limit)?.pop())
    }

    /// `count` trials, within a limit of the expected cost if there is one. None if nothing is within
    /// the limit.
    fn ask_some(&mut self, count: usize, within: Option<f64>) -> Result<Vec<Ask>> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let asking = self.log.asking(PATIENCE);
            self.sync()?;
            self.give_up_overdue()?;
            // Until it is written, the study has something that the file has not.
            self.stale = true;
            self.fold.reserve_others();
            self.note_times()?;
            let mut recorded = self.fold.recorded.clone();
            let mut round = if count == 1 { Round::one() } else { Round::many() };
            let (mut asks, mut operations) = (Vec::new(), Vec::new());
            for _ in 0..count {
                let before = self.fold.study.policy.clone();
                let Some(ask) = self.fold.study.ask_in(&mut round, within, None)? else { break };
                let (operation, fits) = self.asked(&ask, &before, &recorded)?;
                recorded.update(&fits);
                asks.push(ask);
                operations.push(operation);
            }
            if asks.is_empty() {
                return Ok(asks);
            }
            let lock = self.log.lock()?;
            let others = self.log.rest(&lock)?;
            let asked = |operation: &Operation| {
                operation.op_code == CREATE_TRIAL && operation.study_id == Some(self.fold.chapter)
            };
            if attempt < ATTEMPTS && others.iter().any(asked) {
                continue;
            }
            self.write(&lock, operations)?;
            self.fold.recorded = recorded;
            drop((lock, asking));
            if others.is_empty() && !self.stale {
                return Ok(asks);
            }
            self.stale = true;
            self.sync()?;
            return self.own(asks);
        }
    }

    /// Trials that were written last, with the identifiers that they have in the file.
    fn own(&self, asks: Vec<Ask>) -> Result<Vec<Ask>> {
        let own = self.fold.archive.trials.iter().rev().filter(|trial| trial.worker == self.worker);
        let mut ids: Vec<_> =
            own.take(asks.len()).filter_map(|trial| self.fold.id(trial.number)).collect();
        ids.reverse();
        if ids.len() < asks.len() {
            return Err(unknown(self.fold.study.trials.books.next_id()));
        }
        Ok(asks.into_iter().zip(ids).map(|(ask, id)| ask.with_id(id)).collect())
    }

    /// The line for a trial that was asked for.
    fn asked(&self, ask: &Ask, before: &Policy, recorded: &Fits) -> Result<(String, Fits)> {
        let study = &self.fold.study;
        let fits = study.fits().since(recorded);
        let mut own = Map::new();
        own.insert(ASK.to_owned(), json_of(&study.asked(ask))?);
        if let Some(fit) = &fits.first {
            own.insert(FIT.to_owned(), json_of(fit)?);
        }
        if let Some(fit) = &fits.second {
            own.insert(SECOND.to_owned(), json_of(fit)?);
        }
        if study.policy != *before {
            own.insert(POLICY.to_owned(), json_of(&study.policy)?);
        }
        let operation = self.made(ask.values(), RUNNING, None, Map::new(), own);
        Ok((operation, fits))
    }

    /// Tells the study for how long the trials under way have been running, if that is what they
    /// cost.
    pub(super) fn note_times(&mut self) -> Result<()> {
        let study = &self.fold.study;
        let Some(unit) = study.cost_unit().and_then(seconds_of) else { return Ok(()) };
        if !matches!(study.setup.cost, Cost::Learned) {
            return Ok(());
        }
        let now = Timestamp::now();
        let times: Vec<(TrialId, f64)> = self
            .fold
            .under_way()
            .filter_map(|id| {
                let started = self.fold.entry(id)?.1.started?;
                // Clocks of machines differ.
                Some((id, now.duration_since(started).as_secs_f64().max(0.0) / unit))
            })
            .collect();
        times.into_iter().try_for_each(|(id, cost)| self.fold.study.note_running(id, cost))
    }

    fn give_up_overdue(&mut self) -> Result<()> {
        if self.overdue().is_empty() {
            return Ok(());
        }
        let lock = self.lock()?;
        // Their workers may have told them just now.
        let mut operations = Vec::new();
        for id in self.overdue() {
            log::warn!("{id} is given up: nothing was heard of it for too long");
            let (_, trial) = self.place(id)?;
            self.change(|study| study.withdraw(id))?;
            operations.extend(self.end(trial, Told::WITHDRAWN)?);
        }
        if operations.is_empty() { Ok(()) } else { self.write(&lock, operations) }
    }

    /// The trials under way that are to be given up.
    fn overdue(&self) -> Vec<TrialId> {
        let (study, now) = (&self.fold.study, Timestamp::now());
        let dearest = study.history().iter().filter_map(|trial| trial.cost).reduce(f64::max);
        let is_overdue = |id: &TrialId| {
            let expected = study.trials.suggested_cost(*id).or(dearest);
            let limit = self.give_up.limit(expected, study.cost_unit());
            let started = self.fold.entry(*id).and_then(|(_, entry)| entry.started);
            limit.zip(started).is_some_and(|(limit, started)| {
                now.duration_since(started).as_secs_f64() > limit.as_secs_f64()
            })
        };
        self.fold.under_way().filter(is_overdue).collect()
    }
}
