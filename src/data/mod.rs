//! What is searched and what was seen: spaces and tables, points, observations, costs, scaling
//! and warping.

mod allowed;
mod bound_cost;
mod building;
mod condition;
mod constraint;
pub(crate) mod cost;
mod direction;
pub(crate) mod domain;
mod embedding;
mod limit;
mod listing;
mod measured;
mod measures;
pub(crate) mod observation;
pub(crate) mod observations;
mod moves;
mod objective;
mod outcome_scale;
mod parameter;
mod part;
pub(crate) mod scaling;
pub(crate) mod space;
mod span;
pub(crate) mod table;
mod tail;
pub(crate) mod value;
mod warp;

pub(crate) use crate::math::points::Points;
pub use bound_cost::BoundCost;
pub use condition::{Condition, Requirement};
pub use constraint::{Constraint, Predicate};
pub(crate) use cost::Cost;
pub use cost::{KnownCost, PointCost};
pub use direction::Direction;
pub(crate) use domain::Domain;
pub use limit::Limit;
pub use measured::Measured;
pub(crate) use measures::{MOST_OBJECTIVES, Measures};
pub use objective::Objective;
pub use observation::{Observation, State};
pub(crate) use observations::Observations;
pub use outcome_scale::OutcomeScale;
pub use parameter::{Parameter, ParameterKind};
pub(crate) use scaling::Scaling;
pub(crate) use space::Space;
#[cfg(feature = "serde")]
pub(crate) use space::Unchecked;
pub(crate) use table::Table;
pub(crate) use value::Value;
pub use value::{FromValue, Values};
pub use warp::Warping;
pub(crate) use warp::{Warp, spread};
