//! The normal distribution and `h` against mpmath, and at the ends of the range of doubles.

use gittins::internals::normal::{
    FRAC_1_SQRT_2PI, Ratios, cdf, h, inverse_cdf, inverse_log_h, inverse_log_h_with_ratios,
    log_cdf, log_h, log_h_with_ratios, pdf, ratios,
};

use crate::support::golden::{number, table};
use crate::support::tolerance::{INDEX_ROOT, LOG_OF_NORMAL, NORMAL, NORMAL_RATIO, assert_within};

/// Subnormal numbers have an absolute precision. Underflow towards a rounded factor costs some
/// units of it.
const SUBNORMAL: f64 = 2e-323;

#[test]
fn density_and_distribution() {
    for row in table("normal")["distribution"].as_array().unwrap() {
        let x = number(&row["x"]);
        for (name, got) in [("pdf", pdf(x)), ("cdf", cdf(x))] {
            let expected = number(&row[name]);
            assert_within(format!("{name}({x})"), got, expected, NORMAL * expected + SUBNORMAL);
        }
        let expected = number(&row["log_cdf"]);
        assert_within(
            format!("log_cdf({x})"),
            log_cdf(x),
            expected,
            LOG_OF_NORMAL * expected.abs() + SUBNORMAL,
        );
    }
}

#[test]
fn log_h_and_ratios() {
    let (near, far) = (table("normal"), table("pbgi"));
    let near = near["distribution"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["x"], &row["log_h"], &row["m"], &row["r"]));
    let far = far["log_h"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["u"], &row["log_h"], &row["h_over_Phi"], &row["phi_over_Phi"]));
    for (u, expected_log_h, expected_m, expected_r) in near.chain(far) {
        let (u, expected) = (number(u), number(expected_log_h));
        assert_within(
            format!("log_h({u})"),
            log_h(u),
            expected,
            LOG_OF_NORMAL * expected.abs().max(1.0),
        );
        let (expected_m, expected_r) = (number(expected_m), number(expected_r));
        let Ratios { m, r } = ratios(u);
        assert_within(format!("m({u})"), m, expected_m, NORMAL_RATIO * expected_m);
        assert_within(format!("r({u})"), r, expected_r, NORMAL * expected_r + SUBNORMAL);
        assert_eq!(log_h_with_ratios(u), (log_h(u), ratios(u)));
    }
}

#[test]
fn h_and_the_derivatives_of_its_logarithm() {
    for row in table("pbgi")["log_h"].as_array().unwrap() {
        let u = number(&row["u"]);
        let expected = number(&row["h"]);
        assert_within(format!("h({u})"), h(u), expected, NORMAL_RATIO * expected + SUBNORMAL);
        let Ratios { m, r } = ratios(u);
        let slope = number(&row["dlog_h"]);
        assert_within(format!("(ln h)'({u})"), 1.0 / m, slope, NORMAL_RATIO * slope);
        assert_within(
            format!("(ln h)''({u})"),
            r / m - 1.0 / (m * m),
            number(&row["d2log_h"]),
            2.0 * NORMAL_RATIO * (r / m + slope * slope),
        );
    }
}

#[test]
fn root_of_h() {
    let (near, far) = (table("normal"), table("pbgi"));
    for row in
        near["root"].as_array().unwrap().iter().chain(far["u_of_log_kappa"].as_array().unwrap())
    {
        let t = number(&row["log_kappa"]);
        let u = number(&row["u"]);
        let kappa = row.get("kappa").map_or(t.exp(), number);
        // The rounding of the exponential of t enters the root only if the root is kappa.
        let given = if t > 2.2 { t * f64::EPSILON * kappa } else { 0.0 };
        assert_within(
            format!("root at ln kappa = {t}"),
            inverse_log_h(t, kappa),
            u,
            INDEX_ROOT * u.abs().max(1.0) + given,
        );
        if let Some(m) = row.get("h_over_Phi").map(number) {
            assert_within(
                format!("m of the root at {t}"),
                ratios(inverse_log_h(t, kappa)).m,
                m,
                NORMAL_RATIO * m + given,
            );
        }
    }
}

#[test]
fn ratios_at_a_root_are_those_of_the_root() {
    let decades = (-40..=154).map(|tenth| -(10f64.powf(0.1 * f64::from(tenth))));
    let above = (-100..700).map(f64::from);
    for t in decades.chain(above) {
        let (u, Ratios { m, r }) = inverse_log_h_with_ratios(t, t.exp());
        assert_eq!(u, inverse_log_h(t, t.exp()));
        let at = ratios(u);
        assert_within(format!("m at the root of {t}"), m, at.m, 2.0 * NORMAL_RATIO * at.m);
        assert_within(format!("r at the root of {t}"), r, at.r, 2.0 * NORMAL_RATIO * at.r);
    }
}

#[test]
fn inverse_of_the_distribution_function() {
    // The values are fifty digits, rounded.
    for (p, u) in [
        (0.5, 0.0),
        (0.499_999_9, -2.506_628_274_703_106_5e-7),
        (0.3, -0.524_400_512_708_040_8),
        (0.025, -1.959_963_984_540_054_2),
        (1e-3, -3.090_232_306_167_813_5),
        (1e-10, -6.361_340_902_404_056),
        (1e-50, -14.933_337_534_788_489),
        (1e-300, -37.047_096_299_361_2),
        (5e-324, -38.467_405_617_144_35),
    ] {
        assert_within(format!("of {p:e}"), inverse_cdf(p), u, INDEX_ROOT * u.abs().max(1.0));
        assert_eq!(inverse_cdf(1.0 - p), -inverse_cdf(1.0 - (1.0 - p)));
    }
    assert_eq!([0.0, 1.0].map(inverse_cdf), [f64::NEG_INFINITY, f64::INFINITY]);
    assert!([-0.1, 1.1, f64::NAN].iter().all(|p| inverse_cdf(*p).is_nan()));
}

#[test]
fn asymptotes_hold_to_the_end_of_the_range() {
    for exponent in [20, 60, 100, 150] {
        let x = 10f64.powi(exponent);
        let Ratios { m, r } = ratios(-x);
        assert_within(format!("m(-{x:e})"), m, 1.0 / x, f64::EPSILON / x);
        assert_eq!((r, ratios(x), log_h(x)), (x, Ratios { m: x, r: 0.0 }, x.ln()));
        assert_within(format!("log_h(-{x:e})"), log_h(-x), -0.5 * x * x, f64::EPSILON * x * x);
        assert_within(
            format!("root at -{x:e}"),
            inverse_log_h(-x, 0.0),
            -(2.0 * x).sqrt(),
            200.0 / x.sqrt() + 4.0 * f64::EPSILON * x.sqrt(),
        );
    }
}

#[test]
fn infinities_have_limits_and_nan_stays_nan() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!((pdf(inf), cdf(inf), log_cdf(inf), h(inf), log_h(inf)), (0.0, 1.0, 0.0, inf, inf));
    assert_eq!(
        (pdf(-inf), cdf(-inf), log_cdf(-inf), h(-inf), log_h(-inf)),
        (0.0, 0.0, -inf, 0.0, -inf)
    );
    for value in [
        pdf(nan),
        cdf(nan),
        log_cdf(nan),
        h(nan),
        log_h(nan),
        ratios(nan).m,
        ratios(nan).r,
        inverse_log_h(nan, nan),
    ] {
        assert!(value.is_nan());
    }
}

#[test]
fn branches_meet() {
    // Neighboring doubles on both sides of every change of formula. The jump is no larger than the
    // two errors, and there is no step back.
    for branch in [-39.0, -20.0, -12.0, -8.0, -6.0, -5.0, -4.0, -3.0, -2.5, -1.0, 0.0, 8.5, 39.0f64]
    {
        let (below, above) = (branch.next_down().next_down(), branch.next_up().next_up());
        let step = above - below;
        for (name, f, slope) in [
            ("log_h", log_h as fn(f64) -> f64, 1.0 / ratios(branch).m),
            ("log_cdf", log_cdf as fn(f64) -> f64, ratios(branch).r),
            ("m", (|u| ratios(u).m) as fn(f64) -> f64, 1.0),
        ] {
            let bound = 2.0 * NORMAL_RATIO * f(branch).abs().max(f64::MIN_POSITIVE) + slope * step;
            assert_within(format!("{name} across {branch}"), f(above), f(below), bound);
        }
    }
    let branch = 2.2f64;
    let kappa = branch.exp();
    assert_within(
        "root across 2.2",
        inverse_log_h(branch.next_up(), kappa),
        inverse_log_h(branch, kappa),
        2.0 * INDEX_ROOT * kappa,
    );
    assert_within(
        "root at kappa = phi(0)",
        inverse_log_h(FRAC_1_SQRT_2PI.ln(), FRAC_1_SQRT_2PI),
        0.0,
        f64::EPSILON,
    );
}
