//! (to be written)

pub mod gittins;
pub mod budget;
pub mod steady;
