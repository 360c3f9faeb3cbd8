//! (to be written)

/// x
pub struct Observations {}
