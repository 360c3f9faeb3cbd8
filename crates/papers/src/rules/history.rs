//! The values of a statistic from check to check.

use gittins::internals::at_rank;

/// The values of a statistic, one for each number of observations.
///
/// A rule is checked again without new observations if the acquisition was changed, or a trial was
/// corrected or withdrawn. The new value then replaces the old ones of as many observations or
/// more. Earlier values stay, although they may come from what was corrected since: nothing can
/// compute them again.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// The values, each with the number of observations it was computed from.
    values: Vec<(usize, f64)>,
}

impl History {
    /// Keeps what was computed from `told` observations, unless nothing was known then (infinity or
    /// NaN).
    pub fn keep(&mut self, told: usize, value: f64) {
        if value.is_nan() || value == f64::INFINITY {
            return;
        }
        self.forget(told);
        self.values.push((told, value));
    }

    /// Forgets the values of this many observations or more.
    pub fn forget(&mut self, told: usize) {
        self.values.truncate(self.values.partition_point(|(of, _)| *of < told));
    }

    /// The median of the first `count` values, once there is one more value.
    pub fn early_median(&self, count: usize) -> Option<f64> {
        let early = self.values.get(..count).filter(|_| self.values.len() > count)?;
        let mut early: Vec<f64> = early.iter().map(|(_, value)| *value).collect();
        early.sort_by(f64::total_cmp);
        at_rank(&early, 0.5 * count.checked_sub(1)? as f64)
    }

    /// The values as numbers, in pairs.
    pub fn state(&self) -> Vec<f64> {
        self.values.iter().flat_map(|&(told, value)| [told as f64, value]).collect()
    }

    /// Takes the values of a [state](Self::state).
    pub fn restore(&mut self, state: &[f64]) {
        let (pairs, _) = state.as_chunks();
        self.values = pairs.iter().map(|&[told, value]| (told as usize, value)).collect();
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
        for (told, value) in
            [(3, f64::INFINITY), (4, 5.0), (5, f64::NAN), (6, 1.0), (7, 2.0), (8, 4.0)]
        {
            history.keep(told, value);
        }
        assert_eq!((history.early_median(4), history.early_median(3)), (None, Some(2.0)));
        history.keep(9, 100.0);
        assert_eq!(history.early_median(4), Some(3.0));
    }

    #[test]
    fn what_is_computed_again_from_the_same_observations_is_kept_once() {
        let mut history = History::default();
        for &(told, value) in &[(3, 1.0), (3, 2.0), (4, 7.0)] {
            history.keep(told, value);
        }
        assert_eq!((history.early_median(2), history.early_median(1)), (None, Some(2.0)));
    }

    #[test]
    fn with_fewer_observations_than_before_the_values_of_more_are_gone() {
        let mut history = History::default();
        for &(told, value) in &[(3, 1.0), (4, 50.0), (5, 70.0), (4, 2.0), (5, 3.0), (6, 9.0)] {
            history.keep(told, value);
        }
        assert_eq!((history.early_median(3), history.early_median(4)), (Some(2.0), None));
        history.forget(5);
        assert_eq!((history.early_median(1), history.early_median(2)), (Some(1.0), None));
    }
}
