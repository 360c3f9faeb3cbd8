//! What the file says of the study itself: each setting by the library's own table of keys.

use gittins::named::{Entry, Key, Shape};
use gittins::stop::NamedRule;
use gittins::study::StudySpec;
use gittins::{Policy, StopRule};
use serde_json::{Map, Value as Json, json};

use super::document::{Item, Section};
use super::{keys, time, words};
use crate::words::failure::Result;

/// The settings that stand where the library has them, and those of the sections. The space, the
/// cost and the limits have forms of their own.
pub fn settings(study: &Section<'_>) -> Result<StudySpec> {
    let mut json = of_library(study, StudySpec::KEYS, study)?;
    let engine = study.read("engine", |item| item.section(keys::ENGINE))?;
    let limit = engine.as_ref().map_or(Ok(None), |engine| {
        json.extend(of_library(engine, StudySpec::KEYS, study)?);
        engine.read("time_limit", time::time)
    })?;
    if let (None, Some(price)) = (json.get("policy"), study.read("price", Item::positive)?) {
        json.insert("policy".to_owned(), json!({ "name": "gittins", "price": price }));
    }
    // What was checked by the table is what the library reads.
    let spec = serde_json::from_value(Json::Object(json));
    let mut spec: StudySpec = spec.map_err(|error| study.problem(error.to_string()))?;
    spec.time_limit = limit.map(|limit| limit.as_secs_f64());
    spec.initial = study.read("initial", |item| item.count(1))?.map(|count| count as usize);
    Ok(spec)
}

/// What a section says of settings of the library, as data: where a key has the name and the shape
/// of one.
pub fn of_library(
    section: &Section<'_>,
    settings: &[Key],
    study: &Section<'_>,
) -> Result<Map<String, Json>> {
    let mut json = Map::new();
    for key in settings {
        if let Some(item) = section.setting(key) {
            json.insert(key.name.to_owned(), checked(&item, &key.shape, study)?);
        }
    }
    Ok(json)
}

/// The stopping rules by name of `[stop]`.
pub fn rule(item: &Item<'_>, study: &Section<'_>) -> Result<NamedRule> {
    let rule = checked(item, &Shape::Rule, study)?;
    serde_json::from_value(rule).map_err(|error| item.problem(error.to_string()))
}

/// A value that has a shape of the library, as data.
fn checked(item: &Item<'_>, shape: &Shape, study: &Section<'_>) -> Result<Json> {
    Ok(match *shape {
        Shape::Number => json!(item.finite()?),
        Shape::Above(0.0) => json!(item.positive()?),
        Shape::Above(_) | Shape::AtLeast(_) | Shape::Share => match item.finite()? {
            number if shape.fits(number) => json!(number),
            _ => return Err(item.other_than(&shape.words())),
        },
        Shape::Count(least) => json!(item.count(least)?),
        Shape::Flag => json!(item.flag()?),
        Shape::Text => json!(item.word()?),
        Shape::OneOf(names) => json!(item.one_of(names)?),
        Shape::Value => json!(item.scalar()?),
        Shape::Named(member) => {
            let named = item.entries()?.into_iter();
            let named =
                named.map(|(name, item)| Ok((name.to_owned(), checked(&item, member, study)?)));
            Json::Object(named.collect::<Result<_>>()?)
        }
        Shape::List(member) => {
            let members = item.list()?;
            let members = members.iter().map(|item| checked(item, member, study));
            Json::Array(members.collect::<Result<_>>()?)
        }
        Shape::Keys(known) => table(item, known, study)?,
        Shape::Either(shapes) => {
            let entries = if item.is_table() { item.entries()? } else { Vec::new() };
            let fits = |shape: &&Shape| match shape {
                Shape::OneOf(_) => item.is_text(),
                Shape::Keys(keys) => {
                    keys.iter().any(|key| entries.iter().any(|(name, _)| *name == key.name))
                }
                _ => false,
            };
            let shape = shapes.iter().find(fits).ok_or_else(|| item.other_than(&shape.words()))?;
            checked(item, shape, study)?
        }
        Shape::Policy => named(item, "policy", Policy::entries(), &[], study)?,
        Shape::Rule => joined(item, study)?,
        _ => return Err(item.other_than(&shape.words())),
    })
}

fn table(item: &Item<'_>, known: &[Key], study: &Section<'_>) -> Result<Json> {
    let mut json = Map::new();
    let entries = item.entries()?;
    let there = Vec::from_iter(entries.iter().map(|(name, _)| *name));
    for (name, value) in &entries {
        let Some(key) = known.iter().find(|key| key.name == *name) else {
            let names = known.iter().map(|key| key.name);
            let hint = words::of_key(&item.path, name, names, &there);
            return Err(value.problem(format!("unknown key; {hint}")));
        };
        json.insert((*name).to_owned(), checked(value, &key.shape, study)?);
    }
    match known.iter().find(|key| key.needed && !json.contains_key(key.name)) {
        Some(key) => Err(item.problem(format!("the key {:?} is missing", key.name))),
        None => Ok(Json::Object(json)),
    }
}

/// A thing by its name: a text, or a table with the key `name`. A price and a budget that are
/// needed are those of the file.
fn named<T>(
    item: &Item<'_>,
    what: &str,
    entries: &'static [Entry<T>],
    share: &[Key],
    study: &Section<'_>,
) -> Result<Json> {
    let name = if item.is_table() {
        item.peek("name")?.ok_or_else(|| item.problem("the key \"name\" is missing"))?
    } else {
        item.clone()
    };
    let text = name.text()?;
    let entry = entries.iter().find(|entry| entry.name == text);
    let known = entries.iter().map(|entry| entry.name);
    let entry = entry.ok_or_else(|| name.unknown(what, text, known))?;
    let keys = || entry.keys.iter().chain(share);
    let mut json = Map::from_iter([("name".to_owned(), json!(text))]);
    let numbers = if item.is_table() { item.entries()? } else { Vec::new() };
    for (number, value) in numbers.into_iter().filter(|(key, _)| *key != "name") {
        let Some(key) = keys().find(|key| key.name == number) else {
            let known = words::hint(number, keys().map(|key| key.name));
            return Err(value.problem(format!("the {what} {text:?} has no such key; {known}")));
        };
        json.insert(number.to_owned(), checked(&value, &key.shape, study)?);
    }
    for key in keys().filter(|key| key.needed) {
        if !json.contains_key(key.name) {
            let given = match key.name {
                "price" | "budget" => study.read(key.name, Item::positive)?,
                _ => None,
            };
            let lacks = || item.problem(format!("this {what} needs the key {:?}", key.name));
            json.insert(key.name.to_owned(), json!(given.ok_or_else(lacks)?));
        }
    }
    Ok(Json::Object(json))
}

/// A rule, a list of rules, or one of the keys `any` and `all` with a list.
fn joined(item: &Item<'_>, study: &Section<'_>) -> Result<Json> {
    let rules = |item: &Item<'_>| -> Result<Json> {
        let rules = item.list()?;
        Ok(Json::Array(rules.iter().map(|rule| joined(rule, study)).collect::<Result<_>>()?))
    };
    if item.is_list() {
        return Ok(json!({ "any": rules(item)? }));
    }
    if item.is_table() {
        for key in ["any", "all"] {
            if let Some(list) = item.peek(key)? {
                let others = item.entries()?.into_iter().find(|(name, _)| *name != key);
                if let Some((_, other)) = others {
                    return Err(other.problem(format!("this key stands beside {key:?}")));
                }
                return Ok(json!({ key: rules(&list)? }));
            }
        }
    }
    let entries: &'static [Entry<Box<dyn StopRule>>] = NamedRule::entries();
    named(item, "stopping rule", entries, NamedRule::steadying(), study)
}
