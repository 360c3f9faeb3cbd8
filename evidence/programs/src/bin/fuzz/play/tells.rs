//! What a study is told: outcomes, costs, imports, withdrawals, corrections.

use gittins::study::TrialState;
use gittins::{ErrorKind, TrialId, Value};

use crate::books::{Bill, Told};
use crate::calls::{Cost, Measuring, Place, Saying, Word};
use crate::invariants::must;
use crate::play::{Answer, Player};
use crate::said::Said;
use crate::world::measure::Measures;

impl Player<'_> {
    /// What a word says of a trial at these values and this point.
    fn told(&self, word: Word, (values, unit): (&[Value], &[f64]), paid: bool) -> Told {
        let value = match word.outcome {
            Saying::Objective | Saying::Failed | Saying::Infeasible => {
                self.world.objective.at(unit)
            }
            Saying::Like(which) => {
                let complete = self.books.in_state(TrialState::Complete);
                let like = complete
                    .get(which % complete.len().max(1))
                    .and_then(|&id| self.books.entries[id].outcome);
                like.map_or(self.world.objective.unit, |outcome| self.view.outcome_back(outcome))
            }
            Saying::Units(units) => units * self.world.objective.unit,
            Saying::Raw(raw) => raw,
        };
        let own = self.cost_at(values);
        let cost = match word.cost {
            Cost::Fitting if paid || self.world.known_cost(values).is_some() => Bill::Silent,
            Cost::Fitting => Bill::Paid(own),
            Cost::Times(factor) => Bill::Paid(own * factor),
            Cost::Silent => Bill::Silent,
            Cost::Later => Bill::Later,
            Cost::Raw(raw) => Bill::Paid(raw),
        };
        let state = match word.outcome {
            Saying::Objective if self.world.fails(values) => TrialState::Failed,
            _ => word.state(),
        };
        Told { measures: self.measured(word, unit), state, value, cost, ..Told::nothing(word) }
    }

    /// What a word says of the numbers that are measured.
    fn measured(&self, word: Word, unit: &[f64]) -> Measures {
        let mut measures = self.world.measures(unit);
        match word.measured {
            Measuring::All | Measuring::Unknown => {}
            Measuring::First => measures[1..].fill(None),
            Measuring::Nothing => measures.fill(None),
            Measuring::Missing => measures.iter_mut().flatten().for_each(|one| *one = f64::NAN),
            Measuring::Raw(raw) => measures.iter_mut().flatten().for_each(|one| *one = raw),
            Measuring::Infinite => {
                measures.iter_mut().flatten().for_each(|one| *one = f64::INFINITY);
            }
        }
        measures
    }

    /// What an evaluation costs, whatever the study knows of it; a fault of the bill is none here.
    fn cost_at(&self, values: &[Value]) -> f64 {
        let cost = self.world.bill_at(values);
        if cost.is_finite() && cost >= 0.0 { cost } else { 1.0 }
    }

    fn told_of(&self, id: usize, word: Word) -> Told {
        match self.books.entries.get(id) {
            Some(entry) => self.told(word, (&entry.values, &entry.unit), entry.is_paid_first()),
            None => Told::nothing(word),
        }
    }

    pub(super) fn tell(&mut self, id: usize, word: Word) -> Answer {
        let told = self.told_of(id, word);
        let faults = self.books.faults_of_tell(id, &told);
        let (outcome, id) = (told.outcome(self.view, &self.world.measured), TrialId::from(id));
        self.attempt(&faults, &self.numbers(), |study| study.tell(id, outcome.clone()))?;
        self.books.tell(id.index(), &told, &self.study);
        Ok(Said::Taken)
    }

    pub(super) fn tell_cost(&mut self, id: usize, factor: f64) -> Answer {
        let cost =
            self.books.entries.get(id).map_or(1.0, |entry| self.cost_at(&entry.values)) * factor;
        let faults = self.books.faults_of_cost(id, cost);
        let told = self.view.cost(cost);
        self.attempt(&faults, &[], |study| study.tell_cost(id, told))?;
        self.books.pay(id, cost);
        Ok(Said::Taken)
    }

    pub(super) fn note_running(&mut self, id: usize, factor: f64) -> Answer {
        let entry = self.books.entries.get(id);
        let cost = entry.map_or(1.0, |entry| self.cost_at(&entry.values)) * factor;
        let faults: &[ErrorKind] = match entry {
            None => &[ErrorKind::UnknownTrial],
            Some(entry) if entry.state != TrialState::Pending => &[ErrorKind::InvalidSetting],
            Some(_) if !cost.is_finite() => &[ErrorKind::NonFinite],
            Some(_) if cost < 0.0 => &[ErrorKind::NonPositiveCost],
            Some(_) => &[],
        };
        let told = self.view.cost(cost);
        self.attempt(faults, &[], |study| study.note_running(id, told))?;
        // A record does not tell of it.
        self.books.is_watched = false;
        self.books.entries[id].noted = true;
        Ok(Said::Taken)
    }

    pub(super) fn import(&mut self, place: &Place, word: Word) -> Answer {
        let known: Vec<_> = self.books.entries.iter().map(|entry| &entry.values).collect();
        let values = place.values(&self.world.domain, &known);
        let faults = self.books.faults_of_values(&values);
        let (unit, told) = match faults.is_empty() {
            true => {
                let unit = self.books.domain().to_unit(&values).unwrap_or_default();
                let told = self.told(word, (&values, &unit), false);
                (unit, told)
            }
            false => (Vec::new(), Told { cost: Bill::Paid(1.0), ..Told::nothing(word) }),
        };
        let faults = [faults, self.books.faults(&told, false)].concat();
        let outcome = told.outcome(self.view, &self.world.measured);
        let number = self.books.entries.len();
        let id =
            self.attempt(&faults, &self.numbers(), |study| study.import(&values, outcome.clone()))?;
        must!(id.index() == number, HistoryIsWhatWasTold, "{id}, expected {number}")?;
        self.books.import(&values, &told, &self.study)?;
        let trial = &self.study.history()[number];
        must!(trial.unit == unit, PointsAreInside, "{trial:?}, expected {unit:?}")?;
        Ok(Said::Taken)
    }

    pub(super) fn withdraw(&mut self, id: usize) -> Answer {
        let faults = self.books.faults_of_withdrawal(id);
        self.attempt(&faults, &[], |study| study.withdraw(id))?;
        self.books.withdraw(id);
        Ok(Said::Taken)
    }

    pub(super) fn correct(&mut self, id: usize, word: Word) -> Answer {
        // What fits a correction that is silent about the cost is the cost that stands.
        let mut told = self.told_of(id, word);
        if word.cost == Cost::Fitting
            && self.books.entries.get(id).is_some_and(|entry| entry.cost.is_some())
        {
            told.cost = Bill::Silent;
        }
        let faults = self.books.faults_of_correction(id, &told);
        let outcome = told.outcome(self.view, &self.world.measured);
        self.attempt(&faults, &[], |study| study.correct(id, outcome.clone()))?;
        self.books.correct(id, &told);
        Ok(Said::Taken)
    }
}
