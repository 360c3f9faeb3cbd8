//! When a trial whose worker does not come back is given up.

use std::time::Duration;

use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::math::clock::seconds_of;

/// No trial is given up before this time, however short it was expected to be.
const LEAST: Duration = Duration::from_secs(60);

/// When a pending trial is given up, because its worker must have died. Its point may then be
/// suggested again. A result that comes all the same is taken.
///
/// Unless set it is [`times(5.0)`](Self::times) if the unit of cost is a time (`"s"`, `"min"` or
/// `"h"`), and otherwise never.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GiveUp {
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Usual,
    Never,
    After(Duration),
    Times(f64),
}

impl GiveUp {
    /// Never: a trial waits for its outcome, or to be withdrawn.
    pub fn never() -> Self {
        Self { kind: Kind::Never }
    }

    /// After this time.
    pub fn after(time: Duration) -> Self {
        Self { kind: Kind::After(time) }
    }

    /// After this many times the expected cost, which is a time in seconds unless the
    /// [unit](crate::study::StudyBuilder::cost_unit) is `"min"` or `"h"`, and at least a minute. A
    /// point of the initial design has no expected cost: the largest one that was told stands in.
    pub fn times(factor: f64) -> Self {
        Self { kind: Kind::Times(factor) }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `InvalidSetting` for a factor that is not positive and finite.
    pub(crate) fn validate(&self) -> Result<()> {
        match self.kind {
            Kind::Times(factor) => {
                check_positive("the factor after which trials are given up", factor)
            }
            Kind::After(time) if time.is_zero() => Err(Error::new(
                ErrorKind::InvalidSetting,
                "the time after which trials are given up must be positive",
            )),
            _ => Ok(()),
        }
    }

    /// The time after which a trial of this expected cost is given up; none if it is not.
    pub(super) fn limit(&self, expected: Option<f64>, unit: Option<&str>) -> Option<Duration> {
        let seconds = seconds_of(unit.unwrap_or("s"));
        let times = |factor: f64| {
            let seconds = factor * expected? * seconds?;
            Duration::try_from_secs_f64(seconds).ok().map(|limit| limit.max(LEAST))
        };
        match self.kind {
            Kind::Never => None,
            Kind::Usual => unit.and_then(|_| times(5.0)),
            Kind::After(time) => Some(time),
            Kind::Times(factor) => times(factor),
        }
    }
}

impl Default for GiveUp {
    fn default() -> Self {
        Self { kind: Kind::Usual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_a_time() {
        let seconds = |give_up: GiveUp, cost, unit| {
            give_up.limit(cost, unit).map(|limit| limit.as_secs_f64())
        };
        let usual = GiveUp::default();
        assert_eq!(seconds(usual, Some(100.0), Some("s")), Some(500.0));
        assert_eq!(seconds(usual, Some(2.0), Some("h")), Some(36000.0));
        assert_eq!(seconds(usual, Some(0.1), Some("s")), Some(60.0));
        assert_eq!(seconds(usual, Some(100.0), Some("EUR")), None);
        assert_eq!(seconds(usual, Some(100.0), None), None);
        assert_eq!(seconds(GiveUp::times(3.0), Some(100.0), None), Some(300.0));
        assert_eq!(seconds(GiveUp::times(3.0), None, Some("s")), None);
        assert_eq!(seconds(GiveUp::after(Duration::from_secs(7)), None, None), Some(7.0));
        assert_eq!(seconds(GiveUp::never(), Some(1.0), Some("s")), None);
        assert!(GiveUp::times(f64::NAN).validate().is_err());
    }
}
