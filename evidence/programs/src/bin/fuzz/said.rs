//! What a study said, call by call, and whether another one said the same.

use std::fmt::Debug;

use gittins::{ErrorKind, Value, Verdict};

use crate::view::{View, are_saturated};

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// It was taken, and nothing came back.
    Taken,
    /// There was nothing that it could be about.
    Idle,
    Refused(ErrorKind),
    Asked(Vec<Asked>),
    Judged(Judged),
    Price(f64),
    Advised(Vec<Advice>),
    /// What a run in stages is to do.
    Heard(gittins::study::Advice),
}

/// A point that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The set, in a study of control sets.
    pub set: Option<usize>,
    pub values: Vec<Value>,
    pub unit: Vec<f64>,
    pub row: Option<usize>,
    /// Why: the stage of the run, and what the suggestion said.
    pub stage: &'static str,
    pub said: Option<Thought>,
}

/// What a suggestion said.
#[derive(Debug, Clone, PartialEq)]
pub struct Thought {
    /// The acquisition's value, in whatever unit it has.
    pub value: f64,
    /// Whether that is an outcome, which is turned with the direction and moves with the origin.
    pub is_outcome: bool,
    pub mean: f64,
    pub sd: f64,
    pub cost: f64,
    /// The price that the acquisition had, if it has one.
    pub price: Option<f64>,
    pub repeated: bool,
}

/// A verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub stop: bool,
    pub rule: String,
    pub statistic: f64,
    pub threshold: f64,
}

/// A piece of advice.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The set or the trial.
    pub which: usize,
    pub values: Vec<Value>,
    pub expected: f64,
    pub spreads: Vec<f64>,
}

impl From<&Verdict> for Judged {
    fn from(verdict: &Verdict) -> Self {
        let reason = verdict.reason();
        Self {
            stop: verdict.is_stop(),
            rule: reason.rule.clone(),
            statistic: reason.statistic,
            threshold: reason.threshold,
        }
    }
}

/// How exactly two studies are to agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exactness {
    /// To the bit.
    Bits,
    /// To rounding: of two points one may be chosen for the other where they are worth the same to
    /// this share.
    Rounded(f64),
}

/// The first call at which a twin, which saw the same in other units, said something else; and what
/// both said. With rounding a difference may be one of choice, after which the two go their own
/// ways.
pub fn difference(
    own: &[Said],
    twin: &[Said],
    view: &View,
    exactness: Exactness,
) -> Option<(usize, String)> {
    for (call, (a, b)) in own.iter().zip(twin).enumerate() {
        let same = match exactness {
            Exactness::Bits => exactly(a, b, view),
            Exactness::Rounded(share) => match nearly(a, b, view, share) {
                Likeness::Same => true,
                Likeness::AsGood => return None,
                Likeness::Other => false,
            },
        };
        if !same {
            return Some((
                call,
                format!("said\n    {a:?}\n  and its twin, in {view:?},\n    {b:?}"),
            ));
        }
    }
    (own.len() != twin.len()).then(|| {
        (own.len().min(twin.len()), format!("{} calls, and its twin {}", own.len(), twin.len()))
    })
}

fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || are_saturated(a, b)
}

fn exactly(own: &Said, twin: &Said, view: &View) -> bool {
    match (own, twin) {
        (Said::Asked(own), Said::Asked(twin)) => {
            own.len() == twin.len() && own.iter().zip(twin).all(|(a, b)| a.is_exactly(b, view))
        }
        (Said::Judged(own), Said::Judged(twin)) => {
            let alike = |a: f64, b: f64| view.same_in_some_unit(a, b);
            own.stop == twin.stop
                && own.rule == twin.rule
                && alike(own.statistic, twin.statistic)
                && alike(own.threshold, twin.threshold)
        }
        (Said::Price(own), Said::Price(twin)) => same(*own, view.price_back(*twin)),
        (Said::Advised(own), Said::Advised(twin)) => {
            let alike = |a: &Advice, b: &Advice| {
                (a.which, &a.values) == (b.which, &b.values)
                    && same(a.expected, view.outcome_back(b.expected))
                    && a.spreads.iter().zip(&b.spreads).all(|(a, b)| same(view.difference(*a), *b))
            };
            own.len() == twin.len() && own.iter().zip(twin).all(|(a, b)| alike(a, b))
        }
        (own, twin) => own == twin,
    }
}

impl Asked {
    fn is_place(&self, twin: &Self) -> bool {
        (self.set, &self.values, &self.unit, self.row, self.stage)
            == (twin.set, &twin.values, &twin.unit, twin.row, twin.stage)
    }

    fn is_exactly(&self, twin: &Self, view: &View) -> bool {
        let thought = |(own, twin): (&Thought, &Thought)| {
            let value = if own.is_outcome {
                same(own.value, view.outcome_back(twin.value))
            } else {
                view.same_in_some_unit(own.value, twin.value)
            };
            let cost = view.same_in_some_unit(own.cost, twin.cost);
            let belief = same(own.mean, view.outcome_back(twin.mean))
                && same(view.difference(own.sd), twin.sd);
            let price = own.price == twin.price.map(|price| view.price_back(price));
            value
                && cost
                && belief
                && price
                && own.is_outcome == twin.is_outcome
                && own.repeated == twin.repeated
        };
        self.is_place(twin)
            && self.said.is_some() == twin.said.is_some()
            && self.said.iter().zip(&twin.said).all(thought)
    }
}

/// How two answers compare where rounding may differ.
enum Likeness {
    Same,
    /// Another choice that is worth the same.
    AsGood,
    Other,
}

fn nearly(own: &Said, twin: &Said, view: &View, share: f64) -> Likeness {
    let near = |a: f64, b: f64, size: f64| {
        same(a, b) || (a - b).abs() <= share * (size + a.abs().max(b.abs()))
    };
    let liked = |same: bool| if same { Likeness::Same } else { Likeness::Other };
    match (own, twin) {
        (Said::Asked(own), Said::Asked(twin)) => {
            for (a, b) in own.iter().zip(twin) {
                let valued = match (&a.said, &b.said) {
                    (Some(a), Some(b)) => {
                        let (x, y) = if a.is_outcome {
                            (a.value, view.outcome_back(b.value))
                        } else {
                            (a.value, b.value)
                        };
                        near(x, y, a.sd)
                    }
                    (None, None) => true,
                    _ => false,
                };
                if !valued {
                    return Likeness::Other;
                }
                if !a.is_place(b) {
                    return liked_choice(a, b);
                }
            }
            liked(own.len() == twin.len())
        }
        (Said::Judged(a), Said::Judged(b)) => {
            let tie = near(a.statistic, a.threshold, 0.0) || near(b.statistic, b.threshold, 0.0);
            match (a.stop == b.stop && a.rule == b.rule, tie) {
                (true, _) => Likeness::Same,
                // One went on where the other stopped, or another rule spoke first.
                (false, true) => Likeness::AsGood,
                (false, false) => Likeness::Other,
            }
        }
        (Said::Price(a), Said::Price(b)) => liked(near(*a, view.price_back(*b), 0.0)),
        (Said::Advised(a), Said::Advised(b)) => {
            let expected = |(a, b): (&Advice, &Advice)| {
                near(a.expected, view.outcome_back(b.expected), a.spreads[0])
            };
            let spread = |(a, b): (&Advice, &Advice)| {
                a.spreads.iter().zip(&b.spreads).all(|(a, b)| near(*a, *b, 0.0))
            };
            match a.iter().zip(b).all(|(a, b)| (a.which, &a.values) == (b.which, &b.values)) {
                _ if a.len() != b.len() || !a.iter().zip(b).all(expected) => Likeness::Other,
                true => liked(a.iter().zip(b).all(spread)),
                false => Likeness::AsGood,
            }
        }
        (own, twin) => liked(own == twin),
    }
}

/// Two places of the same worth: both suggested.
fn liked_choice(own: &Asked, twin: &Asked) -> Likeness {
    if own.stage == twin.stage && own.said.is_some() { Likeness::AsGood } else { Likeness::Other }
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
