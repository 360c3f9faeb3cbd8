//! Numbers that were measured beside the outcome, and what is wanted of them.

use gittins::study::{Limit, Measured as Told, Objective};
use gittins::{Outcome, Study, Trial};
use serde_json::{Map, Value as Json, json};

use crate::words::show;

/// What is wanted of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// It must hold this.
    Limit(Limit),
    /// It is to be made small or large as well.
    Objective(Objective),
}

/// A number of which something is wanted, as it was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// What is wanted of it.
    pub aim: Aim,
    /// The number; none if it was not measured.
    pub number: Option<f64>,
}

impl Measured {
    /// The limit on it, if there is one.
    pub fn limit(&self) -> Option<Limit> {
        match self.aim {
            Aim::Limit(limit) => Some(limit),
            Aim::Objective(_) => None,
        }
    }

    /// The number, with a mark if it breaks its limit.
    pub fn words(&self) -> String {
        let Some(number) = self.number else { return format!("{} not measured", self.name) };
        let mark = match self.limit() {
            Some(limit) if limit.holds(number) => String::new(),
            Some(Limit::AtLeast(bound)) => format!(" (under {})", show::number(bound)),
            Some(limit) => format!(" (over {})", show::number(limit.bound())),
            None => String::new(),
        };
        format!("{} {}{mark}", self.name, self.shown(number))
    }

    /// A number, with all its digits if fewer would make it the bound that it breaks.
    fn shown(&self, number: f64) -> String {
        let short = show::number(number);
        match self.limit() {
            Some(limit) if short == show::number(limit.bound()) && !limit.holds(number) => {
                show::exact(number)
            }
            _ => short,
        }
    }

    /// The number, and its limit whether it holds or not.
    pub fn with_limit(&self) -> String {
        let (Some(number), Some(limit)) = (self.number, self.limit()) else { return self.words() };
        let breaks = if limit.holds(number) { "" } else { "not " };
        format!("{} {} ({breaks}{})", self.name, self.shown(number), limit_words(limit))
    }

    /// An outcome with the number. One that could not be measured is told as NaN.
    pub fn tell(&self, outcome: Outcome) -> Outcome {
        outcome.measured(&self.name, self.number.unwrap_or(f64::NAN))
    }

    /// What a trial misses in which it was not measured.
    pub fn missed(&self) -> &'static str {
        match self.aim {
            Aim::Limit(_) => "which holds no limit then",
            Aim::Objective(_) => "which is on no front then",
        }
    }
}

/// A limit in words.
pub fn limit_words(limit: Limit) -> String {
    let bound = show::number(limit.bound());
    match limit {
        Limit::AtLeast(_) => format!("at least {bound}"),
        _ => format!("at most {bound}"),
    }
}

/// Names and what is wanted of them, those with limits first, each kind sorted by name.
pub fn aims(study: &Study) -> impl Iterator<Item = (&str, Aim)> {
    let limits = study.limits().map(|(name, limit)| (name, Aim::Limit(limit)));
    limits.chain(study.objectives().map(|(name, one)| (name, Aim::Objective(one))))
}

/// What was measured of a trial, in the order of [`aims`].
pub fn of(study: &Study, measured: &Told) -> impl Iterator<Item = Measured> {
    aims(study).map(|(name, aim)| Measured {
        name: name.to_owned(),
        aim,
        number: measured.get(name).filter(|number| number.is_finite()),
    })
}

/// Whether each number of a trial was measured.
pub fn are_measured(study: &Study, trial: &Trial) -> bool {
    of(study, &trial.measured).all(|measured| measured.number.is_some())
}

/// Whether all limits hold. A number that was not measured holds none.
pub fn hold(study: &Study, measured: &Told) -> bool {
    study.limits().all(|(name, limit)| limit.holds(measured.get(name).unwrap_or(f64::NAN)))
}

/// Adds what was measured to the object of a trial, and if there are limits, whether all of them
/// hold, as far as it is known. Of a complete trial a number that was not measured holds nothing.
pub fn add_to(object: &mut Json, study: &Study, measured: &Told, is_complete: bool) {
    let numbers: Map<_, _> = of(study, measured).map(|one| (one.name, json!(one.number))).collect();
    if numbers.is_empty() {
        return;
    }
    object["measured"] = numbers.into();
    if study.limits().len() > 0 {
        let slack = |(name, limit): (&str, Limit)| Some(limit.slack(measured.get(name)?));
        let breaks = study.limits().filter_map(slack).any(|slack| slack < 0.0);
        let holds = hold(study, measured);
        object["holds"] = json!((is_complete || breaks).then_some(holds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_shown_with_a_mark_if_it_breaks_its_limit() {
        let one =
            |limit, number| Measured { name: "size".to_owned(), aim: Aim::Limit(limit), number };
        let most = Limit::at_most(20.0);
        let least = Limit::at_least(0.9);
        for (limit, number, words, with_limit) in [
            (most, Some(20.0), "size 20", "size 20 (at most 20)"),
            (most, Some(25.5), "size 25.5 (over 20)", "size 25.5 (not at most 20)"),
            (most, Some(20.000001), "size 20.000001 (over 20)", "size 20.000001 (not at most 20)"),
            (least, Some(0.95), "size 0.95", "size 0.95 (at least 0.9)"),
            (least, Some(0.85), "size 0.85 (under 0.9)", "size 0.85 (not at least 0.9)"),
            (most, None, "size not measured", "size not measured"),
        ] {
            let one = one(limit, number);
            assert_eq!((one.words().as_str(), one.with_limit().as_str()), (words, with_limit));
        }
    }

    #[test]
    fn a_number_that_is_an_objective_has_no_mark() {
        let aim = Aim::Objective(Objective::minimize().reference(1.0));
        let one = Measured { name: "size".to_owned(), aim, number: Some(25.5) };
        assert_eq!((one.words(), one.with_limit()), ("size 25.5".into(), "size 25.5".into()));
        assert!(one.missed().contains("front"));
    }
}
