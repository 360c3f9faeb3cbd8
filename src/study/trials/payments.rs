//! What a run has paid, payment by payment.

use crate::data::trial::trial::Origin;
use crate::math::saturating::sum;

/// Payments in order, and their sums.
#[derive(Debug, Default)]
pub(in crate::study) struct Payments {
    list: Vec<(usize, f64, Origin)>,
    /// The cost of all trials.
    pub total: f64,
    /// The cost of the suggested ones.
    pub spent: f64,
}

impl Payments {
    /// Pays for a trial.
    pub fn pay(&mut self, trial: usize, cost: f64, origin: Origin) {
        self.list.push((trial, cost, origin));
        self.total = sum(self.total, cost);
        if origin == Origin::Suggested {
            self.spent = sum(self.spent, cost);
        }
    }

    /// Adds up anew without what was paid for a trial.
    pub fn take_back(&mut self, trial: usize) {
        for (trial, cost, origin) in
            std::mem::take(self).list.into_iter().filter(|(other, ..)| *other != trial)
        {
            self.pay(trial, cost, origin);
        }
    }
}
