//! Where a fresh run begins: the search for the setting with the largest index.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::decision::{Choice, Offer, PASSED, Remainder, Snapshot};
use crate::data::trial::trial::{Trial, is_taken};
use crate::data::{Domain, Points, Space};
use crate::error::Result;
use crate::math::points::is_same;
use crate::math::sobol::Sobol;
use crate::surrogate::curves::belief::Question;
use crate::surrogate::{Stream, seed};

/// Quasi-random candidates.
const SPREAD: usize = 192;

/// Candidates near each of the best runs, and how many of these there are.
const NEAR: [usize; 2] = [24, 4];

/// The sizes of steps from a run, in turn.
const SIZES: [f64; 3] = [0.2, 0.07, 0.02];

/// For folds candidates near the best ones so far are added this many times, so many near each, by steps
/// that are this much shorter each time. A mean of folds is smooth in its settings. Where runs are
/// curves this began more runs beside each other, and came to less.
const ROUNDS: i32 = 2;
const CLOSER: usize = 12;
const SHORTER: f64 = 0.4;

/// Rows of a table that are looked at.
const ROWS: usize = 1024;

/// Settings that a run may begin with, and about where their indices are.
struct Candidates {
    points: Points,
    /// The row of each, of a table.
    rows: Vec<usize>,
    /// The rate of each.
    rates: Vec<f64>,
    /// The probability that the end of each may be used.
    usable: Vec<f64>,
    /// About where the index of each is, the largest first, and its number.
    order: Vec<(f64, usize)>,
}

impl Candidates {
    fn none(dim: usize) -> Self {
        let points = Points::new(dim);
        let rates = Vec::new();
        let usable = Vec::new();
        Self { points, rows: Vec::new(), rates, usable, order: Vec::new() }
    }
}

impl Snapshot<'_> {
    /// The fresh run with the largest index.
    pub fn fresh(&self, base: f64) -> Result<Option<Offer>> {
        let mut candidates = Candidates::none(self.domain.dim());
        let draw = seed(self.seed, Stream::Search, self.runs.len());
        let mut random = Pcg64::seed_from_u64(draw);
        match self.domain {
            Domain::Table(table) => {
                let rows = self.free(table.len(), &mut random);
                let points = table.points().select(rows.iter().copied());
                candidates.rows = rows;
                self.weigh(&mut candidates, points)?;
            }
            Domain::Space(space) => {
                let mut points = Points::new(space.dim());
                for unit in Sobol::new(space.dim(), draw).points(0, SPREAD).rows() {
                    self.admit(space, space.view().uniform(unit), &mut points);
                }
                for run in self.best_runs() {
                    let unit = &self.runs[run].unit;
                    self.steps(space, unit, NEAR[0], 1.0, &mut random, &mut points);
                }
                if points.is_empty() {
                    // Few points of a coarse grid are left.
                    let is_free = |unit: &[f64]| self.runs.iter().all(|run| run.unit != unit);
                    points = space.view().first(SPREAD, is_free, || random.random());
                }
                self.weigh(&mut candidates, points)?;
                let rounds = if self.belief.curves.shape.means { ROUNDS } else { 0 };
                for round in 1..=rounds {
                    let mut points = Points::new(space.dim());
                    for &(_, at) in candidates.order.iter().take(NEAR[1]) {
                        let unit = candidates.points.row(at);
                        let scale = SHORTER.powi(round);
                        self.steps(space, unit, CLOSER, scale, &mut random, &mut points);
                    }
                    self.weigh(&mut candidates, points)?;
                }
            }
        }
        self.largest(&candidates, base)
    }

    /// The candidate with the largest index, of those that may have it.
    fn largest(&self, candidates: &Candidates, base: f64) -> Result<Option<Offer>> {
        let Candidates { points, rows, rates, usable, order } = candidates;
        let order = &order[..PASSED.min(order.len())];
        let questions: Vec<Question<'_>> = order
            .iter()
            .map(|&(_, at)| Question { settings: points.row(at), run: None, shares: self.shares })
            .collect();
        let mut best: Option<Offer> = None;
        for (outlook, &(_, at)) in self.belief.outlooks(&questions)?.iter().zip(order) {
            let costs = self.rates.stages(rates[at], 0.0, self.shares);
            let rest = Remainder { costs, usable: usable[at] };
            let what = Choice::Fresh { unit: points.row(at).to_vec(), row: rows.get(at).copied() };
            let offer = self.offer(what, outlook, &rest, base)?;
            if best.as_ref().is_none_or(|best| offer.index > best.index) {
                best = Some(offer);
            }
        }
        Ok(best)
    }

    /// Adds these settings, with about where their indices are.
    fn weigh(&self, candidates: &mut Candidates, points: Points) -> Result<()> {
        if points.is_empty() {
            return Ok(());
        }
        let rates = self.rates.of_settings(&points)?.into_iter().zip(self.usable_at(&points)?);
        let shares = self.counted();
        let questions: Vec<Question<'_>> =
            points.rows().map(|settings| Question { settings, run: None, shares }).collect();
        let outlooks = self.belief.outlooks(&questions)?;
        for ((outlook, (rate, usable)), unit) in outlooks.iter().zip(rates).zip(points.rows()) {
            // The bounds of all stages need what can be learned of a value and the prices alone.
            let rest = Remainder { costs: self.rates.stages(rate, 0.0, self.shares), usable };
            candidates.order.push((self.middle(outlook, &rest)?, candidates.points.len()));
            candidates.usable.push(usable);
            candidates.points.push(unit);
            candidates.rates.push(rate);
        }
        candidates.order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(())
    }

    /// Rows of a table that were not taken.
    fn free(&self, rows: usize, random: &mut Pcg64) -> Vec<usize> {
        let mut free: Vec<usize> =
            (0..rows).filter(|&row| !is_taken(self.runs, |run| run.row == Some(row))).collect();
        while free.len() > ROWS {
            free.swap_remove(random.random_range(0..free.len()));
        }
        free
    }

    /// The best runs: those with the best last outcomes. Of folds those whose ends are believed to be
    /// best, since a mean of fewer folds is not worse for a hard one among them.
    fn best_runs(&self) -> impl Iterator<Item = usize> {
        let folds = self.belief.curves.shape.means;
        let shown = |(number, run): (usize, &Trial)| {
            let last = run.reports.last()?;
            let value = if folds {
                self.belief.end(number).0
            } else {
                self.belief.scale.apply(last.outcome)
            };
            Some((value, number))
        };
        let mut order: Vec<(f64, usize)> = self.runs.iter().enumerate().filter_map(shown).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.into_iter().take(NEAR[1]).map(|(_, run)| run)
    }

    /// Adds so many candidates near a setting: steps of three sizes, multiplied by a scale, each of
    /// which moves about half of the columns.
    fn steps(
        &self,
        space: &Space,
        around: &[f64],
        count: usize,
        scale: f64,
        random: &mut Pcg64,
        points: &mut Points,
    ) {
        for near in 0..count {
            let size = scale * SIZES[near % SIZES.len()];
            let unit = around.iter().map(|&u| {
                let step: f64 = random.random_range(-1.0..1.0) + random.random_range(-1.0..1.0);
                let moves = random.random_range(0.0..1.0) < 0.6;
                if moves { (u + size * step).clamp(0.0, 1.0) } else { u }
            });
            self.admit(space, unit.collect(), points);
        }
    }

    /// Adds a candidate, if the space has it and no run began there.
    fn admit(&self, space: &Space, mut unit: Vec<f64>, points: &mut Points) {
        space.snap(&mut unit);
        if space.view().is_flat() {
            unit = space.view().admitted_unit(&unit);
        }
        let taken = is_taken(self.runs, |run| is_same(&run.unit, &unit));
        if !taken && space.admits(&unit) {
            points.push(&unit);
        }
    }
}
