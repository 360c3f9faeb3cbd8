//! The snippets' functions as drivers may compile them: products in sums unrounded, and sums
//! regrouped. No device is needed.

use gittins::backend::Precision;
use gittins::internals::normal;

use crate::support::device::{epsilon, rounded};
use crate::support::host_shader::{Compiled, HostShader};
use crate::support::tolerance as bound;

const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];

/// Compares a function with the host's, in epsilons of a scale, however it is compiled.
#[track_caller]
fn holds(
    imports: &[&str],
    function: &str,
    values: impl Fn(Precision) -> Vec<f64>,
    expected: impl Fn(f64) -> f64,
    scale: impl Fn(f64) -> f64,
    allowed: impl Fn(Precision, f64) -> f64,
) {
    for precision in PRECISIONS {
        let shader = HostShader::new(precision, imports);
        for compiled in Compiled::ALL {
            for x in values(precision).into_iter().map(|x| rounded(precision, x)) {
                let (got, expected) = (shader.number(function, compiled, &[x]), expected(x));
                let allowed = allowed(precision, x) * epsilon(precision) * scale(expected);
                let what = format!("{function} in {}, {compiled:?}, at {x}", precision.name());
                bound::assert_within(what, got, expected, allowed);
            }
        }
    }
}

/// Evenly spread over the normal range of an exponential.
fn exponents(precision: Precision) -> Vec<f64> {
    let (lowest, highest) = match precision {
        Precision::F32 => (-86.0, 88.0),
        Precision::F64 => (-700.0, 700.0),
    };
    (0..4001).map(|k| lowest + (highest - lowest) * f64::from(k) / 4000.0).collect()
}

#[test]
fn exponentials_hold_however_they_are_compiled() {
    holds(&["math/real"], "real_exp", exponents, f64::exp, f64::abs, |_, _| bound::DEVICE_EXP);
}

#[test]
fn logarithms_hold_however_they_are_compiled() {
    let values = |precision| exponents(precision).into_iter().map(f64::exp).collect();
    holds(&["math/real"], "real_log", values, f64::ln, f64::abs, |_, _| bound::DEVICE_LOG);
}

#[test]
fn the_normal_distribution_holds_however_it_is_compiled() {
    let values = |precision| {
        let most = if precision == Precision::F32 { 12.5 } else { 36.5 };
        (0..4001).map(|k| most * (f64::from(k) / 2000.0 - 1.0)).collect()
    };
    let part = |part: usize| move |precision, u| bound::device_normal(precision, u)[part];
    holds(&["math/normal"], "normal_pdf", values, normal::pdf, f64::abs, part(0));
    holds(&["math/normal"], "normal_cdf", values, normal::cdf, f64::abs, part(1));
    holds(&["math/normal"], "normal_h", values, normal::h, f64::abs, part(3));
}

#[test]
fn sines_and_cosines_hold_however_they_are_compiled() {
    let values = |precision| {
        let most = if precision == Precision::F32 { 1e3 } else { 1e5 };
        (0..4001).map(|k| most * (f64::from(k) / 2000.0 - 1.0)).collect()
    };
    // The number of a turn is the sum of its sine and its cosine.
    let expected = |x: f64| x.sin() + x.cos();
    let allowed = |_, _| 2.0 * bound::DEVICE_TURN;
    holds(&["math/real"], "real_turn", values, expected, |_| 1.0, allowed);
}
