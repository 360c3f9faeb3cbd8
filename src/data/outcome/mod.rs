//! Outcomes as a model sees them: direction, scale, warp.

pub(in crate::data) mod direction;
pub(in crate::data) mod outcome_scale;
pub(crate) mod scaling;
pub(in crate::data) mod tail;
pub(in crate::data) mod warp;
