//! The record of a study of control sets.

use crate::study::TrialState;
use crate::subsets::purse::SetPurse;
use crate::subsets::record::{SubsetPoint, SubsetRecord};
use crate::subsets::study::SubsetStudy;
use crate::subsets::trial::SubsetTrial;

impl SubsetStudy {
    /// The run so far as a table of numbers, one row for each trial.
    pub fn record(&self) -> SubsetRecord {
        let mut rows = self.books.rows(|trial| {
            let set = trial.set.map(|set| &self.sets.sets()[set]);
            let controlled = set.map_or(&[][..], |set| &set.controlled);
            let names = controlled.iter().map(|&k| self.names[k].clone());
            let value = |k: usize| trial.values.as_ref().map(|values| values[k]);
            SubsetPoint {
                set: set.map(|set| set.name.clone()),
                price: set.map(|set| set.cost),
                chosen: names.zip(trial.chosen.iter().copied()).collect(),
                query: trial.query.clone(),
                values: self.names.iter().cloned().zip((0..self.names.len()).map(value)).collect(),
            }
        });
        for (id, spent) in self.books.told.iter().zip(self.spent_when_told()) {
            rows[id.index()].spent = Some(spent);
        }
        SubsetRecord::from_study(rows)
    }

    /// The cost of the trials that were asked for each time that one was told, as the numbers now
    /// stand; pending trials count at the prices of their sets.
    fn spent_when_told(&self) -> Vec<f64> {
        let price = |trial: &SubsetTrial| Some(self.sets.sets()[trial.set?].cost);
        let (mut purse, mut entered, mut spent) = (SetPurse::default(), 0, Vec::new());
        let trials = &self.books.trials;
        for (place, id) in self.books.told.iter().enumerate() {
            while entered < trials.len() && self.books.notes[entered].seen <= place {
                let trial = &trials[entered];
                let stands = trial.state != TrialState::Withdrawn;
                price(trial).filter(|_| stands).into_iter().for_each(|price| purse.pay(price));
                entered += 1;
            }
            let trial = &trials[id.index()];
            if let Some(price) = price(trial) {
                purse.take_back(price);
                purse.pay(trial.cost.unwrap_or(price));
            }
            spent.push(purse.spent());
        }
        spent
    }
}
