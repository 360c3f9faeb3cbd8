//! What is said of a study: what is best, its front, its ranking, how it ended.

pub mod ending;
pub mod facts;
pub mod failures;
#[expect(clippy::module_inception, reason = "a file bears the name of what it has")]
pub mod findings;
pub mod front;
pub mod limits;
pub mod measured;
pub mod objectives;
pub mod ranking;
pub mod tally;
