//! What this repository's own tests, programs and benches use besides the interface.
//!
//! None of it belongs to the interface: it may change or go without notice.

pub use crate::control::law::UnitLaw;
pub use crate::control::scores::bound::{ExpectedBound, UpperBounds};
pub use crate::control::scores::expectation::{ExpectedMeans, expected, expected_mean};
pub use crate::control::scores::objective::{Expected, Objective};
pub use crate::control::scores::paths::ExpectedPaths;
pub use crate::control::search::BestQuery;
pub use crate::control::select::{Exploration, select};
pub use crate::control::sets::{BoundSets, ControlSet};
pub use crate::control::study::purse::SetPurse;
