//! A sheet: trials as a table of text, which `gittins export` writes and `gittins import` reads.
//!
//! ```text
//! column      what the columns are called
//! cell        what stands in a cell
//! writing     the rows of a study
//! //! rows        the evaluations that the rows say
//! evaluations those that a study has
//! ```

pub mod cell;
pub mod column;
pub mod evaluations;
pub mod rows;
#[cfg(test)]
mod tests;
pub mod writing;
