//! What this repository's own tests, programs and benches use besides the interface.
//!
//! None of it belongs to the interface: it may change or go without notice.

pub use crate::bound::{ExpectedBound, UpperBounds};
pub use crate::expectation::{ExpectedMeans, expected, expected_mean};
pub use crate::law::UnitLaw;
pub use crate::objective::{Expected, Objective};
pub use crate::paths::ExpectedPaths;
pub use crate::purse::SetPurse;
pub use crate::search::BestQuery;
pub use crate::select::{Exploration, select};
pub use crate::sets::{BoundSets, ControlSet};
