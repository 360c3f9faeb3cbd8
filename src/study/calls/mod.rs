//! What is called on a study: asking, telling, judging, and what is answered.

pub(in crate::study) mod advice;
pub(crate) mod ask;
pub(in crate::study) mod ask_tell;
pub(in crate::study) mod asking;
pub(in crate::study) mod choice;
pub(in crate::study) mod context;
pub(in crate::study) mod in_stages;
pub(in crate::study) mod judging;
pub(in crate::study) mod many;
pub(crate) mod outcome;
pub(in crate::study) mod recommendation;
pub(in crate::study) mod request;
pub(in crate::study) mod running;
pub(in crate::study) mod telling;
