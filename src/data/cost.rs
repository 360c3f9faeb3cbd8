//! What is known of the cost.

use crate::error::Result;

/// A positive price of a point of the unit cube, with its gradient there: what a [`Job`](crate::backend::Job) carries.
pub trait PointCost: Send + Sync {
    /// The cost at a point of the unit cube; fills the gradient of the cost with respect to the unit coordinates if one is asked for.
    ///
    /// # Errors
    /// `NonFinite` or `NonPositiveCost`, naming the point.
    fn cost(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> Result<f64>;
}

/// Cost
pub struct Cost {}
