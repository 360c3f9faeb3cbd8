//! Everything that was asked, told and paid.

pub(in crate::study) mod budget;
pub(in crate::study) mod costs;
pub(in crate::study) mod payments;
pub(in crate::study) mod running;
pub(in crate::study) mod trial_log;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(in crate::study) mod trials;
