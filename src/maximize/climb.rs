//! Many L-BFGS-B states that move in step.

use crate::backend::Scores;
use crate::data::Points;
use crate::error::Result;
use crate::math::lbfgsb::{Lbfgsb, Settings, Status};
use crate::maximize::orderable;

/// One climb: a minimization of the negated acquisition function.
struct Climb {
    state: Lbfgsb,
    /// The best value seen, not negated, and where.
    value: f64,
    point: Vec<f64>,
    /// Whether the lines through the point were searched.
    searched: bool,
}

/// All climbs of one maximization.
pub(crate) struct Climbs {
    climbs: Vec<Climb>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    settings: Settings,
    moving: Vec<usize>,
    batch: Points,
    gradient: Vec<f64>,
    pub rounds: usize,
    pub evaluations: usize,
}

/// Tolerances of the ascent that ends a search: a relative change near the rounding error of the values themselves.
const TIGHT: (f64, f64) = (1e-13, 1e-9);

/// Where a coordinate is tried: both bounds, since in many dimensions most of the cube's volume lies near its corners and most peaks on its
/// faces, and three places between.
const STATIONS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Ends of climbs this near to each other in every coordinate are one place.
const SAME: f64 = 1e-4;

impl Climbs {
    /// Starts at the chosen points, whose values are known.
    pub fn new(points: &Points, chosen: &[usize], values: &[f64], max_iterations: usize) -> Result<Self> {
        let dim = points.dim();
        let mut climbs = Self {
            climbs: Vec::with_capacity(chosen.len()),
            lower: vec![0.0; dim],
            upper: vec![1.0; dim],
            settings: Settings { max_iterations, ..Settings::default() },
            moving: Vec::with_capacity(chosen.len()),
            batch: Points::with_capacity(dim, chosen.len()),
            gradient: vec![0.0; dim],
            rounds: 0,
            evaluations: 0,
        };
        for &index in chosen {
            climbs.start(points.row(index), values[index])?;
        }
        Ok(climbs)
    }

    /// Adds a climb from a point whose value is known.
    fn start(&mut self, point: &[f64], value: f64) -> Result<()> {
        let state = Lbfgsb::new(point, &self.lower, &self.upper, &self.settings)?;
        self.climbs.push(Climb { state, value, point: point.to_vec(), searched: false });
        Ok(())
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
        let settings = Settings { function_tolerance: TIGHT.0, gradient_tolerance: TIGHT.1, ..self.settings.clone() };
        self.rank();
        for climb in self.climbs.iter_mut().take(count) {
            climb.state = Lbfgsb::new(&climb.point, &self.lower, &self.upper, &settings)?;
        }
        Ok(())
    }

    /// Points on the axis-parallel lines through the ends of the best climbs, those that ended in one place counted once and those whose lines
    /// were searched before left out: each coordinate in turn set to each of [`STATIONS`]. Beside them, the climb that each point belongs to.
    pub fn lines(&mut self, count: usize) -> (Points, Vec<usize>) {
        self.rank();
        let dim = self.lower.len();
        let mut centers: Vec<usize> = Vec::with_capacity(count);
        for index in 0..self.climbs.len() {
            let point = &self.climbs[index].point;
            match centers.iter().copied().find(|&other| near(&self.climbs[other].point, point)) {
                Some(same) => self.climbs[same].searched |= self.climbs[index].searched,
                None if centers.len() < count => centers.push(index),
                None => {}
            }
        }
        let mut points = Points::new(dim);
        let mut owners = Vec::new();
        for center in centers {
            if std::mem::replace(&mut self.climbs[center].searched, true) {
                continue;
            }
            let mut point = self.climbs[center].point.clone();
            for k in 0..dim {
                let own = point[k];
                for station in STATIONS {
                    if (station - own).abs() > SAME {
                        point[k] = station;
                        points.push(&point);
                        owners.push(center);
                    }
                }
                point[k] = own;
            }
        }
        (points, owners)
    }

    /// Starts a new climb from the best of the points of each climb, if that is better than where the climb ended; false if none is.
    pub fn jump(&mut self, points: &Points, owners: &[usize], values: &[f64]) -> Result<bool> {
        let mut best: Vec<Option<usize>> = vec![None; self.climbs.len()];
        for (row, (&owner, &value)) in owners.iter().zip(values).enumerate() {
            // Better in the digits that the climb itself looks at.
            let least = self.settings.function_tolerance * value.abs().max(1.0);
            let bar = best[owner].map_or(self.climbs[owner].value + least, |best: usize| values[best]);
            if value > bar {
                best[owner] = Some(row);
            }
        }
        let before = self.climbs.len();
        for row in best.into_iter().flatten() {
            self.start(points.row(row), values[row])?;
        }
        self.evaluations += values.len();
        self.rounds += usize::from(!values.is_empty());
        Ok(self.climbs.len() > before)
    }

    fn rank(&mut self) {
        // A stable sort: equals stay in the order of their starts.
        self.climbs.sort_by(|a, b| orderable(b.value).total_cmp(&orderable(a.value)));
    }

    /// Where climbs ended, with the values there, best first and each place once.
    pub fn ranked(&mut self) -> (Points, Vec<f64>) {
        self.rank();
        let (mut points, mut values) = (Points::new(self.lower.len()), Vec::new());
        for climb in &self.climbs {
            if !points.rows().any(|other| near(other, &climb.point)) {
                points.push(&climb.point);
                values.push(climb.value);
            }
        }
        (points, values)
    }
}

/// Whether two ends of climbs are one place.
fn near(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME)
}
