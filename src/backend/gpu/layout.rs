//! What the shaders and the host agree on: sizes of tiles, and the shape of a chunk.

/// Rows or points of a block, and the side of a tile of a product: every matrix on the device is
/// padded to whole blocks.
pub(super) const TILE: usize = 64;

/// Columns of the left factor that pass through workgroup memory at a time: two slabs in double
/// precision take the 16 KiB that every adapter has.
pub(super) const DEPTH: usize = 16;

/// Points and dimensions that a workgroup of the gradient takes.
pub(super) const GRADIENT_POINTS: usize = 16;
pub(super) const GRADIENT_DIMS: usize = 8;

/// A count as the device takes it; no batch within an adapter's limits has a larger one than that.
pub(super) fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The shape of a chunk, as a uniform buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Shape {
    /// Blocks of data rows.
    pub blocks: usize,
    pub dim: usize,
    /// Points with padding: the length of a row of every matrix of the chunk.
    pub stride: usize,
    pub count: usize,
    /// Blocks of data rows of the log-cost posterior.
    pub cost_blocks: usize,
    /// Blocks of frequencies of a sample path.
    pub wave_blocks: usize,
    /// Points of a tree, and pairs along its branches.
    pub nodes: usize,
    pub pairs: usize,
}

impl Shape {
    /// Covariances of a chunk of trees.
    pub fn covariances(self) -> usize {
        self.count.checked_div(self.nodes).unwrap_or(0) * self.pairs
    }

    /// In the order of the struct in [`wgsl`].
    pub fn words(self) -> [u32; 8] {
        let Self { blocks, dim, stride, count, cost_blocks, wave_blocks, nodes, pairs } = self;
        [blocks, dim, stride, count, cost_blocks, wave_blocks, nodes, pairs].map(word)
    }
}

/// The same for the shaders, imported as `layout`.
pub(super) fn wgsl() -> String {
    format!(
        "const TILE: u32 = {TILE}u;\nconst DEPTH: u32 = {DEPTH}u;\nconst GRADIENT_POINTS: u32 = {GRADIENT_POINTS}u;\n\
         const GRADIENT_DIMS: u32 = {GRADIENT_DIMS}u;\n\
         struct Shape {{\n    blocks: u32, dim: u32, stride: u32, count: u32, cost_blocks: u32, wave_blocks: u32, nodes: u32, pairs: u32\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_has_its_words_where_the_shaders_look_for_them() {
        let module = naga::front::wgsl::parse_str(&wgsl()).unwrap();
        let (_, shape) =
            module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some("Shape")).unwrap();
        let naga::TypeInner::Struct { members, span } = &shape.inner else {
            panic!("Shape is no struct")
        };
        let words = Shape {
            blocks: 1,
            dim: 2,
            stride: 3,
            count: 4,
            cost_blocks: 5,
            wave_blocks: 6,
            nodes: 7,
            pairs: 8,
        }
        .words();
        let expected =
            ["blocks", "dim", "stride", "count", "cost_blocks", "wave_blocks", "nodes", "pairs"];
        assert_eq!(members.len(), expected.len());
        for (member, (name, word)) in members.iter().zip(expected.iter().zip(1..)) {
            assert_eq!(member.name.as_deref(), Some(*name));
            assert_eq!(words[member.offset as usize / 4], word, "{name}");
        }
        assert!(*span as usize <= size_of_val(&words));
    }
}
