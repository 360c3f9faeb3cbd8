//! The JSON schema of study.toml, made from the keys that the reader knows.

use gittins::Policy;
use gittins::named::{Entry, Key, Shape};
use gittins::stop::NamedRule;
use serde_json::{Map, Value, json};

use super::keys::{self, STUDY, TYPES};

/// The schema.
pub fn schema() -> Value {
    let mut schema = table(STUDY);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("A study of the command gittins");
    schema["oneOf"] = json!([{ "required": ["parameters"] }, { "required": ["table"] }]);
    schema["$defs"] = json!({ "parameter": parameter(), "rule": rule() });
    schema
}

fn parameter() -> Value {
    let kinds = TYPES.iter().filter_map(|name| {
        let mut kind = table(keys::of_type(name)?);
        kind["properties"]["type"] = match *name {
            "choice" => json!({ "enum": [name, keys::CATEGORICAL] }),
            name => json!({ "const": name }),
        };
        if kind["properties"].get("names").is_some() {
            kind["oneOf"] = json!([{ "required": ["names"] }, { "required": ["values"] }]);
        }
        Some(kind)
    });
    json!({ "oneOf": kinds.collect::<Vec<_>>() })
}

fn shape(of: &Shape) -> Value {
    match *of {
        Shape::Above(bound) => json!({ "type": "number", "exclusiveMinimum": bound }),
        Shape::AtLeast(bound) => json!({ "type": "number", "minimum": bound }),
        Shape::Share => json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 }),
        Shape::Whole => json!({ "type": "integer" }),
        Shape::Count(least) => json!({ "type": "integer", "minimum": least }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Text => json!({ "type": "string" }),
        Shape::Value => json!({ "type": ["number", "string", "boolean"] }),
        Shape::OneOf(names) => json!({ "enum": names }),
        Shape::List(member) => json!({ "type": "array", "items": shape(member) }),
        Shape::Keys(keys) => table(keys),
        Shape::Named(value) => json!({ "type": "object", "additionalProperties": shape(value) }),
        Shape::Either(shapes) => {
            json!({ "anyOf": shapes.iter().map(shape).collect::<Vec<_>>() })
        }
        Shape::Policy => named(Policy::entries(), &[], &["price", "budget"]),
        Shape::Rule => json!({ "$ref": "#/$defs/rule" }),
        Shape::Space => {
            json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/parameter" } })
        }
        _ => json!({ "type": "number" }),
    }
}

fn table<'k>(keys: impl IntoIterator<Item = &'k Key, IntoIter: Clone>) -> Value {
    let keys = keys.into_iter();
    let properties: Map<String, Value> = keys
        .clone()
        .map(|key| {
            let mut property = shape(&key.shape);
            property["description"] = json!(key.note);
            if let Some(usual) = key.usual {
                property["default"] = json!(usual);
            }
            (key.name.to_owned(), property)
        })
        .collect();
    let needed: Vec<&str> = keys.filter(|key| key.needed).map(|key| key.name).collect();
    json!({
        "type": "object", "properties": properties, "required": needed, "additionalProperties": false,
    })
}

/// One of the things of a table: its name, or a table with it. Some keys may stand elsewhere.
fn named<T>(entries: &[Entry<T>], share: &[Key], elsewhere: &[&str]) -> Value {
    let one = |entry: &Entry<T>| {
        let mut one = table(entry.keys.iter().chain(share));
        one["description"] = json!(entry.note);
        one["properties"]["name"] = json!({ "const": entry.name });
        let needed = entry.keys.iter().filter(|key| key.needed).map(|key| key.name);
        let needed = needed.filter(|name| !elsewhere.contains(name));
        one["required"] = json!(["name"].into_iter().chain(needed).collect::<Vec<_>>());
        one
    };
    let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    let all: Vec<Value> =
        [json!({ "enum": names })].into_iter().chain(entries.iter().map(one)).collect();
    json!({ "anyOf": all })
}

/// A stopping rule, or several of them joined.
fn rule() -> Value {
    let mut rule = named(NamedRule::entries(), NamedRule::steadying(), &[]);
    let list = json!({ "type": "array", "items": { "$ref": "#/$defs/rule" }, "minItems": 1 });
    let joined = ["any", "all"].map(|key| {
        json!({
            "type": "object", "properties": { key: list }, "required": [key],
            "additionalProperties": false,
        })
    });
    if let Some(all) = rule["anyOf"].as_array_mut() {
        all.extend(joined);
        all.push(list);
    }
    rule
}
