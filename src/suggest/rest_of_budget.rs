//! The rest of a budget: the prices that follow from it. [`stop::budget`](crate::stop::budget) derives
//! them.

/// The share of what was gained that the rest of a budget must still promise: `s`.
pub const SHARE: f64 = 1e-4;

/// How far the price of the next trial is from that of one more, on the log scale, while nothing
/// is spent.
const AHEAD: f64 = 0.4;

/// The price at which the rest of a budget is worth spending: `s G / R`, with the gain `G` of the
/// `best` outcome over that of the initial `design`, and `left` of the budget. Larger outcomes are
/// better. None while nothing was gained.
///
/// ```
/// use gittins::stop::budget::{SHARE, price_of_rest};
///
/// let price = price_of_rest(2.0, 6.0, 50.0).expect("6 is better than 2");
/// assert!((price / (SHARE * 4.0 / 50.0) - 1.0).abs() < 1e-15);
/// assert_eq!(price_of_rest(1.0, 1.0, 50.0), None);
/// ```
pub fn price_of_rest(design: f64, best: f64, left: f64) -> Option<f64> {
    Some(SHARE * ((best - design) / left)).filter(|price| price.is_normal() && *price > 0.0)
}

/// A budget that is partly spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RestOfBudget {
    /// The budget.
    pub budget: f64,
    /// The money left.
    pub left: f64,
    /// The [price](price_of_rest) at which the rest is worth spending, if there is one yet.
    pub price: Option<f64>,
}

impl RestOfBudget {
    /// The price at which the next trial is chosen. `one_more` is the logarithm of the largest
    /// expected improvement per cost.
    pub fn price_of_next(&self, one_more: f64) -> Option<f64> {
        let weight = AHEAD * (self.left / self.budget);
        let rest = self.price?.ln().min(one_more);
        let price = ((1.0 - weight) * one_more + weight * rest).exp();
        Some(price).filter(|price| price.is_normal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_trial_is_chosen_between_one_more_and_the_rest() {
        let rest = |left: f64| RestOfBudget { budget: 100.0, left, price: Some(1e-6) };
        let price = |left| rest(left).price_of_next(1e-2_f64.ln()).unwrap();
        // Two fifths of the way at the start, and none of it at the end.
        assert!((price(100.0) / 10_f64.powf(-3.6) - 1.0).abs() < 1e-12);
        assert!((price(1e-9) / 1e-2 - 1.0).abs() < 1e-9);
        assert!(price(80.0) < price(40.0));
        // What promises less than the rest must is chosen by what it promises.
        assert!((rest(50.0).price_of_next(1e-9_f64.ln()).unwrap() / 1e-9 - 1.0).abs() < 1e-12);
        let unknown = RestOfBudget { price: None, ..rest(50.0) };
        assert_eq!(unknown.price_of_next(0.0), None);
        assert_eq!(rest(50.0).price_of_next(f64::NEG_INFINITY), None);
    }

    #[test]
    fn the_price_of_the_rest_has_the_units_of_outcome_and_money() {
        let price = price_of_rest(9.0, 13.0, 40.0).unwrap();
        assert_eq!(price_of_rest(18.0, 26.0, 40.0), Some(2.0 * price));
        assert_eq!(price_of_rest(9.0, 13.0, 80.0), Some(0.5 * price));
        for (design, best, left) in [(2.0, 1.0, 1.0), (0.0, 1.0, 0.0), (f64::MIN, f64::MAX, 1.0)] {
            assert_eq!(price_of_rest(design, best, left), None);
        }
    }
}
