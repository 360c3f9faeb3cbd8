//! From what happens in the study to the lines that say it.

use serde_json::{Map, Value as Json, json};

use crate::data::{Limit, Measured, TrialId, Value};
use crate::error::Result;
use crate::journal::journal::Journal;
use crate::journal::operation::{
    COMPLETE, CREATE_TRIAL, FAIL, Operation, RUNNING, STUDY_SYSTEM_ATTR, STUDY_USER_ATTR,
    TRIAL_SYSTEM_ATTR, TRIAL_USER_ATTR,
};
use crate::journal::record_writer::now;
use crate::journal::said::{
    ANNOUNCED, ASK, CONSTRAINTS, COST, EVENT, End, FIT, FITS, Judged, OUTCOME, PAID, POLICY,
    SECOND, Told, VERDICT, WORDS, Written, json_of, words_of,
};
use crate::study::{Asked, Event, Fits, Study};
use crate::suggest::Policy;

/// How often something is decided again because others wrote in the meantime. After that they wait.
const ATTEMPTS: usize = 8;

impl Journal {
    /// Changes the study by what is told, and writes what happened, also before an error. If it cannot
    /// be written, the study is again what the file has.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Study) -> Result<T>) -> Result<T> {
        let lock = self.lock()?;
        let changed = change(&mut self.fold.study);
        if !self.fold.study.log.events.is_empty() {
            // Until it is written, the study has something that the file has not.
            self.stale = true;
            let lines = self.lines()?;
            self.write(&lock, lines)?;
        }
        changed
    }

    /// Changes the study by what is decided, which takes time: others may write in the meantime. It is
    /// decided again if that matters. In a file that may only be read, nothing is written.
    pub(super) fn decide<T>(
        &mut self,
        mut decide: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let is_last = attempt == ATTEMPTS && self.log.is_writable();
            let lock = if is_last { Some(self.lock()?) } else { None };
            if lock.is_none() {
                self.sync()?;
            }
            // What is not written is said again.
            let known = (!self.log.is_writable()).then(|| self.fold.study.log.known.clone());
            let decided = decide(self);
            if self.fold.study.log.events.is_empty() {
                return decided;
            }
            if decided.is_err() && self.fold.study.stages.is_none() {
                self.stale = true;
                return decided;
            }
            let lines = self.lines()?;
            if let Some(known) = known {
                self.fold.study.log.known = known;
                return decided;
            }
            self.stale = true;
            let (lock, others) = match lock {
                Some(lock) => (lock, Vec::new()),
                None => {
                    let lock = self.log.lock()?;
                    let others = self.log.rest(&lock)?;
                    (lock, others)
                }
            };
            if self.is_spoiled(&others) {
                continue;
            }
            self.write(&lock, lines)?;
            self.stale |= !others.is_empty() || decided.is_err();
            return decided;
        }
    }

    /// Whether what others wrote concerns a decision: in stages all of it, and otherwise trials, which
    /// must not be at one point.
    fn is_spoiled(&self, others: &[Operation]) -> bool {
        let study_index = Some(self.fold.study_index);
        let is_made = |operation: &Operation| {
            operation.op_code == CREATE_TRIAL && operation.study_id == study_index
        };
        match self.fold.study.stages {
            Some(_) => !others.is_empty(),
            None => others.iter().any(is_made),
        }
    }

    /// As [`decide`](Self::decide), by the study alone.
    pub(super) fn find<T>(&mut self, mut find: impl FnMut(&mut Study) -> Result<T>) -> Result<T> {
        self.decide(|journal| find(&mut journal.fold.study))
    }

    /// The lines that say what happened in the study since it was last written.
    pub(super) fn lines(&mut self) -> Result<Vec<String>> {
        let events = std::mem::take(&mut self.fold.study.log.events);
        let (mut lines, mut fits) = (Vec::new(), Fits::default());
        let mut after = self.fold.events;
        let enters =
            |event: &&Event| matches!(event, Event::Announced { .. } | Event::Imported { .. });
        let entered = events.iter().filter(enters).count();
        let mut history = self.fold.study.history().iter().rev().take(entered).rev();
        let mut values = || history.next().map_or(&[][..], |trial| trial.values.as_slice());
        for event in &events {
            match event {
                Event::Fitted { fits: later } if later.curves.is_none() => fits.update(later),
                Event::Asked { trial, asked, policy } => {
                    let fits = std::mem::take(&mut fits);
                    lines.push(self.asked(*trial, asked, &fits, policy.as_ref())?);
                }
                Event::Announced { values: given } => {
                    let own = Map::from_iter([(ANNOUNCED.to_owned(), json_of(given)?)]);
                    lines.push(self.made(values(), RUNNING, None, Map::new(), own));
                }
                Event::Imported { outcome, .. } => {
                    lines.push(self.imported(values(), Told::from(outcome))?);
                }
                Event::Told { trial, outcome, .. } if self.is_open(*trial)? => {
                    lines.extend(self.told(*trial, outcome.into())?);
                }
                Event::Withdrawn { trial } if self.is_open(*trial)? => {
                    lines.extend(self.told(*trial, Told::withdrawn())?);
                }
                Event::Paid { trial, cost } if self.is_open(*trial)? => {
                    lines.extend(self.paid(*trial, *cost)?);
                }
                Event::Judged { judgment } => {
                    let words = words_of(&judgment.verdict);
                    let fits = std::mem::take(&mut fits);
                    let judged = json_of(&Judged { judgment: judgment.clone(), fits })?;
                    lines.push(self.pen().of_study(STUDY_SYSTEM_ATTR, VERDICT, judged));
                    lines.push(self.pen().of_study(STUDY_USER_ATTR, WORDS, words));
                }
                Event::Changed { policy } => {
                    lines.push(self.pen().of_study(STUDY_SYSTEM_ATTR, POLICY, json_of(policy)?));
                }
                other => {
                    // It stands first: what Optuna shows of it can be made from it, and not the other
                    // way around.
                    lines.push(self.happened(other, after)?);
                    after += 1;
                    lines.extend(self.shown(other));
                }
            }
        }
        if !fits.is_empty() {
            lines.push(self.pen().of_study(STUDY_SYSTEM_ATTR, FITS, json_of(&fits)?));
        }
        Ok(lines)
    }

    /// Whether what happens to a trial is an operation of Optuna: it has not ended in the file, and
    /// does not come to its end in stages.
    fn is_open(&self, id: TrialId) -> Result<bool> {
        let (_, trial) = self.place(id)?;
        Ok(self.fold.study.stages.is_none() && !self.fold.archive.trials[trial].has_ended())
    }

    /// The line for an event that no operation of Optuna says.
    fn happened(&self, event: &Event, after: usize) -> Result<String> {
        let mut event = event.clone();
        if let Some(trial) = event.about_mut() {
            *trial = self.place(*trial)?.0.into();
        }
        let written = json_of(&Written { at: now(), after, event })?;
        Ok(self.pen().of_study(STUDY_SYSTEM_ATTR, EVENT, written))
    }

    /// The line for a trial that was asked for.
    fn asked(
        &self,
        id: TrialId,
        asked: &Asked,
        fits: &Fits,
        policy: Option<&Policy>,
    ) -> Result<String> {
        let mut own = Map::new();
        own.insert(ASK.to_owned(), json_of(asked)?);
        if let Some(fit) = &fits.first {
            own.insert(FIT.to_owned(), json_of(fit)?);
        }
        if let Some(fit) = &fits.second {
            own.insert(SECOND.to_owned(), json_of(fit)?);
        }
        if let Some(policy) = policy {
            own.insert(POLICY.to_owned(), json_of(policy)?);
        }
        let values = &self.fold.study.history()[id.index()].values;
        Ok(self.made(values, RUNNING, None, Map::new(), own))
    }

    /// The line for a trial that is told and was never asked for.
    fn imported(&self, values: &[Value], told: Told) -> Result<String> {
        let (mut user, mut own) = (Map::new(), Map::new());
        if let Some(cost) = told.cost {
            user.insert(COST.to_owned(), json!(cost));
        }
        for (name, number) in told.measured.iter() {
            user.insert(name.to_owned(), json!(number));
        }
        own.extend(self.constraints(&told).map(|list| (CONSTRAINTS.to_owned(), list)));
        let (end, value) = (told.end, told.value);
        let said = Told { value: None, cost: None, measured: Measured::default(), ..told };
        own.insert(OUTCOME.to_owned(), json_of(&said)?);
        let state = if end == End::Complete { COMPLETE } else { FAIL };
        Ok(self.made(values, state, value, user, own))
    }

    /// What is told of a trial: of a pending one its cost, what its state does not say, and the
    /// state. The last one counts, if a process dies in between.
    fn told(&self, id: TrialId, told: Told) -> Result<Vec<String>> {
        let (_, trial) = self.place(id)?;
        let entry = &self.fold.archive.trials[trial];
        let mut lines = Vec::new();
        // The file may have a cost that this telling has not: a process died in the midst of
        // another one, or somebody else noted it.
        let is_else = entry.user.contains_key(COST) && !entry.own.contains_key(PAID);
        if told.cost.is_some() || (is_else && told.end != End::Withdrawn) {
            lines.push(self.pen().of_trial(TRIAL_USER_ATTR, trial, COST, json!(told.cost)));
        }
        for name in self.fold.study.measured_names() {
            let number = told.measured.get(name);
            // What the beginning of another telling left there is taken back.
            if number.is_some() || entry.user.contains_key(name) {
                lines.push(self.pen().of_trial(TRIAL_USER_ATTR, trial, name, json!(number)));
            }
        }
        let list = self.constraints(&told);
        let left = self.fold.study.limits().any(|(name, _)| entry.user.contains_key(name));
        if list.is_some() || left {
            lines.push(self.pen().of_trial(TRIAL_SYSTEM_ATTR, trial, CONSTRAINTS, json!(list)));
        }
        let (end, value) = (told.end, told.value);
        if end != End::Complete || told.cost_later {
            let own = Told { value: None, cost: None, measured: Measured::default(), ..told };
            lines.push(self.pen().of_trial(TRIAL_SYSTEM_ATTR, trial, OUTCOME, json_of(&own)?));
        }
        let state = if end == End::Complete { COMPLETE } else { FAIL };
        lines.push(self.pen().end_of(trial, state, value));
        Ok(lines)
    }

    /// By how much a trial exceeds each limit, as Optuna has it: at most 0 if the limit holds. None if
    /// there is no limit, or a number was not measured.
    fn constraints(&self, told: &Told) -> Option<Json> {
        let excess = |(name, limit): (&str, Limit)| Some(-limit.slack(told.measured.get(name)?));
        let excesses: Option<Vec<f64>> = self.fold.study.limits().map(excess).collect();
        excesses
            .filter(|list| !list.is_empty() && list.iter().all(|excess| !excess.is_nan()))
            .map(|list| json!(list))
    }

    /// The cost of a trial, told apart from its outcome.
    fn paid(&self, id: TrialId, cost: f64) -> Result<Vec<String>> {
        let (_, trial) = self.place(id)?;
        Ok(vec![
            self.pen().of_trial(TRIAL_USER_ATTR, trial, COST, json!(cost)),
            self.pen().of_trial(TRIAL_SYSTEM_ATTR, trial, PAID, json!(cost)),
        ])
    }
}
