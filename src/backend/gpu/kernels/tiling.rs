//! How a workgroup makes a tile of a product with the inverse factor.

use std::fmt;

use super::layout::TILE;
use crate::backend::Precision;

/// How a workgroup makes a tile of a product, 64 columns wide.
///
/// Each element is summed in the same order in all of them. So a choice among them changes times and
/// no number, as long as the driver rounds the sums alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Rows of the tile.
    height: usize,
    /// Rows and columns that an invocation makes.
    edge: usize,
    /// Columns of the left factor that pass through workgroup memory at a time.
    depth: usize,
    /// Slabs that workgroup memory holds.
    buffers: usize,
}

/// Blocks of data up to which no tile is taller than a block: there the device has work for few
/// workgroups, and half as many would leave more of it idle.
pub const FEW_BLOCKS: usize = 4;

impl Tiling {
    /// All of them, the default first. An adapter that can be used allows each; a program's own
    /// device may have lower limits.
    pub const ALL: [Self; 6] = [
        Self { height: TILE, edge: 8, depth: 16, buffers: 1 },
        Self { height: TILE, edge: 8, depth: 8, buffers: 1 },
        Self { height: TILE, edge: 4, depth: 16, buffers: 1 },
        Self { height: TILE, edge: 4, depth: 8, buffers: 1 },
        Self { height: 2 * TILE, edge: 8, depth: 16, buffers: 2 },
        Self { height: 2 * TILE, edge: 8, depth: 8, buffers: 2 },
    ];

    /// The one that is taken if no other is measured to be quicker.
    pub const DEFAULT: Self = Self::ALL[0];

    /// The values of the `override` constants of the shader.
    pub fn constants(self) -> [(&'static str, u32); 4] {
        [
            ("HEIGHT", self.height as u32),
            ("EDGE", self.edge as u32),
            ("DEPTH", self.depth as u32),
            ("BUFFERS", self.buffers as u32),
        ]
    }

    /// Rows of workgroups for so many blocks of data.
    pub fn rows_of_groups(self, blocks: usize) -> usize {
        blocks.div_ceil(self.height / TILE)
    }

    /// Whether a tile is taller than a block.
    pub fn is_tall(self) -> bool {
        self.height > TILE
    }

    /// Whether a device of these limits can do it.
    pub fn is_within(self, limits: &wgpu::Limits, precision: Precision) -> bool {
        let invocations = TILE / self.edge * (self.height / self.edge);
        // Slabs of each factor.
        let memory = self.buffers * self.depth * (self.height + TILE) * precision.size();
        invocations <= limits.max_compute_invocations_per_workgroup as usize
            && invocations <= limits.max_compute_workgroup_size_x as usize
            && memory <= limits.max_compute_workgroup_storage_size as usize
    }
}

impl fmt::Display for Tiling {
    /// Outputs of an invocation and depth of a slab, such as `8x8 by 16`, and the rows of a tall tile.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0} by {1}", self.edge, self.depth)?;
        if self.is_tall() { write!(f, " tall") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiling_is_not_tried_beyond_the_limits_of_a_device() {
        // What every implementation of WebGPU has.
        let usual = wgpu::Limits::default();
        let few = wgpu::Limits { max_compute_invocations_per_workgroup: 128, ..usual.clone() };
        let narrow = wgpu::Limits { max_compute_workgroup_size_x: 255, ..usual.clone() };
        let small = wgpu::Limits { max_compute_workgroup_storage_size: 16_383, ..usual.clone() };
        let large = wgpu::Limits { max_compute_workgroup_storage_size: 49_152, ..usual.clone() };
        let [deep, shallow, deep_small, shallow_small, deep_tall, shallow_tall] = Tiling::ALL;
        let flat = vec![deep, shallow, deep_small, shallow_small];
        for (limits, precision, expected) in [
            (&usual, Precision::F32, [&flat[..], &[shallow_tall]].concat()),
            (&usual, Precision::F64, flat.clone()),
            (&large, Precision::F32, Tiling::ALL.to_vec()),
            (&large, Precision::F64, [&flat[..], &[deep_tall, shallow_tall]].concat()),
            (&few, Precision::F32, vec![deep, shallow, shallow_tall]),
            (&narrow, Precision::F64, vec![deep, shallow]),
            (&small, Precision::F32, [&flat[..], &[shallow_tall]].concat()),
            (&small, Precision::F64, vec![shallow, shallow_small]),
        ] {
            let found: Vec<Tiling> =
                Tiling::ALL.into_iter().filter(|it| it.is_within(limits, precision)).collect();
            assert_eq!(found, expected, "{precision}");
        }
    }
}
