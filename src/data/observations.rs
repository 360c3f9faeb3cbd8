//! What was seen, and the one place where minimize becomes maximize.

use serde::{Deserialize, Serialize};

use crate::data::Points;
use crate::data::space::check_dim;
use crate::error::{Error, ErrorKind, Result};

/// Which outcomes are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smaller outcomes.
    Minimize,
    /// Larger outcomes.
    Maximize,
}

impl Direction {
    /// The factor that turns an outcome so that larger is better, and turns it back: -1 or 1.
    pub fn sign(self) -> f64 {
        match self {
            Self::Minimize => -1.0,
            Self::Maximize => 1.0,
        }
    }

    /// The better of two outcomes, the first among equals.
    pub fn better(self, first: Option<f64>, second: Option<f64>) -> Option<f64> {
        match (first, second) {
            (Some(a), Some(b)) if self.sign() * b > self.sign() * a => Some(b),
            (Some(a), _) => Some(a),
            (None, second) => second,
        }
    }
}

/// How an evaluation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// With an outcome.
    Complete,
    /// Without one: it crashed, diverged, or was given up.
    Failed,
    /// At a point that the user's own constraints forbid; an outcome, if there is one, is kept and not modeled.
    Infeasible,
}

/// One evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Where, in the unit cube.
    pub point: Vec<f64>,
    /// What came out, in the user's units.
    pub outcome: Option<f64>,
    /// What it cost, in the user's units.
    pub cost: Option<f64>,
    /// How it ended.
    pub state: State,
}

/// All evaluations so far, in the order in which they were told; nothing is ever changed or removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    dim: usize,
    direction: Direction,
    list: Vec<Observation>,
}

impl Observations {
    /// None yet, of points of dimension `dim`.
    pub fn new(dim: usize, direction: Direction) -> Self {
        Self { dim, direction, list: Vec::new() }
    }

    /// Adds an evaluation and returns its index. The same point may come again.
    ///
    /// # Errors
    /// Nothing is added, and the error names the trial by the index it would have had:
    /// [`ErrorKind::Dimension`], [`ErrorKind::NonFinite`] or [`ErrorKind::OutOfBounds`] for a point that is not in the unit
    /// cube, [`ErrorKind::NonFinite`] for an outcome or a cost that is not finite, [`ErrorKind::NonPositiveCost`] for a cost that
    /// is not positive, [`ErrorKind::InvalidSetting`] for a complete trial without an outcome.
    pub fn push(&mut self, unit: &[f64], state: State, outcome: Option<f64>, cost: Option<f64>) -> Result<usize> {
        let index = self.list.len();
        self.check(unit, state, outcome, cost).map_err(|error| error.at(format!("trial {index}")))?;
        self.list.push(Observation { point: unit.to_vec(), outcome, cost, state });
        Ok(index)
    }

    fn check(&self, unit: &[f64], state: State, outcome: Option<f64>, cost: Option<f64>) -> Result<()> {
        check_dim(unit.len(), self.dim)?;
        for (index, u) in unit.iter().enumerate() {
            if !u.is_finite() {
                return Err(Error::new(ErrorKind::NonFinite, format!("coordinate {index}: expected a finite number, got {u}")));
            }
            if !(0.0..=1.0).contains(u) {
                return Err(Error::new(ErrorKind::OutOfBounds, format!("coordinate {index}: expected one in [0, 1], got {u}")));
            }
        }
        check_told(state, outcome, cost)
    }

    /// The number of evaluations, whatever their states.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The dimension of the points.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Which outcomes are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The evaluation at an index, if there is one.
    pub fn get(&self, index: usize) -> Option<&Observation> {
        self.list.get(index)
    }

    /// All evaluations in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Observation> {
        self.list.iter()
    }

    /// The complete evaluations: `n x d` points and `n` outcomes, turned so that larger is better.
    pub fn complete(&self) -> (Points, Vec<f64>) {
        self.collect(|observation| self.turned(observation))
    }

    /// All evaluations with a known cost, whatever their states: `n x d` points and `n` costs.
    pub fn costs(&self) -> (Points, Vec<f64>) {
        self.collect(|observation| observation.cost)
    }

    /// The index of the best complete evaluation, the first among equals.
    pub fn best(&self) -> Option<usize> {
        self.first_where(|new, old| new > old)
    }

    /// The index of the worst complete evaluation, the first among equals.
    pub fn worst(&self) -> Option<usize> {
        self.first_where(|new, old| new < old)
    }

    /// How far the outcomes of complete evaluations spread; 0 if there is none.
    pub fn range(&self) -> f64 {
        let (_, outcomes) = self.complete();
        let fold = |pick: fn(f64, f64) -> f64| outcomes.iter().copied().reduce(pick).unwrap_or(0.0);
        fold(f64::max) - fold(f64::min)
    }

    /// The outcome of a complete evaluation, turned so that larger is better.
    fn turned(&self, observation: &Observation) -> Option<f64> {
        observation.outcome.filter(|_| observation.state == State::Complete).map(|outcome| self.direction.sign() * outcome)
    }

    fn collect(&self, number: impl Fn(&Observation) -> Option<f64>) -> (Points, Vec<f64>) {
        let (mut points, mut numbers) = (Points::with_capacity(self.dim, self.len()), Vec::with_capacity(self.len()));
        for observation in &self.list {
            if let Some(number) = number(observation) {
                points.push(&observation.point);
                numbers.push(number);
            }
        }
        (points, numbers)
    }

    fn first_where(&self, beats: impl Fn(f64, f64) -> bool) -> Option<usize> {
        let outcomes = self.list.iter().enumerate().filter_map(|(index, observation)| Some((index, self.turned(observation)?)));
        outcomes.reduce(|old, new| if beats(new.1, old.1) { new } else { old }).map(|(index, _)| index)
    }
}

/// What is told of an evaluation: a finite outcome, which a complete one has, and a finite and positive cost.
pub(crate) fn check_told(state: State, outcome: Option<f64>, cost: Option<f64>) -> Result<()> {
    match outcome {
        Some(outcome) if !outcome.is_finite() => {
            let message = format!("expected a finite outcome, got {outcome}; a trial without one is told as failed");
            return Err(Error::new(ErrorKind::NonFinite, message));
        }
        None if state == State::Complete => {
            return Err(Error::new(ErrorKind::InvalidSetting, "a complete trial needs an outcome, got none"));
        }
        _ => {}
    }
    cost.map_or(Ok(()), check_cost)
}

/// A cost is finite and positive.
pub(super) fn check_cost(cost: f64) -> Result<()> {
    if !cost.is_finite() {
        return Err(Error::new(ErrorKind::NonFinite, format!("expected a finite cost, got {cost}")));
    }
    if cost <= 0.0 {
        let message = format!("expected a positive cost, got {cost}; where an evaluation can be free, a floor is yours to add");
        return Err(Error::new(ErrorKind::NonPositiveCost, message));
    }
    Ok(())
}
