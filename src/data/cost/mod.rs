//! What an evaluation costs.

pub(in crate::data) mod bound_cost;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(crate) mod cost;
