//! Trials of a journal, ours and those of others, as they enter the study and leave it.

use serde_json::Value as Json;

use crate::data::{Cost, Domain, Measured, ParameterKind, TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::archive::Entry;
use crate::journal::distribution::value_of;
use crate::journal::operation::{COMPLETE, FAIL, RUNNING};
use crate::journal::record_writer::{Placed, placed};
use crate::journal::replayer::Replayer;
use crate::journal::said::{ANNOUNCED, ASK, COST, End, OUTCOME, PAID, POLICY, Told, read};
use crate::study::{Asked, Event, TrialState};
use crate::suggest::Policy;

/// Numbers that differ by no more than this share of them are the same: some thousand times the
/// distance of neighbors in double precision.
const SAME: f64 = 1e-12;

impl Entry {
    /// Whether a study of ours asked for it, or had it announced.
    fn is_ours(&self) -> bool {
        [ASK, ANNOUNCED].iter().any(|key| self.own.contains_key(*key))
    }
}

impl Replayer {
    pub(super) fn made(&mut self, trial: usize) -> Result<()> {
        let entry = &self.archive.trials[trial];
        let (number, has_ended) = (entry.number, entry.has_ended());
        let asked: Option<Asked> = entry.own.get(ASK).map(|asked| read(ASK, asked)).transpose()?;
        let policy: Option<Policy> =
            entry.own.get(POLICY).map(|policy| read(POLICY, policy)).transpose()?;
        let Some(mut asked) = asked.filter(|asked| self.is_at(entry, asked)) else {
            // Others made it, or copied it from a study of another space.
            self.archive.trials[trial].own.remove(ASK);
            if has_ended {
                return self.ended(trial);
            }
            self.open.push(trial);
            if self.archive.trials[trial].own.contains_key(ANNOUNCED) {
                self.reserve_others();
            }
            return Ok(());
        };
        if let Domain::Table(table) = self.study.domain() {
            // The table may have other rows than it had then.
            match table.row_of(&self.values(entry)) {
                Ok(row) => (asked.unit, asked.row) = (table.points().row(row).to_vec(), Some(row)),
                Err(error) => {
                    self.left_out.insert(number, error.to_string());
                    self.gone.insert(number);
                    return Ok(());
                }
            }
        }
        let paid: Option<f64> = entry.own.get(PAID).map(|cost| read(PAID, cost)).transpose()?;
        self.reserve_others();
        let place = |error: Error| error.at(format_args!("trial {number}"));
        self.compare_with(number, &asked);
        let id = self.study.trials.trial_log.next_id();
        self.study.apply(&Event::Asked { trial: id, asked, policy }).map_err(place)?;
        self.known(number, id);
        // One that was copied from another study came with its cost and its end.
        if let Some(cost) = paid {
            self.study.apply(&Event::Paid { trial: id, cost }).map_err(place)?;
        }
        if has_ended { self.ended(trial) } else { Ok(()) }
    }

    /// Checks that the table has the rows of all trials.
    ///
    /// # Errors
    /// `InvalidSetting`, naming the first trial whose row is gone.
    pub fn check_rows(&self) -> Result<()> {
        let Some(number) = self.gone.first() else { return Ok(()) };
        let why = self.left_out.get(number).map_or("", String::as_str);
        let message = format!(
            "the row of trial {number} is not in the table of candidates any more: {why}; put it back as it was (rows may be added), or begin another study"
        );
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }

    /// Notes a trial that was asked for when more had been told than the lines before it say. What
    /// was taken back, and what another study of the trials knows that this one leaves out, may
    /// have been told as well.
    fn compare_with(&mut self, number: usize, asked: &Asked) {
        let more = asked.seen.saturating_sub(self.study.trials.trial_log.tellings);
        let is_sure = self.untold.is_none() && self.left_out.is_empty() && !self.was_revised;
        if more > 0 && is_sure {
            self.untold = Some((number, more));
        }
    }

    /// Whether a trial has the values of the point at which it was asked for.
    fn is_at(&self, entry: &Entry, asked: &Asked) -> bool {
        let Domain::Space(space) = self.study.domain() else { return true };
        if asked.unit.len() != space.dim() {
            return false;
        }
        let same = |(a, b): (&Value, &Value)| match (a.number(), b.number()) {
            // Machines differ in the last digits of exponential functions.
            (Some(a), Some(b)) => (a - b).abs() <= SAME * a.abs().max(b.abs()),
            _ => a == b,
        };
        space.values_at(&asked.unit).iter().zip(&self.values(entry)).all(same)
    }

    /// Enters the trials that others run, as far as they are known, so that their points are not
    /// suggested.
    pub fn reserve_others(&mut self) {
        for trial in std::mem::take(&mut self.open) {
            let entry = &self.archive.trials[trial];
            if entry.has_ended() {
                continue;
            }
            let is_running = entry.state == RUNNING;
            // What was announced is where it was announced, to the bit.
            let given = entry.own.get(ANNOUNCED).and_then(|given| read(ANNOUNCED, given).ok());
            let number = entry.number;
            let values = given.unwrap_or_else(|| self.values(entry));
            let id = self.study.trials.trial_log.next_id();
            let event = Event::Announced { values };
            if is_running && self.study.apply(&event).is_ok() {
                self.known(number, id);
            } else {
                self.open.push(trial);
            }
        }
    }

    /// The kinds of the parameters, of a space.
    fn kinds(&self) -> Vec<Option<&ParameterKind>> {
        match self.study.domain() {
            Domain::Space(space) => {
                space.parameters().iter().map(|parameter| Some(parameter.kind())).collect()
            }
            Domain::Table(table) => table.names().map(|_| None).collect(),
        }
    }

    /// The values of a trial that somebody else made, in the order of the study's parameters.
    fn values(&self, entry: &Entry) -> Vec<Value> {
        let kinds = self.kinds();
        let names = self.study.names();
        let value = |(name, kind): (&String, _)| {
            let (_, internal, distribution) =
                entry.parameters.iter().find(|(known, ..)| known == name)?;
            Some(value_of(kind, &distribution.external(*internal)?))
        };
        names.iter().zip(kinds).map(|pair| value(pair).unwrap_or(Value::Absent)).collect()
    }

    /// The telling of a trial that ended.
    fn told(&self, entry: &Entry) -> Result<Told> {
        let own: Option<Told> =
            entry.own.get(OUTCOME).map(|told| read(OUTCOME, told)).transpose()?;
        let value = entry.values.first().copied().filter(|value| value.is_finite());
        let end = match (entry.state, own.as_ref().map(|own| own.end)) {
            (COMPLETE, _) if value.is_some() => End::Complete,
            // Nothing can be learned from an infinite outcome but that the trial failed.
            (COMPLETE, _) => End::Failed,
            (FAIL, Some(end)) => end,
            (FAIL, None) => End::Failed,
            _ => End::Withdrawn,
        };
        let is_learned = matches!(self.study.setup.cost, Cost::Learned);
        let paid = entry.own.contains_key(PAID);
        let seconds = || {
            let lasted = entry.ended?.duration_since(entry.started?).as_secs_f64();
            (lasted > 0.0).then_some(lasted)
        };
        let ours = entry.is_ours() || own.is_some();
        let cost = match entry.user.get(COST).and_then(Json::as_f64) {
            _ if paid => None,
            Some(cost) => Some(cost),
            // Others do not say what a trial cost, but when it began and ended.
            None if is_learned && !ours && end != End::Withdrawn => seconds(),
            None => None,
        };
        // In stages somebody else paid.
        let cost = if self.study.stages.is_some() { cost.or(Some(0.0)) } else { cost };
        let value = value.filter(|_| end == End::Complete);
        let measured = self.measured(entry);
        let told = Told { end, value, cost, cost_later: false, measured };
        Ok(Told { cost_later: !paid && self.comes_later(&told, None), ..told })
    }

    /// The numbers that a trial's user attributes have under the names of limits and objectives. One that is not
    /// there, or no number, was not measured.
    fn measured(&self, entry: &Entry) -> Measured {
        let mut measured = Measured::default();
        for name in self.study.measured_names() {
            let number = entry.user.get(name).and_then(Json::as_f64).filter(|one| one.is_finite());
            measured.set(name, number.unwrap_or(f64::NAN));
        }
        measured
    }

    /// Whether the cost of a trial comes later, if there is a `known` one: it does if it is missing
    /// here and now. Whoever told the trial may have had another setting for costs.
    pub(super) fn comes_later(&self, told: &Told, known: Option<f64>) -> bool {
        let is_learned = matches!(self.study.setup.cost, Cost::Learned);
        is_learned && told.end == End::Complete && told.cost.or(known).is_none()
    }

    pub(super) fn ended(&mut self, trial: usize) -> Result<()> {
        let entry = &self.archive.trials[trial];
        let number = entry.number;
        let told = self.told(entry)?;
        if self.gone.contains(&number) {
            return Ok(());
        }
        let place = format!("trial {number}");
        if let Some(id) = self.id(number) {
            if self.study.history()[id.index()].state != TrialState::Pending {
                // An event said so before.
                return Ok(());
            }
            let ours = entry.is_ours();
            if ours && self.study.stages.is_some() {
                // How far it came is not said.
                return self.study.apply(&Event::Withdrawn { trial: id });
            }
            let same = ours || self.study.history()[id.index()].values == self.values(entry);
            match told.outcome().filter(|_| same) {
                None => self.study.apply(&Event::Withdrawn { trial: id })?,
                Some(outcome) => {
                    match self.study.apply(&Event::Told { trial: id, outcome }) {
                        Ok(()) => return Ok(()),
                        // Somebody else told something that makes no sense.
                        Err(error) => {
                            self.left_out.insert(number, why_of(&error, id));
                            return self.study.apply(&Event::Withdrawn { trial: id });
                        }
                    }
                }
            }
            if same {
                return Ok(());
            }
            // It got further parameters since.
            self.ids[number] = None;
        }
        let entry = &self.archive.trials[trial];
        let Some(outcome) = told.outcome() else {
            let why = if entry.state == FAIL { "it was withdrawn" } else { "it was pruned" };
            self.left_out.insert(number, why.to_owned());
            return Ok(());
        };
        let values = self.values(entry);
        let id = self.study.trials.trial_log.next_id();
        match self.study.apply(&Event::Imported { values, outcome }) {
            Ok(()) => self.known(number, id),
            Err(error) => {
                log::warn!("{place} of the journal is left out: {}", why_of(&error, id));
                self.left_out.insert(number, why_of(&error, id));
            }
        }
        Ok(())
    }

    /// The values of a trial as the file has them.
    pub fn placed(&self, values: &[Value]) -> Placed {
        let first = self.archive.studies.get(self.study_index).map(|study| &study.first);
        let own = self.study.names().iter().zip(values).zip(&self.distributions).zip(self.kinds());
        placed(own.map(|(((name, value), own), kind)| (name.as_str(), value, &**own, kind)), first)
    }
}

/// Why a trial is left out, without the number that it would have in the study.
fn why_of(error: &Error, id: TrialId) -> String {
    let why = error.to_string();
    why.strip_prefix(&format!("{id}: ")).unwrap_or(&why).to_owned()
}
