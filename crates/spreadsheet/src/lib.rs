//! Reads CSV files as people and spreadsheets write them.
//!
//! ```text
//! text     a file as rows of cells, with the line of each
//! cell     what a cell says: a number, a name, nothing, or what was meant for a number
//! column   the cells of a column: numbers or names
//! number   a number in any usual spelling
//! wrong    what is wrong, and in which line
//! ```

pub mod cell;
pub mod column;
pub mod number;
pub mod text;
mod wrong;

pub use wrong::Wrong;
