//! A batch of rows, as the device takes it.

use std::ops::Range;

use super::price::CostInput;
use crate::acquisition::PointwiseKind;
use crate::backend::Precision;
use crate::backend::gpu::kernels::layout::{ScoreSuccess, Shape, TILE};
use crate::backend::gpu::resident::inverted::Inverted;
use crate::backend::search::Drawn;
use crate::data::Points;
use crate::posterior::{Path, Pending, Posterior};

/// What is made of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Scores, and gradients if they are wanted.
    Scores,
    /// Moments along branches, and slopes if gradients will be wanted.
    Moments,
    /// Gradients from the adjoints of moments. If `kept`, the slopes and whitened values of the
    /// moments are still on the device.
    Adjoints { kept: bool },
}

impl Pass {
    /// Whether the pass starts from the points. Otherwise the pass before has left what it needs.
    pub fn needs_points(self) -> bool {
        self != Self::Adjoints { kept: true }
    }
}

/// Where the rows of a batch come from.
#[derive(Clone, Copy)]
pub enum Rows<'a> {
    /// The host sends them.
    Sent(&'a Points),
    /// The device makes points of a Sobol sequence.
    Drawn(&'a Drawn<'a>),
    /// The points that as many climbs on the device want to know.
    Climbs(usize),
}

/// Where the points of a chunk come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Sent,
    Drawn,
    Climbs,
}

impl Rows<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Sent(points) => points.len(),
            Self::Drawn(drawn) => drawn.rows.len(),
            Self::Climbs(count) => *count,
        }
    }

    /// Where they come from.
    pub fn source(&self) -> Source {
        match self {
            Self::Sent(_) => Source::Sent,
            Self::Drawn(_) => Source::Drawn,
            Self::Climbs(_) => Source::Climbs,
        }
    }
}

/// A batch of rows. A row holds one point, or the points of a tree.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub outcome: &'a Posterior,
    /// The posterior of the log cost, if the pass needs it.
    pub log_cost: Option<&'a Posterior>,
    /// The posterior that tells about success, if the pass needs it.
    pub latent: Option<&'a Posterior>,
    /// Inverse factors that were made before, of posteriors that may have to be sent.
    pub inverted: &'a [Inverted],
    /// The pending trials, if the score depends on them.
    pub pending: Option<&'a Pending>,
    /// The sample path that is scored.
    pub path: Option<&'a Path>,
    pub rows: Rows<'a>,
    pub precision: Precision,
    pub pass: Pass,
    /// The acquisition that the score shader computes.
    pub kind: PointwiseKind,
    pub cost: CostInput,
    /// How the probability of success enters the score.
    pub success: ScoreSuccess,
    pub gradient: bool,
    /// Points of a tree; 0 if a row holds one point.
    pub nodes: usize,
    /// Pairs along the branches of a tree.
    pub pairs: usize,
    /// Multiplications and additions for one point.
    pub operations: f64,
}

impl<'a> Batch<'a> {
    /// The posteriors of outcome and log cost, and that which tells about success.
    pub fn posteriors(&self) -> [Option<&'a Posterior>; 3] {
        [Some(self.outcome), self.log_cost, self.latent]
    }

    /// Points of a row.
    pub fn points_of_a_row(&self) -> usize {
        self.nodes.max(1)
    }

    /// The shape of a chunk. The blocks of data rows are those of a posterior, and differ between
    /// outcome, log cost and success.
    pub fn shape(&self, rows: &Range<usize>) -> Shape {
        let count = rows.len() * self.points_of_a_row();
        let pending = self.pending.map_or(0, Pending::rows);
        let blocks = |of: Option<&Posterior>| of.map_or(0, |of| of.rows().div_ceil(TILE));
        Shape {
            blocks: self.outcome.rows().div_ceil(TILE),
            dim: self.outcome.dim(),
            stride: count.next_multiple_of(TILE),
            count,
            cost_blocks: blocks(self.log_cost),
            success_blocks: blocks(self.latent),
            nodes: self.nodes,
            pairs: self.pairs,
            pending,
            before_pending: self.outcome.rows() - pending,
            ..Shape::default()
        }
    }
}
