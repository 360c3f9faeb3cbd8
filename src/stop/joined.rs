//! Several rules joined: the run ends when the first of them fires, or when all do.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::stop::rule::first_of;
use crate::stop::{Statistic, StopContext, StopRule};

/// Several rules as one. [`any`] and [`all`] make it.
pub struct Joined {
    rules: Vec<Box<dyn StopRule>>,
    /// Whether all have to fire.
    all: bool,
}

impl fmt::Debug for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(if self.all { "All" } else { "Any" })
            .field(&Vec::from_iter(self.rules.iter().map(|rule| rule.name())))
            .finish()
    }
}

/// Joins rules. The run ends when the first of them fires, and the verdict names that rule. All
/// rules are checked each time, because a rule may keep a history. If none fires, the verdict is
/// that of the first rule.
pub fn any(rules: impl IntoIterator<Item = Box<dyn StopRule>>) -> Joined {
    Joined { rules: rules.into_iter().collect(), all: false }
}

/// Joins rules. The run ends at the first check at which all of them fire, and the verdict is then
/// that of the first rule. Otherwise it is that of the first rule that does not fire.
pub fn all(rules: impl IntoIterator<Item = Box<dyn StopRule>>) -> Joined {
    Joined { rules: rules.into_iter().collect(), all: true }
}

impl StopRule for Joined {
    fn name(&self) -> &str {
        if self.all { "all of several" } else { "any of several" }
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let decides = !self.all;
        let mut speaker: Option<Statistic> = None;
        for rule in &mut self.rules {
            let mut statistic = rule.check(context)?;
            statistic.rule.get_or_insert_with(|| rule.name().to_owned());
            let decided = speaker.as_ref().is_some_and(|speaker| speaker.fired == decides);
            if speaker.is_none() || (statistic.fired == decides && !decided) {
                speaker = Some(statistic);
            }
        }
        speaker.ok_or_else(no_rules)
    }

    fn most_trials(&self) -> Option<usize> {
        let mut limits = self.rules.iter().map(|rule| rule.most_trials());
        if self.all {
            limits.try_fold(0, |most, limit| Some(most.max(limit?)))
        } else {
            limits.flatten().min()
        }
    }

    /// Of each rule the number of its numbers, and these.
    fn state(&self) -> Vec<f64> {
        let states = self.rules.iter().map(|rule| rule.state());
        states.flat_map(|state| [vec![state.len() as f64], state].concat()).collect()
    }

    fn restore(&mut self, state: &[f64]) {
        let mut rest = state;
        for rule in &mut self.rules {
            let (own, others) = first_of(rest);
            rule.restore(own);
            rest = others;
        }
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        if self.rules.is_empty() {
            return Err(no_rules());
        }
        self.rules.iter().try_for_each(|rule| rule.validate(price))
    }
}

fn no_rules() -> Error {
    Error::new(ErrorKind::Empty, "expected at least one stopping rule to join, got none")
}
