//! Synthetic problems with known answers: analytic functions, draws of Gaussian processes, and costs to go with them; with the feature
//! `datasets` also problems that are read from published data.
//!
//! Every transcendental function comes from `libm` and every random number from a seeded [`Pcg64`](rand_pcg::Pcg64), so a problem
//! is the same function to the last bit for every policy, on every machine.

pub mod costs;
#[cfg(feature = "datasets")]
pub mod datasets;
pub mod functions;
pub mod gp_draw;

pub use functions::{Problem, ackley, branin, hartmann3, hartmann6, levy, rosenbrock};
pub use gp_draw::GpDraw;
