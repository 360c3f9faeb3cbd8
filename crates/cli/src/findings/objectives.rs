//! How complete trials stand to the objectives beside the outcome.

use gittins::Study;
use gittins::data::Direction;
use gittins::study::{Objective, TrialState};
use serde_json::{Map, Value as Json, json};

use crate::words::show;

/// From so many numbers on, all of which are the same, something is probably wrong with them.
const SAME: usize = 5;

/// What complete trials say of one objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// The name of the number.
    pub name: String,
    /// What is wanted of it.
    objective: Objective,
    /// The smallest and the largest number; none if it was never measured.
    range: Option<(f64, f64)>,
    /// In how many trials it was measured.
    measured: usize,
    /// In how many it was not.
    unmeasured: usize,
}

impl Tally {
    /// Whether it cannot be right: it was never measured, or is always the same.
    pub fn is_wrong(&self) -> bool {
        match self.range {
            Some((least, most)) => self.measured >= SAME && least == most,
            None => self.unmeasured > 0,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        let Self { name, measured, unmeasured, .. } = self;
        let direction = match self.objective.direction() {
            Direction::Minimize => "minimized",
            Direction::Maximize => "maximized",
        };
        let all = measured + unmeasured;
        let said = match self.range {
            None if all == 0 => "no trial is complete yet".to_owned(),
            None => format!("never measured in {all} complete trials"),
            Some((least, most)) if least == most && *measured > 1 => {
                let least = show::number(least);
                format!("{least} in all {measured} trials that measured it, so it changes nothing")
            }
            Some((least, most)) => {
                format!("from {} to {}", show::number(least), show::number(most))
            }
        };
        match (self.range, unmeasured) {
            (Some(_), 1..) => {
                format!("{name}, {direction}: {said}; not measured in {unmeasured} of {all}")
            }
            _ => format!("{name}, {direction}: {said}"),
        }
    }
}

/// What complete trials say of each objective beside the outcome.
pub fn tallies(study: &Study) -> Vec<Tally> {
    let complete = || study.history().iter().filter(|trial| trial.state == TrialState::Complete);
    let tally = |(name, objective): (&str, Objective)| {
        let numbers: Vec<f64> = complete()
            .filter_map(|trial| trial.measured.get(name))
            .filter(|number| number.is_finite())
            .collect();
        let first = numbers.first().map(|first| (*first, *first));
        let range =
            |(least, most): (f64, f64), number: &f64| (least.min(*number), most.max(*number));
        Tally {
            name: name.to_owned(),
            objective,
            range: first.map(|first| numbers.iter().fold(first, range)),
            measured: numbers.len(),
            unmeasured: complete().count() - numbers.len(),
        }
    };
    study.objectives().map(tally).collect()
}

/// The objectives for a program: directions and references, and in how many complete trials each
/// was measured.
pub fn json_of(study: &Study) -> Json {
    let one = |tally: Tally| {
        let mut object = json!(tally.objective);
        object["measured"] = json!(tally.measured);
        object["not_measured"] = json!(tally.unmeasured);
        (tally.name, object)
    };
    tallies(study).into_iter().map(one).collect::<Map<_, _>>().into()
}
