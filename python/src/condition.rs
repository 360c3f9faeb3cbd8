//! What must hold of a point that is asked for.

use gittins::data::{Condition, Requirement};
use pyo3::prelude::*;

use crate::scalar::{Point, values_of};

/// What must hold of a parameter, as a dictionary: its name, and one requirement by its name.
#[derive(FromPyObject)]
pub enum Wanted {
    #[pyo3(from_item_all)]
    Is { parameter: String, is: Point },
    #[pyo3(from_item_all)]
    IsIfPresent { parameter: String, is_if_present: Point },
    #[pyo3(from_item_all)]
    AtLeast { parameter: String, at_least: f64 },
    #[pyo3(from_item_all)]
    AtMost { parameter: String, at_most: f64 },
}

impl From<Wanted> for Condition {
    fn from(wanted: Wanted) -> Self {
        let (parameter, requirement) = match wanted {
            Wanted::Is { parameter, is } => (parameter, Requirement::Is(values_of(is))),
            Wanted::IsIfPresent { parameter, is_if_present } => {
                (parameter, Requirement::IsIfPresent(values_of(is_if_present)))
            }
            Wanted::AtLeast { parameter, at_least } => (parameter, Requirement::AtLeast(at_least)),
            Wanted::AtMost { parameter, at_most } => (parameter, Requirement::AtMost(at_most)),
        };
        Self { parameter, requirement }
    }
}
