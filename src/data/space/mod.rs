//! What is searched: parameters, conditions, constraints, and points as numbers.

pub(in crate::data) mod allowed;
pub(in crate::data) mod building;
pub(in crate::data) mod checking;
pub(in crate::data) mod chosen;
pub(in crate::data) mod condition;
pub(in crate::data) mod constraint;
pub(in crate::data) mod embedding;
pub(in crate::data) mod listing;
pub(in crate::data) mod moves;
pub(in crate::data) mod parameter;
pub(in crate::data) mod part;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(crate) mod space;
pub(in crate::data) mod span;
pub(in crate::data) mod summing;
pub(in crate::data) mod sums;
