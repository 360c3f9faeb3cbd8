//! What is searched and what was seen: spaces and tables, points, observations, costs, scaling.

pub mod cost;
pub mod domain;
pub mod observations;
pub mod scaling;
pub mod space;
pub mod table;

pub use crate::math::points::Points;
pub use cost::{BoundCost, Cost, KnownCost, PointCost};
pub use domain::Domain;
pub use observations::{Direction, Observation, Observations, State};
pub use scaling::Scaling;
pub use space::{Parameter, ParameterKind, Space};
pub use table::Table;
