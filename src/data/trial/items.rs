//! Runs that are means of items.

use super::stages::Stages;
use crate::math::sobol::mix;

impl Stages {
    /// Runs that are the mean of so many items, each of which is paid for: questions that a model
    /// answers, instances that a solver is run on, tests. Progress counts items, in one
    /// [order](Self::order) for all runs, and each report has the mean outcome of the items since the
    /// report before. The value of a run is its mean over all items, also those that it never saw: it
    /// need not come to its end to be [the best](crate::Study::best), which is the run that is
    /// [recommended](crate::Study::recommendation).
    ///
    /// Outcomes are compared item by item, as those of [folds](Self::folds) are: how hard an item is
    /// cancels. A run that was left needs no checkpoint to be resumed.
    ///
    /// ```
    /// use gittins::study::Stages;
    /// use gittins::{Policy, Space, Study};
    ///
    /// let space = Space::new().choice("model", ["small", "large"]).float("temperature", 0.0, 1.0);
    /// let stages = Stages::items(800);
    /// let order = stages.order(); // the numbers of 800 questions
    /// let mut study = Study::maximize(space).stages(stages).policy(Policy::gittins(1e-3)).build()?;
    /// let ask = study.ask()?;
    /// let batch = &order[ask.resume().unwrap_or(0.0) as usize..ask.until() as usize];
    /// assert_eq!(batch.len(), 2);
    /// study.report(ask.id(), ask.until(), 0.5, 0.02)?; // one of them answered well, for two cents
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn items(count: u32) -> Self {
        Self { items: Some(count), ..Self::default() }
    }

    /// Whether a run is the mean of items.
    pub fn are_items(&self) -> bool {
        self.items.is_some()
    }

    /// The numbers of the items in the order in which they are judged, counted from 0: a report until
    /// `n` is of the first `n` of them. The order is random, so that the first items stand for the
    /// others whatever list they come from, and it is the same in all studies of so many items. Empty
    /// if runs are no means of [items](Self::items).
    ///
    /// ```
    /// let order = gittins::study::Stages::items(5).order();
    /// assert_eq!(order, [3, 4, 1, 0, 2]);
    /// ```
    pub fn order(&self) -> Vec<u32> {
        let mut order = Vec::from_iter(0..self.items.unwrap_or(0));
        // Fisher and Yates. Of 2^64 numbers an item is wanted: the bias is below 2^-32.
        for last in (1..order.len()).rev() {
            let drawn = u128::from(mix(last as u64)) * (last as u128 + 1);
            order.swap(last, (drawn >> 64) as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_comes_once_and_the_first_are_spread() {
        for count in [1, 2, 17, 1000] {
            let order = Stages::items(count).order();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, Vec::from_iter(0..count));
        }
        // The mean of a tenth of 0..1000 without replacement: six deviations of 27.
        let first = Stages::items(1000).order()[..100].iter().sum::<u32>() / 100;
        assert!(first.abs_diff(500) < 164, "{first}");
        assert!(Stages::folds(5).order().is_empty());
    }
}
