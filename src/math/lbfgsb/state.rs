//! One minimization, step by step.

use super::bounds::Bounds;
use super::cauchy::CauchyPoint;
use super::line_search::{LineSearch, Progress};
use super::memory::Memory;
use super::rows::Rows;
use super::settings::{Settings, Status};
use super::subspace::Subspace;
use crate::error::{Error, ErrorKind, Result};
use crate::math::dense::dot;
use crate::math::polytope::Polytope;

/// The longest step if no bound limits it.
const LONGEST_STEP: f64 = 1e10;

/// One minimization, stepped from outside: the caller evaluates [`point`](Self::point) and calls
/// [`advance`](Self::advance).
///
/// The points and the end depend only on the start, the box, the settings and the values.
/// Minimizations that are stepped together go the same way, bit for bit, as each one alone.
///
/// ```
/// use gittins::internals::lbfgsb::{Lbfgsb, Settings, Status};
/// let mut climbs = [-3.0, 0.5, 3.0].map(|start| Lbfgsb::new(&[start], &[-4.0], &[4.0], &Settings::default()).unwrap());
/// while climbs.iter().any(|climb| climb.status() == Status::Running) {
///     for climb in climbs.iter_mut().filter(|climb| climb.status() == Status::Running) {
///         let x = climb.point()[0];
///         climb.advance(x.powi(4) - 8.0 * x * x, &[4.0 * x.powi(3) - 16.0 * x]);
///     }
/// }
/// assert!(climbs.iter().all(|climb| (climb.best().1 + 16.0).abs() < 1e-6));
/// ```
#[derive(Debug, Clone)]
pub struct Lbfgsb {
    settings: Settings,
    bounds: Bounds,
    rows: Option<Rows>,
    status: Status,
    iterations: usize,
    evaluations: usize,
    /// The last accepted iterate, with its value and gradient.
    iterate: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// The minimum of the model, and the way to it.
    target: Vec<f64>,
    direction: Vec<f64>,
    /// The point to evaluate next.
    point: Vec<f64>,
    /// The change of the gradient over the last step.
    change: Vec<f64>,
    memory: Memory,
    cauchy: CauchyPoint,
    subspace: Subspace,
    search: LineSearch,
}

impl Lbfgsb {
    /// Starts at `start`, moved into the box. All slices have the dimension `d`.
    ///
    /// A side of the box may be infinite. If both sides of a coordinate coincide, the coordinate is
    /// fixed.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] if `start` is empty, [`ErrorKind::Dimension`] if the lengths differ,
    /// [`ErrorKind::NonFinite`] if a bound is NaN or the start is not finite,
    /// [`ErrorKind::InvalidSetting`] if no number lies within the bounds of a coordinate, if the
    /// memory is zero, or if a tolerance is NaN or negative.
    pub fn new(start: &[f64], lower: &[f64], upper: &[f64], settings: &Settings) -> Result<Self> {
        settings.validate()?;
        let bounds = Bounds::new(lower, upper)?;
        let dim = start.len();
        if dim == 0 {
            return Err(Error::new(ErrorKind::Empty, "the start has no coordinates"));
        }
        if dim != bounds.dim() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("the start has {dim} coordinates, the bounds have {}", bounds.dim()),
            ));
        }
        if let Some(i) = start.iter().position(|x| !x.is_finite()) {
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("coordinate {i}: the start is {}", start[i]),
            ));
        }
        let point: Vec<f64> = start.iter().enumerate().map(|(i, &x)| bounds.clamp(i, x)).collect();
        let zeros = vec![0.0; dim];
        Ok(Self {
            settings: settings.clone(),
            bounds,
            rows: None,
            status: Status::Running,
            iterations: 0,
            evaluations: 0,
            iterate: point.clone(),
            value: f64::INFINITY,
            gradient: zeros.clone(),
            target: zeros.clone(),
            direction: zeros.clone(),
            point,
            change: zeros,
            memory: Memory::new(dim, settings.memory),
            cauchy: CauchyPoint::new(dim, settings.memory),
            subspace: Subspace::new(dim, settings.memory),
            search: LineSearch::default(),
        })
    }

    /// Starts at the point of a polytope that is nearest to `start`. All points lie in it.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and `OutOfBounds` if the polytope is empty.
    pub fn within(start: &[f64], polytope: Polytope, settings: &Settings) -> Result<Self> {
        let mut state = Self::new(start, &polytope.lower, &polytope.upper, settings)?;
        let mut rows = Rows::new(polytope, settings.memory);
        if !rows.enter(&mut state.point) {
            return Err(Error::new(ErrorKind::OutOfBounds, "the linear rows leave no point"));
        }
        state.iterate.copy_from_slice(&state.point);
        state.rows = Some(rows);
        Ok(state)
    }

    /// The point to evaluate while the status is `Running`; always within the box.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// Takes the value and the gradient at `point`, and moves on. Does nothing if the status is not
    /// `Running`.
    ///
    /// # Panics
    /// If the gradient has another dimension than the point.
    pub fn advance(&mut self, value: f64, gradient: &[f64]) -> Status {
        assert_eq!(gradient.len(), self.point.len(), "a gradient of the point's dimension");
        if self.status != Status::Running {
            return self.status;
        }
        self.evaluations += 1;
        self.status = if self.evaluations == 1 {
            self.begin(value, gradient)
        } else {
            self.search_on(value, gradient)
        };
        self.status
    }

    /// The status after the last `advance`.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The best point so far (the last accepted iterate) and its value. The value is infinite
    /// before the first `advance`.
    pub fn best(&self) -> (&[f64], f64) {
        (&self.iterate, self.value)
    }

    /// The gradient at the best point.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// The largest component of the projected gradient `P(x - g) - x` at the best point: the
    /// measure of convergence.
    pub fn gradient_norm(&self) -> f64 {
        match &self.rows {
            Some(rows) => rows.projected_gradient_norm(&self.iterate, &self.gradient),
            None => self.bounds.projected_gradient_norm(&self.iterate, &self.gradient),
        }
    }

    /// The number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The number of evaluations.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    fn begin(&mut self, value: f64, gradient: &[f64]) -> Status {
        self.value = value;
        self.gradient.copy_from_slice(gradient);
        if !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) {
            return Status::NonFinite;
        }
        if self.gradient_norm() <= self.settings.gradient_tolerance {
            return Status::ConvergedGradient;
        }
        self.iterate_on()
    }

    fn search_on(&mut self, value: f64, gradient: &[f64]) -> Status {
        // A component that is not finite need not show in the slope, because its direction may be
        // zero.
        let finite = value.is_finite() && gradient.iter().all(|g| g.is_finite());
        let slope = if finite { dot(gradient, &self.direction) } else { f64::NAN };
        match self.search.advance(value, slope) {
            Progress::Evaluate => self.request(),
            Progress::Accept => self.accept(value, gradient, slope),
            Progress::GiveUp if self.memory.is_empty() => Status::LineSearchFailed,
            Progress::GiveUp => {
                self.memory.clear();
                self.iterate_on()
            }
        }
    }

    /// Takes the point as the new iterate, tests for convergence and updates the model.
    fn accept(&mut self, value: f64, gradient: &[f64], slope: f64) -> Status {
        self.iterations += 1;
        if value > self.value {
            // A search that ran out of evaluations returns to its best step. Only a function that
            // contradicts itself gives another value there.
            return Status::ConvergedValue;
        }
        let before = std::mem::replace(&mut self.value, value);
        for ((change, new), old) in self.change.iter_mut().zip(gradient).zip(&self.gradient) {
            *change = new - old;
        }
        self.iterate.copy_from_slice(&self.point);
        self.gradient.copy_from_slice(gradient);
        if self.gradient_norm() <= self.settings.gradient_tolerance {
            return Status::ConvergedGradient;
        }
        if before - value
            <= self.settings.function_tolerance * before.abs().max(value.abs()).max(1.0)
        {
            return Status::ConvergedValue;
        }
        let step = self.search.step();
        let curvature = (slope - self.search.start_slope()) * step;
        if curvature > f64::EPSILON * -self.search.start_slope() * step {
            self.direction.iter_mut().for_each(|d| *d *= step);
            self.memory.update(&self.direction, &self.change, curvature);
        }
        self.iterate_on()
    }

    /// Goes from the iterate to the first point of the next line search.
    fn iterate_on(&mut self) -> Status {
        loop {
            if self.aim() {
                return self.request();
            }
            if self.memory.is_empty() {
                return Status::LineSearchFailed;
            }
            log::debug!(
                "L-BFGS-B: no descent from the model at iteration {}; {} pairs dropped",
                self.iterations,
                self.memory.len()
            );
            self.memory.clear();
        }
    }

    /// Finds the minimum of the model and sets the direction to it. Returns false if the model
    /// gives no descent.
    fn aim(&mut self) -> bool {
        if !self.aim_at_target() {
            return false;
        }
        for ((d, target), x) in self.direction.iter_mut().zip(&self.target).zip(&self.iterate) {
            *d = target - x;
        }
        let slope = dot(&self.gradient, &self.direction);
        let length = dot(&self.direction, &self.direction).sqrt();
        if !(slope < 0.0 && slope.is_finite() && length.is_finite()) {
            return false;
        }
        let (step, limit) = self.first_step(length);
        self.search = LineSearch::begin(self.value, slope, step, limit);
        true
    }

    /// Finds the minimum of the model. Returns false if it has none.
    fn aim_at_target(&mut self) -> bool {
        if let Some(rows) = &mut self.rows {
            rows.minimize(&self.iterate, &self.gradient, &self.memory, &mut self.target);
            return true;
        }
        if self.bounds.any() || self.memory.is_empty() {
            self.cauchy.find(&self.iterate, &self.gradient, &self.bounds, &self.memory);
        } else {
            self.cauchy.stay(&self.iterate);
        }
        if self.memory.is_empty() || self.cauchy.free().iter().all(|&free| !free) {
            self.target.copy_from_slice(self.cauchy.point());
            return true;
        }
        self.subspace.minimize(
            &self.iterate,
            &self.gradient,
            &self.bounds,
            &self.memory,
            &self.cauchy,
            &mut self.target,
        )
    }

    /// The first step of a line search and the longest allowed step, in units of the direction.
    fn first_step(&self, length: f64) -> (f64, f64) {
        let limit = match self.iterations {
            0 if self.bounds.any() => 1.0,
            _ => {
                let moving = self
                    .direction
                    .iter()
                    .zip(&self.iterate)
                    .enumerate()
                    .map(|(i, (&d, &x))| (i, x, d));
                let limit = self.bounds.longest_step(moving, LONGEST_STEP).0;
                let of_rows = |rows: &Rows| rows.longest_step(&self.iterate, &self.direction);
                self.rows.as_ref().map_or(limit, |rows| limit.min(of_rows(rows)))
            }
        };
        // At first nothing is known of the scale. A finite box has a scale of its own.
        let wanted = if self.iterations == 0 && !self.bounds.all() { 1.0 / length } else { 1.0 };
        (wanted.min(limit), limit)
    }

    /// Asks for the value at the search's step, if the limits allow it.
    fn request(&mut self) -> Status {
        if self.iterations >= self.settings.max_iterations {
            return Status::IterationLimit;
        }
        if self.evaluations >= self.settings.max_evaluations {
            return Status::EvaluationLimit;
        }
        let step = self.search.step();
        for i in 0..self.point.len() {
            // The whole step reaches the bounds exactly. A product and a sum would miss them by
            // rounding.
            let x = if step == 1.0 {
                self.target[i]
            } else {
                self.iterate[i] + step * self.direction[i]
            };
            // A step between two points of a face is off it by rounding, if the face has rows.
            let has_rows = self.rows.is_some();
            self.point[i] = if has_rows { self.bounds.meet(i, x) } else { self.bounds.clamp(i, x) };
        }
        if let Some(rows) = self.rows.as_mut().filter(|_| step > 1.0) {
            // A long step along a short direction leaves the rows by its rounding.
            rows.enter(&mut self.point);
        }
        Status::Running
    }
}
