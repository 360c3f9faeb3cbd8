//! (to be written)

/// x
pub struct Table {}
