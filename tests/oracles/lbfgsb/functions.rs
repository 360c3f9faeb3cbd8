//! The functions of `golden/make_lbfgsb.py`, written in the same way.

/// The value of the named function. Its gradient is written to `g`.
pub fn evaluate(name: &str, condition: f64, x: &[f64], g: &mut [f64]) -> f64 {
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
            let from_center: Vec<f64> =
                (0..d).map(|i| x[i] - 2.0 * (3.0 * index(i)).cos()).collect();
            let y = reflect(&from_center);
            let scaled: Vec<f64> =
                (0..d).map(|i| condition.powf(index(i) / (d.max(2) - 1) as f64) * y[i]).collect();
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
            g.copy_from_slice(&[
                2.0 * p + 40.0 * s3,
                20.0 * p + 4.0 * r3,
                10.0 * q - 8.0 * r3,
                -10.0 * q - 40.0 * s3,
            ]);
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
            for (i, g) in g.iter_mut().enumerate() {
                *g = -(0..d).filter(|&j| j != i).map(|j| x[j]).product::<f64>() / 120.0;
            }
            2.0 - x.iter().product::<f64>() / 120.0
        }
        "hs110" => {
            let root = x.iter().product::<f64>().powf(0.2);
            for (g, x) in g.iter_mut().zip(x) {
                *g = 2.0 * (x - 2.0).ln() / (x - 2.0)
                    - 2.0 * (10.0 - x).ln() / (10.0 - x)
                    - 0.2 * root / x;
            }
            x.iter().map(|x| (x - 2.0).ln().powi(2) + (10.0 - x).ln().powi(2)).sum::<f64>() - root
        }
        "linear" => {
            for (i, g) in g.iter_mut().enumerate() {
                *g = (index(i) + 1.0).cos();
            }
            g.iter().zip(x).map(|(g, x)| g * x).sum()
        }
        "tail" => {
            for (g, x) in g.iter_mut().zip(x) {
                *g = (x * x - 1e-4) / (x * x + 1e-4).powi(2);
            }
            -x.iter().map(|x| x / (x * x + 1e-4)).sum::<f64>()
        }
        "ripples" => {
            let mut f = 0.0;
            for (i, g) in g.iter_mut().enumerate() {
                f += 0.05 * x[i] * x[i] + (3.0 * x[i] + index(i)).cos();
                *g = 0.1 * x[i] - 3.0 * (3.0 * x[i] + index(i)).sin();
            }
            for i in 1..d {
                let (sin, cos) = (x[i] * x[i - 1]).sin_cos();
                f += sin;
                g[i] += cos * x[i - 1];
                g[i - 1] += cos * x[i];
            }
            f
        }
        "stairs" => {
            let mut f = 0.0;
            for (i, (g, x)) in g.iter_mut().zip(x).enumerate() {
                let weight = 1.0 + index(i) / 3.0;
                f += weight * (0.45 * (2.0 * x).sin() - x);
                *g = weight * (0.9 * (2.0 * x).cos() - 1.0);
            }
            f
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
