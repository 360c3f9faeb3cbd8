//! What must hold, by name, and the checks of what a study says that need no books.

use std::fmt;

use gittins::suggest::Suggestion;
use gittins::{Acquisition, Ask, Domain, ErrorKind, Pointwise, Result, Verdict};

use crate::world::World;
use crate::world::domain::{Axis, DomainSpec};

/// What must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    NoPanic,
    LegalCallsSucceed,
    IllegalCallsAreRefused,
    ErrorsHaveTheirKind,
    BadSettingsAreRefused,
    PointsAreInside,
    PointsAreNew,
    NumbersAreNumbers,
    ValuesAreOfTheirNumbers,
    StatisticsAreOfTheBooks,
    VerdictsHaveTheirForm,
    VerdictsRepeat,
    HistoryIsWhatWasTold,
    MoneyIsWhatWasPaid,
    CountsCount,
    BestIsBest,
    RecordIsTheBooks,
    RecordSurvives,
    RecordReplays,
    AdviceIsSound,
    SameCallsSameBits,
    ThreadsDoNotMatter,
    DirectionsAreMirrors,
    UnitsDoNotMatter,
    OriginDoesNotMatter,
    ErrorsAndLooksLeaveNoTrace,
    UniformIsConstant,
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPanic => "nothing panics",
            Self::LegalCallsSucceed => "what is legal succeeds",
            Self::IllegalCallsAreRefused => "what is illegal is refused",
            Self::ErrorsHaveTheirKind => "an error has the kind that its cause has",
            Self::BadSettingsAreRefused => "settings that make no sense are refused by name",
            Self::PointsAreInside => "values lie inside their bounds, whole where they must be, and tables have the row",
            Self::PointsAreNew => "what was told or is under way is not suggested again while something else is left",
            Self::NumbersAreNumbers => "what a suggestion says is a number",
            Self::ValuesAreOfTheirNumbers => "the value of a suggestion is that of its mean, deviation and cost",
            Self::StatisticsAreOfTheBooks => "the statistic of a simple rule follows from the books, and others lie where they must",
            Self::VerdictsHaveTheirForm => "a verdict is what its statistic says, and of the rule whose turn it is",
            Self::VerdictsRepeat => "asked again without news, a verdict repeats itself",
            Self::HistoryIsWhatWasTold => "the history is what was asked and told",
            Self::MoneyIsWhatWasPaid => "the money is what was paid",
            Self::CountsCount => "the counts count",
            Self::BestIsBest => "the best trial is the best, the first among equals",
            Self::RecordIsTheBooks => "the record is what was asked, told, paid and heard",
            Self::RecordSurvives => "a record survives JSON and cells to the last bit",
            Self::RecordReplays => "a record can be replayed, and ends where the run did",
            Self::AdviceIsSound => "advice is sorted, inside the bounds and made of numbers",
            Self::SameCallsSameBits => "the same calls give the same bits",
            Self::ThreadsDoNotMatter => "the number of threads does not matter to the bits",
            Self::DirectionsAreMirrors => "minimizing the negative is maximizing, to the bit",
            Self::UnitsDoNotMatter => "units that are powers of two decide nothing, to the bit",
            Self::OriginDoesNotMatter => "where outcomes have their zero decides nothing but by rounding",
            Self::ErrorsAndLooksLeaveNoTrace => "an error or a look leaves no trace in what comes later",
            Self::UniformIsConstant => "a cost that is the same everywhere may as well be given as a function",
        })
    }
}

/// What did not hold, and what came.
#[derive(Debug, Clone, PartialEq)]
pub struct Break {
    pub invariant: Invariant,
    pub detail: String,
    /// The call at which it showed.
    pub call: usize,
}

/// What a check comes to.
pub type Held<T = ()> = std::result::Result<T, Break>;

/// An invariant that must hold here; the call is filled in by whoever plays.
pub fn hold(holds: bool, invariant: Invariant, detail: impl FnOnce() -> String) -> Held {
    if holds { Ok(()) } else { Err(broken(invariant, detail())) }
}

pub fn broken(invariant: Invariant, detail: String) -> Break {
    Break { invariant, detail, call: 0 }
}

/// A result against what the books expect of it: `faults` are what is wrong with the call, one kind
/// of error for each, and `excuses` errors that the study's settings may lead to. `None` where it
/// was refused as it should be.
pub fn expected<T>(
    result: Result<T>,
    faults: &[ErrorKind],
    excuses: &[ErrorKind],
) -> Held<Option<T>> {
    match result {
        Ok(value) => {
            hold(faults.is_empty(), Invariant::IllegalCallsAreRefused, || {
                format!("expected one of {faults:?}, and it was taken")
            })?;
            Ok(Some(value))
        }
        Err(error) => {
            let known = faults.contains(&error.kind()) || excuses.contains(&error.kind());
            let invariant = if faults.is_empty() {
                Invariant::LegalCallsSucceed
            } else {
                Invariant::ErrorsHaveTheirKind
            };
            hold(known, invariant, || {
                format!("{:?}, expected one of {faults:?}: {error}", error.kind())
            })?;
            hold(!error.to_string().is_empty(), Invariant::ErrorsHaveTheirKind, || {
                format!("{:?} without a word", error.kind())
            })?;
            Ok(None)
        }
    }
}

/// Values inside their bounds, whole where they must be.
pub fn inside(axes: &[(String, Axis)], values: &[f64]) -> bool {
    let fits = |((_, axis), value): (&(String, Axis), &f64)| match *axis {
        Axis::Float(low, high) | Axis::Log(low, high) => (low..=high).contains(value),
        Axis::Int(low, high) => value.fract() == 0.0 && (low as f64..=high as f64).contains(value),
    };
    values.len() == axes.len() && axes.iter().zip(values).all(fits)
}

/// A point that was asked for: values and unit coordinates inside, and the one those of the other.
pub fn point(
    world: &World,
    domain: &Domain,
    values: &[f64],
    unit: &[f64],
    row: Option<usize>,
) -> Held {
    let found = || format!("values {values:?}, unit {unit:?}, row {row:?}");
    hold(unit.iter().all(|u| (0.0..=1.0).contains(u)), Invariant::PointsAreInside, found)?;
    let inside = match (&world.domain, domain, row) {
        (DomainSpec::Space(axes), Domain::Space(space), None) => {
            inside(axes, values) && space.numbers_at(unit) == values
        }
        (DomainSpec::Table { rows, .. }, Domain::Table(table), Some(row)) => {
            rows.get(row).is_some_and(|known| known == values) && table.points().row(row) == unit
        }
        _ => false,
    };
    hold(inside, Invariant::PointsAreInside, found)
}

/// The numbers of a suggestion.
pub fn suggestion(suggestion: &Suggestion, cost_known: bool) -> Held {
    let Suggestion { value, mean, sd, cost, jitter, .. } = suggestion;
    let numbers =
        value.is_finite() && mean.is_finite() && sd.is_finite() && *sd >= 0.0 && *jitter >= 0.0;
    let cost = if cost_known { cost.is_finite() && *cost > 0.0 } else { cost.is_nan() };
    let words = suggestion.to_string();
    hold(numbers && cost && !words.is_empty(), Invariant::NumbersAreNumbers, || {
        format!("{suggestion:?}")
    })?;
    let price = match suggestion.acquisition {
        Acquisition::Pointwise(Pointwise::Gittins { lambda }) => lambda.is_finite() && lambda > 0.0,
        _ => true,
    };
    hold(price, Invariant::NumbersAreNumbers, || format!("{:?}", suggestion.acquisition))
}

/// What an ask says of itself.
pub fn ask(ask: &Ask, names: &[&str]) -> Held {
    let named: Vec<(&str, f64)> =
        ask.named().map(|(name, value)| (name, value.number().unwrap_or(f64::NAN))).collect();
    let agrees = named.iter().map(|(name, _)| *name).eq(names.iter().copied())
        && names
            .iter()
            .zip(ask.numbers())
            .all(|(name, value)| ask.get::<f64>(name).is_ok_and(|got| got == *value))
        && ask.get::<f64>("nobody").is_err_and(|error| error.kind() == ErrorKind::UnknownParameter);
    hold(agrees, Invariant::PointsAreInside, || format!("names {names:?}, named {named:?}"))
}

/// A verdict by itself: a statistic and a threshold, firing as they say.
pub fn verdict(verdict: &Verdict, at_threshold: bool, speechless: bool) -> Held {
    let reason = verdict.reason();
    let (statistic, threshold) = (reason.statistic, reason.threshold);
    let below = statistic <= threshold;
    let numbers = (speechless || !statistic.is_nan()) && !threshold.is_nan();
    // A wrapper may hold a firing back, and never fires by itself.
    let form = if at_threshold { below == verdict.is_stop() } else { below || !verdict.is_stop() };
    let words = reason.to_string();
    let says = words.starts_with(if verdict.is_stop() { "stop: " } else { "continue: " });
    hold(
        numbers && form && says && !reason.rule.is_empty(),
        Invariant::VerdictsHaveTheirForm,
        || format!("{verdict:?}"),
    )
}
