//! The points before the first model.
//!
//! | file | holds |
//! | --- | --- |
//! | `first`, `warm_start` | the settings that a study begins with; those that did best in earlier studies |
//! | `design` | these, then points that fill the space |
//! | `covering` | what fills it: names in turn, the rows of a table that cover most |
//! | `within`, `cost_aware` | those that cost no more than a limit; expensive ones last |

mod covering;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
mod design;
mod first;
mod cost_aware;
mod warm_start;
mod within;

pub(super) use cost_aware::cheap;
pub(super) use covering::{Rows, balanced, chance};
pub use design::usual_design;
pub(super) use design::{AHEAD, Design, has_points_besides, no_cost_known};
pub(super) use first::{Setting, points};
pub use warm_start::warm_start;
