//! Minimization in a box by L-BFGS-B, one evaluation at a time.
//!
//! A [`Lbfgsb`] holds one minimization and never calls the function. It names a point, and the
//! caller brings value and gradient, until the [`Status`] is no longer
//! [`Running`](Status::Running). A caller can therefore step hundreds of minimizations together,
//! with one batch of evaluations per round. [`Lbfgsb::new`] allocates all work space, some
//! `(2 m + 14) d` numbers.
//!
//! One iteration:
//!
//! 1. Find the generalized Cauchy point of the quadratic model along the projected gradient path
//!    (`cauchy`).
//! 2. Find the minimum of the model over the coordinates that are free there, projected onto the
//!    box (`subspace`).
//! 3. Search along the line to that minimum (`line_search`).
//! 4. Add the new pair of step and gradient change to the model (`memory`), unless its curvature is
//!    lost in rounding.
//!
//! Where linear rows cut the box, the minimum of the model within all of them takes the place of the first
//! two (`rows`).
//!
//! If the model is no longer positive definite or the search fails, the memory is dropped and the
//! iteration starts again with steepest descent. A value that is not finite counts as a step that
//! is too long: the search goes back.
//!
//! ```
//! use gittins::internals::lbfgsb::{Settings, Status, minimize};
//! // The nearest point of the box [1, 2] x [-1, 1] to (0, 1/2).
//! let squared_distance = |x: &[f64], gradient: &mut [f64]| {
//!     gradient.copy_from_slice(&[2.0 * x[0], 2.0 * (x[1] - 0.5)]);
//!     x[0].powi(2) + (x[1] - 0.5).powi(2)
//! };
//! let minimum = minimize(&[2.0, -1.0], &[1.0, -1.0], &[2.0, 1.0], &Settings::default(), squared_distance)?;
//! assert_eq!(minimum.status, Status::ConvergedGradient);
//! assert!((minimum.value - 1.0).abs() < 1e-9);
//! # Ok::<(), gittins::Error>(())
//! ```
//!
//! References: Byrd, Lu, Nocedal, Zhu (1995), A limited memory algorithm for bound constrained
//! optimization, SIAM Journal on Scientific Computing 16; Zhu, Byrd, Lu, Nocedal (1997), Algorithm
//! 778: L-BFGS-B, ACM Transactions on Mathematical Software 23; Morales, Nocedal (2011), Remark on
//! Algorithm 778, ibid. 38. The constants and the tests are those of version 3.0, so iterations
//! agree with `SciPy`'s.

mod bounds;
mod cauchy;
mod line_search;
mod memory;
mod rows;
mod settings;
mod state;
mod subspace;

use crate::error::Result;

pub use settings::{Settings, Status};
pub use state::Lbfgsb;

/// The result of a minimization.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Minimum {
    /// The best point.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Why it ended.
    pub status: Status,
    /// The number of iterations.
    pub iterations: usize,
    /// The number of evaluations.
    pub evaluations: usize,
}

/// Minimizes a function that returns its value and fills its gradient.
///
/// # Errors
/// Those of [`Lbfgsb::new`]. A minimization that fails is not an error but a [`Status`].
pub fn minimize(
    start: &[f64],
    lower: &[f64],
    upper: &[f64],
    settings: &Settings,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Result<Minimum> {
    let mut state = Lbfgsb::new(start, lower, upper, settings)?;
    let mut gradient = vec![0.0; start.len()];
    while state.status() == Status::Running {
        let value = function(state.point(), &mut gradient);
        state.advance(value, &gradient);
    }
    Ok(Minimum::of(&state))
}

impl Minimum {
    /// The best point of a minimization so far.
    pub(crate) fn of(state: &Lbfgsb) -> Self {
        let (point, value) = state.best();
        Self {
            point: point.to_vec(),
            value,
            status: state.status(),
            iterations: state.iterations(),
            evaluations: state.evaluations(),
        }
    }
}
