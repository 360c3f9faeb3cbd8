//! Choosing which variables to control, when control has a price and what is not controlled is drawn by nature and seen (Tay, Foo, Urano, Leong, Low 2023,
//! "Bayesian Optimization with Cost-varying Variable Subsets").

mod bound;
mod builder;
mod decision;
mod expectation;
mod kernel;
mod law;
mod paths;
mod policy;
mod purse;
mod recommendation;
mod search;
mod select;
mod sets;
mod study;
mod trial;

pub use bound::{ExpectedBound, UpperBounds};
pub use builder::SubsetStudyBuilder;
pub use decision::Decision;
pub use expectation::{Expected, ExpectedMeans, expected, expected_mean};
pub use law::{Law, UnitLaw};
pub use paths::ExpectedPaths;
pub use policy::{Choice, Incumbent, Relaxation, Score, SubsetPolicy};
pub use purse::Purse;
pub use recommendation::Recommendation;
pub use search::{Best, Objective, Phase, SetSearch};
pub use select::{Exploration, Plays, select};
pub use sets::{BoundSets, ControlSet, ControlSets, Sampling};
pub use study::SubsetStudy;
pub use trial::{SubsetAsk, SubsetTrial, SubsetWhy};
