//! Loops that are compiled for the widest vectors of the machine at hand.
//!
//! By default Rust compiles for plain x86-64, two doubles at a time, and users rarely change that.
//! [`pulp`] picks AVX2 or AVX-512 at run time. The compiler then turns loops over [`LANES`]
//! doubles, written in ordinary Rust, into vector code. These instruction sets have fused
//! multiply-add. The plain one has not, and would call a slow library function. The choice is
//! therefore a constant of each version.

use std::f64::consts::{FRAC_2_PI, LOG2_E};

/// Doubles handled together: one AVX-512 register or two AVX2 ones.
pub const LANES: usize = 8;

/// A group of doubles.
pub type Lanes = [f64; LANES];

/// A computation that [`dispatch`] compiles once for each instruction set.
pub trait Vectorized {
    /// What it returns.
    type Output;

    /// The computation. It and all that it calls must be `#[inline(always)]`. `FMA` says whether
    /// the instruction set has fused multiply-add.
    fn run<const FMA: bool>(self) -> Self::Output;
}

/// Runs a computation with the widest vectors available.
pub fn dispatch<V: Vectorized>(computation: V) -> V::Output {
    pulp::Arch::new().dispatch(Bridge(computation))
}

struct Bridge<V>(V);

impl<V: Vectorized> pulp::WithSimd for Bridge<V> {
    type Output = V::Output;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> V::Output {
        if S::IS_SCALAR { self.0.run::<false>() } else { self.0.run::<true>() }
    }
}

/// `a b + c`, fused if that is one instruction.
#[inline(always)]
pub fn multiply_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// `1.5 * 2^52`. Adding it rounds to a whole number and leaves that number in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// `exp(x)` for `x <= 0`, within 2 units in the last place; 0 below -708, where the result would
/// leave the normal numbers.
///
/// `x = n ln 2 + r` with `|r| <= ln(2) / 2`. The Taylor polynomial of degree 13 has a remainder of
/// `0.3466^14 / 14! = 4e-18` there, and `2^n` is built from its bits. `n ln 2` is subtracted in two
/// parts. The first has 21 trailing zero bits and is therefore exact.
#[inline(always)]
pub fn exp_nonpositive<const FMA: bool>(x: f64) -> f64 {
    const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    /// The remaining Taylor coefficients `1/k!`, from `k = 13` down to 2.
    const COEFFICIENTS: [f64; 12] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ];
    let clamped = if x < -708.0 { -708.0 } else { x };
    let shifted = multiply_add::<FMA>(clamped, LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = multiply_add::<FMA>(n, -LN2_LOW, multiply_add::<FMA>(n, -LN2_HIGH, clamped));
    let mut tail = COEFFICIENTS[0];
    for &coefficient in &COEFFICIENTS[1..] {
        tail = multiply_add::<FMA>(tail, r, coefficient);
    }
    // 1 + (r + r^2 tail): the small part is rounded before 1 is added.
    let value = 1.0 + multiply_add::<FMA>(r * r, tail, r);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if x < -708.0 { 0.0 } else { value * power }
}

/// `(sin x, cos x)`. The absolute error is `1.5 eps` for `|x| < 2^20`. Beyond, the rounding of `x`
/// itself adds `|x| eps / 2`. The result is `(0, 1)` for NaN and above `2^50`, where the spacing of
/// numbers is a good part of a period.
///
/// `x = n pi / 2 + r` with `|r| <= pi / 4`. There the Taylor polynomials of degrees 15 and 16 have
/// remainders of `5e-17` and `2e-18`. `n pi / 2` is subtracted in two parts. The first has 33 bits,
/// and its product is exact for `|n| < 2^20`.
#[inline(always)]
pub fn sin_cos<const FMA: bool>(x: f64) -> (f64, f64) {
    const LARGEST: f64 = (1u64 << 50) as f64;
    const HALF_PI_HIGH: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
    const HALF_PI_LOW: f64 = 6.077_100_506_506_192e-11;
    /// `(-1)^k / (2 k + 1)!`, from `k = 7` down to 1.
    const SINE: [f64; 7] = [
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5_040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
    ];
    /// `(-1)^k / (2 k)!`, from `k = 8` down to 2.
    const COSINE: [f64; 7] = [
        1.0 / 20_922_789_888_000.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 479_001_600.0,
        -1.0 / 3_628_800.0,
        1.0 / 40_320.0,
        -1.0 / 720.0,
        1.0 / 24.0,
    ];
    let x = if x.abs() <= LARGEST { x } else { 0.0 };
    let shifted = multiply_add::<FMA>(x, FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let r = multiply_add::<FMA>(n, -HALF_PI_LOW, multiply_add::<FMA>(n, -HALF_PI_HIGH, x));
    let square = r * r;
    let (mut odd, mut even) = (SINE[0], COSINE[0]);
    for k in 1..SINE.len() {
        odd = multiply_add::<FMA>(odd, square, SINE[k]);
        even = multiply_add::<FMA>(even, square, COSINE[k]);
    }
    let sine = multiply_add::<FMA>(r * square, odd, r);
    let cosine = 1.0 + square * multiply_add::<FMA>(square, even, -0.5);
    // The quarter turns are the two lowest bits. The lower one swaps sine and cosine, the upper one
    // changes the sign.
    let turns = shifted.to_bits();
    let (first, second) = if turns & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
    let signed = |value: f64, turns: u64| f64::from_bits(value.to_bits() ^ (turns & 2) << 62);
    (signed(first, turns), signed(second, turns.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Exponentials<'a>(&'a [f64], &'a mut [f64]);

    impl Vectorized for Exponentials<'_> {
        type Output = ();

        #[inline(always)]
        fn run<const FMA: bool>(self) {
            for (out, x) in self.1.iter_mut().zip(self.0) {
                *out = exp_nonpositive::<FMA>(*x);
            }
        }
    }

    #[test]
    fn exponentials_agree_with_the_library_to_two_units() {
        let x: Vec<f64> = (0..200_000)
            .map(|i| -708.0 * (f64::from(i) / 199_999.0).powi(3))
            .chain([0.0, -0.0, -1e-300, -1e-17])
            .collect();
        let mut y = vec![f64::NAN; x.len()];
        dispatch(Exponentials(&x, &mut y));
        for (x, y) in x.iter().zip(&y) {
            let expected = x.exp();
            assert!(
                (y - expected).abs() <= 2.0 * f64::EPSILON * expected,
                "exp({x}) = {expected}, got {y}"
            );
            let plain = exp_nonpositive::<false>(*x);
            assert!(
                (plain - expected).abs() <= 2.0 * f64::EPSILON * expected,
                "exp({x}) = {expected}, without FMA {plain}"
            );
        }
        assert_eq!(exp_nonpositive::<false>(-709.0), 0.0);
        assert_eq!(exp_nonpositive::<false>(f64::NEG_INFINITY), 0.0);
    }

    struct Turns<'a>(&'a [f64], [&'a mut [f64]; 2]);

    impl Vectorized for Turns<'_> {
        type Output = ();

        #[inline(always)]
        fn run<const FMA: bool>(self) {
            let Self(x, [sines, cosines]) = self;
            for ((sine, cosine), x) in sines.iter_mut().zip(cosines).zip(x) {
                (*sine, *cosine) = sin_cos::<FMA>(*x);
            }
        }
    }

    #[test]
    fn sines_and_cosines_agree_with_the_library() {
        // Numbers of all sizes and both signs, also near multiples of a quarter turn.
        let spread = (0..200_000).map(|i| 3e7 * (f64::from(i) / 100_000.0 - 1.0).powi(5));
        let turns = (-500..500).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2);
        let x: Vec<f64> = spread.chain(turns).chain([0.0, -0.0, 1e-300, 1e-9, 1.0e12]).collect();
        let mut sines = vec![f64::NAN; x.len()];
        let mut cosines = vec![f64::NAN; x.len()];
        dispatch(Turns(&x, [&mut sines, &mut cosines]));
        for (x, got) in x.iter().zip(sines.iter().zip(&cosines)) {
            let (sine, cosine) = libm::sincos(*x);
            let beyond = if x.abs() < f64::from(1 << 20) { 0.0 } else { 0.5 * x.abs() };
            let allowed = (1.5 + beyond) * f64::EPSILON;
            for (got_sine, got_cosine) in [(*got.0, *got.1), sin_cos::<false>(*x)] {
                assert!((got_sine - sine).abs() <= allowed, "sin({x}) = {sine}, got {got_sine}");
                assert!(
                    (got_cosine - cosine).abs() <= allowed,
                    "cos({x}) = {cosine}, got {got_cosine}"
                );
            }
        }
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2e15] {
            assert_eq!(sin_cos::<false>(x), (0.0, 1.0));
            assert_eq!(sin_cos::<true>(x), (0.0, 1.0));
        }
    }
}
