//! The points of two objectives that no other dominates, as stairs, and a sweep down a third one.

pub(crate) use crate::data::MOST_OBJECTIVES;

/// A number for each objective. What is beyond the number of objectives is zero.
pub(super) type Each = [f64; MOST_OBJECTIVES];

/// The points, those with a larger third objective first.
pub(super) fn from_the_top(points: &[Each]) -> Vec<Each> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| b[2].total_cmp(&a[2]));
    sorted
}

/// A part of the plane that is not dominated: `[left, right) x [floor, infinity)`. It is so below
/// `top` of the third objective.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strip {
    pub left: f64,
    pub right: f64,
    pub floor: f64,
    pub top: f64,
}

/// The strips above stairs that go down from left to right. The first begins at the reference
/// point, and the last one is unbounded to the right.
#[derive(Debug, Clone)]
pub(super) struct Staircase {
    strips: Vec<Strip>,
    floor: f64,
}

impl Staircase {
    /// No stairs: one strip from the reference point on.
    pub fn new(left: f64, floor: f64) -> Self {
        let all = Strip { left, right: f64::INFINITY, floor, top: f64::INFINITY };
        Self { strips: vec![all], floor }
    }

    /// Adds a point at the height `z` of the third objective, which is at most that of all points
    /// before. `closed` gets the strips that end there.
    ///
    /// The strips between the point and the stairs end. At most two begin: what is above the point,
    /// and the rest of the last strip if it reaches further to the right. So `n` points end and
    /// leave `2 n + 1` strips at most.
    pub fn add(&mut self, [x, y]: [f64; 2], z: f64, mut closed: impl FnMut(Strip)) {
        let first = self.strips.partition_point(|strip| strip.floor >= y);
        let end = self.strips.partition_point(|strip| strip.left < x);
        if first >= end {
            return;
        }
        let left = self.strips[first].left;
        let last = self.strips[end - 1];
        // Points of the same height dominate in the plane without a volume between them.
        self.strips[first..end]
            .iter()
            .filter(|strip| strip.top > z)
            .for_each(|strip| closed(*strip));
        let above = Strip { left, right: x, floor: y, top: z };
        let rest = (last.right > x).then_some(Strip { left: x, top: z, ..last });
        self.strips.splice(first..end, std::iter::once(above).chain(rest));
    }

    /// The strips from left to right.
    pub fn strips(&self) -> &[Strip] {
        &self.strips
    }

    /// The area between the reference point and the stairs.
    pub fn area(&self) -> f64 {
        let stairs = &self.strips[..self.strips.len() - 1];
        // A sum of nothing would be minus zero.
        let parts =
            stairs.iter().map(|strip| (strip.right - strip.left) * (strip.floor - self.floor));
        parts.fold(0.0, |area, part| area + part)
    }
}
