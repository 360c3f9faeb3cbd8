//! Many L-BFGS-B states that move in step.

use crate::backend::Scores;
use crate::data::Points;
use crate::error::Result;
use crate::math::lbfgsb::{Lbfgsb, Settings, Status};

/// One climb: a minimization of the negated acquisition function.
struct Climb {
    state: Lbfgsb,
    /// The best value seen, not negated, and where.
    value: f64,
    point: Vec<f64>,
}

/// All climbs of one maximization.
pub(crate) struct Climbs {
    climbs: Vec<Climb>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    max_iterations: usize,
    moving: Vec<usize>,
    batch: Points,
    gradient: Vec<f64>,
    pub rounds: usize,
    pub evaluations: usize,
}

/// Tolerances of the ascent that ends a search: a relative change near the rounding error of the values themselves.
const TIGHT: (f64, f64) = (1e-13, 1e-9);

impl Climbs {
    /// Starts at the chosen points, whose values are known.
    pub fn new(points: &Points, chosen: &[usize], values: &[f64], max_iterations: usize) -> Result<Self> {
        let dim = points.dim();
        let (lower, upper) = (vec![0.0; dim], vec![1.0; dim]);
        let settings = Settings { max_iterations, ..Settings::default() };
        let climbs: Result<Vec<Climb>> = chosen
            .iter()
            .map(|&index| {
                let point = points.row(index).to_vec();
                Ok(Climb { state: Lbfgsb::new(&point, &lower, &upper, &settings)?, value: values[index], point })
            })
            .collect();
        let batch = Points::with_capacity(dim, chosen.len());
        let (moving, gradient) = (Vec::with_capacity(chosen.len()), vec![0.0; dim]);
        Ok(Self { climbs: climbs?, lower, upper, max_iterations, moving, batch, gradient, rounds: 0, evaluations: 0 })
    }

    /// Collects the points whose values are wanted; false if every climb has ended.
    pub fn gather(&mut self) -> bool {
        self.moving.clear();
        self.batch.clear();
        for (index, climb) in self.climbs.iter().enumerate() {
            if climb.state.status() == Status::Running {
                self.moving.push(index);
                self.batch.push(climb.state.point());
            }
        }
        !self.moving.is_empty()
    }

    /// The points whose values are wanted.
    pub fn batch(&self) -> &Points {
        &self.batch
    }

    /// Moves every climb of the batch by its value and gradient.
    pub fn advance(&mut self, scores: &Scores) {
        let dim = self.batch.dim();
        for (row, &index) in self.moving.iter().enumerate() {
            let climb = &mut self.climbs[index];
            let value = scores.value[row];
            if value > climb.value || climb.value.is_nan() {
                climb.value = value;
                climb.point.copy_from_slice(self.batch.row(row));
            }
            for (out, g) in self.gradient.iter_mut().zip(&scores.gradient[row * dim..(row + 1) * dim]) {
                *out = -g;
            }
            climb.state.advance(-value, &self.gradient);
        }
        self.rounds += 1;
        self.evaluations += self.moving.len();
    }

    /// How many climbs met a tolerance.
    pub fn converged(&self) -> usize {
        let met = |climb: &&Climb| matches!(climb.state.status(), Status::ConvergedGradient | Status::ConvergedValue);
        self.climbs.iter().filter(met).count()
    }

    /// Lets the best climbs go on with tight tolerances, each from its best point.
    pub fn polish(&mut self, count: usize) -> Result<()> {
        let settings = Settings {
            max_iterations: self.max_iterations,
            function_tolerance: TIGHT.0,
            gradient_tolerance: TIGHT.1,
            ..Settings::default()
        };
        self.rank();
        for climb in self.climbs.iter_mut().take(count) {
            climb.state = Lbfgsb::new(&climb.point, &self.lower, &self.upper, &settings)?;
        }
        Ok(())
    }

    fn rank(&mut self) {
        let orderable = |value: f64| if value.is_nan() { f64::NEG_INFINITY } else { value };
        // A stable sort: equals stay in the order of their starts.
        self.climbs.sort_by(|a, b| orderable(b.value).total_cmp(&orderable(a.value)));
    }

    /// The best point of each climb with its value, best first.
    pub fn ranked(&mut self) -> (Points, Vec<f64>) {
        self.rank();
        let mut points = Points::with_capacity(self.lower.len(), self.climbs.len());
        for climb in &self.climbs {
            points.push(&climb.point);
        }
        (points, self.climbs.iter().map(|climb| climb.value).collect())
    }
}
