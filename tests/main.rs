//! The one test binary.

mod journal;
mod layers;
mod loops;
mod oracles;
mod properties;
#[cfg(feature = "gpu")]
mod shaders;
mod support;
