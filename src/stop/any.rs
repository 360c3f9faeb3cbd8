//! Several rules joined: the run ends when the first of them fires.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::stop::rule::first_of;
use crate::stop::{Statistic, StopContext, StopRule};

/// Fires as soon as one of its rules does. [`any`] makes it.
pub struct Any {
    rules: Vec<Box<dyn StopRule>>,
}

impl fmt::Debug for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Any")
            .field(&Vec::from_iter(self.rules.iter().map(|rule| rule.name())))
            .finish()
    }
}

/// Joins rules. The run ends when the first of them fires, and the verdict names that rule. All
/// rules are checked each time, because a rule may keep a history. If none fires, the verdict is
/// that of the first rule.
pub fn any(rules: impl IntoIterator<Item = Box<dyn StopRule>>) -> Any {
    Any { rules: rules.into_iter().collect() }
}

impl StopRule for Any {
    fn name(&self) -> &str {
        "any of several"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let mut speaker: Option<Statistic> = None;
        for rule in &mut self.rules {
            let mut statistic = rule.check(context)?;
            statistic.rule.get_or_insert_with(|| rule.name().to_owned());
            if speaker.as_ref().is_none_or(|speaker| statistic.fired && !speaker.fired) {
                speaker = Some(statistic);
            }
        }
        speaker.ok_or_else(no_rules)
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
