//! The half-rank warp of outcomes.
//!
//! A Gaussian process expects outcomes that vary alike everywhere. Real outcomes are skewed: a few
//! bad trials are worse by orders of magnitude, and one of them can spoil the scale and the fit of
//! the whole model. How bad a bad trial is matters little to a search for the best. So the worse
//! half of the outcomes is replaced by what a normal distribution would show. The better half stays
//! as it is.
//!
//! **Formula.** Larger is better. Let `q` be the median of the `n` outcomes, and `s` the root mean
//! square of `y - q` over the outcomes with `y >= q`: the standard deviation of the normal
//! distribution whose better half they would be. The modeled outcome is
//!
//! ```text
//! w(y) = y                                 if y >= q
//! w(y) = q + s Phi^-1((b + e/2) / n)       if y <  q, with b worse and e equal outcomes
//! ```
//!
//! and linear in between. Beyond the worst outcome `w` continues with its last slope. `w` is
//! strictly increasing, so best trials, ranks and the recommendation are those of the outcomes.
//! (Half-rank warping is the first stage of Song et al. 2024, "The Vizier Gaussian Process Bandit
//! Algorithm", section 4.1.)
//!
//! **What the model's numbers mean.** The process models `z(x) = w(y(x))`. Let `V >= q` be the
//! incumbent.
//!
//! - *Improvements and prices are in the user's units.* An improvement is `max(y - V, 0)`. It is
//!   not zero only if `y > V >= q`. There `w(y) = y` and `w(V) = V`, so it equals `max(z - V, 0)`.
//!   Its expectation, its logarithm, its ratio to the cost, the Gittins index `g` that solves
//!   `E[max(z - g, 0)] = lambda c` for `g >= q`, and the stopping rule "no index above `V`" are
//!   therefore those of the outcome itself, at the user's price. Nothing is converted back.
//! - *Levels below the median* (a predicted outcome, a confidence bound, an index) are reported as
//!   `w^-1` of what was computed. For a posterior mean `m` this is the median of the predicted
//!   outcome, because `w` is increasing. Above `q` mean and median are the same.
//! - *A reported deviation* is half of the range of one deviation to both sides,
//!   `(w^-1(m + sd) - w^-1(m - sd)) / 2`. If all of it lies above `q`, it is `sd`.
//! - *Learned noise* is that of the better outcomes, in the user's units. For the worse half it is
//!   noise of the ranks.
//!
//! With much noise the incumbent is a posterior mean. It is the largest one at a trial, and so
//! above the middle of the modeled outcomes.
//!
//! **Limits.** If trials are of use only within limits, the best one of use, `V`, may be worse than the
//! median of all. Then `q` is the median of those of use, if that is worse: a share `p` of all outcomes
//! is worse than `q`, and with `z = Phi^-1(p)`
//!
//! ```text
//! w(y) = q + s (Phi^-1((b + e/2) / n) - z)     s^2 = mean of (y - q)^2 over y >= q, over 1 + z^2 - z phi(z) / (1 - p)
//! ```
//!
//! The divisor is what this mean is for a standard normal distribution; it is 1 at the median.
//!
//! **Robustness.** One outcome, however bad, changes no other modeled value by more than one rank.
//! An outcome can only distort the model if it is among the better half.

use std::sync::Arc;

use crate::math::normal::{cdf, inverse_cdf, pdf};
use crate::math::order::median;
use crate::math::saturating::saturated;

/// What happens to outcomes before they are modeled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Warping {
    /// They are modeled as they are, up to standardization. Published experiments do so.
    None,
    /// The better half stays as it is. The worse half is placed at the quantiles of a normal
    /// distribution with the spread of the better half: how bad a bad trial is no longer matters,
    /// only its rank. Improvements, indices and prices keep the user's units, because they lie
    /// above the median. Reported numbers are converted back.
    #[default]
    HalfRank,
}

/// From this number of outcomes on they are warped. The halves of fewer say nothing.
pub(in crate::data) const FEWEST: usize = 4;

/// A strictly increasing, piecewise linear map of outcomes; larger is better. It changes nothing
/// from its largest knot on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Warp {
    /// Outcome and modeled value, both increasing. The last knot is the median, where both are
    /// equal. Empty if nothing is changed anywhere.
    knots: Arc<[(f64, f64)]>,
}

impl Warp {
    /// The map that changes nothing.
    pub fn identity() -> Self {
        Self { knots: Arc::default() }
    }

    /// The map for these outcomes, which are finite. It changes nothing from their median on, nor from
    /// `usable` on, if that is worse.
    pub fn new(warping: Warping, outcomes: &[f64], usable: Option<f64>) -> Self {
        match warping {
            Warping::None => Self::identity(),
            Warping::HalfRank => Self::half_rank(outcomes, usable),
        }
    }

    fn half_rank(outcomes: &[f64], usable: Option<f64>) -> Self {
        let n = outcomes.len();
        if n < FEWEST {
            return Self::identity();
        }
        let mut ascending = outcomes.to_vec();
        ascending.sort_by(f64::total_cmp);
        let median = median(&ascending);
        let lower = usable.filter(|usable| *usable < median);
        let median = lower.unwrap_or(median);
        let worse = ascending.partition_point(|y| *y < median);
        // Half of them are worse than a median, whichever are equal to it.
        let place = lower.map_or(0.0, |_| inverse_cdf(worse as f64 / n as f64));
        Self::below(&ascending, median, worse, place)
    }

    /// The map that changes nothing from a pivot on, which has this place in a standard normal
    /// distribution. `worse` of the outcomes are worse.
    pub(in crate::data) fn below(ascending: &[f64], pivot: f64, worse: usize, place: f64) -> Self {
        let n = ascending.len();
        let Some(spread) = spread(&ascending[worse..], pivot, ascending[..worse].last()) else {
            return Self::identity();
        };
        let spread = spread / mean_square_above(place).sqrt();
        let mut knots: Vec<(f64, f64)> = Vec::with_capacity(worse + 1);
        let mut below = 0;
        for equal in ascending[..worse].chunk_by(|a, b| a == b) {
            let rank = (below as f64 + 0.5 * equal.len() as f64) / n as f64;
            let modeled = pivot + spread * (inverse_cdf(rank) - place);
            // Beside a pivot of 1e15 a small spread vanishes. Outcomes that then share a modeled
            // value cannot be told apart, so the first of them is enough.
            if modeled < pivot && knots.last().is_none_or(|last| last.1 < modeled) {
                knots.push((equal[0], modeled));
            }
            below += equal.len();
        }
        if knots.is_empty() || !knots.iter().all(|knot| knot.1.is_finite()) {
            return Self::identity();
        }
        knots.push((pivot, pivot));
        Self { knots: knots.into() }
    }

    /// The modeled value of an outcome.
    pub fn apply(&self, outcome: f64) -> f64 {
        interpolated(&self.knots, outcome, |knot| *knot)
    }

    /// The outcome of a modeled value.
    pub fn undo(&self, modeled: f64) -> f64 {
        interpolated(&self.knots, modeled, |(outcome, modeled)| (*modeled, *outcome))
    }

    /// The value from which on nothing is changed; minus infinity for the identity.
    pub fn unchanged_from(&self) -> f64 {
        self.knots.last().map_or(f64::NEG_INFINITY, |last| last.0)
    }
}

/// The mean of `(x - z)^2` over the `x >= z` of a standard normal distribution.
fn mean_square_above(z: f64) -> f64 {
    if z == 0.0 { 1.0 } else { 1.0 + z * z - z * pdf(z) / cdf(-z) }
}

/// The standard deviation of the normal distribution whose better half these values are; none if
/// nothing varies. If they are all equal, the distance to the best of the worse values takes its
/// place.
pub(crate) fn spread(better: &[f64], median: f64, worse: Option<&f64>) -> Option<f64> {
    let largest = better.last().map_or(0.0, |best| best - median);
    // Divided by the largest before they are squared, so that nothing overflows or underflows.
    let spread = if largest > 0.0 {
        let squares = better.iter().map(|y| ((y - median) / largest).powi(2)).sum::<f64>();
        largest * (squares / better.len() as f64).sqrt()
    } else {
        median - worse?
    };
    (spread > 0.0 && spread.is_finite()).then_some(spread)
}

/// Linear interpolation between knots, as they are seen by `of`. Below the first knot the first
/// segment continues. From the last knot on, and without knots, the value stays.
fn interpolated(knots: &[(f64, f64)], value: f64, of: impl Fn(&(f64, f64)) -> (f64, f64)) -> f64 {
    let [first, .., last] = knots else { return value };
    if value >= of(last).0 || value.is_nan() {
        return value;
    }
    let above = if value <= of(first).0 { 1 } else { knots.partition_point(|k| of(k).0 <= value) };
    let ((x0, y0), (x1, y1)) = (of(&knots[above - 1]), of(&knots[above]));
    // Numbers that differ have a difference. Those at opposite ends have it by halves.
    let share = match (value - x0, x1 - x0) {
        (part, whole) if part.is_finite() && whole.is_finite() => part / whole,
        _ => (0.5 * value - 0.5 * x0) / (0.5 * x1 - 0.5 * x0),
    };
    // Far below a short segment it overflows, and halves of tiny numbers may have no difference.
    let share = saturated(share);
    if share >= 0.0 {
        return (1.0 - share) * y0 + share * y1;
    }
    saturated(2.0 * (0.5 * y0 + share * (0.5 * y1 - 0.5 * y0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_half_stays_and_the_worse_half_lies_at_normal_quantiles() {
        let outcomes = [3.0, -1e6, 5.0, 1.0, -20.0, 4.0];
        let warp = Warp::new(Warping::HalfRank, &outcomes, None);
        // The median is 2, the spread sqrt((1 + 9 + 4)/3). The normal quantiles of 1/12, 3/12 and
        // 5/12 are from SciPy.
        let spread = (14.0f64 / 3.0).sqrt();
        for (outcome, quantile) in [
            (-1e6, -1.382_994_127_100_638_3),
            (-20.0, -0.674_489_750_196_081_7),
            (1.0, -0.210_428_394_247_924_85),
        ] {
            let expected = 2.0 + spread * quantile;
            assert!((warp.apply(outcome) - expected).abs() < 1e-14, "{outcome}");
        }
        for outcome in [2.0, 3.0, 4.0, 5.0, 1e300] {
            assert_eq!((warp.apply(outcome), warp.undo(outcome)), (outcome, outcome));
        }
        assert_eq!(warp.unchanged_from(), 2.0);
    }

    #[test]
    fn undo_is_the_inverse_and_both_increase() {
        let outcomes = [0.3, 0.1, -4.0, 0.2, -4.0, 0.9, -7e3, -0.5, 0.4];
        let warp = Warp::new(Warping::HalfRank, &outcomes, None);
        let mut before = f64::NEG_INFINITY;
        for k in -400..400 {
            let modeled = f64::from(k) / 100.0;
            let outcome = warp.undo(modeled);
            assert!(outcome > before, "{outcome} after {before}");
            assert!((warp.apply(outcome) - modeled).abs() < 1e-12, "{modeled}");
            before = outcome;
        }
        // Equal outcomes have equal modeled values, and all ranks are kept.
        let mut by_outcome = outcomes.map(|y| (y, warp.apply(y)));
        by_outcome.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(by_outcome.is_sorted_by(|a, b| (a.0 == b.0) == (a.1 == b.1) && a.1 <= b.1));
    }

    /// Below a short segment of tiny outcomes nothing is infinity times zero.
    #[test]
    fn far_below_the_first_knots_undo_is_a_number() {
        let knots = [(-5e-324, 0.0), (0.0, 1e-3), (1.0, 1.0)];
        for value in [-1.0, -1e308, f64::MIN] {
            let outcome = interpolated(&knots, value, |(outcome, modeled)| (*modeled, *outcome));
            assert!(outcome.is_finite() && outcome <= 0.0, "{value}: {outcome}");
        }
    }

    #[test]
    fn units_do_not_matter_from_the_smallest_to_the_largest() {
        let outcomes = [0.3, 0.1, -4.0, 0.2, -0.7, 0.9, -7e3, -0.5, 0.4];
        let warp = Warp::new(Warping::HalfRank, &outcomes, None);
        for unit in [1e-300, 1e-12, 1e6, 1e300] {
            let scaled = Warp::new(Warping::HalfRank, &outcomes.map(|y| y * unit), None);
            for outcome in outcomes {
                let expected = warp.apply(outcome) * unit;
                let found = scaled.apply(outcome * unit);
                assert!((found - expected).abs() <= 1e-13 * expected.abs(), "{unit}: {outcome}");
            }
        }
    }

    #[test]
    fn an_outcome_of_any_badness_has_the_same_modeled_value() {
        let of = |worst: f64| {
            let outcomes = [0.3, 0.1, worst, 0.2, 0.9];
            outcomes.map(|y| Warp::new(Warping::HalfRank, &outcomes, None).apply(y))
        };
        assert_eq!(of(0.0), of(-1e300));
        assert_eq!(of(0.0), of(f64::MIN));
    }

    #[test]
    fn the_smallest_and_the_largest_numbers_have_a_warp() {
        let tiny = f64::from_bits(1);
        for outcomes in [
            [-tiny, -tiny, 1e6, -tiny],
            [-tiny, 0.0, tiny, 2.0 * tiny],
            [f64::MIN, f64::MAX, -1.0, 1.0],
            [f64::MIN, 0.5 * f64::MIN, tiny, 0.0],
        ] {
            let warp = Warp::new(Warping::HalfRank, &outcomes, None);
            for outcome in outcomes {
                let modeled = warp.apply(outcome);
                assert!(modeled.is_finite() && warp.undo(modeled).is_finite(), "{outcomes:?}");
            }
        }
    }

    #[test]
    fn outcomes_from_the_usable_median_on_stay() {
        // Of a large sample of a normal distribution the warp changes nothing but rounding, wherever
        // its pivot is.
        let normal: Vec<f64> =
            (0..4001).map(|i| inverse_cdf((f64::from(i) + 0.5) / 4001.0)).collect();
        for share in [0.05, 0.2, 0.4] {
            let pivot = inverse_cdf(share);
            let warp = Warp::new(Warping::HalfRank, &normal, Some(pivot));
            assert_eq!(warp.unchanged_from(), pivot);
            for outcome in [pivot - 0.01, pivot - 0.5, pivot - 1.0] {
                // The ends of the sample have a mean square that is off by about one in 4001.
                assert!((warp.apply(outcome) - outcome).abs() < 4e-3, "{share}: {outcome}");
            }
        }
        let warp =
            |usable| Warp::new(Warping::HalfRank, &[3.0, -1e6, 5.0, 1.0, -20.0, 4.0], usable);
        assert_eq!(warp(Some(9.0)), warp(None));
        assert_eq!(warp(Some(-1e6)), Warp::identity());
        let found = warp(Some(1.0));
        assert_eq!((found.apply(1.0), found.apply(2.0)), (1.0, 2.0));
        assert!(found.apply(-20.0) > -20.0 && found.apply(-1e6) < found.apply(-20.0));
    }

    #[test]
    fn without_anything_to_rank_nothing_changes() {
        for outcomes in [&[][..], &[1.0], &[1.0, 2.0, -9.0], &[3.0; 7]] {
            let warp = Warp::new(Warping::HalfRank, outcomes, None);
            assert_eq!(warp, Warp::identity());
            assert_eq!((warp.apply(-1e9), warp.undo(-1e9)), (-1e9, -1e9));
        }
        assert_eq!(Warp::new(Warping::None, &[1.0, 2.0, 3.0, -4e9, 5.0], None), Warp::identity());
        // Most outcomes are the best one.
        let warp = Warp::new(Warping::HalfRank, &[1.0, 1.0, 1.0, 1.0, 0.5, -1e9], None);
        assert!(warp.apply(0.5) < 1.0 && warp.apply(-1e9) > -1.0);
    }
}
