//! Trials that are paid for in stages: at every report a trial goes on, is left, or is abandoned.
//!
//! A training tells long before its end what it will come to. A study
//! [in stages](crate::study::StudyBuilder::stages) buys trials stage by stage: it compares beginning
//! another trial, resuming one that was left, and going on with the present one, by what the next
//! stage costs and what the trial may still bring. The comparison is one number for each, the
//! [Gittins index of a trial in stages](crate::acquisition::staged_offset).
//!
//! How long a trial is and what it reported is [data](crate::data), the model of reports a part of
//! the surrogate (`surrogate/curves`), and the index a policy (`suggest/policy/stages`). The rest is
//! any study's: its trials, events, budget, limits and records. Here is what is left:
//!
//! | file | what |
//! | --- | --- |
//! | `staging` | what a study in stages has besides: reports, and what is believed of them |
//! | `applying` | how events change it |
//! | `seen` | all that a decision looks at; the incumbent |
//! | `designing`, `looking` | the design; what is decided by all reports so far |
//! | `asking`, `judging` | what a study answers by that: ask, report, verdict |
//! | `advising` | what a trial does that others began |
//! | `forecast` | what a trial is expected to come to |

mod advising;
mod applying;
mod asking;
mod designing;
mod forecast;
mod judging;
mod looking;
mod stages_view;
mod staging;

pub(super) use advising::advise;
pub(crate) use asking::decide_on;
pub(super) use asking::{ask, ask_for, judged};
pub use forecast::RunForecast;
pub(super) use looking::recommended;
pub(super) use stages_view::StagesView;
pub(crate) use staging::no_stages;
pub(super) use staging::{Staging, check_policy};
