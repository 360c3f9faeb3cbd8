//! The space of trials that others made: which values parameters have in all of them, and when each
//! parameter exists.
//!
//! A study of Optuna has no space. Each of its trials says which parameters it has, and within which
//! bounds. A parameter that some complete trials have and others have not is one of a branch: it
//! gets conditions that hold in the trials that have it, and in no other.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::data::{Condition, ParameterKind, Requirement, Space, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::archive::Entry;
use crate::journal::distribution::{Distribution, value_of};
use crate::journal::operation::COMPLETE;

/// A parameter of some trials, and what it is in all of them together.
struct Found<'a> {
    name: &'a str,
    distribution: Distribution,
    kind: ParameterKind,
}

/// The values of a trial, by the places of its parameters among all.
type Point = BTreeMap<usize, Value>;

/// The space of trials. It has the bounds of all of them. If no other parameter says which complete
/// trials have a parameter, it always exists, and the few that do not have it are no points.
///
/// # Errors
/// `Data` for a parameter that trials have in ways that nothing joins, and for one that no more than
/// half of the trials in question have while no other parameter says when, naming it; `Empty`
/// without a parameter; those of [`Space::validate`].
pub(super) fn space_of(trials: &[&Entry]) -> Result<Space> {
    let all = joined(trials)?;
    if all.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            "no trial has a parameter yet: open the study with a space",
        ));
    }
    let points: Vec<(bool, Point)> =
        trials.iter().map(|trial| (trial.state == COMPLETE, point_of(trial, &all))).collect();
    let mut space = Space::new();
    for (place, found) in all.iter().enumerate() {
        space = space.parameter(found.name, found.kind.clone());
        let conditions = conditions(place, &all, &points)
            .map_err(|error| error.at(format_args!("parameter {:?}", found.name)))?;
        space = conditions.into_iter().fold(space, |space, condition| {
            let parent = condition.parameter;
            match condition.requirement {
                Requirement::AtLeast(bound) => space.when_at_least(parent, bound),
                Requirement::AtMost(bound) => space.when_at_most(parent, bound),
                Requirement::Is(values) | Requirement::IsIfPresent(values) => {
                    space.when(parent, values)
                }
            }
        });
    }
    space.validate()?;
    Ok(space)
}

/// The parameters of all trials in the order in which they come, with the values that they have in
/// any of them.
fn joined<'a>(trials: &[&'a Entry]) -> Result<Vec<Found<'a>>> {
    let mut all: Vec<(&str, usize, Distribution)> = Vec::new();
    for (name, number, distribution) in trials.iter().flat_map(|trial| {
        trial.parameters.iter().map(|(name, _, distribution)| (name, trial.number, distribution))
    }) {
        match all.iter_mut().find(|(known, ..)| known == name) {
            None => all.push((name, number, Distribution::clone(distribution))),
            Some((.., known)) if *known == **distribution => {}
            Some((_, first, known)) => match known.joined(distribution) {
                Some(both) => *known = both,
                None => {
                    let message = format!(
                        "parameter {name:?}: trial {first} has it as {}, and trial {number} as {}, which no space has at once: open the study with a space",
                        known.write(),
                        distribution.write()
                    );
                    return Err(Error::new(ErrorKind::Data, message));
                }
            },
        }
    }
    let found = |(name, _, distribution): (_, _, Distribution)| {
        let kind = distribution.kind();
        Found { name, distribution, kind }
    };
    Ok(all.into_iter().map(found).collect())
}

fn point_of(trial: &Entry, all: &[Found<'_>]) -> Point {
    let value = |(name, internal, distribution): &(String, f64, Arc<Distribution>)| {
        let place = all.iter().position(|found| found.name == name)?;
        Some((place, value_of(Some(&all[place].kind), &distribution.external(*internal)?)))
    };
    trial.parameters.iter().filter_map(value).collect()
}

/// When the parameter at a place exists: conditions on others that hold in all complete trials that
/// have it, and in none, or next to none, that has not. Trials that are not complete count for a
/// parameter that no complete one has.
///
/// # Errors
/// `Data` if there are none, and no more trials have it than are left.
fn conditions(place: usize, all: &[Found<'_>], points: &[(bool, Point)]) -> Result<Vec<Condition>> {
    let has = |(_, point): &&(bool, Point)| point.contains_key(&place);
    let is_complete = points.iter().filter(has).any(|(complete, _)| *complete);
    let have: Vec<&Point> = points
        .iter()
        .filter(has)
        .filter(|(complete, _)| *complete || !is_complete)
        .map(|(_, point)| point)
        .collect();
    let mut lack: Vec<&Point> =
        points.iter().filter(|one| one.0 && !has(one)).map(|(_, point)| point).collect();
    let candidates = candidates(place, all, &have, &lack);
    let (count, of) = (have.len(), lack.len());
    let mut chosen = Vec::new();
    while !lack.is_empty() {
        let mut best: Option<(usize, &Rule)> = None;
        for rule in &candidates {
            let excluded = lack.iter().filter(|point| !rule.holds(point)).count();
            let before = best.map_or(0, |(count, _)| count);
            // A parent of a simpler kind is preferred to one that excludes a few more.
            if excluded > 2 * before || (excluded == lack.len() && excluded > before) {
                best = Some((excluded, rule));
            }
        }
        let Some((_, rule)) = best else { break };
        lack.retain(|point| rule.holds(point));
        chosen.push(Condition {
            parameter: all[rule.parent].name.to_owned(),
            requirement: rule.requirement.clone(),
        });
    }
    let complete = if is_complete { count } else { 0 };
    if lack.is_empty() || lack.len() < complete {
        return Ok(chosen);
    }
    let message = format!(
        "{complete} of {} complete trials have it, and no other parameter says which: open the study with a space",
        complete + of
    );
    Err(Error::new(ErrorKind::Data, message))
}

/// What must hold of a parent.
struct Rule {
    parent: usize,
    requirement: Requirement,
}

impl Rule {
    fn holds(&self, point: &Point) -> bool {
        let Some(value) = point.get(&self.parent) else { return false };
        match &self.requirement {
            Requirement::Is(values) | Requirement::IsIfPresent(values) => values.contains(value),
            Requirement::AtLeast(bound) => value.number().is_some_and(|number| number >= *bound),
            Requirement::AtMost(bound) => value.number().is_some_and(|number| number <= *bound),
        }
    }
}

/// Conditions that hold in all trials that have a parameter: on names first, then on whole numbers,
/// then on real ones; among equals on parameters that come first. A parent exists in some trials
/// that lack the parameter, so no two are parents of each other.
fn candidates(place: usize, all: &[Found<'_>], have: &[&Point], lack: &[&Point]) -> Vec<Rule> {
    let mut rules: Vec<(usize, Rule)> = Vec::new();
    for (parent, found) in all.iter().enumerate() {
        let is_parent = parent != place
            && have.iter().all(|point| point.contains_key(&parent))
            && lack.iter().any(|point| point.contains_key(&parent));
        if !is_parent {
            continue;
        }
        if let Distribution::Categorical { .. } = found.distribution {
            let mut values: Vec<Value> = Vec::new();
            for value in have.iter().filter_map(|point| point.get(&parent)) {
                if !values.contains(value) {
                    values.push(value.clone());
                }
            }
            rules.push((0, Rule { parent, requirement: Requirement::Is(values) }));
            continue;
        }
        let numbers = |points: &[&Point]| -> Vec<f64> {
            points.iter().filter_map(|point| point.get(&parent)?.number()).collect()
        };
        let have = numbers(have);
        let lack = numbers(lack);
        let low = have.iter().copied().fold(f64::INFINITY, f64::min);
        let high = have.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let below = lack.iter().copied().filter(|number| *number < low).reduce(f64::max);
        let above = lack.iter().copied().filter(|number| *number > high).reduce(f64::min);
        let is_whole = matches!(found.distribution, Distribution::Int { .. });
        let order = if is_whole { 1 } else { 2 };
        // As far as what is known allows, for whole numbers.
        if let Some(below) = below {
            let bound = if is_whole { below + 1.0 } else { below + 0.5 * (low - below) };
            rules.push((order, Rule { parent, requirement: Requirement::AtLeast(bound) }));
        }
        if let Some(above) = above {
            let bound = if is_whole { above - 1.0 } else { high + 0.5 * (above - high) };
            rules.push((order, Rule { parent, requirement: Requirement::AtMost(bound) }));
        }
    }
    rules.sort_by_key(|(order, _)| *order);
    rules.into_iter().map(|(_, rule)| rule).collect()
}
