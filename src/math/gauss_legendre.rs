//! Gauss-Legendre quadrature on an interval.

/// Nodes and weights for the interval from -1 to 1, exact for polynomials of degree `2 n - 1`.
#[derive(Debug)]
pub(crate) struct GaussLegendre {
    /// The roots of the Legendre polynomial of degree `n`, increasing, with their weights.
    pub nodes: Vec<(f64, f64)>,
}

impl GaussLegendre {
    /// The rule with `n` nodes.
    ///
    /// Newton's method on the recurrence `k P_k = (2 k - 1) x P_{k-1} - (k - 1) P_{k-2}`, from the
    /// asymptotic root `cos(pi (i - 1/4)/(n + 1/2))`. The weight is `2/((1 - x^2) P_n'^2)`.
    pub fn new(n: usize) -> Self {
        let nodes = (0..n).rev().map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            // Quadratic from an error below 1e-2: five steps are more than enough.
            for _ in 0..5 {
                let (value, slope) = legendre(n, x);
                x -= value / slope;
            }
            let (_, slope) = legendre(n, x);
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        });
        Self { nodes: nodes.collect() }
    }
}

/// `P_n(x)` and its derivative, inside of the interval.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut now) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, now) = (now, ((2.0 * k - 1.0) * x * now - (k - 1.0) * before) / k);
    }
    (now, n as f64 * (x * now - before) / (x * x - 1.0))
}
