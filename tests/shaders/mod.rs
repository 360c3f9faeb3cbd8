//! The shaders: valid WGSL without a device, and results on a device against the oracles.

mod acquisitions;
mod agreement;
mod contraction;
mod failures;
mod fit;
mod functions;
mod life;
mod lookahead;
mod pathwise;
mod pending;
mod scratch;
mod search;
mod selection;
mod success;
mod translation;
mod tilings;
mod pending_scores;
mod validity;
