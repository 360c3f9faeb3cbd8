//! The best point among those whose expected cost is within a limit.
//!
//! In a finite domain the points that cost too much are excluded. In a continuous one, the search
//! without a limit comes first: if its point costs little enough, it is the best. Otherwise the
//! maximum of
//!
//! ```text
//! a(x) - S mu max(0, g(x))^2 / 2      g(x) = ln E[c(x)] - ln limit
//! ```
//!
//! is climbed to, with a rising `mu`. `S` is what a unit of `g` is worth to the acquisition: the
//! median of `|a'| / |g'|` over points within the limit, or the spread of `a` over these, whichever
//! is larger. So nothing depends on the unit of `a`, and a climb ends where `g` is about `1/mu`.
//! Newton steps on `g` lead from there to the limit. The loss against the best point on the limit
//! is of the order of `S/mu^2`, since a climb ends at the best point of its own level of `g`. All
//! points that are compared in the end are within the limit.

use crate::acquisition::{Acquisition, Joint, Pointwise};
use crate::backend::{Backend, Cpu, Job, JobCost, Scores};
use crate::data::{Domain, Points, Space};
use crate::error::Result;
use crate::math::order::orderable;
use crate::maximize::{Maximize, Maximum};
use crate::suggest::policy::Policy;
use crate::suggest::round::Round;
use crate::suggest::search::{grid, jitter, neighborhood};
use crate::suggest::step::Step;
use crate::suggest::{Chosen, Next};
use crate::surrogate::{Stream, Taken};

/// The weights of the penalty, one after another.
const WEIGHTS: [f64; 3] = [10.0, 1e3, 1e5];

/// The number of points within the limit that are compared, and of those that climbs start from.
const KEPT: usize = 64;
const STARTS: usize = 16;

/// The number of climbs, and the largest number of their iterations.
const CLIMBS: usize = 8;
const ITERATIONS: usize = 60;

/// The largest number of Newton steps to the limit. Each at least halves the distance of a smooth
/// cost.
const STEPS: usize = 12;

/// How far below the limit Newton steps aim, relative to it: the rounding of the logarithm of a
/// cost whose posterior has many data.
const MARGIN: f64 = 1e-9;

/// Where the expected cost is to be.
#[derive(Debug, Clone, Copy)]
enum Aim {
    /// As low as possible, whatever the acquisition says.
    Lowest,
    /// Below this logarithm, at this price for its excess.
    Below(f64, f64),
}

/// The CPU, with a penalty for the cost in the values and their gradients.
struct Penalized(Aim);

impl Backend for Penalized {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        Cpu.evaluate(&job.keep(None), points, scores)?;
        let dim = points.dim();
        let (log_costs, gradient) = job.cost.log_expected(points, job.gradient)?;
        for (row, log_cost) in log_costs.into_iter().enumerate() {
            let (kept, by_cost) = match self.0 {
                Aim::Lowest => (0.0, -1.0),
                Aim::Below(limit, _) if log_cost <= limit => continue,
                Aim::Below(limit, weight) => (1.0, -weight * (log_cost - limit)),
            };
            let penalty = match self.0 {
                Aim::Lowest => log_cost,
                Aim::Below(limit, weight) => 0.5 * weight * (log_cost - limit) * (log_cost - limit),
            };
            scores.value[row] = kept * scores.value[row] - penalty;
            if job.gradient {
                let span = row * dim..(row + 1) * dim;
                let slopes = scores.gradient[span.clone()].iter_mut().zip(&gradient[span]);
                slopes.for_each(|(slope, by)| *slope = kept * *slope + by_cost * by);
            }
        }
        if let Some(keep) = job.keep {
            scores.keep_best(keep);
        }
        Ok(())
    }
}

/// The share of the time for the search without the limit.
const HALF: f64 = 0.5;

impl Step<'_> {
    /// The best point of an acquisition of this policy whose expected cost is within the limit.
    pub(super) fn choose_within(
        &self,
        limit: f64,
        acquisition: &Acquisition,
        policy: &mut Policy,
        round: &mut Round,
    ) -> Result<Next> {
        let chosen = self.part(HALF).choose(acquisition, policy, round)?;
        let Some(chosen) = chosen else { return Ok(Next::Exhausted) };
        if !self.is_too_dear(&chosen.found.point, limit)? {
            return self.found(chosen, false);
        }
        let within = match self.excluded_within(limit)? {
            Some(excluded) => {
                // What was searched before was not searched within the limit.
                let step = Step { excluded: &excluded, memo: None, ..*self };
                let chosen = step.choose(acquisition, policy, round)?;
                chosen.filter(|chosen| !excluded.contains(&chosen.found.point))
            }
            None => self.best_within(chosen, limit)?,
        };
        within.map_or(Ok(Next::OverBudget), |chosen| self.found(chosen, true))
    }

    /// The best point of a climb from a point, or the best of all if that costs too much; in a finite
    /// domain the best of all. Its expected cost is within the limit.
    pub(super) fn best_from_within(
        &self,
        limit: f64,
        acquisition: &Acquisition,
        unit: &[f64],
    ) -> Result<Option<Maximum>> {
        if let Some(excluded) = self.excluded_within(limit)? {
            let found = Step { excluded: &excluded, ..*self }.best_from(acquisition, unit)?;
            return Ok(found.filter(|found| !excluded.contains(&found.point)));
        }
        let Some(found) = self.best_from(acquisition, unit)? else { return Ok(None) };
        if !self.is_too_dear(&found.point, limit)? {
            return Ok(Some(found));
        }
        let chosen = Chosen { acquisition: acquisition.clone(), found };
        let within = self.best_within(chosen, limit)?;
        Ok(within.filter(|chosen| chosen.acquisition == *acquisition).map(|chosen| chosen.found))
    }

    /// Whether a point costs too much.
    fn is_too_dear(&self, unit: &[f64], limit: f64) -> Result<bool> {
        Ok(self.view.surrogate.expected_cost(unit)? > limit)
    }

    /// The points of a table or of a small grid that must not be suggested because they cost too
    /// much, with those that must not in any case. None for other domains.
    fn excluded_within(&self, limit: f64) -> Result<Option<Taken>> {
        let whole;
        let points = match &self.view.setup.domain {
            Domain::Table(table) => table.points(),
            Domain::Space(space) => match grid(space) {
                Some(grid) => {
                    whole = grid;
                    &whole
                }
                None => return Ok(None),
            },
        };
        let mut excluded = self.excluded.clone();
        let job = self.view.surrogate.job(&Acquisition::MEAN);
        let (log_costs, _) = job.cost.log_expected(points, false)?;
        let log_limit = limit.ln();
        for (point, log_cost) in points.rows().zip(log_costs) {
            // In a batch the last digits may be others than alone.
            let is_near = (log_cost - log_limit).abs() <= MARGIN;
            if if is_near { self.is_too_dear(point, limit)? } else { log_cost > log_limit } {
                excluded.insert(point);
            }
        }
        Ok(Some(excluded))
    }

    /// The best point within the limit in a space that is searched. None if there is no such point.
    /// `without` is the best point without the limit.
    ///
    /// A plan or a knowledge gradient gives way to expected improvement, its value if nothing
    /// follows.
    fn best_within(&self, without: Chosen, limit: f64) -> Result<Option<Chosen>> {
        let Chosen { acquisition, found } = without;
        let Domain::Space(space) = &self.view.setup.domain else { return Ok(None) };
        let acquisition = match acquisition {
            Acquisition::Pointwise(_) | Acquisition::Joint(Joint::ThompsonSample { .. }) => {
                acquisition
            }
            Acquisition::Joint(_) => Pointwise::LogExpectedImprovement.into(),
        };
        let standardized = self.view.surrogate.standardized(&acquisition);
        let job = self.view.surrogate.job(&standardized);
        if matches!(job.cost, JobCost::Uniform(_)) {
            return Ok(None);
        }
        let scope = self.scope(Stream::Search);
        let search = Maximize { starts: CLIMBS, max_iterations: ITERATIONS, ..scope.maximize() };
        let log_limit = limit.ln();

        let mut points = search.sequence(space.dim(), scope.seed).points(0..search.raw);
        points.extend(&neighborhood(self.view, scope.seed));
        points.extend(self.runners_up);
        let points = self.possible(space, &search, &points);
        let (log_costs, _) = job.cost.log_expected(&points, false)?;
        let cheap: Vec<usize> = (0..points.len()).filter(|&i| log_costs[i] <= log_limit).collect();
        let mut within = points.select(cheap);
        if within.is_empty() {
            // Perhaps the cheapest place of all is within the limit.
            let mut order: Vec<usize> = (0..points.len()).collect();
            order.sort_by(|&a, &b| log_costs[a].total_cmp(&log_costs[b]));
            let first = points.select(order.into_iter().take(CLIMBS));
            let lowest = search.refine(&Penalized(Aim::Lowest), &job, &first)?;
            within = self.affordable(&self.possible(space, &search, &lowest.finalists), limit)?;
        }
        if within.is_empty() {
            return Ok(None);
        }
        let mut scores = Scores::default();
        Cpu.evaluate(&job.gradient(false), &within, &mut scores)?;
        let spread = spread(&scores.value);
        scores.keep_best(KEPT);
        let mut candidates = within.select(scores.rows);

        let first = candidates.select(0..candidates.len().min(STARTS));
        let scale = worth(&job, &first)?.max(spread);
        let mut ends = found.finalists.select(0..found.finalists.len().min(CLIMBS));
        for weight in WEIGHTS {
            if self.deadline.is_past() {
                break;
            }
            let aim = Aim::Below(log_limit, scale * weight);
            // What began within the limit stands beside what climbed there from outside.
            ends.extend(&first);
            ends = search.refine(&Penalized(aim), &job, &ends)?.finalists;
            ends = self.possible(space, &search, &ends);
            ends = self.moved_to_limit(space, &search, job.cost, ends, limit)?;
            candidates.extend(&ends);
        }

        let mut candidates = self.affordable(&candidates, limit)?;
        if candidates.rows().all(|point| self.excluded.contains(point))
            && let Some(best) = candidates.rows().next().map(<[f64]>::to_vec)
        {
            let lengthscales = &self.view.surrogate.posterior().hyperparameters().lengthscales;
            let near = jitter::around(space, &best, lengthscales, self.seed(Stream::Jitter));
            candidates.extend(&self.affordable(&search.clamped(&near), limit)?);
        }
        let best = scope.choose_free(space, &job, &candidates)?;
        Ok(best.map(|best| {
            let found = Maximum {
                finalists: found.finalists,
                finalist_values: found.finalist_values,
                ended: found.ended,
                rounds: found.rounds + best.rounds,
                evaluations: found.evaluations + best.evaluations,
                ..best
            };
            Chosen { acquisition, found }
        }))
    }

    /// The points within the bounds at which an evaluation is possible.
    fn possible(&self, space: &Space, search: &Maximize, points: &Points) -> Points {
        let mut points = search.clamped(points).into_owned();
        (0..points.len()).for_each(|row| space.snap(points.row_mut(row)));
        points.select((0..points.len()).filter(|&row| space.admits(points.row(row))))
    }

    /// Those of the points that are within the limit, to the last digit that is reported.
    fn affordable(&self, points: &Points, limit: f64) -> Result<Points> {
        let mut affordable = Points::new(points.dim());
        for point in points.rows() {
            if !self.is_too_dear(point, limit)? {
                affordable.push(point);
            }
        }
        Ok(affordable)
    }

    /// Points beyond the limit, moved to it along the slopes of the cost by their real numbers.
    fn moved_to_limit(
        &self,
        space: &Space,
        search: &Maximize,
        cost: JobCost<'_>,
        mut points: Points,
        limit: f64,
    ) -> Result<Points> {
        let dim = space.dim();
        let aim = limit.ln() - MARGIN;
        for _ in 0..STEPS {
            let (log_costs, slopes) = cost.log_expected(&points, true)?;
            if log_costs.iter().all(|&log_cost| log_cost <= limit.ln()) {
                break;
            }
            for (row, log_cost) in log_costs.into_iter().enumerate() {
                if log_cost <= limit.ln() {
                    continue;
                }
                let point = points.row_mut(row);
                let moving = if space.is_plain() {
                    space.parameters().iter().map(|one| one.kind().is_real()).collect()
                } else {
                    space.view().moving(point)
                };
                let slopes = &slopes[row * dim..(row + 1) * dim];
                // What stands at a face of the cube cannot move through it.
                let can_move = |k: usize| {
                    moving[k] && if slopes[k] > 0.0 { point[k] > 0.0 } else { point[k] < 1.0 }
                };
                let free: Vec<usize> = (0..dim).filter(|&k| can_move(k)).collect();
                let square: f64 = free.iter().map(|&k| slopes[k] * slopes[k]).sum();
                if square > 0.0 {
                    let step = (log_cost - aim) / square;
                    for &k in &free {
                        point[k] = (point[k] - step * slopes[k]).clamp(0.0, 1.0);
                    }
                }
            }
            points = search.clamped(&points).into_owned();
        }
        Ok(points)
    }
}

/// The median of `|a'| / |g'|`: what the acquisition gains by a unit of the logarithm of the cost.
fn worth(job: &Job<'_>, points: &Points) -> Result<f64> {
    let mut scores = Scores::default();
    Cpu.evaluate(&job.gradient(true).keep(None), points, &mut scores)?;
    let (_, slopes) = job.cost.log_expected(points, true)?;
    let norm = |slopes: &[f64]| slopes.iter().map(|by| by * by).sum::<f64>().sqrt();
    let both = scores.gradient.chunks_exact(points.dim()).zip(slopes.chunks_exact(points.dim()));
    let mut ratios: Vec<f64> = both.map(|(a, g)| norm(a) / norm(g)).collect();
    ratios.retain(|ratio| ratio.is_finite());
    ratios.sort_by(f64::total_cmp);
    Ok(ratios.get(ratios.len() / 2).copied().unwrap_or(0.0))
}

/// The best value less the median, or a small share of the best if all are the same.
fn spread(values: &[f64]) -> f64 {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_by(|a, b| orderable(*a).total_cmp(&orderable(*b)));
    let Some(best) = values.last() else { return 1.0 };
    let spread = best - values[values.len() / 2];
    spread.max(1e-9 * best.abs()).max(f64::MIN_POSITIVE)
}
