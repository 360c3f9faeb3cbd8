//! What is asked, told and answered, as data, and what happens in a study by it.

pub(crate) mod ask;
pub(in crate::study) mod choice;
pub(in crate::study) mod event;
pub(in crate::study) mod note;
pub(crate) mod outcome;
pub(in crate::study) mod point;
pub(in crate::study) mod recommendation;
pub(in crate::study) mod request;
