//! The price that follows from a budget: what a unit of cost may be worth if the budget is to last
//! in expectation.
//!
//! Every trial that a stopped run pays for has an expected improvement of at least `lambda c`.
//! Expected improvements add up to at most `U = E sup f - m`. So `lambda E[C] <= lambda C_1 + U`,
//! with the cost `C_1` of the first trial, and `lambda = U / (B - C_1)` keeps the expected total
//! cost below `B` (Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization). The bound is
//! conservative: only finding the optimum itself reaches `U`.

use std::f64::consts::{PI, SQRT_2};

use crate::data::Domain;
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::math::decimal::decimal;
use crate::math::saturating::product_over;
use crate::model::KernelFamily;
use crate::surrogate::{Setup, Surrogate};

/// The expected supremum of a Gaussian process over the unit cube, above its constant mean, in
/// units of its outcome.
///
/// `EEC(u)` is the expected Euler characteristic of the set on which the standardized process
/// exceeds `u`:
///
/// ```text
/// EEC(u) = Phibar(u) + sum_j e_j(a) (2 pi)^(-(j+1)/2) He_(j-1)(u) exp(-u^2/2)
/// a_i    = sqrt(q) / lengthscale_i
/// U      = s (u1 + integral of EEC from u1 to infinity)
/// u1     : the largest root of EEC(u1) = 1
/// ```
///
/// with the elementary symmetric polynomials `e_j`, the probabilists' Hermite polynomials `He` and
/// the outputscale `s^2`. `q` is 5/3 for Matern-5/2, 3 for Matern-3/2 and 1 for the RBF kernel. The
/// result is an upper bound in one dimension (Rice's formula) and an accurate estimate in more.
///
/// The spherical linear kernel has the bound of its own geometry, the smaller of two:
///
/// ```text
/// U = s min(E chi_(d+1), sqrt(2/pi) (sum_i 1/l_i + R^2 / (1 + R^2))),   R^2 = sum_i 1/(4 l_i^2)
/// ```
///
/// # Errors
/// `InvalidSetting` for Matern-1/2: its paths have no derivative, so there is no such formula.
/// `InvalidSetting` if a lengthscale or the outputscale is not positive and finite. `Empty` if
/// there is no lengthscale.
pub fn expected_supremum(
    family: KernelFamily,
    lengthscales: &[f64],
    outputscale: f64,
) -> Result<f64> {
    if family == KernelFamily::SphericalLinear {
        check_positive("the outputscale", outputscale)?;
        return Ok(outputscale.sqrt() * crate::model::sphere::supremum(lengthscales)?);
    }
    let Some(curvature) = family.squared_slope() else {
        let why = "the expected supremum needs differentiable paths: use a smoother kernel than Matern-1/2";
        return Err(Error::new(ErrorKind::InvalidSetting, why));
    };
    if lengthscales.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            "the expected supremum needs one lengthscale per input, got none",
        ));
    }
    for (i, &lengthscale) in lengthscales.iter().enumerate() {
        check_positive(format_args!("lengthscale {i}"), lengthscale)?;
    }
    check_positive("the outputscale", outputscale)?;
    let crossings = Crossings::new(lengthscales.iter().map(|l| curvature.sqrt() / l));
    Ok(outputscale.sqrt() * crossings.supremum())
}

/// An upper bound on the expected maximum of `count` normal variables of variance `outputscale`,
/// above their mean: `s sqrt(2 ln N)`.
pub fn finite_supremum(count: usize, outputscale: f64) -> f64 {
    (2.0 * outputscale * (count.max(1) as f64).ln()).sqrt()
}

/// The price of a unit of cost, in the user's outcome units, at which a run is expected to cost at
/// most `budget`. `design` of the budget is already paid.
///
/// # Errors
/// `InvalidSetting` if the budget is not above the amount paid, or if the price is not a positive
/// number in double precision. Those of the expected supremum.
pub(crate) fn for_budget(
    setup: &Setup,
    surrogate: &Surrogate,
    budget: f64,
    design: f64,
) -> Result<f64> {
    if !(budget.is_finite() && budget > design) {
        let message = format!(
            "expected a finite budget above the {} that the design cost, got {}",
            decimal(design, 15),
            decimal(budget, 15)
        );
        return Err(Error::new(ErrorKind::InvalidSetting, message));
    }
    let found = &surrogate.outcome_fit().hyperparameters;
    let of_space = expected_supremum(setup.model.family(), &found.lengthscales, found.outputscale);
    let supremum = match &setup.domain {
        Domain::Space(_) => of_space?,
        Domain::Table(table) => {
            of_space.unwrap_or(f64::INFINITY).min(finite_supremum(table.len(), found.outputscale))
        }
    };
    let scale = surrogate.scale().scaling().sd;
    let left = budget - design;
    let price = product_over(supremum, scale, left);
    if price.is_normal() {
        return Ok(price);
    }
    let [supremum, scale, budget, left] =
        [supremum, scale, budget, left].map(|number| decimal(number, 3));
    let message = format!(
        "no price for a budget of {budget}, of which {left} are left: outcomes of the magnitude {scale}, of which the best is expected {supremum} above the \
         mean, come to {price:e} for a unit of cost, and a price is a positive number between 2.2e-308 and 1.8e308; give outcomes or costs in other units"
    );
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

/// Below this level the standard normal distribution function underflows, and the level no longer
/// changes the supremum.
const LOWEST_LEVEL: f64 = -37.0;

/// The coefficients of the Euler characteristic, as logarithms. In hundreds of dimensions they span
/// hundreds of decades.
struct Crossings {
    /// `ln( e_j(a) (2 pi)^(-j/2) sqrt((j-1)!) )` for `j = 1..=d`. The last factor belongs to the
    /// normalized Hermite polynomial.
    log_weight: Vec<f64>,
}

impl Crossings {
    fn new(rates: impl Iterator<Item = f64>) -> Self {
        // The elementary symmetric polynomials of a_i / sqrt(2 pi), all positive, computed by
        // adding one variable at a time.
        let mut log_e = vec![0.0_f64];
        for rate in rates {
            let log_rate = (rate / (2.0 * PI).sqrt()).ln();
            let mut times_fewer = f64::NEG_INFINITY;
            log_e.push(f64::NEG_INFINITY);
            for log_e_j in &mut log_e {
                let sum = log_sum(*log_e_j, times_fewer);
                times_fewer = *log_e_j + log_rate;
                *log_e_j = sum;
            }
        }
        let mut half_log_factorial = 0.0;
        let weight = |(degree, log_e_j): (usize, &f64)| {
            half_log_factorial += 0.5 * (degree.max(1) as f64).ln();
            log_e_j + half_log_factorial
        };
        Self { log_weight: log_e[1..].iter().enumerate().map(weight).collect() }
    }

    /// `sum_(j > skipped) weight_j he_(j-1-skipped)(u) / sqrt(..)` times the normal density.
    /// `skipped = 0` gives the sum in EEC without its first term `Phibar`. `skipped = 1` gives the
    /// integral of that sum from `u` to infinity without its first term, because `He_(k-1) phi` is
    /// minus the antiderivative of `He_k phi`.
    fn sum(&self, u: f64, skipped: usize) -> f64 {
        let log_density = -0.5 * u * u - 0.5 * (2.0 * PI).ln();
        let (mut before, mut hermite) = (0.0, 1.0);
        let mut total = 0.0;
        for (k, j) in (skipped..self.log_weight.len()).enumerate() {
            // The weight holds sqrt(j!), the polynomial of degree k only sqrt(k!). If one was
            // skipped, they differ by the factor sqrt(j).
            let mismatch = if skipped == 1 { 0.5 * (j as f64).ln() } else { 0.0 };
            if hermite != 0.0 {
                let log_term = self.log_weight[j] - mismatch + f64::abs(hermite).ln() + log_density;
                total += log_term.exp().copysign(hermite);
            }
            let next = (u * hermite - (k as f64).sqrt() * before) / ((k + 1) as f64).sqrt();
            before = hermite;
            hermite = next;
        }
        total
    }

    /// `u1 + integral of EEC from u1`, in a form in which nothing cancels if `u1` is far below
    /// zero.
    fn supremum(&self) -> f64 {
        let u = self.largest_root();
        let below = 0.5 * libm::erfc(-u / SQRT_2);
        let above = 0.5 * libm::erfc(u / SQRT_2);
        let density = (-0.5 * u * u).exp() / (2.0 * PI).sqrt();
        density + u * below + self.log_weight[0].exp() * above + self.sum(u, 1)
    }

    /// The largest `u` at which EEC falls through 1, at least `LOWEST_LEVEL`.
    fn largest_root(&self) -> f64 {
        let exceeds = |u: f64| self.sum(u, 0) >= 0.5 * libm::erfc(-u / SQRT_2);
        let step = 0.05;
        let mut high = 10.0_f64.max(2.0 * (self.log_weight.len() as f64).sqrt());
        while exceeds(high) {
            high += 1.0;
        }
        let mut low = high - step;
        while !exceeds(low) {
            if low < LOWEST_LEVEL {
                return LOWEST_LEVEL;
            }
            high = low;
            low -= step;
        }
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return low;
            }
            if exceeds(middle) { low = middle } else { high = middle }
        }
    }
}

fn log_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}
