//! Points at which an evaluation is possible, and the best of them.

use crate::backend::best_first;
use crate::backend::{Cpu, Job, Scores};
use crate::data::{Points, Space};
use crate::error::Result;
use crate::math::clock::{Deadline, Pace};
use crate::math::order::orderable;
use crate::maximize::{Ended, Maximum, SHORTLIST, TwoPhase, first_batch};
use crate::suggest::search::scope::Scope;
use crate::surrogate::Taken;

/// The largest number of points that the host scores itself after a device answered. With so few
/// points a device would only wait for its own commands.
const FEW: usize = 512;

impl Scope<'_> {
    /// The best point at which an evaluation is possible, among the ends of a search, if there was
    /// one, and others. Each of `others` is scored in one batch. In a finite space it is the best
    /// free point, if there is one.
    pub(in crate::suggest) fn choose<'p>(
        &self,
        space: &Space,
        job: &Job<'_>,
        ends: Option<Maximum>,
        others: impl IntoIterator<Item = &'p Points>,
    ) -> Result<Maximum> {
        let phases = match &ends {
            Some(ends) => TwoPhase::after(self.backend(), ends),
            None => TwoPhase::new(self.backend()),
        };
        let mut finalists = Finalists::new(self, space, job, phases);
        if let Some(ends) = &ends {
            finalists.add(&Points::from_rows(space.dim(), ends.point.clone())?)?;
            finalists.add(&ends.finalists)?;
        }
        others.into_iter().try_for_each(|points| finalists.add(points))?;
        Ok(finalists.choose(ends))
    }

    /// The best point of these that is free, scored by the host alone; `None` if all are taken.
    pub(in crate::suggest) fn choose_free(
        &self,
        space: &Space,
        job: &Job<'_>,
        points: &Points,
    ) -> Result<Option<Maximum>> {
        let mut finalists = Finalists::new(self, space, job, TwoPhase::new(&Cpu));
        finalists.add(points)?;
        let free = finalists.best_free();
        Ok(free.map(|free| finalists.found(free, None)))
    }
}

/// Points at which an evaluation is possible, each once, with their scores. One of them is
/// suggested, so the scores come from the host, whatever found the points.
struct Finalists<'a> {
    space: &'a Space,
    job: Job<'a>,
    taken: &'a Taken,
    known: Taken,
    points: Points,
    scores: Scores,
    phases: TwoPhase<'a>,
    deadline: Deadline,
    pace: Pace,
    /// Whether there was no time for some points.
    cut: bool,
}

impl<'a> Finalists<'a> {
    /// An empty set for a job over a space. `phases` says which backend is asked.
    fn new(scope: &Scope<'a>, space: &'a Space, job: &Job<'a>, phases: TwoPhase<'a>) -> Self {
        Self {
            space,
            job: job.gradient(false).keep(None),
            taken: scope.taken,
            known: Taken::default(),
            points: Points::new(space.dim()),
            scores: Scores::default(),
            phases,
            deadline: scope.deadline,
            pace: Pace::new(first_batch(job)),
            cut: false,
        }
    }

    /// Snaps points to possible evaluations and scores the new ones in one batch. If a device
    /// answers for many points, the host scores those among the free points that the device finds
    /// best.
    fn add(&mut self, points: &Points) -> Result<()> {
        let mut fresh = Points::new(self.space.dim());
        for point in points.rows() {
            let mut point = point.to_vec();
            self.space.snap(&mut point);
            if !self.space.admits(&point) {
                continue;
            }
            if self.known.insert(&point) {
                fresh.push(&point);
            }
        }
        if !self.deadline.is_set() {
            return self.score(fresh);
        }
        // Until there is something to suggest, the clock is ignored.
        let needed = if self.best_free().is_none() { first_batch(&self.job) } else { 0 };
        let mut pace = self.pace;
        let done = pace
            .batches(fresh.len(), self.deadline, needed, |next| self.score(fresh.select(next)))?;
        self.pace = pace;
        self.cut |= done < fresh.len();
        Ok(())
    }

    /// Scores snapped points.
    fn score(&mut self, fresh: Points) -> Result<()> {
        if fresh.is_empty() {
            return Ok(());
        }
        let mut scores = Scores::default();
        let fresh = if self.phases.has_device() && fresh.len() <= FEW {
            self.phases.ask_host(&self.job, &fresh, &mut scores)?;
            fresh
        } else {
            let taken = self.taken;
            self.phases.ask_settled(&self.job, fresh, &mut scores, |points, scores| {
                shortlist(taken, &points, &scores.value)
            })?
        };
        self.points.extend(&fresh);
        self.scores.value.extend(scores.value);
        self.scores.mean.extend(scores.mean);
        self.scores.variance.extend(scores.variance);
        self.scores.provenance = scores.provenance;
        Ok(())
    }

    /// The best point that is not taken.
    fn best_free(&self) -> Option<usize> {
        self.best_where(|i| !self.taken.contains(self.points.row(i)))
    }

    /// The best point. In a finite space the best free point, if there is one. `search` is the
    /// search that found the points; `None` for a grid.
    fn choose(self, search: Option<Maximum>) -> Maximum {
        // At a point without a real number that could move, there is nothing near to step to.
        let free = if self.space.is_finite() {
            self.best_free()
        } else if self.space.is_relaxed() {
            None
        } else {
            let view = self.space.view();
            self.best_where(|i| {
                let point = self.points.row(i);
                !self.taken.contains(point) || view.moving(point).contains(&true)
            })
        };
        let chosen = free.or_else(|| self.best_where(|_| true)).unwrap_or(0);
        self.found(chosen, search)
    }

    /// The chosen point, with the counts of the search that found it.
    fn found(self, chosen: usize, search: Option<Maximum>) -> Maximum {
        let point = self.points.row(chosen).to_vec();
        let Scores { value, mean, variance, provenance, .. } = self.scores;
        let numbers = [value[chosen], mean[chosen], variance[chosen]];
        let (batches, points) = self.phases.asked();
        let found = Maximum::at(point, numbers, self.phases.provenance(provenance));
        let found = match search {
            None => found,
            Some(search) => Maximum {
                point: found.point,
                row: found.row,
                value: found.value,
                mean: found.mean,
                variance: found.variance,
                basins: found.basins,
                provenance: found.provenance,
                ..search
            },
        };
        let cut = self.cut && found.ended == Ended::Finished;
        Maximum {
            rounds: found.rounds + batches,
            evaluations: found.evaluations + points,
            ended: if cut { Ended::Deadline } else { found.ended },
            ..found
        }
    }

    /// The first of the best points that pass. NaN loses against all numbers.
    fn best_where(&self, passes: impl Fn(usize) -> bool) -> Option<usize> {
        let value = |i: usize| orderable(self.scores.value[i]);
        (0..self.points.len())
            .filter(|&i| passes(i))
            .reduce(|best, i| if value(i) > value(best) { i } else { best })
    }
}

/// The best of many points by a device's values. Free points come before all others.
fn shortlist(taken: &Taken, points: &Points, values: &[f64]) -> Points {
    let key = |row: usize| (taken.contains(points.row(row)), (values[row], row));
    let mut keys: Vec<_> = (0..points.len()).map(key).collect();
    let order = |a: &(bool, (f64, usize)), b: &(bool, (f64, usize))| {
        a.0.cmp(&b.0).then_with(|| best_first(a.1, b.1))
    };
    if keys.len() > SHORTLIST {
        keys.select_nth_unstable_by(SHORTLIST - 1, order);
        keys.truncate(SHORTLIST);
    }
    keys.sort_unstable_by(order);
    points.select(keys.into_iter().map(|(_, (_, row))| row))
}
