//! The lines of a study that are written.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use crate::data::{Direction, ParameterKind, Value};
use crate::journal::distribution::Distribution;
use crate::journal::operation::{
    CREATE_STUDY, CREATE_TRIAL, MAXIMIZE, MINIMIZE, RUNNING, STUDY_SYSTEM_ATTR, STUDY_USER_ATTR,
    TRIAL_STATE, TRIAL_USER_ATTR, line_of,
};

/// The values of a trial as Optuna has them: numbers that stand for them, and distributions.
pub(super) type Placed = (HashMap<String, f64>, HashMap<String, String>);

/// Who writes, and for which study of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordWriter<'a> {
    pub worker: &'a str,
    pub study_index: usize,
}

impl RecordWriter<'_> {
    pub(super) fn line(self, code: u64, rest: Json) -> String {
        line_of(code, self.worker, rest.as_object().unwrap_or(&Map::new()))
    }

    /// An attribute of the study.
    pub fn of_study(self, code: u64, key: &str, value: Json) -> String {
        let kind = if code == STUDY_USER_ATTR { "user_attr" } else { "system_attr" };
        self.line(code, json!({"study_id": self.study_index, kind: {key: value}}))
    }

    /// An attribute of a trial.
    pub fn of_trial(self, code: u64, trial: usize, key: &str, value: Json) -> String {
        let kind = if code == TRIAL_USER_ATTR { "user_attr" } else { "system_attr" };
        self.line(code, json!({"trial_id": trial, kind: {key: value}}))
    }

    /// The end of a trial.
    pub fn end_of(self, trial: usize, state: u64, value: Option<f64>) -> String {
        let values = value.map(|value| vec![value]);
        let rest = json!({"trial_id": trial, "state": state, "values": values, "datetime_complete": now()});
        self.line(TRIAL_STATE, rest)
    }

    /// A trial that is made, with attributes of the user and of ours.
    pub fn made(
        self,
        (parameters, distributions): Placed,
        state: u64,
        value: Option<f64>,
        user: Map<String, Json>,
        own: Map<String, Json>,
    ) -> String {
        let mut rest = json!({"study_id": self.study_index, "datetime_start": now(),
            "state": state, "value": value, "values": null, "params": parameters,
            "distributions": distributions, "user_attrs": user, "system_attrs": own,
            "intermediate_values": {}});
        if state != RUNNING {
            rest["datetime_complete"] = json!(now());
        }
        self.line(CREATE_TRIAL, rest)
    }

    /// The lines that make the study, with its settings as an attribute.
    pub fn new_study(
        self,
        name: &str,
        direction: Direction,
        settings: (&str, &Json),
    ) -> Vec<String> {
        let direction = match direction {
            Direction::Minimize => MINIMIZE,
            Direction::Maximize => MAXIMIZE,
        };
        vec![
            self.line(CREATE_STUDY, json!({"study_name": name, "directions": [direction]})),
            self.of_study(STUDY_SYSTEM_ATTR, settings.0, settings.1.clone()),
        ]
    }
}

/// Values as the file has them, each with its parameter, its distribution, and its kind in a space.
/// The distribution is like that which the file had `first` for the parameter.
pub(super) fn placed<'a>(
    values: impl Iterator<Item = (&'a str, &'a Value, &'a Distribution, Option<&'a ParameterKind>)>,
    first: Option<&HashMap<String, (usize, Arc<Distribution>)>>,
) -> Placed {
    let mut placed = Placed::default();
    for (name, value, own, kind) in values {
        let theirs = first.and_then(|first| first.get(name)).map(|(_, theirs)| theirs);
        let distribution =
            theirs.map_or_else(|| own.clone(), |theirs| own.in_manner_of(theirs, kind));
        if let Some(value) = distribution.internal(value) {
            placed.0.insert(name.to_owned(), value);
            placed.1.insert(name.to_owned(), distribution.write());
        }
    }
    placed
}

/// The present moment as Optuna writes it.
pub(super) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}
