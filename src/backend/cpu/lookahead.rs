//! Trees of a batch: a thread takes a tile of them from kernel values to values and gradients.
//!
//! The points of a tile's trees share their triangular solves, one pair for each process and one
//! more with gradients. Scratch is that of [`branches`](crate::posterior::branches), for trees of
//! some 64 points together at least.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::backend::Scores;
use crate::backend::trees::{Plan, Tile, Valuer};
use crate::data::Points;
use crate::error::Result;
use crate::posterior::branches::BranchTile;

/// The memory of one thread.
#[derive(Default)]
struct Scratch {
    tiles: [BranchTile; 2],
    valuer: Valuer,
}

/// Scores rows that hold the points of a tree.
pub(super) fn trees(plan: &Plan<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
    let tiles = plan.tiles(points, scores).into_par_iter();
    // The first error in order is the same on any number of threads.
    let floored: Vec<Result<usize>> =
        tiles.map_init(Scratch::default, |scratch, tile| scratch.tile(plan, tile)).collect();
    scores.floored = floored.into_iter().sum::<Result<usize>>()?;
    Ok(())
}

impl Scratch {
    /// Returns how many variances of roots were floored.
    fn tile(&mut self, plan: &Plan<'_>, mut out: Tile<'_>) -> Result<usize> {
        let (branches, with_gradient) = (plan.tree.branches(), out.gradient.is_some());
        let Self { tiles, valuer } = self;
        for (posterior, tile) in plan.processes.iter().zip(&mut *tiles) {
            if let Some(posterior) = posterior {
                posterior.along_branches(branches, out.rows, with_gradient, tile);
            }
        }
        let floored = valuer.tile(
            plan,
            &mut out,
            tiles.each_mut().map(|tile| [&mut tile.mean[..], &mut tile.covariance[..]]),
        )?;
        let Some(gradient) = &mut out.gradient else { return Ok(floored) };
        for (posterior, tile) in plan.processes.iter().zip(tiles) {
            if let Some(posterior) = posterior {
                posterior.add_branch_gradients(branches, tile, gradient);
            }
        }
        Ok(floored)
    }
}
