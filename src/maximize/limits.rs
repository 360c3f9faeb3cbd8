//! Where climbs may go.

use std::sync::Arc;

use crate::data::{Points, Space};
use crate::error::Result;
use crate::math::lbfgsb::{Lbfgsb, Settings};
use crate::math::polytope::Polytope;
use crate::maximize::mixed;
use crate::maximize::settings::Maximize;

/// Where climbs of rows of points may go.
pub struct Limits {
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The space, if it is more than a box.
    space: Option<Arc<Space>>,
}

impl Maximize {
    /// Where climbs of rows of `dim` coordinates may go.
    #[doc(hidden)]
    pub fn limits(&self, dim: usize) -> Limits {
        Limits { lower: vec![0.0; dim], upper: vec![1.0; dim], space: self.space.clone() }
    }
}

impl Limits {
    /// A climb from a point.
    ///
    /// # Errors
    /// Those of [`Lbfgsb::new`].
    pub fn begin(&self, point: &[f64], settings: &Settings) -> Result<Lbfgsb> {
        match &self.space {
            None => Lbfgsb::new(point, &self.lower, &self.upper, settings),
            Some(space) => {
                let (lower, upper) = mixed::bounds_at(space, point);
                let rows = mixed::rows_at(space, point, &lower, &upper);
                if rows.is_empty() {
                    Lbfgsb::new(point, &lower, &upper, settings)
                } else {
                    Lbfgsb::within(point, Polytope { lower, upper, rows }, settings)
                }
            }
        }
    }

    /// The boxes of climbs from points. `None` if a climb may not end everywhere in its box.
    pub fn sides(&self, starts: &Points) -> Option<[Points; 2]> {
        let mut sides = [(); 2].map(|()| Points::with_capacity(starts.dim(), starts.len()));
        for start in starts.rows() {
            let [lower, upper] = &mut sides;
            match &self.space {
                Some(space) if !space.constraints().is_empty() => return None,
                Some(space) => {
                    let (low, high) = mixed::bounds_at(space, start);
                    lower.push(&low);
                    upper.push(&high);
                }
                None => {
                    lower.push(&self.lower);
                    upper.push(&self.upper);
                }
            }
        }
        Some(sides)
    }

    /// Whether a climb may end at a point.
    pub fn allow(&self, point: &[f64]) -> bool {
        self.space.as_ref().is_none_or(|space| mixed::admits(space, point))
    }

    /// The number of coordinates.
    pub fn dim(&self) -> usize {
        self.lower.len()
    }
}
