//! How complete trials stand to the limits on measured numbers.

use gittins::Study;
use gittins::study::{Limit, TrialState};
use serde_json::{Map, Value as Json, json};

use crate::findings::measured::limit_words;
use crate::words::show;

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
