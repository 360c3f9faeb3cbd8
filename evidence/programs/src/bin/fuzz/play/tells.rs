//! What a study is told: outcomes, costs, imports, withdrawals, corrections.

use gittins::{Outcome, TrialId, Value};

use super::player::Answer;
use super::study::Player;
use crate::calls::{Cost, Place, Word};
use crate::invariants::must;
use crate::said::Said;
use crate::trial_log::{CostTold, Telling};

impl Player<'_> {
    /// What a trial costs, or the rest of it in stages, whatever the study knows of it; a fault of
    /// the bill is none here.
    fn cost_of(&self, id: usize) -> f64 {
        let Some(entry) = self.log.entries.get(id) else { return 1.0 };
        let total = self.world.stages().map_or(1.0, |stages| stages.total());
        self.cost_at(&entry.values) * self.share_until(id, total)
    }

    pub fn cost_at(&self, values: &[Value]) -> f64 {
        let cost = self.world.bill_at(values);
        if cost.is_finite() && cost >= 0.0 { cost } else { 1.0 }
    }

    fn told_of(&self, id: usize, word: Word) -> Telling {
        let Some(entry) = self.log.entries.get(id) else { return Telling::nothing(word) };
        let told = self.log.told(word, &entry.values, &entry.unit, self.cost_of(id));
        // A cost that came first is not told again.
        if word.cost == Cost::Fitting && entry.is_paid_first() {
            return Telling { cost: CostTold::Silent, ..told };
        }
        told
    }

    fn outcome(&self, told: &Telling) -> Outcome {
        told.outcome(self.view, &self.world.measured)
    }

    pub fn tell(&mut self, id: usize, word: Word) -> Answer {
        let told = self.told_of(id, word);
        let faults = self.log.faults_of_tell(id, &told);
        let outcome = self.outcome(&told);
        let trial = TrialId::from(id);
        self.attempt(&faults, &self.numbers(), |study| study.tell(trial, outcome.clone()))?;
        if self.in_stages() {
            self.log.tell_end(id, &told, true, &self.pair.study)?;
        } else {
            self.log.tell(id, &told, &self.pair.study);
        }
        Ok(Said::Taken)
    }

    pub fn tell_cost(&mut self, id: usize, factor: f64) -> Answer {
        let cost = self.cost_of(id) * factor;
        let faults = self.log.faults_of_cost(id, cost);
        let told = self.view.cost(cost);
        self.attempt(&faults, &[], |study| study.tell_cost(id, told))?;
        self.log.pay(id, cost);
        Ok(Said::Taken)
    }

    pub fn note_running(&mut self, id: usize, factor: f64) -> Answer {
        let cost = self.cost_of(id) * factor;
        let faults = self.log.faults_of_running(id, cost);
        let told = self.view.cost(cost);
        self.attempt(&faults, &[], |study| study.note_running(id, told))?;
        // A record does not tell of it.
        self.log.is_watched = false;
        self.log.entries[id].noted = true;
        Ok(Said::Taken)
    }

    fn values(&self, place: &Place) -> Vec<Value> {
        let known: Vec<_> = self.log.entries.iter().map(|entry| &entry.values).collect();
        place.values(&self.world.domain, &known)
    }

    pub fn import(&mut self, place: &Place, word: Word) -> Answer {
        let values = self.values(place);
        let faults = self.log.faults_of_values(&values);
        let told = if faults.is_empty() {
            let unit = self.log.domain().to_unit(&values).unwrap_or_default();
            self.log.told(word, &values, &unit, self.cost_at(&values))
        } else {
            Telling { cost: CostTold::Paid(1.0), ..Telling::nothing(word) }
        };
        let faults = [faults, self.log.faults_of_import(&told)].concat();
        let outcome = self.outcome(&told);
        let number = self.log.entries.len();
        let id =
            self.attempt(&faults, &self.numbers(), |study| study.import(&values, outcome.clone()))?;
        must!(id.index() == number, HistoryIsWhatWasTold, "{id}, expected {number}")?;
        self.log.announce(&values, true, &self.pair.study)?;
        if self.in_stages() {
            self.log.tell_end(number, &told, false, &self.pair.study)?;
        } else {
            self.log.tell(number, &told, &self.pair.study);
        }
        self.is_at(number, &values)
    }

    fn is_at(&self, id: usize, values: &[Value]) -> Answer {
        let trial = &self.pair.study.history()[id];
        let unit = self.log.domain().to_unit(values);
        let agrees = unit.as_ref().is_ok_and(|unit| *unit == trial.unit);
        must!(agrees, PointsAreInside, "{trial:?}, expected {unit:?}")?;
        Ok(Said::Taken)
    }

    pub fn announce(&mut self, place: &Place) -> Answer {
        let values = self.values(place);
        let faults = self.log.faults_of_values(&values);
        let number = self.log.entries.len();
        let id = self.attempt(&faults, &[], |study| study.announce(&values))?;
        must!(id.index() == number, HistoryIsWhatWasTold, "{id}, expected {number}")?;
        self.log.announce(&values, false, &self.pair.study)?;
        self.log.is_watched = false;
        self.is_at(number, &values)
    }

    pub fn withdraw(&mut self, id: usize) -> Answer {
        let faults = self.log.faults_of_withdrawal(id);
        self.attempt(&faults, &[], |study| study.withdraw(id))?;
        if self.in_stages() {
            self.log.lose(id);
        } else {
            self.log.withdraw(id);
        }
        Ok(Said::Taken)
    }

    pub fn correct(&mut self, id: usize, word: Word) -> Answer {
        // What fits a correction that is silent about the cost is the cost that stands.
        let mut told = self.told_of(id, word);
        let stands = self.log.entries.get(id).is_some_and(|entry| entry.cost.is_some());
        if word.cost == Cost::Fitting && stands {
            told.cost = CostTold::Silent;
        }
        let faults = self.log.faults_of_correction(id, &told);
        let outcome = self.outcome(&told);
        self.attempt(&faults, &[], |study| study.correct(id, outcome.clone()))?;
        if self.in_stages() {
            self.log.correct_report(id, &told);
        } else {
            self.log.correct(id, &told);
        }
        Ok(Said::Taken)
    }
}
