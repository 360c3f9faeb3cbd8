//! What a run was worth: regret, money, hindsight, many seeds, and when other stopping rules would
//! have ended it.
//!
//! ```text
//! Record -> Course -> regrets, best value against money, hindsight -> Summary over seeds
//! Record or Study -> Replay -> Replayed: for each rule its statistics, when it would have stopped, and what that would have been worth
//! ```
//!
//! These need the optimum, which no run knows, and are for comparing methods. Definitions are those
//! of Xie et al. 2024, Cost-aware Bayesian Optimization via the Pandora's Box Gittins
//! Index, and Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization: `C(t)` counts the
//! cost of the suggested trials alone, and the initial design is free.

mod course;
mod hindsight;
mod replay;
mod retelling;
mod summary;
mod telling;

pub use course::{Course, Interpolation, Mark};
pub use hindsight::{Hindsight, fixed_iteration};
pub use replay::{Check, Replay, Replayed, Series};
pub use summary::{Divisor, Summary, percentile};
