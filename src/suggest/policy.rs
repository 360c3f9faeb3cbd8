//! Which acquisition, with which parameter, at which point of the run.

use crate::acquisition::confidence::ucb_beta;
use crate::acquisition::per_cost::cooling_exponent;
use crate::acquisition::{Acquisition, CostForm};
use crate::error::{Error, ErrorKind, Result, check_positive};

/// A rule that gives the acquisition function of each step. A fixed [`Acquisition`] is one; the others carry a state or a schedule.
///
/// Prices (`lambda`) are in the user's outcome units for a unit of cost, whatever is standardized inside.
///
/// ```
/// use gittins::{Acquisition, Policy};
/// let fixed: Policy = Acquisition::gittins(1e-3).into();
/// assert_eq!(fixed.price(), Some(1e-3));
/// assert_eq!(Policy::gittins_decay(0.1, 2.0).price(), Some(0.1));
/// assert_eq!(Policy::ucb().price(), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Fixed(Acquisition),
    GittinsDecay { initial: f64, factor: f64, lambda: f64 },
    CostCooling { budget: f64 },
    ConfidenceSchedule,
}

/// How far a run has come, as far as schedules ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The number of inputs.
    pub dim: usize,
    /// The number of the coming suggestion, the first being 1; the initial design does not count.
    pub iteration: usize,
    /// The cost of the suggested trials told so far; the initial design does not count.
    pub spent: f64,
}

impl From<Acquisition> for Policy {
    fn from(acquisition: Acquisition) -> Self {
        Self { kind: Kind::Fixed(acquisition) }
    }
}

impl Policy {
    /// The Gittins index with a price that falls: whenever a trial was suggested with an index that is worse than the best outcome
    /// known after it was told, so that at this price the run would have ended, `lambda` is divided by `factor`, once for such a
    /// trial (PBGI-D in Xie et al. 2024, Cost-aware Bayesian Optimization via the Pandora's Box Gittins Index, which starts from 0.1 and
    /// halves). The price stays above 1e-12 of the range of the outcomes seen, so that a plateau does not end in pure exploration.
    pub fn gittins_decay(initial_lambda: f64, factor: f64) -> Self {
        Self { kind: Kind::GittinsDecay { initial: initial_lambda, factor, lambda: initial_lambda } }
    }

    /// Expected improvement per unit of cost, where the cost counts less as the budget is used up: `ln EI - a ln c` with
    /// `a = max(0, (B - S)/B)`, `S` being what the suggested trials have cost so far.
    pub fn log_eipc_cooled(budget: f64) -> Self {
        Self { kind: Kind::CostCooling { budget } }
    }

    /// The upper confidence bound `mu + sqrt(beta_t) sigma` with `beta_t = (2/5) ln(d t^2 pi^2 / 0.6)` at the `t`-th suggestion.
    pub fn ucb() -> Self {
        Self { kind: Kind::ConfidenceSchedule }
    }

    /// The acquisition function of the coming suggestion, its price in the user's units.
    pub fn acquisition(&self, progress: &Progress) -> Acquisition {
        match self.kind {
            Kind::Fixed(acquisition) => acquisition,
            Kind::GittinsDecay { lambda, .. } => Acquisition::gittins(lambda),
            Kind::CostCooling { budget } => {
                Acquisition::LogExpectedImprovementPerCost { exponent: cooling_exponent(budget, progress.spent), form: CostForm::default() }
            }
            Kind::ConfidenceSchedule => Acquisition::UpperConfidenceBound { beta: ucb_beta(progress.dim, progress.iteration, 0.1) },
        }
    }

    /// The user's price of a unit of cost, if the policy has one: what a stopping rule compares with. A decaying price does not
    /// decay here.
    pub fn price(&self) -> Option<f64> {
        match self.kind {
            Kind::Fixed(Acquisition::Gittins { lambda }) => Some(lambda),
            Kind::GittinsDecay { initial, .. } => Some(initial),
            _ => None,
        }
    }

    /// The price that the coming suggestion uses, if the policy has one.
    pub fn current_price(&self) -> Option<f64> {
        match self.kind {
            Kind::GittinsDecay { lambda, .. } => Some(lambda),
            _ => self.price(),
        }
    }

    /// Settings that make no sense are errors.
    ///
    /// # Errors
    /// `InvalidSetting`: a price or a budget that is not positive and finite, a factor that is not above 1, or what
    /// [`Acquisition::validate`] says.
    pub fn validate(&self) -> Result<()> {
        match self.kind {
            Kind::Fixed(acquisition) => acquisition.validate(),
            Kind::GittinsDecay { initial, factor, .. } => {
                check_positive("the initial price lambda", initial)?;
                if factor.is_finite() && factor > 1.0 {
                    return Ok(());
                }
                let message = format!("the factor that divides lambda must be finite and above 1, got {factor}");
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
            Kind::CostCooling { budget } => check_positive("the budget of the cost cooling", budget),
            Kind::ConfidenceSchedule => Ok(()),
        }
    }

    /// Learns that a suggested trial was told: `index` is the value that it was suggested with, `incumbent` the best outcome after it,
    /// `range` the spread of all outcomes; larger is better, in the user's units.
    pub(crate) fn told(&mut self, index: f64, incumbent: f64, range: f64) {
        if let Kind::GittinsDecay { factor, lambda, .. } = &mut self.kind
            && index < incumbent
        {
            let floor = (1e-12 * range).max(f64::MIN_POSITIVE).min(*lambda);
            *lambda = (*lambda / *factor).max(floor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Progress = Progress { dim: 8, iteration: 1, spent: 0.0 };

    #[test]
    fn price_halves_only_where_the_index_lies_strictly_below_the_incumbent() {
        let mut policy = Policy::gittins_decay(0.1, 2.0);
        policy.told(1.0, 1.0, 1.0);
        assert_eq!(policy.current_price(), Some(0.1));
        policy.told(0.9, 1.0, 1.0);
        assert_eq!(policy.acquisition(&START), Acquisition::gittins(0.05));
        assert_eq!(policy.price(), Some(0.1));
    }

    #[test]
    fn price_stops_at_its_floor_and_never_rises_to_it() {
        let mut policy = Policy::gittins_decay(3e-12, 2.0);
        for _ in 0..3 {
            policy.told(0.0, 1.0, 1.0);
        }
        assert_eq!(policy.current_price(), Some(1e-12));
        policy.told(0.0, 1.0, 1e3);
        assert_eq!(policy.current_price(), Some(1e-12));
    }

    #[test]
    fn cost_counts_fully_at_the_start_and_not_at_all_beyond_the_budget() {
        let policy = Policy::log_eipc_cooled(8.0);
        for (spent, expected) in [(0.0, 1.0), (2.0, 0.75), (8.0, 0.0), (9.0, 0.0)] {
            match policy.acquisition(&Progress { spent, ..START }) {
                Acquisition::LogExpectedImprovementPerCost { exponent, .. } => assert_eq!(exponent, expected),
                other => panic!("{other:?}"),
            }
        }
    }
}
