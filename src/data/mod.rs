//! What is searched and what was seen: spaces and tables, points, observations, costs, scaling.

mod bound_cost;
mod cost;
mod direction;
mod domain;
pub(crate) mod observation;
mod observations;
mod parameter;
mod scaling;
mod space;
mod table;

pub use crate::math::points::Points;
pub use bound_cost::BoundCost;
pub use cost::{Cost, KnownCost, PointCost};
pub use direction::Direction;
pub use domain::Domain;
pub use observation::{Observation, State};
pub use observations::Observations;
pub use parameter::{Parameter, ParameterKind};
pub use scaling::Scaling;
pub use space::Space;
pub use table::Table;
