//! The limits of a study.

use std::collections::BTreeMap;

use crate::data::limit::Limit;
use crate::data::measured::Measured;
use crate::error::{Error, ErrorKind, Result};
use crate::named::hint;

/// The limits of a study, sorted by the names of their numbers.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(crate) struct Limits(BTreeMap<String, Limit>);

impl Limits {
    /// Sets the limit of a name. Another one on the same name is replaced.
    pub fn set(&mut self, name: String, limit: Limit) {
        self.0.insert(name, limit);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and limits in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Limit)> + Clone {
        self.0.iter().map(|(name, limit)| (name.as_str(), *limit))
    }

    /// Checks names and bounds.
    ///
    /// # Errors
    /// `InvalidSetting` for an empty name, and for the name `cost`, which is taken; `NonFinite` for a bound that is not finite.
    pub fn validate(&self) -> Result<()> {
        for (name, limit) in self.iter() {
            if name.is_empty() {
                let message = "a limit needs the name of a measured number, got an empty one";
                return Err(Error::new(ErrorKind::InvalidSetting, message));
            }
            if name == "cost" {
                let message = "\"cost\" is what a trial costs, on which there is no limit; give the measured number another name";
                return Err(Error::new(ErrorKind::InvalidSetting, message));
            }
            if !limit.bound().is_finite() {
                let message =
                    format!("the limit on {name}: expected a finite bound, got {}", limit.bound());
                return Err(Error::new(ErrorKind::NonFinite, message));
            }
        }
        Ok(())
    }

    /// Checks what is told of a trial. One that is complete names each limit.
    ///
    /// # Errors
    /// `InvalidSetting` for a name without a limit, and for one that is missing; `NonFinite` for an
    /// infinite number.
    pub fn check(&self, measured: &Measured, is_complete: bool) -> Result<()> {
        for (name, number) in measured.iter() {
            if !self.iter().any(|(known, _)| known == name) {
                let hint = hint(name, self.iter().map(|(known, _)| known));
                let message =
                    format!("no limit is set on \"{name}\", so it is not to be told; {hint}");
                return Err(Error::new(ErrorKind::InvalidSetting, message));
            }
            if number.is_infinite() {
                let message = format!(
                    "expected a finite number for \"{name}\", got {number}; NaN says that it could not be measured"
                );
                return Err(Error::new(ErrorKind::NonFinite, message));
            }
        }
        let missing = self.iter().find(|(name, _)| is_complete && measured.get(name).is_none());
        let Some((name, limit)) = missing else { return Ok(()) };
        let message = format!(
            "expected the measured number \"{name}\", which must be {limit}, got none; NaN says that it could not be measured"
        );
        Err(Error::new(ErrorKind::InvalidSetting, message))
    }

    /// The numbers that were told, one for each limit in order; NaN for one that was not measured.
    /// Whatever else was told, under other limits, is left out.
    pub fn aligned(&self, measured: &Measured) -> Vec<f64> {
        let number = |(name, _)| measured.get(name).filter(|one: &f64| one.is_finite());
        self.iter().map(|limit| number(limit).unwrap_or(f64::NAN)).collect()
    }

    /// Whether these numbers, one for each limit, hold all limits.
    pub fn hold(&self, numbers: &[f64]) -> bool {
        self.iter().zip(numbers).all(|((_, limit), number)| limit.holds(*number))
    }

    /// Whether one of these numbers is known to break its limit.
    pub fn are_broken(&self, numbers: &[f64]) -> bool {
        self.iter().zip(numbers).any(|((_, limit), number)| limit.slack(*number) < 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let mut limits = Limits::default();
        limits.set("latency_ms".into(), Limit::at_most(20.0));
        limits.set("accuracy".into(), Limit::at_least(0.9));
        limits
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
        let error = Limits::default().check(&measured, true).unwrap_err().to_string();
        assert!(error.contains("there are none"), "{error}");
    }

    #[test]
    fn names_and_bounds_are_checked() {
        for (name, bound, words) in
            [("", 1.0, "empty"), ("cost", 1.0, "\"cost\""), ("size", f64::NAN, "limit on size")]
        {
            let mut limits = Limits::default();
            limits.set(name.to_owned(), Limit::at_most(bound));
            let error = limits.validate().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
