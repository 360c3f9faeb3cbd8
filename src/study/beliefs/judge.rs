//! Who judges a study.

use crate::stop::{StopRule, Verdict};

/// Who judges, and what was said.
pub(crate) struct Judge {
    pub rule: Option<Box<dyn StopRule>>,
    /// The verdict after what was told, if it was asked for.
    pub verdict: Option<Verdict>,
}

impl Judge {
    /// The state of the rule, if there is one.
    pub fn state(&self) -> Vec<f64> {
        self.rule.as_ref().map_or_else(Vec::new, |rule| rule.state())
    }

    /// The most trials that the rule allows, if it limits them.
    pub fn most_trials(&self) -> Option<usize> {
        self.rule.as_ref()?.most_trials()
    }

    /// The rule takes up this state, if there is one.
    pub fn restore(&mut self, state: &[f64]) {
        if let Some(rule) = &mut self.rule {
            rule.restore(state);
        }
    }
}
