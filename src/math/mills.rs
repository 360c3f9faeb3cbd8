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

#[cfg(test)]
mod tests {
    use super::super::normal::{cdf, h, pdf};
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
    fn far_arguments_have_their_limits() {
        assert_eq!(improvement::<true>(-1e150), (0.0, 0.0, 0.0));
        assert_eq!(improvement::<false>(1e150), (1e150, 1.0, 0.0));
        assert_eq!(improvement::<true>(f64::INFINITY).0, f64::INFINITY);
    }
}
