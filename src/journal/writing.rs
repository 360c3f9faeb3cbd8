//! From what happens in the study to the lines that say it.

use serde_json::{Map, Value as Json, json};

use crate::data::{Limit, Measured, TrialId, Value};
use crate::error::Result;
use crate::journal::journal::Journal;
use crate::journal::operation::{
    COMPLETE, FAIL, RUNNING, STUDY_SYSTEM_ATTR, STUDY_USER_ATTR, TRIAL_SYSTEM_ATTR, TRIAL_USER_ATTR,
};
use crate::journal::said::{
    ANNOUNCED, ASK, CHOICE, CONSTRAINTS, CORRECTED, COST, End, FIT, FITS, Judged, OUTCOME, PAID,
    PAID_LATER, POLICY, SECOND, TOLD, Told, VERDICT, WITHDRAWN, WORDS, json_of, key_of, words_of,
};
use crate::study::{Asked, Event, Fits, Study};
use crate::suggest::Policy;

impl Journal {
    /// Changes the study, and writes what happened. If it cannot be written, the study is again what
    /// the file has.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Study) -> Result<T>) -> Result<T> {
        let lock = self.lock()?;
        let changed = change(&mut self.fold.study)?;
        // Until it is written, the study has something that the file has not.
        self.stale = true;
        let lines = self.lines()?;
        self.write(&lock, lines)?;
        Ok(changed)
    }

    /// Writes what was found in what was read, if the file may be written. Others may have told
    /// something in the meantime: the study is then read again.
    pub(super) fn find<T>(&mut self, find: impl FnOnce(&mut Study) -> Result<T>) -> Result<T> {
        let known = self.fold.study.log.known.clone();
        let found = find(&mut self.fold.study)?;
        let lines = self.lines()?;
        if lines.is_empty() {
            return Ok(found);
        }
        if !self.log.is_writable() {
            self.fold.study.log.known = known;
            return Ok(found);
        }
        self.stale = true;
        let lock = self.log.lock()?;
        let others = self.log.rest(&lock)?;
        self.write(&lock, lines)?;
        self.stale |= !others.is_empty();
        Ok(found)
    }

    /// The lines that say what happened in the study since it was last written.
    pub(super) fn lines(&mut self) -> Result<Vec<String>> {
        let events = std::mem::take(&mut self.fold.study.log.events);
        let (mut lines, mut fits) = (Vec::new(), Fits::default());
        let enters =
            |event: &&Event| matches!(event, Event::Announced { .. } | Event::Imported { .. });
        let entered = events.iter().filter(enters).count();
        let mut history = self.fold.study.history().iter().rev().take(entered).rev();
        let mut values = || history.next().map_or(&[][..], |trial| trial.values.as_slice());
        for event in &events {
            match event {
                Event::Fitted { fits: later } => fits.update(later),
                // A study in stages has a file of another kind.
                Event::Resumed { .. }
                | Event::Reported { .. }
                | Event::Advised { .. }
                | Event::Turned { .. } => {}
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
                Event::Told { trial, outcome, .. } => {
                    lines.extend(self.told(*trial, outcome.into())?)
                }
                Event::Withdrawn { trial } => lines.extend(self.told(*trial, Told::withdrawn())?),
                Event::Paid { trial, cost } => lines.extend(self.paid(*trial, *cost)?),
                Event::Corrected { trial, outcome } => {
                    let told = json_of(&Told::from(outcome))?;
                    lines.push(self.pen().of_study(
                        STUDY_SYSTEM_ATTR,
                        &self.key(CORRECTED, *trial)?,
                        told,
                    ));
                }
                Event::Chosen { trial, choice } => {
                    let key = self.key(CHOICE, *trial)?;
                    lines.push(self.pen().of_study(STUDY_SYSTEM_ATTR, &key, json_of(choice)?));
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
            }
        }
        if !fits.is_empty() {
            lines.push(self.pen().of_study(STUDY_SYSTEM_ATTR, FITS, json_of(&fits)?));
        }
        Ok(lines)
    }

    /// The attribute of the study for a trial.
    fn key(&self, kind: &str, id: TrialId) -> Result<String> {
        Ok(key_of(kind, self.place(id)?.0))
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
        let (number, trial) = self.place(id)?;
        let entry = &self.fold.archive.trials[trial];
        if entry.has_ended() {
            let (kind, value) = match told.end {
                End::Withdrawn => (WITHDRAWN, json!(true)),
                _ => (TOLD, json_of(&told)?),
            };
            return Ok(vec![self.pen().of_study(STUDY_SYSTEM_ATTR, &key_of(kind, number), value)]);
        }
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
        let (number, trial) = self.place(id)?;
        if self.fold.archive.trials[trial].has_ended() {
            let key = key_of(PAID_LATER, number);
            return Ok(vec![self.pen().of_study(STUDY_SYSTEM_ATTR, &key, json!(cost))]);
        }
        Ok(vec![
            self.pen().of_trial(TRIAL_USER_ATTR, trial, COST, json!(cost)),
            self.pen().of_trial(TRIAL_SYSTEM_ATTR, trial, PAID, json!(cost)),
        ])
    }
}
