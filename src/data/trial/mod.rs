//! What is told: trials, observations, reports of stages and items, numbers beside the outcome.

pub(in crate::data) mod items;
pub(in crate::data) mod limit;
pub(in crate::data) mod measured;
pub(in crate::data) mod measures;
pub(in crate::data) mod objective;
pub(crate) mod observation;
pub(crate) mod observations;
pub(crate) mod refused;
pub(crate) mod reports;
pub(crate) mod stages;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(crate) mod trial;
pub(crate) mod trial_id;
