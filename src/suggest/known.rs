//! Posterior moments over a finite set, or over as much of it as there is time for.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use crate::data::Points;
use crate::error::Result;
use crate::math::clock::{Deadline, Pace};
use crate::maximize::FIRST;
use crate::posterior::{Moments, Posterior};

/// Moments at points of a set.
pub(super) struct Known {
    /// The indices of these points: all in order, unless there is a deadline.
    pub rows: Vec<usize>,
    pub moments: Moments,
}

impl Known {
    /// The moments at all points. With a deadline, at those that there is time for in this order,
    /// and always at the first few.
    pub fn new(
        posterior: &Posterior,
        points: &Points,
        mut order: Vec<usize>,
        deadline: Deadline,
    ) -> Result<Self> {
        if !deadline.is_set() {
            return Ok(Self {
                moments: posterior.moments(points)?,
                rows: (0..points.len()).collect(),
            });
        }
        let mut moments = Moments::default();
        Pace::new(FIRST).batches(order.len(), deadline, FIRST, |next| -> Result<()> {
            let more = posterior.moments(&points.select(order[next].iter().copied()))?;
            moments.mean.extend(more.mean);
            moments.variance.extend(more.variance);
            moments.floored += more.floored;
            Ok(())
        })?;
        order.truncate(moments.mean.len());
        Ok(Self { rows: order, moments })
    }
}

/// An order of `count` points. With a deadline it is random, so the points reached in time are a
/// fair sample of all.
pub(super) fn fair_order(count: usize, seed: u64, deadline: Deadline) -> Vec<usize> {
    if deadline.is_set() { shuffled(count, seed) } else { (0..count).collect() }
}

/// A random order of `count` points.
pub(super) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(&mut Pcg64::seed_from_u64(seed));
    order
}
