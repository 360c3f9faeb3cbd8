//! The best root of a plan at which an evaluation is possible.

use crate::acquisition::{Acquisition, FantasyTree, Joint};
use crate::backend::top_k;
use crate::backend::{Job, Scores};
use crate::data::{Domain, Points, Space, Table};
use crate::error::Result;
use crate::math::clock::Pace;
use crate::math::order::orderable;
use crate::maximize::{Ended, FIRST, Maximum, TwoPhase, first_batch};
use crate::suggest::known::fair_order;
use crate::suggest::search::grid::grid;
use crate::suggest::search::jitter;
use crate::suggest::search::scope::Scope;
use crate::surrogate::View;

/// The number of plans whose later points are combined with the roots of a finite domain, or with
/// other roots if all found roots are taken.
const CONTINUATIONS: usize = 8;

/// The number of roots of a finite domain to try: all, or those with the largest one-step values.
const ROOTS: usize = 512;

/// The number of trees in one batch.
const CHUNK: usize = 4096;

/// Shares of the remaining time. First, the search of trees before the found plans are scored once
/// more. Second, the search of trees before roots of a finite domain are scored with the plans.
/// Third, the one-step values of these roots.
const BEFORE_PLANS: f64 = 0.9;
const BEFORE_ROOTS: f64 = 0.6;
const ALONE: f64 = 0.3;

/// The best free root, and all trees that the search found, best first; the next step begins from
/// them. `None` if every row of a table is taken.
///
/// The trees are searched in the whole cube. Over a finite domain each root is then combined with
/// the later points of the best plans. In a space with whole numbers the root of a plan is moved
/// onto them. Later points stay in place, because they will be planned anew.
pub(in crate::suggest) fn best_plan(
    scope: &Scope<'_>,
    job: &Job<'_>,
    before: &Points,
    hints: &Points,
) -> Result<Option<(Maximum, Points)>> {
    let Scope { view: View { setup, .. }, taken, seed, deadline, .. } = *scope;
    let roots = match &setup.domain {
        Domain::Table(table) => {
            let flags = taken.rows(table);
            let free = table.points().select(
                fair_order(table.len(), seed, deadline).into_iter().filter(|&row| !flags[row]),
            );
            if free.is_empty() {
                return Ok(None);
            }
            Some(free)
        }
        Domain::Space(space) => grid(space).map(|points| {
            let order = fair_order(points.len(), seed, deadline);
            let free =
                points.select(order.into_iter().filter(|&row| !taken.contains(points.row(row))));
            if free.is_empty() { points } else { free }
        }),
    };
    // The search result is scored once more.
    let share = if roots.is_some() { BEFORE_ROOTS } else { BEFORE_PLANS };
    let search = scope.part(share).maximize_trees();
    let maximum = search.lookahead(scope.backend(), job, before, hints)?;
    let mut candidates = Candidates::new(scope, job, &maximum);
    if let Some(roots) = roots {
        let best = best_alone(&scope.part(ALONE), job, roots)?;
        candidates.continue_from(&best, &maximum.finalists)?;
    } else if let Domain::Space(space) = &setup.domain {
        candidates.settle(space, &maximum)?;
    }
    let found = candidates.found(&maximum);
    Ok(Some((found, maximum.finalists)))
}

/// The best root of a plan, without points to begin from.
pub(super) fn best_anew(scope: &Scope<'_>, job: &Job<'_>) -> Result<Option<Maximum>> {
    let none = Points::new(job.acquisition.points() * job.posterior.dim());
    Ok(best_plan(scope, job, &none, &none)?.map(|(found, _)| found))
}

/// The roots with the largest one-step values.
fn best_alone(scope: &Scope<'_>, job: &Job<'_>, roots: Points) -> Result<Points> {
    let deadline = scope.deadline;
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
    let job = job.acquisition(&alone).gradient(false).keep(Some(ROOTS));
    if !deadline.is_set() {
        scope.backend().evaluate(&job, &roots, &mut scores)?;
        return Ok(roots.select(scores.rows));
    }
    // Best first, because there may not be time for all roots.
    let mut values = Vec::new();
    Pace::new(FIRST).batches(roots.len(), deadline, FIRST, |next| -> Result<()> {
        scope.backend().evaluate(&job.keep(None), &roots.select(next), &mut scores)?;
        values.extend_from_slice(&scores.value);
        Ok(())
    })?;
    let mut rows = Vec::new();
    top_k(&values, ROOTS, &mut rows);
    Ok(roots.select(rows))
}

/// Plans with roots at which an evaluation is possible, scored by the host in double precision.
struct Candidates<'a> {
    scope: &'a Scope<'a>,
    job: Job<'a>,
    dim: usize,
    plans: Points,
    scores: Scores,
    phases: TwoPhase<'a>,
    pace: Pace,
    /// Whether the next plan is scored even if the time is up.
    needed: bool,
    /// Whether there was no time for some plans.
    cut: bool,
}

impl<'a> Candidates<'a> {
    fn new(scope: &'a Scope<'a>, job: &Job<'a>, search: &Maximum) -> Self {
        Self {
            scope,
            job: job.gradient(false).keep(None),
            dim: job.posterior.dim(),
            plans: Points::new(search.finalists.dim()),
            scores: Scores::default(),
            phases: TwoPhase::after(scope.backend(), search),
            pace: Pace::new(first_batch(job)),
            needed: true,
            cut: false,
        }
    }

    fn root(&self, plan: usize) -> &[f64] {
        &self.plans.row(plan)[..self.dim]
    }

    /// Adds each root with the later points of each of the best plans.
    fn continue_from(&mut self, roots: &Points, plans: &Points) -> Result<()> {
        let mut rows = Points::new(plans.dim());
        // With a deadline no more plans are made at a time than may be scored.
        let chunk =
            if self.scope.deadline.is_set() { CONTINUATIONS * CONTINUATIONS } else { CHUNK };
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

    /// Adds the plans of a search, with their roots moved to possible evaluations. If all these
    /// roots are taken, adds other roots.
    fn settle(&mut self, space: &Space, maximum: &Maximum) -> Result<()> {
        let Scope { view: View { setup, .. }, taken, seed, .. } = *self.scope;
        let mut rows = maximum.finalists.clone();
        (0..rows.len()).for_each(|row| space.snap(&mut rows.row_mut(row)[..self.dim]));
        self.add(&rows)?;
        if space.is_finite() && (0..self.plans.len()).all(|plan| taken.contains(self.root(plan))) {
            let mut roots = setup.search.sequence(self.dim, seed).points(0..setup.search.raw);
            (0..roots.len()).for_each(|row| space.snap(roots.row_mut(row)));
            if self.scope.deadline.is_set() {
                // A free root is searched even if the time is up.
                self.needed = true;
                self.cut = false;
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
            // A root that tells nothing may belong to a plan with valuable later points. So the
            // same plan is tried from a step beside the root.
            let lengthscales = &self.job.posterior.hyperparameters().lengthscales;
            let roots = setup
                .search
                .clamped(&jitter::around(space, self.root(best), lengthscales, seed))
                .into_owned();
            let plan = self.plans.select([best]);
            self.continue_from(&roots, &plan)?;
        }
        Ok(())
    }

    /// Scores plans; with a deadline as many as there is time for, but always the first few as long
    /// as there is no plan.
    fn add(&mut self, rows: &Points) -> Result<()> {
        if !self.scope.deadline.is_set() {
            return self.score(rows);
        }
        let mut pace = self.pace;
        let needed = usize::from(self.needed);
        let done = pace.batches(rows.len(), self.scope.deadline, needed, |next| {
            self.score(&rows.select(next))
        })?;
        self.pace = pace;
        self.needed = self.needed && done == 0;
        self.cut |= done < rows.len();
        Ok(())
    }

    /// Scores plans.
    fn score(&mut self, rows: &Points) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut scores = Scores::default();
        if !self.phases.ask(&self.job, rows, &mut scores)? {
            self.phases.ask_host(&self.job, rows, &mut scores)?;
        }
        self.plans.extend(rows);
        self.scores.value.extend(scores.value);
        self.scores.mean.extend(scores.mean);
        self.scores.variance.extend(scores.variance);
        self.scores.provenance = scores.provenance;
        Ok(())
    }

    fn found(self, search: &Maximum) -> Maximum {
        let Scope { view: View { setup, .. }, taken, .. } = *self.scope;
        let value = |plan: usize| orderable(self.scores.value[plan]);
        let best = |plans: &mut dyn Iterator<Item = usize>| {
            plans.reduce(|best, plan| if value(plan) > value(best) { plan } else { best })
        };
        let free =
            best(&mut (0..self.plans.len()).filter(|&plan| !taken.contains(self.root(plan))));
        let chosen = free.or_else(|| best(&mut (0..self.plans.len()))).unwrap_or(0);
        let root = self.root(chosen).to_vec();
        let mut finalists = Points::with_capacity(self.dim, search.finalists.len());
        search.finalists.rows().for_each(|plan| finalists.push(&plan[..self.dim]));
        let row = match &setup.domain {
            Domain::Table(table) => row_of(table, &root),
            Domain::Space(_) => None,
        };
        let cut = self.cut && search.ended == Ended::Finished;
        let Scores { value, mean, variance, provenance, .. } = self.scores;
        let numbers = [value[chosen], mean[chosen], variance[chosen]];
        Maximum {
            row,
            finalists,
            finalist_values: search.finalist_values.clone(),
            rounds: search.rounds,
            evaluations: search.evaluations + self.plans.len(),
            starts: search.starts,
            converged_starts: search.converged_starts,
            ended: if cut { Ended::Deadline } else { search.ended },
            ..Maximum::at(root, numbers, self.phases.provenance(provenance))
        }
    }
}

/// The first row of a table that equals a point.
fn row_of(table: &Table, unit: &[f64]) -> Option<usize> {
    table.points().rows().position(|row| row == unit)
}
