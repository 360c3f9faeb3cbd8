//! What the columns of a sheet are called.

/// The columns of an export before those of the parameters.
pub const BEFORE: [&str; 3] = ["trial", "origin", "state"];

/// The columns of results.
pub const OUTCOME: &str = "outcome";
/// See [`OUTCOME`].
pub const COST: &str = "cost";
/// See [`OUTCOME`].
pub const WHY: &str = "why";

/// The fixed columns of an export.
pub const FIXED: [&str; 6] = [BEFORE[0], BEFORE[1], BEFORE[2], OUTCOME, COST, WHY];

/// The fixed columns of an export of runs in stages.
pub const FIXED_OF_STAGES: [&str; 7] =
    ["trial", "state", "progress", "outcome", "cost", "paid", "why"];

/// What stands before the name of a parameter that would be another column.
const PARAMETER: &str = "parameter ";

/// What stands before the name of a measured number that would be another column.
const MEASURED: &str = "measured ";

fn begins_like_another(name: &str) -> bool {
    name.starts_with(PARAMETER) || name.starts_with(MEASURED)
}

/// The column of a parameter: its name, with `parameter` before one that is a fixed column too.
pub fn of_parameter(name: &str, fixed: &[&str]) -> String {
    if fixed.contains(&name) || begins_like_another(name) { in_full(name) } else { name.to_owned() }
}

/// The column of a parameter, whatever else there is.
pub fn in_full(name: &str) -> String {
    format!("{PARAMETER}{name}")
}

/// The column of a number that is measured beside the outcome: its name, with `measured` before one
/// that is a fixed column or a parameter too.
pub fn of_measured<'a>(
    name: &str,
    fixed: &[&str],
    mut parameters: impl Iterator<Item = &'a str>,
) -> String {
    let is_taken = fixed.contains(&name) || parameters.any(|parameter| parameter == name);
    if is_taken || begins_like_another(name) { measured_in_full(name) } else { name.to_owned() }
}

/// The column of a measured number, whatever else there is.
pub fn measured_in_full(name: &str) -> String {
    format!("{MEASURED}{name}")
}
