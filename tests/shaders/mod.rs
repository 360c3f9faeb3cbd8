//! The shaders: valid WGSL without a device, and on one against the oracles.

mod validity;
