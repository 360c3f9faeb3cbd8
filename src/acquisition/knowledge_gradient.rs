//! How much an outcome would raise the best posterior mean.
//!
//! Before the outcome at `x` is known, the posterior mean at `x'` after it is normal. With a
//! standard normal `z` that stands for the outcome, it is
//!
//! ```text
//! mu(x') + b(x', x) z,    b(x', x) = cov(x', x) / sqrt(var(x) + noise)
//! ```
//!
//! The knowledge gradient is the expected excess of the largest of these means over the largest
//! mean now (Frazier, Powell, Dayanik 2009, "The Knowledge-Gradient Policy for Correlated Normal
//! Beliefs"). Over the whole cube the expectation is a mean over [`normals`]. Each of these numbers
//! has a point `x'` of its own, which is maximized together with `x`. Over a finite set the
//! expectation has a closed form, from the corners of the upper envelope of these lines in `z`.

use crate::math::normal::{h, inverse_cdf, pdf};
use crate::math::sobol::Sobol;

/// Standard normal numbers that stand for the outcome, in ascending order, one in each interval of
/// probability `1/count`.
///
/// Those below zero come from a scrambled Sobol sequence. Those above zero are their mirror images.
/// An odd `count` has a zero in the middle. The sum is zero. So if all points of a knowledge
/// gradient have the largest mean, its value is zero, and its largest value is at least zero.
pub fn normals(count: usize, seed: u64) -> Vec<f64> {
    let half = count / 2;
    let share = half as f64 / count.max(1) as f64;
    let mut below: Vec<f64> = Sobol::new(1, seed)
        .points(0, half)
        .values()
        .iter()
        .map(|u| inverse_cdf(share * u))
        .collect();
    below.sort_by(f64::total_cmp);
    let above: Vec<f64> = below.iter().rev().map(|z| -z).collect();
    let middle = (count % 2 == 1).then_some(0.0);
    below.into_iter().chain(middle).chain(above).collect()
}

/// The upper envelope of lines `a + b z`, and its expectation for a standard normal `z`.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    order: Vec<u32>,
    /// The lines of the envelope from left to right, and where each begins.
    envelope: Vec<(usize, f64)>,
}

impl Lines {
    /// Returns `E[max_i (a_i + b_i z)] - max_i a_i`, never negative.
    ///
    /// It is the sum of `(b_j - b_i) h(-|c|)` over the corners of the envelope. At a corner the
    /// line `i` meets its successor `j` at `z = c` (Frazier, Powell, Dayanik 2009, equation 14).
    /// Calls `on_envelope` for each line of the envelope, with the derivative of the expectation
    /// with respect to the line's `b`, `E[z; i is the largest]`.
    pub fn gain(
        &mut self,
        intercepts: &[f64],
        slopes: &[f64],
        mut on_envelope: impl FnMut(usize, f64),
    ) -> f64 {
        let Self { order, envelope } = self;
        order.clear();
        order.extend(0..intercepts.len() as u32);
        let line = |i: u32| (intercepts[i as usize], slopes[i as usize]);
        order.sort_unstable_by(|&i, &j| {
            let ((a, b), (c, d)) = (line(i), line(j));
            b.total_cmp(&d).then(a.total_cmp(&c)).then(j.cmp(&i))
        });
        envelope.clear();
        for &next in order.iter() {
            let (a, b) = line(next);
            let mut start = f64::NEG_INFINITY;
            while let Some(&(last, begins)) = envelope.last() {
                // Of two parallel lines, the later in order is the higher.
                start = if slopes[last] == b {
                    f64::NEG_INFINITY
                } else {
                    (intercepts[last] - a) / (b - slopes[last])
                };
                if start > begins {
                    break;
                }
                envelope.pop();
                start = f64::NEG_INFINITY;
            }
            envelope.push((next as usize, start));
        }
        let density = |z: f64| if z.is_finite() { pdf(z) } else { 0.0 };
        let mut gain = 0.0;
        for (place, &(i, start)) in envelope.iter().enumerate() {
            let end = envelope.get(place + 1).map_or(f64::INFINITY, |&(_, start)| start);
            if place > 0 {
                let (before, _) = envelope[place - 1];
                gain += (slopes[i] - slopes[before]) * h(-start.abs());
            }
            on_envelope(i, density(start) - density(end));
        }
        gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_are_symmetric_and_one_to_a_stratum() {
        for count in 1..=65 {
            let normals = normals(count, 7);
            assert_eq!(normals.len(), count);
            for (i, z) in normals.iter().enumerate() {
                assert_eq!(*z, -normals[count - 1 - i]);
            }
            if count.is_power_of_two() {
                let strata =
                    normals.iter().map(|z| (crate::math::normal::cdf(*z) * count as f64) as usize);
                assert!(strata.eq(0..count), "{normals:?}");
            }
        }
    }

    #[test]
    fn gain_is_the_expected_maximum_of_lines() {
        // Two lines: E max(a z, 0) = a phi(0). Parallel lines and lines below the others add
        // nothing.
        let gain = |a: &[f64], b: &[f64]| Lines::default().gain(a, b, |_, _| {});
        assert_eq!(gain(&[0.0, 0.0], &[0.0, 3.0]), 3.0 * h(0.0));
        assert_eq!(gain(&[0.0, 0.0, -1.0, 0.0, -5.0], &[0.0, 3.0, 3.0, 3.0, 1.0]), 3.0 * h(0.0));
        assert_eq!(gain(&[2.0], &[1.0]), 0.0);
        assert_eq!(gain(&[0.0, 1.0], &[0.5, 0.5]), 0.0);
        // A line far below is worth its improvement: (b - 0) h(-c) with c = 30.
        assert_eq!(gain(&[0.0, -30.0], &[0.0, 1.0]), h(-30.0));
        let mut weights = vec![0.0; 3];
        Lines::default().gain(&[0.0, 0.3, 0.1], &[-1.0, 0.0, 1.5], |i, weight| weights[i] = weight);
        assert!(
            weights.iter().sum::<f64>().abs() < 1e-16 && weights[0] < 0.0 && weights[2] > 0.0,
            "{weights:?}"
        );
    }
}
