//! The settings that a study begins with.

use std::collections::BTreeMap;

use crate::data::space::space::unknown;
use crate::data::{Domain, Value};
use crate::error::Result;
use crate::study::events::point::{Drawn, Located};

/// The values of a setting, by the names of its parameters. What is not named is absent.
pub type Setting = BTreeMap<String, Value>;

/// The points of settings, in their order.
///
/// # Errors
/// `UnknownParameter` for a name that the domain does not have; those of
/// [`Domain::to_unit`]. All name the setting by its number, the first being 1.
pub fn points(domain: &Domain, settings: &[Setting]) -> Result<Vec<Drawn>> {
    let numbered = settings.iter().enumerate();
    let at = |(index, setting)| {
        point(domain, setting).map_err(|error| error.at(format!("first: setting {}", index + 1)))
    };
    numbered.map(at).collect()
}

/// The point of a setting.
///
/// # Errors
/// Those of [`points`].
pub(super) fn point(domain: &Domain, setting: &Setting) -> Result<Drawn> {
    let names = domain.names();
    if let Some(name) = setting.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(unknown(name, names.into_iter()));
    }
    let value = |(index, name): (usize, &&str)| match setting.get(*name) {
        Some(value) => value.clone(),
        None => only(domain, index).unwrap_or(Value::Absent),
    };
    let values: Vec<Value> = names.iter().enumerate().map(value).collect();
    Located::new(domain, &values).map(|located| located.drawn)
}

/// The value of a parameter that always exists and has one value alone. It need not be named.
fn only(domain: &Domain, index: usize) -> Option<Value> {
    let Domain::Space(space) = domain else { return None };
    let parameter = &space.parameters()[index];
    parameter.kind().only().filter(|_| parameter.conditions().is_empty())
}
