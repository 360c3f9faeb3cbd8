//! Control sets: their settings in a file, and what Optuna sees of them.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::{Filed, Page, ended};
use crate::data::{Direction, Domain, TrialId, Value};
use crate::error::Result;
use crate::journal::operation::{FAIL, RUNNING, TRIAL_PARAM, TRIAL_USER_ATTR};
use crate::journal::said::{CONTROL_SETS, COST, json_of};
use crate::study::{Changing, Event, Outcome};
use crate::subsets::law::Law;
use crate::subsets::sets::Priced;
use crate::subsets::study::SubsetStudy;
use crate::subsets::{SubsetEvent, SubsetStudyBuilder};

/// The user attribute of a trial that has the name of its set.
const SET: &str = "control_set";

impl Filed for SubsetStudy {
    type Builder = SubsetStudyBuilder;
    type Event = SubsetEvent;
    const SETTINGS: &'static str = CONTROL_SETS;
    const OF: &'static str = "control sets";

    fn settings(builder: &SubsetStudyBuilder) -> Result<Json> {
        let (direction, space, sets) = builder.parts();
        let (sets, laws) = sets.parts();
        let set = |(name, variables, cost): &Priced| json!({"name": name, "variables": variables, "cost": cost});
        let sets: Vec<Json> = sets.iter().map(set).collect();
        let laws: BTreeMap<&str, Json> =
            laws.iter().map(|(variable, law)| (variable.as_str(), law_of(law))).collect();
        Ok(json!({"direction": json_of(&direction)?, "space": json_of(space)?, "sets": sets,
            "laws": laws}))
    }

    fn resumed(builder: &SubsetStudyBuilder, events: Vec<SubsetEvent>) -> Result<Self> {
        builder.clone().resume(events)
    }

    fn follow(&mut self, event: SubsetEvent) -> Result<()> {
        self.happens(event)
    }

    fn events(&self) -> &[SubsetEvent] {
        Self::events(self)
    }

    fn count(&self) -> usize {
        self.history().len()
    }

    fn enters(event: &SubsetEvent) -> bool {
        event.enters()
    }

    fn domain(&self) -> &Domain {
        Self::domain(self)
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn direction(&self) -> Direction {
        self.books.direction()
    }

    fn seen(&self, event: &SubsetEvent, page: &mut Page<'_>) -> Result<()> {
        match event {
            Event::Asked { .. } => {
                let trial = &self.history()[page.next];
                let set = trial.set.map(|set| &self.sets().sets()[set]);
                let values: Vec<Value> = trial.chosen.iter().copied().map(Value::from).collect();
                let controlled = set.into_iter().flat_map(|set| set.controlled.iter().copied());
                let placed = page.placed(controlled.zip(&values));
                let name = set.map(|set| (SET.to_owned(), json!(set.name)));
                page.make(placed, RUNNING, None, Map::from_iter(name));
            }
            Event::Announced { .. } => page.make(Default::default(), RUNNING, None, Map::new()),
            Event::Imported { values, outcome } => page.imported(values, outcome),
            Event::Told { trial, values, outcome } => self.told(*trial, values, outcome, page),
            Event::Withdrawn { trial } => {
                if let Some((trial, _)) = page.open(trial.index()) {
                    page.lines.push(page.pen.end_of(trial, FAIL, None));
                }
            }
            Event::Judged { judgment } => page.judged(&judgment.verdict),
            // Optuna takes no change of a trial that has ended, and needs no fits.
            _ => {}
        }
        Ok(())
    }
}

fn law_of(law: &Law) -> Json {
    match law {
        Law::Uniform => json!("uniform"),
        Law::TruncatedNormal { mean, scale } => json!({"normal": {"mean": mean, "scale": scale}}),
        Law::Centered { variance } => json!({"centered": variance}),
        Law::Samples(values) => json!({"samples": values.to_vec()}),
    }
}

impl SubsetStudy {
    /// What was told of a trial: the values that nature drew, the cost, and how it ended.
    fn told(&self, id: TrialId, values: &[Value], outcome: &Outcome, page: &mut Page<'_>) {
        let Some((trial, entry)) = page.open(id.index()) else { return };
        let known = |name: &str| entry.parameters.iter().any(|(known, ..)| known == name);
        let drawn = values.iter().enumerate().filter(|(at, _)| !known(&self.names[*at]));
        let (numbers, distributions) = page.placed(drawn);
        for name in self.names.iter() {
            if let (Some(value), Some(distribution)) = (numbers.get(name), distributions.get(name))
            {
                let line = json!({"trial_id": trial, "param_name": name,
                    "param_value_internal": value, "distribution": distribution});
                page.lines.push(page.pen.line(TRIAL_PARAM, line));
            }
        }
        if let Some(cost) = self.history()[id.index()].cost {
            page.lines.push(page.pen.of_trial(TRIAL_USER_ATTR, trial, COST, json!(cost)));
        }
        let (state, value) = ended(outcome);
        page.lines.push(page.pen.end_of(trial, state, value));
    }
}
