//! What a stopping rule says: its statistic, and the verdict that follows.

use std::fmt;

use crate::math::decimal::decimal;
#[cfg(feature = "serde")]
use crate::math::number::one;

/// The statistic of a rule. It fires once it is at or below its threshold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Statistic {
    /// The value: minus infinity if nothing is left to evaluate, infinity if nothing is known yet.
    pub value: f64,
    /// The value at which the rule fires; minus infinity if it is not known yet.
    pub threshold: f64,
    /// Whether it fires. A wrapper may hold back a value below the threshold.
    pub fired: bool,
    /// The meaning of the numbers, in plain words.
    pub note: String,
    /// The rule that made it, if several are joined.
    pub rule: Option<String>,
    /// Whether the time was up before all was looked at that the value depends on. The value may
    /// then be too low. It does not fire, and does not enter a mean.
    pub interrupted: bool,
}

impl Statistic {
    /// A statistic that fires at or below a threshold. NaN does not fire.
    pub fn at_most(value: f64, threshold: f64) -> Self {
        Self {
            value,
            threshold,
            fired: value <= threshold,
            note: String::new(),
            rule: None,
            interrupted: false,
        }
    }

    /// This statistic, marked if its search was [interrupted](super::Remaining::interrupted) and
    /// saw only a part of what there is. Above the threshold it is decided anyway, and the run goes
    /// on. Below the threshold it does not fire, and the note says so. A rule of your own that
    /// maximizes calls this last.
    pub fn unless_interrupted(mut self, interrupted: bool) -> Self {
        self.interrupted |= interrupted;
        if interrupted {
            let (separator, fired) =
                (if self.note.is_empty() { "" } else { "; " }, std::mem::take(&mut self.fired));
            let words = if fired {
                "the time for the search was up before it could tell whether to stop"
            } else {
                "the time for the search was up"
            };
            self.note += separator;
            self.note += words;
        }
        self
    }

    /// The statistic while no outcome is known; does not fire.
    pub fn unknown(threshold: f64) -> Self {
        Self::at_most(f64::INFINITY, threshold).note("no outcome is known yet")
    }

    /// The statistic while costs are learned and none is known; does not fire.
    pub fn no_cost_yet(threshold: f64) -> Self {
        Self::at_most(f64::INFINITY, threshold).note("no cost is known yet")
    }

    /// The statistic if nothing is left to evaluate; fires.
    pub fn nothing_left(threshold: f64) -> Self {
        Self::at_most(f64::NEG_INFINITY, threshold).note("nothing is left to evaluate")
    }

    /// Sets the note, which says in plain words what the numbers mean.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Adds what it was judged by, if that is to be said.
    pub(crate) fn judged(mut self, words: Option<String>) -> Self {
        if let Some(words) = words {
            if self.note.is_empty() {
                let [value, threshold] =
                    [self.value, self.threshold].map(|number| decimal(number, 6));
                self.note = format!("statistic {value}, threshold {threshold}");
            }
            self.note += "; ";
            self.note += &words;
        }
        self
    }

    /// The verdict of a rule with this statistic.
    #[doc(hidden)]
    pub fn verdict(self, rule: &str) -> Verdict {
        Verdict::of(Reason {
            rule: self.rule.unwrap_or_else(|| rule.to_owned()),
            statistic: self.value,
            threshold: self.threshold,
            stop: self.fired,
            words: self.note,
        })
    }
}

/// Whether to go on, and why.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Flat", into = "Flat"))]
pub enum Verdict {
    /// The next trial is worth its price, as far as the rule can say.
    Continue(Reason),
    /// The next trial is not worth its price.
    Stop(Reason),
}

/// A verdict as data: its reason, which knows whether it stops.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
struct Flat(Reason);

#[cfg(feature = "serde")]
impl From<Flat> for Verdict {
    fn from(Flat(reason): Flat) -> Self {
        Self::of(reason)
    }
}

#[cfg(feature = "serde")]
impl From<Verdict> for Flat {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Continue(reason) | Verdict::Stop(reason) => Self(reason),
        }
    }
}

impl Verdict {
    /// Whether to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stop(_))
    }

    /// The reason.
    pub fn reason(&self) -> &Reason {
        match self {
            Self::Continue(reason) | Self::Stop(reason) => reason,
        }
    }

    fn of(reason: Reason) -> Self {
        if reason.stop { Self::Stop(reason) } else { Self::Continue(reason) }
    }

    /// A verdict without a statistic.
    pub(crate) fn without_statistic(rule: &str, stop: bool, words: impl Into<String>) -> Self {
        let value = if stop { f64::NEG_INFINITY } else { f64::INFINITY };
        Statistic::at_most(value, 0.0).note(words).verdict(rule)
    }
}

/// Why a run stops or goes on. It prints itself in plain words.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reason {
    /// The name of the rule.
    pub rule: String,
    /// Its statistic.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub statistic: f64,
    /// The threshold at or below which it fires.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub threshold: f64,
    stop: bool,
    words: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", if self.stop { "stop" } else { "continue" })?;
        match self.words.is_empty() {
            true => write!(
                f,
                "{}: statistic {}, threshold {}",
                self.rule,
                decimal(self.statistic, 6),
                decimal(self.threshold, 6)
            ),
            false => f.write_str(&self.words),
        }
    }
}
