//! Many L-BFGS-B states that move together, round by round.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::backend::search::{Ascent, Ends};
use crate::backend::{Provenance, Scores};
use crate::data::{Points, Space};
use crate::error::Result;
use crate::math::lbfgsb::{Lbfgsb, Settings, Status};
use crate::math::order::orderable;
use crate::math::share;
use crate::maximize::limits::Limits;
use crate::maximize::mixed;
use crate::maximize::scale::Scale;
use crate::maximize::settings::Maximize;

/// One climb: a minimization of the negated acquisition function.
struct Climb {
    state: Lbfgsb,
    /// The best value so far, not negated, and its point.
    value: f64,
    point: Vec<f64>,
    /// Its row in the batch, while it is in the batch.
    row: Option<usize>,
    /// Whether its end must still be counted.
    counts: bool,
    /// Whether a backend has moved it to its end by itself.
    moved_elsewhere: bool,
    /// Whether the lines through the point have been searched.
    searched: bool,
}

/// All climbs of one maximization.
pub(super) struct Climbs {
    climbs: Vec<Climb>,
    limits: Limits,
    settings: Settings,
    scale: Scale,
    batch: Points,
    /// Climbs that were counted because they met a device's tolerance.
    met: usize,
    /// Whether the host has taken over.
    pub handed_over: bool,
    pub rounds: usize,
    pub evaluations: usize,
}

/// The number of correction pairs of a climb. With the usual ten, more than a third of a search on
/// few observations is algebra with pairs. With five a study of 30 trials in 5 dimensions takes 28 %
/// less time and ends as well, and so do others in 2 to 100 dimensions; with three some end worse.
const PAIRS: usize = 5;

/// Tolerances of the last ascent of a search: a relative change near the rounding error of the
/// values.
const TIGHT: (f64, f64) = (1e-13, 1e-9);

/// Tolerances of climbs of plans, relative to the value. Plans have kinks at which the incumbent
/// changes. More digits of a plan's last points do not move its first point. Tolerances ten times
/// tighter give the same values (to 1e-3) in twice the time. Tolerances ten times looser give
/// values up to a tenth lower.
const PLANS: (f64, f64) = (1e-6, 1e-3);

/// The relative change of a value at which a climb in single precision has converged: eight units
/// of rounding (1.2e-7), about the error of a sum of hundreds of terms. Slopes keep the tolerance
/// of double precision. Their rounding error is relative to the slopes. Late in a run, improvements
/// are small, and small slopes still lead to better points.
const COARSE: f64 = 1e-6;

/// The values that are tried for a coordinate: both bounds and three places between. In many
/// dimensions most of the cube's volume lies near its corners, and most peaks lie on its faces.
const STATIONS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// About how many points one search of lines scores. In 20 dimensions they are the lines of eight
/// climbs. In many more dimensions a step along one axis is a small part of the way: there lines
/// led to no better runs (60 to 300 dimensions), and beyond 160 dimensions none are searched.
const LINE_POINTS: usize = 800;

/// Two ends of climbs are one place if every coordinate differs by at most this.
const SAME: f64 = 1e-4;

/// [`SAME`] for climbs in single precision. A peak as wide as the cube is flat to within [`COARSE`]
/// over a distance of the root of [`COARSE`].
pub(super) const SAME_COARSE: f64 = 1e-3;

/// The largest number of places that a search reports. A search with the default settings ends in
/// fewer (32 starts and 16 times 8 jumps along lines). The next search scores all of them as hints;
/// this number keeps that cheap after thousands of starts.
const TOLD: usize = 256;

impl Climbs {
    /// No climb yet. `scanned` says which backend and device made the values of the scan. Plans have
    /// tolerances of their own.
    pub fn new(dim: usize, search: &Maximize, scale: Scale, scanned: &Provenance) -> Self {
        Self {
            climbs: Vec::new(),
            limits: search.limits(dim),
            settings: settings(search.max_iterations, scale.planned, scanned),
            scale,
            batch: Points::new(dim),
            met: 0,
            handed_over: false,
            rounds: 0,
            evaluations: 0,
        }
    }

    /// Adds a climb from a point whose value is known.
    pub fn start(&mut self, point: &[f64], value: f64) -> Result<()> {
        let state = self.limits.begin(point, &self.settings)?;
        self.climbs.push(Climb {
            state,
            value,
            point: point.to_vec(),
            row: None,
            counts: true,
            moved_elsewhere: false,
            searched: false,
        });
        Ok(())
    }

    /// The boxes of climbs from some points. `None` where a box does not say where climbs may go.
    pub fn sides(&self, starts: &Points) -> Option<[Points; 2]> {
        if self.scale.planned {
            return None;
        }
        self.limits.sides(starts)
    }

    /// Climbs from some points within boxes, for a backend that moves them by itself.
    pub fn ascent<'a>(
        &self,
        starts: &'a Points,
        sides: &'a [Points; 2],
        patience: f64,
        is_over: &'a (dyn Fn() -> bool + Sync),
    ) -> Ascent<'a> {
        let Settings { max_iterations, function_tolerance, gradient_tolerance, .. } =
            settings(self.settings.max_iterations, false, &host());
        Ascent {
            starts,
            sides: sides.each_ref(),
            max_iterations,
            function_tolerances: [COARSE, function_tolerance],
            gradient_tolerance,
            steep: self.scale.steep,
            patience,
            is_over,
        }
    }

    /// Takes climbs that a backend has moved by itself.
    pub fn take(&mut self, ends: &Ends) -> Result<()> {
        for (point, &value) in ends.points.rows().zip(&ends.values) {
            self.start(point, value)?;
        }
        self.climbs.iter_mut().for_each(|climb| climb.moved_elsewhere = true);
        self.met = ends.converged;
        self.rounds = ends.rounds;
        self.evaluations = ends.evaluations;
        Ok(())
    }

    /// Collects the points that need values, from at most `at_most` climbs, in the order of their
    /// starts. Returns false if every climb has ended.
    pub fn gather(&mut self, at_most: usize) -> bool {
        self.batch.clear();
        for climb in &mut self.climbs {
            let wanted = climb.state.status() == Status::Running && self.batch.len() < at_most;
            climb.row = wanted.then_some(self.batch.len());
            if climb.row.is_some() {
                self.batch.push(climb.state.point());
            }
        }
        !self.batch.is_empty()
    }

    /// The points that need values.
    pub fn batch(&self) -> &Points {
        &self.batch
    }

    /// Moves every climb of the batch by its value and gradient. Overwrites the scores, because
    /// values and gradients are negated in place. The states are independent, so any number of
    /// threads moves them to the same places.
    pub fn advance(&mut self, scores: &mut Scores) {
        let (batch, dim, limits) = (&self.batch, self.batch.dim(), &self.limits);
        for (value, gradient) in scores.value.iter().zip(scores.gradient.chunks_exact_mut(dim)) {
            let slope = -self.scale.see(*value).1;
            for g in gradient.iter_mut() {
                *g *= slope;
            }
        }
        let (scores, scale) = (&*scores, self.scale);
        let step = |climb: &mut Climb| {
            let Some(row) = climb.row else { return };
            let value = scores.value[row];
            if (value > climb.value || climb.value.is_nan()) && limits.allow(batch.row(row)) {
                climb.value = value;
                climb.point.copy_from_slice(batch.row(row));
            }
            climb.state.advance(-scale.see(value).0, &scores.gradient[row * dim..(row + 1) * dim]);
        };
        // Those that rest take no time.
        let each = share::of_moves(batch.values().len()) / self.climbs.len() as f64;
        self.climbs.par_iter_mut().with_min_len(share::least(each)).for_each(step);
        self.count_round();
    }

    /// Counts a round, whether or not the climbs use it.
    pub fn count_round(&mut self) {
        self.rounds += 1;
        self.evaluations += self.batch.len();
    }

    /// How many climbs met a tolerance: the device's if the device ended the climb, the host's if
    /// the host carried it on.
    pub fn converged(&self) -> usize {
        let met = |climb: &&Climb| {
            climb.counts
                && matches!(
                    climb.state.status(),
                    Status::ConvergedGradient | Status::ConvergedValue
                )
        };
        self.met + self.climbs.iter().filter(met).count()
    }

    /// Gives climbs that have not begun the tolerances that suit the first answer. This answer may
    /// come from another device than the scan.
    pub fn suit(&mut self, made: &Provenance) -> Result<()> {
        let suitable = settings(self.settings.max_iterations, self.scale.planned, made);
        if suitable != self.settings {
            self.settings = suitable;
            for climb in &mut self.climbs {
                climb.state = self.limits.begin(&climb.point, &self.settings)?;
            }
        }
        Ok(())
    }

    /// Ends the phase of the device. Leaves the best `places` different ends of climbs and, if
    /// `running`, every climb that has not ended. Each begins anew from its best point with the
    /// tolerances of double precision. Their values are unknown until the host has computed them.
    pub fn hand_over(&mut self, places: usize, running: bool) -> Result<()> {
        self.met = self.converged();
        self.handed_over = true;
        self.settings = settings(self.settings.max_iterations, self.scale.planned, &host());
        self.rank();
        let mut kept: Vec<Climb> = Vec::with_capacity(places);
        let mut found = 0;
        for climb in self.climbs.drain(..) {
            let place = found < places
                && kept.iter().all(|other| !near(&other.point, &climb.point, SAME_COARSE));
            found += usize::from(place);
            let goes_on = !climb.moved_elsewhere && climb.state.status() == Status::Running;
            let carried = running && goes_on;
            if place || carried {
                kept.push(Climb { counts: carried, moved_elsewhere: false, ..climb });
            }
        }
        for climb in &mut kept {
            climb.state = self.limits.begin(&climb.point, &self.settings)?;
            climb.value = f64::NAN;
        }
        self.climbs = kept;
        Ok(())
    }

    /// Restarts the best climbs with tight tolerances, each from its best point.
    pub fn polish(&mut self, count: usize) -> Result<()> {
        let settings = Settings {
            function_tolerance: TIGHT.0,
            gradient_tolerance: TIGHT.1,
            ..self.settings.clone()
        };
        self.rank();
        for climb in self.climbs.iter_mut().take(count) {
            climb.state = self.limits.begin(&climb.point, &settings)?;
        }
        Ok(())
    }

    /// The best climbs, at most `count`, of which those that were not searched around before. Now
    /// they were. Climbs that ended in one place count once.
    fn unsearched(&mut self, count: usize) -> Vec<usize> {
        self.rank();
        let mut centers: Vec<usize> = Vec::with_capacity(count);
        for index in 0..self.climbs.len() {
            let point = &self.climbs[index].point;
            match centers
                .iter()
                .copied()
                .find(|&other| near(&self.climbs[other].point, point, SAME))
            {
                Some(same) => self.climbs[same].searched |= self.climbs[index].searched,
                None if centers.len() < count => centers.push(index),
                None => {}
            }
        }
        centers.retain(|&center| !std::mem::replace(&mut self.climbs[center].searched, true));
        centers
    }

    /// The neighbors in a mixed space of the ends of the best climbs, at most `count`, and the climb
    /// of each. Climbs whose neighbors were searched before are left out.
    pub fn neighbors(&mut self, space: &Space, count: usize, seed: u64) -> (Points, Vec<usize>) {
        let mut points = Points::new(self.limits.dim());
        let mut owners = Vec::new();
        for center in self.unsearched(count) {
            let climb = &self.climbs[center];
            mixed::neighbors(space, &climb.point, climb.state.point(), seed, &mut points);
            owners.resize(points.len(), center);
        }
        (points, owners)
    }

    /// Points on the axis-parallel lines through the ends of the best climbs: each coordinate in
    /// turn set to each of [`STATIONS`]. Climbs that ended in one place count once. Climbs whose
    /// lines were searched before are left out. At most `count` climbs, and about [`LINE_POINTS`]
    /// points. Also returns the climb of each point.
    pub fn lines(&mut self, count: usize) -> (Points, Vec<usize>) {
        let dim = self.limits.dim();
        let centers = self.unsearched(count.min(LINE_POINTS / (STATIONS.len() * dim)));
        let mut points = Points::new(dim);
        let mut owners = Vec::new();
        for center in centers {
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

    /// Starts a new climb from the best point of each climb's lines, if this point is better than
    /// the climb's end. Returns false if none is better.
    pub fn jump(&mut self, points: &Points, owners: &[usize], values: &[f64]) -> Result<bool> {
        let mut best: Vec<Option<usize>> = vec![None; self.climbs.len()];
        for (row, (&owner, &value)) in owners.iter().zip(values).enumerate() {
            // Better in the digits that the climb uses.
            let least = self.settings.function_tolerance * value.abs().max(self.scale.unit);
            let bar =
                best[owner].map_or(self.climbs[owner].value + least, |best: usize| values[best]);
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
        // A stable sort keeps equal climbs in the order of their starts.
        self.climbs.sort_by(|a, b| orderable(b.value).total_cmp(&orderable(a.value)));
    }

    /// The ends of climbs and their values, best first, each place once, at most [`TOLD`].
    pub fn ranked(&mut self) -> (Points, Vec<f64>) {
        self.rank();
        let mut points = Points::new(self.limits.dim());
        let mut values = Vec::new();
        for climb in &self.climbs {
            if values.len() < TOLD && !points.rows().any(|other| near(other, &climb.point, SAME)) {
                points.push(&climb.point);
                values.push(climb.value);
            }
        }
        (points, values)
    }
}

/// The host in double precision.
fn host() -> Provenance {
    Provenance { precision: "f64", ..Provenance::default() }
}

/// The settings of climbs on numbers of the precision of `made`.
fn settings(max_iterations: usize, planned: bool, made: &Provenance) -> Settings {
    let usual = Settings { max_iterations, memory: PAIRS, ..Settings::default() };
    match planned {
        true => Settings { function_tolerance: PLANS.0, gradient_tolerance: PLANS.1, ..usual },
        false if made.precision == "f64" => usual,
        false => Settings { function_tolerance: COARSE, ..usual },
    }
}

/// Whether two ends of climbs are the same place.
pub(super) fn near(a: &[f64], b: &[f64], within: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= within)
}
