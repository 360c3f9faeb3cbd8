//! The snippets' functions as drivers may compile them: products in sums unrounded, and sums
//! regrouped. No device is needed.

use gittins::backend::Precision;
use gittins::internals::normal;

use crate::support::device::{epsilon, rounded};
use crate::support::host_shader::{Compiled, HostShader};
use crate::support::tolerance as bound;

const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];

/// Compares a function with the host's, in epsilons of its value, however it is compiled.
#[track_caller]
fn holds(
    imports: &[&str],
    function: &str,
    values: impl Fn(Precision) -> Vec<f64>,
    expected: impl Fn(f64) -> f64,
    allowed: impl Fn(Precision, f64) -> f64,
) {
    for precision in PRECISIONS {
        let shader = HostShader::new(precision, imports);
        for compiled in Compiled::ALL {
            for x in values(precision).into_iter().map(|x| rounded(precision, x)) {
                let (got, expected) = (shader.number(function, compiled, &[x]), expected(x));
                let allowed = allowed(precision, x) * epsilon(precision) * expected.abs();
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
    holds(&["math/real"], "real_exp", exponents, f64::exp, |_, _| bound::DEVICE_EXP);
}

#[test]
fn logarithms_hold_however_they_are_compiled() {
    let values = |precision| exponents(precision).into_iter().map(f64::exp).collect();
    holds(&["math/real"], "real_log", values, f64::ln, |_, _| bound::DEVICE_LOG);
}

#[test]
fn the_normal_distribution_holds_however_it_is_compiled() {
    let values = |precision| {
        let most = if precision == Precision::F32 { 12.5 } else { 36.5 };
        (0..4001).map(|k| most * (f64::from(k) / 2000.0 - 1.0)).collect()
    };
    let part = |part: usize| move |precision, u| bound::device_normal(precision, u)[part];
    holds(&["math/normal"], "normal_pdf", values, normal::pdf, part(0));
    holds(&["math/normal"], "normal_cdf", values, normal::cdf, part(1));
    holds(&["math/normal"], "normal_h", values, normal::h, part(3));
}

#[test]
fn sines_and_cosines_hold_however_they_are_compiled() {
    let values = |precision| {
        let most = if precision == Precision::F32 { 1e3 } else { 1e5 };
        (0..4001).map(|k| most * (f64::from(k) / 2000.0 - 1.0)).collect::<Vec<f64>>()
    };
    for precision in PRECISIONS {
        let shader = HostShader::new(precision, &["math/real"]);
        for compiled in Compiled::ALL {
            for x in values(precision).into_iter().map(|x| rounded(precision, x)) {
                let got = shader.number("real_turn", compiled, &[x]);
                let allowed = 2.0 * bound::DEVICE_TURN * epsilon(precision);
                let what = format!("sin + cos in {}, {compiled:?}, at {x}", precision.name());
                bound::assert_within(what, got, x.sin() + x.cos(), allowed);
            }
        }
    }
}
