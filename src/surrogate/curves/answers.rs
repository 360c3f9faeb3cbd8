//! What is known of items that are worth 0 or 1, or something between, before they are judged.
//!
//! A run whose mean over `N` items is asked for has `s` in sum on the first `n` of them. Whatever the
//! others bring, its mean lies within
//!
//! ```text
//! s/N <= mean <= (s + N - n)/N
//! ```
//!
//! An answer of 0 or 1 with the chance `p` of 1 has the variance `p (1 - p)`: no model may believe in a
//! smaller one because few answers agree. The chance is not known either. By the rule of succession
//! (a uniform prior) it has the mean `(s + 1)/(n + 2)` and the variance
//!
//! ```text
//! (s + 1)(n - s + 1)/((n + 2)^2 (n + 3))
//! ```
//!
//! Where `p` is put in for the variance of an answer it is `(s + 2)/(n + 4)`, by which an interval of two
//! deviations covers as it should from a few answers on, also where nearly all agree (Agresti and Coull
//! 1998).

use super::entry::Entry;

/// A sum of answers may miss a whole number by this for each of them: means come with rounded digits.
const ROUNDED: f64 = 1e-6;

/// The sum of the items of a run so far, and their number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sum {
    sum: f64,
    count: f64,
}

impl Sum {
    /// The variance of an answer.
    fn variance(self) -> f64 {
        let chance = (self.sum + 2.0) / (self.count + 4.0);
        chance * (1.0 - chance)
    }

    /// The variance of this chance.
    fn doubt(self) -> f64 {
        let Self { sum, count } = self;
        let all = count + 2.0;
        (sum + 1.0) * (count - sum + 1.0) / (all * all * (count + 3.0))
    }
}

/// Items between 0 and 1, as far as they were judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    /// How many items a run has.
    items: f64,
    /// Of each run.
    runs: Vec<Sum>,
    /// Of all together.
    all: Sum,
    /// Whether each item was worth 0 or 1.
    pub are_whole: bool,
}

impl Answers {
    /// Nothing yet of runs of so many items.
    pub fn new(items: f64) -> Self {
        Self { items, runs: Vec::new(), all: Sum::default(), are_whole: true }
    }

    /// What these reports say; none if some item was worth less than 0 or more than 1.
    pub fn of(items: f64, log: &[Entry]) -> Option<Self> {
        log.iter().try_fold(Self::new(items), |answers, entry| answers.told(entry))
    }

    /// With one more report, of the mean of the first items of a run.
    pub fn told(mut self, entry: &Entry) -> Option<Self> {
        let Some(mean) = entry.outcome else { return Some(self) };
        if entry.run >= self.runs.len() {
            self.runs.resize(entry.run + 1, Sum::default());
        }
        let known = &mut self.runs[entry.run];
        let count = (entry.share * self.items).round();
        let now = Sum { sum: mean * count, count };
        let sum = now.sum - known.sum;
        let items = now.count - known.count;
        // Also the sum of the earlier ones is a rounded mean times their number.
        let slack = ROUNDED * now.count.max(1.0);
        if !(sum >= -slack && sum <= items + slack) {
            return None;
        }
        self.are_whole &= (sum - sum.round()).abs() <= slack;
        let sum = sum.clamp(0.0, items.max(0.0));
        self.all = Sum { sum: self.all.sum + sum, count: self.all.count + items };
        *known = Sum { sum: now.sum.clamp(0.0, now.count), count: now.count };
        Some(self)
    }

    fn sum_of(&self, run: usize) -> Sum {
        self.runs.get(run).copied().unwrap_or_default()
    }

    /// Between what the mean of a run over all of its items lies; of a fresh one between 0 and 1.
    pub fn bounds(&self, run: Option<usize>) -> [f64; 2] {
        let Sum { sum, count } = run.map_or_else(Sum::default, |run| self.sum_of(run));
        [sum / self.items, ((sum + self.items - count) / self.items).max(sum / self.items)]
    }

    /// The deviation of an answer of a run; of one without answers that of all runs.
    pub fn deviation(&self, run: Option<usize>) -> f64 {
        let own = run.map(|run| self.sum_of(run)).filter(|sum| sum.count > 0.0);
        own.unwrap_or(self.all).variance().sqrt()
    }

    /// The deviation of the chances of runs: what is left of the distances of their means, each weighed by
    /// its number `n` of answers, without what answers of equal chances `p` would bring (the method of
    /// moments),
    ///
    /// ```text
    /// (sum n (mean - m)^2 - (runs - 1) p (1 - p)) / (sum n - sum n^2 / sum n)
    /// ```
    ///
    /// and not less than the deviation of the chance of a run that has as many answers as they have on
    /// average: so far apart may runs be whose answers agree.
    pub fn spread(&self) -> f64 {
        let runs = || self.runs.iter().filter(|run| run.count > 0.0);
        let count = runs().count().max(1) as f64;
        let all = self.all;
        let doubt = Sum { sum: all.sum / count, count: all.count / count }.doubt();
        let of = |term: &dyn Fn(&Sum) -> f64| runs().map(term).sum::<f64>();
        let middle = all.sum / all.count;
        let apart = of(&|run| run.count * (run.sum / run.count - middle).powi(2));
        let left = apart - (count - 1.0) * all.variance();
        let weight = all.count - of(&|run| run.count * run.count) / all.count;
        // One run, or none, is at no distance from the others.
        let between = if weight > 0.0 { left / weight } else { 0.0 };
        between.max(doubt).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(run: usize, count: f64, mean: f64) -> Entry {
        Entry { run, share: count / 400.0, outcome: Some(mean) }
    }

    #[test]
    fn answers_are_told_from_scores_and_from_seconds() {
        let of = |log: &[Entry]| Answers::of(400.0, log);
        let answers =
            of(&[entry(0, 2.0, 1.0), entry(1, 3.0, 0.666_667), entry(0, 5.0, 0.8)]).unwrap();
        assert!(answers.are_whole);
        assert_eq!(answers.bounds(Some(0)), [4.0 / 400.0, 399.0 / 400.0]);
        assert_eq!(answers.bounds(None), [0.0, 1.0]);
        let score = of(&[entry(0, 2.0, 1.0), entry(0, 3.0, 0.9)]).unwrap();
        assert!(!score.are_whole);
        // The third item would be worth -1, and 2.
        assert_eq!(of(&[entry(0, 2.0, 1.0), entry(0, 3.0, 1.0 / 3.0)]), None);
        assert_eq!(of(&[entry(0, 2.0, 0.5), entry(0, 3.0, 1.0)]), None);
        assert_eq!(of(&[entry(0, 2.0, 7.5)]), None);
        // A run that broke has no mean.
        let broke = Entry { outcome: None, ..entry(1, 2.0, 0.0) };
        assert_eq!(of(&[broke]).unwrap().bounds(Some(1)), [0.0, 1.0]);
    }

    /// The mean and the variance are those of `Beta(s + 1, n - s + 1)`.
    #[test]
    fn a_chance_is_as_uncertain_as_its_answers_leave_it() {
        let answers = Answers::of(400.0, &[entry(0, 2.0, 1.0)]).unwrap();
        assert!((answers.deviation(Some(0)) - (2.0f64 / 9.0).sqrt()).abs() < 1e-15);
        assert_eq!(answers.deviation(Some(7)), answers.deviation(Some(0)));
        // Beta(3, 1): 3 / (16 * 5).
        assert!((answers.spread() - 0.0375f64.sqrt()).abs() < 1e-15);
    }

    /// Runs far apart have their own deviation, and equal ones what answers leave in doubt.
    #[test]
    fn the_spread_of_chances_is_without_that_of_answers() {
        let of = |means: [f64; 4]| {
            let log: Vec<Entry> = (0..4).map(|run| entry(run, 200.0, means[run])).collect();
            Answers::of(400.0, &log).unwrap().spread()
        };
        // Their variance is 0.05, and (with four of 804 answers added) 0.25/200 less a hundredth.
        let apart = of([0.2, 0.4, 0.6, 0.8]).powi(2);
        assert!((apart - (0.2 / 3.0 - 0.25 / 200.0)).abs() < 1e-5, "{apart}");
        // Beta(101, 101).
        let equal = of([0.5, 0.5, 0.5, 0.5]);
        assert!((equal - (0.25f64 / 203.0).sqrt()).abs() < 1e-15, "{equal}");
    }
}
