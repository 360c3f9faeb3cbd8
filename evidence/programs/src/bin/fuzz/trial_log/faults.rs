//! What is wrong with a call, by the log: the kinds of error that may say so.

use gittins::study::TrialState;
use gittins::{ErrorKind, Value};

use super::{CostTold, Entry, Telling, TrialLog};

/// Kinds of error that may say what is wrong; empty if nothing is.
pub type Faults = Vec<ErrorKind>;

/// The kind of error where something is wrong.
fn fault(is_wrong: bool, kind: ErrorKind) -> Option<ErrorKind> {
    is_wrong.then_some(kind)
}

impl TrialLog<'_> {
    fn entry(&self, id: usize) -> Result<&Entry, Faults> {
        self.entries.get(id).ok_or_else(|| vec![ErrorKind::UnknownTrial])
    }

    pub fn faults_of_id(&self, id: usize) -> Faults {
        self.entry(id).err().unwrap_or_default()
    }

    fn check_cost(&self, cost: f64) -> Option<ErrorKind> {
        let may_be_free = self.world.spec.cost_floor.is_some() || self.stages().is_some();
        match cost {
            c if !c.is_finite() => Some(ErrorKind::NonFinite),
            c if c < 0.0 || (c == 0.0 && !may_be_free) => Some(ErrorKind::NonPositiveCost),
            _ => None,
        }
    }

    fn faults_of_numbers(&self, told: &Telling) -> Faults {
        let outcome = fault(told.is_complete() && !told.value.is_finite(), ErrorKind::NonFinite);
        let cost = if let CostTold::Paid(cost) = told.cost { self.check_cost(cost) } else { None };
        outcome.into_iter().chain(cost).collect()
    }

    /// What is wrong with what is told of a trial, `paid` saying whether its cost came first.
    pub fn faults(&self, told: &Telling, paid: bool) -> Faults {
        let is_learned = self.is_learned() || self.stages().is_some();
        let announces = is_learned || self.world.sets.is_some();
        let cost = match told.cost {
            CostTold::Paid(_) => fault(paid, ErrorKind::DuplicateTrial),
            CostTold::Silent | CostTold::Later if self.stages().is_some() => {
                fault(told.is_complete(), ErrorKind::MissingCost)
            }
            CostTold::Silent => {
                fault(told.is_complete() && is_learned && !paid, ErrorKind::MissingCost)
            }
            CostTold::Later => fault(!announces && !paid, ErrorKind::InvalidSetting),
        };
        let measures = self.faults_of_measures(told, true);
        cost.into_iter().chain(self.faults_of_numbers(told)).chain(measures).collect()
    }

    /// What is wrong with the measured numbers; a complete trial names all that are `wanted`.
    pub(super) fn faults_of_measures(&self, told: &Telling, wanted: bool) -> Faults {
        let measures = &told.measures[..self.world.measured.len()];
        let lacks = wanted && told.is_complete() && measures.contains(&None);
        let infinite = measures.iter().flatten().any(|one| one.is_infinite());
        let unknown = fault(told.is_misnamed || lacks, ErrorKind::InvalidSetting);
        unknown.into_iter().chain(fault(infinite, ErrorKind::NonFinite)).collect()
    }

    pub fn faults_of_tell(&self, id: usize, told: &Telling) -> Faults {
        let entry = match self.entry(id) {
            Ok(entry) => entry,
            Err(unknown) => return unknown,
        };
        let before = match self.stages() {
            Some(_) => self.faults_of_end(entry, told),
            None => fault(entry.is_told(), ErrorKind::DuplicateTrial).into_iter().collect(),
        };
        [before, self.faults(told, entry.is_paid_first())].concat()
    }

    pub fn faults_of_cost(&self, id: usize, cost: f64) -> Faults {
        let Ok(entry) = self.entry(id) else { return self.faults_of_id(id) };
        // In stages, reports tell what a trial cost.
        let refused = fault(self.stages().is_some(), ErrorKind::InvalidSetting);
        let told = fault(entry.cost_told, ErrorKind::DuplicateTrial);
        refused.into_iter().chain(told).chain(self.check_cost(cost)).collect()
    }

    pub fn faults_of_running(&self, id: usize, cost: f64) -> Faults {
        let Ok(entry) = self.entry(id) else {
            let refused = fault(self.stages().is_some(), ErrorKind::InvalidSetting);
            return refused.into_iter().chain(self.faults_of_id(id)).collect();
        };
        let wrong = !entry.is_pending() || self.stages().is_some();
        let faults = [
            fault(wrong, ErrorKind::InvalidSetting),
            fault(!cost.is_finite(), ErrorKind::NonFinite),
            fault(cost < 0.0, ErrorKind::NonPositiveCost),
        ];
        faults.into_iter().flatten().collect()
    }

    pub fn faults_of_withdrawal(&self, id: usize) -> Faults {
        let Ok(entry) = self.entry(id) else { return self.faults_of_id(id) };
        let wrong = match self.stages() {
            Some(_) => fault(!entry.is_pending(), ErrorKind::InvalidSetting),
            None => fault(entry.state == TrialState::Withdrawn, ErrorKind::DuplicateTrial),
        };
        wrong.into_iter().collect()
    }

    pub fn faults_of_correction(&self, id: usize, told: &Telling) -> Faults {
        let Ok(entry) = self.entry(id) else { return self.faults_of_id(id) };
        let own = match self.stages() {
            Some(stages) => {
                let wrong = Self::is_no_correction(entry, told, stages);
                fault(wrong, ErrorKind::InvalidSetting).into_iter().collect()
            }
            None => self.faults_of_replacement(entry, told),
        };
        let is_new = entry.is_told() && entry.measures.iter().all(Option::is_none);
        let numbers = self.faults_of_numbers(told);
        [own, numbers, self.faults_of_measures(told, is_new)].concat()
    }

    fn faults_of_replacement(&self, entry: &Entry, told: &Telling) -> Faults {
        let nothing = fault(!entry.is_told(), ErrorKind::InvalidSetting);
        let completes = told.is_complete() && !entry.is_complete();
        let announces = self.is_learned() || self.world.sets.is_some();
        let cost = match (told.cost, entry.cost) {
            (CostTold::Silent, None) => {
                fault(self.is_learned() && completes, ErrorKind::MissingCost)
            }
            // What is paid for a set is known.
            (CostTold::Later, Some(_)) if self.world.sets.is_some() => None,
            (CostTold::Later, Some(_)) => Some(ErrorKind::InvalidSetting),
            (CostTold::Later, None) => fault(!announces, ErrorKind::InvalidSetting),
            _ => None,
        };
        nothing.into_iter().chain(cost).collect()
    }

    pub fn faults_of_values(&self, values: &[Value]) -> Faults {
        let is_long = values.len() != self.world.domain.parameters();
        let finite = values.iter().all(|value| value.number().is_none_or(f64::is_finite));
        let known = self.world.domain.typed(values).is_some();
        let faults = [
            fault(is_long, ErrorKind::Dimension),
            fault(!finite, ErrorKind::NonFinite),
            fault(!is_long && !known, ErrorKind::OutOfBounds),
        ];
        faults.into_iter().flatten().collect()
    }
}
