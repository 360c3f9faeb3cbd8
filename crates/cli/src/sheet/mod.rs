//! A sheet: trials as a table of text, which `gittins export` writes and `gittins import` reads.
//!
//! ```text
//! column      what the columns are called
//! cell        what stands in a cell
//! writing     the rows of a study
//! text        a file as rows of cells, with the line of each
//! rows        the evaluations that the rows say
//! evaluations those that a study has
//! ```

pub mod cell;
pub mod column;
pub mod evaluations;
pub mod rows;
#[cfg(test)]
mod tests;
pub mod text;
pub mod writing;
