//! Which acquisition, with which parameter, at which point of the run.

use crate::acquisition::{
    Acquisition, CostForm, Joint, Lookahead, Pointwise, cooling_exponent, ucb_beta, ucb_beta_at,
};
use crate::data::Observations;
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::posterior::Paths;
use crate::suggest::estimation::Estimation;
use crate::suggest::knowledge_gradient::{self, check_fantasies};
use crate::suggest::lambda;
use crate::suggest::lookahead::Planner;
use crate::suggest::max_value::MaxValueEntropy;
use crate::suggest::step::{Progress, Step};
use crate::suggest::streams::Stream;

/// Features of a sample path: 512 frequencies, as in the papers.
const FEATURES: usize = 1024;

/// A rule that gives the acquisition function of each step. A fixed [`Acquisition`] is one; the
/// others carry a state or a schedule.
///
/// Prices (`lambda`) are in the user's outcome units for a unit of cost, whatever is standardized
/// inside.
///
/// ```
/// use gittins::{Acquisition, Policy};
/// let fixed: Policy = Acquisition::gittins(1e-3).into();
/// assert_eq!(fixed.price(), Some(1e-3));
/// assert_eq!(Policy::gittins_decay(0.1, 2.0).price(), Some(0.1));
/// assert_eq!(Policy::ucb().price(), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Policy {
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
enum Kind {
    Fixed(Acquisition),
    GittinsDecay { initial: Initial, factor: f64, lambda: Option<f64> },
    GittinsAdaptive { lambda: Option<f64>, due: bool },
    CostCooling { budget: f64, form: CostForm },
    ConfidenceSchedule(ConfidenceClock),
    Thompson,
    Estimation(Estimation),
    MaxValueEntropy(MaxValueEntropy),
    KnowledgeGradient { fantasies: usize },
    Lookahead(Box<Planner>),
}

/// The time by which the optimism of an upper confidence bound grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ConfidenceClock {
    /// The number of the coming suggestion, the first being 1 (Srinivas et al. 2010).
    #[default]
    Suggestions,
    /// `1 +` the cost of the suggested trials told so far: the clock of the code that was published
    /// with Xie et al. 2024, "Cost-aware Bayesian Optimization via the Pandora's Box Gittins
    /// Index". With unit costs the two are the same.
    Spent,
}

/// Where a falling price begins.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
enum Initial {
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
    /// Plans several steps at each, with state of its own: the planning budget and the trees to
    /// begin the next search from.
    fn from(lookahead: Lookahead) -> Self {
        Self { kind: Kind::Lookahead(Box::new(lookahead.into())) }
    }
}

impl Policy {
    /// The Gittins index with a price that falls: whenever a trial was suggested with an index that
    /// is worse than the best outcome known after it was told, so that at this price the run would
    /// have ended, `lambda` is divided by `factor`, once for such a trial (PBGI-D in Xie et al.
    /// 2024, Cost-aware Bayesian Optimization via the Pandora's Box Gittins Index, which starts
    /// from 0.1 and halves). The price stays above 1e-12 of the range of the outcomes seen for a
    /// trial of mean cost, so that a plateau does not end in pure exploration.
    pub fn gittins_decay(initial_lambda: f64, factor: f64) -> Self {
        Self {
            kind: Kind::GittinsDecay {
                initial: Initial::Price(initial_lambda),
                factor,
                lambda: Some(initial_lambda),
            },
        }
    }

    /// [`gittins_decay`](Self::gittins_decay) from the price at which a run is expected to cost no
    /// more than `budget`, the initial design included:
    /// [`Study::lambda_from_budget`](crate::Study::lambda_from_budget) at the first suggestion. The
    /// policy has no price before that.
    pub fn gittins_decay_from_budget(budget: f64, factor: f64) -> Self {
        Self { kind: Kind::GittinsDecay { initial: Initial::Budget(budget), factor, lambda: None } }
    }

    /// The Gittins index with half the largest expected improvement per cost as its price, so that
    /// one trial at least is worth twice its price: found anew, and never raised, at the first
    /// suggestion and whenever [`gittins_decay`](Self::gittins_decay) would divide. It needs no
    /// price to begin with, and gives none to a stopping rule. The floor is that of the decay.
    pub fn gittins_adaptive() -> Self {
        Self { kind: Kind::GittinsAdaptive { lambda: None, due: true } }
    }

    /// Expected improvement per unit of cost, where the cost counts less as the budget is used up:
    /// `ln EI - a ln c` with `a = max(0, (B - S)/B)`, `S` being what the suggested trials have cost
    /// as far as it was told. A learned cost divides by its moment `E[c^a]`, so that an uncertain
    /// one repels.
    pub fn log_eipc_cooled(budget: f64) -> Self {
        Self { kind: Kind::CostCooling { budget, form: CostForm::Expected } }
    }

    /// EI-PUC-CC, [`log_eipc_cooled`](Self::log_eipc_cooled) but for a learned cost, which
    /// multiplies the improvement by `E[c^-a]`: with `ln c ~ N(m, s^2)` the value is
    /// `ln EI - a m + a^2 s^2/2`, and an uncertain cost attracts (Lee et al. 2020, Cost-aware
    /// Bayesian Optimization; with this moment in Astudillo et al. 2021, Multi-Step Budgeted
    /// Bayesian Optimization with Unknown Evaluation Costs).
    pub fn ei_puc_cc(budget: f64) -> Self {
        Self { kind: Kind::CostCooling { budget, form: CostForm::ExpectedInverse } }
    }

    /// The upper confidence bound `mu + sqrt(beta_t) sigma` with
    /// `beta_t = (2/5) ln(d t^2 pi^2 / 0.6)` at the `t`-th suggestion.
    pub fn ucb() -> Self {
        Self::ucb_with_clock(ConfidenceClock::default())
    }

    /// The same with another time `t`.
    pub fn ucb_with_clock(clock: ConfidenceClock) -> Self {
        Self { kind: Kind::ConfidenceSchedule(clock) }
    }

    /// Thompson sampling: at each suggestion the maximum of a fresh sample path of the posterior,
    /// with 1024 features, the trials under way conditioned on.
    pub fn thompson() -> Self {
        Self { kind: Kind::Thompson }
    }

    /// The point most likely to be the best, if the best is as good as it is estimated to be:
    /// [`Pointwise::EstimatedMaximum`] with an estimate over a fixed set of points at each step
    /// (Wang, Zhou, Jegelka 2016, "Optimization as Estimation with Gaussian Processes in Bandit
    /// Settings"). A [`MaximumEstimate`](crate::acquisition::MaximumEstimate) alone is
    /// taken with the latent deviation and 2048 points.
    pub fn estimation(estimation: impl Into<Estimation>) -> Self {
        Self { kind: Kind::Estimation(estimation.into()) }
    }

    /// The point whose outcome tells most of the value of the maximum:
    /// [`Pointwise::MaxValueEntropy`] with maxima sampled anew at each step (Wang & Jegelka 2017,
    /// "Max-value Entropy Search for Efficient Bayesian Optimization").
    pub fn max_value_entropy(settings: MaxValueEntropy) -> Self {
        Self { kind: Kind::MaxValueEntropy(settings) }
    }

    /// The knowledge gradient: by how much the largest posterior mean is expected to rise with the
    /// next outcome, found in one shot with that many fantasies of it (64 are usual, and at least 2
    /// are needed), see [`Joint::KnowledgeGradient`]. Over a table or a grid of up to 4096
    /// points the expectation is exact, over all points or the 1024 where the mean may become
    /// largest. It ignores costs.
    pub fn knowledge_gradient(fantasies: usize) -> Self {
        Self { kind: Kind::KnowledgeGradient { fantasies } }
    }

    /// The acquisition function of the coming suggestion, its price in the user's units.
    ///
    /// As long as costs are learned and none is known, [`Pointwise::LogExpectedImprovement`]
    /// stands in for whatever looks at the cost: the choice of improvement per cost if all costs
    /// are the same, and of the index at the price at which the run would just go on.
    ///
    /// # Errors
    /// Those of the search or of the sampling that some policies need; where a price is to follow
    /// from a budget, those of [`Study::lambda_from_budget`](crate::Study::lambda_from_budget).
    pub fn acquisition(&mut self, step: &Step<'_>) -> Result<Acquisition> {
        let Progress { dim, iteration, spent, .. } = step.progress;
        if self.looks_at_the_cost() && !step.surrogate.knows_cost() {
            return Ok(Acquisition::Pointwise(Pointwise::LogExpectedImprovement));
        }
        Ok(match &mut self.kind {
            Kind::Fixed(acquisition) => acquisition.clone(),
            Kind::GittinsDecay { initial, lambda, .. } => {
                let price = match (*lambda, *initial) {
                    (Some(price), _) | (None, Initial::Price(price)) => price,
                    (None, Initial::Budget(budget)) => lambda::for_budget(
                        step.setup,
                        step.surrogate,
                        budget,
                        step.progress.design,
                    )?,
                };
                *lambda = Some(price);
                Acquisition::gittins(price)
            }
            Kind::GittinsAdaptive { lambda, due } => {
                if *due && let Some(price) = half_the_best_improvement_per_cost(step, *lambda)? {
                    (*lambda, *due) = (Some(price), false);
                }
                Acquisition::gittins(lambda.unwrap_or(f64::MIN_POSITIVE))
            }
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
                let paths =
                    Paths::draw(step.surrogate.posterior(), FEATURES, 1, step.seed(Stream::Path))?;
                Acquisition::thompson(paths.path(0))
            }
            Kind::Estimation(estimation) => estimation.acquisition(step)?,
            Kind::MaxValueEntropy(settings) => settings.acquisition(step)?,
            Kind::KnowledgeGradient { fantasies } => knowledge_gradient::acquisition(
                step.setup,
                step.surrogate,
                step.observations,
                *fantasies,
                (step.seed(Stream::Policy), step.deadline),
            )?,
            Kind::Lookahead(planner) => planner.acquisition(step)?,
        })
    }

    /// The planner, if the policy plans several steps: it chooses otherwise than by one search.
    pub(super) fn planner(&mut self) -> Option<&mut Planner> {
        match &mut self.kind {
            Kind::Lookahead(planner) => Some(planner),
            _ => None,
        }
    }

    fn looks_at_the_cost(&self) -> bool {
        match &self.kind {
            Kind::Fixed(acquisition) => acquisition.uses_cost(),
            Kind::GittinsDecay { .. } | Kind::GittinsAdaptive { .. } | Kind::CostCooling { .. } => {
                true
            }
            Kind::MaxValueEntropy(settings) => settings.exponent > 0.0,
            Kind::Lookahead(planner) => planner.looks_at_the_cost(),
            Kind::ConfidenceSchedule(_)
            | Kind::Thompson
            | Kind::Estimation(_)
            | Kind::KnowledgeGradient { .. } => false,
        }
    }

    /// The user's price of a unit of cost, if the policy has one: what a stopping rule compares
    /// with. A decaying price does not decay here; one that follows from a budget or from what is
    /// seen is no price of the user's.
    pub fn price(&self) -> Option<f64> {
        match self.kind {
            Kind::Fixed(Acquisition::Pointwise(Pointwise::Gittins { lambda })) => Some(lambda),
            Kind::GittinsDecay { initial: Initial::Price(price), .. } => Some(price),
            _ => None,
        }
    }

    /// The price that the coming suggestion uses, if the policy has one and it is known yet.
    pub fn current_price(&self) -> Option<f64> {
        match self.kind {
            Kind::GittinsDecay { lambda, .. } | Kind::GittinsAdaptive { lambda, .. } => lambda,
            _ => self.price(),
        }
    }

    /// Settings that make no sense are errors.
    ///
    /// # Errors
    /// `InvalidSetting`: a price or a budget that is not positive and finite, a factor that is not
    /// above 1, or what [`Acquisition::validate`], [`Estimation::validate`],
    /// [`MaxValueEntropy::validate`] and [`Lookahead::validate`] say.
    pub fn validate(&self) -> Result<()> {
        match &self.kind {
            Kind::Fixed(acquisition) => acquisition.validate(),
            Kind::GittinsDecay { initial, factor, .. } => {
                match *initial {
                    Initial::Price(price) => check_positive("the initial price lambda", price)?,
                    Initial::Budget(budget) => {
                        check_positive("the budget of the initial price", budget)?
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
            Kind::GittinsAdaptive { .. } | Kind::ConfidenceSchedule(_) | Kind::Thompson => Ok(()),
            Kind::Estimation(estimation) => estimation.validate(),
            Kind::MaxValueEntropy(settings) => settings.validate(),
            Kind::Lookahead(planner) => planner.validate(),
        }
    }

    /// Learns that a suggested trial was told: `index` is the value that it was suggested with,
    /// `incumbent` the best outcome after it; larger is better, in the user's units. A price falls
    /// no lower than to the [floor](price_floor).
    pub(crate) fn told(&mut self, index: f64, incumbent: f64, floor: f64) {
        if index >= incumbent {
            return;
        }
        match &mut self.kind {
            Kind::GittinsDecay { factor, lambda: Some(lambda), .. } => {
                *lambda = (*lambda / *factor).max(floor.min(*lambda))
            }
            Kind::GittinsAdaptive { due, .. } => *due = true,
            _ => {}
        }
    }
}

/// What a falling price goes no lower than: 1e-12 of the spread of the outcomes for a trial of mean
/// cost, so that no unit of either matters.
pub(crate) fn price_floor(observations: &Observations) -> f64 {
    (1e-12 * observations.range() / observations.mean_cost()).clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// Half the largest expected improvement per expected cost, but no more than before and no less
/// than the floor; none where nothing is left to evaluate.
fn half_the_best_improvement_per_cost(step: &Step<'_>, before: Option<f64>) -> Result<Option<f64>> {
    let best = step.maximum(&Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
        exponent: 1.0,
        form: CostForm::Expected,
    }))?;
    let least = price_floor(step.observations);
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
