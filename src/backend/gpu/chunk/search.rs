//! The buffers of a search on the device: a part of a Sobol sequence, and climbs.
//!
//! With `w` bytes to a number, `c` climbs take `w c (17 d + 4)` bytes and 28 more each.

use std::ops::Range;

use crate::backend::Precision;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::binding::Binding;
use crate::backend::gpu::kernels::layout::word;
use crate::backend::gpu::kernels::memory::{Bindable, STORAGE, Staging, Store, UNIFORM, rest};
use crate::backend::gpu::kernels::search_layout::{
    ClimbRow, Draw, Mark, Progress, numbers_of_climbs,
};
use crate::backend::search::{Ascent, Drawn};
use crate::data::Points;
use crate::math::sobol::{BLOCK, GROUP, directions};

/// The buffers of a search.
pub struct Search {
    draw: Store,
    streams: Store,
    directions: Store,
    /// Whether the directions are there.
    directed: bool,
    sides: Store,
    moving: Store,
    pub climbs: Store,
    pub progress: Store,
    ascent: Store,
}

type Bound<'a> = (Binding, &'a dyn Bindable);

impl Search {
    pub fn new(handle: &Handle) -> Result<Self, Failure> {
        let store = |label: &'static str| Store::new(handle, label, STORAGE);
        Ok(Self {
            draw: Store::new(handle, "draw", UNIFORM)?,
            streams: store("streams")?,
            directions: store("directions")?,
            directed: false,
            sides: store("sides")?,
            moving: store("moving")?,
            climbs: store("climbs")?,
            progress: store("progress")?,
            ascent: store("ascent")?,
        })
    }

    /// What the shader of drawn points reads.
    pub fn drawn(&self) -> [Bound<'_>; 4] {
        [
            (Binding::Draw, &self.draw),
            (Binding::Streams, &self.streams),
            (Binding::Directions, &self.directions),
            (Binding::Sides, &self.sides),
        ]
    }

    /// What the shader of the climbs' points reads.
    pub fn places(&self) -> [Bound<'_>; 3] {
        [
            (Binding::Moving, &self.moving),
            (Binding::Climbs, &self.climbs),
            (Binding::Ascent, &self.ascent),
        ]
    }

    /// What the shader of a step works with.
    pub fn climbing(&self) -> [Bound<'_>; 4] {
        [
            (Binding::Moving, &self.moving),
            (Binding::Climbs, &self.climbs),
            (Binding::Progress, &self.progress),
            (Binding::Ascent, &self.ascent),
        ]
    }

    /// Sends what makes some of the points: seeds and the box. Returns whether a buffer was replaced.
    pub fn send_draw(
        &mut self,
        handle: &Handle,
        staging: &mut Staging,
        precision: Precision,
        drawn: &Drawn<'_>,
        rows: &Range<usize>,
    ) -> Result<bool, Failure> {
        let first = drawn.rows.start + rows.start;
        let last = drawn.rows.start + rows.end;
        let groups = drawn.sobol.dim().div_ceil(GROUP);
        let draw = Draw { first, groups, ..Draw::default() };
        handle.queue().write_buffer(self.draw.buffer(), 0, bytemuck::cast_slice(&draw.words()));
        let streams: Vec<[u32; 2]> = (first / BLOCK..last.div_ceil(BLOCK))
            .flat_map(|block| (0..groups).map(move |group| drawn.sobol.stream(block, group)))
            .map(|stream| [stream as u32, (stream >> 32) as u32])
            .collect();
        let mut moved = self.streams.write(handle, bytemuck::cast_slice(&streams))?;
        if !self.directed {
            let directions = directions();
            moved |= self.directions.write(handle, bytemuck::cast_slice(&directions))?;
            self.directed = true;
        }
        let [lower, upper] = drawn.sides;
        let span: Vec<f64> = lower.iter().zip(upper).map(|(low, high)| high - low).collect();
        let rests = |of: &[f64]| of.iter().map(|x| rest(precision, *x)).collect::<Vec<f64>>();
        let sides = [lower.to_vec(), rests(lower), span.clone(), rests(&span), upper.to_vec()];
        let bytes = staging.fill(precision, sides.into_iter().flatten());
        Ok(moved | self.sides.write(handle, bytes)?)
    }

    /// Sends climbs that stand at their starts, as far as they do not make it themselves. Returns
    /// whether a buffer was replaced.
    pub fn send_climbs(
        &mut self,
        handle: &Handle,
        staging: &mut Staging,
        precision: Precision,
        ascent: &Ascent<'_>,
        shared: &[f64],
    ) -> Result<bool, Failure> {
        let (count, dim) = (ascent.starts.len(), ascent.starts.dim());
        let mut moved = (self.climbs)
            .reserve(handle, (precision.size() * numbers_of_climbs(count, dim)) as u64)?;
        let [lower, upper] = ascent.sides;
        // In the order of the rows.
        let sent: [&Points; ClimbRow::SENT] = [ascent.starts, ascent.starts, lower, upper];
        let rows = sent.into_iter().flat_map(Points::values).copied();
        handle.queue().write_buffer(self.climbs.buffer(), 0, staging.fill(precision, rows));
        let marks = Mark::ALL.map(|mark| match mark {
            Mark::Length | Mark::Reach => 1.0,
            Mark::Value | Mark::Score => 0.0,
        });
        let marks = staging.fill(precision, std::iter::repeat_n(marks, count).flatten());
        let behind = (precision.size() * ClimbRow::COUNT * count * dim) as u64;
        handle.queue().write_buffer(self.climbs.buffer(), behind, marks);
        let zeros = vec![0_u32; count * Progress::ALL.len()];
        moved |= self.progress.write(handle, bytemuck::cast_slice(&zeros))?;
        moved |= self.moving.reserve(handle, 4 * count as u64)?;
        let bytes = staging.fill(precision, shared.iter().copied());
        Ok(moved | self.ascent.write(handle, bytes)?)
    }

    /// Says which climbs go on.
    pub fn send_moving(&self, handle: &Handle, moving: &[usize]) {
        let words: Vec<u32> = moving.iter().map(|&climb| word(climb)).collect();
        handle.queue().write_buffer(self.moving.buffer(), 0, bytemuck::cast_slice(&words));
    }
}
