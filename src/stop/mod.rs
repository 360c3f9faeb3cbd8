//! When to stop: the rules, and what they see.
//!
//! A rule sees the run after what was told so far (model, incumbent, costs), before anything more
//! is paid. Any rule works with any acquisition, on spaces and on tables, and with uniform, known
//! and learned costs, because it computes itself what it needs. Only the Gittins rules weigh what a
//! trial may bring against its cost.
//!
//! | rule | stops when | defaults |
//! | --- | --- | --- |
//! | [`GittinsRule`] | `max g(x; lambda) <= y*`, which is `max [ln EI - ln c] <= ln lambda` | the policy's price |
//! | [`GittinsBeforeRule`] | the same with the index from before the last outcome | the policy's price |
//! | [`ConfidenceGapRule`] | `max UCB - max LCB of what is evaluated <= theta` | `theta = 0.01` |
//! | [`ImprovementMedianRule`] | `max [ln EI - ln c] <= ln eta + median of the first I` | `eta = 0.01`, `I = 20` |
//! | [`RegretGapRule`] | change of the expected regret `<= chi x median of the first I` | `chi = 0.01`, `I = 20` |
//! | [`RegretProbabilityRule`] | `P(regret <= epsilon) >= 1 - delta` on sample paths | `delta = 0.05` |
//! | [`ThresholdRule`] | the maximum of any acquisition `<=` a threshold | none |
//! | [`StallRule`] | no new best for `w` trials | `w = 5` |
//! | [`GlobalWindowRule`] | progress over `w` trials `<= f x IQR` of the best so far | `w = 5`, `f = 0.01` |
//! | [`TrialLimit`], [`SpendingLimit`] | a number of trials, a sum of costs is reached | none |
//! | [`budget`] | the money of a study is spent, or the rest of it is not worth spending | [`StudyBuilder::budget`](crate::study::StudyBuilder::budget) |
//!
//! [`Steadying`] adds to any rule a trailing mean, a minimum of trials and a number of firings in a
//! row. [`any()`] and [`all()`] join several rules, and [`NamedRule`] makes one from its name. A rule with a history adds one value to it at each check
//! with new observations. A check without new observations gives the same value again. If a trial
//! was corrected or withdrawn, the new value replaces those of as many observations or more.

pub mod budget;
mod confidence_gap;
pub(crate) mod context;
pub(crate) mod divergence;
pub(crate) mod equal;
pub(crate) mod gittins;
mod gittins_before;
mod global_window;
mod history;
mod improvement_median;
mod joined;
mod limits;
mod named;
mod path_regret;
pub(crate) mod regret_gap;
mod regret_probability;
pub(crate) mod rule;
pub(crate) mod sampling;
mod settings;
mod stall;
mod steady;
mod threshold;
pub(crate) mod verdict;
mod window;

pub use joined::{Joined, all, any};

pub use confidence_gap::ConfidenceGapRule;
pub(crate) use context::Ledger;
pub(crate) use context::StopContext;
pub use context::{Counts, Remaining};
pub use gittins::Form;
pub(crate) use gittins::GittinsRule;
pub use gittins_before::GittinsBeforeRule;
pub use global_window::GlobalWindowRule;
pub use improvement_median::ImprovementMedianRule;
pub(crate) use limits::NUMBER_OF_TRIALS;
pub use limits::{SpendingLimit, TrialLimit};
pub use named::NamedRule;
pub use regret_gap::RegretGapRule;
pub use regret_probability::RegretProbabilityRule;
pub(crate) use rule::StopRule;
pub use stall::StallRule;
pub use steady::{Steady, Steadying};
pub use threshold::ThresholdRule;
pub(crate) use verdict::Verdict;
pub use verdict::{Reason, Statistic, Worth};
