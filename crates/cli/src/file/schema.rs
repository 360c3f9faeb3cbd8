//! The JSON schema of study.toml, made from the keys that the reader knows.

use serde_json::{Map, Value, json};

use super::keys::{self, Key, STUDY, Shape, TYPES};

/// The schema.
pub fn schema() -> Value {
    let mut schema = table(STUDY);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("A study of the command gittins");
    schema["$defs"] = json!({ "parameter": parameter() });
    schema
}

fn table(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| {
            let mut property = shape(&key.shape);
            property["description"] = json!(key.note);
            (key.name.to_owned(), property)
        })
        .collect();
    let needed: Vec<&str> = keys.iter().filter(|key| key.needed).map(|key| key.name).collect();
    json!({
        "type": "object", "properties": properties, "required": needed, "additionalProperties": false,
    })
}

fn parameter() -> Value {
    let kinds = TYPES.iter().filter_map(|name| {
        let mut kind = table(keys::of_type(name)?);
        kind["properties"]["type"] = json!({ "const": name });
        Some(kind)
    });
    json!({ "oneOf": kinds.collect::<Vec<_>>() })
}

fn shape(of: &Shape) -> Value {
    match of {
        Shape::Number => json!({ "type": "number" }),
        Shape::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Shape::Whole => json!({ "type": "integer" }),
        Shape::Count(least) => json!({ "type": "integer", "minimum": least }),
        Shape::Text => json!({ "type": "string" }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Time => json!({ "type": ["number", "string"] }),
        Shape::Scalar => json!({ "type": ["number", "string", "boolean"] }),
        Shape::OneOf(names) => json!({ "enum": names }),
        Shape::List(member) => json!({ "type": "array", "items": shape(member) }),
        Shape::Table(keys) => table(keys),
        Shape::Named(value) => json!({ "type": "object", "additionalProperties": shape(value) }),
        Shape::Either(shapes) => {
            json!({ "anyOf": shapes.iter().map(shape).collect::<Vec<_>>() })
        }
        Shape::Parameter => json!({ "$ref": "#/$defs/parameter" }),
    }
}
