//! The snippets' functions on a device, in both precisions, over all decades. They are compared
//! with the double-precision functions of the library, which have their own tables. In double
//! precision they are also compared with these tables.

use gittins::backend::Precision;
use gittins::internals::normal;
use serde_json::Value;

use crate::support::device::{TestDevice, device, epsilon, rounded};
use crate::support::golden::{number, numbers, table};
use crate::support::tolerance as bound;

/// The largest error so far, in units of the allowed error and of the precision's epsilon relative
/// to `scale`.
struct Worst {
    what: String,
    eps: f64,
    smallest: f64,
    units: f64,
    at: String,
}

impl Worst {
    fn new(what: impl std::fmt::Display, precision: Precision) -> Self {
        let smallest = if precision == Precision::F32 {
            f64::from(f32::MIN_POSITIVE)
        } else {
            f64::MIN_POSITIVE
        };
        Self {
            what: format!("{what} in {}", precision.name()),
            eps: epsilon(precision),
            smallest,
            units: 0.0,
            at: String::new(),
        }
    }

    /// Adds an error. `allowed` counts epsilons of `scale`. Values that a device may flush to zero
    /// are also allowed.
    #[track_caller]
    fn meet(
        &mut self,
        at: impl std::fmt::Display,
        got: f64,
        expected: f64,
        scale: f64,
        allowed: f64,
    ) {
        let unit = self.eps * scale + self.smallest / allowed;
        bound::assert_within(format!("{} at {at}", self.what), got, expected, allowed * unit);
        let units = (got - expected).abs() / unit;
        if units > self.units {
            (self.units, self.at) = (units, at.to_string());
        }
    }
}

impl Drop for Worst {
    fn drop(&mut self) {
        println!("{}: at most {:.2} epsilons, at {}", self.what, self.units, self.at);
    }
}

/// `count` numbers per decade with both signs, as the device rounds them.
fn decades(precision: Precision, from: i32, to: i32, count: i32) -> Vec<f64> {
    let positive = (from * count..=to * count)
        .map(|k| rounded(precision, 10f64.powf(f64::from(k) / f64::from(count))));
    positive.flat_map(|x| [x, -x]).collect()
}

fn rows(values: &[f64]) -> Vec<Vec<f64>> {
    values.iter().map(|&x| vec![x]).collect()
}

fn each_precision(test: &str, check: impl Fn(&TestDevice, Precision)) {
    if let Some(device) = device(test) {
        for precision in device.precisions(test) {
            check(device, precision);
        }
    }
}

#[test]
fn exponentials() {
    each_precision("exponentials", |device, precision| {
        let (lowest, highest, largest) = if precision == Precision::F32 {
            (-87.3, 88.72, f64::from(f32::MAX))
        } else {
            (-708.0, 709.78, f64::MAX)
        };
        let mut values: Vec<f64> = (0..20_000)
            .map(|k| rounded(precision, lowest + (highest - lowest) * f64::from(k) / 19_999.0))
            .collect();
        values.extend(decades(precision, -30, 5, 20));
        values.extend([0.0, -1e30, 1e30]);
        let results = device.evaluate(
            precision,
            &[],
            "",
            &["real_exp(x0)", "real_exp_nonpositive(min(x0, 0.0))"],
            &rows(&values),
        );
        let (mut all, mut half) =
            (Worst::new("exp", precision), Worst::new("exp of x <= 0", precision));
        for (&x, row) in values.iter().zip(&results) {
            let expected = if x > rounded(precision, highest) { largest } else { x.exp() };
            all.meet(x, row[0], expected, expected, bound::DEVICE_EXP);
            let expected = x.min(0.0).exp();
            half.meet(x, row[1], expected, expected, bound::DEVICE_EXP);
        }
    });
}

#[test]
fn logarithms() {
    each_precision("logarithms", |device, precision| {
        let end = if precision == Precision::F32 { 37 } else { 307 };
        let mut values: Vec<f64> =
            decades(precision, -end, end, 31).into_iter().filter(|x| *x > 0.0).collect();
        values.extend((0..20_000).map(|k| rounded(precision, 0.3 + 2.7 * f64::from(k) / 19_999.0)));
        // Numbers around 1: the logarithm itself is small there.
        values.extend(
            decades(precision, -if precision == Precision::F32 { 7 } else { 15 }, -1, 9)
                .into_iter()
                .map(|x| rounded(precision, 1.0 + x)),
        );
        let results = device.evaluate(precision, &[], "", &["real_log(x0)"], &rows(&values));
        let mut worst = Worst::new("log", precision);
        for (&x, row) in values.iter().zip(&results) {
            worst.meet(x, row[0], x.ln(), x.ln().abs(), bound::DEVICE_LOG);
        }
        let mut values: Vec<f64> =
            (1..4000).map(|k| rounded(precision, f64::from(k) / 2000.0 - 1.0)).collect();
        values.extend(decades(precision, -30, -1, 9));
        let results = device.evaluate(precision, &[], "", &["real_log1p(x0)"], &rows(&values));
        let mut worst = Worst::new("log1p", precision);
        for (&x, row) in values.iter().zip(&results) {
            worst.meet(x, row[0], x.ln_1p(), x.ln_1p().abs(), bound::DEVICE_LOG);
        }
    });
}

#[test]
fn sines_and_cosines() {
    each_precision("sines_and_cosines", |device, precision| {
        // For these numbers of quarter turns the products with the parts of a quarter turn are
        // exact.
        let (end, decade) = if precision == Precision::F32 { (5e4, 4) } else { (1.6e6, 6) };
        let mut values: Vec<f64> = (0..20_000)
            .map(|k| rounded(precision, end * (f64::from(k) / 10_000.0 - 1.0).powi(3)))
            .collect();
        values.extend(decades(precision, -30, decade, 20));
        values.extend(
            (-2000..2000).map(|k| rounded(precision, f64::from(k) * std::f64::consts::FRAC_PI_4)),
        );
        values.push(0.0);
        let results = device.evaluate(
            precision,
            &[],
            "let turn = real_turn(x0);",
            &["turn.sine", "turn.cosine"],
            &rows(&values),
        );
        let (mut sine, mut cosine) = (Worst::new("sin", precision), Worst::new("cos", precision));
        for (&x, row) in values.iter().zip(&results) {
            sine.meet(x, row[0], x.sin(), 1.0, bound::DEVICE_TURN);
            cosine.meet(x, row[1], x.cos(), 1.0, bound::DEVICE_TURN);
        }
        // Farther out the number of quarter turns is rounded. The results stay in the range of a
        // sine.
        let far = [1e7, -3e9, 1e20, -1e30];
        for row in device.evaluate(
            precision,
            &[],
            "let turn = real_turn(x0);",
            &["turn.sine", "turn.cosine"],
            &rows(&far),
        ) {
            assert!(row.iter().all(|y| y.abs() <= 1.0), "{row:?}");
        }
    });
}

#[test]
fn finiteness_is_told_by_bits() {
    each_precision("finiteness_is_told_by_bits", |device, precision| {
        let largest = if precision == Precision::F32 { f64::from(f32::MAX) } else { f64::MAX };
        let values =
            [0.0, 1.0, -1e-30, largest, -largest, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let results = device.evaluate(
            precision,
            &[],
            "",
            &["select(real(0.0), real(1.0), real_is_finite(x0))"],
            &rows(&values),
        );
        for (x, row) in values.iter().zip(&results) {
            assert_eq!(
                row[0],
                if x.is_finite() { 1.0 } else { 0.0 },
                "{x} in {}",
                precision.name()
            );
        }
    });
}

const NORMAL: [&str; 8] = [
    "normal_pdf(x0)",
    "normal_cdf(x0)",
    "normal_log_cdf(x0)",
    "normal_h(x0)",
    "log_h.value",
    "log_h.ratios.m",
    "log_h.ratios.r",
    "ratios.m",
];
const NORMAL_BODY: &str = "let log_h = normal_log_h(x0); let ratios = normal_ratios(x0);";

/// Errors are relative. The exception is ln h, because it passes through zero.
fn normal_scale(k: usize, expected: f64) -> f64 {
    if k == 4 { expected.abs().max(1.0) } else { expected.abs() }
}

#[test]
fn normal_distribution() {
    each_precision("normal_distribution", |device, precision| {
        let mut values =
            decades(precision, -12, if precision == Precision::F32 { 18 } else { 150 }, 7);
        values.extend((-4000..=4000).map(|k| rounded(precision, f64::from(k) / 100.0 + 1e-4)));
        values.push(0.0);
        let results =
            device.evaluate(precision, &["math/normal"], NORMAL_BODY, &NORMAL, &rows(&values));
        // The errors of the library itself.
        let reference = [
            bound::NORMAL,
            bound::NORMAL,
            bound::LOG_OF_NORMAL,
            bound::NORMAL_RATIO,
            bound::LOG_OF_NORMAL,
            bound::NORMAL_RATIO,
            bound::NORMAL,
        ];
        let mut worst = ["pdf", "cdf", "log cdf", "h", "log h", "m", "r"]
            .map(|name| Worst::new(name, precision));
        for (&u, row) in values.iter().zip(&results) {
            let (log_h, ratios) = normal::log_h_with_ratios(u);
            let (log_cdf, h) = (normal::log_cdf(u), normal::h(u));
            let expected = [normal::pdf(u), normal::cdf(u), log_cdf, h, log_h, ratios.m, ratios.r];
            for (k, (worst, &expected)) in worst.iter_mut().zip(&expected).enumerate() {
                let allowed =
                    bound::device_normal(precision, u)[k] + reference[k] / epsilon(precision);
                worst.meet(u, row[k], expected, normal_scale(k, expected), allowed);
            }
            assert_eq!(row[7], row[5], "two ways to m at {u}");
        }
    });
}

#[test]
fn second_ratio_of_the_normal() {
    each_precision("second_ratio_of_the_normal", |device, precision| {
        let mut values =
            decades(precision, -12, if precision == Precision::F32 { 15 } else { 150 }, 7);
        values.extend((-4000..=900).map(|k| rounded(precision, f64::from(k) / 100.0 + 1e-4)));
        let results = device.evaluate(
            precision,
            &["math/normal"],
            "",
            &["normal_second_ratio(x0)"],
            &rows(&values),
        );
        let mut worst = Worst::new("1 + u m", precision);
        for (&u, row) in values.iter().zip(&results) {
            let expected = normal::second_ratio(u);
            let allowed =
                bound::device_second_ratio(precision, u) + bound::SECOND_RATIO / epsilon(precision);
            worst.meet(u, row[0], expected, expected.min(f64::from(f32::MAX)), allowed);
        }
    });
}

#[test]
fn normal_distribution_matches_the_table() {
    let (near, far) = (table("normal"), table("pbgi"));
    let names: [&[&str]; 7] = [
        &["pdf"],
        &["cdf"],
        &["log_cdf"],
        &["h"],
        &["log_h"],
        &["m", "h_over_Phi"],
        &["r", "phi_over_Phi"],
    ];
    let pick =
        |row: &Value| names.map(|names| names.iter().find_map(|name| row.get(name)).map(number));
    let mut known: Vec<_> = near["distribution"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (number(&row["x"]), pick(row)))
        .collect();
    known.extend(far["log_h"].as_array().unwrap().iter().map(|row| (number(&row["u"]), pick(row))));
    known.extend(near["sweep"].as_array().unwrap().iter().map(|row| {
        let row = numbers(row);
        (row[0], std::array::from_fn(|k| Some(row[k + 1])))
    }));
    each_precision("normal_distribution_matches_the_table", |device, precision| {
        // If single precision cannot hold an argument exactly, its row is left out.
        let known: Vec<_> = known.iter().filter(|(u, _)| rounded(precision, *u) == *u).collect();
        assert!(known.len() > 500, "{} rows", known.len());
        let values: Vec<f64> = known.iter().map(|(u, _)| *u).collect();
        let results =
            device.evaluate(precision, &["math/normal"], NORMAL_BODY, &NORMAL, &rows(&values));
        for (k, names) in names.into_iter().enumerate() {
            let mut worst = Worst::new(format!("table of {}", names[0]), precision);
            for (&&(u, expected), result) in known.iter().zip(&results) {
                if let Some(expected) = expected[k] {
                    worst.meet(
                        u,
                        result[k],
                        expected,
                        normal_scale(k, expected),
                        bound::device_normal(precision, u)[k],
                    );
                }
            }
        }
    });
}

#[test]
fn root_of_h() {
    let (near, far) = (table("normal"), table("pbgi"));
    let rows_of_tables: Vec<_> = near["root"]
        .as_array()
        .unwrap()
        .iter()
        .chain(far["u_of_log_kappa"].as_array().unwrap())
        .collect();
    each_precision("root_of_h", |device, precision| {
        let expression = ["normal_inverse_log_h(x0, x1)"];
        let mut values: Vec<f64> =
            decades(precision, -10, 9, 40).into_iter().filter(|t| *t < 20.0).collect();
        values.extend((-4000..2000).map(|k| rounded(precision, f64::from(k) / 100.0)));
        let inputs: Vec<_> = values.iter().map(|&t| vec![t, t.exp()]).collect();
        let results = device.evaluate(precision, &["math/normal"], "", &expression, &inputs);
        let mut worst = Worst::new("root of h", precision);
        for (&t, row) in values.iter().zip(&results) {
            let u = normal::inverse_log_h(t, t.exp());
            worst.meet(t, row[0], u, u.abs().max(1.0), bound::DEVICE_ROOT);
        }
        let kept: Vec<_> = rows_of_tables
            .iter()
            .map(|row| (number(&row["log_kappa"]), number(&row["u"]), *row))
            .collect();
        let kept: Vec<_> =
            kept.into_iter().filter(|(t, ..)| rounded(precision, *t) == *t && *t <= 2.2).collect();
        assert!(kept.len() > 10, "{} rows", kept.len());
        let inputs: Vec<_> = kept.iter().map(|(t, ..)| vec![*t, t.exp()]).collect();
        let mut worst = Worst::new("table of the root of h", precision);
        for ((t, u, _), row) in
            kept.iter().zip(device.evaluate(precision, &["math/normal"], "", &expression, &inputs))
        {
            worst.meet(t, row[0], *u, u.abs().max(1.0), bound::DEVICE_ROOT);
        }
    });
}

#[test]
fn kernels() {
    each_precision("kernels", |device, precision| {
        let mut values: Vec<f64> =
            decades(precision, -30, 5, 25).into_iter().filter(|x| *x > 0.0).collect();
        values.extend((0..5000).map(|k| rounded(precision, f64::from(k) / 250.0)));
        // Each unit is evaluated once, because the two numbers of a value belong together.
        let body: String = (0..4)
            .map(|family| format!("let k{family} = kernel_unit({family}u, x0);\n    "))
            .collect();
        let parts = |k: usize| {
            [
                format!("k{k}.value.high + k{k}.value.low"),
                format!("k{k}.slope"),
                format!("k{k}.value.high"),
                format!("k{k}.value.low"),
            ]
        };
        let results: Vec<String> = (0..4).flat_map(parts).collect();
        let results: Vec<&str> = results.iter().map(String::as_str).collect();
        let rows = device.evaluate(precision, &["model/kernel"], &body, &results, &rows(&values));
        let names = ["Matern-1/2", "Matern-3/2", "Matern-5/2", "RBF"];
        let mut worst = names.map(|name| {
            ["", "slope of ", "rest of "].map(|part| Worst::new(format!("{part}{name}"), precision))
        });
        for (&squared, row) in values.iter().zip(&rows) {
            let r = squared.sqrt();
            let (a, b) = ((3.0 * squared).sqrt(), (5.0 * squared).sqrt());
            let expected = [
                ((-r).exp(), if r > 0.0 { (-r).exp() / r } else { 0.0 }, r),
                ((1.0 + a) * (-a).exp(), 3.0 * (-a).exp(), a),
                ((1.0 + b + b * b / 3.0) * (-b).exp(), 5.0 / 3.0 * (1.0 + b) * (-b).exp(), b),
                ((-squared / 2.0).exp(), (-squared / 2.0).exp(), squared / 2.0),
            ];
            for (family, (value, slope, exponent)) in expected.into_iter().enumerate() {
                // Exponentials below the range are zero. The factor before them is at most 1e6
                // there.
                let flushed = if precision == Precision::F32 { 1e-31 } else { 1e-301 };
                // The rest of an exponential may be flushed to zero where it is no normal number.
                let has_rest =
                    (-exponent).exp() * epsilon(precision) > f64::from(f32::MIN_POSITIVE);
                if precision == Precision::F32 && value > flushed && has_rest {
                    let sum = row[4 * family + 2] + row[4 * family + 3];
                    worst[family][2].meet(squared, sum, value, value, bound::DEVICE_KERNEL_SUM);
                }
                for (k, expected) in [value, slope].into_iter().enumerate() {
                    if expected > flushed {
                        worst[family][k].meet(
                            squared,
                            row[4 * family + k],
                            expected,
                            expected,
                            bound::device_kernel(exponent),
                        );
                    } else {
                        assert!(
                            (0.0..=2.0 * flushed).contains(&row[4 * family + k]),
                            "{} at {squared}: {}",
                            names[family],
                            row[4 * family + k]
                        );
                    }
                }
            }
        }
    });
}
