//! Reads the tables in `tests/golden`.

use gittins::{KernelFamily, Points};
use serde_json::Value;

/// The table with this file name, without its ending.
pub fn table(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A number. JSON has no infinities, so the strings "inf", "-inf" and "nan" stand for them.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().unwrap_or_else(|_| panic!("{text} is no number")),
        other => other.as_f64().unwrap_or_else(|| panic!("{other} is no number")),
    }
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list")).iter().map(number).collect()
}

/// A list of points.
pub fn points(rows: &Value) -> Points {
    let rows: Vec<Vec<f64>> = rows.as_array().expect("rows").iter().map(numbers).collect();
    Points::from_rows(rows[0].len(), rows.concat()).expect("golden points")
}

/// A kernel by its name.
pub fn family(name: &Value) -> KernelFamily {
    name.as_str()
        .and_then(|name| name.parse().ok())
        .unwrap_or_else(|| panic!("unknown kernel {name}"))
}
