//! The functions of which a sample path is the weighted sum: random Fourier features and kernel
//! values. A kernel of low rank needs no features, and its kernel values are those with the axes.

use std::fmt;

use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::model::kernel::PackedPoints;
use crate::model::{KernelFamily, check_finite};
use crate::posterior::features::Features;

/// The functions of which a path is the weighted sum.
#[derive(PartialEq)]
pub(crate) struct Basis {
    pub family: KernelFamily,
    pub outputscale: f64,
    pub mean: f64,
    pub features: Features,
    pub inputs: PackedPoints,
}

/// The memory of one thread, kept between tiles.
#[derive(Default)]
pub(crate) struct Workspace {
    pub(super) embedded: Vec<f64>,
    pub(super) columns: Vec<f64>,
    pub(super) kernel_slopes: Vec<f64>,
    pub(super) slopes: Vec<f64>,
    pub(super) sums: Vec<f64>,
    pub(super) pulled: Vec<f64>,
}

impl Basis {
    pub(super) fn dim(&self) -> usize {
        self.features.dim()
    }

    /// The number of sines and cosines, padding included.
    pub(super) fn prior_len(&self) -> usize {
        2 * self.features.padded_len()
    }

    /// The number of functions, padding included.
    pub(super) fn len(&self) -> usize {
        self.prior_len() + self.inputs.padded_len()
    }

    /// The functions at the points of a tile, a column for each point. With `slopes` the workspace
    /// gets the kernel's slopes, in columns of the same stride.
    pub(super) fn tile<'a>(
        &self,
        rows: &[f64],
        workspace: &'a mut Workspace,
        slopes: bool,
    ) -> &'a [f64] {
        let (d, stride, prior) = (self.dim(), self.len(), self.prior_len());
        let count = rows.len() / d;
        let width = self.inputs.width();
        workspace.embedded.resize(count * width, 0.0);
        workspace.columns.resize(count * stride, 0.0);
        workspace.kernel_slopes.resize(if slopes { count * stride } else { 0 }, 0.0);
        for (row, out) in rows.chunks_exact(d).zip(workspace.embedded.chunks_exact_mut(width)) {
            self.inputs.embed(row, out);
        }
        self.features.tile(rows, stride, &mut workspace.columns);
        let slopes = slopes.then_some(&mut workspace.kernel_slopes[..]);
        self.inputs.tile(
            (self.family, self.outputscale),
            0,
            &workspace.embedded,
            stride,
            &mut workspace.columns[prior..],
            slopes,
        );
        &workspace.columns
    }

    pub(super) fn check(&self, points: &Points) -> Result<()> {
        if points.dim() != self.dim() {
            let message =
                format!("points of {} coordinates for paths of {}", points.dim(), self.dim());
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        check_finite(points)
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let features = 2 * self.features.frequencies();
        let inputs = self.inputs.len();
        let dim = self.dim();
        write!(f, "{features} features and {inputs} data in {dim} dimensions")
    }
}
