//! What a stopping rule says: its statistic, and the verdict that follows.

use std::fmt;

use crate::math::decimal::decimal;
#[cfg(feature = "serde")]
use crate::math::number::one;
use crate::math::saturating::saturated;

/// What the next trial would bring and what it would cost, both in outcome units. It is worth its
/// price if the gain is larger.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Worth {
    /// The expected improvement; with several objectives that of the hypervolume, in the product of
    /// their units.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub gain: f64,
    /// The expected cost times the price of a unit of cost, `lambda c(x)`.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub price: f64,
}

impl Worth {
    /// A gain and a price.
    pub(super) fn new(gain: f64, price: f64) -> Self {
        Self { gain, price: saturated(price) }
    }

    /// The gain over the price; 1 if they are equal, as where both are too small for a number.
    fn ratio(self) -> f64 {
        if self.gain == self.price { 1.0 } else { saturated(self.gain / self.price) }
    }
}

/// Shares of a price below the reciprocal of this, and multiples above it, are not worth a number.
const CLEAR: f64 = 1000.0;

/// As in "bring 0.00021, 0.8 of its price 0.00027".
impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [gain, price] = [self.gain, self.price].map(|number| decimal(number, 2));
        let ratio = self.ratio();
        match decimal(ratio, 2) {
            _ if ratio < 1.0 / CLEAR => {
                write!(f, "bring less than {} of its price {price}", 1.0 / CLEAR)
            }
            _ if ratio > CLEAR => write!(f, "bring more than {CLEAR} times its price {price}"),
            one if one == "1" => write!(f, "bring {gain}, about its price {price}"),
            share if ratio < 1.0 => write!(f, "bring {gain}, {share} of its price {price}"),
            times => write!(f, "bring {gain}, {times} times its price {price}"),
        }
    }
}

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
    /// What the next trial would bring and cost, if the rule weighs the two.
    pub worth: Option<Worth>,
    /// The rule that made it, if several are joined.
    pub rule: Option<String>,
    /// Whether the time was up before all was looked at that the value depends on. The value may
    /// then be too low. It does not fire, and does not enter a mean.
    pub interrupted: bool,
    /// Whether it fires, or not, by something else than its value, which then enters no mean.
    pub(crate) is_apart: bool,
}

impl Statistic {
    /// A statistic that fires at or below a threshold. NaN does not fire.
    pub fn at_most(value: f64, threshold: f64) -> Self {
        Self {
            value,
            threshold,
            fired: value <= threshold,
            note: String::new(),
            worth: None,
            rule: None,
            interrupted: false,
            is_apart: false,
        }
    }

    /// This statistic, marked if its search was [interrupted](super::Remaining::interrupted) and
    /// saw only a part of what there is. Above the threshold it is decided anyway, and the run goes
    /// on. Below the threshold it does not fire, and the note says so. A rule of your own that
    /// maximizes calls this last.
    pub fn unless_interrupted(mut self, interrupted: bool) -> Self {
        self.interrupted |= interrupted;
        if interrupted {
            let separator = if self.note.is_empty() { "" } else { "; " };
            let fired = std::mem::take(&mut self.fired);
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
    #[doc(hidden)]
    pub fn no_cost_yet(threshold: f64) -> Self {
        Self::at_most(f64::INFINITY, threshold).note("no cost is known yet")
    }

    /// The statistic if nothing is left to evaluate; fires.
    #[doc(hidden)]
    pub fn nothing_left(threshold: f64) -> Self {
        Self::at_most(f64::NEG_INFINITY, threshold).note("nothing is left to evaluate")
    }

    /// Sets the note, which says in plain words what the numbers mean.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// This statistic, whose value enters no mean: something else decides whether it fires.
    pub(super) fn apart(self) -> Self {
        Self { is_apart: true, ..self }
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
            worth: self.worth,
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

    /// A verdict that says besides that no verdict will end this study, and why.
    #[doc(hidden)]
    pub fn endless(self, why: &str) -> Self {
        match self {
            Self::Stop(_) => self,
            Self::Continue(mut reason) => {
                reason.words += if reason.words.is_empty() { "" } else { "; " };
                reason.words += &format!("no verdict will end this study: {why}");
                Self::Continue(reason)
            }
        }
    }

    /// A verdict without a statistic.
    #[doc(hidden)]
    pub fn without_statistic(rule: &str, stop: bool, words: impl Into<String>) -> Self {
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
    /// What the next trial would bring and cost, if the rule weighs the two.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub worth: Option<Worth>,
    stop: bool,
    words: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", if self.stop { "stop" } else { "continue" })?;
        if self.words.is_empty() {
            write!(
                f,
                "{}: statistic {}, threshold {}",
                self.rule,
                decimal(self.statistic, 6),
                decimal(self.threshold, 6)
            )
        } else {
            f.write_str(&self.words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_trial_is_worth_is_said_without_long_numbers() {
        let table = [
            (0.00021, 0.00027, "bring 0.00021, 0.78 of its price 0.00027"),
            (0.00063, 0.00027, "bring 0.00063, 2.3 times its price 0.00027"),
            (0.2699, 0.27, "bring 0.27, about its price 0.27"),
            (4.9e42, 0.5, "bring more than 1000 times its price 0.5"),
            (0.0, 0.5, "bring less than 0.001 of its price 0.5"),
            (1e-300, 1e-320, "bring more than 1000 times its price 1e-320"),
        ];
        for (gain, price, words) in table {
            assert_eq!(Worth::new(gain, price).to_string(), words);
        }
    }
}
