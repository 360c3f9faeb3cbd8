//! The search for the best plan. It moves all points of a tree at once.

use std::borrow::Cow;
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::acquisition::{FantasyTree, StartWeights};
use crate::backend::{Backend, Job};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::maximize::maximum::Maximum;
use crate::maximize::run::{Run, SCAN};
use crate::maximize::scanned::Scanned;
use crate::maximize::settings::Maximize;

/// How far the points of a tree are moved from their places. The share grows linearly from the
/// level of the root to the last level.
const TOWARD_BETA: (f64, f64) = (0.1, 1.0);

/// How far the last copy of all trees is moved toward a random tree. The first copy is not moved.
const TOWARD_UNIFORM: f64 = 0.75;

/// If no raw tree has a positive value, more trees are scored, up to this multiple of the raw count
/// in all.
const WIDEST: usize = 4;

impl Maximize {
    /// Searches the trees of a
    /// [multi-step improvement](crate::acquisition::Joint::MultiStepImprovement), all points of a
    /// row together.
    ///
    /// If `before` is empty, the raw trees are scrambled Sobol points in all `q d` coordinates, and
    /// four times as many if no tree has a positive value. Otherwise the raw trees are copies of
    /// the trees in `before`. In each copy, the points of a level are moved toward numbers from
    /// Beta(1, 3): by a tenth of the way at the root, by all of it at the last level. Then the
    /// whole copy is moved toward a random tree, each copy further than the one before, up to three
    /// quarters of the way.
    ///
    /// `hints` are trees that are always scored. The best of them always start a climb. Published
    /// experiments search in this way, so a [plain](Self::plain) search does the same.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for another acquisition. [`ErrorKind::Dimension`] if rows are
    /// not trees of this acquisition. Those of [`run`](Self::run).
    pub fn lookahead(
        &self,
        backend: &dyn Backend,
        job: &Job<'_>,
        before: &Points,
        hints: &Points,
    ) -> Result<Maximum> {
        let (tree, ..) = job.acquisition.planned()?;
        job.validate()?;
        let dim = tree.nodes() * job.posterior.dim();
        if let Some(rows) =
            [before, hints].into_iter().find(|rows| !rows.is_empty() && rows.dim() != dim)
        {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("trees of {} coordinates where {dim} are searched", rows.dim()),
            ));
        }
        self.check_space(job.posterior.dim())?;
        let before = &*self.clamped(before);
        let hints = &*self.clamped(hints);
        let mut run = Run::new(self, backend, job);
        let mut copies = Copies::new(tree, before, self.raw, self.seed);
        if run.deadline().is_set() {
            return self.lookahead_until(run, job, before, &mut copies, hints);
        }
        if before.is_empty() {
            let raw = self.sequence(dim, self.seed);
            let mut points = raw.points(0..self.raw.max(1));
            let mut values = run.scan(&points)?;
            while values.len() == points.len()
                && points.len() < WIDEST * self.raw
                && !values.iter().any(|value| *value > 0.0)
            {
                let more = raw.points(points.len()..points.len() + self.raw);
                values.extend(run.scan(&more)?);
                points.extend(&more);
            }
            let all = values.len() == points.len();
            if all && !hints.is_empty() {
                values.extend(run.scan(hints)?);
                points.extend(hints);
            }
            let hints = if all { hints.len() } else { 0 };
            let scanned = Scanned::of(Cow::Owned(points), values, hints);
            return self.climb(run, job, &scanned, job.acquisition.facts().starts);
        }
        let mut points = self.clamped(&copies.take(self.raw)).into_owned();
        points.extend(hints);
        let values = run.scan(&points)?;
        let hints = (values.len() + hints.len()).saturating_sub(points.len());
        let scanned = Scanned::of(Cow::Owned(points), values, hints);
        self.climb(run, job, &scanned, StartWeights::Standardized)
    }

    /// The search of trees with a deadline. Hints are scored first. Raw trees are made while there
    /// is time.
    fn lookahead_until(
        &self,
        mut run: Run<'_>,
        job: &Job<'_>,
        before: &Points,
        copies: &mut Copies<'_>,
        hints: &Points,
    ) -> Result<Maximum> {
        let until = run.deadline().part(SCAN);
        let sequence = self.sequence(job.posterior.dim() * job.acquisition.points(), self.seed);
        let fresh = before.is_empty();
        let mut raw = |rows: Range<usize>| {
            if fresh {
                sequence.points(rows)
            } else {
                self.clamped(&copies.take(rows.len())).into_owned()
            }
        };
        let (known, of_known) =
            run.scan_made(hints.len(), until, true, |rows| hints.select(rows))?;
        let (mut points, mut values) =
            run.scan_made(self.raw.max(1), until, of_known.is_empty(), &mut raw)?;
        if fresh && values.len() == self.raw && !values.iter().any(|value| *value > 0.0) {
            let more = run.scan_made((WIDEST - 1) * self.raw, until, false, |rows| {
                raw(self.raw + rows.start..self.raw + rows.end)
            })?;
            points.extend(&more.0);
            values.extend(more.1);
        }
        points.extend(&known);
        values.extend_from_slice(&of_known);
        let weights =
            if fresh { job.acquisition.facts().starts } else { StartWeights::Standardized };
        let scanned = Scanned::of(Cow::Owned(points), values, of_known.len());
        self.climb(run, job, &scanned, weights)
    }
}

/// Copies of trees, made one after the other up to `count`. Each round of copies is further from
/// the original trees.
struct Copies<'a> {
    tree: &'a FantasyTree,
    before: &'a Points,
    random: Pcg64,
    last_round: f64,
    made: usize,
}

impl<'a> Copies<'a> {
    fn new(tree: &'a FantasyTree, before: &'a Points, count: usize, seed: u64) -> Self {
        let last_round = (count.div_ceil(before.len().max(1)).max(2) - 1) as f64;
        Self { tree, before, random: Pcg64::seed_from_u64(seed), last_round, made: 0 }
    }

    /// The next `count` copies.
    fn take(&mut self, count: usize) -> Points {
        let Self { tree, before, random, last_round, made } = self;
        let dim = before.dim() / tree.nodes();
        let last_level = (tree.steps() - 1).max(1) as f64;
        let mut copies = Points::with_capacity(before.dim(), count);
        for copy in *made..*made + count {
            let mut row = before.row(copy % before.len()).to_vec();
            let toward_uniform = TOWARD_UNIFORM * (copy / before.len()) as f64 / *last_round;
            for (node, point) in row.chunks_exact_mut(dim).enumerate() {
                let toward_beta = TOWARD_BETA.0
                    + (TOWARD_BETA.1 - TOWARD_BETA.0) * tree.level(node) as f64 / last_level;
                for u in point {
                    // The inverse of the distribution function 1 - (1 - x)^3.
                    let beta = 1.0 - (1.0 - random.random::<f64>()).cbrt();
                    let uniform: f64 = random.random();
                    *u += toward_beta * (beta - *u);
                    *u = (*u + toward_uniform * (uniform - *u)).clamp(0.0, 1.0);
                }
            }
            copies.push(&row);
        }
        *made += count;
        copies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_leave_their_trees_level_by_level_and_round_by_round() {
        let tree = FantasyTree::new(&[2, 1], 0).unwrap();
        let row: Vec<f64> = vec![0.9; tree.nodes()];
        let before = Points::from_rows(tree.nodes(), row).unwrap();
        let copies = Copies::new(&tree, &before, 2000, 3).take(2000);
        assert_eq!(copies.len(), 2000);
        // Copies made in parts are the same.
        let mut parts = Copies::new(&tree, &before, 2000, 3);
        let mut joined = parts.take(700);
        joined.extend(&parts.take(1300));
        assert_eq!(joined, copies);
        let moved = |rows: std::ops::Range<usize>, node: usize| {
            rows.clone().map(|row| 0.9 - copies.row(row)[node]).sum::<f64>() / rows.len() as f64
        };
        // A point at level l is moved from 0.9 toward the mean 1/4 of Beta(1, 3), whose standard
        // deviation is 0.19.
        let early = |node| moved(0..20, node);
        let bound = |share: f64| 4.0 * share * 0.2 / 20f64.sqrt() + 0.02;
        for (node, share) in [(0, 0.1), (1, 0.55), (2, 0.55), (3, 1.0), (4, 1.0)] {
            assert!(
                (early(node) - 0.65 * share).abs() < bound(share),
                "node {node}: {}",
                early(node)
            );
        }
        // The last copies are three quarters of the way to 1/2.
        assert!((moved(1900..2000, 0) - (0.25 * 0.065 + 0.75 * 0.4)).abs() < 0.1);
        assert!(copies.values().iter().all(|u| (0.0..=1.0).contains(u)));
    }
}
