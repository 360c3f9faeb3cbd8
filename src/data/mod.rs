//! What is searched and what was seen: spaces and tables, points, observations, costs, scaling.

pub mod cost;
pub mod observations;
pub mod points;
pub mod scaling;
pub mod space;
pub mod table;

pub use cost::Cost;
pub use observations::Observations;
pub use points::Points;
pub use space::Space;
pub use table::Table;
