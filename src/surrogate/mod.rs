//! What is believed after the observations: models of the outcome, the cost, the success and the limits.
//!
//! ```text
//! observations -> scaling -> fits -> posteriors -> pending trials as fantasies
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `setup`, `streams` | what stays the same over a run; its random numbers |
//! | `outcome_model`, `cost_model`, `success_model`, `number_model`, `limit_model` | from observations to posteriors |
//! | `objectives`, `front_model` | several objectives as they were told, and their front |
//! | `refit` | when hyperparameters are learned anew, and what is kept of them |
//! | `beside` | what is believed besides the outcome |
//! | `widening` | by how much forecasts of suggestions were surer than they should have been |
//! | `incumbent`, `resolution` | what a new trial must improve upon, and by how much outcomes show it |
//! | `surrogate`, `fitting`, `view` | all of it at one moment of a run, how it is made, and as a search sees it |
//! | `belief`, `second` | the last surrogate of a study, and whether it is behind what was told; a model beside the first |
//! | `curves/` | what is believed of runs in stages, by their reports |
//! | `awaited`, `forecast`, `taken` | the pending trials, when they are due, and points that were taken |

mod awaited;
mod belief;
mod beside;
mod cost_model;
pub(crate) mod curves;
mod fitting;
mod forecast;
mod front_model;
mod resolution;
mod in_context;
mod incumbent;
mod limit_model;
mod number_model;
mod objectives;
mod outcome_model;
mod refit;
mod alternate_model;
pub(crate) mod setup;
mod streams;
mod success_model;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
mod surrogate;
pub(crate) mod taken;
mod view;
mod widening;

pub(crate) use alternate_model::AlternateModel;
pub use awaited::Awaited;
pub(crate) use awaited::PendingTrials;
pub use belief::Belief;
pub(crate) use cost_model::log_cost_of;
pub(crate) use forecast::chance_dead;
pub use incumbent::Incumbent;
pub use refit::Kept;
pub(crate) use setup::Setup;
pub use streams::{Stream, seed};
pub use surrogate::Surrogate;
pub(crate) use taken::Taken;
pub(crate) use view::View;
