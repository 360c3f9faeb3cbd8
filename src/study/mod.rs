//! (to be written)

pub mod trial;
