//! A run with control sets as a table of numbers.

mod chosen;
mod columns;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
mod record;
mod row;

pub use chosen::Chosen;
pub use record::SubsetRecord;
pub use row::SubsetRow;
