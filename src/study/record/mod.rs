//! A run as a table of numbers: what was asked, why, its result, and what the stopping rule saw.

pub(crate) mod cells;
mod columns;
#[cfg(feature = "serde")]
pub(crate) mod named;
mod order;
mod parts;
mod point;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
mod record;
mod row;

pub(crate) use parts::RowSuggestion;
pub use parts::{Judged, Made, Seconds, Suggested};
pub use point::Point;
pub(crate) use point::RowPoint;
pub use record::Record;
pub use row::Row;
