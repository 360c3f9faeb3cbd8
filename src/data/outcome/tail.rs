//! The warp of the numbers of an objective where several count.
//!
//! A front is made of numbers of the worse half as well: what is best in one objective is bad in
//! another. So nothing that a front reaches may change, and numbers are modeled as they are. But a
//! number that tells of a failure, as a penalty of `1e9`, is no part of a front, and one of them can
//! spoil the scale and the fit of a whole model, and the reference that is inferred. How bad a bad trial
//! is matters little.
//!
//! **What is a penalty.** The worst numbers are, if the gap before them is ten times the range of all that
//! is better, and no smaller than their own range; a hundred times if one of them is on the front, which
//! may be the end of one, and never if two of the front differ there. A quarter of all numbers is
//! better. What is left may have other penalties, of another size.
//!
//! **Formula.** Larger is better. If there is no penalty, nothing changes, to the bit. Otherwise let `q` be
//! the median of the numbers that are none, or the worst of the front or the reference that was set, if
//! that is worse. What is worse than `q`, with the penalties, is replaced by what a normal distribution
//! would show, as in the [half-rank warp](super::warp) about `q`.

use super::warp::{FEWEST, Warp};
use crate::math::normal::inverse_cdf;
use crate::math::order::median;
use crate::math::saturating::difference;

/// The gap before penalties, in ranges of the numbers that are better; and if one is on the front.
const GAP: f64 = 10.0;
const GAP_OF_FRONT: f64 = 100.0;

impl Warp {
    /// The map for the numbers of one objective of several, with larger ones better, and whether each is
    /// of a trial that no other dominates; and the best number that is a penalty. It changes nothing from
    /// a reference on, if there is one.
    pub fn of_front(numbers: &[(f64, bool)], reference: Option<f64>) -> (Self, f64) {
        let mut ascending = numbers.to_vec();
        ascending.sort_by(|a, b| a.0.total_cmp(&b.0));
        let penalties = penalties(&ascending);
        if penalties == 0 {
            return (Self::identity(), f64::NEG_INFINITY);
        }
        let all: Vec<f64> = ascending.iter().map(|(number, _)| *number).collect();
        let front = ascending[penalties..].iter().find(|(_, on_front)| *on_front);
        let front = front.map(|(number, _)| *number);
        let worst = front.into_iter().chain(reference).fold(f64::INFINITY, f64::min);
        let pivot = worst.min(median(&all[penalties..]));
        let worse = all.partition_point(|number| *number < pivot);
        let place = inverse_cdf(worse as f64 / all.len() as f64);
        (Self::below(&all, pivot, worse, place), all[penalties - 1])
    }
}

/// How many of the numbers are penalties, the worst first.
fn penalties(ascending: &[(f64, bool)]) -> usize {
    let n = ascending.len();
    let apart = |better: usize, worse: usize| difference(ascending[better].0, ascending[worse].0);
    let most = n.saturating_sub(FEWEST.max(n / 4));
    let mut found = 0;
    for at in 1..=most {
        let gap = apart(at, at - 1);
        let range = apart(n - 1, at);
        let mut of_front = ascending[found..at].iter().filter(|(_, on_front)| *on_front);
        let (first, last) = (of_front.next(), of_front.next_back());
        let least = if first.is_some() { GAP_OF_FRONT } else { GAP };
        let is_one = last.is_none_or(|last| first.is_some_and(|first| first.0 == last.0));
        if range > 0.0 && gap / range >= least && gap >= apart(at - 1, found) && is_one {
            found = at;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off_front(numbers: &[f64]) -> Vec<(f64, bool)> {
        numbers.iter().map(|number| (*number, false)).collect()
    }

    #[test]
    fn what_a_front_reaches_and_what_is_about_normal_stays_to_the_bit() {
        let normal: Vec<f64> = (0..41).map(|i| inverse_cdf((f64::from(i) + 0.5) / 41.0)).collect();
        assert_eq!(Warp::of_front(&off_front(&normal), None).0, Warp::identity());
        // One end of a front that is a thousand times as bad as the other.
        let front = [1.0, 0.9, 0.5, -10.0, -100.0, -1000.0].map(|number| (number, true));
        assert_eq!(Warp::of_front(&front, None).0, Warp::identity());
        for few in [&[][..], &[1.0], &[1.0, 2.0, -1e300], &[3.0; 7]] {
            assert_eq!(Warp::of_front(&off_front(few), None).0, Warp::identity());
        }
    }

    #[test]
    fn a_penalty_of_any_size_is_modeled_alike() {
        for share in [1, 4, 8] {
            let modeled = |penalty: f64| {
                let mut numbers = off_front(&[0.0, -0.3, -0.7, -1.0, -1.6, -2.2, -0.1, -0.5]);
                numbers[0].1 = true;
                numbers[2].1 = true;
                numbers.extend(vec![(penalty, false); share]);
                let (warp, best) = Warp::of_front(&numbers, None);
                assert_eq!((warp.apply(-0.3), warp.apply(-0.7)), (-0.3, -0.7));
                assert!(best == penalty && warp.apply(penalty) < warp.apply(-2.2));
                warp.apply(penalty)
            };
            let first = modeled(-1e3);
            assert!((-4.0..-0.7).contains(&first), "{share}: {first}");
            for penalty in [-1e6, -1e100, f64::MIN] {
                assert_eq!(modeled(penalty), first, "{share}: {penalty}");
            }
        }
    }

    #[test]
    fn a_penalty_that_nothing_dominates_is_one_all_the_same() {
        let mut numbers: Vec<(f64, bool)> =
            [0.0, -0.3, -0.7, -1.0, -1.6].map(|number| (number, true)).to_vec();
        numbers.push((-1e9, true));
        assert!(Warp::of_front(&numbers, None).0.apply(-1e9) > -20.0);
        // Different numbers of a front are no penalties, nor is an end of it ten ranges away.
        numbers.push((-1.5e9, true));
        assert_eq!(Warp::of_front(&numbers, None).0, Warp::identity());
        numbers.truncate(5);
        numbers.push((-20.0, true));
        assert_eq!(Warp::of_front(&numbers, None).0, Warp::identity());
    }

    #[test]
    fn penalties_of_several_sizes_are_all_found() {
        let mut numbers = off_front(&[0.0, -0.3, -0.7, -1.0, -1.6, -1e6, -1e3, -1e6 - 1.0, -1e200]);
        numbers[0].1 = true;
        let (warp, best) = Warp::of_front(&numbers, None);
        assert_eq!(best, -1e3);
        assert!(warp.apply(-1e200) > -10.0);
        // Within a reference that was set they count.
        assert_eq!(Warp::of_front(&numbers, Some(-1e7)).0.apply(-1e6), -1e6);
    }

    #[test]
    fn the_smallest_and_the_largest_numbers_have_one() {
        let tiny = f64::from_bits(1);
        for numbers in [
            [-tiny, -tiny, 1e6, -tiny, 0.0],
            [f64::MIN, f64::MAX, -1.0, 1.0, 0.0],
            [f64::MIN, 0.5 * f64::MIN, tiny, 0.0, tiny],
            [f64::MIN, tiny, 2.0 * tiny, 0.0, tiny],
        ] {
            let (warp, _) = Warp::of_front(&off_front(&numbers), None);
            for number in numbers {
                let modeled = warp.apply(number);
                assert!(modeled.is_finite() && warp.undo(modeled).is_finite(), "{numbers:?}");
            }
        }
    }
}
