//! The minimum of the quadratic model in a box that linear rows cut.
//!
//! The path of the projected gradient bends at every face, so neither a Cauchy point nor a subspace is
//! found by sorting breakpoints. The model is cheap and the function is not: the model is minimized by
//! projected gradients, with the lengths of Barzilai and Borwein and an exact step along each line.
//!
//! References: Schmidt, van den Berg, Friedlander, Murphy (2009), Optimizing costly functions with simple
//! constraints: a limited-memory projected quasi-Newton algorithm, AISTATS 12; Birgin, Martinez, Raydan
//! (2000), Nonmonotone spectral projected gradient methods on convex sets, SIAM Journal on Optimization
//! 10.

use super::memory::Memory;
use crate::math::dense::dot;
use crate::math::polytope::{Nearest, Polytope};

/// The minimum of the model is found to this share of the way that the first projected gradient goes.
const SHARE: f64 = 1e-2;

/// The largest number of projected gradients.
const STEPS: usize = 100;

/// Linear rows beside the box, and what it takes to stay within them.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    polytope: Polytope,
    nearest: Nearest,
    /// The slope of the model, the nearest point to where it leads, the way there, and that times the
    /// matrix.
    slope: Vec<f64>,
    aim: Vec<f64>,
    reached: Vec<f64>,
    way: Vec<f64>,
    bent: Vec<f64>,
    middle: Vec<f64>,
}

impl Rows {
    pub(super) fn new(polytope: Polytope, capacity: usize) -> Self {
        let zeros = vec![0.0; polytope.dim()];
        Self {
            nearest: Nearest::new(&polytope),
            polytope,
            slope: zeros.clone(),
            aim: zeros.clone(),
            reached: zeros.clone(),
            way: zeros.clone(),
            bent: zeros,
            middle: vec![0.0; 2 * capacity],
        }
    }

    /// Moves a point into the polytope. Returns false if it is empty.
    pub(super) fn enter(&mut self, point: &mut [f64]) -> bool {
        self.aim.copy_from_slice(point);
        self.nearest.find(&self.polytope, &self.aim, point)
    }

    /// The longest step along a direction to a point of the polytope.
    pub(super) fn longest_step(&self, x: &[f64], direction: &[f64]) -> f64 {
        self.polytope.longest_step(x, direction)
    }

    /// The largest component of `P(x - g) - x`, with the projection `P` onto the polytope.
    pub(super) fn projected_gradient_norm(&self, x: &[f64], gradient: &[f64]) -> f64 {
        let aim: Vec<f64> = x.iter().zip(gradient).map(|(x, g)| x - g).collect();
        let mut reached = vec![0.0; x.len()];
        self.nearest.clone().find(&self.polytope, &aim, &mut reached);
        reached.iter().zip(x).map(|(r, x)| (r - x).abs()).fold(0.0, f64::max)
    }

    /// The minimum of the model around `x` in the polytope, into `target`.
    pub(super) fn minimize(
        &mut self,
        x: &[f64],
        gradient: &[f64],
        memory: &Memory,
        target: &mut [f64],
    ) {
        target.copy_from_slice(x);
        self.slope.copy_from_slice(gradient);
        let theta = memory.theta();
        let mut length = 1.0 / theta;
        let mut first = 0.0;
        for step in 0..STEPS {
            for ((aim, x), slope) in self.aim.iter_mut().zip(&*target).zip(&self.slope) {
                *aim = x - length * slope;
            }
            if !self.nearest.find(&self.polytope, &self.aim, &mut self.reached) {
                return;
            }
            for ((way, reached), x) in self.way.iter_mut().zip(&self.reached).zip(&*target) {
                *way = reached - x;
            }
            // As far as a gradient of the first length goes.
            let longest = self.way.iter().fold(0.0, |longest: f64, d| longest.max(d.abs()));
            let far = longest * (1.0 / (length * theta)).max(1.0);
            let fall = dot(&self.slope, &self.way);
            let is_near = step > 0 && far <= SHARE * first;
            if is_near || fall >= 0.0 {
                return;
            }
            if step == 0 {
                first = far;
            }
            self.bend(memory);
            let curvature = dot(&self.way, &self.bent);
            let share = if curvature > 0.0 { (-fall / curvature).min(1.0) } else { 1.0 };
            if share == 1.0 {
                target.copy_from_slice(&self.reached);
            } else {
                target.iter_mut().zip(&self.way).for_each(|(x, d)| *x += share * d);
            }
            self.slope.iter_mut().zip(&self.bent).for_each(|(slope, bent)| *slope += share * bent);
            // The two lengths in turns: the longer one for flat directions, the shorter for steep ones.
            let next = match step % 2 {
                0 => dot(&self.way, &self.way) / curvature,
                _ => curvature / dot(&self.bent, &self.bent),
            };
            length = if next.is_finite() && next > 0.0 { next } else { 1.0 / theta };
        }
    }

    /// The matrix of the model times the way: `theta d - W M W'd`.
    fn bend(&mut self, memory: &Memory) {
        let theta = memory.theta();
        for (bent, d) in self.bent.iter_mut().zip(&self.way) {
            *bent = theta * d;
        }
        if !memory.is_empty() {
            let middle = &mut self.middle[..2 * memory.len()];
            memory.multiply_transposed(&self.way, middle);
            memory.multiply_middle(middle);
            memory.add_columns(middle, -1.0, -theta, &mut self.bent);
        }
    }
}
