//! Trials under way whose outcomes are waited for.

use crate::data::Points;
use crate::posterior::LEAST_MISSING;

/// The trials under way whose outcomes are waited for, in the order in which they were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Awaited {
    points: Points,
    /// The chance of each that its worker is dead.
    dead: Vec<f64>,
}

impl Awaited {
    /// None, in so many dimensions.
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

    /// The points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The chance of each trial that its worker is dead.
    pub fn dead(&self) -> &[f64] {
        &self.dead
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.dead.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.dead.is_empty()
    }

    /// Those from this one on.
    pub(crate) fn since(&self, first: usize) -> Self {
        let points = self.points.select(first..self.len());
        Self { points, dead: self.dead[first..].to_vec() }
    }
}
