//! `[parameters]` and `[[constraints]]`: the space that is searched.

use gittins::data::ParameterKind;
use gittins::named::{Key, hint};
use gittins::{Space, Value};

use super::document::{Item, Section};
use super::keys::{self, CARDINALITY, CONDITION, SUM, TYPES};
use super::words;
use crate::words::failure::{Failure, Result};

/// The space of a file. The parameters are in the order of the file.
pub fn space(parameters: &Item<'_>, constraints: Option<&Item<'_>>) -> Result<Space> {
    if parameters.is_list() {
        return Err(no_table(parameters));
    }
    let named = parameters.entries()?;
    let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
    let mut space = Space::new();
    for (name, item) in &named {
        if name.is_empty() || name.contains(['{', '}', '\0']) {
            return Err(item.problem("a name must not be empty and has no braces in it"));
        }
        let keys = keys_of(item)?;
        let section = item.section(keys)?;
        let kind = kind(&section)?;
        check(name, &kind, item)?;
        space = space.parameter(*name, kind);
        if let Some(when) = section.get("when") {
            space = conditions(space, &when, &names)?;
        }
    }
    // What is wrong without constraints lies in the parameters.
    space.validate().map_err(|error| parameters.problem(error.to_string()))?;
    if let Some(constraints) = constraints {
        for item in constraints.list()? {
            space = constraint(space, &item, &names)?;
        }
        space.validate().map_err(|error| constraints.problem(error.to_string()))?;
    }
    Ok(space)
}

/// The error of parameters that are a list, as other formats have them.
fn no_table(parameters: &Item<'_>) -> Failure {
    let first = parameters.list().ok().and_then(|list| list.into_iter().next());
    let name = first.and_then(|first| first.peek("name").ok()?).and_then(|name| name.text().ok());
    let name = name.unwrap_or("NAME");
    parameters.other_than(&format!(
        "a table for each parameter, written [parameters.{name}] and with the key type in it"
    ))
}

fn keys_of(item: &Item<'_>) -> Result<&'static [Key]> {
    let other = |(name, item): (&str, Item<'_>)| {
        words::meant(name, ["type"].into_iter())
            .map(|_| item.problem("unknown key; did you mean \"type\"?"))
    };
    let Some(kind) = item.peek("type")? else {
        let missing = format!("the key \"type\" is missing; there are {}", TYPES.join(", "));
        let other = item.entries()?.into_iter().find_map(other);
        return Err(other.unwrap_or_else(|| item.problem(missing)));
    };
    let name = kind.text()?;
    keys::of_type(name).ok_or_else(|| kind.unknown("type", name, TYPES.iter().copied()))
}

/// The type. With `log` or `step` a plain number is of another one.
fn type_of<'d>(section: &Section<'d>) -> Result<&'d str> {
    let named = section.need("type")?.text()?;
    if !matches!(named, "float" | "int") {
        return Ok(named);
    }
    let log = section.read("log", Item::flag)?.unwrap_or(false);
    // A whole number has steps of 1 anyway.
    let is_one = |step: &Item<'_>| named == "int" && step.whole().is_ok_and(|step| step == 1);
    match section.get("step").filter(|step| !is_one(step)) {
        Some(step) if log => {
            Err(step.problem("a number on a log scale has no steps: leave step or log out"))
        }
        Some(_) => Ok("steps"),
        None if !log => Ok(named),
        None => Ok(if named == "int" { "log_int" } else { "log_float" }),
    }
}

fn kind(section: &Section<'_>) -> Result<ParameterKind> {
    let floats = || -> Result<(f64, f64)> {
        Ok((section.need("low")?.finite()?, section.need("high")?.finite()?))
    };
    let wholes = || -> Result<(i64, i64)> {
        Ok((section.need("low")?.whole()?, section.need("high")?.whole()?))
    };
    let names = || -> Result<_> {
        let names = match (section.get("names"), section.get("values")) {
            (Some(_), Some(values)) => {
                return Err(values.problem("names says the same: leave one of the two out"));
            }
            (None, Some(values)) => values,
            _ => section.need("names")?,
        };
        names.list()?.iter().map(|name| Ok(name_of(name)?.into())).collect()
    };
    Ok(match type_of(section)? {
        "float" => floats().map(|(low, high)| ParameterKind::Float { low, high })?,
        "log_float" => floats().map(|(low, high)| ParameterKind::LogFloat { low, high })?,
        "int" => wholes().map(|(low, high)| ParameterKind::Int { low, high })?,
        "log_int" => wholes().map(|(low, high)| ParameterKind::LogInt { low, high })?,
        "steps" => {
            let step = section.need("step")?;
            if section.need("type")?.text()? == "int" {
                wholes()?;
                step.count(1)?;
            }
            let (low, high) = floats()?;
            ParameterKind::Steps { low, high, step: step.positive()? }
        }
        "numbers" => {
            let values: Result<_> =
                section.need("values")?.list()?.iter().map(Item::finite).collect();
            ParameterKind::Numbers { values: values? }
        }
        "powers_of_two" => {
            let (low, high) = wholes()?;
            let powers = (0..50).map(|k| 1_i64 << k).filter(|power| (low..=high).contains(power));
            ParameterKind::Numbers { values: powers.map(|power| power as f64).collect() }
        }
        "ordinal" => ParameterKind::Ordinal { names: names()? },
        "choice" | keys::CATEGORICAL => ParameterKind::Choice { names: names()? },
        "flag" => ParameterKind::Flag,
        _ => ParameterKind::Constant { value: section.need("value")?.scalar()? },
    })
}

/// A name becomes an argument of a command, which ends at a zero byte.
fn name_of<'d>(item: &Item<'d>) -> Result<&'d str> {
    if !item.is_text()
        && let Ok(value) = item.scalar()
    {
        let other = if matches!(value, Value::Flag(_)) { "flag" } else { "numbers" };
        let shown = item.shown();
        return Err(item.problem(format!(
            "expected a text in quotes, got {shown}; write \"{shown}\", or take the type {other:?}"
        )));
    }
    let name = item.text()?;
    if name.contains('\0') {
        Err(item.problem("a name must not contain a zero byte"))
    } else {
        Ok(name)
    }
}

/// Checks a parameter alone, so that the error names its place.
fn check(name: &str, kind: &ParameterKind, item: &Item<'_>) -> Result<()> {
    // A space of constants is an error of its own.
    let other = if name == "other" { "another" } else { "other" };
    let alone = Space::new().parameter(name, kind.clone()).flag(other);
    alone.validate().map_err(|error| {
        let message = error.to_string();
        let prefix = format!("parameter {name:?}: ");
        item.problem(message.strip_prefix(&prefix).unwrap_or(&message))
    })
}

fn known(item: &Item<'_>, name: &str, names: &[&str]) -> Result<()> {
    if names.contains(&name) {
        Ok(())
    } else {
        Err(item.problem(format!(
            "no parameter is named {name:?}; {}",
            hint(name, names.iter().copied())
        )))
    }
}

/// The conditions of the parameter added last.
fn conditions(mut space: Space, when: &Item<'_>, names: &[&str]) -> Result<Space> {
    for (parent, item) in when.entries()? {
        known(&item, parent, names)?;
        if item.is_table() {
            let section = item.section(CONDITION)?;
            let least = section.read("at_least", Item::finite)?;
            let most = section.read("at_most", Item::finite)?;
            if least.is_none() && most.is_none() {
                return Err(item.problem("expected at_least, at_most or both"));
            }
            if let Some(bound) = least {
                space = space.when_at_least(parent, bound);
            }
            if let Some(bound) = most {
                space = space.when_at_most(parent, bound);
            }
        } else if item.is_list() {
            let values: Vec<_> = item.list()?.iter().map(Item::scalar).collect::<Result<_>>()?;
            space = space.when(parent, values);
        } else {
            space = space.when(parent, [item.scalar()?]);
        }
    }
    Ok(space)
}

/// What is read for each of some parameters.
pub fn terms<'d, T>(
    item: &Item<'d>,
    names: &[&str],
    read: impl Fn(&Item<'d>) -> Result<T>,
) -> Result<Vec<(&'d str, T)>> {
    let mut terms = Vec::new();
    for (name, weight) in item.entries()? {
        known(&weight, name, names)?;
        terms.push((name, read(&weight)?));
    }
    if terms.is_empty() {
        return Err(item.problem("expected at least one term"));
    }
    Ok(terms)
}

fn constraint(space: Space, item: &Item<'_>, names: &[&str]) -> Result<Space> {
    if item.peek("parts")?.is_some() {
        return cardinality(space, item, names);
    }
    let section = item.section(SUM)?;
    let terms = terms(&section.need("terms")?, names, Item::finite)?;
    let most = section.read("at_most", Item::finite)?;
    let least = section.read("at_least", Item::finite)?;
    if let Some(total) = section.read("equal_to", Item::finite)? {
        if most.is_some() || least.is_some() {
            return Err(section.problem("equal_to says it all: expected no at_most or at_least"));
        }
        return Ok(space.equal_to(terms, total));
    }
    if most.is_none() && least.is_none() {
        return Err(section.problem("expected at_most, at_least or both, or equal_to"));
    }
    let space = match most {
        Some(bound) => space.at_most(terms.iter().copied(), bound),
        None => space,
    };
    Ok(match least {
        Some(bound) => space.at_least(terms, bound),
        None => space,
    })
}

fn cardinality(space: Space, item: &Item<'_>, names: &[&str]) -> Result<Space> {
    let section = item.section(CARDINALITY)?;
    let mut parts = Vec::new();
    for part in section.need("parts")?.list()? {
        let name = part.text()?;
        known(&part, name, names)?;
        parts.push(name);
    }
    let at_most = section.need("at_most")?.count(1)?;
    let least = section.read("least", Item::finite)?.unwrap_or(0.0);
    Ok(space.at_most_of(parts, at_most as usize, least))
}
