//! How often the regret of the best point exceeds a bound on sample paths.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand::seq::index;
use rand_pcg::Pcg64;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use gittins::Maximize;
use gittins::Result;
use gittins::StopContext;
use gittins::data::State;
use gittins::internals::lbfgsb::{Settings, Status};
use gittins::internals::mix;
use gittins::internals::{Deadline, Pace};
use gittins::internals::{Stream, seed};
use gittins::internals::{grid, neighborhood};
use gittins::posterior::{Path, Paths};
use gittins::suggest::Surrogate;
use gittins::{Domain, Points};

/// Points at which the paths of a group are evaluated together.
const CHUNK: usize = 2048;

/// Paths that share the frequencies of their features. The kernel of 512 frequencies is off by some
/// 4 %, and so are the deviations far from the data. A tail probability of a few per cent may
/// therefore come out half as large again on all paths of one draw. Groups of 16 add about a tenth
/// to the variance of a frequency. A thousand paths of one draw would multiply it by ten.
const GROUP: usize = 16;

/// The number of points in the first batch, before their time is known.
const FIRST: usize = 64;

/// Climbs per path.
const CLIMBS: usize = 16;

/// Where a path may have its maximum, and the best point so far.
pub(super) struct PathRegret<'a> {
    surrogate: &'a Surrogate,
    incumbent: Points,
    candidates: Points,
    /// The settings of climbs from the best candidates; none if the candidates are the whole
    /// domain.
    climb: Option<Settings>,
    /// The part of the cube that is searched, if not all of it is.
    search: &'a Maximize,
    features: usize,
    seed: u64,
    deadline: Deadline,
    /// Whether there was no time for something.
    cut: AtomicBool,
}

impl<'a> PathRegret<'a> {
    /// The candidates of the domain, always with the evaluated points: a table's rows (some of
    /// them, if there are more than `rows`), the grid of a small space of whole numbers, otherwise
    /// quasi-random points and the neighborhood of the best. None if nothing is known.
    pub fn new(context: &StopContext<'a>, features: usize, rows: usize) -> Option<Self> {
        let view = context.view()?;
        let (setup, surrogate, observations) = (view.setup, view.surrogate, view.observations);
        let best = observations.get(observations.best()?)?;
        let mut incumbent = Points::new(observations.dim());
        incumbent.push(&best.point);
        let draw_seed = seed(setup.seed, Stream::Regret, observations.told());
        let mut climb = None;
        let mut candidates = match &setup.domain {
            Domain::Table(table) if table.len() > rows => {
                let mut generator = Pcg64::seed_from_u64(seed(setup.seed, Stream::Regret, 0));
                table.points().select(index::sample(&mut generator, table.len(), rows))
            }
            Domain::Table(table) => table.points().clone(),
            domain => {
                let whole = if let Domain::Space(space) = domain { grid(space) } else { None };
                whole.unwrap_or_else(|| {
                    climb = Some(Settings {
                        max_iterations: setup.search.max_iterations,
                        ..Settings::default()
                    });
                    let search = &setup.search;
                    let sequence = search.sequence(domain.dim(), draw_seed);
                    let mut points = sequence.points(0..search.raw);
                    points.extend(&search.clamped(&neighborhood(view, draw_seed)));
                    points
                })
            }
        };
        observations
            .iter()
            .filter(|o| o.state == State::Complete)
            .for_each(|o| candidates.push(&o.point));
        Some(Self {
            surrogate,
            incumbent,
            candidates,
            climb,
            search: &setup.search,
            features,
            seed: draw_seed,
            deadline: context.due(),
            cut: AtomicBool::new(false),
        })
    }

    /// Whether there is no time for what comes next.
    pub fn is_late(&self) -> bool {
        let late = self.deadline.is_past();
        if late {
            self.cut.store(true, Ordering::Relaxed);
        }
        late
    }

    /// Whether there was no time for something.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The number of paths, of `count` fresh ones, whose maximum exceeds the value at the incumbent
    /// by more than `epsilon`, in outcome units. A path also counts if the climb to its maximum did
    /// not converge, or if there was no time for it.
    pub fn exceedances(&self, epsilon: f64, round: usize, count: usize) -> Result<usize> {
        let epsilon = self.surrogate.scale().apply_difference(epsilon);
        let mut beyond = 0;
        let mut undecided = Vec::new();
        for first in (0..count).step_by(GROUP) {
            if self.is_late() {
                beyond += count - first;
                break;
            }
            let group_seed = mix(mix(self.seed ^ round as u64) ^ first as u64);
            let paths = Paths::draw(
                self.surrogate.posterior(),
                self.features,
                GROUP.min(count - first),
                group_seed,
            )?;
            let bounds: Vec<f64> = paths
                .values(&self.incumbent)?
                .column(0)
                .iter()
                .map(|value| value + epsilon)
                .collect();
            let (exceeds, best) = self.scan(&paths, &bounds)?;
            beyond += exceeds.iter().filter(|&&exceeds| exceeds).count();
            let left = best.into_iter().enumerate().filter(|(path, _)| !exceeds[*path]);
            undecided.extend(left.map(|(path, best)| (paths.path(path), best, bounds[path])));
        }
        if let Some(settings) = &self.climb {
            let climb = |(path, best, bound): &(Path, Best, f64)| {
                self.climbs_beyond(path, best, *bound, settings)
            };
            let climbed = undecided.par_iter().map(climb).collect::<Result<Vec<bool>>>()?;
            beyond += climbed.into_iter().filter(|&beyond| beyond).count();
        }
        Ok(beyond)
    }

    /// Which paths exceed their bounds at a candidate, and where the climbs of the others start.
    fn scan(&self, paths: &Paths, bounds: &[f64]) -> Result<(Vec<bool>, Vec<Best>)> {
        let mut exceeds = vec![false; bounds.len()];
        let mut best = vec![Best::default(); if self.climb.is_some() { bounds.len() } else { 0 }];
        let mut look = |chunk: Range<usize>| -> Result<()> {
            let first = chunk.start;
            let values = paths.values(&self.candidates.select(chunk))?;
            for (at, column) in values.column_iter().enumerate() {
                for (path, &value) in column.iter().enumerate() {
                    exceeds[path] |= value > bounds[path];
                    if let Some(best) = best.get_mut(path) {
                        best.insert(value, first + at);
                    }
                }
            }
            Ok(())
        };
        let count = self.candidates.len();
        if self.deadline.is_set() {
            if Pace::new(FIRST).batches(count, self.deadline, 0, look)? < count {
                // A value that was not looked at may exceed the bound.
                exceeds.fill(true);
                self.cut.store(true, Ordering::Relaxed);
            }
        } else {
            (0..count)
                .step_by(CHUNK)
                .try_for_each(|first| look(first..(first + CHUNK).min(count)))?;
        }
        Ok((exceeds, best))
    }

    /// Whether a climb from the best candidates of a path ends above a bound, does not converge, or
    /// is not over in time.
    fn climbs_beyond(
        &self,
        path: &Path,
        best: &Best,
        bound: f64,
        settings: &Settings,
    ) -> Result<bool> {
        let dim = path.dim();
        let limits = self.search.limits(dim);
        let mut gradient = vec![0.0; dim];
        for &(_, start) in &best.0 {
            let mut climb = limits.begin(self.candidates.row(start), settings)?;
            while climb.status() == Status::Running {
                if self.is_late() {
                    return Ok(true);
                }
                let value = path.value_and_gradient(climb.point(), &mut gradient)?;
                if value > bound {
                    return Ok(true);
                }
                for slope in &mut gradient {
                    *slope = -*slope;
                }
                climb.advance(-value, &gradient);
            }
            if !matches!(climb.status(), Status::ConvergedGradient | Status::ConvergedValue) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The best candidates of a path, best first.
#[derive(Debug, Clone, Default)]
struct Best(Vec<(f64, usize)>);

impl Best {
    fn insert(&mut self, value: f64, candidate: usize) {
        let full = self.0.len() == CLIMBS;
        if full && self.0.last().is_some_and(|last| value <= last.0) {
            return;
        }
        if full {
            self.0.pop();
        }
        let at = self.0.partition_point(|other| other.0 >= value);
        self.0.insert(at, (value, candidate));
    }
}
