//! The shaders: valid WGSL without a device, and on one against the oracles.

mod acquisitions;
mod functions;
mod validity;
