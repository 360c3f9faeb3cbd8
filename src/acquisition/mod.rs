//! Acquisition functions: how much a point is worth under the posterior.
//!
//! Larger is better. Most are functions of the belief at the point, in closed form (the Gittins
//! index needs one scalar root). `mu` and `sigma` are the posterior's mean and standard deviation
//! at a point, `best` is the incumbent and `c` the cost. Further,
//! ```text
//! u = (mu - best) / sigma      h(u) = phi(u) + u Phi(u)      m = h/Phi      r = phi/Phi
//! ```
//!
//! with the standard normal density `phi` and distribution function `Phi`.
//!
//! | variant | value | d/d mu | d/d sigma |
//! | --- | --- | --- | --- |
//! | expected improvement | `sigma h(u)` | `Phi(u)` | `phi(u)` |
//! | its logarithm | `ln sigma + ln h(u)` | `1/(sigma m)` | `r/(sigma m)` |
//! | probability of improvement | `Phi(u)` | `phi(u)/sigma` | `-u phi(u)/sigma` |
//! | its logarithm | `ln Phi(u)` | `r/sigma` | `-u r/sigma` |
//! | upper confidence bound | `mu + sqrt(beta) sigma` | 1 | `sqrt(beta)` |
//! | Gittins index | `mu - sigma u*`, `h(u*) = lambda c/sigma` | 1 | `r(u*)` |
//! | estimated maximum | `(mu - m)/s`, `s^2 = sigma^2 + noise` | `1/s` | `-value sigma/s^2` |
//! | max-value entropy | mean over maxima of `g r(g)/2 - ln Phi(g)`, `g = (f* - mu)/sigma` | `(1 + g m) r/(2 sigma)` | `g (1 + g m) r/(2 sigma)` |
//!
//! [`Pointwise`] acquisitions are the rows of this table. [`Joint`] acquisitions need more than the
//! belief at one point. A [sampled path](Joint::ThompsonSample) has its own value at each point.
//! The [knowledge gradients](Joint::KnowledgeGradient) measure how an outcome at the point would
//! change the mean elsewhere. A [multi-step improvement](Joint::MultiStepImprovement) measures what
//! a plan can make of the outcome.
//!
//! Which one to take: [`Pointwise::Gittins`] if evaluations differ in cost or if stopping matters.
//! Its price of a unit of cost is also the price in the stopping rule.
//! [`Pointwise::LogExpectedImprovement`] if all evaluations cost the same and the budget is given.

#[allow(clippy::module_inception, reason = "a type lives in the file of its name")]
pub(crate) mod acquisition;
pub(crate) mod affordable;
pub(crate) mod belief;
pub(crate) mod confidence;
pub(crate) mod estimation;
pub(crate) mod facts;
pub(crate) mod front;
mod gittins;
mod improvement;
pub(crate) mod joint;
mod knowledge_gradient;
mod lookahead;
mod max_value_entropy;
pub(crate) mod maxima;
pub(crate) mod per_cost;
pub(crate) mod pointwise;
pub(crate) mod staged;
mod sums;
mod pending_trials;

pub(crate) use acquisition::Acquisition;
pub(crate) use affordable::affordable;
pub(crate) use belief::foreseen;
pub use belief::{Belief, PointBeliefCost, Score};
pub(crate) use confidence::{ucb_beta, ucb_beta_at};
pub use estimation::MaximumEstimate;
pub(crate) use facts::{Quantity, StartWeights, UsableForm};
pub(crate) use joint::Joint;
#[cfg(feature = "gpu")]
pub(crate) use joint::Shader;
pub(crate) use knowledge_gradient::Lines;
pub use knowledge_gradient::normals;
pub use lookahead::{Boundary, FantasyTree, Lookahead, Planning};
pub(crate) use lookahead::{LANES, Likelihood, Purse, Valuation};
pub(crate) use maxima::IndependentMaximum;
pub(crate) use per_cost::{CostForm, cooling_exponent};
pub(crate) use pointwise::Pointwise;
#[cfg(feature = "gpu")]
pub(crate) use pointwise::{PointwiseKind, ShaderSetting};
pub use staged::{Stage, staged_offset};
pub(crate) use sums::PendingTrials;
