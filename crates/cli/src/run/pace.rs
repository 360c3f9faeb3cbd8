//! How long choosing takes beside the trials, and how many trials one search gives.

use std::time::Duration;

/// How much longer than the trials choosing may take before it becomes cheaper.
const ALLOWANCE: Duration = Duration::from_secs(10);

/// The most trials that one search gives.
const MOST: usize = 32;

/// The seconds of choosing and of trials so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pace {
    /// Verdicts and searches together.
    choosing: Duration,
    /// The trials together.
    making: Duration,
    /// How many these were.
    trials: u32,
    /// The last verdict and search.
    last: Duration,
}

impl Pace {
    /// A verdict and a search were made.
    pub fn chose(&mut self, took: Duration) {
        self.choosing += took;
        self.last = took;
    }

    /// A trial was made.
    pub fn made(&mut self, took: Duration) {
        self.making += took;
        self.trials = self.trials.saturating_add(1);
    }

    /// Seconds of choosing and of trials.
    pub fn seconds(&self) -> [f64; 2] {
        [self.choosing, self.making].map(|time| time.as_secs_f64())
    }

    /// Whether choosing costs more than what it chooses.
    pub fn is_slow(&self) -> bool {
        self.trials > 0 && self.choosing > self.making + ALLOWANCE
    }

    /// How many trials the next search gives: one, or as many as take about as long as a search if
    /// choosing is slow.
    pub fn round(&self) -> usize {
        if !self.is_slow() {
            return 1;
        }
        let mean = self.making.as_secs_f64() / f64::from(self.trials);
        // A quotient by zero is infinite, and the most is taken.
        let count = (self.last.as_secs_f64() / mean).ceil();
        (count.min(MOST as f64) as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn one_trial_a_search_unless_choosing_takes_longer_than_the_trials() {
        let mut pace = Pace::default();
        for _ in 0..1000 {
            pace.chose(SECOND);
            assert_eq!(pace.round(), 1);
            pace.made(SECOND);
        }
        // The allowance.
        pace.chose(10 * SECOND);
        assert_eq!((pace.round(), pace.is_slow()), (1, false));
        pace.chose(SECOND);
        assert_eq!((pace.round(), pace.is_slow()), (1, true));
    }

    #[test]
    fn a_slow_search_gives_as_many_trials_as_take_as_long() {
        let mut pace = Pace::default();
        for _ in 0..20 {
            pace.chose(SECOND);
            pace.made(SECOND / 4);
        }
        assert_eq!(pace.round(), 4);
        pace.chose(1000 * SECOND);
        assert_eq!(pace.round(), MOST);
        // Trials that take no time at all.
        let mut pace = Pace::default();
        pace.chose(20 * SECOND);
        assert_eq!(pace.round(), 1);
        pace.made(Duration::ZERO);
        assert_eq!(pace.round(), MOST);
    }

    #[test]
    fn both_come_into_balance() {
        let mut pace = Pace::default();
        for _ in 0..200 {
            let round = pace.round();
            // A search of half a second, and a tenth of that for each trial more.
            pace.chose(Duration::from_millis(500 + 50 * (round as u64 - 1)));
            (0..round).for_each(|_| pace.made(Duration::from_millis(100)));
        }
        let [choosing, making] = pace.seconds();
        assert!(choosing < making + 11.0, "{choosing} s and {making} s");
    }
}
