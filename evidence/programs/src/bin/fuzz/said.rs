//! What a study said, call by call, and whether another one said the same.

use std::fmt::Debug;

use gittins::{ErrorKind, Verdict};

use crate::view::{View, are_saturated};

#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// It was taken, and nothing came back.
    Taken,
    /// There was nothing that it could be about.
    Idle,
    Refused(ErrorKind),
    Answered(Vec<Line>),
}

/// One thing that a study said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// What it is about, whatever was chosen.
    pub topic: String,
    pub choice: String,
    /// By which share of its worth another choice was less good, at most; none where no other is.
    pub tie: Option<f64>,
    /// How good the choice is.
    pub worth: Vec<Number>,
    pub others: Vec<Number>,
}

/// A number, and what it measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    pub of: Quantity,
    pub value: f64,
    /// What its rounding is a share of, besides the number itself.
    pub size: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    Outcome,
    Difference,
    Price,
    /// Any of these, a cost, or a number without a unit.
    Any,
}

impl Quantity {
    pub fn is(self, value: f64) -> Number {
        Number { of: self, value, size: 0.0 }
    }
}

impl Line {
    pub fn of(topic: &str, number: Number) -> Self {
        Self { topic: topic.to_owned(), worth: vec![number], ..Self::default() }
    }
}

impl From<&Verdict> for Line {
    fn from(verdict: &Verdict) -> Self {
        let reason = verdict.reason();
        let stops = if verdict.is_stop() { "stop" } else { "go on" };
        let numbers = [reason.statistic, reason.threshold];
        let size = numbers[0].abs().max(numbers[1].abs());
        let apart = (numbers[0] - numbers[1]).abs() / size;
        Self {
            topic: VERDICT.to_owned(),
            choice: format!("{stops}: {}", reason.rule),
            tie: Some(if numbers[0] == numbers[1] { 0.0 } else { apart }),
            worth: Vec::new(),
            others: numbers.map(|number| Quantity::Any.is(number)).to_vec(),
        }
    }
}

pub const VERDICT: &str = "verdict";

impl Said {
    pub fn stop(&self) -> Option<&str> {
        let Self::Answered(lines) = self else { return None };
        lines.iter().find(|line| line.topic == VERDICT)?.choice.strip_prefix("stop: ")
    }
}

/// The first call at which a twin, which saw the same in other units, said something else; and what
/// both said. With `rounding`, a share, a difference may be one of choice, after which the two go
/// their own ways.
pub fn difference(
    own: &[Said],
    twin: &[Said],
    view: &View,
    rounding: Option<f64>,
) -> Option<(usize, String)> {
    for (call, (a, b)) in own.iter().zip(twin).enumerate() {
        match compared(a, b, view, rounding) {
            Likeness::Same => {}
            Likeness::AsGood => return None,
            Likeness::Other => {
                let words = format!("said\n    {a:?}\n  and its twin, in {view:?},\n    {b:?}");
                return Some((call, words));
            }
        }
    }
    let (own, twin) = (own.len(), twin.len());
    (own != twin).then(|| (own.min(twin), format!("{own} calls, and its twin {twin}")))
}

enum Likeness {
    Same,
    /// Another choice that is worth the same.
    AsGood,
    Other,
}

fn compared(own: &Said, twin: &Said, view: &View, rounding: Option<f64>) -> Likeness {
    let same = |same: bool| if same { Likeness::Same } else { Likeness::Other };
    let (Said::Answered(own), Said::Answered(twin)) = (own, twin) else {
        return same(own == twin);
    };
    for (a, b) in own.iter().zip(twin) {
        let is_alike = |own: &[Number], twin: &[Number]| {
            own.len() == twin.len()
                && own.iter().zip(twin).all(|(a, b)| a.is_that_of(b, view, rounding))
        };
        if a.topic != b.topic || !is_alike(&a.worth, &b.worth) {
            return Likeness::Other;
        }
        match rounding {
            None if a.choice != b.choice || !is_alike(&a.others, &b.others) => {
                return Likeness::Other;
            }
            Some(share) if a.choice != b.choice => {
                let is_tie = a.tie.into_iter().chain(b.tie).any(|tie| tie <= share);
                return if is_tie { Likeness::AsGood } else { Likeness::Other };
            }
            _ => {}
        }
    }
    same(own.len() == twin.len())
}

impl Number {
    fn is_that_of(&self, twin: &Self, view: &View, rounding: Option<f64>) -> bool {
        let (a, b) = match self.of {
            Quantity::Outcome => (self.value, view.outcome_back(twin.value)),
            Quantity::Difference => (view.difference(self.value), twin.value),
            Quantity::Price => (self.value, view.price_back(twin.value)),
            Quantity::Any => (self.value, twin.value),
        };
        let near = |share: f64| (a - b).abs() <= share * (self.size + a.abs().max(b.abs()));
        self.of == twin.of
            && (same(a, b)
                || self.of == Quantity::Any && view.same_in_some_unit(a, b)
                || rounding.is_some_and(near))
    }
}

fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || are_saturated(a, b)
}

/// What a study said but how its models were fitted, which no event tells.
pub fn told(said: &impl Debug) -> String {
    let text = format!("{said:?}");
    let mut parts = text.split(", fit: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| {
        told + part.split_once(", basins: ").map_or(part, |(_, rest)| rest)
    })
}
