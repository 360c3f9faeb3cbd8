//! Of the simulators.

/// A score or a price of pest control: some fifty sums and products of numbers up to 25.
pub const PEST_CONTROL: f64 = 50.0 * 25.0 * f64::EPSILON;

/// Known values that are printed with two decimals.
pub const TWO_DECIMALS: f64 = 0.005 + PEST_CONTROL;

/// And with five.
pub const FIVE_DECIMALS: f64 = 0.000_005 + PUSHED_AGAIN;

/// `Box2D` keeps positions of up to 13 in single precision, and each of 400 steps rounds them by half
/// a unit in the last place, 4.8e-7: by chance alone some 20 times that, 1e-5, add up. As measured
/// over 112 runs with one hand, its objects stay within 2e-5.
pub const OBJECT_OF_BOX2D: f64 = 2e-5;

/// Hands with two corners on an object, and all bodies where two hands may collide, which lets such
/// differences grow up to ten times: within 1e-4 in nine of ten runs, and in all that are recorded.
pub const HANDS_OF_BOX2D: f64 = 1e-4;

/// The same physics in double precision by another program: rounding grows as in single precision,
/// where runs end by at most 8e-5 = 700 eps apart; ten times 700 epsilons of double precision.
pub const PUSHED_AGAIN: f64 = 7000.0 * f64::EPSILON;

/// The way at steady speed during 100 steps: the drive makes up 13 % of what is missing in a step,
/// so that 170 steps after the hand has met the object `0.87^170 = 5e-11` of a speed of 3 is left,
/// and of the way a hundredth of that over 0.13: 1e-11; ten times this.
pub const STEADY: f64 = 1e-10;

/// Head on, each step leaves four fifths of an overlap that exceeds the slop: within fifty steps of
/// contact 1e-5 of it, at most half a unit.
pub const AT_REST: f64 = 5e-6;

/// The share of the box where a hand misses, known from 1500 points and estimated on a thousand: as
/// if on 600.
pub fn missed() -> f64 {
    super::frequency(0.13267, 600)
}
