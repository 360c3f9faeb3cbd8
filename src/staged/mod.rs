//! Runs that are paid for in stages: at every report a run goes on, is left, or is abandoned.
//!
//! A training run tells long before its end what it will come to. A [`StagedStudy`] buys runs stage
//! by stage: it compares beginning another run, resuming one that was left, and going on with the
//! present one, by what the next stage costs and what the run may still bring. The comparison is one
//! number for each, the [Gittins index of a run in stages](crate::acquisition::staged_offset).
//!
//! How long a run is and what it reported is [data](crate::data), the model of reports a part of the
//! surrogate (`surrogate/curves`), and the index a policy (`suggest/policy/stages`). Here is the study:
//!
//! | file | what |
//! | --- | --- |
//! | `study`, `judging` | ask, report, verdict |
//! | `designing`, `looking` | the design; what is decided by all reports so far |
//! | `announcing` | runs that others begin, and what they are advised to do |
//! | `ask_report` | the same of a study in memory or in a file |
//! | `forecast` | what a run is expected to come to |
//! | `in_hand` | the incumbent: ends of runs, or all that they had |
//! | `event`, `applying` | what happened, as data; how it changes the study |

mod announcing;
mod applying;
mod ask;
mod ask_report;
mod builder;
mod designing;
mod event;
mod forecast;
mod in_hand;
mod judging;
mod looking;
#[cfg(feature = "serde")]
mod spec;
mod study;

pub use crate::data::reports::{Report, Run, RunState};
pub use crate::data::stages::Stages;
pub use crate::surrogate::curves::StagedFit;
pub use ask::StagedAsk;
pub use ask_report::AskReport;
#[cfg(feature = "journal")]
pub(crate) use ask_report::reports_by_its_own;
pub use builder::StagedStudyBuilder;
pub use event::{Advice, StagedEvent};
pub use forecast::RunForecast;
#[cfg(feature = "serde")]
pub use spec::{StagedSpec, StagesSpec};
pub use study::StagedStudy;
