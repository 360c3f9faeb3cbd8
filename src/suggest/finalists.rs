//! Points where an evaluation could take place, and the best of them.

use crate::backend::{Backend, Job, Scores};
use crate::data::{ParameterKind, Points, Space};
use crate::error::Result;
use crate::maximize::{Ended, Maximum, orderable};
use crate::suggest::Taken;
use crate::suggest::candidates::Found;

/// The largest space of whole numbers only that is scored whole: about as many points as a search of a space takes.
const LARGEST_GRID: usize = 4096;

/// Points where an evaluation could take place, each once, with their scores.
pub(super) struct Finalists<'a> {
    space: &'a Space,
    job: Job<'a>,
    backend: &'a dyn Backend,
    known: Taken,
    points: Points,
    scores: Scores,
    batches: usize,
}

impl<'a> Finalists<'a> {
    pub fn new(space: &'a Space, job: &Job<'a>, backend: &'a dyn Backend) -> Self {
        let job = Job { gradient: false, ..*job };
        Self { space, job, backend, known: Taken::default(), points: Points::new(space.dim()), scores: Scores::default(), batches: 0 }
    }

    /// Snaps points to what an evaluation can take and scores those not seen before in one batch.
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
        if fresh.is_empty() {
            return Ok(());
        }
        let mut scores = Scores::default();
        self.backend.evaluate(&self.job, &fresh, &mut scores)?;
        self.points.extend(&fresh);
        self.scores.value.extend(scores.value);
        self.scores.mean.extend(scores.mean);
        self.scores.variance.extend(scores.variance);
        self.scores.provenance = scores.provenance;
        self.batches += 1;
        Ok(())
    }

    pub fn best_free(&self, taken: &Taken) -> Option<usize> {
        self.best_where(|i| !taken.contains(self.points.row(i)))
    }

    /// The best that was not taken, or the best of all if all were; `search` is where they come from, if not from a grid.
    pub fn choose(self, taken: &Taken, search: Option<Maximum>) -> Found {
        let free = self.best_free(taken);
        let chosen = free.or_else(|| self.best_where(|_| true)).unwrap_or(0);
        let ended = search.as_ref().map_or(Ended::Finished, |search| search.ended);
        let (rounds, evaluations) = search.as_ref().map_or((0, 0), |search| (search.rounds, search.evaluations));
        Found {
            unit: self.points.row(chosen).to_vec(),
            row: None,
            value: self.scores.value[chosen],
            mean: self.scores.mean[chosen],
            variance: self.scores.variance[chosen],
            runners_up: search.map_or_else(|| Points::new(self.space.dim()), |search| search.finalists),
            ended,
            rounds: rounds + self.batches,
            evaluations: evaluations + self.points.len(),
            provenance: self.scores.provenance,
            repeated: free.is_none(),
        }
    }

    /// The first of the best among those that pass; a value that is no number loses against all.
    fn best_where(&self, passes: impl Fn(usize) -> bool) -> Option<usize> {
        let value = |i: usize| orderable(self.scores.value[i]);
        (0..self.points.len()).filter(|&i| passes(i)).reduce(|best, i| if value(i) > value(best) { i } else { best })
    }
}

/// All points of a space of whole numbers only, if they are no more than [`LARGEST_GRID`].
pub(super) fn grid(space: &Space) -> Option<Points> {
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
