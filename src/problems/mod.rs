//! Synthetic problems with known answers: analytic functions, draws of Gaussian processes, and costs to go with them; and two simulators, of
//! an invasion of pests and of hands that push objects over a table.
//!
//! Every transcendental function comes from `libm` and every random number from a seeded [`Pcg64`](rand_pcg::Pcg64), so a problem
//! is the same function to the last bit for every policy, on every machine.

pub mod costs;
pub mod functions;
pub mod gp_draw;
pub mod pest_control;
pub mod pushing;

pub use functions::{Problem, ackley, branin, hartmann3, hartmann6, levy, rosenbrock};
pub use gp_draw::GpDraw;
pub use pest_control::PestControl;
pub use pushing::{Pushing3, Pushing4, Pushing14};
