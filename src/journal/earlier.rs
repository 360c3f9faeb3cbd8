//! What earlier versions wrote in other words.

use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use crate::data::{Space, TrialId};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::said::{SETTINGS, Told, read};
use crate::study::{Described, Event, StudySpec};

/// Of a study in stages: its settings.
const STAGES: &str = "gittins:stages";
/// Of a study of control sets: its settings.
const CONTROL_SETS: &str = "gittins:control_sets";
/// Of a trial in stages: its number in the study.
pub(super) const RUN: &str = "gittins:run";
/// Of the study, followed by a colon and the number of a trial. It had ended, unless it says how
/// the trial was chosen.
const TOLD: &str = "gittins:told";
const CHOICE: &str = "gittins:choice";
const CORRECTED: &str = "gittins:corrected";
const WITHDRAWN: &str = "gittins:withdrawn";
const PAID_LATER: &str = "gittins:paid_later";

/// The settings that an attribute has; none for one of something else.
///
/// # Errors
/// `Data` for settings that cannot be read; `InvalidSetting` for those of control sets.
pub(super) fn settings(key: &str, value: &RawValue) -> Option<Result<Described>> {
    match key {
        SETTINGS => Some(read(key, value)),
        STAGES => Some(read(key, value).and_then(in_stages)),
        CONTROL_SETS => {
            let message = "its study is one of control sets, which have no file any more";
            Some(Err(Error::new(ErrorKind::InvalidSetting, message)))
        }
        _ => None,
    }
}

/// The settings of a study in stages: as they are now, or as people write them, with a table by its
/// size.
fn in_stages(mut settings: Json) -> Result<Described> {
    let wrong = |error: serde_json::Error| {
        let message = format!("the settings of the study: {error}");
        Error::new(ErrorKind::Data, message).with_source(error)
    };
    if settings.get("model").is_some() {
        return serde_json::from_value(settings).map_err(wrong);
    }
    let mut taken = |key: &str| settings.as_object_mut().and_then(|all| all.remove(key));
    let (space, table) = (taken("space"), taken("table"));
    let spec: StudySpec = serde_json::from_value(settings).map_err(wrong)?;
    let any = Space::new().float("x", 0.0, 1.0);
    let described = StudySpec { space: Some(any), ..spec }.builder()?.described();
    let table = table.map(serde_json::from_value).transpose().map_err(wrong)?;
    Ok(Described { space, table, ..described })
}

/// The event that an attribute has, as an earlier version wrote it, and when that was. Its trial is
/// the one of the study. None for one that cannot be read.
pub(super) fn event(value: &RawValue) -> Option<(String, Event)> {
    #[derive(serde::Deserialize)]
    struct Written {
        at: String,
        event: Json,
    }
    let Written { at, event } = serde_json::from_str(value.get()).ok()?;
    let named = event.as_object().and_then(|event| event.iter().next());
    let (name, of) = named.map_or(("", &Json::Null), |(name, of)| (name.as_str(), of));
    // Trials are numbered as they enter.
    let event = match name {
        "began" => json!({"asked": {"trial": 0, "asked": {"origin": "suggested",
            "unit": of["unit"], "row": of["row"], "seen": 0, "drawn": 0, "until": of["until"]}}}),
        "failed" => json!({"told": {"trial": of["run"], "outcome": {"state": "failed",
            "value": null, "cost": of["cost"], "cost_later": false}}}),
        "lost" => json!({"withdrawn": {"trial": of["run"]}}),
        "fitted" if of.get("fit").is_some() => json!({"fitted": {"fits": {"curves": of["fit"]}}}),
        _ => event,
    };
    Some((at, serde_json::from_value(event).ok()?))
}

/// The kind and the number of an attribute of the study that ends with the number of a trial.
pub(super) fn keyed(key: &str) -> Option<(&str, usize)> {
    let (kind, number) = key.rsplit_once(':')?;
    Some((kind, number.parse().ok()?))
}

/// The event of an attribute of this kind of the study, for a trial. None for one of something
/// else.
///
/// # Errors
/// `Data` for one that cannot be read.
pub(super) fn of_trial(kind: &str, trial: TrialId, value: &RawValue) -> Result<Option<Event>> {
    let told = || read::<Told>(kind, value).map(|told| told.outcome());
    Ok(match kind {
        TOLD => told()?.map(|outcome| Event::Told { trial, outcome }),
        CORRECTED => told()?.map(|outcome| Event::Corrected { trial, outcome }),
        WITHDRAWN => Some(Event::Withdrawn { trial }),
        PAID_LATER => Some(Event::Paid { trial, cost: read(kind, value)? }),
        CHOICE => Some(Event::Chosen { trial, choice: read(kind, value)? }),
        _ => None,
    })
}
