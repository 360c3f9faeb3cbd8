//! Invariants, gradients, and append equals build anew.

mod acquisition;
mod backend;
mod fit;
mod likelihood;
mod maximize;
mod posterior;
mod space;
mod study;
