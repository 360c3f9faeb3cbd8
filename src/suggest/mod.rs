//! (to be written)

pub mod policy;
