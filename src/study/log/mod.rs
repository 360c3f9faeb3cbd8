//! What happens in a study, as events, and how it changes by them.

pub(in crate::study) mod applying;
pub(in crate::study) mod event;
pub(in crate::study) mod note;
pub(in crate::study) mod replaying;
