//! A run as a table of numbers: what was asked, why, its result, and what the stopping rule saw.

mod cells;
mod columns;
#[cfg(feature = "serde")]
mod named;
mod order;
mod parts;
mod point;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
mod record;
mod row;

pub use parts::{Judged, Made, Seconds, Suggested};
pub use point::Point;
pub use record::Record;
pub use row::Row;
