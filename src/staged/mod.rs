//! Runs that are paid for in stages: at every report a run goes on, is left, or is abandoned.
//!
//! A training run tells long before its end what it will come to. A [`StagedStudy`] buys runs stage
//! by stage: it compares beginning another run, resuming one that was left, and going on with the
//! present one, by what the next stage costs and what the run may still bring. The comparison is one
//! number for each, the [Gittins index of a run in stages](crate::acquisition::staged_offset).
//!
//! | file | what |
//! | --- | --- |
//! | `stages` | how long a run is, and when it reports |
//! | `curves` | the kernel of learning curves over settings and progress |
//! | `folds` | the kernel of folds, where a run is the mean of its reports |
//! | `scale`, `part` | reports as values of the model, and which of them a fit sees |
//! | `fitting` | its parameters, and how far its variances may be trusted |
//! | `belief` | the posterior of the values of runs |
//! | `prospect` | by how much each coming report moves what is believed of a run |
//! | `costs` | what stages cost |
//! | `horizons` | the index of a run, which may be worth most at any of its reports |
//! | `decision`, `searching` | which run to pay for, and where a fresh one begins |
//! | `designing`, `looking` | the design; what is decided by all reports so far |
//! | `study`, `judging` | ask, report, verdict |
//! | `announcing` | runs that others begin, and what they are advised to do |
//! | `ask_report` | the same of a study in memory or in a file |
//! | `forecast` | what a run is expected to come to |
//! | `in_hand` | what is in hand: ends of runs, or all that they had |
//! | `event`, `applying` | what happened, as data; how it changes the study |

mod announcing;
mod applying;
mod ask;
mod ask_report;
mod belief;
mod builder;
mod costs;
mod curves;
mod decision;
mod designing;
mod event;
mod fitting;
mod folds;
mod forecast;
mod horizons;
mod in_hand;
mod judging;
mod looking;
mod part;
mod prospect;
mod run;
mod scale;
mod searching;
#[cfg(feature = "serde")]
mod spec;
mod stages;
mod study;

pub use ask::StagedAsk;
pub use ask_report::AskReport;
#[cfg(feature = "journal")]
pub(crate) use ask_report::reports_by_its_own;
pub use builder::StagedStudyBuilder;
pub use event::{Advice, StagedEvent, StagedFit};
pub use forecast::RunForecast;
pub use run::{Report, Run, RunState};
#[cfg(feature = "serde")]
pub use spec::{StagedSpec, StagesSpec};
pub use stages::Stages;
pub use study::StagedStudy;
