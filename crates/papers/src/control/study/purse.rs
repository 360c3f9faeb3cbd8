//! Exact money.

use gittins::internals::saturated;

/// Money by the number of evaluations at each price, so that nothing drifts: fifty of 0.1 and fifty
/// of 0.2 are 15, and a budget of 50 then has room for 35 of 1. The order of the payments does not
/// matter, nor which of them were taken back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SetPurse {
    /// Prices in rising order, and how often each was paid: once at least.
    paid: Vec<(f64, usize)>,
}

impl SetPurse {
    /// The money paid in all, at most the largest number.
    pub fn spent(&self) -> f64 {
        saturated(self.paid.iter().map(|(cost, count)| cost * *count as f64).sum())
    }

    /// Pays once more.
    pub fn pay(&mut self, cost: f64) {
        let place = self.paid.partition_point(|(known, _)| *known < cost);
        match self.paid.get_mut(place).filter(|(known, _)| *known == cost) {
            Some((_, count)) => *count += 1,
            None => self.paid.insert(place, (cost, 1)),
        }
    }

    /// The money left of a budget; negative if it was overspent.
    pub fn left(&self, budget: f64) -> f64 {
        budget - self.spent()
    }

    /// Takes a payment of this size back, so that another may take its place. Without one nothing
    /// changes.
    pub fn take_back(&mut self, cost: f64) {
        if let Some((_, count)) = self.paid.iter_mut().find(|(known, _)| *known == cost) {
            *count -= 1;
            self.paid.retain(|(_, count)| *count > 0);
        }
    }

    /// Whether a budget has room for one more at this cost, to the rounding of the sums.
    pub fn affords(&self, cost: f64, budget: f64) -> bool {
        let rounding = 4.0 * f64::EPSILON * (self.paid.len() + 1) as f64;
        self.spent() + cost <= budget * (1.0 + rounding)
    }
}
