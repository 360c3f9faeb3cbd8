//! L-BFGS-B beside SciPy's on a suite of bounded problems, and what SciPy has no oracle for.

use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::{LBFGSB_EVALUATIONS, LBFGSB_POINT, LBFGSB_VALUE};
use gittins::ErrorKind;
use gittins::math::lbfgsb::{Lbfgsb, Minimum, Settings, Status, minimize};
use serde_json::Value;

/// The functions of `golden/make_lbfgsb.py`, in the same words: value, and gradient into the slice.
fn evaluate(name: &str, condition: f64, x: &[f64], g: &mut [f64]) -> f64 {
    let d = x.len();
    let index = |i: usize| i as f64;
    match name {
        "quadratic" => {
            let v: Vec<f64> = (0..d).map(|i| (index(i) + 1.0).sin()).collect();
            let square: f64 = v.iter().map(|v| v * v).sum();
            let reflect = |y: &[f64]| -> Vec<f64> {
                let along = 2.0 * v.iter().zip(y).map(|(v, y)| v * y).sum::<f64>() / square;
                y.iter().zip(&v).map(|(y, v)| y - v * along).collect()
            };
            let from_center: Vec<f64> = (0..d).map(|i| x[i] - 2.0 * (3.0 * index(i)).cos()).collect();
            let y = reflect(&from_center);
            let scaled: Vec<f64> = (0..d).map(|i| condition.powf(index(i) / (d.max(2) - 1) as f64) * y[i]).collect();
            g.copy_from_slice(&reflect(&scaled));
            0.5 * scaled.iter().zip(&y).map(|(s, y)| s * y).sum::<f64>()
        }
        "rosenbrock" => {
            g.fill(0.0);
            let mut f = 0.0;
            for i in 0..d - 1 {
                let (bend, ahead) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
                f += 100.0 * bend * bend + ahead * ahead;
                g[i] += -400.0 * x[i] * bend - 2.0 * ahead;
                g[i + 1] += 200.0 * bend;
            }
            f
        }
        "driver" => {
            g.fill(0.0);
            g[0] = 0.5 * (x[0] - 1.0);
            let mut f = 0.25 * (x[0] - 1.0).powi(2);
            for i in 1..d {
                let t = x[i] - x[i - 1] * x[i - 1];
                f += 4.0 * t * t;
                g[i] += 8.0 * t;
                g[i - 1] -= 16.0 * x[i - 1] * t;
            }
            f
        }
        "beale" => {
            let (a, b) = (x[0], x[1]);
            g.fill(0.0);
            let mut f = 0.0;
            for (c, k) in [(1.5, 1), (2.25, 2), (2.625, 3)] {
                let t = c - a * (1.0 - b.powi(k));
                f += t * t;
                g[0] -= 2.0 * t * (1.0 - b.powi(k));
                g[1] += 2.0 * t * f64::from(k) * a * b.powi(k - 1);
            }
            f
        }
        "booth" => {
            let (p, q) = (x[0] + 2.0 * x[1] - 7.0, 2.0 * x[0] + x[1] - 5.0);
            g.copy_from_slice(&[2.0 * p + 4.0 * q, 4.0 * p + 2.0 * q]);
            p * p + q * q
        }
        "powell" => {
            let (p, q, r, s) = (x[0] + 10.0 * x[1], x[2] - x[3], x[1] - 2.0 * x[2], x[0] - x[3]);
            let (r3, s3) = (r.powi(3), s.powi(3));
            g.copy_from_slice(&[2.0 * p + 40.0 * s3, 20.0 * p + 4.0 * r3, 10.0 * q - 8.0 * r3, -10.0 * q - 40.0 * s3]);
            p * p + 5.0 * q * q + r.powi(4) + 10.0 * s.powi(4)
        }
        "styblinski_tang" => {
            for (g, x) in g.iter_mut().zip(x) {
                *g = 0.5 * (4.0 * x.powi(3) - 32.0 * x + 5.0);
            }
            0.5 * x.iter().map(|x| x.powi(4) - 16.0 * x * x + 5.0 * x).sum::<f64>()
        }
        "hs3" => {
            let t = x[1] - x[0];
            g.copy_from_slice(&[-2e-5 * t, 1.0 + 2e-5 * t]);
            x[1] + 1e-5 * t * t
        }
        "hs4" => {
            g.copy_from_slice(&[(x[0] + 1.0).powi(2), 1.0]);
            (x[0] + 1.0).powi(3) / 3.0 + x[1]
        }
        "hs5" => {
            let (c, t) = ((x[0] + x[1]).cos(), x[0] - x[1]);
            g.copy_from_slice(&[c + 2.0 * t - 1.5, c - 2.0 * t + 2.5]);
            (x[0] + x[1]).sin() + t * t - 1.5 * x[0] + 2.5 * x[1] + 1.0
        }
        "hs38" => {
            let (p, q) = (x[1] - x[0] * x[0], x[3] - x[2] * x[2]);
            let (a, b, c, d) = (1.0 - x[0], x[1] - 1.0, 1.0 - x[2], x[3] - 1.0);
            g[0] = -400.0 * x[0] * p - 2.0 * a;
            g[1] = 200.0 * p + 20.2 * b + 19.8 * d;
            g[2] = -360.0 * x[2] * q - 2.0 * c;
            g[3] = 180.0 * q + 20.2 * d + 19.8 * b;
            100.0 * p * p + a * a + 90.0 * q * q + c * c + 10.1 * (b * b + d * d) + 19.8 * b * d
        }
        "hs45" => {
            for i in 0..d {
                g[i] = -(0..d).filter(|&j| j != i).map(|j| x[j]).product::<f64>() / 120.0;
            }
            2.0 - x.iter().product::<f64>() / 120.0
        }
        "hs110" => {
            let root = x.iter().product::<f64>().powf(0.2);
            for (g, x) in g.iter_mut().zip(x) {
                *g = 2.0 * (x - 2.0).ln() / (x - 2.0) - 2.0 * (10.0 - x).ln() / (10.0 - x) - 0.2 * root / x;
            }
            x.iter().map(|x| (x - 2.0).ln().powi(2) + (10.0 - x).ln().powi(2)).sum::<f64>() - root
        }
        "linear" => {
            for (i, g) in g.iter_mut().enumerate() {
                *g = (index(i) + 1.0).cos();
            }
            g.iter().zip(x).map(|(g, x)| g * x).sum()
        }
        "barrier" => {
            g.fill(0.0);
            if x.iter().any(|&x| x <= 0.0) {
                return f64::INFINITY;
            }
            for (i, (g, x)) in g.iter_mut().zip(x).enumerate() {
                *g = index(i) + 1.0 - 0.1 / x;
            }
            x.iter().enumerate().map(|(i, x)| (index(i) + 1.0) * x - 0.1 * x.ln()).sum()
        }
        "cliff" => {
            g.fill(f64::NAN);
            if x.iter().map(|x| x * x).sum::<f64>() > 4.0 {
                return f64::NAN;
            }
            for (g, x) in g.iter_mut().zip(x) {
                *g = x.exp() - 3.0;
            }
            x.iter().map(|x| x.exp() - 3.0 * x).sum()
        }
        other => panic!("no function {other}"),
    }
}

/// One row of the table, and what SciPy made of it.
struct Case {
    name: String,
    function: String,
    condition: f64,
    start: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    scipy: Minimum,
    active: String,
    converged: bool,
}

impl Case {
    fn all() -> Vec<Self> {
        table("lbfgsb")["cases"].as_array().expect("a list of cases").iter().map(Self::read).collect()
    }

    fn read(row: &Value) -> Self {
        let text = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{key} in {row}")).to_owned();
        let count = |key: &str| row[key].as_u64().unwrap_or_else(|| panic!("{key} in {row}")) as usize;
        // One entry stands for all coordinates.
        let spread = |key: &str| match numbers(&row[key]) {
            short if short.len() == 1 => vec![short[0]; count("dim")],
            long => long,
        };
        let message = text("message");
        let status = match message.as_str() {
            "CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL" => Status::ConvergedGradient,
            "CONVERGENCE: RELATIVE REDUCTION OF F <= FACTR*EPSMCH" => Status::ConvergedValue,
            _ => Status::LineSearchFailed,
        };
        Self {
            name: text("name"),
            function: text("function"),
            condition: row["condition"].as_f64().unwrap_or(f64::NAN),
            start: spread("start"),
            lower: spread("lower"),
            upper: spread("upper"),
            scipy: Minimum {
                point: numbers(&row["point"]),
                value: number(&row["value"]),
                status,
                iterations: count("iterations"),
                evaluations: count("evaluations"),
            },
            active: text("active"),
            converged: status != Status::LineSearchFailed,
        }
    }

    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        evaluate(&self.function, self.condition, x, gradient)
    }

    fn minimize(&self) -> Minimum {
        let settings = Settings { max_iterations: 15_000, ..Settings::default() };
        minimize(&self.start, &self.lower, &self.upper, &settings, |x, g| self.evaluate(x, g)).expect("a valid problem")
    }

    fn state(&self) -> Lbfgsb {
        let settings = Settings { max_iterations: 15_000, ..Settings::default() };
        Lbfgsb::new(&self.start, &self.lower, &self.upper, &settings).expect("a valid problem")
    }
}

#[test]
fn tmp_table() {
    for case in Case::all() {
        let m = case.minimize();
        let same = m.iterations == case.scipy.iterations && m.evaluations == case.scipy.evaluations;
        println!(
            "{:<42} it {:>4}/{:<4} ev {:>4}/{:<4} {} f {:.6e} {:.6e} diff {:+.1e} {:?}/{:?}",
            case.name, m.iterations, case.scipy.iterations, m.evaluations, case.scipy.evaluations, if same { "   " } else { "!!!" },
            m.value, case.scipy.value, m.value - case.scipy.value, m.status, case.scipy.status
        );
    }
}
