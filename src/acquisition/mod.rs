//! Acquisition functions: how much a point is worth, given what the posterior believes of it.

pub mod confidence;
pub mod gittins;
pub mod improvement;
pub mod per_cost;

/// How a log-normal belief about the cost enters a score per unit of cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CostForm {
    /// Divide by `E[c^a]`: `ln` of it is `a m + a^2 v / 2`. The form whose stopping test equals the Gittins index's.
    #[default]
    Expected,
    /// Multiply by `E[c^-a]`: `ln` of the divisor is `a m - a^2 v / 2`.
    ExpectedInverse,
}

/// A pointwise acquisition function, larger is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Acquisition {
    /// `sigma h(u)`.
    ExpectedImprovement,
    /// `ln(sigma h(u))`.
    LogExpectedImprovement,
    /// `Phi(u)`.
    ProbabilityOfImprovement,
    /// `ln Phi(u)`.
    LogProbabilityOfImprovement,
    /// `mu + sqrt(beta) sigma`.
    UpperConfidenceBound {
        /// beta
        beta: f64,
    },
    /// `EI / c^exponent`.
    ExpectedImprovementPerCost {
        /// 1 is per unit of cost, 0 ignores the cost.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
    /// `ln EI - exponent ln c`.
    LogExpectedImprovementPerCost {
        /// 1 is per unit of cost, 0 ignores the cost.
        exponent: f64,
        /// What a learned cost divides by.
        form: CostForm,
    },
    /// The Gittins index of the Pandora's box at the point.
    Gittins {
        /// The price of one unit of cost in units of the posterior's outcome.
        lambda: f64,
    },
}

/// What is believed of the cost at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointBeliefCost {
    /// The cost itself.
    Known(f64),
    /// `ln c` is normal.
    LogNormal {
        /// Mean of `ln c`.
        mean: f64,
        /// Variance of `ln c`.
        variance: f64,
    },
}

/// What is believed at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// Posterior mean.
    pub mean: f64,
    /// Posterior standard deviation.
    pub sd: f64,
    /// Cost.
    pub cost: PointBeliefCost,
}

/// A value with its partial derivatives with respect to what is believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The value.
    pub value: f64,
    /// Its derivative with respect to the mean,
    pub d_mean: f64,
    /// to the standard deviation,
    pub d_sd: f64,
    /// to `ln c` (known cost) or to the mean of `ln c` (learned cost),
    pub d_log_cost: f64,
    /// to the variance of `ln c` (zero for a known cost).
    pub d_log_cost_variance: f64,
}

impl Acquisition {
    /// The Gittins index with a price of `lambda` units of outcome for a unit of cost.
    pub fn gittins(lambda: f64) -> Self {
        Self::Gittins { lambda }
    }
    /// Whether the score depends on the cost.
    pub fn uses_cost(&self) -> bool {
        todo!()
    }
    /// Whether the value is in units of the outcome (EI, UCB, Gittins), so that it scales with it.
    pub fn in_outcome_units(&self) -> bool {
        todo!()
    }
    /// Settings that make no sense are errors.
    pub fn validate(&self) -> crate::error::Result<()> {
        todo!()
    }
    /// Value and partial derivatives at one point; `incumbent` is the best outcome so far (larger is better).
    pub fn score(&self, incumbent: f64, belief: &Belief) -> Score {
        todo!()
    }
}
