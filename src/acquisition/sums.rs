//! The sums over fantasies of [`pending_trials`](super::pending_trials): `F(gamma)` and its derivatives.
//!
//! Where `F` is far above the smallest number, all fantasies are summed side by side in vectors.
//! Elsewhere they are summed one by one from logarithms.

use crate::math::mills::improvement;
use crate::math::normal::{Ratios, log_h_with_ratios};
use crate::math::simd::{LANES, Vectorized, dispatch};
use crate::posterior::{Each, FANTASIES};

/// Below this logarithm, sums are computed from logarithms. Terms that underflow in a larger sum are
/// a share of at most `exp(-100)` of it.
const QUICK: f64 = -600.0;

/// The bound of the arguments. It keeps squares finite.
const FARTHEST: f64 = 1e150;

const SHARE: f64 = 1.0 / FANTASIES as f64;

/// What is known of the pending trials, as seen from one point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PendingTrials<'a> {
    /// `m_k - m` in each fantasy.
    pub shifts: &'a Each,
    /// `b_k`, the best pending value in each fantasy.
    pub best: &'a Each,
    /// `e`, the chance that the pending trials bring nothing; positive.
    pub missing: f64,
}

/// `F` of one point.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// `mu_k`.
    means: Each,
    /// `beta_k`.
    kinks: Each,
    missing: f64,
    /// `h`, `Phi` and `phi` at `mu_k - beta_k`.
    at_kinks: [Each; 3],
}

/// `F` and its derivatives at one `gamma`.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    /// `ln F`.
    pub log_value: f64,
    /// `A_k / F`.
    pub by_mean: Each,
    /// The sum of `A_k / F`.
    pub mean: f64,
    /// `S / F`.
    pub density: f64,
    /// `D / F`.
    pub fall: f64,
    /// `F'' / F`, between two pending values.
    pub bend: f64,
}

/// `F` along `gamma`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slope {
    /// `ln F`.
    pub log_value: f64,
    /// `D / F`.
    pub fall: f64,
    /// `F'' / F`, between two pending values.
    pub bend: f64,
}

impl Sums {
    /// Of a point with this mean and this standard deviation.
    pub fn new(pending_trials: &PendingTrials<'_>, mean: f64, sd: f64) -> Self {
        let within = |x: f64| x.clamp(-FARTHEST, FARTHEST);
        let means = pending_trials.shifts.map(|shift| within(shift / sd));
        let kinks = pending_trials.best.map(|best| within((best - mean) / sd));
        let mut at_kinks = [[0.0; FANTASIES]; 3];
        let arguments: Each = std::array::from_fn(|k| means[k] - kinks[k]);
        dispatch(Parts { arguments: &arguments, parts: &mut at_kinks });
        Self { means, kinks, missing: pending_trials.missing, at_kinks }
    }

    /// `e`.
    pub fn missing(&self) -> f64 {
        self.missing
    }

    /// The mean of `mu_k`, the standard deviation of a normal number around a random `mu_k`, and the
    /// largest `mu_k`.
    pub fn shape(&self) -> (f64, f64, f64) {
        let mean = SHARE * self.means.iter().sum::<f64>();
        let square = SHARE * self.means.iter().map(|mu| (mu - mean) * (mu - mean)).sum::<f64>();
        let largest = self.means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (mean, (1.0 + square).sqrt(), largest)
    }

    /// The logarithms of the weights and the arguments of the two terms of a fantasy.
    pub fn arguments(&self, k: usize, gamma: f64) -> [(f64, f64); 2] {
        let within = |x: f64| x.clamp(-FARTHEST, FARTHEST);
        let above = self.means[k] - self.kinks[k].max(gamma);
        [
            ((1.0 - self.missing).ln() + SHARE.ln(), within(above)),
            (self.missing.ln() + SHARE.ln(), within(self.means[k] - gamma)),
        ]
    }

    /// Whether a pending value lies between two places.
    pub fn kinks_between(&self, a: f64, b: f64) -> bool {
        let low = a.min(b);
        let high = a.max(b);
        self.kinks.iter().any(|kink| low <= *kink && *kink <= high)
    }

    /// `ln F` and its slope, near the root of `ln F = log_kappa`.
    pub fn value_at(&self, gamma: f64, log_kappa: f64) -> Slope {
        if log_kappa > QUICK {
            let [value, fall, bend] = dispatch(Quick { sums: self, gamma });
            if value > 0.0 {
                return Slope { log_value: value.ln(), fall: fall / value, bend: bend / value };
            }
            // Far above the root: no step, but a bisection.
            return Slope { log_value: f64::NEG_INFINITY, fall: f64::INFINITY, bend: 0.0 };
        }
        let Terms { log_value, fall, bend, .. } = self.slowly(gamma);
        Slope { log_value, fall, bend }
    }

    /// `F` and its derivatives.
    pub fn at(&self, gamma: f64) -> Terms {
        let gamma = gamma.clamp(-FARTHEST, FARTHEST);
        let mut parts = [[0.0; FANTASIES]; 3];
        let arguments = self.means.map(|mu| mu - gamma);
        dispatch(Parts { arguments: &arguments, parts: &mut parts });
        let [e, rest] = [SHARE * self.missing, SHARE * (1.0 - self.missing)];
        let (mut value, mut mean, mut density, mut fall, mut bend) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let by_mean = std::array::from_fn(|k| {
            let bound = self.kinks[k] > gamma;
            let [h, p, d] = parts.each_ref().map(|part| part[k]);
            let [h_kept, p_kept, d_kept] =
                if bound { self.at_kinks.each_ref().map(|part| part[k]) } else { [h, p, d] };
            value += rest * h_kept + e * h;
            density += rest * d_kept + e * d;
            fall += if bound { e * p } else { SHARE * p };
            bend += if bound { e * d } else { SHARE * d };
            let own = rest * p_kept + e * p;
            mean += own;
            own
        });
        let log_value = value.ln();
        if log_value > QUICK {
            let by_mean = by_mean.map(|own| own / value);
            return Terms {
                log_value,
                by_mean,
                mean: mean / value,
                density: density / value,
                fall: fall / value,
                bend: bend / value,
            };
        }
        self.slowly(gamma)
    }

    /// The same from logarithms.
    pub(super) fn slowly(&self, gamma: f64) -> Terms {
        let mut logs = [[(0.0, Ratios { m: 1.0, r: 0.0 }); 2]; FANTASIES];
        let mut top = f64::NEG_INFINITY;
        for (k, logs) in logs.iter_mut().enumerate() {
            for (log, (weight, u)) in logs.iter_mut().zip(self.arguments(k, gamma)) {
                let (log_h, ratios) = log_h_with_ratios(u);
                *log = (weight + log_h, ratios);
                top = top.max(log.0);
            }
        }
        let (mut total, mut density, mut fall, mut bend) = (0.0, 0.0, 0.0, 0.0);
        let mut by_mean = [0.0; FANTASIES];
        for (k, logs) in logs.iter().enumerate() {
            let bound = self.kinks[k] > gamma;
            for (term, (log, Ratios { m, r })) in logs.iter().enumerate() {
                let weight = (log - top).exp();
                total += weight;
                // Phi / h = 1/m and phi / h = r/m.
                by_mean[k] += weight / m;
                density += weight * r / m;
                if term == 1 || !bound {
                    fall += weight / m;
                    bend += weight * r / m;
                }
            }
        }
        for own in &mut by_mean {
            *own /= total;
        }
        Terms {
            log_value: top + total.ln(),
            mean: by_mean.iter().sum(),
            by_mean,
            density: density / total,
            fall: fall / total,
            bend: bend / total,
        }
    }
}

/// `h`, `Phi` and `phi` of each argument.
struct Parts<'a> {
    arguments: &'a Each,
    parts: &'a mut [Each; 3],
}

impl Vectorized for Parts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let [h, p, d] = self.parts;
        for k in 0..FANTASIES {
            (h[k], p[k], d[k]) = improvement::<FMA>(self.arguments[k]);
        }
    }
}

/// `F`, `D` and `F''`.
struct Quick<'a> {
    sums: &'a Sums,
    gamma: f64,
}

impl Vectorized for Quick<'_> {
    type Output = [f64; 3];

    #[inline(always)]
    fn run<const FMA: bool>(self) -> [f64; 3] {
        let Self { sums, gamma } = self;
        let Sums { means, kinks, missing, at_kinks } = sums;
        let mut terms = [[0.0; FANTASIES]; 3];
        let [values, falls, bends] = &mut terms;
        for k in 0..FANTASIES {
            let (h, p, d) = improvement::<FMA>(means[k] - gamma);
            let kept = (1.0 - missing) * at_kinks[0][k] + missing * h;
            let bound = kinks[k] > gamma;
            values[k] = if bound { kept } else { h };
            let weight = if bound { *missing } else { 1.0 };
            falls[k] = weight * p;
            bends[k] = weight * d;
        }
        terms.map(|terms| SHARE * total(&terms))
    }
}

/// A sum in eight running sums, whatever the machine's vectors.
#[inline(always)]
fn total(values: &Each) -> f64 {
    let mut sums = [0.0; LANES];
    for group in values.chunks_exact(LANES) {
        for lane in 0..LANES {
            sums[lane] += group[lane];
        }
    }
    sums.iter().sum()
}
