//! The compute shaders' side of the engine.

pub mod source;
