//! Deadlines, and how much work to do between two looks at the clock.

use std::ops::Range;
use std::time::{Duration, Instant};

/// The seconds of a unit of time; none for another unit.
pub fn seconds_of(unit: &str) -> Option<f64> {
    match unit {
        "s" | "sec" | "seconds" => Some(1.0),
        "min" | "minutes" => Some(60.0),
        "h" | "hours" => Some(3600.0),
        _ => None,
    }
}

/// The moment at which a computation ends with what it has found, or no such moment.
///
/// ```
/// use std::time::Duration;
/// use gittins::internals::Deadline;
/// assert!(Deadline::after(Some(Duration::ZERO)).is_past());
/// assert!(!Deadline::NEVER.is_past() && Deadline::NEVER.left().is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadline(Option<Instant>);

impl From<Option<Instant>> for Deadline {
    fn from(at: Option<Instant>) -> Self {
        Self(at)
    }
}

impl Deadline {
    /// No deadline: nothing looks at the clock.
    pub const NEVER: Self = Self(None);

    /// A deadline this long from now. It is [`NEVER`](Self::NEVER) without a limit, and for a limit
    /// that the clock cannot represent.
    pub fn after(limit: Option<Duration>) -> Self {
        Self(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    /// The moment, if there is one.
    pub fn at(self) -> Option<Instant> {
        self.0
    }

    /// Whether there is a deadline.
    pub fn is_set(self) -> bool {
        self.0.is_some()
    }

    /// Whether the moment has passed.
    pub fn is_past(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }

    /// The seconds left, at least 0; none if there is no deadline.
    pub fn left(self) -> Option<f64> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()).as_secs_f64())
    }

    /// The moment at which this share of the time left now will have passed: the deadline of a
    /// part.
    pub fn part(self, share: f64) -> Self {
        self.before((1.0 - share.clamp(0.0, 1.0)) * self.left().unwrap_or(0.0))
    }

    /// The later of two deadlines.
    pub fn later(self, other: Self) -> Self {
        Self(self.0.zip(other.0).map(|(a, b)| a.max(b)))
    }

    /// A deadline this many seconds earlier. It leaves time for what comes after.
    pub fn before(self, seconds: f64) -> Self {
        let reserve = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        Self(self.0.map(|at| at.checked_sub(reserve).unwrap_or_else(Instant::now)))
    }
}

/// How many items to do until the next look at the clock, from the time that the last items took.
/// The first batch is small. Each later one takes 5 ms or a twentieth of the time left, whichever
/// is more, and never more than the time left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    first: usize,
    /// The number of items in the last batch, and the seconds that each item took.
    last: Option<(usize, f64)>,
}

/// Seconds between two looks at the clock that are always allowed, if that much time is left. It is
/// half of the overshoot of 10 ms that a time limit promises, because the next batch may take twice
/// as long as the last one.
const BATCH: f64 = 5e-3;

/// The share of the time left that may pass until the next look.
const SHARE: f64 = 0.05;

/// The largest growth from one batch to the next. The time of a small batch tells little about that
/// of a much larger one.
const GROWTH: usize = 8;

impl Pace {
    /// Begins with `first` items. How long they take is not known yet.
    pub fn new(first: usize) -> Self {
        Self { first: first.max(1), last: None }
    }

    /// How many items to do next if `left` seconds are left; 0 if probably not even one fits.
    pub fn next(&self, left: f64) -> usize {
        if left.is_nan() || left <= 0.0 {
            return 0;
        }
        let Some((count, each)) = self.last else { return self.first };
        // A conversion to a whole number saturates, also that of infinity (items that take no
        // time). One item that takes longer than a batch, but fits, is a batch of its own.
        let fit = (left.min(BATCH.max(SHARE * left)) / each) as usize;
        fit.max(usize::from(each <= left)).min(GROWTH.saturating_mul(count))
    }

    /// Records that the last items took this many seconds.
    pub fn took(&mut self, items: usize, seconds: f64) {
        if items > 0 {
            self.last = Some((items, seconds.max(0.0) / items as f64));
        }
    }

    /// Does the items `0..count` batch by batch until the deadline; without a deadline, all in one
    /// batch. Returns how many were done. The first batch has at least `needed` items (or all
    /// items), even if the time is up.
    ///
    /// # Errors
    /// The first error of a batch.
    pub fn batches<E>(
        &mut self,
        count: usize,
        deadline: Deadline,
        needed: usize,
        mut batch: impl FnMut(Range<usize>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut done = 0;
        while done < count {
            let room = match deadline.left() {
                None => usize::MAX,
                Some(left) if done == 0 => self.next(left).max(needed),
                Some(left) => self.next(left),
            };
            if room == 0 {
                break;
            }
            let next = done..count.min(done.saturating_add(room));
            let began = deadline.is_set().then(Instant::now);
            let items = next.len();
            batch(next)?;
            done += items;
            if let Some(began) = began {
                self.took(items, began.elapsed().as_secs_f64());
            }
        }
        Ok(done)
    }

    /// The seconds that each of the last items took; none before the first.
    pub fn each(&self) -> Option<f64> {
        self.last.map(|(_, each)| each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of items in each batch, and the seconds that they take in total, for `items`
    /// items and a limit.
    fn batches(
        first: usize,
        items: usize,
        limit: f64,
        each: impl Fn(usize) -> f64,
    ) -> (Vec<usize>, f64) {
        let mut pace = Pace::new(first);
        let mut done = 0;
        let mut spent = 0.0;
        let mut batches = Vec::new();
        while done < items {
            let count = pace.next(limit - spent).min(items - done);
            if count == 0 {
                break;
            }
            let took: f64 = (done..done + count).map(&each).sum();
            pace.took(count, took);
            spent += took;
            done += count;
            batches.push(count);
        }
        (batches, spent)
    }

    #[test]
    fn batches_grow_to_five_milliseconds_and_end_before_the_time_is_up() {
        // A hundred microseconds an item: fifty of them make a batch.
        let (batches, spent) = batches(8, 1000, 20e-3, |_| 1e-4);
        // Sums are rounded, so it may be one less.
        assert!(
            batches[0] == 8 && batches[1..3].iter().all(|count| (49..=50).contains(count)),
            "{batches:?}"
        );
        // The batches use the time up to the item that no longer fits.
        assert!(spent <= 20e-3 && spent > 20e-3 - 2e-4, "{spent}: {batches:?}");
    }

    #[test]
    fn with_much_time_left_a_batch_takes_a_twentieth_of_it_and_all_is_done() {
        let (batches, spent) = batches(32, 10_000, 10.0, |_| 1e-4);
        // 32 items, eight times as many, again, and then 0.05 (10 - 0.2336) / 1e-4 of the rest.
        assert_eq!(batches[..4], [32, 256, 2048, 4883]);
        assert_eq!((batches.iter().sum::<usize>(), (spent * 1e4).round()), (10_000, 10_000.0));
    }

    #[test]
    fn items_that_get_slower_overshoot_by_no_more_than_a_batch() {
        // From the hundredth item on, items take ten times as long.
        let (batches, spent) = batches(8, 1000, 20e-3, |item| if item < 100 { 1e-4 } else { 1e-3 });
        let before: usize = batches[..batches.len() - 1].iter().sum();
        assert!(before < 1000 && spent < 20e-3 + 10.0 * BATCH, "{spent}: {batches:?}");
        // Only the batch that was planned at the old pace does not fit. The next ones are planned
        // at the new pace.
        assert!(
            batches.iter().skip_while(|&&count| count > 5).all(|&count| count <= 5),
            "{batches:?}"
        );
    }

    #[test]
    fn an_item_that_does_not_fit_is_not_begun() {
        let mut pace = Pace::new(4);
        assert_eq!((pace.next(1e-9), pace.next(0.0), pace.next(f64::NAN)), (4, 0, 0));
        pace.took(4, 4.0);
        assert_eq!((pace.next(0.9), pace.next(1.1), pace.next(30.0)), (0, 1, 1));
        // If items take no time, a batch grows by its factor alone.
        pace.took(4, 0.0);
        assert_eq!((pace.next(1.0), pace.each()), (32, Some(0.0)));
        pace.took(0, 1.0);
        assert_eq!(pace.next(1.0), 32);
    }

    #[test]
    fn without_a_deadline_all_is_done_at_once_and_without_time_what_is_needed() {
        let done = |deadline, needed| {
            let mut batches = Vec::new();
            let done = Pace::new(3).batches(10, deadline, needed, |range| {
                batches.push((range.start, range.end));
                Ok::<(), ()>(())
            });
            (done.unwrap(), batches)
        };
        let past = Deadline::after(Some(Duration::ZERO));
        assert_eq!(done(Deadline::NEVER, 1), (10, vec![(0, 10)]));
        assert_eq!(done(past, 0), (0, vec![]));
        assert_eq!(done(past, 4), (4, vec![(0, 4)]));
        assert_eq!(done(past, 40), (10, vec![(0, 10)]));
        let (all, batches) = done(Deadline::after(Some(Duration::from_secs(3600))), 0);
        assert_eq!((all, batches[0], batches.last().unwrap().1), (10, (0, 3), 10));
        assert_eq!(Pace::new(3).batches(10, Deadline::NEVER, 0, |range| Err(range.len())), Err(10));
    }

    #[test]
    fn a_part_ends_before_the_whole() {
        let whole = Deadline::after(Some(Duration::from_secs(1000)));
        let half = whole.part(0.5);
        let earlier = whole.before(10.0);
        // Seconds pass between the calls if the machine is busy.
        let left = |deadline: Deadline| deadline.left().unwrap();
        assert!((left(half) - 500.0).abs() < 50.0 && (left(earlier) - 990.0).abs() < 50.0);
        assert!(half.at() < earlier.at() && earlier.at() < whole.at());
        assert_eq!(
            [half.later(whole), whole.later(half), half.later(Deadline::NEVER)],
            [whole, whole, Deadline::NEVER]
        );
        assert_eq!(
            (Deadline::NEVER.part(0.5), Deadline::NEVER.before(1.0)),
            (Deadline::NEVER, Deadline::NEVER)
        );
        assert!(Deadline::after(Some(Duration::ZERO)).part(0.3).is_past());
        // A reserve beyond the range of the clock leaves no time at all.
        assert!(whole.before(f64::MAX).is_past());
    }
}
