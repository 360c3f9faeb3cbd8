//! The values of a statistic from check to check.

use crate::math::order::at_rank;

/// The values of a statistic, one for each state of what is known.
///
/// A rule is asked again without news where the acquisition was changed; what it then computes takes the place of the value before.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    values: Vec<f64>,
    told: Option<usize>,
}

impl History {
    /// Keeps what was computed from the first `told` observations, unless nothing was known then: infinity, or no number.
    pub fn keep(&mut self, told: usize, value: f64) {
        if value.is_nan() || value == f64::INFINITY {
            return;
        }
        if self.told == Some(told) {
            self.values.pop();
        }
        self.values.push(value);
        self.told = Some(told);
    }

    /// The median of the first `count` values, once there is a value after them.
    pub fn early_median(&self, count: usize) -> Option<f64> {
        let mut early = self.values.get(..count).filter(|_| self.values.len() > count)?.to_vec();
        early.sort_by(f64::total_cmp);
        at_rank(&early, 0.5 * count.checked_sub(1)? as f64)
    }

    /// Says that the median is not known yet.
    pub fn note(&self, count: usize) -> String {
        format!("{} of {count} values for the early median", self.values.len().min(count))
    }
}

#[cfg(test)]
mod tests {
    use super::History;

    #[test]
    fn the_median_is_that_of_the_first_values_once_there_is_one_more() {
        let mut history = History::default();
        for (told, value) in [(3, f64::INFINITY), (4, 5.0), (5, f64::NAN), (6, 1.0), (7, 2.0), (8, 4.0)] {
            history.keep(told, value);
        }
        assert_eq!((history.early_median(4), history.early_median(3)), (None, Some(2.0)));
        history.keep(9, 100.0);
        assert_eq!(history.early_median(4), Some(3.0));
    }

    #[test]
    fn what_is_computed_again_from_the_same_observations_is_kept_once() {
        let mut history = History::default();
        [(3, 1.0), (3, 2.0), (4, 7.0)].iter().for_each(|&(told, value)| history.keep(told, value));
        assert_eq!((history.early_median(2), history.early_median(1)), (None, Some(2.0)));
    }
}
