//! The problems of the papers, with their known answers: analytic functions, draws of Gaussian
//! processes, costs, simulators, and problems from published data.
//!
//! - [`functions`]: Branin, Ackley, Levy, Rosenbrock, Hartmann, Dropwave, Alpine1, Shekel, with
//!   bounds, optima and sources,
//! - [`exponentials`]: sums of squared exponentials, which some of them are,
//! - [`gp_draw`]: draws of a Gaussian process; [`optimum`](mod@optimum): the place where a draw is
//!   largest; [`interpolated_draw`]: a draw that is known at random points,
//! - [`costs`] and [`cost_family`]: what an evaluation costs,
//! - [`bump`]: an objective and a cost that mislead improvement, with or without costs,
//! - [`control`]: problems in which some variables are set at a price and nature draws the others,
//!   with exact expectations,
//! - [`pest_control`] and [`pushing`]: simulators of an invasion of pests and of hands that push
//!   objects over a table,
//! - `datasets` (a feature of that name): surrogates and tables that are read from files of the
//!   user.
//!
//! Every transcendental function comes from `libm` and every random number from a seeded
//! [`Pcg64`](rand_pcg::Pcg64), so a problem is the same function to the last bit for every policy
//! and on every machine. An [`InterpolatedDraw`] is the same to rounding on other machines, because
//! its weights need a factor.

mod check;

pub mod bump;
pub mod control;
pub mod cost_family;
pub mod costs;
#[cfg(feature = "datasets")]
pub mod datasets;
pub mod exponentials;
pub mod functions;
pub mod gp_draw;
pub mod interpolated_draw;
pub mod optimum;
pub mod pest_control;
pub mod pushing;

pub use bump::{Bump, BumpVariant};
pub use control::{ControlProblem, ExpectedObjective, SetCosts};
pub use cost_family::CostFamily;
pub use exponentials::SquaredExponentials;
pub use functions::{
    Problem, ackley, alpine1, alpine1_roots, branin, dropwave, hartmann3, hartmann6, levy,
    rosenbrock, shekel5,
};
pub use gp_draw::GpDraw;
pub use interpolated_draw::InterpolatedDraw;
pub use optimum::{Optimum, optimum, published_optimum};
pub use pest_control::PestControl;
pub use pushing::{Pushing3, Pushing4, Pushing14};
