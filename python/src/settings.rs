//! What a study is set up with, as data.

use gittins::Named;
use gittins::backend::Choice;
use gittins::internals::usual_backend;
use gittins::journal::JournalOptions;
use gittins::stop::NamedRule;
use gittins::study::{StudyBuilder, StudySpec};
use gittins::{Domain, Policy, Result, Space};
use serde_json::json;

use crate::errors::unreadable;

/// A policy that is given by its name.
pub fn policy(text: &str) -> Result<Policy> {
    let named: Named =
        serde_json::from_str(text).map_err(|error| unreadable("the policy", &error))?;
    Policy::try_from(&named)
}

/// The space that this is.
pub fn space_read(text: &str) -> Result<Space> {
    serde_json::from_str(text).map_err(|error| unreadable("the space", &error))
}

/// The builder of a study with these settings.
pub fn builder(text: &str) -> Result<StudyBuilder> {
    usual_backend(Choice::Cpu);
    // The rules that papers compare with have names here too.
    gittins_papers::register();
    let spec: StudySpec =
        serde_json::from_str(text).map_err(|error| unreadable("the study", &error))?;
    spec.builder()
}

/// How the study of this name in a file is opened; the only one without a name.
pub fn options(name: Option<&str>) -> JournalOptions {
    usual_backend(Choice::Cpu);
    name.into_iter().fold(JournalOptions::new(), JournalOptions::name)
}

/// A space as data in JSON; `null` for a table.
pub fn space_of(domain: &Domain) -> Result<String> {
    let space = match domain {
        Domain::Space(space) => Some(space),
        _ => None,
    };
    serde_json::to_string(&space).map_err(|error| unreadable("the space", &error))
}

/// The engine's tables of names: settings, policies and stopping rules.
pub fn tables() -> String {
    gittins_papers::register();
    json!({
        "settings": StudySpec::KEYS,
        "policies": Policy::entries(),
        "rules": NamedRule::entries(),
        "steadying": NamedRule::steadying(),
    })
    .to_string()
}
