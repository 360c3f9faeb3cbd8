//! The study of control sets: its calls, its events and what it keeps.

mod applying;
pub(in crate::control) mod ask;
pub(in crate::control) mod books;
pub(in crate::control) mod builder;
pub(in crate::control) mod chosen;
pub(in crate::control) mod event;
pub(in crate::control) mod purse;
pub(in crate::control) mod recommendation;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(in crate::control) mod study;
mod telling;
pub(in crate::control) mod trial;
