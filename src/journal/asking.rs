//! Asking: the next trial of a study in a file, which no other process gets.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Map;

use crate::error::{Error, ErrorKind, Result};
use crate::journal::journal::{Journal, unknown};
use crate::journal::operation::{CREATE_TRIAL, Operation, RUNNING};
use crate::journal::said::{ASK, FIT, POLICY, SECOND, Told, json_of};
use crate::study::{Ask, Fits, TrialId};
use crate::suggest::Policy;

/// How long an ask waits for the asks of other processes. A process that was stopped may hold them
/// up; beyond this time two may look for a point at once, and the slower one looks again.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often an ask looks again because others asked in the meantime. After that it takes what it
/// found, next to what others have.
const ATTEMPTS: usize = 8;

impl Journal {
    /// The next point to evaluate, as [`Study::ask`] gives it, after what all processes told. Trials
    /// whose workers must have died are [given up] first. While one process looks for a
    /// point, the others wait; to tell is possible all the time.
    ///
    /// # Errors
    /// Those of [`Study::ask`]; `Storage` if the trial cannot be written: nobody has it then.
    ///
    /// [`Study::ask`]: crate::Study::ask
    /// [given up]: crate::journal::GiveUp
    pub fn ask(&mut self) -> Result<Ask> {
        for attempt in 1.. {
            let asking = self.log.asking(PATIENCE);
            self.sync()?;
            self.give_up_overdue()?;
            let before = self.fold.study.policy().clone();
            // Until it is written, the study has something that the file has not.
            self.stale = true;
            self.fold.reserve_others(None);
            let ask = self.fold.study.ask()?;
            let (operation, fits) = self.asked(&ask, &before)?;
            let lock = self.log.lock()?;
            let mut others = self.log.read()?;
            self.log.heal(&lock)?;
            others.extend(self.log.read()?);
            let asked = |operation: &Operation| {
                operation.op_code == CREATE_TRIAL && operation.study_id == Some(self.fold.chapter)
            };
            if attempt < ATTEMPTS && others.iter().any(asked) {
                continue;
            }
            self.write(&lock, vec![operation])?;
            self.fold.recorded.update(&fits);
            drop((lock, asking));
            if others.is_empty() && !self.stale {
                return Ok(ask);
            }
            self.stale = true;
            self.sync()?;
            let own =
                self.fold.archive.trials.iter().rev().find(|trial| trial.worker == self.worker);
            let id = own.and_then(|trial| self.fold.id(trial.number));
            return id.map(|id| ask.with_id(id)).ok_or_else(|| unknown(self.fold.study.next_id()));
        }
        Err(Error::new(ErrorKind::Exhausted, "no attempt to ask succeeded"))
    }

    /// What is written of a trial that was asked for.
    fn asked(&self, ask: &Ask, before: &Policy) -> Result<(String, Fits)> {
        let study = &self.fold.study;
        let fits = study.fits().since(&self.fold.recorded);
        let mut own = Map::new();
        own.insert(ASK.to_owned(), json_of(&study.asked(ask))?);
        if let Some(fit) = &fits.first {
            own.insert(FIT.to_owned(), json_of(fit)?);
        }
        if let Some(fit) = &fits.second {
            own.insert(SECOND.to_owned(), json_of(fit)?);
        }
        if study.policy() != before {
            own.insert(POLICY.to_owned(), json_of(study.policy())?);
        }
        let operation = self.made(ask.values(), RUNNING, None, Map::new(), own);
        Ok((operation, fits))
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
            let expected = study.expected_cost(*id).or(dearest);
            let limit = self.give_up.limit(expected, study.cost_unit());
            let started = self.fold.entry(*id).and_then(|(_, entry)| entry.started);
            limit.zip(started).is_some_and(|(limit, started)| {
                now.duration_since(started).as_secs_f64() > limit.as_secs_f64()
            })
        };
        self.fold.under_way().filter(is_overdue).collect()
    }
}
