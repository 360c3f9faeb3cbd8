//! What differs between the settings of a study and those by which it is to be continued, in words.

use serde_json::{Map, Value as Json};

/// How many differences are said. The others are counted.
const SAID: usize = 4;

/// The treatment of a difference.
const ADVICE: &str = "set it back, or begin another study (another journal, or another name in it) and import the trials of this one";

/// An error message from differences.
pub(in crate::study) fn message(differences: &[String]) -> String {
    let said = differences.iter().take(SAID).cloned().collect::<Vec<_>>().join("; ");
    match differences.len().saturating_sub(SAID) {
        0 => format!("{said}; {ADVICE}"),
        more => format!("{said}; and {more} more differences; {ADVICE}"),
    }
}

/// One difference.
pub(in crate::study) fn differs(what: &str, before: &str, now: &str) -> String {
    format!("{what} is {before} in the journal, and {now} here")
}

/// The differences of two spaces as data: parameters that are on one side only, types, bounds,
/// names, conditions, the order, and constraints.
pub(in crate::study) fn of_spaces(before: &Json, now: &Json) -> Vec<String> {
    let old = parameters(before);
    let new = parameters(now);
    let mut differences = Vec::new();
    let is_in = |name: &str, all: &[(&str, &Json)]| all.iter().any(|(known, _)| *known == name);
    for (name, _) in old.iter().filter(|(name, _)| !is_in(name, &new)) {
        differences.push(format!("the parameter {name:?} is in the journal, and not here"));
    }
    for (name, parameter) in &new {
        match old.iter().find(|(known, _)| known == name) {
            Some((_, earlier)) => differences.extend(of_parameters(name, earlier, parameter)),
            None => {
                differences.push(format!("the parameter {name:?} is here, and not in the journal"));
            }
        }
    }
    let names = |all: &[(&str, &Json)]| {
        all.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(", ")
    };
    if differences.is_empty() && names(&old) != names(&new) {
        differences.push(differs("the order of the parameters", &names(&old), &names(&new)));
    }
    let old = constraints(before);
    let new = constraints(now);
    if old != new {
        let all = |constraints: &[String]| match constraints {
            [] => "none".to_owned(),
            some => some.join(" and "),
        };
        differences.push(differs("what the constraints demand", &all(&old), &all(&new)));
    }
    if differences.is_empty() {
        differences.push(differs("the space", &before.to_string(), &now.to_string()));
    }
    differences
}

fn list<'j>(space: &'j Json, key: &str) -> &'j [Json] {
    space[key].as_array().map_or(&[], Vec::as_slice)
}

/// The parameters by their names.
fn parameters(space: &Json) -> Vec<(&str, &Json)> {
    let all = list(space, "parameters").iter();
    all.filter_map(|parameter| Some((parameter["name"].as_str()?, parameter))).collect()
}

/// Type and settings of a parameter.
fn kind(parameter: &Json) -> (&str, Option<&Map<String, Json>>) {
    match &parameter["kind"] {
        Json::String(name) => (name, None),
        Json::Object(tagged) => {
            tagged.iter().next().map_or(("", None), |(name, settings)| (name, settings.as_object()))
        }
        _ => ("", None),
    }
}

/// The differences of two parameters of one name.
fn of_parameters(name: &str, before: &Json, now: &Json) -> Vec<String> {
    let of = |key: &str| format!("{key} of the parameter {name:?}");
    let mut differences = Vec::new();
    let ((old_type, old), (new_type, new)) = (kind(before), kind(now));
    if old_type != new_type {
        let [old, new] = [old_type, new_type].map(|name| format!("{name:?}"));
        differences.push(differs(&of("type"), &old, &new));
    } else if let (Some(old), Some(new)) = (old, new) {
        for (key, value) in new {
            let earlier = old.get(key).unwrap_or(&Json::Null);
            if earlier != value {
                differences.push(differs(&of(key), &shown(earlier), &shown(value)));
            }
        }
    }
    let [old, new] = [before, now].map(|parameter| conditions(list(parameter, "when")));
    if old != new {
        differences.push(differs(&of("when"), &old, &new));
    }
    differences
}

/// A value as study.toml would have it.
fn shown(value: &Json) -> String {
    match value {
        Json::Null => "absent".to_owned(),
        Json::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        Json::Array(values) => {
            format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn conditions(when: &[Json]) -> String {
    let one = |condition: &Json| {
        let parent = condition["parameter"].as_str().unwrap_or_default();
        let bound = |key: &str| {
            let bound = condition.get(key)?;
            Some(format!("{parent} = {{ {key} = {} }}", shown(bound)))
        };
        bound("at_least")
            .or_else(|| bound("at_most"))
            .unwrap_or_else(|| format!("{parent} = {}", shown(&condition["is"])))
    };
    match when {
        [] => "absent".to_owned(),
        some => format!("{{ {} }}", some.iter().map(one).collect::<Vec<_>>().join(", ")),
    }
}

fn constraints(space: &Json) -> Vec<String> {
    let one = |constraint: &Json| {
        if let Some(one) = constraint.get("cardinality") {
            let parts: Vec<&str> = list(one, "parts").iter().filter_map(Json::as_str).collect();
            let most = shown(&one["at_most"]);
            let least = shown(&one["least"]);
            return format!("at most {most} of {} with {least} or more each", parts.join(", "));
        }
        let (linear, sign, bound) = match constraint.get("equation") {
            Some(equation) => (equation, "=", "equal_to"),
            None => (&constraint["linear"], "<=", "at_most"),
        };
        let term = |term: &Json| format!("{} {}", shown(&term[1]), term[0].as_str().unwrap_or(""));
        let terms: Vec<String> = list(linear, "terms").iter().map(term).collect();
        format!("{} {sign} {}", terms.join(" + "), shown(&linear[bound]))
    };
    list(space, "constraints").iter().map(one).collect()
}
