//! The points before the first model.
//!
//! | file | holds |
//! | --- | --- |
//! | `first`, `warm_start` | the settings that a study begins with; those that did best in earlier studies |
//! | `design` | these, then points that fill the space |
//! | `within`, `thrift` | those that cost no more than a limit; expensive ones last |

#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
mod design;
mod first;
mod thrift;
mod warm_start;
mod within;

pub use design::usual_design;
pub(super) use design::{AHEAD, Design, distance, has_points_besides, no_cost_known};
pub(super) use first::{Setting, points};
pub(super) use thrift::cheap;
pub use warm_start::warm_start;
