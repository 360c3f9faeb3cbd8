//! The best root of a plan at which an evaluation could take place.

use crate::acquisition::{Acquisition, FantasyTree, Joint};
use crate::backend::top_k::top_k;
use crate::backend::{Backend, Cpu, Job, Provenance, Scores};
use crate::data::{Domain, Points, Space, Table};
use crate::error::Result;
use crate::math::clock::{Deadline, Pace};
use crate::math::sobol::Sobol;
use crate::maximize::{Ended, FIRST, Maximize, Maximum, first_batch, orderable};
use crate::suggest::candidates::Found;
use crate::suggest::finalists::grid;
use crate::suggest::known::fair_order;
use crate::suggest::{Setup, Taken, inward};

/// Plans whose later points are tried with the roots of a finite domain, and with other roots where
/// all that were found are taken.
const CONTINUATIONS: usize = 8;

/// Roots of a finite domain that are tried: all of them, or those with the largest one-step values.
const ROOTS: usize = 512;

/// Trees that are scored at a time.
const CHUNK: usize = 4096;

/// Shares of the time left that the search of trees may take before the plans that it found are
/// scored once more, or roots of a finite domain with them; and that the one-step values of these
/// roots may take then.
const BEFORE_PLANS: f64 = 0.9;
const BEFORE_ROOTS: f64 = 0.6;
const ALONE: f64 = 0.3;

/// The best root that was not taken, and all trees that the search found, best first, to begin from
/// at the next step; none where every row of a table is taken. The trees are searched in the whole
/// cube. Over a finite domain each root is then tried with the later points of the best plans, and
/// of a plan in a space with whole numbers the root is moved onto them: later points, which will be
/// planned anew, stay where they are.
pub(crate) fn search(
    setup: &Setup,
    job: &Job<'_>,
    taken: &Taken,
    [before, hints]: [&Points; 2],
    (seed, deadline): (u64, Deadline),
) -> Result<Option<(Found, Points)>> {
    let roots = match &setup.domain {
        Domain::Table(table) => {
            let flags = taken.rows(table);
            let free = table.points().select(
                fair_order(table.len(), (seed, deadline)).into_iter().filter(|&row| !flags[row]),
            );
            if free.is_empty() {
                return Ok(None);
            }
            Some(free)
        }
        Domain::Space(space) => grid(space).map(|points| {
            let order = fair_order(points.len(), (seed, deadline));
            let free =
                points.select(order.into_iter().filter(|&row| !taken.contains(points.row(row))));
            if free.is_empty() { points } else { free }
        }),
    };
    // What was found is scored once more.
    let end = deadline.part(if roots.is_some() { BEFORE_ROOTS } else { BEFORE_PLANS });
    let maximum = Maximize { seed, deadline: end.at(), ..setup.trees.clone() }.lookahead(
        &*setup.backend,
        job,
        before,
        hints,
    )?;
    let mut candidates = Candidates::new(setup, job, maximum.finalists.dim(), deadline);
    if let Some(roots) = roots {
        candidates.continue_from(
            &best_alone(setup, job, roots, deadline.part(ALONE))?,
            &maximum.finalists,
        )?;
    } else if let Domain::Space(space) = &setup.domain {
        candidates.settle(space, &maximum, taken, seed)?;
    }
    let found = candidates.found(&maximum, taken);
    Ok(Some((found, maximum.finalists)))
}

/// The roots with the largest one-step values.
fn best_alone(setup: &Setup, job: &Job<'_>, roots: Points, deadline: Deadline) -> Result<Points> {
    if roots.len() <= ROOTS && !deadline.is_set() {
        return Ok(roots);
    }
    let (_, budget, boundary) = job.acquisition.planned()?;
    let alone = Acquisition::Joint(Joint::MultiStepImprovement {
        tree: FantasyTree::new(&[], 0)?.into(),
        budget,
        boundary,
    });
    let mut scores = Scores::default();
    let job = Job { acquisition: &alone, gradient: false, keep: Some(ROOTS), ..*job };
    if !deadline.is_set() {
        setup.backend.evaluate(&job, &roots, &mut scores)?;
        return Ok(roots.select(scores.rows));
    }
    // Best first, since there may not be time for all of them.
    let mut values = Vec::new();
    Pace::new(FIRST).batches(roots.len(), deadline, FIRST, |next| -> Result<()> {
        setup.backend.evaluate(&Job { keep: None, ..job }, &roots.select(next), &mut scores)?;
        values.extend_from_slice(&scores.value);
        Ok(())
    })?;
    let mut rows = Vec::new();
    top_k(&values, ROOTS, &mut rows);
    Ok(roots.select(rows))
}

/// Plans with roots at which an evaluation could take place, with their scores in double precision
/// from the host.
struct Candidates<'a> {
    setup: &'a Setup,
    job: Job<'a>,
    dim: usize,
    plans: Points,
    scores: Scores,
    deadline: Deadline,
    pace: Pace,
    /// Whether the next plan is scored even if the time is up.
    needed: bool,
    /// Whether there was no time for some plans.
    cut: bool,
}

impl<'a> Candidates<'a> {
    fn new(setup: &'a Setup, job: &Job<'a>, width: usize, deadline: Deadline) -> Self {
        let (dim, plans, pace) =
            (job.posterior.dim(), Points::new(width), Pace::new(first_batch(job)));
        let job = Job { gradient: false, keep: None, ..*job };
        Self {
            setup,
            job,
            dim,
            plans,
            scores: Scores::default(),
            deadline,
            pace,
            needed: true,
            cut: false,
        }
    }

    fn root(&self, plan: usize) -> &[f64] {
        &self.plans.row(plan)[..self.dim]
    }

    /// Each root with the later points of each of the best plans.
    fn continue_from(&mut self, roots: &Points, plans: &Points) -> Result<()> {
        let mut rows = Points::new(plans.dim());
        // With a deadline no more are made at a time than may be scored.
        let chunk = if self.deadline.is_set() { CONTINUATIONS * CONTINUATIONS } else { CHUNK };
        for root in roots.rows() {
            if self.cut {
                return Ok(());
            }
            for plan in plans.rows().take(CONTINUATIONS) {
                rows.push(&[root, &plan[self.dim..]].concat());
            }
            if rows.len() >= chunk {
                self.add(&std::mem::replace(&mut rows, Points::new(plans.dim())))?;
            }
        }
        self.add(&rows)
    }

    /// The plans of a search, their roots where an evaluation can be; if all of these are taken,
    /// other roots.
    fn settle(&mut self, space: &Space, maximum: &Maximum, taken: &Taken, seed: u64) -> Result<()> {
        let mut rows = maximum.finalists.clone();
        (0..rows.len()).for_each(|row| space.snap(&mut rows.row_mut(row)[..self.dim]));
        self.add(&rows)?;
        if space.is_finite() && (0..self.plans.len()).all(|plan| taken.contains(self.root(plan))) {
            let mut roots = Sobol::new(self.dim, seed).points(0, self.setup.search.raw);
            (0..roots.len()).for_each(|row| space.snap(roots.row_mut(row)));
            if self.deadline.is_set() {
                // One that is free is found even if the time is up.
                (self.needed, self.cut) = (true, false);
                roots =
                    roots.select((0..roots.len()).filter(|&row| !taken.contains(roots.row(row))));
            }
            self.continue_from(&roots, &maximum.finalists)?;
        }
        let best = (0..self.plans.len()).reduce(|a, b| {
            if orderable(self.scores.value[b]) > orderable(self.scores.value[a]) { b } else { a }
        });
        if let Some(best) =
            best.filter(|&best| !space.is_finite() && taken.contains(self.root(best)))
        {
            // What its later points are worth need not be lost with a root that tells nothing: the
            // same plan from a step beside it.
            let lengthscales = &self.job.posterior.hyperparameters().lengthscales;
            let (roots, plan) = (
                inward::around(space, self.root(best), lengthscales, seed),
                self.plans.select([best]),
            );
            self.continue_from(&roots, &plan)?;
        }
        Ok(())
    }

    /// Scores plans, with a deadline as many as there is time for; the first few in any case, as
    /// long as there is no plan.
    fn add(&mut self, rows: &Points) -> Result<()> {
        if !self.deadline.is_set() {
            return self.score(rows);
        }
        let (mut pace, needed) = (self.pace, usize::from(self.needed));
        let done =
            pace.batches(rows.len(), self.deadline, needed, |next| self.score(&rows.select(next)))?;
        (self.pace, self.needed) = (pace, self.needed && done == 0);
        self.cut |= done < rows.len();
        Ok(())
    }

    /// Scores plans: the backend does, if what it says is in double precision from the host, and
    /// otherwise the host.
    fn score(&mut self, rows: &Points) -> Result<()> {
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
        let best = |plans: &mut dyn Iterator<Item = usize>| {
            plans.reduce(|best, plan| if value(plan) > value(best) { plan } else { best })
        };
        let free =
            best(&mut (0..self.plans.len()).filter(|&plan| !taken.contains(self.root(plan))));
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
            ended: if self.cut && maximum.ended == Ended::Finished {
                Ended::Deadline
            } else {
                maximum.ended
            },
            rounds: maximum.rounds,
            evaluations: maximum.evaluations + self.plans.len(),
            basins: maximum.basins.clone(),
            provenance: Provenance {
                fallback: maximum.provenance.fallback,
                ..self.scores.provenance
            },
            unit,
        }
    }
}

/// The first row of a table at a point of it.
fn row_of(table: &Table, unit: &[f64]) -> Option<usize> {
    table.points().rows().position(|row| row == unit)
}
