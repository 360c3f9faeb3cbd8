//! What a search of partial queries maximizes.

use gittins::internals::Phase;
use gittins::{Points, Result};

/// The worth of partial queries of some control sets.
pub trait Objective {
    /// Values of the queries of each set, with gradients if wanted. To find where they are large,
    /// fewer completions may do, on a device in single precision.
    fn evaluate(&self, queries: &[Points], phase: Phase, gradient: bool) -> Result<Vec<Expected>>;
}

/// Values of partial queries, with gradients by the controlled coordinates. The gradients are empty
/// if none were asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expected {
    /// One for each query.
    pub value: Vec<f64>,
    /// `b x |controlled|`.
    pub gradient: Vec<f64>,
}

impl From<Vec<(f64, Vec<f64>)>> for Expected {
    fn from(rows: Vec<(f64, Vec<f64>)>) -> Self {
        let (value, gradients): (Vec<f64>, Vec<Vec<f64>>) = rows.into_iter().unzip();
        Self { value, gradient: gradients.concat() }
    }
}

/// How many quasi-random completions are enough to find where a mean over all of them is large.
pub(in crate::control) const SCREEN: usize = 64;
