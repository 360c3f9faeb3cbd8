//! From the numbers of a chunk to scores in the posterior's own units.

use super::scale::Scale;
use crate::backend::Scores;
use crate::backend::gpu::kernels::layout::Output;

/// Bytes of a row's number.
pub const ROW: u64 = 4;

/// What is wanted of a batch.
#[derive(Clone, Copy, PartialEq)]
pub enum Wanted {
    /// The scores of all points.
    All,
    /// The values of all points.
    Values,
    /// Values and rows of so many of the best points of each chunk, values in the device's units.
    Best(usize),
}

/// The part of the scores that a chunk fills.
pub struct Target<'a> {
    pub start: usize,
    pub count: usize,
    pub stride: usize,
    pub d: usize,
    pub scale: &'a Scale,
    pub scores: &'a mut Scores,
}

impl Target<'_> {
    /// Takes what is wanted.
    pub fn land<T: bytemuck::Pod + Into<f64>>(mut self, wanted: Wanted, output: &[u8]) {
        match wanted {
            Wanted::All => self.take::<T>(bytemuck::cast_slice(output)),
            Wanted::Values => self.take_values::<T>(bytemuck::cast_slice(output)),
            Wanted::Best(keep) => self.append::<T>(output, keep),
        }
    }

    /// Takes values into the posterior's units.
    fn take_values<T: Copy + Into<f64>>(&mut self, output: &[T]) {
        let values = &mut self.scores.value[self.start..][..self.count];
        let scale = self.scale;
        copy(values, output, scale.offset, scale.factor);
    }

    /// Takes values, means, variances and gradients into the posterior's units.
    fn take<T: Copy + Into<f64>>(mut self, output: &[T]) {
        self.take_values(output);
        let Self { start, count, stride, d, scale, scores } = self;
        let row = |row: Output| row as usize * stride;
        let section = |of: Output| &output[row(of)..row(of) + count];
        copy(
            &mut scores.mean[start..start + count],
            section(Output::Mean),
            scale.mean,
            scale.deviation,
        );
        copy(
            &mut scores.variance[start..start + count],
            section(Output::Variance),
            0.0,
            scale.deviation * scale.deviation,
        );
        if d > 0 {
            let gradients = &output[row(Output::Gradients)..row(Output::Gradients) + count * d];
            copy(
                &mut scores.gradient[start * d..(start + count) * d],
                gradients,
                0.0,
                scale.factor,
            );
        }
    }

    /// Appends the best scores and their rows, scores in the device's units.
    fn append<T: bytemuck::Pod + Into<f64>>(self, output: &[u8], keep: usize) {
        let (values, rows) = output.split_at(keep * size_of::<T>());
        let (values, rows): (&[T], &[u32]) =
            (bytemuck::cast_slice(values), bytemuck::cast_slice(rows));
        let kept = keep.min(self.count);
        self.scores.value.extend(values[..kept].iter().map(|&value| value.into()));
        self.scores.rows.extend(rows[..kept].iter().map(|&row| row as usize));
    }
}

/// Takes numbers to `offset + factor` times themselves.
fn copy<T: Copy + Into<f64>>(to: &mut [f64], from: &[T], offset: f64, factor: f64) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = offset + factor * from.into();
    }
}
