//! What a study has to do with numbers that are measured beside the outcome.

use std::collections::BTreeMap;

use crate::data::trial::limit::Limit;
use crate::data::trial::measured::Measured;
use crate::data::trial::objective::Objective;
use crate::error::{Error, ErrorKind, Result};
use crate::named::hint;

/// The most objectives of a study, the outcome included. The volume of a Pareto front is exact up
/// to this many.
pub(crate) const MOST_OBJECTIVES: usize = 3;

/// The limits and objectives of a study, each sorted by the names of their numbers. The numbers of
/// limits come first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Measures {
    limits: BTreeMap<String, Limit>,
    objectives: BTreeMap<String, Objective>,
    /// That of the outcome, beside other objectives.
    reference: Option<f64>,
}

impl Measures {
    /// Those of these names.
    pub fn new(limits: BTreeMap<String, Limit>, objectives: BTreeMap<String, Objective>) -> Self {
        Self { limits, objectives, reference: None }
    }

    /// Sets the reference of the outcome.
    pub fn with_reference(self, reference: Option<f64>) -> Self {
        Self { reference, ..self }
    }

    /// The reference of the outcome, if it was set.
    pub fn reference(&self) -> Option<f64> {
        self.reference
    }

    /// The number of numbers that a trial is to tell.
    pub fn len(&self) -> usize {
        self.limits.len() + self.objectives.len()
    }

    /// Names and limits in order.
    pub fn limits(&self) -> impl ExactSizeIterator<Item = (&str, Limit)> + Clone {
        self.limits.iter().map(|(name, limit)| (name.as_str(), *limit))
    }

    /// Names and objectives in order, each with the place of its number.
    pub fn objectives(&self) -> impl ExactSizeIterator<Item = (usize, &str, Objective)> + Clone {
        let first = self.limits.len();
        let numbered = self.objectives.iter().enumerate();
        numbered.map(move |(place, (name, one))| (first + place, name.as_str(), *one))
    }

    /// The names of all numbers in order.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.limits.keys().chain(self.objectives.keys()).map(String::as_str)
    }

    /// Whether there are objectives beside the outcome.
    pub fn have_objectives(&self) -> bool {
        !self.objectives.is_empty()
    }

    /// What an incumbent has to do and does, in words.
    pub fn condition(&self) -> [&'static str; 2] {
        if self.limits.is_empty() {
            ["have all objectives", "has all objectives"]
        } else {
            ["hold all limits", "holds all limits"]
        }
    }

    /// Checks names, bounds and references.
    ///
    /// # Errors
    /// `InvalidSetting` for an empty name, for the name `cost`, which is taken, for a name that has
    /// both a limit and an objective, for more than three objectives, and for a reference of the outcome
    /// alone; `NonFinite` for a bound or a
    /// reference that is not finite.
    pub fn validate(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        for name in self.names() {
            if name.is_empty() {
                return invalid("a measured number needs a name, got an empty one".to_owned());
            }
            if name == "cost" {
                let message = "\"cost\" is what a trial costs, which has no limit and is no objective; give the measured number another name";
                return invalid(message.to_owned());
            }
            if self.limits.contains_key(name) && self.objectives.contains_key(name) {
                return invalid(format!(
                    "\"{name}\" has a limit and is an objective; its reference says what is worth nothing"
                ));
            }
        }
        let count = 1 + self.objectives.len();
        if count > MOST_OBJECTIVES {
            return invalid(format!(
                "expected at most {MOST_OBJECTIVES} objectives, the outcome included, got {count}"
            ));
        }
        if self.reference.is_some() && self.objectives.is_empty() {
            return invalid(
                "a reference is of several objectives, and there is only the outcome".to_owned(),
            );
        }
        let bounds = self.limits().map(|(name, limit)| ("the limit on", name, limit.bound()));
        let references = self
            .objectives()
            .filter_map(|(_, name, one)| Some(("the reference of", name, one.reference?)));
        let own = self.reference.map(|reference| ("the reference of", "the outcome", reference));
        for (what, name, number) in bounds.chain(references).chain(own) {
            if !number.is_finite() {
                let message = format!("{what} {name}: expected a finite number, got {number}");
                return Err(Error::new(ErrorKind::NonFinite, message));
            }
        }
        Ok(())
    }

    /// Checks what is told of a trial. One that is complete names each number.
    ///
    /// # Errors
    /// `InvalidSetting` for a name that is not known, and for one that is missing; `NonFinite` for an
    /// infinite number.
    pub fn check(&self, measured: &Measured, is_complete: bool) -> Result<()> {
        for (name, number) in measured.iter() {
            if !self.names().any(|known| known == name) {
                let hint = hint(name, self.names());
                let message = format!(
                    "the study has no limit on \"{name}\", and it is no objective, so it is not to be told; {hint}"
                );
                return Err(Error::new(ErrorKind::InvalidSetting, message));
            }
            if number.is_infinite() {
                let message = format!(
                    "expected a finite number for \"{name}\", got {number}; NaN says that it could not be measured"
                );
                return Err(Error::new(ErrorKind::NonFinite, message));
            }
        }
        let missing = self.names().find(|name| is_complete && measured.get(name).is_none());
        let Some(name) = missing else { return Ok(()) };
        let what = match self.limits.get(name) {
            Some(limit) => format!("which must be {limit}"),
            None => "which is an objective".to_owned(),
        };
        let message = format!(
            "expected the measured number \"{name}\", {what}, got none; NaN says that it could not be measured"
        );
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }

    /// The numbers that were told in their order; NaN for one that was not measured. Whatever else was
    /// told, of another time, is left out.
    pub fn aligned(&self, measured: &Measured) -> Vec<f64> {
        let number = |name| measured.get(name).filter(|one: &f64| one.is_finite());
        self.names().map(|name| number(name).unwrap_or(f64::NAN)).collect()
    }

    /// Whether these numbers, in their order, hold all limits, and those of objectives are known.
    pub fn hold(&self, numbers: &[f64]) -> bool {
        self.limits().zip(numbers).all(|((_, limit), number)| limit.holds(*number))
            && numbers.iter().skip(self.limits.len()).all(|number| !number.is_nan())
    }

    /// Whether one of these numbers is known to break its limit.
    pub fn are_broken(&self, numbers: &[f64]) -> bool {
        self.limits().zip(numbers).any(|((_, limit), number)| limit.slack(*number) < 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Measures {
        let limits = [
            ("latency_ms".to_owned(), Limit::at_most(20.0)),
            ("accuracy".to_owned(), Limit::at_least(0.9)),
        ];
        Measures::new(limits.into(), BTreeMap::new())
    }

    #[test]
    fn what_is_told_is_checked_by_name() {
        let mut measured = Measured::default();
        measured.set("latency_ms", 17.0);
        let refused = |measured: &Measured, complete| {
            limits().check(measured, complete).unwrap_err().to_string()
        };
        let error = refused(&measured, true);
        assert!(error.contains("\"accuracy\"") && error.contains("at least 0.9"), "{error}");
        limits().check(&measured, false).unwrap();
        measured.set("accuracy", f64::NAN);
        limits().check(&measured, true).unwrap();
        let numbers = limits().aligned(&measured);
        assert!(numbers[0].is_nan() && numbers[1] == 17.0);
        assert!(!limits().hold(&numbers) && !limits().are_broken(&numbers));
        measured.set("accuracy", f64::INFINITY);
        let error = limits().check(&measured, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NonFinite);
        measured.set("accuracy", 0.95);
        limits().check(&measured, true).unwrap();
        assert!(limits().hold(&limits().aligned(&measured)));
        measured.set("latencyms", 17.0);
        let error = refused(&measured, true);
        assert!(error.contains("did you mean \"latency_ms\"?"), "{error}");
        // What a file has of other limits is no error.
        assert_eq!(limits().aligned(&measured), [0.95, 17.0]);
        let error = Measures::default().check(&measured, true).unwrap_err().to_string();
        assert!(error.contains("there are none"), "{error}");
    }

    #[test]
    fn names_and_bounds_are_checked() {
        for (name, bound, words) in
            [("", 1.0, "empty"), ("cost", 1.0, "\"cost\""), ("size", f64::NAN, "limit on size")]
        {
            let limits = BTreeMap::from([(name.to_owned(), Limit::at_most(bound))]);
            let error = Measures::new(limits, BTreeMap::new()).validate().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let objectives = |names: &[&str]| {
            let named = names.iter().map(|name| ((*name).to_owned(), Objective::minimize()));
            Measures::new(BTreeMap::from([("a".to_owned(), Limit::at_most(1.0))]), named.collect())
        };
        objectives(&["b", "c"]).validate().unwrap();
        for (names, words) in [(&["a"][..], "has a limit"), (&["b", "c", "d"], "at most 3")] {
            let error = objectives(names).validate().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn numbers_of_limits_come_first_and_those_of_objectives_must_be_known() {
        let limits = BTreeMap::from([("size".to_owned(), Limit::at_most(1.0))]);
        let objectives = BTreeMap::from([("latency".to_owned(), Objective::minimize())]);
        let measures = Measures::new(limits, objectives);
        let mut measured = Measured::default();
        measured.set("latency", 3.0);
        let error = measures.check(&measured, true).unwrap_err().to_string();
        assert!(error.contains("\"size\""), "{error}");
        measured.set("size", 0.5);
        assert_eq!(measures.aligned(&measured), [0.5, 3.0]);
        assert!(measures.hold(&[0.5, 3.0]) && !measures.hold(&[0.5, f64::NAN]));
        assert_eq!(measures.objectives().next().map(|one| one.0), Some(1));
    }
}
