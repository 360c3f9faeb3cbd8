//! The failures of a run before a trial came to its end.

use crate::findings::ending::Ending;

/// Two progresses are the same within their rounding.
const ROUNDING: f64 = 1e-12;

/// The trials of a run that failed.
#[derive(Default)]
pub struct Failures {
    /// How far each of them came: 0 if nothing came of it.
    all: Vec<f64>,
    /// Why the last one failed, with the end of its output.
    last: String,
    /// Whether one of them has an outcome, and lacks a number beside it.
    lacking: bool,
}

impl Failures {
    /// One more, which came so far, with the end of its output.
    pub fn add(&mut self, came: f64, why: &str, tail: Option<String>) {
        self.all.push(came);
        self.last = match tail {
            // A single line stands in the reason.
            Some(tail) if !why.ends_with(&tail) => format!("{why}; the end of its output:\n{tail}"),
            _ => why.to_owned(),
        };
    }

    /// One of them has an outcome, and lacks a number beside it.
    pub fn lacks(&mut self) {
        self.lacking = true;
    }

    /// The end of a run of which so many trials failed, and none of the others came further; never
    /// for 0. `others` says how far those came that did not fail, infinity for an end.
    pub fn ending(&self, most: usize, others: impl FnOnce() -> f64) -> Option<Ending> {
        if most == 0 || self.all.len() < most {
            return None;
        }
        let others = others();
        let is_ahead = |came: &&f64| **came * (1.0 + ROUNDING) >= others;
        let count = self.all.iter().filter(is_ahead).count();
        if count < most {
            return None;
        }
        let shown: Vec<String> = self.last.lines().map(|line| format!("  {line}")).collect();
        let failed = if self.lacking { "failed or lack a number" } else { "failed" };
        let what = match others > 0.0 {
            true if self.lacking => format!("{count} trials {failed}, and no other is better"),
            true => format!("{count} trials broke, and no other one came further"),
            false => format!("the first {count} trials all {failed}"),
        };
        Some(Ending::Failing(format!(
            "{what}, so something is wrong with the command; the last one:\n{}",
            shown.join("\n")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(came: &[f64]) -> Failures {
        let mut failures = Failures::default();
        for came in came {
            failures.add(*came, "exit code 1", None);
        }
        failures
    }

    #[test]
    fn what_came_further_forgives_failures_and_nothing_else_does() {
        for (came, others, ends) in [
            (&[0.0, 0.0, 0.0][..], 0.0, true),
            (&[0.0, 0.0], 0.0, false),
            (&[0.0, 0.0, 0.0], f64::INFINITY, false),
            (&[1.0, 1.0, 1.0], 0.0, true),
            (&[1.0, 1.0, 1.0], 1.0, true),
            (&[1.0, 1.0, 1.0], 3.0, false),
            (&[1.0, 3.0, 3.0, 9.0], 3.0, true),
            (&[0.1 + 0.2, 0.3, 0.3], 0.1 + 0.2, true),
        ] {
            let ending = failing(came).ending(3, || others);
            assert_eq!(ending.is_some(), ends, "{came:?} and {others}");
        }
        assert_eq!(failing(&[0.0; 9]).ending(0, || 0.0), None);
    }
}
