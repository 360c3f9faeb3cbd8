//! The one test binary.

mod layers;
mod loops;
mod oracles;
mod properties;
mod support;
