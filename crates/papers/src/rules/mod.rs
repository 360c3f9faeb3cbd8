//! Rules that papers compare with: when to stop, by other measures than what a trial is worth.
//!
//! They ignore costs, or look at them without a price. Each is a [`StopRule`](gittins::StopRule)
//! like those of the library: [`StudyBuilder::stop`](gittins::study::StudyBuilder::stop) takes it,
//! with any acquisition, on spaces and on tables, and a [`Replay`](crate::evaluation::Replay) asks
//! it over a run. By its name it is known after [`register`].
//!
//! | rule | stops when | defaults |
//! | --- | --- | --- |
//! | [`GittinsBeforeRule`] | `max g(x; lambda) <= y*` with the index from before the last outcome | the policy's price |
//! | [`ConfidenceGapRule`] | `max UCB - max LCB of what is evaluated <= theta` | `theta = 0.01` |
//! | [`ImprovementMedianRule`] | `max [ln EI - ln c] <= ln eta + median of the first I` | `eta = 0.01`, `I = 20` |
//! | [`RegretGapRule`] | change of the expected regret `<= chi x median of the first I` | `chi = 0.01`, `I = 20` |
//! | [`RegretProbabilityRule`] | `P(regret <= epsilon) >= 1 - delta` on sample paths | `delta = 0.05` |
//! | [`GlobalWindowRule`] | progress over `w` trials `<= f x IQR` of the best so far | `w = 5`, `f = 0.01` |
//!
//! A rule with a history adds one value to it at each check with new observations. A check without
//! new observations gives the same value again. If a trial was corrected or withdrawn, the new value
//! replaces those of as many observations or more.
//!
//! ```
//! use gittins::{Outcome, Policy, Space, Study};
//! use gittins_papers::rules::ConfidenceGapRule;
//!
//! let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0))
//!     .policy(Policy::gittins(1e-3))
//!     .stop(ConfidenceGapRule::new(0.05))
//!     .seed(7)
//!     .build()?;
//! while !study.verdict()?.is_stop() {
//!     let ask = study.ask()?;
//!     study.tell(ask.id(), Outcome::new((ask.get::<f64>("x")? - 0.3).powi(2)))?;
//! }
//! assert!(study.counts().told < 30);
//! # Ok::<(), gittins::Error>(())
//! ```

mod binomial;
mod confidence_gap;
mod divergence;
mod gittins_before;
mod global_window;
mod history;
mod improvement_median;
mod named;
mod path_regret;
mod regret_gap;
mod regret_probability;
mod sampling;

pub use confidence_gap::ConfidenceGapRule;
pub use gittins_before::GittinsBeforeRule;
pub use global_window::GlobalWindowRule;
pub use improvement_median::ImprovementMedianRule;
pub use named::register;
pub use regret_gap::RegretGapRule;
pub use regret_probability::RegretProbabilityRule;

/// What this repository's own tests use besides the interface.
#[doc(hidden)]
pub mod internals {
    pub use super::binomial::clopper_pearson;
    pub use super::divergence::by_observation;
    pub use super::regret_gap::Change;
    pub use super::sampling::{LevelTest, Side, level_test, risk_share, sample_sizes};
}
