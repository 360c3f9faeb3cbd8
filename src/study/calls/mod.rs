//! What is called on a study: asking, telling, judging, and what is answered.

pub(in crate::study) mod advice;
pub(in crate::study) mod applying;
pub(in crate::study) mod ask_tell;
pub(in crate::study) mod asking;
pub(in crate::study) mod context;
pub(in crate::study) mod judging;
pub(in crate::study) mod many;
pub(in crate::study) mod telling;
