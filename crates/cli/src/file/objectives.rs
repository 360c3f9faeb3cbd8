//! `[objectives]`: numbers beside the outcome that are to be made small or large as well.

use gittins::study::{Objective, StudySpec};

use super::document::{Item, Section};
use super::keys;
use super::measures::{Measure, check_name, finder};
use crate::findings::measured::Aim;
use crate::program::candidates::Searched;
use crate::program::finder::Finder;
use crate::words::failure::Result;

/// The objectives beside the outcome, sorted by name as a study has them.
pub fn objectives(
    study: &Section<'_>,
    searched: Searched<'_>,
    outcome: &Finder,
) -> Result<Vec<Measure>> {
    let entries = study.read("objectives", Item::entries)?.unwrap_or_default();
    let limits = study.read("limits", Item::entries)?.unwrap_or_default();
    let mut measures = Vec::new();
    for (name, item) in &entries {
        if limits.iter().any(|(limited, _)| limited == name) {
            return Err(item.problem(
                "there is a limit on this number, and its reference says already what is worth nothing: leave one of the two out",
            ));
        }
        measures.push(objective(name, item, searched, outcome)?);
    }
    measures.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(measures)
}

fn objective(
    name: &str,
    item: &Item<'_>,
    searched: Searched<'_>,
    outcome: &Finder,
) -> Result<Measure> {
    check_name(name, item)?;
    if searched.space.names().any(|parameter| parameter == name) {
        return Err(item.problem(
            "a parameter has this name; an objective is what a trial measures, under a name of its own",
        ));
    }
    let section = item.section(keys::OBJECTIVE)?;
    let direction = section.read("direction", |item| item.one_of(keys::DIRECTIONS))?;
    let objective = match direction {
        Some("maximize") => Objective::maximize(),
        _ => Objective::minimize(),
    };
    let reference = section.read("reference", Item::finite)?;
    let objective = reference.into_iter().fold(objective, Objective::reference);
    let finder = finder(name, &section, &searched.told(), outcome)?;
    Ok(Measure { name: name.to_owned(), aim: Aim::Objective(objective), finder })
}

/// The outcome that is worth nothing, beside other objectives.
pub fn reference(study: &Section<'_>) -> Result<Option<f64>> {
    let outcome = study.read("outcome", |item| item.section(keys::OUTCOME))?;
    outcome.map_or(Ok(None), |outcome| outcome.read("reference", Item::finite))
}

/// Checks what a study with several objectives may not have, by asking the library for one with as
/// little as possible besides.
pub fn check(study: &Section<'_>, searched: Searched<'_>, spec: &StudySpec) -> Result<()> {
    let mut plain = StudySpec::default();
    plain.direction = spec.direction;
    searched.set(&mut plain);
    plain.objectives.clone_from(&spec.objectives);
    plain.reference = spec.reference;
    let mut with_policy = plain.clone();
    with_policy.policy.clone_from(&spec.policy);
    let builds = |spec: StudySpec| spec.builder().and_then(|builder| builder.build().map(drop));
    let Some(item) = study.get("objectives") else {
        let Some(outcome) = study.get("outcome").filter(|_| spec.reference.is_some()) else {
            return Ok(());
        };
        let item = outcome.peek("reference")?.unwrap_or(outcome);
        return builds(plain).map_err(|error| item.problem(error.to_string()));
    };
    builds(plain).map_err(|error| item.problem(error.to_string()))?;
    if let Some(policy) = study.get("policy") {
        builds(with_policy).map_err(|error| policy.problem(error.to_string()))?;
    }
    let stop = study.read("stop", |item| item.section(keys::STOP))?;
    match stop.and_then(|stop| stop.get("target")) {
        Some(target) if spec.objectives.as_ref().is_some_and(|all| !all.is_empty()) => {
            Err(target.problem(
                "with several objectives there is no best outcome that could be good enough: leave it out",
            ))
        }
        _ => Ok(()),
    }
}
