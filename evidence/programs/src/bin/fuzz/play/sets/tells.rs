//! What a study of control sets is told.

use gittins::study::Origin;
use gittins::{ErrorKind, TrialId};

use super::{Player, numbers, typeless};
use crate::calls::{Cost, Place, Word};
use crate::dice::Dice;
use crate::invariants::must;
use crate::play::player::Answer;
use crate::said::Said;
use crate::trial_log::{CostTold, Entry, Played, Telling};
use crate::world::kind;

impl Player<'_> {
    fn told(&self, word: Word, values: &[f64], price: f64) -> Telling {
        if !self.log.faults_of_values(&typeless(values)).is_empty() {
            return Telling::nothing(word);
        }
        let unit = self.space.to_unit(values).unwrap_or_default();
        let told = self.log.told(word, &typeless(values), &unit, price);
        // A set has its price.
        let cost = if word.cost == Cost::Fitting { CostTold::Silent } else { told.cost };
        Telling { cost, ..told }
    }

    fn price_of(&self, id: usize) -> Option<f64> {
        let played = self.log.entries.get(id)?.played.as_ref()?;
        Some(self.settings.sets[played.set].price)
    }

    /// What nature made of a trial, and what is wrong with it: those variables that were set keep
    /// their values unless they stray.
    fn happened(&self, id: usize) -> (Vec<f64>, Vec<ErrorKind>) {
        let dim = self.kinds.len();
        let mut dice =
            Dice::new(self.world.seed ^ id as u64 ^ (self.log.entries.len() as u64) << 32);
        let mut values = self.at(&dice.point(dim));
        let mut faults = Vec::new();
        let stray = dice.index(&[0.7, 0.08, 0.08, 0.08, 0.03, 0.03]);
        if let Some(Played { set, chosen }) =
            self.log.entries.get(id).and_then(|entry| entry.played.as_ref())
        {
            let controlled = self.settings.sets[*set].controlled();
            controlled.iter().zip(chosen).for_each(|(&k, value)| values[k] = *value);
            let (first, kind) = (controlled[0], self.kinds[controlled[0]]);
            let unit =
                |values: &[f64]| self.space.to_unit(values).ok().map_or(0.5, |unit| unit[first]);
            let asked = unit(&values);
            let tolerance = self.settings.tolerance;
            let side = if asked > 0.5 { -1.0 } else { 1.0 };
            match stray {
                // The first variable that was set is off by less than what is tolerated.
                1 if kind::is_real(kind) && tolerance > 1e-12 => {
                    values[first] = kind::code_at(kind, asked + 0.4 * tolerance * side);
                    // In a range that numbers hardly resolve the way back may lead further than
                    // half of it.
                    if (unit(&values) - asked).abs() > 0.5 * tolerance {
                        values[first] = chosen[0];
                    }
                }
                // It is told at the other end of its range.
                2 => {
                    values[first] = kind::code_at(kind, f64::from(u8::from(side > 0.0)));
                    faults.push(ErrorKind::Contradiction);
                }
                _ => {}
            }
        }
        match stray {
            3 => values[dim - 1] = dice.pick(&[f64::NAN, f64::INFINITY, f64::MAX, -1e305]),
            4 => values.push(0.5),
            5 => drop(values.pop()),
            _ => {}
        }
        faults.extend(self.log.faults_of_values(&typeless(&values)));
        (values, faults)
    }

    pub fn tell(&mut self, id: usize, word: Word) -> Answer {
        let (values, faults) = self.happened(id);
        let told = self.told(word, &values, self.price_of(id).unwrap_or(1.0));
        let faults = [faults, self.log.faults_of_tell(id, &told)].concat();
        let outcome = told.outcome(self.view, &[]);
        let trial = TrialId::from(id);
        self.attempt(&faults, &[], |study| study.tell(trial, &values, outcome.clone()))?;
        self.settle(id, values, &told);
        Ok(Said::Taken)
    }

    fn settle(&mut self, id: usize, values: Vec<f64>, told: &Telling) {
        let price = self.price_of(id).map(|price| self.view.cost(price));
        self.log.settle(id, told);
        let entry = &mut self.log.entries[id];
        entry.values = typeless(&values);
        if !matches!(told.cost, CostTold::Paid(_)) {
            entry.cost = price;
        }
        self.next = None;
    }

    pub fn import(&mut self, place: &Place, word: Word) -> Answer {
        let known = self.log.entries.iter().map(|entry| &entry.values);
        let known: Vec<_> = known.filter(|values| !values.is_empty()).collect();
        let values = numbers(&place.values(&self.world.domain, &known));
        let told = self.told(word, &values, 1.0);
        let faults = self.log.faults_of_values(&typeless(&values));
        let faults = [faults, self.log.faults(&told, false)].concat();
        let outcome = told.outcome(self.view, &[]);
        let number = self.log.entries.len();
        let id = self.attempt(&faults, &[], |study| study.import(&values, outcome.clone()))?;
        must!(id.index() == number, HistoryIsWhatWasTold, "{id}, expected {number}")?;
        self.log.begin(Entry::new(Vec::new(), Vec::new(), None, Origin::Imported));
        self.settle(number, values, &told);
        Ok(Said::Taken)
    }

    pub fn withdraw(&mut self, id: usize) -> Answer {
        let faults = self.log.faults_of_withdrawal(id);
        self.attempt(&faults, &[], |study| study.withdraw(id))?;
        self.log.withdraw(id);
        self.log.entries[id].values.clear();
        self.next = None;
        Ok(Said::Taken)
    }

    pub fn correct(&mut self, id: usize, word: Word) -> Answer {
        let values = self.log.entries.get(id).map(|entry| numbers(&entry.values));
        let values = values.filter(|values| !values.is_empty());
        let values = values.unwrap_or_else(|| self.at(&vec![0.5; self.kinds.len()]));
        let told = self.told(word, &values, self.price_of(id).unwrap_or(1.0));
        let faults = self.log.faults_of_correction(id, &told);
        let outcome = told.outcome(self.view, &[]);
        self.attempt(&faults, &[], |study| study.correct(id, outcome.clone()))?;
        self.log.settle(id, &told);
        self.next = None;
        Ok(Said::Taken)
    }
}
