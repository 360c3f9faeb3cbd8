//! Every acquisition on a device against the library's own score: values and partial derivatives,
//! over decades of deviations, gaps and prices.

use gittins::acquisition::{Belief, PointBeliefCost, Score};
use gittins::backend::Precision;
use gittins::{Acquisition, CostForm, Pointwise};

use crate::support::device::{device, epsilon, rounded};
use crate::support::tolerance::{DEVICE_SCORE, assert_within};

const FIELDS: [&str; 5] = ["value", "d_mean", "d_sd", "d_log_cost", "d_log_cost_variance"];

/// The arguments of the shader: kind, incumbent, parameter, variance factor, mean, deviation, mean
/// and variance of the log cost.
struct Case {
    kind: u32,
    acquisition: Acquisition,
    arguments: [f64; 7],
}

impl Case {
    fn score(&self) -> Score {
        let [incumbent, _, _, mean, sd, log_cost, variance] = self.arguments;
        let cost = PointBeliefCost::LogNormal { mean: log_cost, variance };
        self.acquisition.pointwise().unwrap().score(incumbent, &Belief { mean, sd, cost })
    }

    /// The units of the errors, for each of [`FIELDS`]. A unit is the change of the field for a
    /// relative error of one in the standardized distance and one in the added logarithms.
    fn scales(&self, score: &Score) -> [f64; 5] {
        let [incumbent, parameter, factor, mean, sd, log_cost, variance] = self.arguments;
        let u = (mean - incumbent) / sd;
        // The density's logarithm is u^2/2, so its relative error is u^2 times the error of u. A
        // value that is flushed has no larger error.
        let tail = 1.0 + if u < 0.0 || self.kind < 4 { u * u } else { 0.0 };
        let logarithms = 1.0 + (parameter * log_cost).abs() + (factor * variance).abs();
        let size =
            [score.value, score.d_mean, score.d_sd, score.d_log_cost, score.d_log_cost_variance]
                .map(f64::abs);
        match self.kind {
            0 | 2 => [tail * size[0], tail * size[1], tail * size[2], 0.0, 0.0],
            1 | 3 => {
                // A relative error of the distance changes ln h by u/m, at most twice |ln h|.
                // Derivatives change with r, u and 1/m, and on the right as the density does.
                let right = 1.0 + u.max(0.0).powi(2);
                [
                    1.0 + 2.0 * size[0] + 2.0 * sd.ln().abs(),
                    right * size[1],
                    right * size[2],
                    0.0,
                    0.0,
                ]
            }
            4 => [mean.abs() + parameter * sd, 1.0, parameter, 0.0, 0.0],
            5 => size.map(|size| (1.0 + u * u + logarithms) * size),
            6 => {
                let right = 1.0 + u.max(0.0).powi(2);
                [
                    logarithms + size[0] + 2.0 * (size[0] + logarithms) + 2.0 * sd.ln().abs(),
                    right * size[1],
                    right * size[2],
                    size[3],
                    size[4],
                ]
            }
            8 => [size[0], size[1], size[2], 0.0, 0.0],
            9 => {
                // Towards a far maximum the information falls like a density. Its slope is a
                // product of r, m and the fraction's next level n. These have errors of 8.5, 8 and
                // 8 epsilons, besides those in DEVICE_SCORE: two and a half times as much in all.
                let factor = 1.0 + u.min(0.0).powi(2) + logarithms;
                [
                    factor * size[0],
                    2.5 * factor * size[1],
                    2.5 * factor * size[2],
                    factor * size[3],
                    factor * size[4],
                ]
            }
            _ => {
                // ln kappa is a sum of four logarithms, and the root changes m times as much. With
                // the root change sigma u, r (by r m, and by the density's u on the right) and
                // sigma m.
                let sum = 1.0
                    + parameter.abs()
                    + log_cost.abs()
                    + (factor * variance).abs()
                    + sd.ln().abs();
                let root = ((mean - score.value) / sd).abs();
                let moved = root.max(1.0) + sum * size[3] / sd;
                let cost =
                    size[3] + sd * moved.min(root.max(1.0) * size[3] / sd + sum * size[3] / sd);
                let ratio = size[2] * (1.0 + size[3] / sd * moved);
                [mean.abs() + sd * moved, 1.0, ratio, cost, cost]
            }
        }
    }
}

/// Powers of ten and numbers near them, as the device rounds them.
fn cases(precision: Precision) -> Vec<Case> {
    let round = |x| rounded(precision, x);
    let single = precision == Precision::F32;
    let mut cases = Vec::new();
    let mut gaps = vec![0.0];
    for decade in -8..=8 {
        gaps.extend([1.0, 2.7, -1.0, -2.7].map(|x| x * 10f64.powi(decade)));
    }
    let log_costs: &[f64] = if single {
        &[-40.0, -3.3, 0.0, 2.1, 40.0]
    } else {
        &[-300.0, -40.0, -3.3, 0.0, 2.1, 300.0]
    };
    for sd in [1e-6, 1e-3, 0.07, 0.6, 1.0] {
        for &gap in &gaps {
            for (incumbent, mean) in [(0.0, gap), (0.8, 0.8 + gap)] {
                for (kind, acquisition) in [
                    (0, Acquisition::Pointwise(Pointwise::ExpectedImprovement)),
                    (1, Acquisition::Pointwise(Pointwise::LogExpectedImprovement)),
                    (2, Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement)),
                    (3, Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement)),
                ] {
                    cases.push(Case {
                        kind,
                        acquisition,
                        arguments: [incumbent, 0.0, 0.0, mean, sd, 0.0, 0.0],
                    });
                }
                for noise in [0.0, 1e-3, 0.4] {
                    let noise = round(noise);
                    let acquisition = Acquisition::Pointwise(Pointwise::EstimatedMaximum {
                        maximum: round(incumbent),
                        noise,
                    });
                    cases.push(Case {
                        kind: 8,
                        acquisition,
                        arguments: [incumbent, noise, 0.0, mean, sd, 0.0, 0.0],
                    });
                }
                let acquisition = Acquisition::Pointwise(Pointwise::MaxValueEntropy {
                    maxima: [round(incumbent)].into(),
                    exponent: 0.0,
                    form: CostForm::Expected,
                });
                cases.push(Case {
                    kind: 9,
                    acquisition,
                    arguments: [incumbent, 0.0, 0.0, mean, sd, 0.0, 0.0],
                });
                let width = round(1.7);
                let acquisition =
                    Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: width * width });
                cases.push(Case {
                    kind: 4,
                    acquisition,
                    arguments: [incumbent, width, 0.0, mean, sd, 0.0, 0.0],
                });
            }
        }
        for &log_cost in log_costs {
            for variance in [0.0, 0.3, 4.0] {
                for gap in [-20.0, -3.0, -0.4, 0.0, 0.9, 5.0] {
                    for (exponent, form, sign) in [
                        (1.0, CostForm::Expected, 1.0),
                        (0.5, CostForm::Expected, 1.0),
                        (1.0, CostForm::ExpectedInverse, -1.0),
                    ] {
                        let arguments = [
                            0.3,
                            exponent,
                            sign * exponent * exponent / 2.0,
                            0.3 + gap * sd,
                            sd,
                            log_cost,
                            variance,
                        ];
                        let acquisition =
                            Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost {
                                exponent,
                                form,
                            });
                        cases.push(Case { kind: 5, acquisition, arguments });
                        let acquisition =
                            Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                                exponent,
                                form,
                            });
                        cases.push(Case { kind: 6, acquisition, arguments });
                        let acquisition = Acquisition::Pointwise(Pointwise::MaxValueEntropy {
                            maxima: [round(0.3)].into(),
                            exponent,
                            form,
                        });
                        cases.push(Case { kind: 9, acquisition, arguments });
                    }
                }
                for mean in [0.0, -0.7, 12.0] {
                    for log_lambda in [-30.0, -9.0, -2.0, 0.0, 3.0] {
                        let log_lambda: f64 = round(log_lambda);
                        let acquisition = Acquisition::gittins(log_lambda.exp());
                        cases.push(Case {
                            kind: 7,
                            acquisition,
                            arguments: [0.0, log_lambda, 0.5, mean, sd, log_cost, variance],
                        });
                    }
                }
            }
        }
    }
    for case in &mut cases {
        case.arguments = case.arguments.map(round);
    }
    cases
}

const BODY: &str =
    "let score = acquisition_score(u32(x0), Setting(x1, x2, x3), Belief(x4, x5, x6, x7));";
const RESULTS: [&str; 5] =
    ["score.value", "score.d_mean", "score.d_sd", "score.d_log_cost", "score.d_log_cost_variance"];

fn row(case: &Case) -> Vec<f64> {
    std::iter::once(f64::from(case.kind)).chain(case.arguments).collect()
}

#[test]
fn scores_and_gradients_agree_with_the_library() {
    let test = "scores_and_gradients_agree_with_the_library";
    let Some(device) = device(test) else { return };
    for precision in device.precisions(test) {
        let cases = cases(precision);
        let rows: Vec<_> = cases.iter().map(row).collect();
        let results =
            device.evaluate(precision, &["acquisition/acquisition"], BODY, &RESULTS, &rows);
        let (smallest, largest) = if precision == Precision::F32 {
            (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX))
        } else {
            (f64::MIN_POSITIVE, f64::MAX)
        };
        let mut worst = [[0f64; 5]; 10];
        for (case, result) in cases.iter().zip(&results) {
            let score = case.score();
            let expected = [
                score.value,
                score.d_mean,
                score.d_sd,
                score.d_log_cost,
                score.d_log_cost_variance,
            ];
            for (k, scale) in case.scales(&score).into_iter().enumerate() {
                let expected = expected[k].clamp(-largest, largest);
                // A subnormal number may be flushed to zero. A factor of its product may then be
                // flushed too: 1/sigma, u/sigma or one over the divisor.
                let flushed = smallest * (1e15 / case.arguments[4]);
                let unit = epsilon(precision) * scale;
                let what = format!(
                    "{} of kind {} in {} at {:?}",
                    FIELDS[k],
                    case.kind,
                    precision.name(),
                    case.arguments
                );
                assert_within(what, result[k], expected, DEVICE_SCORE * unit + flushed);
                if unit > flushed {
                    worst[case.kind as usize][k] =
                        worst[case.kind as usize][k].max((result[k] - expected).abs() / unit);
                }
            }
        }
        for (kind, worst) in worst.iter().enumerate() {
            println!(
                "kind {kind} in {}: at most {worst:.2?} epsilons of {FIELDS:?}",
                precision.name()
            );
        }
    }
}

#[test]
fn scores_stay_finite_at_the_ends() {
    let test = "scores_stay_finite_at_the_ends";
    let Some(device) = device(test) else { return };
    for precision in device.precisions(test) {
        let log_cost: f64 = if precision == Precision::F32 { 87.0 } else { 700.0 };
        let mut rows = Vec::new();
        for kind in 0..10 {
            for (mean, incumbent) in [
                (1e15, -1e15),
                (-1e15, 1e15),
                (1e15, 1e15),
                (0.0, 0.0),
                (-1e15, 0.0),
                (1e15, 0.0),
                (1.0, 1.0 + 1e-7),
            ] {
                for sd in [1e-6, 1.0] {
                    for log_cost in [-log_cost, 0.0, log_cost] {
                        for variance in [0.0, log_cost.abs()] {
                            for parameter in [0.0, 1.0, 2.0, -log_cost, log_cost.abs()] {
                                // An exponent and sqrt(beta) are at least 0. ln lambda may be any
                                // number.
                                let parameter =
                                    if kind == 7 { parameter } else { f64::abs(parameter) };
                                for factor in [0.5, -0.5] {
                                    rows.push(vec![
                                        f64::from(kind),
                                        incumbent,
                                        parameter,
                                        factor,
                                        mean,
                                        sd,
                                        log_cost,
                                        variance,
                                    ]);
                                }
                            }
                        }
                    }
                }
            }
        }
        let results =
            device.evaluate(precision, &["acquisition/acquisition"], BODY, &RESULTS, &rows);
        for (row, result) in rows.iter().zip(&results) {
            assert!(
                result.iter().all(|x| x.is_finite()),
                "{row:?} in {}: {result:?}",
                precision.name()
            );
        }
    }
}
