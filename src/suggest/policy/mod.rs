//! Which acquisition is used, with which parameter, at which step of the run.
//!
//! | file | holds |
//! | --- | --- |
//! | `named`, `measured` | policies by name; those for limits and fronts |
//! | `lambda` | a price for a budget |
//! | `estimation`, `max_value`, `knowledge_gradient`, `lookahead/` | what a policy computes before a search |
//! | `stages/` | the index of runs in stages |

pub(super) mod estimation;
pub(super) mod knowledge_gradient;
pub(crate) mod lambda;
mod lookahead;
pub(super) mod max_value;
mod measured;
mod named;
pub(crate) mod stages;

use crate::acquisition::{
    Acquisition, CostForm, Joint, Lookahead, Pointwise, cooling_exponent, ucb_beta, ucb_beta_at,
};
use crate::data::Observations;
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::posterior::Paths;
use crate::suggest::step::{Progress, Step};
use crate::surrogate::{Stream, View};
use estimation::Estimation;
use knowledge_gradient::check_fantasies;
use lookahead::Planner;
use max_value::MaxValueEntropy;

/// The number of features of a sample path: 512 frequencies, as in the papers.
const FEATURES: usize = 1024;

/// A rule that gives the acquisition function of each step. A fixed [`Acquisition`] is a policy.
/// Other policies have a state or a schedule. [`Policy::named`] makes one from its name.
///
/// Prices (`lambda`) are in the user's outcome units per unit of cost, even if outcomes are
/// standardized inside.
///
/// ```
/// use gittins::Policy;
/// assert_eq!(Policy::gittins(1e-3).price(), Some(1e-3));
/// assert_eq!(Policy::gittins_decay(0.1, 2.0).price(), Some(0.1));
/// assert_eq!(Policy::ucb().price(), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Policy {
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(super) enum Kind {
    Fixed(Acquisition),
    GittinsDecay { initial: Initial, factor: f64, lambda: Option<f64> },
    GittinsAdaptive { lambda: Option<f64>, due: bool },
    WithinBudget,
    CostCooling { budget: f64, form: CostForm },
    ConfidenceSchedule(ConfidenceClock),
    Thompson,
    Estimation(Estimation),
    MaxValueEntropy(MaxValueEntropy),
    KnowledgeGradient { fantasies: usize },
    Lookahead(Box<Planner>),
}

/// The time with which the `beta` of an upper confidence bound grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ConfidenceClock {
    /// The number of the next suggestion; the first is 1 (Srinivas et al. 2010).
    #[default]
    Suggestions,
    /// 1 plus the known cost of the suggested trials so far. The published code of Xie et al. 2024,
    /// "Cost-aware Bayesian Optimization via the Pandora's Box Gittins Index", uses this clock. With
    /// unit costs the two clocks are the same.
    Spent,
}

/// The first value of a falling price.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(super) enum Initial {
    Price(f64),
    Budget(f64),
}

impl From<Acquisition> for Policy {
    fn from(acquisition: Acquisition) -> Self {
        Self { kind: Kind::Fixed(acquisition) }
    }
}

impl From<Pointwise> for Policy {
    fn from(acquisition: Pointwise) -> Self {
        Acquisition::from(acquisition).into()
    }
}

impl From<Joint> for Policy {
    fn from(acquisition: Joint) -> Self {
        Acquisition::from(acquisition).into()
    }
}

impl From<Lookahead> for Policy {
    /// Plans several steps at each step. The policy keeps the planning budget and the trees from
    /// which the next search begins.
    fn from(lookahead: Lookahead) -> Self {
        Self { kind: Kind::Lookahead(Box::new(lookahead.into())) }
    }
}

impl Policy {
    /// The Pandora's Box Gittins Index (PBGI) at a price: [`Pointwise::Gittins`].
    pub fn gittins(price: f64) -> Self {
        Acquisition::gittins(price).into()
    }

    /// The logarithm of the expected improvement per expected cost:
    /// [`Pointwise::LogExpectedImprovementPerCost`].
    pub fn log_eipc() -> Self {
        Acquisition::log_eipc().into()
    }

    /// The logarithm of the expected improvement: [`Pointwise::LogExpectedImprovement`].
    pub fn log_ei() -> Self {
        Pointwise::LogExpectedImprovement.into()
    }

    /// The expected improvement: [`Pointwise::ExpectedImprovement`].
    pub fn ei() -> Self {
        Pointwise::ExpectedImprovement.into()
    }

    /// The logarithm of the probability of improvement: [`Pointwise::LogProbabilityOfImprovement`].
    pub fn log_pi() -> Self {
        Pointwise::LogProbabilityOfImprovement.into()
    }

    /// The Gittins index with a falling price.
    ///
    /// Suppose a suggested trial was told, and the index with which it was suggested is worse than
    /// the best known outcome. At this price the run would have ended. `lambda` is then divided by
    /// `factor`, once per such trial (PBGI-D in Xie et al. 2024, Cost-aware Bayesian Optimization
    /// via the Pandora's Box Gittins Index, which starts from 0.1 and halves). The price stays
    /// above 1e-12 of the range of the observed outcomes for a trial of mean cost, so a plateau
    /// does not end in pure exploration.
    pub fn gittins_decay(initial_lambda: f64, factor: f64) -> Self {
        Self {
            kind: Kind::GittinsDecay {
                initial: Initial::Price(initial_lambda),
                factor,
                lambda: Some(initial_lambda),
            },
        }
    }

    /// [`gittins_decay`](Self::gittins_decay) that starts from the price at which a run is expected
    /// to cost at most `budget`, including the initial design. This price is
    /// [`Study::price_from_budget`](crate::Study::price_from_budget) at the first suggestion.
    /// Before that the policy has no price.
    pub fn gittins_decay_from_budget(budget: f64, factor: f64) -> Self {
        Self { kind: Kind::GittinsDecay { initial: Initial::Budget(budget), factor, lambda: None } }
    }

    /// The Gittins index with a price of half the largest expected improvement per cost. So at
    /// least one trial is worth twice its price. The price is computed at the first suggestion, and
    /// again whenever [`gittins_decay`](Self::gittins_decay) would divide; it never rises. The
    /// policy needs no initial price and gives no price to a stopping rule. The price has the same
    /// floor as in the decay.
    pub fn gittins_adaptive() -> Self {
        Self { kind: Kind::GittinsAdaptive { lambda: None, due: true } }
    }

    /// The Gittins index at a price that follows from the rest of the study's budget
    /// ([`RestOfBudget`](crate::suggest::RestOfBudget)). Without a budget, and while it gives no price,
    /// improvement per cost.
    pub(crate) fn within_budget() -> Self {
        Self { kind: Kind::WithinBudget }
    }

    /// Expected improvement per unit of cost with cost cooling: the cost counts less as the budget
    /// is used up. The value is `ln EI - a ln c` with `a = max(0, (B - S)/B)`, and `S` is the known
    /// cost of the suggested trials. A learned cost divides by its moment `E[c^a]`, so the policy
    /// avoids uncertain costs.
    pub fn log_eipc_cooled(budget: f64) -> Self {
        Self { kind: Kind::CostCooling { budget, form: CostForm::Expected } }
    }

    /// EI-PUC-CC: [`log_eipc_cooled`](Self::log_eipc_cooled) with another treatment of a learned
    /// cost, which multiplies the improvement by `E[c^-a]`. With `ln c ~ N(m, s^2)` the value is
    /// `ln EI - a m + a^2 s^2/2`, so the policy prefers uncertain costs (Lee et al. 2020,
    /// Cost-aware Bayesian Optimization; with this moment in Astudillo et al. 2021, Multi-Step
    /// Budgeted Bayesian Optimization with Unknown Evaluation Costs).
    pub fn ei_puc_cc(budget: f64) -> Self {
        Self { kind: Kind::CostCooling { budget, form: CostForm::ExpectedInverse } }
    }

    /// The upper confidence bound `mu + sqrt(beta_t) sigma` with
    /// `beta_t = (2/5) ln(d t^2 pi^2 / 0.6)` at the `t`-th suggestion.
    pub fn ucb() -> Self {
        Self::ucb_with_clock(ConfidenceClock::default())
    }

    /// The bound of [`ucb`](Self::ucb) with another time `t`.
    #[doc(hidden)]
    pub fn ucb_with_clock(clock: ConfidenceClock) -> Self {
        Self { kind: Kind::ConfidenceSchedule(clock) }
    }

    /// Thompson sampling: each suggestion is the maximum of a fresh sample path of the posterior,
    /// with 1024 features. The posterior is conditioned on the pending trials.
    pub fn thompson() -> Self {
        Self { kind: Kind::Thompson }
    }

    /// The point most likely to be the best, if the best value is the estimated one:
    /// [`Pointwise::EstimatedMaximum`] with an estimate over a fixed set of points at each step
    /// (Wang, Zhou, Jegelka 2016, "Optimization as Estimation with Gaussian Processes in Bandit
    /// Settings"). A [`MaximumEstimate`](crate::acquisition::MaximumEstimate) alone is used with
    /// the standard deviation of the function and 2048 points.
    pub fn estimation(estimation: impl Into<Estimation>) -> Self {
        Self { kind: Kind::Estimation(estimation.into()) }
    }

    /// The point whose outcome tells most about the value of the maximum:
    /// [`Pointwise::MaxValueEntropy`] with maxima sampled anew at each step (Wang & Jegelka 2017,
    /// "Max-value Entropy Search for Efficient Bayesian Optimization").
    pub fn max_value_entropy(settings: MaxValueEntropy) -> Self {
        Self { kind: Kind::MaxValueEntropy(settings) }
    }

    /// The knowledge gradient: how much the largest posterior mean is expected to rise with the
    /// next outcome. It is found in one shot with `fantasies` fantasies of the outcome (64 are
    /// usual, at least 2 are needed); see [`Joint::KnowledgeGradient`]. Over a table or a grid of
    /// up to 4096 points the expectation is exact, over all points or over the 1024 at which the
    /// mean may become largest. It ignores costs.
    pub fn knowledge_gradient(fantasies: usize) -> Self {
        Self { kind: Kind::KnowledgeGradient { fantasies } }
    }

    /// The acquisition function of the next suggestion, with its price in the user's units.
    ///
    /// While no trial holds all limits, the acquisition is the improvement upon the worst mean, times
    /// the chance to hold them, per cost if the policy looks at the cost: a search for anything of use.
    ///
    /// If there are several objectives, it is the improvement of the front, per cost if the policy looks
    /// at the cost.
    ///
    /// While costs are learned and none is known, [`Pointwise::LogExpectedImprovement`]
    /// replaces every acquisition that uses the cost. It chooses the same point as improvement per
    /// cost if all costs are equal. It also chooses the same point as the index at the price at
    /// which the run would just continue.
    ///
    /// # Errors
    /// Those of the search or of the sampling that some policies need. If a price follows from a
    /// budget, those of [`Study::price_from_budget`](crate::Study::price_from_budget).
    pub(crate) fn acquisition(&mut self, step: &Step<'_>) -> Result<Acquisition> {
        let Progress { dim, iteration, spent, .. } = step.progress;
        if self.looks_at_the_cost() && !step.view.surrogate.knows_cost() {
            return Ok(step.view.surrogate.improvement(false));
        }
        let surrogate = step.view.surrogate;
        if !surrogate.has_incumbent() || surrogate.front().is_some() {
            return Ok(surrogate.improvement(self.looks_at_the_cost()));
        }
        Ok(match &mut self.kind {
            Kind::Fixed(acquisition) => acquisition.clone(),
            Kind::GittinsDecay { initial, lambda, .. } => {
                let price = match (*lambda, *initial) {
                    (Some(price), _) | (None, Initial::Price(price)) => price,
                    (None, Initial::Budget(budget)) => {
                        let View { setup, surrogate, .. } = step.view;
                        lambda::for_budget(setup, surrogate, budget, step.progress.design)?
                    }
                };
                *lambda = Some(price);
                Acquisition::gittins(price)
            }
            Kind::GittinsAdaptive { lambda, due } => {
                if *due && let Some(price) = half_the_best_improvement_per_cost(step, *lambda)? {
                    *lambda = Some(price);
                    *due = false;
                }
                Acquisition::gittins(lambda.unwrap_or(f64::MIN_POSITIVE))
            }
            Kind::WithinBudget => within_budget(step)?,
            Kind::CostCooling { budget, form } => {
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent: cooling_exponent(*budget, spent),
                    form: *form,
                })
            }
            Kind::ConfidenceSchedule(clock) => {
                let beta = match clock {
                    ConfidenceClock::Suggestions => ucb_beta(dim, iteration, 0.1),
                    ConfidenceClock::Spent => ucb_beta_at(dim, 1.0 + spent, 0.1),
                };
                Pointwise::UpperConfidenceBound { beta }.into()
            }
            Kind::Thompson => {
                let seed = step.seed(Stream::Path);
                let paths = Paths::draw(surrogate.posterior(), FEATURES, 1, seed)?;
                Acquisition::thompson(paths.path(0))
            }
            Kind::Estimation(estimation) => estimation.acquisition(step)?,
            Kind::MaxValueEntropy(settings) => settings.acquisition(step)?,
            Kind::KnowledgeGradient { fantasies } => knowledge_gradient::acquisition(
                step.view,
                *fantasies,
                step.seed(Stream::Policy),
                step.deadline,
            )?,
            Kind::Lookahead(planner) => planner.acquisition(step)?,
        })
    }

    /// The planner, if the policy plans several steps. It does not choose by one search alone.
    pub(super) fn planner(&mut self) -> Option<&mut Planner> {
        match &mut self.kind {
            Kind::Lookahead(planner) => Some(planner),
            _ => None,
        }
    }

    fn looks_at_the_cost(&self) -> bool {
        match &self.kind {
            Kind::Fixed(acquisition) => acquisition.uses_cost(),
            Kind::GittinsDecay { .. }
            | Kind::GittinsAdaptive { .. }
            | Kind::WithinBudget
            | Kind::CostCooling { .. } => true,
            Kind::MaxValueEntropy(settings) => settings.exponent > 0.0,
            Kind::Lookahead(planner) => planner.looks_at_the_cost(),
            Kind::ConfidenceSchedule(_)
            | Kind::Thompson
            | Kind::Estimation(_)
            | Kind::KnowledgeGradient { .. } => false,
        }
    }

    /// The user's price of a unit of cost, if the policy has one. A stopping rule compares with it.
    /// For a falling price this is the initial price. A price that follows from a budget or from
    /// the observations is not the user's price.
    pub fn price(&self) -> Option<f64> {
        match self.kind {
            Kind::Fixed(Acquisition::Pointwise(Pointwise::Gittins { lambda })) => Some(lambda),
            Kind::GittinsDecay { initial: Initial::Price(price), .. } => Some(price),
            _ => None,
        }
    }

    /// The price of the next suggestion, if the policy has one and it is already known.
    #[doc(hidden)]
    pub fn current_price(&self) -> Option<f64> {
        match self.kind {
            Kind::GittinsDecay { lambda, .. } | Kind::GittinsAdaptive { lambda, .. } => lambda,
            _ => self.price(),
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `InvalidSetting` if a price or a budget is not positive and finite, or if a factor is not
    /// above 1, and for settings of an estimate or a lookahead that are out of range; `Empty` for
    /// an estimate without points or an entropy without samples. Those of
    /// [`Acquisition::validate`].
    pub fn validate(&self) -> Result<()> {
        match &self.kind {
            Kind::Fixed(acquisition) => acquisition.validate(),
            Kind::GittinsDecay { initial, factor, .. } => {
                match *initial {
                    Initial::Price(price) => check_positive("the initial price lambda", price)?,
                    Initial::Budget(budget) => {
                        check_positive("the budget of the initial price", budget)?;
                    }
                }
                if factor.is_finite() && *factor > 1.0 {
                    return Ok(());
                }
                let message = format!(
                    "the factor that divides lambda must be finite and above 1, got {factor}"
                );
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
            Kind::CostCooling { budget, .. } => {
                check_positive("the budget of the cost cooling", *budget)
            }
            Kind::KnowledgeGradient { fantasies } => check_fantasies(*fantasies),
            Kind::GittinsAdaptive { .. }
            | Kind::WithinBudget
            | Kind::ConfidenceSchedule(_)
            | Kind::Thompson => Ok(()),
            Kind::Estimation(estimation) => estimation.validate(),
            Kind::MaxValueEntropy(settings) => settings.validate(),
            Kind::Lookahead(planner) => planner.validate(),
        }
    }

    /// Updates the price after a suggested trial was told. `index` is the value with which it was
    /// suggested, and `incumbent` is the best outcome after it. Larger is better, in the user's
    /// units. A price never falls below the [floor](price_floor).
    pub(crate) fn told(&mut self, index: f64, incumbent: f64, floor: f64) {
        if index >= incumbent {
            return;
        }
        match &mut self.kind {
            Kind::GittinsDecay { factor, lambda: Some(lambda), .. } => {
                *lambda = (*lambda / *factor).max(floor.min(*lambda));
            }
            Kind::GittinsAdaptive { due, .. } => *due = true,
            _ => {}
        }
    }
}

/// The floor of a falling price: 1e-12 of the range of the outcomes for a trial of mean cost. So
/// the units of outcome and cost do not matter.
pub(crate) fn price_floor(observations: &Observations) -> f64 {
    (1e-12 * observations.range() / observations.mean_cost()).clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// The index at the price of the next trial within the budget, or improvement per cost.
fn within_budget(step: &Step<'_>) -> Result<Acquisition> {
    let improvement = Acquisition::log_eipc();
    let Some(rest) = step.progress.rest.filter(|rest| rest.price.is_some()) else {
        return Ok(improvement);
    };
    let one_more = step.maximum(&improvement)?;
    let price = one_more.and_then(|log| rest.price_of_next(log));
    Ok(price.map_or(improvement, Acquisition::gittins))
}

/// Half the largest expected improvement per expected cost, but at most the earlier price and at
/// least the floor. `None` if there is nothing left to evaluate.
fn half_the_best_improvement_per_cost(step: &Step<'_>, before: Option<f64>) -> Result<Option<f64>> {
    let best = step.maximum(&Acquisition::log_eipc())?;
    let least = price_floor(step.view.observations);
    let before = before.unwrap_or(f64::MAX);
    Ok(best.map(|log| (0.5 * log.exp()).max(least).min(before)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_halves_only_where_the_index_lies_strictly_below_the_incumbent() {
        let mut policy = Policy::gittins_decay(0.1, 2.0);
        policy.told(1.0, 1.0, 1e-12);
        assert_eq!(policy.current_price(), Some(0.1));
        policy.told(0.9, 1.0, 1e-12);
        assert_eq!(policy.current_price(), Some(0.05));
        assert_eq!(policy.price(), Some(0.1));
    }

    #[test]
    fn price_stops_at_its_floor_and_never_rises_to_it() {
        let mut policy = Policy::gittins_decay(3e-12, 2.0);
        for _ in 0..3 {
            policy.told(0.0, 1.0, 1e-12);
        }
        assert_eq!(policy.current_price(), Some(1e-12));
        policy.told(0.0, 1.0, 1e-9);
        assert_eq!(policy.current_price(), Some(1e-12));
    }
}
