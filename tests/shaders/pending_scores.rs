//! The shader's scores beside pending trials, over decades of settings, against sums of
//! logarithms on the host.

use gittins::backend::Precision;
use gittins::internals::normal::{log_cdf, log_h};

use crate::support::device::{device, epsilon, rounded};
use crate::support::tolerance::{DEVICE_SCORE, assert_within};

const FANTASIES: usize = 32;

/// What the shader is told: kind, incumbent, logarithm of the price, mean, deviation, the spread of
/// the shifts, the middle and the spread of the best pending values, and the chance that they
/// bring nothing.
type Row = [f64; 9];

const BODY: &str = "
    var trial = pending_of(x3, x4, x8);
    for (var k = 0u; k < FANTASIES; k++) {
        let a = real((f32(k) - 15.5) / 16.0);
        let b = real((f32((7u * k) % 32u) - 15.5) / 16.0);
        pending_set(&trial, k, x5 * a, x6 + x7 * b);
    }
    let belief = Belief(x3, x4, 0.0, 0.0);
    let score = pending_score(u32(x0), &trial, Setting(x1, x2, 0.5), belief);
    var least = trial.parts[0];
    var total = real(0.0);
    for (var k = 0u; k < FANTASIES; k++) {
        least = min(least, trial.parts[k]);
        total += trial.parts[k];
    }
";
const RESULTS: [&str; 6] =
    ["score.value", "score.d_mean", "score.d_sd", "score.d_log_cost", "least", "total"];

/// Shift and best pending value in each fantasy, and the mean's distance from both, in units of
/// the deviation.
fn fantasies(row: &Row) -> impl Iterator<Item = [f64; 2]> {
    let [_, _, _, mean, sd, spread, best, of_best, _] = *row;
    let place = |k: usize| (k as f64 - 15.5) / 16.0;
    (0..FANTASIES).map(move |k| {
        let (shift, best) = (spread * place(k), best + of_best * place((7 * k) % 32));
        [shift / sd, (best - mean) / sd]
    })
}

/// The logarithm of the sum at `gamma` with a function whose logarithm is given, and the largest
/// argument.
fn log_sum(row: &Row, gamma: f64, log_of: fn(f64) -> f64) -> (f64, f64) {
    let missing = row[8];
    let terms: Vec<[f64; 2]> = fantasies(row)
        .flat_map(|[mu, beta]| {
            [((1.0 - missing).ln(), mu - gamma.max(beta)), (missing.ln(), mu - gamma)]
        })
        .map(|(weight, u)| [weight - (FANTASIES as f64).ln() + log_of(u), u])
        .collect();
    let top = terms.iter().map(|term| term[0]).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = terms.iter().map(|term| (term[0] - top).exp()).sum();
    (top + sum.ln(), terms.iter().map(|term| term[1]).fold(f64::NEG_INFINITY, f64::max))
}

/// Settings, rounded as the device gets them. The spreads are powers of two, so that shifts are not
/// rounded.
fn settings(precision: Precision, kind: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    for sd in [1e-3, 0.07, 1.0] {
        for spread in [0.0, 0.0625, 1.0, 4.0] {
            for (best, of_best) in [(-2.0, 0.0), (0.3, 0.5), (4.0, 2.0)] {
                for missing in [1.0 / 64.0, 0.3, 1.0] {
                    let places: &[f64] = match kind {
                        7 => &[-200.0, -40.0, -7.0, -2.0, 0.0, 2.0, 30.0],
                        _ => &[-30.0, -2.0, -0.4, 0.0, 0.3, 1.1, 30.0],
                    };
                    for &place in places {
                        let (incumbent, log_price) =
                            if kind == 7 { (0.0, place) } else { (place, 0.0) };
                        let row = [
                            f64::from(kind),
                            incumbent,
                            log_price,
                            0.0,
                            sd,
                            spread,
                            best,
                            of_best,
                            missing,
                        ];
                        rows.push(row.map(|x| rounded(precision, x)));
                    }
                }
            }
        }
    }
    rows
}

/// The logarithms of improvement and of its probability are those of sums of logarithms, and the
/// improvement beyond an index is its price.
#[test]
fn sums_over_fantasies_agree_with_sums_of_logarithms() {
    let test = "sums_over_fantasies_agree_with_sums_of_logarithms";
    let Some(device) = device(test) else { return };
    for precision in device.precisions(test) {
        for kind in [1, 3, 7] {
            let settings = settings(precision, kind);
            let rows: Vec<_> = settings.iter().map(|row| row.to_vec()).collect();
            let results =
                device.evaluate(precision, &["acquisition/pending"], BODY, &RESULTS, &rows);
            let mut worst = 0f64;
            for (row, result) in settings.iter().zip(&results) {
                let [_, incumbent, log_price, mean, sd, ..] = *row;
                let value = result[0];
                let (gamma, log_of): (f64, fn(f64) -> f64) = match kind {
                    7 => ((value - mean) / sd, log_h),
                    3 => ((incumbent - mean) / sd, log_cdf),
                    _ => ((incumbent - mean) / sd, log_h),
                };
                let (log_value, largest) = log_sum(row, gamma, log_of);
                let (got, expected) = match kind {
                    7 => (log_value, log_price - sd.ln()),
                    3 => (value, log_value),
                    _ => (value, log_value + sd.ln()),
                };
                // An argument is off by the epsilons of its terms, and a logarithm by that over m:
                // at most 1 + |u| for negative arguments, and 1/u for large ones.
                let terms = fantasies(row).map(|[mu, beta]| mu.abs() + beta.abs());
                let terms = terms.fold(0.0, f64::max).max(gamma.abs());
                let slope = if largest < 0.0 { 1.0 - largest } else { 1.0 / (1.0 + largest) };
                let scale = 1.0 + sd.ln().abs() + expected.abs() + slope * terms;
                let unit = epsilon(precision) * scale;
                let what = format!("kind {kind} in {} at {row:?}: {result:?}", precision.name());
                assert_within(&what, got, expected, DEVICE_SCORE * unit);
                worst = worst.max((got - expected).abs() / unit);
                // The shares of the fantasies in the derivative by the mean.
                assert!(result[4] >= 0.0 && (result[5] > 0.0) == (result[1] > 0.0), "{what}");
            }
            println!("kind {kind} in {}: at most {worst:.2} epsilons", precision.name());
        }
    }
}

#[test]
fn scores_beside_trials_under_way_stay_finite_at_the_ends() {
    let test = "scores_beside_trials_under_way_stay_finite_at_the_ends";
    let Some(device) = device(test) else { return };
    for precision in device.precisions(test) {
        let log_price: f64 = if precision == Precision::F32 { 87.0 } else { 700.0 };
        let mut rows = Vec::new();
        for kind in [0, 1, 2, 3, 5, 6, 7] {
            for (mean, incumbent) in [(1e15, -1e15), (-1e15, 1e15), (1e15, 1e15), (0.0, 0.3)] {
                for sd in [1e-6, 1.0] {
                    for parameter in [-log_price, 0.0, log_price] {
                        let parameter = if kind == 7 { parameter } else { f64::abs(parameter) };
                        for spread in [0.0, 1.0, 1e12] {
                            for (best, of_best) in [(0.0, 1.0), (-1e15, 0.0), (1e15, 1e12)] {
                                for missing in [1.0 / 64.0, 1.0] {
                                    rows.push(vec![
                                        f64::from(kind),
                                        incumbent,
                                        parameter,
                                        mean,
                                        sd,
                                        spread,
                                        best,
                                        of_best,
                                        missing,
                                    ]);
                                }
                            }
                        }
                    }
                }
            }
        }
        let results = device.evaluate(precision, &["acquisition/pending"], BODY, &RESULTS, &rows);
        for (row, result) in rows.iter().zip(&results) {
            let what = format!("{row:?} in {}: {result:?}", precision.name());
            assert!(result.iter().all(|x| x.is_finite()), "{what}");
        }
    }
}
