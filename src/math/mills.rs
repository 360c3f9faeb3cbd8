//! `h`, `Phi` and `phi` for many arguments at once.
//!
//! With `x = |u|` everything follows from the Mills ratio `R(x) = Phi(-x) / phi(x)`:
//!
//! ```text
//! Phi(-x) = phi(x) R(x)      h(-x) = phi(x) (1 - x R(x))
//! ```
//!
//! `(x + 4) R(x)` is a smooth function of `y = 2.2 x / (x + 4) - 1`, which runs from -1 to 1 as `x`
//! runs from 0 to 40. Its Chebyshev series falls by a factor of 6 per term; 23 terms leave 2e-17.
//! They stand here as a polynomial in `y`. The densities of larger `x` are zero.

use super::normal::FRAC_1_SQRT_2PI;
use super::simd::{exp_nonpositive, multiply_add};

/// The polynomial `(x + 4) R(x)` in `y`, from `y^22` down to 1, computed from the Chebyshev series
/// in 40 digits.
const SERIES: [f64; 23] = [
    -3.0732892308622065e-10,
    6.755510245859861e-10,
    4.5025941132376744e-09,
    -3.8768593450026996e-09,
    -3.6301177294856856e-08,
    -1.0152540256753425e-08,
    2.180613173116368e-07,
    3.074099722276709e-07,
    -1.117080707668477e-06,
    -3.1730702021110954e-06,
    5.534319375347409e-06,
    2.706541697115439e-05,
    -3.4260006962999256e-05,
    -0.00022726259637754123,
    0.0003711850760398403,
    0.0018857627874614747,
    -0.006327794119232046,
    -0.008352876086485564,
    0.10845991048576109,
    -0.3936993548098018,
    0.9136861943536836,
    -1.5566018378028372,
    2.040125328173491,
];

/// The largest `x` of the series.
const FARTHEST: f64 = 40.0;

/// `(h(u), Phi(u), phi(u))` with `h(u) = phi(u) + u Phi(u)`. The relative errors are about
/// `(2 + x^2) eps` for `x = |u|` below 37; beyond, the density is zero.
#[inline(always)]
pub fn improvement<const FMA: bool>(u: f64) -> (f64, f64, f64) {
    let magnitude = u.abs();
    let x = if magnitude < FARTHEST { magnitude } else { FARTHEST };
    let share = 1.0 / (x + 4.0);
    let y = multiply_add::<FMA>(2.2 * x, share, -1.0);
    let mut sum = SERIES[0];
    for &coefficient in &SERIES[1..] {
        sum = multiply_add::<FMA>(sum, y, coefficient);
    }
    let ratio = sum * share;
    let density = FRAC_1_SQRT_2PI * exp_nonpositive::<FMA>(-0.5 * x * x);
    let tail = density * ratio;
    let below = density * multiply_add::<FMA>(-x, ratio, 1.0);
    if u > 0.0 { (u + below, 1.0 - tail, density) } else { (below, tail, density) }
}

/// `sqrt(pi/2)`, which is `R(0)`.
const RATIO_AT_ZERO: f64 = 1.253_314_137_315_500_3;

/// `1 / R(0)`.
const RECIPROCAL_AT_ZERO: f64 = 0.797_884_560_802_865_4;

/// The polynomial `(x + 1/R(0)) R(x)` in `y = 2.25 x / (x + 5) - 1`, from `y^22` down to 1. It was
/// computed from the Chebyshev series in 80 digits, which leaves 2e-17.
const RATIO: [f64; 23] = [
    1.4417176798555708e-10,
    4.5239694881495843e-10,
    -1.700356340059845e-09,
    -6.450955103659782e-09,
    1.3034686245734913e-08,
    6.077529204053554e-08,
    -1.049582638716165e-07,
    -5.152798232205453e-07,
    1.1076343229073605e-06,
    4.035311981098061e-06,
    -1.4494978292195097e-05,
    -2.069621854901494e-05,
    0.00019110282384460467,
    -0.00023242764097979008,
    -0.0015454168648936701,
    0.009329872311700991,
    -0.02846321327313167,
    0.05917437557056254,
    -0.08737385432318046,
    0.08186495063848023,
    -0.008570532494375144,
    -0.14046423016739398,
    1.1354308142581806,
];

/// The polynomial `(1 + R(0) x + x^2) (1 - x R(x))` in the same `y`, from `y^24` down to 1. It was
/// made alike.
const EXCESS: [f64; 25] = [
    -4.5742742724355737e-10,
    1.4481563208206887e-09,
    6.928559994696979e-09,
    -1.6555277722033255e-08,
    -6.455135483142514e-08,
    1.1694851351300841e-07,
    5.096700875195108e-07,
    -8.152461315077293e-07,
    -3.7909966711904563e-06,
    7.199250996709192e-06,
    2.6159434689842174e-05,
    -7.891337006041013e-05,
    -0.00012721035871336752,
    0.0008733603983923278,
    -0.0006607619417066105,
    -0.006211882861712958,
    0.02724612919503732,
    -0.059049846764866784,
    0.07268597678329909,
    -0.023845641135290346,
    -0.09594227618059833,
    0.20598236344799103,
    -0.16350827811584007,
    -0.10266144917094039,
    1.1752980769804078,
];

/// `R(x) = Phi(-x)/phi(x)` and `1 - x R(x) = h(-x)/phi(x)`, for `x` from 0 to 40.
///
/// Both polynomials are between 1 and 1.2, and the absolute values of their coefficients sum to
/// less than 2. So the relative errors are about five epsilons, also where `1 - x R(x)` would cancel.
#[inline(always)]
pub fn tail<const FMA: bool>(x: f64) -> (f64, f64) {
    let y = multiply_add::<FMA>(2.25 * x, 1.0 / (x + 5.0), -1.0);
    let mut ratio = RATIO[0];
    let mut excess = multiply_add::<FMA>(EXCESS[0], y, EXCESS[1]);
    excess = multiply_add::<FMA>(excess, y, EXCESS[2]);
    for k in 1..RATIO.len() {
        ratio = multiply_add::<FMA>(ratio, y, RATIO[k]);
        excess = multiply_add::<FMA>(excess, y, EXCESS[k + 2]);
    }
    let square = multiply_add::<FMA>(x, x + RATIO_AT_ZERO, 1.0);
    (ratio / (x + RECIPROCAL_AT_ZERO), excess / square)
}

#[cfg(test)]
mod tests {
    use super::super::normal::{Ratios, cdf, h, pdf, ratios};
    use super::super::simd::{Vectorized, dispatch};
    use super::*;

    struct All<'a>(&'a [f64], &'a mut [(f64, f64, f64)]);

    impl Vectorized for All<'_> {
        type Output = ();

        #[inline(always)]
        fn run<const FMA: bool>(self) {
            for (out, u) in self.1.iter_mut().zip(self.0) {
                *out = improvement::<FMA>(*u);
            }
        }
    }

    #[test]
    fn it_agrees_with_the_careful_functions() {
        let u: Vec<f64> = (-37_000..=10_000).map(|i| f64::from(i) * 1e-3 + 1e-5).collect();
        let mut quick = vec![(0.0, 0.0, 0.0); u.len()];
        dispatch(All(&u, &mut quick));
        for (u, quick) in u.iter().zip(quick) {
            // A unit of the square moves the density by u^2 / 2 units. The difference 1 - x R, about
            // 1 / x^2, is known to a few units of 1.
            let allowed = (12.0 + 4.0 * u.min(0.0).powi(2)) * f64::EPSILON;
            for got in [quick, improvement::<false>(*u)] {
                let expected = (h(*u), cdf(*u), pdf(*u));
                let density = (12.0 + u * u) * f64::EPSILON;
                assert!((got.0 / expected.0 - 1.0).abs() <= allowed, "h({u}): {got:?}");
                assert!((got.1 / expected.1 - 1.0).abs() <= allowed, "Phi({u}): {got:?}");
                assert!((got.2 / expected.2 - 1.0).abs() <= density, "phi({u}): {got:?}");
            }
        }
    }

    #[test]
    fn tails_agree_with_the_continued_fraction() {
        for x in (0..=40_000).map(|i| f64::from(i) * 1e-3) {
            let Ratios { m, r } = ratios(-x);
            // The other form is known to 5e-15 between 1 and 2.5, and to 1e-15 elsewhere.
            let other = if (1.0..=2.5).contains(&x) { 5e-15 } else { 1e-15 };
            for (ratio, excess) in [tail::<true>(x), tail::<false>(x)] {
                assert!((ratio * r - 1.0).abs() <= 5.0 * f64::EPSILON + 1e-15, "R({x}): {ratio}");
                let error = (excess * (r / m) - 1.0).abs();
                assert!(error <= 5.0 * f64::EPSILON + other, "1 - x R({x}): {excess}, {error}");
            }
        }
    }

    #[test]
    fn far_arguments_have_their_limits() {
        assert_eq!(improvement::<true>(-1e150), (0.0, 0.0, 0.0));
        assert_eq!(improvement::<false>(1e150), (1e150, 1.0, 0.0));
        assert_eq!(improvement::<true>(f64::INFINITY).0, f64::INFINITY);
    }
}
