//! Everything that is believed after it.

#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(in crate::study) mod beliefs;
pub(in crate::study) mod judge;
pub(in crate::study) mod thinned;
pub(in crate::study) mod stagnation;
