//! What must hold, by name, and the checks of what a study says that need no log.

use std::fmt;

use gittins::suggest::Suggestion;
use gittins::{
    Acquisition, Ask, Domain, ErrorKind, Pointwise, Result, Space, Trial, Value, Verdict,
};

use crate::world::World;
use crate::world::domain::DomainSpec;

macro_rules! invariants {
    ($($name:ident = $words:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Invariant {
            $($name,)*
        }

        impl fmt::Display for Invariant {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$name => $words,)*
                })
            }
        }
    };
}

invariants! {
    NoPanic = "nothing panics",
    LegalCallsSucceed = "what is legal succeeds",
    IllegalCallsAreRefused = "what is illegal is refused",
    ErrorsHaveTheirKind = "an error has the kind that its cause has",
    BadSettingsAreRefused = "settings that make no sense are refused by name",
    PointsAreInside = "values lie inside their bounds, whole where they must be, and tables have the row",
    PointsAreNew = "what was told or is pending is not suggested again while something else is left",
    NumbersAreNumbers = "what a suggestion says is a number",
    ValuesAreOfTheirNumbers = "the value of a suggestion is that of its mean, deviation and cost",
    StatisticsAreOfTheLog = "the statistic of a simple rule follows from the log, and others lie where they must",
    VerdictsHaveTheirForm = "a verdict is what its statistic says, and of the rule whose turn it is",
    VerdictsRepeat = "asked again without news, a verdict repeats itself",
    HistoryIsWhatWasTold = "the history is what was asked and told",
    MoneyIsWhatWasPaid = "the money is what was paid",
    CountsCount = "the counts count",
    BestIsBest = "the best trial is the best, the first among equals",
    RecordIsTheLog = "the record is what was asked, told, paid and heard",
    RecordSurvives = "a record survives JSON and cells to the last bit",
    RecordReplays = "a record can be replayed, and ends where the run did",
    EventsAreTheStudy = "what a study is made of again from its events says and shows what the study does",
    AdviceIsSound = "advice is sorted, inside the bounds and made of numbers",
    SameCallsSameBits = "the same calls give the same bits",
    ThreadsDoNotMatter = "the number of threads does not matter to the bits",
    DirectionsAreMirrors = "minimizing the negative is maximizing, to the bit",
    UnitsDoNotMatter = "units that are powers of two decide nothing, to the bit",
    OriginDoesNotMatter = "where outcomes have their zero decides nothing but by rounding",
    ErrorsAndLooksLeaveNoTrace = "an error or a look leaves no trace in what comes later",
    UniformIsConstant = "a cost that is the same everywhere may as well be given as a function",
}

/// What did not hold, and what came.
#[derive(Debug, Clone, PartialEq)]
pub struct Break {
    pub invariant: Invariant,
    pub detail: String,
    /// The call at which it showed.
    pub call: usize,
}

pub type Held<T = ()> = std::result::Result<T, Break>;

/// An invariant that must hold here; the call is filled in by whoever plays.
pub fn hold(holds: bool, invariant: Invariant, detail: impl FnOnce() -> String) -> Held {
    if holds { Ok(()) } else { Err(broken(invariant, detail())) }
}

/// The same for an invariant by its name, with the words of what came.
macro_rules! must {
    ($holds:expr, $invariant:ident, $($words:tt)+) => {{
        let invariant = $crate::invariants::Invariant::$invariant;
        $crate::invariants::hold($holds, invariant, || format!($($words)+))
    }};
}
pub(crate) use must;

pub fn broken(invariant: Invariant, detail: String) -> Break {
    Break { invariant, detail, call: 0 }
}

/// A result against what the log expect of it: `faults` are what is wrong with the call, one kind
/// of error for each, and `excuses` errors that the study's settings may lead to. `None` where it
/// was refused as it should be.
pub fn expected<T>(
    result: Result<T>,
    faults: &[ErrorKind],
    excuses: &[ErrorKind],
) -> Held<Option<T>> {
    match result {
        Ok(value) => {
            let legal = faults.is_empty();
            must!(legal, IllegalCallsAreRefused, "expected one of {faults:?}, and it was taken")?;
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
            let words = !error.to_string().is_empty();
            must!(words, ErrorsHaveTheirKind, "{:?} without a word", error.kind())?;
            Ok(None)
        }
    }
}

/// A point that was asked for: values and unit coordinates inside, and the one those of the other.
pub fn point(world: &World, domain: &Domain, trial: &Trial) -> Held {
    let Trial { values, unit, row, .. } = trial;
    let found = || format!("values {values:?}, unit {unit:?}, row {row:?}");
    let cube = unit.len() == world.domain.dim() && unit.iter().all(|u| (0.0..=1.0).contains(u));
    hold(cube, Invariant::PointsAreInside, found)?;
    let inside = match (&world.domain, domain, row) {
        (DomainSpec::Table { rows, .. }, Domain::Table(table), Some(row)) => {
            rows.get(*row).is_some_and(|known| known == values) && table.points().row(*row) == unit
        }
        (DomainSpec::Space(own), Domain::Space(space), None) => {
            // Values that are those of a point are possible, and lead back to it.
            let back = space.to_unit(values);
            let near = back.as_ref().is_ok_and(|back| {
                let gaps = back.iter().zip(unit).map(|(a, b)| (a - b).abs());
                gaps.zip(own.rounding()).all(|(gap, rounding)| gap <= rounding)
            });
            must!(near, PointsAreInside, "{}, and back at {back:?}", found())?;
            own.typed(values).as_ref() == Some(values)
                && space.values_at(unit) == *values
                && space.admits(unit)
                && snapped(space, unit) == *unit
        }
        _ => false,
    };
    hold(inside, Invariant::PointsAreInside, found)
}

fn snapped(space: &Space, unit: &[f64]) -> Vec<f64> {
    let mut unit = unit.to_vec();
    space.snap(&mut unit);
    unit
}

/// A space against what is known of it: at points of the cube, whether they are possible or not.
pub fn cube(world: &World, domain: &Domain, points: &[Vec<f64>]) -> Held {
    let (found, expected) = (domain.dim(), world.domain.dim());
    must!(found == expected, PointsAreInside, "{found} columns, expected {expected}")?;
    let (DomainSpec::Space(own), Domain::Space(space)) = (&world.domain, domain) else {
        return Ok(());
    };
    for unit in points {
        let once = snapped(space, unit);
        let values = space.values_at(unit);
        let agrees = snapped(space, &once) == once
            && space.values_at(&once) == values
            && own.typed(&values).is_some() == space.admits(unit)
            && space.to_unit(&values).is_ok() == space.admits(unit);
        must!(agrees, PointsAreInside, "{unit:?} snapped to {once:?}, with values {values:?}")?;
    }
    Ok(())
}

pub fn suggestion(suggestion: &Suggestion, cost_known: bool, doubts: bool) -> Held {
    let Suggestion { value, mean, sd, cost, jitter, usable, .. } = suggestion;
    let numbers = usable.is_none_or(|p| doubts && (0.0..=1.0).contains(&p));
    let numbers = numbers
        && value.is_finite()
        && mean.is_finite()
        && sd.is_finite()
        && *sd >= 0.0
        && *jitter >= 0.0;
    let cost = if cost_known { cost.is_finite() && *cost > 0.0 } else { cost.is_nan() };
    let words = suggestion.to_string();
    must!(numbers && cost && !words.is_empty(), NumbersAreNumbers, "{suggestion:?}")?;
    let price = match suggestion.acquisition {
        Acquisition::Pointwise(Pointwise::Gittins { lambda }) => lambda.is_finite() && lambda > 0.0,
        _ => true,
    };
    must!(price, NumbersAreNumbers, "{suggestion:?}")
}

pub fn ask(world: &World, ask: &Ask, names: &[&str]) -> Held {
    let codes = world.domain.codes(ask.values());
    let same = |a: &f64, b: &f64| a == b || (a.is_nan() && b.is_nan());
    let numbers = codes.len() == ask.numbers().len()
        && codes.iter().zip(ask.numbers()).all(|(a, b)| same(a, b));
    let read = |(name, value): (&str, &Value)| match value {
        Value::Float(number) => ask.get::<f64>(name) == Ok(*number),
        Value::Int(whole) => {
            ask.get::<i64>(name) == Ok(*whole) && ask.get::<f64>(name) == Ok(*whole as f64)
        }
        Value::Flag(flag) => ask.get::<bool>(name) == Ok(*flag),
        Value::Name(word) => ask.choice(name) == Ok(&**word),
        _ => ask.get::<Option<f64>>(name) == Ok(None) && ask.get::<f64>(name).is_err(),
    };
    let agrees = ask.named().map(|(name, _)| name).eq(names.iter().copied())
        && ask.named().map(|(_, value)| value).eq(ask.values())
        && ask.named().all(read)
        && ask.get::<f64>("nobody").is_err_and(|error| error.kind() == ErrorKind::UnknownParameter);
    must!(numbers && agrees, PointsAreInside, "names {names:?}, {ask:?}")
}

pub fn verdict(verdict: &Verdict, at_threshold: bool, speechless: bool) -> Held {
    let reason = verdict.reason();
    let (statistic, threshold) = (reason.statistic, reason.threshold);
    let below = statistic <= threshold;
    let numbers = (speechless || !statistic.is_nan()) && !threshold.is_nan();
    // A wrapper may hold a firing back, and never fires by itself.
    let form = if at_threshold { below == verdict.is_stop() } else { below || !verdict.is_stop() };
    let words = reason.to_string();
    let says = words.starts_with(if verdict.is_stop() { "stop: " } else { "continue: " });
    let sound = numbers && form && says && !reason.rule.is_empty();
    must!(sound, VerdictsHaveTheirForm, "{verdict:?}")
}

/// The verdict of a study in stages by itself: an index that is best may be worth its price and
/// still too little have been seen.
pub fn verdict_in_stages(verdict: &Verdict) -> Held {
    let reason = verdict.reason();
    let words = reason.to_string();
    let says = words.starts_with(if verdict.is_stop() { "stop: " } else { "continue: " });
    must!(says, VerdictsHaveTheirForm, "{verdict:?}")?;
    let finite = !reason.statistic.is_infinite() || reason.rule == "stages";
    must!(finite, NumbersAreNumbers, "{verdict:?}")
}
