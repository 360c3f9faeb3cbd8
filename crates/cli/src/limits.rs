//! Numbers that were measured beside the outcome, and how they stand to their limits.

use gittins::study::{Limit, Measured as Told, TrialState};
use gittins::{Study, Trial};
use serde_json::{Map, Value as Json, json};

use crate::show;

/// A number on which there is a limit, as it was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// What it must hold.
    pub limit: Limit,
    /// The number; none if it was not measured.
    pub number: Option<f64>,
}

impl Measured {
    /// The number, with a mark if it breaks its limit.
    pub fn words(&self) -> String {
        let Some(number) = self.number else { return format!("{} not measured", self.name) };
        let mark = match self.limit {
            limit if limit.holds(number) => String::new(),
            Limit::AtLeast(bound) => format!(" (under {})", show::number(bound)),
            limit => format!(" (over {})", show::number(limit.bound())),
        };
        format!("{} {}{mark}", self.name, self.shown(number))
    }

    /// A number, with all its digits if fewer would make it the bound that it breaks.
    fn shown(&self, number: f64) -> String {
        let [short, bound] = [number, self.limit.bound()].map(show::number);
        match short == bound && !self.limit.holds(number) {
            true => show::exact(number),
            false => short,
        }
    }

    /// The number, and its limit whether it holds or not.
    pub fn with_limit(&self) -> String {
        let Some(number) = self.number else { return self.words() };
        let breaks = if self.limit.holds(number) { "" } else { "not " };
        let bound = limit_words(self.limit);
        format!("{} {} ({breaks}{bound})", self.name, self.shown(number))
    }
}

/// A limit in words.
fn limit_words(limit: Limit) -> String {
    let bound = show::number(limit.bound());
    match limit {
        Limit::AtLeast(_) => format!("at least {bound}"),
        _ => format!("at most {bound}"),
    }
}

/// What was measured of a trial, for each limit in order.
pub fn of(study: &Study, measured: &Told) -> impl Iterator<Item = Measured> {
    study.limits().map(|(name, limit)| Measured {
        name: name.to_owned(),
        limit,
        number: measured.get(name).filter(|number| number.is_finite()),
    })
}

/// Whether each number of a trial was measured.
pub fn are_measured(study: &Study, trial: &Trial) -> bool {
    of(study, &trial.measured).all(|measured| measured.number.is_some())
}

/// Adds what was measured to the object of a trial, and whether all limits hold, as far as it is
/// known; nothing if there are no limits. Of a complete trial a number that was not measured holds
/// nothing.
pub fn add_to(object: &mut Json, study: &Study, measured: &Told, is_complete: bool) {
    if study.limits().len() == 0 {
        return;
    }
    let all: Vec<Measured> = of(study, measured).collect();
    let holds = all.iter().all(|one| one.number.is_some_and(|number| one.limit.holds(number)));
    let breaks = all.iter().any(|one| one.number.is_some_and(|number| !one.limit.holds(number)));
    let numbers = all.into_iter().map(|one| (one.name, json!(one.number)));
    object["measured"] = numbers.collect::<Map<_, _>>().into();
    object["holds"] = json!((is_complete || breaks).then_some(holds));
}

/// How complete trials stand to one limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// The name of the number.
    pub name: String,
    /// What it must hold.
    pub limit: Limit,
    /// How many hold it.
    pub held: usize,
    /// How many break it.
    pub broken: usize,
    /// In how many it was not measured.
    pub unmeasured: usize,
    /// The number that is nearest to the bound if none holds it.
    nearest: Option<f64>,
}

impl Tally {
    /// The complete trials.
    pub fn complete(&self) -> usize {
        self.held + self.broken + self.unmeasured
    }

    /// In words.
    pub fn words(&self) -> String {
        let Self { name, held, unmeasured, .. } = self;
        let limit = format!("{name} {}", limit_words(self.limit));
        match (self.complete(), self.nearest) {
            (0, _) => format!("{limit}: no trial is complete yet"),
            (all, _) if all == *unmeasured => {
                format!("{limit}: never measured in {all} complete trials")
            }
            (all, nearest) => {
                let held = match nearest.filter(|_| *held == 0) {
                    Some(nearest) => {
                        format!("never held, the nearest is {}", show::number(nearest))
                    }
                    None => format!("held by {held} of {all} complete trials"),
                };
                match unmeasured {
                    0 => format!("{limit}: {held}"),
                    count => format!("{limit}: {held}; not measured in {count} of {all}"),
                }
            }
        }
    }
}

/// How complete trials stand to each limit.
pub fn tallies(study: &Study) -> Vec<Tally> {
    let complete = || study.history().iter().filter(|trial| trial.state == TrialState::Complete);
    let tally = |(name, limit): (&str, Limit)| {
        let slacks: Vec<f64> = complete()
            .map(|trial| trial.measured.get(name).map_or(f64::NAN, |number| limit.slack(number)))
            .collect();
        let count = |is: fn(f64) -> bool| slacks.iter().filter(|slack| is(**slack)).count();
        let numbers = complete().filter_map(|trial| trial.measured.get(name));
        let numbers = numbers.filter(|number| number.is_finite());
        Tally {
            name: name.to_owned(),
            limit,
            held: count(|slack| slack >= 0.0),
            broken: count(|slack| slack < 0.0),
            unmeasured: count(f64::is_nan),
            nearest: numbers.max_by(|a, b| limit.slack(*a).total_cmp(&limit.slack(*b))),
        }
    };
    study.limits().map(tally).collect()
}

/// The limits for a program: bounds, and how complete trials stand to them.
pub fn json_of(study: &Study) -> Json {
    let tallies = tallies(study).into_iter();
    let one = |tally: Tally| {
        let mut object = json!(tally.limit);
        object["held"] = json!(tally.held);
        object["broken"] = json!(tally.broken);
        object["not_measured"] = json!(tally.unmeasured);
        (tally.name, object)
    };
    tallies.map(one).collect::<Map<_, _>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_shown_with_a_mark_if_it_breaks_its_limit() {
        let one = |limit, number| Measured { name: "size".to_owned(), limit, number };
        let (most, least) = (Limit::at_most(20.0), Limit::at_least(0.9));
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
}
