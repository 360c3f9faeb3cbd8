//! The best root of a plan at which an evaluation could take place.

use std::time::Instant;

use crate::acquisition::{Acquisition, FantasyTree};
use crate::backend::{Backend, Cpu, Job, Provenance, Scores};
use crate::data::{Domain, Points, Space, Table};
use crate::error::Result;
use crate::math::sobol::Sobol;
use crate::maximize::{Maximize, Maximum, orderable};
use crate::suggest::candidates::Found;
use crate::suggest::finalists::grid;
use crate::suggest::{Setup, Taken};

/// Plans whose later points are tried with the roots of a finite domain, and with other roots where all that were found are taken.
const CONTINUATIONS: usize = 8;

/// Roots of a finite domain that are tried: all of them, or those with the largest one-step values.
const ROOTS: usize = 512;

/// Trees that are scored at a time.
const CHUNK: usize = 4096;

/// The best root (of a finite domain the best that was not taken), and all trees that the search found, best first, to begin from at the next step; none where every row of a table is
/// taken. The trees are searched in the whole cube. Over a finite domain each root is then tried with the later points of the best plans, and of a
/// plan in a space with whole numbers the root is moved onto them: later points, which will be planned anew, stay where they are.
pub(crate) fn search(
    setup: &Setup,
    job: &Job<'_>,
    taken: &Taken,
    [before, hints]: [&Points; 2],
    (seed, deadline): (u64, Option<Instant>),
) -> Result<Option<(Found, Points)>> {
    let roots = match &setup.domain {
        Domain::Table(table) => {
            let flags = taken.rows(table);
            let free = table.points().select((0..table.len()).filter(|&row| !flags[row]));
            if free.is_empty() {
                return Ok(None);
            }
            Some(free)
        }
        Domain::Space(space) => grid(space).map(|points| {
            let free = points.select((0..points.len()).filter(|&row| !taken.contains(points.row(row))));
            if free.is_empty() { points } else { free }
        }),
    };
    let maximum = Maximize { seed, deadline, ..setup.trees.clone() }.lookahead(&*setup.backend, job, before, hints)?;
    let mut candidates = Candidates::new(setup, job, maximum.finalists.dim());
    if let Some(roots) = roots {
        candidates.continue_from(&best_alone(setup, job, roots)?, &maximum.finalists)?;
    } else if let Domain::Space(space) = &setup.domain {
        candidates.settle(space, &maximum, taken, seed)?;
    }
    let found = candidates.found(&maximum, taken);
    Ok(Some((found, maximum.finalists)))
}

/// The roots with the largest one-step values.
fn best_alone(setup: &Setup, job: &Job<'_>, roots: Points) -> Result<Points> {
    if roots.len() <= ROOTS {
        return Ok(roots);
    }
    let (_, budget, boundary) = job.acquisition.planned()?;
    let alone = Acquisition::MultiStepImprovement { tree: FantasyTree::new(&[], 0)?.into(), budget, boundary };
    let mut scores = Scores::default();
    let job = Job { acquisition: &alone, gradient: false, keep: Some(ROOTS), ..*job };
    setup.backend.evaluate(&job, &roots, &mut scores)?;
    Ok(roots.select(scores.rows))
}

/// Plans with roots at which an evaluation could take place, with their scores in double precision from the host.
struct Candidates<'a> {
    setup: &'a Setup,
    job: Job<'a>,
    dim: usize,
    plans: Points,
    scores: Scores,
}

impl<'a> Candidates<'a> {
    fn new(setup: &'a Setup, job: &Job<'a>, width: usize) -> Self {
        let (dim, plans) = (job.posterior.dim(), Points::new(width));
        Self { setup, job: Job { gradient: false, keep: None, ..*job }, dim, plans, scores: Scores::default() }
    }

    fn root(&self, plan: usize) -> &[f64] {
        &self.plans.row(plan)[..self.dim]
    }

    /// Each root with the later points of each of the best plans.
    fn continue_from(&mut self, roots: &Points, plans: &Points) -> Result<()> {
        let mut rows = Points::new(plans.dim());
        for root in roots.rows() {
            for plan in plans.rows().take(CONTINUATIONS) {
                rows.push(&[root, &plan[self.dim..]].concat());
            }
            if rows.len() >= CHUNK {
                self.add(&std::mem::replace(&mut rows, Points::new(plans.dim())))?;
            }
        }
        self.add(&rows)
    }

    /// The plans of a search, their roots where an evaluation can be; if all of these are taken, other roots.
    fn settle(&mut self, space: &Space, maximum: &Maximum, taken: &Taken, seed: u64) -> Result<()> {
        let mut rows = maximum.finalists.clone();
        (0..rows.len()).for_each(|row| space.snap(&mut rows.row_mut(row)[..self.dim]));
        self.add(&rows)?;
        if space.is_finite() && (0..self.plans.len()).all(|plan| taken.contains(self.root(plan))) {
            let mut roots = Sobol::new(self.dim, seed).points(0, self.setup.search.raw);
            (0..roots.len()).for_each(|row| space.snap(roots.row_mut(row)));
            self.continue_from(&roots, &maximum.finalists)?;
        }
        Ok(())
    }

    /// Scores plans: the backend does, if what it says is in double precision from the host, and otherwise the host.
    fn add(&mut self, rows: &Points) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut scores = Scores::default();
        self.setup.backend.evaluate(&self.job, rows, &mut scores)?;
        if !scores.provenance.is_host_double() {
            Cpu.evaluate(&self.job, rows, &mut scores)?;
        }
        self.plans.extend(rows);
        self.scores.value.extend(scores.value);
        self.scores.mean.extend(scores.mean);
        self.scores.variance.extend(scores.variance);
        self.scores.provenance = scores.provenance;
        Ok(())
    }

    fn found(self, maximum: &Maximum, taken: &Taken) -> Found {
        let value = |plan: usize| orderable(self.scores.value[plan]);
        let best = |plans: &mut dyn Iterator<Item = usize>| plans.reduce(|best, plan| if value(plan) > value(best) { plan } else { best });
        let free = match self.setup.domain.is_finite() {
            true => best(&mut (0..self.plans.len()).filter(|&plan| !taken.contains(self.root(plan)))),
            false => None,
        };
        let chosen = free.or_else(|| best(&mut (0..self.plans.len()))).unwrap_or(0);
        let unit = self.root(chosen).to_vec();
        let mut runners_up = Points::with_capacity(self.dim, maximum.finalists.len());
        maximum.finalists.rows().for_each(|plan| runners_up.push(&plan[..self.dim]));
        let row = match &self.setup.domain {
            Domain::Table(table) => row_of(table, &unit),
            Domain::Space(_) => None,
        };
        Found {
            row,
            value: self.scores.value[chosen],
            mean: self.scores.mean[chosen],
            variance: self.scores.variance[chosen],
            runners_up,
            ended: maximum.ended,
            rounds: maximum.rounds,
            evaluations: maximum.evaluations + self.plans.len(),
            basins: maximum.basins.clone(),
            provenance: Provenance { fallback: maximum.provenance.fallback, ..self.scores.provenance },
            unit,
        }
    }
}

/// The first row of a table at a point of it.
fn row_of(table: &Table, unit: &[f64]) -> Option<usize> {
    table.points().rows().position(|row| row == unit)
}
