//! The highest points of a draw on a shifted lattice. Every point of the lattice is evaluated.
//!
//! A draw is a sum of sinusoids, and the phase of each is a sum over the axes. Halve the axes into
//! `u` and `v`: with `a sin(t_u + t_v) + b cos(t_u + t_v) = p cos t_v + q sin t_v`,
//! `p = a sin t_u + b cos t_u`, `q = a cos t_u - b sin t_u`, all values together are one matrix
//! product: the `p, q` at every `u` times the `cos t_v, sin t_v` at every `v`. It takes two
//! multiplications per feature and point, and no elementary function.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use gittins::Points;
use libm::sincos;
use rand::RngExt;
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::GpDraw;

/// The number of places `u` that one thread computes, and of places `v` among which it keeps the
/// best for each `u`.
const BLOCK: usize = 256;

/// Points `(i_k + shift_k) / n_k` along some axes. The other coordinates are those of a given
/// point.
pub(super) struct Lattice<'a> {
    draw: &'a GpDraw,
    point: &'a [f64],
    /// Axis, number of places, shift.
    axes: Vec<(usize, usize, f64)>,
}

impl<'a> Lattice<'a> {
    /// A lattice with random halves and random shifts. It has at most `most` points: along each
    /// axis the number `wanted`, or a part of it that is the same on all axes.
    pub fn new(
        draw: &'a GpDraw,
        point: &'a [f64],
        axes: &[usize],
        wanted: &[f64],
        most: f64,
        random: &mut Pcg64,
    ) -> Self {
        let mut axes = axes.to_vec();
        for last in (1..axes.len()).rev() {
            axes.swap(last, random.random_range(0..=last));
        }
        let counts = counts(&axes.iter().map(|&axis| wanted[axis]).collect::<Vec<_>>(), most);
        let axes = axes
            .into_iter()
            .zip(counts)
            .map(|(axis, count)| (axis, count, random.random()))
            .collect();
        Self { draw, point, axes }
    }

    /// The best of each group of places, higher ones first, at most `keep`. Values are compared in
    /// single precision.
    pub fn best(&self, keep: usize) -> Points {
        let dim = self.draw.dim();
        let (left, right) = self.axes.split_at(self.axes.len() / 2);
        let coefficients = self.features(left, true);
        let waves = self.features(right, false);
        let mut found: Vec<(f32, usize, usize)> = (0..coefficients.ncols().div_ceil(BLOCK))
            .into_par_iter()
            .flat_map_iter(|block| {
                let mut found = Vec::new();
                let us = block * BLOCK..((block + 1) * BLOCK).min(coefficients.ncols());
                for start in (0..waves.ncols()).step_by(BLOCK) {
                    let width = BLOCK.min(waves.ncols() - start);
                    let mut values = Mat::<f32>::zeros(width, us.len());
                    let rows = waves.as_ref().subcols(start, width).transpose();
                    let columns = coefficients.as_ref().subcols(us.start, us.len());
                    matmul(values.as_mut(), Accum::Replace, rows, columns, 1.0, Par::Seq);
                    for (u, column) in us.clone().zip(values.col_iter()) {
                        let highest = column.iter().enumerate().fold(
                            (f32::NEG_INFINITY, 0),
                            |best, (v, &value)| {
                                if value > best.0 { (value, v) } else { best }
                            },
                        );
                        found.push((highest.0, u, start + highest.1));
                    }
                }
                found
            })
            .collect();
        // Equal values keep the order of their places, so that the result is unique.
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut points = Points::with_capacity(dim, keep.min(found.len()));
        for &(_, u, v) in found.iter().take(keep) {
            let mut point = self.point.to_vec();
            place(left, u, |axis, x| point[axis] = x);
            place(right, v, |axis, x| point[axis] = x);
            points.push(&point);
        }
        points
    }

    /// A column for every place along some axes, with two numbers per frequency: `p, q` for the
    /// half that carries the weights and the fixed coordinates, `cos, sin` for the other.
    fn features(&self, axes: &[(usize, usize, f64)], weighted: bool) -> Mat<f32> {
        let (dim, count) = (self.draw.dim(), self.draw.weights.len());
        let places = axes.iter().map(|&(_, count, _)| count).product();
        let mut fixed = self.point.to_vec();
        self.axes.iter().for_each(|&(axis, ..)| fixed[axis] = 0.0);
        let mut features = Mat::zeros(2 * count, places);
        let mut at = vec![0.0; dim];
        for index in 0..places {
            at.fill(0.0);
            if weighted {
                at.copy_from_slice(&fixed);
            }
            place(axes, index, |axis, x| at[axis] = x);
            for (j, (frequency, (a, b))) in
                self.draw.frequencies.chunks_exact(dim).zip(&self.draw.weights).enumerate()
            {
                let (sine, cosine) = sincos(frequency.iter().zip(&at).map(|(w, z)| w * z).sum());
                let (first, second) = if weighted {
                    (a * sine + b * cosine, a * cosine - b * sine)
                } else {
                    (cosine, sine)
                };
                features[(2 * j, index)] = first as f32;
                features[(2 * j + 1, index)] = second as f32;
            }
        }
        features
    }
}

/// The coordinates of the `index`-th place.
fn place(axes: &[(usize, usize, f64)], mut index: usize, mut set: impl FnMut(usize, f64)) {
    for &(axis, count, shift) in axes {
        set(axis, ((index % count) as f64 + shift) / count as f64);
        index /= count;
    }
}

/// The numbers of places along the axes: those wanted, at least two, or the same share of them on
/// every axis if the product would pass `most`.
fn counts(wanted: &[f64], most: f64) -> Vec<usize> {
    let with = |share: f64| wanted.iter().map(move |wanted| (share * wanted).clamp(2.0, 4096.0));
    let (mut low, mut high) = (0.0, 1.0);
    if with(1.0).product::<f64>() <= most {
        low = 1.0;
    } else {
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if with(middle).product::<f64>() <= most { low = middle } else { high = middle }
        }
    }
    // A hundredth of a place: a root that is a whole number must not lose one to rounding.
    with(low).map(|count| (count + 0.01).floor() as usize).collect()
}
