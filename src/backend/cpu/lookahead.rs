//! Trees of a batch. A thread takes a tile of trees from kernel values to values and gradients.
//!
//! The points of a tile's trees share their triangular solves: one pair for each process, and one
//! more pair with gradients. Scratch memory is that of [`branches`](crate::posterior::branches),
//! for trees with together at least about 64 points.

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
    // The error that comes first in order is the same for any number of threads.
    let floored: Vec<Result<usize>> =
        tiles.map_init(Scratch::default, |scratch, tile| scratch.tile(plan, tile)).collect();
    scores.floored = floored.into_iter().sum::<Result<usize>>()?;
    Ok(())
}

impl Scratch {
    /// Computes a tile. Returns how many variances of roots were raised to the floor.
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
