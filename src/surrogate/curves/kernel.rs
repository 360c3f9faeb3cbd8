//! The kernel of learning curves: what the outcome of one run at one progress says of another.
//!
//! ```text
//! k((x, p), (x', p')) = B0(p, p') + B1(p, p') kx(x, x') + [same run] B2(p, p') + [same report] noise(p)
//! ```
//!
//! with the share `p` of a run that is done, and `tau = 1 + ln p / ln(3/p_1)`, which is 1 at the end
//! and moves by equal steps if the progress grows by equal factors (`p_1` is the first report).
//!
//! - `B0 = 1 + exp(-(tau - tau')^2 / (2 0.4^2))`: the curve that all runs have in common. It is
//!   integrated out and has no parameter.
//! - `B1 = s1^2 (w + 2 (1 - w) E)`, `E = (3 p_1 / (p + p' + p_1))^alpha`: settings differ, and most in
//!   what they lose early: the freeze-thaw kernel of exponential decays (Swersky, Snoek, Adams 2014).
//!   `kx` is Matern-5/2 with a lengthscale for each parameter.
//! - `B2 = s2^2 a a' (w2 + (1 - w2) exp(-|tau - tau'|/l))`, `a = exp(b (tau - 1))`: what is the run's own.
//! - `noise = exp(2 (n + m (tau - 1))) + 0.02^2`.

use std::ops::Range;

use super::answers::Answers;
use super::entry::Entry;
use super::folds::{self, Folds, Pair};
use super::scale::Scale;

/// The range of the common curve, in `tau`.
const COMMON_RANGE: f64 = 0.4;

/// The least deviation of a report.
const LEAST_NOISE: f64 = 0.02;

/// What runs and reports have to do with the space and the stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The parameter of each column of the unit cube.
    pub groups: Vec<usize>,
    /// The share of a run at its first report.
    pub first: f64,
    /// Whether reports are those of one mean, of folds or items, in place of a curve.
    pub means: bool,
    /// How many items a run has, if it has items.
    pub items: Option<f64>,
    /// The variance of the level of all runs, if each item is worth 0 or 1 as far as they were judged.
    pub level: Option<f64>,
}

/// A place along a run.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The share of the run that is done.
    pub share: f64,
    tau: f64,
    own: f64,
    /// The variance of a report here.
    pub noise: f64,
}

/// The parameters after the lengthscales, in this order.
#[derive(Clone, Copy)]
enum After {
    Between,
    Decay,
    Lasting,
    Own,
    OwnSlope,
    OwnLasting,
    OwnRange,
    Noise,
    NoiseSlope,
}

/// How many there are.
const AFTER: usize = 9;

/// The kernel with its parameters: logarithms of lengthscales, then those of [`After`], all without
/// bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    pub shape: Shape,
    pub parameters: Vec<f64>,
    /// `1/l^2` of each column.
    precisions: Vec<f64>,
    /// What takes the place of curves, where reports are those of a mean.
    folds: Option<Folds>,
}

impl Shape {
    /// The number of parameters of the space.
    pub fn varied(&self) -> usize {
        self.groups.last().map_or(0, |last| last + 1)
    }

    /// The number of parameters of the kernel.
    pub fn len(&self) -> usize {
        self.varied() + if self.means { folds::AFTER } else { AFTER }
    }

    /// Whether reports are means of items.
    pub fn are_items(&self) -> bool {
        self.means && folds::are_items(self.first)
    }

    /// What reports say of items, if runs have items and all lie between 0 and 1.
    pub fn answers(&self, log: &[Entry]) -> Option<Answers> {
        Answers::of(self.items?, log)
    }

    /// This shape of items of 0 and 1, if they are that: before a report the level of all runs is
    /// anywhere between 0 and 1.
    pub fn known(&self, answers: Option<&Answers>, scale: &Scale) -> Self {
        let uniform = scale.difference((1.0f64 / 12.0).sqrt());
        Self { level: answers.map(|_| uniform * uniform), ..self.clone() }
    }

    /// The means and deviations of the normal priors of the parameters.
    pub fn priors(&self) -> Vec<[f64; 2]> {
        let lengthscale = (0.5 * (self.varied().max(1) as f64).sqrt()).ln();
        let mut priors = vec![[lengthscale, 1.0]; self.varied()];
        if self.means {
            priors.extend(folds::priors(self.first, self.level.is_some()));
            return priors;
        }
        priors.extend([
            [0.0, 0.5],
            [0.0, 0.7],
            [0.0, 1.5],
            [0.25f64.ln(), 0.6],
            [0.0, 0.3],
            [0.0, 1.5],
            [0.3f64.ln(), 0.7],
            [0.03f64.ln(), 1.0],
            [0.0, 0.3],
        ]);
        priors
    }
}

impl Curves {
    pub fn new(shape: Shape, parameters: Vec<f64>) -> Self {
        let precisions =
            shape.groups.iter().map(|&group| (-2.0 * parameters[group]).exp()).collect();
        let after = &parameters[shape.varied()..];
        let folds = match shape.items.zip(shape.level) {
            Some((items, level)) => Some(Folds::of_answers(items, level, after)),
            None => shape.means.then(|| Folds::new(shape.first, after)),
        };
        Self { shape, parameters, precisions, folds }
    }

    /// The kernel at the centers of the priors.
    pub fn prior(shape: Shape) -> Self {
        let centers = shape.priors().iter().map(|[center, _]| *center).collect();
        Self::new(shape, centers)
    }

    fn at(&self, parameter: After) -> f64 {
        self.parameters[self.shape.varied() + parameter as usize]
    }

    /// The place where this share of a run is done.
    pub fn place(&self, share: f64) -> Place {
        if self.shape.means {
            return Place { share, tau: 1.0, own: 1.0, noise: folds::noise() };
        }
        let tau = 1.0 + share.ln() / (3.0 / self.shape.first).ln();
        let noise = (self.at(After::Noise) + self.at(After::NoiseSlope) * (tau - 1.0)).exp();
        Place {
            share,
            tau,
            own: (self.at(After::OwnSlope) * (tau - 1.0)).exp(),
            noise: noise * noise + LEAST_NOISE * LEAST_NOISE,
        }
    }

    /// The squared distance of two settings, in lengthscales.
    fn distance2(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).zip(&self.precisions).map(|((a, b), p)| (a - b) * (a - b) * p).sum()
    }

    /// `kx`: how much two settings have to do with each other.
    pub fn settings(&self, x: &[f64], y: &[f64]) -> f64 {
        let r = (5.0 * self.distance2(x, y)).sqrt();
        (1.0 + r + r * r / 3.0) * (-r).exp()
    }

    /// The covariance of the curves of two runs, without noise.
    pub fn covariance(&self, pair: &Pair, p: &Place, q: &Place) -> f64 {
        if let Some(folds) = &self.folds {
            return folds.covariance(pair, p.share, q.share);
        }
        let common = common(p, q);
        let between = self.between(p, q).0;
        let own = if pair.same_run { self.own(p, q).0 } else { 0.0 };
        common + between * pair.settings + own
    }

    /// `B1` and the decayed part `E`.
    fn between(&self, p: &Place, q: &Place) -> (f64, f64) {
        let decayed = (self.base(p, q).ln() * self.at(After::Decay).exp()).exp();
        let scale = (2.0 * self.at(After::Between)).exp();
        let lasting = logistic(self.at(After::Lasting));
        (scale * (lasting + 2.0 * (1.0 - lasting) * decayed), decayed)
    }

    fn base(&self, p: &Place, q: &Place) -> f64 {
        3.0 * self.shape.first / (p.share + q.share + self.shape.first)
    }

    /// `B2` and its decayed part, which is `exp(-|tau - tau'|/l)`.
    fn own(&self, p: &Place, q: &Place) -> (f64, f64) {
        let decayed = (-(p.tau - q.tau).abs() / self.at(After::OwnRange).exp()).exp();
        let scale = (2.0 * self.at(After::Own)).exp();
        let lasting = logistic(self.at(After::OwnLasting));
        (scale * p.own * q.own * (lasting + (1.0 - lasting) * decayed), decayed)
    }

    /// Adds `weight` times the derivatives of a covariance by the parameters after the lengthscales,
    /// and returns that by `kx`.
    fn add_slopes(
        &self,
        (pair, same_report): (&Pair, bool),
        [p, q]: [&Place; 2],
        weight: f64,
        slopes: &mut [f64],
    ) -> f64 {
        if let Some(folds) = &self.folds {
            return folds.add_slopes(pair, [p.share, q.share], weight, slopes);
        }
        let Pair { settings, same_run, .. } = *pair;
        let (between, decayed) = self.between(p, q);
        let scale = (2.0 * self.at(After::Between)).exp();
        let lasting = logistic(self.at(After::Lasting));
        let mut add = |parameter: After, slope: f64| slopes[parameter as usize] += weight * slope;
        add(After::Between, 2.0 * between * settings);
        let rate = self.at(After::Decay).exp() * self.base(p, q).ln();
        add(After::Decay, scale * 2.0 * (1.0 - lasting) * decayed * rate * settings);
        add(After::Lasting, scale * (1.0 - 2.0 * decayed) * lasting * (1.0 - lasting) * settings);
        if same_run {
            let (own, decayed) = self.own(p, q);
            let scale = (2.0 * self.at(After::Own)).exp() * p.own * q.own;
            let lasting = logistic(self.at(After::OwnLasting));
            add(After::Own, 2.0 * own);
            add(After::OwnSlope, own * (p.tau + q.tau - 2.0));
            add(After::OwnLasting, scale * (1.0 - decayed) * lasting * (1.0 - lasting));
            let ranges = (p.tau - q.tau).abs() / self.at(After::OwnRange).exp();
            add(After::OwnRange, scale * (1.0 - lasting) * decayed * ranges);
        }
        if same_report {
            let noise = p.noise - LEAST_NOISE * LEAST_NOISE;
            add(After::Noise, 2.0 * noise);
            add(After::NoiseSlope, 2.0 * noise * (p.tau - 1.0));
        }
        between
    }
}

/// Reports of runs: the data of a fit.
#[derive(Debug, Clone, Default)]
pub struct Curveset {
    /// The settings of each run.
    pub settings: Vec<Vec<f64>>,
    /// The deviation of an item of each run, where it is known; otherwise 1.
    pub deviations: Vec<f64>,
    /// The rows of each run.
    pub rows: Vec<Range<usize>>,
    /// The share of the run at each row.
    pub shares: Vec<f64>,
    /// The value at each row.
    pub values: Vec<f64>,
}

impl Curveset {
    fn pair(&self, run: usize, other: usize, settings: f64) -> Pair {
        let items = self.deviations[run] * self.deviations[other];
        Pair { settings, same_run: run == other, items }
    }
}

impl Curves {
    /// The covariances of all rows, with noise; the lower triangle, by columns.
    pub fn matrix(&self, data: &Curveset) -> faer::Mat<f64> {
        let n = data.values.len();
        let places: Vec<Place> = data.shares.iter().map(|&share| self.place(share)).collect();
        let mut matrix = faer::Mat::zeros(n, n);
        for (a, x) in data.settings.iter().enumerate() {
            for (b, y) in data.settings[..=a].iter().enumerate() {
                let pair = data.pair(a, b, self.settings(x, y));
                for i in data.rows[a].clone() {
                    for j in data.rows[b].clone().take_while(|&j| j <= i) {
                        let noise = if i == j { places[i].noise } else { 0.0 };
                        matrix[(i, j)] = self.covariance(&pair, &places[i], &places[j]) + noise;
                    }
                }
            }
        }
        matrix
    }

    /// The derivatives, by all parameters, of `sum_ij w_ij k_ij` with symmetric weights.
    pub fn slopes(&self, data: &Curveset, weight: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let places: Vec<Place> = data.shares.iter().map(|&share| self.place(share)).collect();
        let varied = self.shape.varied();
        let mut slopes = vec![0.0; self.shape.len()];
        for (a, x) in data.settings.iter().enumerate() {
            for (b, y) in data.settings[..=a].iter().enumerate() {
                let r = (5.0 * self.distance2(x, y)).sqrt();
                let pair = data.pair(a, b, (1.0 + r + r * r / 3.0) * (-r).exp());
                let mut by_settings = 0.0;
                for i in data.rows[a].clone() {
                    for j in data.rows[b].clone().take_while(|&j| j <= i) {
                        let weight = weight(i, j) * if i == j { 1.0 } else { 2.0 };
                        by_settings += weight
                            * self.add_slopes(
                                (&pair, i == j),
                                [&places[i], &places[j]],
                                weight,
                                &mut slopes[varied..],
                            );
                    }
                }
                // dkx/d ln l = 5/3 (1 + r) exp(-r) (x - y)^2/l^2
                let slope = by_settings * 5.0 / 3.0 * (1.0 + r) * (-r).exp();
                let columns = x.iter().zip(y).zip(&self.precisions).zip(&self.shape.groups);
                for (((u, v), precision), &group) in columns {
                    slopes[group] += slope * (u - v) * (u - v) * precision;
                }
            }
        }
        slopes
    }
}

/// `B0`.
fn common(p: &Place, q: &Place) -> f64 {
    let distance = (p.tau - q.tau) / COMMON_RANGE;
    1.0 + (-0.5 * distance * distance).exp()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Curveset {
        let mut data = Curveset::default();
        for run in 0..5 {
            let x = run as f64;
            data.settings.push(vec![0.17 * x, (0.31 * x + 0.2) % 1.0, 0.9 - 0.1 * x]);
            data.deviations.push(0.3 + 0.1 * x);
            let start = data.shares.len();
            for (k, share) in [3.0, 6.0, 19.0, 52.0].into_iter().take(1 + run % 4).enumerate() {
                data.shares.push(share / 52.0);
                data.values.push((x - 1.7) * 0.4 + 0.2 * k as f64);
            }
            data.rows.push(start..data.shares.len());
        }
        data
    }

    /// Derivatives are those of differences, with a column that two parameters share.
    #[test]
    fn slopes_match_differences() {
        let groups = vec![0, 1, 1];
        let first = 3.0 / 52.0;
        let curves = Shape { groups, first, means: false, items: None, level: None };
        let folds = Shape { means: true, ..curves.clone() };
        let answers = Shape { items: Some(52.0), level: Some(7.0), ..folds.clone() };
        [curves, folds, answers].into_iter().for_each(slopes_match_differences_of);
    }

    fn slopes_match_differences_of(shape: Shape) {
        let data = data();
        let weight = |i: usize, j: usize| ((i + 1) * (j + 1)) as f64 % 7.0 - 3.0;
        let mut parameters = Curves::prior(shape.clone()).parameters;
        for (k, parameter) in parameters.iter_mut().enumerate() {
            *parameter += 0.1 * (k as f64 - 4.0);
        }
        let sum = |parameters: &[f64]| {
            let matrix = Curves::new(shape.clone(), parameters.to_vec()).matrix(&data);
            let n = data.values.len();
            (0..n)
                .flat_map(|i| (0..=i).map(move |j| (i, j)))
                .map(|(i, j)| weight(i, j) * matrix[(i, j)] * if i == j { 1.0 } else { 2.0 })
                .sum::<f64>()
        };
        let slopes = Curves::new(shape.clone(), parameters.clone()).slopes(&data, weight);
        for (k, slope) in slopes.iter().enumerate() {
            // The five-point difference with this step errs by some h^4 and eps/h of sums near 100.
            let step = 1e-3;
            let at = |factor: f64| {
                let mut moved = parameters.clone();
                moved[k] += factor * step;
                sum(&moved)
            };
            let difference = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step);
            assert!(
                (slope - difference).abs() < 1e-9 * (1.0 + slope.abs()),
                "{k}: {slope} {difference}"
            );
        }
    }
}
