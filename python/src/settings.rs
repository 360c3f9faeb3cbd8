//! What a study is set up with, as data.

use std::sync::Arc;

use gittins::named::Named;
use gittins::stop::NamedRule;
use gittins::study::{StudyBuilder, StudySpec};
use gittins::{Cpu, Error, ErrorKind, Outcome, Policy, Result};
use serde::Deserialize;
use serde_json::json;

use crate::errors::unreadable;

/// A policy that is given by its name.
pub fn policy(text: &str) -> Result<Policy> {
    let named: Named =
        serde_json::from_str(text).map_err(|error| unreadable("the policy", &error))?;
    Policy::try_from(&named)
}

/// The builder of a study with these settings.
pub fn builder(text: &str) -> Result<StudyBuilder> {
    let spec: StudySpec =
        serde_json::from_str(text).map_err(|error| unreadable("the study", &error))?;
    let builder = spec.builder()?;
    Ok(if cfg!(feature = "gpu") { builder } else { builder.backend(Arc::new(Cpu)) })
}

/// The engine's tables of names: settings, policies and stopping rules.
pub fn tables() -> String {
    json!({
        "settings": StudySpec::KEYS,
        "policies": Policy::entries(),
        "rules": NamedRule::entries(),
        "steadying": NamedRule::steadying(),
    })
    .to_string()
}

/// What is told of a trial.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    outcome: Option<f64>,
    #[serde(default)]
    failed: bool,
    #[serde(default)]
    infeasible: bool,
    cost: Option<f64>,
    #[serde(default)]
    cost_later: bool,
}

/// An outcome that is told.
pub fn outcome(text: &str) -> Result<Outcome> {
    let told: Told =
        serde_json::from_str(text).map_err(|error| unreadable("what is told", &error))?;
    let outcome = match told {
        Told { infeasible: true, .. } => Outcome::infeasible(),
        Told { failed: true, .. } => Outcome::failed(),
        Told { outcome: Some(outcome), .. } => Outcome::new(outcome),
        _ => {
            let message = "expected an outcome, or that the trial failed or is infeasible";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
    };
    Ok(match told.cost {
        Some(cost) => outcome.cost(cost),
        None if told.cost_later => outcome.cost_later(),
        None => outcome,
    })
}
