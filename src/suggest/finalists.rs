//! Points where an evaluation could take place, and the best of them.

use crate::backend::top_k::best_first;
use crate::backend::{Backend, Cpu, Job, Provenance, Scores};
use crate::data::{ParameterKind, Points, Space};
use crate::error::Result;
use crate::math::clock::{Deadline, Pace};
use crate::maximize::{Ended, Maximum, SHORTLIST, first_batch, orderable};
use crate::suggest::Taken;
use crate::suggest::candidates::Found;

/// The largest space of whole numbers only that is scored whole: about as many points as a search
/// of a space takes.
const LARGEST_GRID: usize = 4096;

/// Points that the host scores itself where a device answered before: with so few a device would
/// wait for its own commands.
const FEW: usize = 512;

/// Points where an evaluation could take place, each once, with their scores: what is suggested is
/// one of them, so these scores are in double precision from the host, whoever found the points.
pub(super) struct Finalists<'a> {
    space: &'a Space,
    job: Job<'a>,
    backend: &'a dyn Backend,
    taken: &'a Taken,
    known: Taken,
    points: Points,
    scores: Scores,
    /// The last who answered otherwise than in double precision on the host.
    device: Option<Provenance>,
    batches: usize,
    evaluations: usize,
    deadline: Deadline,
    pace: Pace,
    /// Whether there was no time for some points.
    cut: bool,
}

impl<'a> Finalists<'a> {
    pub fn new(
        space: &'a Space,
        job: &Job<'a>,
        backend: &'a dyn Backend,
        taken: &'a Taken,
        deadline: Deadline,
    ) -> Self {
        Self {
            space,
            job: Job { gradient: false, keep: None, ..*job },
            backend,
            taken,
            known: Taken::default(),
            points: Points::new(space.dim()),
            scores: Scores::default(),
            device: None,
            batches: 0,
            evaluations: 0,
            deadline,
            pace: Pace::new(first_batch(job)),
            cut: false,
        }
    }

    /// Adds where a search ended.
    pub fn add_found(&mut self, search: &Maximum) -> Result<()> {
        if !search.basins.is_host_double() {
            self.device = Some(search.basins.clone());
        }
        self.add(&Points::from_rows(self.space.dim(), search.point.clone())?)?;
        self.add(&search.finalists)
    }

    /// Snaps points to what an evaluation can take and scores those not seen before in one batch:
    /// the backend does, if what it says is in double precision from the host. Otherwise the host
    /// does; of many points only those that the device finds best among the points not taken.
    pub fn add(&mut self, points: &Points) -> Result<()> {
        let mut fresh = Points::new(self.space.dim());
        for point in points.rows() {
            let mut point = point.to_vec();
            self.space.snap(&mut point);
            if !self.known.contains(&point) {
                self.known.insert(&point);
                fresh.push(&point);
            }
        }
        if !self.deadline.is_set() {
            return self.score(fresh);
        }
        // As long as there is nothing to suggest, the clock has to wait.
        let needed = if self.best_free().is_none() { first_batch(&self.job) } else { 0 };
        let mut pace = self.pace;
        let done = pace
            .batches(fresh.len(), self.deadline, needed, |next| self.score(fresh.select(next)))?;
        self.pace = pace;
        self.cut |= done < fresh.len();
        Ok(())
    }

    /// Scores snapped points.
    fn score(&mut self, mut fresh: Points) -> Result<()> {
        if fresh.is_empty() {
            return Ok(());
        }
        let mut scores = Scores::default();
        if self.device.is_none() || fresh.len() > FEW {
            self.evaluate(self.backend, &fresh, &mut scores)?;
            if !scores.provenance.is_host_double() {
                self.device = Some(scores.provenance.clone());
                fresh = self.shortlist(&fresh, &scores.value);
                self.evaluate(&Cpu, &fresh, &mut scores)?;
            }
        } else {
            self.evaluate(&Cpu, &fresh, &mut scores)?;
        }
        self.points.extend(&fresh);
        self.scores.value.extend(scores.value);
        self.scores.mean.extend(scores.mean);
        self.scores.variance.extend(scores.variance);
        self.scores.provenance = scores.provenance;
        Ok(())
    }

    fn evaluate(
        &mut self,
        backend: &dyn Backend,
        points: &Points,
        scores: &mut Scores,
    ) -> Result<()> {
        backend.evaluate(&self.job, points, scores)?;
        self.batches += 1;
        self.evaluations += points.len();
        Ok(())
    }

    /// The best of many points by a device's values: those not taken come before all others.
    fn shortlist(&self, points: &Points, values: &[f64]) -> Points {
        let key = |row: usize| (self.taken.contains(points.row(row)), (values[row], row));
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

    fn best_free(&self) -> Option<usize> {
        self.best_where(|i| !self.taken.contains(self.points.row(i)))
    }

    /// The best; in a finite space the best that was not taken, if there is one. `search` is where
    /// they come from, if not from a grid.
    pub fn choose(self, search: Option<Maximum>) -> Found {
        let free = if self.space.is_finite() { self.best_free() } else { None };
        let chosen = free.or_else(|| self.best_where(|_| true)).unwrap_or(0);
        self.found(chosen, search)
    }

    /// The best that was not taken; none if all were.
    pub fn choose_free(self) -> Option<Found> {
        let free = self.best_free()?;
        Some(self.found(free, None))
    }

    fn found(self, chosen: usize, search: Option<Maximum>) -> Found {
        let ended = search.as_ref().map_or(Ended::Finished, |search| search.ended);
        let ended = if self.cut && ended == Ended::Finished { Ended::Deadline } else { ended };
        let (rounds, evaluations) =
            search.as_ref().map_or((0, 0), |search| (search.rounds, search.evaluations));
        let made = self.scores.provenance;
        let fallback = search.as_ref().map_or(made.fallback, |search| search.provenance.fallback);
        let provenance = Provenance { fallback, ..made };
        Found {
            unit: self.points.row(chosen).to_vec(),
            row: None,
            value: self.scores.value[chosen],
            mean: self.scores.mean[chosen],
            variance: self.scores.variance[chosen],
            runners_up: search
                .map_or_else(|| Points::new(self.space.dim()), |search| search.finalists),
            ended,
            rounds: rounds + self.batches,
            evaluations: evaluations + self.evaluations,
            basins: self.device.unwrap_or_else(|| provenance.clone()),
            provenance,
        }
    }

    /// The first of the best among those that pass; a value that is no number loses against all.
    fn best_where(&self, passes: impl Fn(usize) -> bool) -> Option<usize> {
        let value = |i: usize| orderable(self.scores.value[i]);
        (0..self.points.len())
            .filter(|&i| passes(i))
            .reduce(|best, i| if value(i) > value(best) { i } else { best })
    }
}

/// All points of a space of whole numbers only, if they are no more than [`LARGEST_GRID`].
pub(crate) fn grid(space: &Space) -> Option<Points> {
    let mut cells = Vec::with_capacity(space.dim());
    let mut count: usize = 1;
    for parameter in space.parameters() {
        let ParameterKind::Int { low, high } = parameter.kind() else { return None };
        let size = usize::try_from(high.checked_sub(low)?.checked_add(1)?).ok()?;
        count = count.checked_mul(size).filter(|&count| count <= LARGEST_GRID)?;
        cells.push(size);
    }
    let mut points = Points::with_capacity(space.dim(), count);
    for index in 0..count {
        let mut rest = index;
        let center = |&size: &usize| {
            let cell = rest % size;
            rest /= size;
            (cell as f64 + 0.5) / size as f64
        };
        points.push(&cells.iter().map(center).collect::<Vec<f64>>());
    }
    Some(points)
}
