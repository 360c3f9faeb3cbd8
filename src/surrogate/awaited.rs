//! The pending trials.

use crate::data::Points;
use crate::posterior::LEAST_MISSING;

/// The pending trials whose outcomes are waited for, in the order in which they were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Awaited {
    points: Points,
    dead: Vec<f64>,
}

impl Awaited {
    /// No trials, in a cube of `dim` dimensions.
    pub fn new(dim: usize) -> Self {
        Self { points: Points::new(dim), dead: Vec::new() }
    }

    /// Trials at these points, of which nothing else is known.
    pub fn at(points: &Points) -> Self {
        Self { points: points.clone(), dead: vec![LEAST_MISSING; points.len()] }
    }

    /// Adds a trial whose worker is dead with this probability.
    pub fn push(&mut self, point: &[f64], dead: f64) {
        self.points.push(point);
        self.dead.push(dead);
    }

    /// The points in the unit cube.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// For each trial the probability that its worker is dead.
    pub fn dead(&self) -> &[f64] {
        &self.dead
    }

    /// The number of trials.
    pub fn len(&self) -> usize {
        self.dead.len()
    }

    /// True if there is no trial.
    pub fn is_empty(&self) -> bool {
        self.dead.is_empty()
    }

    /// The trials from index `first` on.
    pub fn since(&self, first: usize) -> Self {
        let points = self.points.select(first..self.len());
        Self { points, dead: self.dead[first..].to_vec() }
    }
}

/// The pending trials, as a search sees them.
#[derive(Debug)]
pub(crate) struct PendingTrials {
    /// The points of all of them, in the order in which they were asked for.
    pub points: Points,
    /// Those whose outcomes are waited for: all but the overdue ones.
    pub awaited: Awaited,
    /// The points of those without a told cost.
    pub unpaid: Points,
}
