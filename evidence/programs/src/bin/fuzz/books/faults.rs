//! What is wrong with a call, by the books: the kinds of error that may say so.

use gittins::study::TrialState;
use gittins::{ErrorKind, Value};

use crate::books::{Bill, Books, Told};

impl Books<'_> {
    fn check_cost(&self, cost: f64) -> Option<ErrorKind> {
        match cost {
            c if !c.is_finite() => Some(ErrorKind::NonFinite),
            c if c < 0.0 || (c == 0.0 && self.world.spec.cost_floor.is_none()) => {
                Some(ErrorKind::NonPositiveCost)
            }
            _ => None,
        }
    }

    /// What is wrong with the numbers that are told.
    fn faults_of_numbers(&self, told: &Told) -> Vec<ErrorKind> {
        let outcome = (told.state == TrialState::Complete && !told.value.is_finite())
            .then_some(ErrorKind::NonFinite);
        let cost = if let Bill::Paid(cost) = told.cost { self.check_cost(cost) } else { None };
        outcome.into_iter().chain(cost).collect()
    }

    /// What is wrong with what is told of a trial, `paid` saying whether its cost came first.
    pub fn faults(&self, told: &Told, paid: bool) -> Vec<ErrorKind> {
        let cost = match told.cost {
            Bill::Paid(_) if paid => Some(ErrorKind::DuplicateTrial),
            Bill::Silent if told.state == TrialState::Complete && self.learned() && !paid => {
                Some(ErrorKind::MissingCost)
            }
            Bill::Later if !self.learned() && !paid => Some(ErrorKind::InvalidSetting),
            _ => None,
        };
        let measures = self.faults_of_measures(told, true);
        cost.into_iter().chain(self.faults_of_numbers(told)).chain(measures).collect()
    }

    /// What is wrong with the measured numbers; a complete trial names all that are `wanted`.
    fn faults_of_measures(&self, told: &Told, wanted: bool) -> Vec<ErrorKind> {
        let count = self.world.measured.len();
        let measures = &told.measures[..count];
        let lacks = wanted && told.state == TrialState::Complete && measures.contains(&None);
        let infinite = measures.iter().flatten().any(|one| one.is_infinite());
        let unknown = told.is_misnamed || lacks;
        let faults = [
            unknown.then_some(ErrorKind::InvalidSetting),
            infinite.then_some(ErrorKind::NonFinite),
        ];
        faults.into_iter().flatten().collect()
    }

    /// What is wrong with telling a trial.
    pub fn faults_of_tell(&self, id: usize, told: &Told) -> Vec<ErrorKind> {
        let Some(entry) = self.entries.get(id) else { return vec![ErrorKind::UnknownTrial] };
        let before = entry.is_told().then_some(ErrorKind::DuplicateTrial);
        before.into_iter().chain(self.faults(told, entry.is_paid_first())).collect()
    }

    /// What is wrong with telling the cost of a trial.
    pub fn faults_of_cost(&self, id: usize, cost: f64) -> Vec<ErrorKind> {
        let Some(entry) = self.entries.get(id) else { return vec![ErrorKind::UnknownTrial] };
        entry
            .cost_told
            .then_some(ErrorKind::DuplicateTrial)
            .into_iter()
            .chain(self.check_cost(cost))
            .collect()
    }

    /// What is wrong with giving a trial up.
    pub fn faults_of_withdrawal(&self, id: usize) -> Vec<ErrorKind> {
        match self.entries.get(id).map(|entry| entry.state) {
            None => vec![ErrorKind::UnknownTrial],
            Some(TrialState::Withdrawn) => vec![ErrorKind::DuplicateTrial],
            Some(_) => Vec::new(),
        }
    }

    /// What is wrong with replacing what was told of a trial.
    pub fn faults_of_correction(&self, id: usize, told: &Told) -> Vec<ErrorKind> {
        let Some(entry) = self.entries.get(id) else { return vec![ErrorKind::UnknownTrial] };
        let nothing = (!entry.is_told()).then_some(ErrorKind::InvalidSetting);
        let completes = told.state == TrialState::Complete && entry.state != TrialState::Complete;
        let cost = match (told.cost, entry.cost) {
            (Bill::Silent, None) if self.learned() && completes => Some(ErrorKind::MissingCost),
            (Bill::Later, Some(_)) => Some(ErrorKind::InvalidSetting),
            (Bill::Later, None) if !self.learned() => Some(ErrorKind::InvalidSetting),
            _ => None,
        };
        let is_new = entry.measures.iter().all(Option::is_none);
        let measures = self.faults_of_measures(told, is_new);
        nothing
            .into_iter()
            .chain(cost)
            .chain(self.faults_of_numbers(told))
            .chain(measures)
            .collect()
    }

    /// What is wrong with values, where they are those of no point.
    pub fn faults_of_values(&self, values: &[Value]) -> Vec<ErrorKind> {
        let dimension =
            (values.len() != self.world.domain.parameters()).then_some(ErrorKind::Dimension);
        let finite = values.iter().all(|value| value.number().is_none_or(f64::is_finite));
        let known = self.world.domain.typed(values).is_some();
        let outside = (dimension.is_none() && !known).then_some(ErrorKind::OutOfBounds);
        dimension
            .into_iter()
            .chain((!finite).then_some(ErrorKind::NonFinite))
            .chain(outside)
            .collect()
    }
}
