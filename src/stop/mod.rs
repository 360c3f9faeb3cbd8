//! When to stop: the rules, and what they see.
//!
//! A rule sees the run after what was told so far (model, incumbent, costs), before anything more
//! is paid. Any rule works with any acquisition, on spaces and on tables, and with uniform, known
//! and learned costs, because it computes itself what it needs. Only the Gittins rules weigh what a
//! trial may bring against its cost. The rules that papers compare with are in the crate
//! `gittins-papers`, which makes them known by their [names](NamedRule) too.
//!
//! | rule | stops when | defaults |
//! | --- | --- | --- |
//! | [`GittinsRule`] | `max g(x; lambda) <= y*`, which is `max [ln EI - ln c] <= ln lambda` | the policy's price |
//! | [`ThresholdRule`] | the maximum of any acquisition `<=` a threshold | none |
//! | [`StallRule`] | no new best for `w` trials | `w = 5` |
//! | [`TrialLimit`], [`SpendingLimit`] | a number of trials, a sum of costs is reached | none |
//! | [`budget`] | the money of a study is spent, or the rest of it is not worth spending | [`StudyBuilder::budget`](crate::study::StudyBuilder::budget) |
//!
//! [`Steadying`] adds to any rule a trailing mean, a minimum of trials and a number of firings in a
//! row. [`any()`] and [`all()`] join several rules, and [`NamedRule`] makes one from its name. A rule with a history adds one value to it at each check
//! with new observations. A check without new observations gives the same value again. If a trial
//! was corrected or withdrawn, the new value replaces those of as many observations or more.

pub mod budget;
pub(crate) mod context;
pub(crate) mod equal;
pub(crate) mod gittins;
mod joined;
mod limits;
mod named;
pub(crate) mod rule;
pub(crate) mod settings;
mod stall;
mod steady;
mod threshold;
pub(crate) mod verdict;
pub(crate) mod window;

pub use joined::{Joined, all, any};

pub(crate) use context::Ledger;
pub(crate) use context::StopContext;
pub use context::{Counts, Remaining};
pub use gittins::Form;
pub(crate) use gittins::GittinsRule;
pub(crate) use limits::NUMBER_OF_TRIALS;
pub use limits::{SpendingLimit, TrialLimit};
pub use named::NamedRule;
pub(crate) use rule::StopRule;
pub use stall::StallRule;
pub use steady::{Steady, Steadying};
pub use threshold::ThresholdRule;
pub(crate) use verdict::Verdict;
pub use verdict::{Reason, Statistic, Worth};
