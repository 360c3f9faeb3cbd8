//! What is set of a study: by its builder, as data, in a file.

pub(in crate::study) mod builder;
#[cfg(feature = "journal")]
pub(in crate::study) mod described;
#[cfg(feature = "journal")]
pub(in crate::study) mod difference;
pub(in crate::study) mod in_stages;
pub(in crate::study) mod measuring;
pub(in crate::study) mod options;
pub(in crate::study) mod search;
#[cfg(feature = "serde")]
pub(in crate::study) mod spec;
