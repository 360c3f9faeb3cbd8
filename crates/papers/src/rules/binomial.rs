//! Tails of the binomial distribution, and an exact confidence interval for its probability.

use libm::lgamma;

/// The confidence interval of Clopper & Pearson (1934, "The use of confidence or fiducial limits
/// illustrated in the case of the binomial") for the probability of an event. The event was seen
/// `successes` times in `trials` independent trials. The interval misses the true probability with
/// probability `risk` at most.
///
/// ```text
/// P(X >= successes | lower) = risk/2      P(X <= successes | upper) = risk/2      X ~ Binomial(trials, p)
/// ```
///
/// with `lower = 0` if there was no success and `upper = 1` if every trial was a success. These are
/// the quantiles `BetaInv(risk/2; s, n - s + 1)` and `BetaInv(1 - risk/2; s + 1, n - s)` of beta
/// distributions. The tails are sums of positive terms. Their roots are found by bisection until no
/// number lies between the two ends. `risk` lies in `(0, 1)`. Without trials, or with more
/// successes than trials, the interval is `(0, 1)`.
pub fn clopper_pearson(successes: usize, trials: usize, risk: f64) -> (f64, f64) {
    if trials == 0 || successes > trials {
        return (0.0, 1.0);
    }
    let level = (0.5 * risk).ln();
    // The upper tail rises with p, the lower one falls.
    let lower = if successes == 0 {
        0.0
    } else {
        boundary(|p| log_tail(successes, trials, p, Tail::Upper) < level)
    };
    let upper = if successes == trials {
        1.0
    } else {
        boundary(|p| log_tail(successes, trials, p, Tail::Lower) > level)
    };
    (lower, upper)
}

/// The largest probability at which a condition holds. The condition holds below that probability
/// and fails above it.
fn boundary(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return low;
        }
        if holds(middle) { low = middle } else { high = middle }
    }
}

#[derive(Clone, Copy)]
enum Tail {
    /// `X <= k`.
    Lower,
    /// `X >= k`.
    Upper,
}

/// The logarithm of a tail of the binomial distribution for `0 < p < 1`: the term at `k` times the
/// sum of the ratios of the other terms to it. Once a ratio is below 1, the following ratios fall.
/// The sum ends when the remaining terms no longer change it.
fn log_tail(k: usize, n: usize, p: f64, tail: Tail) -> f64 {
    let successes = k as f64;
    let failures = (n - k) as f64;
    let log_term = lgamma(n as f64 + 1.0) - lgamma(successes + 1.0) - lgamma(failures + 1.0)
        + successes * p.ln()
        + failures * (-p).ln_1p();
    let odds = p / (1.0 - p);
    let (mut ratio, mut sum) = (1.0, 1.0);
    let mut add = |step: f64| {
        ratio *= step;
        sum += ratio;
        // Steps fall from one term to the next. The remaining terms therefore add up to less than a
        // geometric series.
        step < 1.0 && ratio * step <= f64::EPSILON * sum * (1.0 - step)
    };
    match tail {
        Tail::Lower => (1..=k).rev().map(|i| i as f64 / ((n - i + 1) as f64 * odds)).any(&mut add),
        Tail::Upper => (k..n).map(|i| (n - i) as f64 / (i + 1) as f64 * odds).any(&mut add),
    };
    log_term + sum.ln()
}
