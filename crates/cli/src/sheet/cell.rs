//! What stands in a cell of a sheet.

use gittins::Value;
use gittins::data::{Parameter, ParameterKind};
use spreadsheet::cell::{Cell, is_absent, read};

use crate::words::failure::{Failure, Result};
use crate::words::show;

/// A value as it is written. Nothing stands for what is absent. A name that would be read as
/// something else stands in quotation marks.
pub fn text(value: &Value) -> String {
    match value {
        Value::Absent => String::new(),
        Value::Name(name) if is_misread(name) => format!("\"{name}\""),
        value => show::value(value),
    }
}

fn is_misread(name: &str) -> bool {
    name.trim() != name || is_absent(name) || (name.starts_with('"') && name.ends_with('"'))
}

/// The value of a parameter that a cell says.
///
/// # Errors
/// What was expected and what came.
pub fn value(parameter: &Parameter, cell: &str, separator: u8) -> Result<Value> {
    let kind = parameter.kind();
    let may_be_absent = !parameter.conditions().is_empty();
    match kind {
        ParameterKind::Choice { names } | ParameterKind::Ordinal { names } => {
            return Ok(name(names.iter().map(|name| &**name), cell, may_be_absent));
        }
        ParameterKind::Constant { value: Value::Name(only) } => {
            return Ok(name([&**only].into_iter(), cell, may_be_absent));
        }
        _ => {}
    }
    let text = cell.trim();
    let is_flag =
        matches!(kind, ParameterKind::Flag | ParameterKind::Constant { value: Value::Flag(_) });
    match (read(cell, separator), text.to_lowercase().as_str()) {
        (Cell::Absent | Cell::Missing, _) => Ok(Value::Absent),
        (_, "true" | "1" | "yes") if is_flag => Ok(Value::from(true)),
        (_, "false" | "0" | "no") if is_flag => Ok(Value::from(false)),
        (Cell::Number(number), _) if !is_flag => Ok(match number.text.parse::<i64>() {
            Ok(whole) => Value::from(whole),
            Err(_) => Value::from(number.value),
        }),
        _ => Err(Failure::new(format!("expected {kind}, got {text:?}"))),
    }
}

/// The name that a cell says, of those that there are.
fn name<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    cell: &str,
    may_be_absent: bool,
) -> Value {
    let trimmed = cell.trim();
    let quoted = trimmed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    // An empty cell is what is absent, if that is possible.
    let exact = Some(cell).filter(|cell| !(cell.is_empty() && may_be_absent));
    let is_known = |text: &&str| names.clone().any(|name| name == *text);
    let texts = [quoted, exact, Some(trimmed).filter(|text| !text.is_empty())];
    if let Some(known) = texts.into_iter().flatten().find(is_known) {
        return known.into();
    }
    if is_absent(trimmed) {
        return Value::Absent;
    }
    // Other programs make 16.0 of 16.
    let same = |name: &&str| {
        name.parse::<f64>().is_ok_and(|name| trimmed.parse::<f64>().is_ok_and(|cell| cell == name))
    };
    names.clone().find(same).unwrap_or(trimmed).into()
}
