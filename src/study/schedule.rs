//! How a trust region grows, shrinks and begins anew.
//!
//! The schedule is that of TuRBO-1 (Eriksson et al. 2019, section 2 and supplement). It follows from
//! what was told, in order, and from nothing else: a run that is told again has the same one.

use crate::data::Direction;
use crate::math::saturating::difference;

/// The side of a region at first, at least and at most.
const FIRST: f64 = 0.8;
const LEAST: f64 = 0.0078125;
const MOST: f64 = 1.6;

/// Successes in a row that double the side.
const SUCCESSES: usize = 3;

/// Failures in a row that halve the side: one per dimension, and at least this many.
const FAILURES: usize = 4;

/// A success improves the best by more than this share of its distance to the median.
const MARGIN: f64 = 1e-3;

/// A trial that was told, as the schedule sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    /// Its outcome in the user's units, if it is complete.
    pub outcome: Option<f64>,
    /// How much had been told when it was asked for.
    pub seen: usize,
    /// The place of its outcome in the order of what was told.
    pub told: usize,
    /// Whether the policy or the region asked for it.
    pub suggested: bool,
}

/// The state of the schedule after what was told.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    direction: Direction,
    after: usize,
    fresh: usize,
    tolerance: usize,
    /// How many trials were told, and how many of them are complete.
    told: usize,
    complete: usize,
    /// The number of the present region, the first being 0.
    number: usize,
    /// Trials that were asked for after so much was told belong to the present region.
    since: usize,
    /// How many trials of the region were told.
    own: usize,
    /// The index of the best trial of the region among all that were told, and its outcome, larger
    /// being better.
    best: Option<(usize, f64)>,
    /// The outcomes of the region, sorted.
    outcomes: Vec<f64>,
    side: f64,
    successes: usize,
    failures: usize,
}

impl Schedule {
    /// The schedule of a study in `dim` dimensions with regions beyond `after` complete trials. A
    /// later region begins with `fresh` points.
    pub fn new(direction: Direction, dim: usize, after: usize, fresh: usize) -> Self {
        Self {
            direction,
            after,
            fresh,
            tolerance: dim.max(FAILURES),
            told: 0,
            complete: 0,
            number: 0,
            since: 0,
            own: 0,
            best: None,
            outcomes: Vec::new(),
            side: FIRST,
            successes: 0,
            failures: 0,
        }
    }

    /// Forgets everything that was told.
    pub fn reset(&mut self) {
        *self = Self::new(self.direction, self.tolerance, self.after, self.fresh);
    }

    /// Takes what was told next.
    pub fn take(&mut self, event: Event) {
        let (index, began) = (self.told, self.has_begun());
        self.told += 1;
        self.complete += usize::from(event.outcome.is_some());
        if !self.owns(event.seen) {
            return;
        }
        let counts = began && event.suggested && self.missing() == 0;
        self.own += usize::from(event.suggested || self.number == 0);
        let outcome = event.outcome.map(|outcome| self.direction.sign() * outcome);
        let success = outcome.is_some_and(|outcome| self.improves(outcome));
        if let Some(outcome) = outcome {
            let at = self.outcomes.partition_point(|other| *other < outcome);
            self.outcomes.insert(at, outcome);
            if self.best.is_none_or(|(_, best)| outcome > best) {
                self.best = Some((index, outcome));
            }
        }
        if counts {
            self.count(success, event.told);
        }
    }

    /// Whether an outcome is better than the best of the region by more than the margin.
    fn improves(&self, outcome: f64) -> bool {
        let Some((_, best)) = self.best else { return true };
        let median = self.outcomes[self.outcomes.len() / 2];
        difference(outcome, best) > MARGIN * difference(best, median)
    }

    fn count(&mut self, success: bool, told: usize) {
        (self.successes, self.failures) =
            if success { (self.successes + 1, 0) } else { (0, self.failures + 1) };
        if self.successes == SUCCESSES {
            (self.side, self.successes) = ((2.0 * self.side).min(MOST), 0);
        }
        if self.failures == self.tolerance {
            (self.side, self.failures) = (0.5 * self.side, 0);
        }
        if self.side < LEAST {
            (self.number, self.since) = (self.number + 1, told + 1);
            (self.own, self.best, self.side) = (0, None, FIRST);
            (self.successes, self.failures) = (0, 0);
            self.outcomes.clear();
        }
    }

    /// How many trials it was told of.
    pub fn told(&self) -> usize {
        self.told
    }

    /// How many of them are complete.
    pub fn complete(&self) -> usize {
        self.complete
    }

    /// Whether there is a region yet.
    pub fn has_begun(&self) -> bool {
        self.complete > self.after
    }

    /// The number of the present region, the first being 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The side of the region.
    pub fn side(&self) -> f64 {
        self.side
    }

    /// Whether a trial belongs to the region: it was asked for after this much was told.
    pub fn owns(&self, seen: usize) -> bool {
        self.number == 0 || seen >= self.since
    }

    /// The trial of the best outcome of the region: its index among all that were told.
    pub fn best(&self) -> Option<usize> {
        self.best.map(|(index, _)| index)
    }

    /// The number of points that a later region begins with.
    pub fn fresh(&self) -> usize {
        self.fresh
    }

    /// How many of the points that the region begins with are to be told yet. More are wanted as
    /// long as none is complete.
    pub fn missing(&self) -> usize {
        match self.number {
            0 => 0,
            _ => self.fresh.saturating_sub(self.own).max(usize::from(self.best.is_none())),
        }
    }

    /// Whether a point is wanted that the region begins with, if `asked` were asked for since it
    /// began.
    pub fn wants_fresh(&self, asked: usize) -> bool {
        self.number > 0 && (asked < self.fresh || self.best.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schedule that is told outcomes one after the other, each asked for after the one before.
    struct Run(Schedule);

    impl Run {
        fn new(after: usize) -> Self {
            Self(Schedule::new(Direction::Minimize, 2, after, 3))
        }

        fn tell(&mut self, outcome: Option<f64>) -> f64 {
            let told = self.0.told();
            self.0.take(Event { outcome, seen: told, told, suggested: true });
            self.0.side()
        }

        fn sides(&mut self, outcomes: &[f64]) -> Vec<f64> {
            outcomes.iter().map(|outcome| self.tell(Some(*outcome))).collect()
        }
    }

    #[test]
    fn three_successes_double_and_four_failures_halve() {
        let mut run = Run::new(0);
        // The first outcome begins the region, and counts for nothing.
        assert_eq!(run.sides(&[9.0, 8.0, 7.0, 6.0]), [0.8, 0.8, 0.8, 1.6]);
        assert_eq!(run.sides(&[5.0, 4.0, 3.0]), [1.6, 1.6, 1.6]);
        assert_eq!(run.sides(&[3.0, 9.0, 9.0, 9.0]), [1.6, 1.6, 1.6, 0.8]);
        // A success between failures begins the count anew, and the other way round.
        assert_eq!(run.sides(&[9.0, 9.0, 9.0, 2.0, 9.0, 9.0, 9.0]), [0.8; 7]);
        assert_eq!(run.sides(&[9.0, 1.0, 0.5, 9.0, 0.2]), [0.4; 5]);
        // A failed trial is a failure.
        assert_eq!([None; 4].map(|outcome| run.tell(outcome)), [0.4, 0.4, 0.4, 0.2]);
    }

    #[test]
    fn a_success_is_more_than_a_thousandth_of_the_way_to_the_median() {
        for (offset, unit) in [(0.0, 1.0), (1e6, 1.0), (0.0, 1e-9)] {
            let mut run = Run::new(0);
            let outcomes = [10.0, 10.0, 0.0].map(|outcome| offset + unit * outcome);
            run.sides(&outcomes);
            let after = |better: f64| {
                let mut run = Run(run.0.clone());
                run.tell(Some(offset - unit * better));
                run.0.successes
            };
            assert_eq!([after(0.009), after(0.011)], [0, 2], "{offset} {unit}");
        }
    }

    #[test]
    fn it_begins_beyond_a_number_of_complete_trials() {
        let mut run = Run::new(5);
        for outcome in [Some(3.0), None, Some(4.0), Some(5.0), None, Some(5.0), Some(5.0)] {
            run.tell(outcome);
            assert!(!run.0.has_begun());
        }
        run.tell(Some(6.0));
        assert!(run.0.has_begun() && run.0.failures == 0 && run.0.best() == Some(0));
        run.tell(Some(6.0));
        assert_eq!(run.0.failures, 1);
    }

    #[test]
    fn below_the_least_side_another_region_begins() {
        let mut run = Run::new(0);
        run.tell(Some(1.0));
        // 0.8 / 2^7 is below 0.5^7.
        for _ in 0..7 * 4 {
            assert_eq!(run.0.number(), 0);
            run.tell(Some(2.0));
        }
        assert_eq!((run.0.number(), run.0.side(), run.0.best()), (1, 0.8, None));
        assert_eq!((run.0.missing(), run.0.wants_fresh(2), run.0.wants_fresh(3)), (3, true, true));
        // A trial that was pending belongs to the region before.
        let told = run.0.told();
        run.0.take(Event { outcome: Some(0.0), seen: told - 2, told, suggested: true });
        assert_eq!((run.0.missing(), run.0.best()), (3, None));
        for (outcome, missing) in [(None, 2), (None, 1), (None, 1), (Some(5.0), 0)] {
            run.tell(outcome);
            assert_eq!(run.0.missing(), missing);
        }
        assert_eq!((run.0.successes, run.0.failures, run.0.best()), (0, 0, Some(33)));
        // Successes are those of the region, whatever the best of the study is.
        run.tell(Some(4.0));
        assert_eq!((run.0.successes, run.0.failures, run.0.best()), (1, 0, Some(34)));
    }
}
