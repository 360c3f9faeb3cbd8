//! Choosing which variables to control, when control has a price and what is not controlled is drawn by nature and seen (Tay, Foo, Urano, Leong, Low 2023,
//! "Bayesian Optimization with Cost-varying Variable Subsets").

mod expectation;
mod law;
mod search;
mod select;
mod sets;

pub use expectation::{Expected, ExpectedBound, expected, expected_mean};
pub use law::{Law, UnitLaw};
pub use search::{Best, Objective, SetSearch};
pub use select::{Exploration, Plays, Purse, select};
pub use sets::{BoundSets, ControlSet, ControlSets};
