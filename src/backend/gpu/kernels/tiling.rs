//! How a workgroup makes a tile of a product with the inverse factor.

use std::fmt;

use super::layout::TILE;
use crate::backend::Precision;

/// How a workgroup makes a tile of 64 x 64 of a product.
///
/// Each element is summed in the same order in all of them. So a choice among them changes times and
/// no number, as long as the driver rounds the sums alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Rows and columns that an invocation makes.
    edge: usize,
    /// Columns of the left factor that pass through workgroup memory at a time.
    depth: usize,
}

impl Tiling {
    /// All of them, the default first. An adapter that can be used allows each; a program's own
    /// device may have lower limits.
    pub const ALL: [Self; 4] = [
        Self { edge: 8, depth: 16 },
        Self { edge: 8, depth: 8 },
        Self { edge: 4, depth: 16 },
        Self { edge: 4, depth: 8 },
    ];

    /// The one that is taken if no other is measured to be quicker.
    pub const DEFAULT: Self = Self::ALL[0];

    /// The values of the `override` constants of the shader.
    pub fn constants(self) -> [(&'static str, u32); 2] {
        [("EDGE", self.edge as u32), ("DEPTH", self.depth as u32)]
    }

    /// Whether a device of these limits can do it.
    pub fn is_within(self, limits: &wgpu::Limits, precision: Precision) -> bool {
        let invocations = (TILE / self.edge).pow(2);
        // A slab of each factor.
        let memory = 2 * self.depth * TILE * precision.size();
        invocations <= limits.max_compute_invocations_per_workgroup as usize
            && invocations <= limits.max_compute_workgroup_size_x as usize
            && memory <= limits.max_compute_workgroup_storage_size as usize
    }
}

impl fmt::Display for Tiling {
    /// Outputs of an invocation and depth of a slab, such as `8x8 by 16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0} by {1}", self.edge, self.depth)
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
        let [deep, shallow, deep_small, shallow_small] = Tiling::ALL;
        for (limits, precision, expected) in [
            (&usual, Precision::F32, Tiling::ALL.to_vec()),
            (&usual, Precision::F64, Tiling::ALL.to_vec()),
            (&few, Precision::F32, vec![deep, shallow]),
            (&narrow, Precision::F64, vec![deep, shallow]),
            (&small, Precision::F32, vec![deep, shallow, deep_small, shallow_small]),
            (&small, Precision::F64, vec![shallow, shallow_small]),
        ] {
            let found: Vec<Tiling> =
                Tiling::ALL.into_iter().filter(|it| it.is_within(limits, precision)).collect();
            assert_eq!(found, expected, "{precision}");
        }
    }
}
