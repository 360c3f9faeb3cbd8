//! What is believed of learning curves and folds: one Gaussian process over settings and shares of a
//! run.
//!
//! ```text
//! reports -> scale -> fit -> belief: ends of runs, and what their next reports may say
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `kernel`, `folds` | the covariance of reports: learning curves, or folds of a cross-validation |
//! | `entry`, `scale` | outcomes as values of the model |
//! | `answers` | what is known of items of 0 and 1 before they are judged |
//! | `part`, `fitting` | of many reports those that are fitted to; the likelihood and its maximum |
//! | `fit` | what was found, as data |
//! | `belief`, `prospect` | the posterior after all reports, and of the rest of a run |
//! | `costs` | what runs cost |

mod answers;
pub mod belief;
pub mod entry;
pub mod costs;
mod fit;
mod fitting;
mod folds;
pub mod kernel;
mod part;
pub mod prospect;
pub mod scale;

pub use fit::StagedFit;
