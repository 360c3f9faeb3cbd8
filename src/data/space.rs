//! (to be written)

/// x
pub struct Space {}
