//! (to be written)

pub mod functions;
pub mod costs;
pub mod gp_draw;
