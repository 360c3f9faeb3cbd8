//! What is searched and what was seen: spaces and tables, points, observations, costs, scaling
//! and warping.
//!
//! | folder | what |
//! | --- | --- |
//! | `space`, `table`, `domain` | what is searched: parameters, conditions and constraints; candidates; either |
//! | `trial` | what is told: observations, reports of stages and items, numbers beside the outcome |
//! | `outcome` | outcomes as a model sees them: direction, scale, warp |
//! | `cost` | what an evaluation costs |

pub(crate) mod cost;
pub(crate) mod outcome;
pub(crate) mod space;
pub(crate) mod table;
pub(crate) mod trial;
pub(crate) mod domain;
pub(crate) mod value;

pub(crate) use crate::math::points::Points;
pub use cost::bound_cost::BoundCost;
pub(crate) use cost::cost::Cost;
pub use cost::cost::{KnownCost, PointCost};
pub(crate) use domain::Domain;
pub use outcome::direction::Direction;
pub use outcome::outcome_scale::OutcomeScale;
pub(crate) use outcome::scaling::{Scaling, is_rounding};
pub use outcome::warp::Warping;
pub(crate) use outcome::warp::{Warp, spread};
pub use space::condition::{Condition, Requirement};
pub use space::constraint::{Constraint, Predicate};
pub use space::parameter::{Parameter, ParameterKind};
pub(crate) use space::space::Space;
#[cfg(feature = "serde")]
pub(crate) use space::space::Unchecked;
pub(crate) use table::Table;
pub use trial::limit::Limit;
pub use trial::measured::Measured;
pub(crate) use trial::measures::{MOST_OBJECTIVES, Measures};
pub use trial::objective::Objective;
pub use trial::observation::{Observation, State};
pub(crate) use trial::observations::Observations;
pub(crate) use trial::trial_id::TrialId;
pub(crate) use value::Value;
pub use value::{FromValue, Values};
