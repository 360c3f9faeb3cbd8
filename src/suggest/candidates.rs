//! The best point of a job that was not taken yet, over a space or over a table.

use std::collections::HashSet;

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use crate::acquisition::{Acquisition, Joint};
use crate::backend::{Job, Provenance};
use crate::data::{Domain, Observations, Points, Space, State, Table};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::math::sobol::Sobol;
use crate::maximize::{Ended, Maximize, Maximum, argmax_until};
use crate::suggest::finalists::Finalists;
pub(crate) use crate::suggest::finalists::grid;
use crate::suggest::known::fair_order;
use crate::suggest::{Setup, Surrogate, knowledge_gradient, lookahead};

/// Steps around the best points, in lengthscales: far enough to leave a basin, near enough to
/// refine one.
const STEPS: [f64; 4] = [0.3, 0.1, 0.03, 0.01];
/// How many of the best points get a neighborhood.
const CENTERS: usize = 4;

/// The points that must not be suggested, by their exact coordinates, and in a table by their rows.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    points: HashSet<Vec<u64>>,
}

impl Taken {
    /// Takes a point.
    pub fn insert(&mut self, unit: &[f64]) {
        self.points.insert(key(unit));
    }

    /// Gives a point free again.
    pub fn remove(&mut self, unit: &[f64]) {
        self.points.remove(&key(unit));
    }

    /// Whether exactly this point was taken.
    pub fn contains(&self, unit: &[f64]) -> bool {
        self.points.contains(&key(unit))
    }

    /// One flag per row of a table; twins of a taken row, which no model tells from it, are taken
    /// too.
    pub fn rows(&self, table: &Table) -> Vec<bool> {
        table.points().rows().map(|row| self.contains(row)).collect()
    }
}

impl<'a> FromIterator<&'a [f64]> for Taken {
    fn from_iter<I: IntoIterator<Item = &'a [f64]>>(points: I) -> Self {
        Self { points: points.into_iter().map(key).collect() }
    }
}

/// Adding zero turns -0 into 0.
pub(super) fn key(unit: &[f64]) -> Vec<u64> {
    unit.iter().map(|u| (u + 0.0).to_bits()).collect()
}

/// The best candidate of a search; values in the posterior's units.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub unit: Vec<f64>,
    pub row: Option<usize>,
    pub value: f64,
    pub mean: f64,
    pub variance: f64,
    /// Other candidates of the same search, best first: hints for the next one.
    pub runners_up: Points,
    pub ended: Ended,
    pub rounds: usize,
    pub evaluations: usize,
    /// Who found the basins, or in a table the shortlist.
    pub basins: Provenance,
    /// Who made the numbers above: the host, in double precision.
    pub provenance: Provenance,
}

/// The best point around which a suggestion is worth looking for: the best few told, and Gaussian
/// steps of several scales from them.
pub(crate) fn neighborhood(
    surrogate: &Surrogate,
    observations: &Observations,
    seed: u64,
) -> Points {
    let sign = observations.direction().sign();
    let mut complete: Vec<(f64, &[f64])> = observations
        .iter()
        .filter(|o| o.state == State::Complete)
        .filter_map(|o| Some((sign * o.outcome?, o.point.as_slice())))
        .collect();
    complete.sort_by(|a, b| b.0.total_cmp(&a.0));
    complete.truncate(CENTERS);
    let mut hints = Points::new(observations.dim());
    complete.iter().for_each(|(_, center)| hints.push(center));
    if complete.is_empty() {
        return hints;
    }
    let lengthscales = &surrogate.posterior().hyperparameters().lengthscales;
    let mut generator = Pcg64::seed_from_u64(seed);
    let steps = (2 * observations.dim()).clamp(16, 64);
    for k in 0..steps {
        let (_, center) = complete[k % complete.len()];
        let step = STEPS[(k / complete.len()) % STEPS.len()];
        let mut moved = |(u, lengthscale): (&f64, &f64)| {
            let normal: f64 = StandardNormal.sample(&mut generator);
            (u + step * lengthscale.min(1.0) * normal).clamp(0.0, 1.0)
        };
        let point: Vec<f64> = center.iter().zip(lengthscales).map(&mut moved).collect();
        hints.push(&point);
    }
    hints
}

/// The best point of an acquisition, its price in the user's outcome units: searched from the
/// neighborhood of the best told and from hints besides the search's own points, until a deadline.
/// Of a finite domain only points that were not taken; of a continuous one any point, since the
/// largest value of those that were not taken comes as near to the largest of all as one likes.
/// `None` where every row of a table was taken.
pub(crate) fn best(
    setup: &Setup,
    surrogate: &Surrogate,
    observations: &Observations,
    acquisition: &Acquisition,
    taken: &Taken,
    hints: &Points,
    (seed, deadline): (u64, Deadline),
) -> Result<Option<Found>> {
    let acquisition = surrogate.standardized(acquisition);
    let mut starts = neighborhood(surrogate, observations, seed);
    starts.extend(hints);
    search(setup, &surrogate.job(&acquisition), taken, &starts, (seed, deadline))
}

/// The same for a job.
pub(crate) fn search(
    setup: &Setup,
    job: &Job<'_>,
    taken: &Taken,
    hints: &Points,
    (seed, deadline): (u64, Deadline),
) -> Result<Option<Found>> {
    match job.acquisition {
        Acquisition::Joint(Joint::KnowledgeGradient { .. }) => {
            return knowledge_gradient::search(setup, job, taken, hints, (seed, deadline));
        }
        Acquisition::Joint(Joint::MultiStepImprovement { .. }) => {
            return lookahead::search_anew(setup, job, taken, (seed, deadline));
        }
        _ => {}
    }
    match &setup.domain {
        Domain::Space(space) => {
            search_space(setup, space, job, taken, hints, (seed, deadline)).map(Some)
        }
        Domain::Table(table) => search_table(setup, table, job, taken, (seed, deadline)),
    }
}

pub(super) fn search_table(
    setup: &Setup,
    table: &Table,
    job: &Job<'_>,
    taken: &Taken,
    (seed, deadline): (u64, Deadline),
) -> Result<Option<Found>> {
    let best =
        argmax_until(&*setup.backend, job, table.points(), &taken.rows(table), (deadline, seed))?;
    Ok(best.map(|best| Found {
        unit: table.points().row(best.row).to_vec(),
        row: Some(best.row),
        value: best.value,
        mean: best.mean,
        variance: best.variance,
        runners_up: Points::new(table.dim()),
        ended: best.ended,
        rounds: if best.shortlist.is_host_double() { 1 } else { 2 },
        evaluations: best.scored,
        basins: best.shortlist,
        provenance: best.provenance,
    }))
}

fn search_space(
    setup: &Setup,
    space: &Space,
    job: &Job<'_>,
    taken: &Taken,
    hints: &Points,
    (seed, deadline): (u64, Deadline),
) -> Result<Found> {
    if let Some(grid) = grid(space) {
        return search_grid(setup, (space, &grid), job, taken, (seed, deadline));
    }
    let maximum = maximize(setup, seed, deadline).run(&*setup.backend, job, hints)?;
    settle(setup, space, job, taken, (hints, seed, deadline), maximum)
}

/// A grid that is scored whole has an exact maximum, and one knows when nothing is left.
pub(super) fn search_grid(
    setup: &Setup,
    (space, grid): (&Space, &Points),
    job: &Job<'_>,
    taken: &Taken,
    (seed, deadline): (u64, Deadline),
) -> Result<Found> {
    let mut finalists = Finalists::new(space, job, &*setup.backend, taken, deadline);
    if deadline.is_set() {
        // Those that are reached in time are then a fair sample of the points that can be
        // suggested.
        let mut order = fair_order(grid.len(), (seed, deadline));
        order.sort_by_key(|&point| taken.contains(grid.row(point)));
        finalists.add(&grid.select(order))?;
    } else {
        finalists.add(grid)?;
    }
    Ok(finalists.choose(None))
}

/// A search of a space that ends at a deadline.
pub(super) fn maximize(setup: &Setup, seed: u64, deadline: Deadline) -> Maximize {
    Maximize { seed, deadline: deadline.at(), ..setup.search.clone() }
}

/// The best point where an evaluation could take place, among those where a search ended and, if
/// snapping moved these or all of them are taken in a finite space, among many others.
pub(super) fn settle(
    setup: &Setup,
    space: &Space,
    job: &Job<'_>,
    taken: &Taken,
    (hints, seed, deadline): (&Points, u64, Deadline),
    maximum: Maximum,
) -> Result<Found> {
    let mut finalists = Finalists::new(space, job, &*setup.backend, taken, deadline);
    finalists.add_found(&maximum)?;
    // Snapping moves a relaxed optimum off its peak, so that a point of the grid that no start
    // climbed to may be better.
    if space.has_ints() {
        finalists.add(hints)?;
        finalists.add(&Sobol::new(space.dim(), seed).points(0, setup.search.raw))?;
    }
    Ok(finalists.choose(Some(maximum)))
}
