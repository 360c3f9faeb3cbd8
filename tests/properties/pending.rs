//! Trials under way: values and gradients against dense simulations, closed forms and differences.

use gittins::internals::normal::{h, pdf};
use gittins::internals::{LOG_ZERO, Quantity};
use gittins::math::Sobol;
use gittins::posterior::Pending;
use gittins::{
    Acquisition, Backend, Cpu, ErrorKind, Hyperparameters, Job, JobCost, KernelFamily, Points,
    Pointwise, Posterior, Scores,
};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

const MISSING: f64 = 1.0 / 64.0;

/// A posterior in `d` dimensions after `n` outcomes of a wave.
fn posterior(d: usize, n: usize, noise: f64) -> Posterior {
    let inputs = Sobol::new(d, 5).points(0, n);
    let outcomes: Vec<f64> = inputs.rows().map(|x| (7.0 * x[0]).sin() + 0.5 * x[d - 1]).collect();
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.3; d], outputscale: 1.3, noise, mean: 0.1 };
    Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes).unwrap()
}

fn score(job: &Job<'_>, points: &Points) -> Scores {
    let mut scores = Scores::default();
    Cpu.evaluate(job, points, &mut scores).unwrap();
    scores
}

fn of_pending<'a>(
    after: &'a Posterior,
    pending: Option<&'a Pending>,
    acquisition: &'a Acquisition,
    incumbent: f64,
) -> Job<'a> {
    Job::new(after, JobCost::Uniform(1.0), acquisition, incumbent).pending(pending)
}

fn improvement() -> Acquisition {
    Pointwise::ExpectedImprovement.into()
}

/// The improvement of a point over pending outcomes, and its standard deviation over simulated
/// fantasies of them, from the joint posterior before.
struct Simulated {
    mean: f64,
    deviation: f64,
}

fn simulate(
    before: &Posterior,
    pending: &Points,
    point: &[f64],
    incumbent: f64,
    count: usize,
) -> Simulated {
    let p = pending.len();
    let mut all = pending.clone();
    all.push(point);
    let joint = before.joint(&all).unwrap();
    let noise = before.hyperparameters().noise;
    let among = joint.covariance.view((0, 0), (p, p)).into_owned();
    let noisy = &among + nalgebra::DMatrix::identity(p, p) * noise;
    let lower = noisy.clone().cholesky().unwrap().l();
    let cross = joint.covariance.view((0, p), (p, 1)).into_owned();
    let inverse = noisy.try_inverse().unwrap();
    let gain = &inverse * &cross;
    let gains = &inverse * &among;
    let variance = joint.covariance[(p, p)] - (cross.transpose() * &gain)[(0, 0)];
    let sd = variance.sqrt();
    let mut random = Pcg64::seed_from_u64(11);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..count {
        let z = nalgebra::DVector::from_fn(p, |_, _| StandardNormal.sample(&mut random));
        let moved: nalgebra::DVector<f64> = &lower * z;
        let mean = joint.mean[p] + gain.column(0).dot(&moved);
        let values = gains.transpose() * &moved;
        let best = (0..p).map(|j| joint.mean[j] + values[j]).fold(incumbent, f64::max);
        let one = (1.0 - MISSING) * sd * h((mean - best) / sd)
            + MISSING * sd * h((mean - incumbent) / sd);
        sum += one;
        squares += one * one;
    }
    let mean = sum / count as f64;
    Simulated { mean, deviation: (squares / count as f64 - mean * mean).sqrt() }
}

#[test]
fn fantasies_agree_with_a_million_draws() {
    let before = posterior(2, 9, 1e-3);
    let pending = Points::from_rows(2, vec![0.8, 0.2, 0.55, 0.6, 0.15, 0.85]).unwrap();
    let acquisition = improvement();
    let point = [0.7, 0.35];
    let dense = simulate(&before, &pending, &point, 0.9, 1_000_000);
    // A mean of 32 draws has this standard error; quasi-random ones have less.
    let error = dense.deviation / 32f64.sqrt();
    let mut off = Vec::new();
    for seed in 0..16 {
        let (after, of) = before.with_pending(&pending, 0.0, seed).unwrap();
        let job = of_pending(&after, of.as_ref(), &acquisition, 0.9).gradient(true);
        let scores = score(&job, &Points::from_rows(2, point.to_vec()).unwrap());
        off.push((scores.value[0] - dense.mean) / error);
    }
    assert!(off.iter().all(|off| off.abs() < 5.0), "{off:?}");
    // Without bias the mean over seeds is nearer, by the root of their number.
    let mean = off.iter().sum::<f64>() / 16.0;
    assert!(mean.abs() < 5.0 / 4.0, "{mean}");
    // The pending trials take a good part of the improvement away.
    let alone = Job::new(&before, JobCost::Uniform(1.0), &acquisition, 0.9);
    let alone = score(&alone, &Points::from_rows(2, point.to_vec()).unwrap()).value[0];
    assert!(dense.mean < 0.8 * alone, "{} of {alone}", dense.mean);
}

#[test]
fn gradients_agree_with_simulated_ones() {
    let before = posterior(2, 9, 1e-3);
    let pending = Points::from_rows(2, vec![0.8, 0.2, 0.55, 0.6, 0.15, 0.85]).unwrap();
    let acquisition = improvement();
    let (point, step) = ([0.7, 0.35], 1e-3);
    for k in 0..2 {
        let at = |by: f64| {
            let mut point = point;
            point[k] += by;
            // The same draws on both sides, so their noise cancels.
            simulate(&before, &pending, &point, 0.9, 250_000).mean
        };
        let dense = (at(step) - at(-step)) / (2.0 * step);
        let found: Vec<f64> = (0..16)
            .map(|seed| {
                let (after, of) = before.with_pending(&pending, 0.0, seed).unwrap();
                let job = of_pending(&after, of.as_ref(), &acquisition, 0.9).gradient(true);
                score(&job, &Points::from_rows(2, point.to_vec()).unwrap()).gradient[k]
            })
            .collect();
        let mean = found.iter().sum::<f64>() / 16.0;
        let square = found.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / 15.0;
        let error = (square / 16.0).sqrt();
        assert!((mean - dense).abs() < 5.0 * error, "{k}: {mean} +- {error}, {dense}");
    }
}

/// `E[max(f - max(g, b), 0)]` for jointly normal `f` and `b`, by Simpson's rule over `b` on both
/// sides of the kink at `g`. The integrand is smooth on each side.
fn closed(mean: f64, sd: f64, (of_b, sd_b): (f64, f64), slope: f64, g: f64) -> f64 {
    let kink = ((g - of_b) / sd_b).clamp(-10.0, 10.0);
    let at = |z: f64| {
        let best = (of_b + sd_b * z).max(g);
        pdf(z) * sd * h((mean + slope * z - best) / sd)
    };
    let side = |from: f64, to: f64| {
        let count = 4000;
        let step = (to - from) / f64::from(count);
        let sum: f64 = (0..=count)
            .map(|i| {
                let weight = match i {
                    0 => 1.0,
                    _ if i == count => 1.0,
                    _ if i % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                weight * at(from + step * f64::from(i))
            })
            .sum();
        sum * step / 3.0
    };
    side(-10.0, kink) + side(kink, 10.0)
}

#[test]
fn one_pending_trial_has_a_closed_form() {
    let before = posterior(1, 4, 1e-6);
    let pending = Points::from_rows(1, vec![0.45]).unwrap();
    for place in [0.3, 0.5, 0.7, 0.95] {
        let point = Points::from_rows(1, vec![place]).unwrap();
        let joint = before.joint(&Points::from_rows(1, vec![0.45, place]).unwrap()).unwrap();
        let noisy = (joint.covariance[(0, 0)] + before.hyperparameters().noise).sqrt();
        let slope = joint.covariance[(0, 1)] / noisy;
        let sd = (joint.covariance[(1, 1)] - slope * slope).sqrt();
        let of_b = (joint.mean[0], joint.covariance[(0, 0)] / noisy);
        let gain = |g: f64| {
            (1.0 - MISSING) * closed(joint.mean[1], sd, of_b, slope, g)
                + MISSING * closed(joint.mean[1], sd, (-1e3, 1e-3), slope, g)
        };
        for lambda in [1e-4, 1e-2, 0.2] {
            let (mut low, mut high) = (-200.0, 20.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if gain(middle) > lambda { low = middle } else { high = middle }
            }
            let acquisition = Acquisition::gittins(lambda);
            let found: Vec<f64> = (0..16)
                .map(|seed| {
                    let (after, of) = before.with_pending(&pending, 0.0, seed).unwrap();
                    let job = of_pending(&after, of.as_ref(), &acquisition, 0.0);
                    score(&job, &point).value[0]
                })
                .collect();
            let mean = found.iter().sum::<f64>() / 16.0;
            let square = found.iter().map(|g| (g - mean) * (g - mean)).sum::<f64>() / 15.0;
            // The index is a concave or convex function of the mean over fantasies, so it is biased
            // by about its variance over the scale of that function. A rule of 32 strata has an
            // error of the order of 32^-2 of the spread of what it sums.
            let allowed =
                5.0 * (square / 16.0).sqrt() + 2.0 * square / sd + (slope.abs() + of_b.1) / 1024.0;
            assert!((mean - low).abs() < allowed, "{place} {lambda}: {mean} {low} {allowed:e}");
        }
    }
}

fn supporting() -> Vec<Acquisition> {
    let all = Pointwise::one_of_each().into_iter().map(Acquisition::from);
    all.filter(Acquisition::uses_pending).collect()
}

#[test]
fn gradients_are_those_of_differences() {
    for (d, noise, count) in [(1, 1e-3, 1), (2, 1e-2, 5), (5, 1e-4, 17), (3, 1e-3, 64)] {
        let before = posterior(d, 12, noise);
        let pending = Sobol::new(d, 77).points(0, count);
        let (after, of) = before.with_pending(&pending, 0.1, 3).unwrap();
        let log_cost = posterior(d, 6, 1e-2);
        let mut all = supporting();
        all.extend([1e-9, 1e-5, 0.3, 10.0, 1e4].map(Acquisition::gittins));
        for acquisition in all {
            let is_index = acquisition.quantity() == Quantity::Level;
            let job = Job::new(&after, JobCost::Learned(&log_cost), &acquisition, 0.3)
                .noise(noise)
                .pending(of.as_ref())
                .gradient(true);
            let points = Sobol::new(d, 123).points(0, 9);
            let at = score(&job, &points);
            let step = 5e-6;
            for k in 0..d {
                let moved = |by: f64| {
                    let mut moved = points.clone();
                    (0..moved.len()).for_each(|row| moved.row_mut(row)[k] += by);
                    score(&job.gradient(false), &moved).value
                };
                let [up, down] = [moved(step), moved(-step)];
                let [further_up, further_down] = [moved(2.0 * step), moved(-2.0 * step)];
                for row in 0..points.len() {
                    let (slope, value) = (at.gradient[row * d + k], at.value[row]);
                    let near = (up[row] - down[row]) / (2.0 * step);
                    let far = (further_up[row] - further_down[row]) / (4.0 * step);
                    let difference = (4.0 * near - far) / 3.0;
                    let size = slope.abs().max(
                        1e-3 * at.gradient[row * d..][..d]
                            .iter()
                            .fold(0.0, |a: f64, b| a.max(b.abs())),
                    );
                    // Truncation of fourth order at lengths of the noise, and the rounding of the
                    // values.
                    let allowed = 1e-5 * (size + value.abs())
                        + 1e-12 * value.abs() / step
                        + 4.0 * f64::EPSILON / step;
                    // An index that crosses a pending value has a kink: there the derivative is that
                    // of a side.
                    let sides = [up[row] - value, value - down[row]].map(|rise| rise / step);
                    let between = sides[0].min(sides[1]) - allowed <= slope
                        && slope <= sides[0].max(sides[1]) + allowed;
                    let kinked = between && is_index;
                    assert!(
                        kinked || (slope - difference).abs() <= allowed,
                        "{acquisition:?} d {d}, row {row}: {slope} and {difference}"
                    );
                }
            }
        }
    }
}

#[test]
fn without_pending_trials_nothing_changes_to_the_bit() {
    let before = posterior(2, 9, 1e-3);
    let (after, of) = before.with_pending(&Points::new(2), 0.0, 3).unwrap();
    assert!(of.is_none());
    let points = Sobol::new(2, 1).points(0, 40);
    for acquisition in Pointwise::one_of_each().into_iter().map(Acquisition::from) {
        let alone = Job::new(&before, JobCost::Uniform(1.0), &acquisition, 0.4).gradient(true);
        let with = alone.posterior(&after).pending(of.as_ref());
        let (alone, with) = (score(&alone, &points), score(&with, &points));
        assert_eq!((alone.value, alone.gradient), (with.value, with.gradient));
    }
}

#[test]
fn pending_points_lower_the_scores_around_them_for_any_number() {
    let before = posterior(2, 9, 1e-3);
    let pool = Sobol::new(2, 41).points(0, 90);
    let acquisition = Acquisition::gittins(1e-3);
    let grid = Sobol::new(2, 2).points(0, 200);
    let alone = Job::new(&before, JobCost::Uniform(1.0), &acquisition, 0.4);
    let mut last = score(&alone, &grid).value.iter().copied().fold(f64::MIN, f64::max);
    for count in [1, 2, 3, 8, 31, 63, 64, 65, 90] {
        let pending = pool.select(0..count);
        let (after, of) = before.with_pending(&pending, 0.0, 9).unwrap();
        assert_eq!(after.len(), 9 + count);
        let scores = score(&of_pending(&after, of.as_ref(), &acquisition, 0.4), &grid);
        assert!(scores.value.iter().all(|value| value.is_finite()));
        let best = scores.value.iter().copied().fold(f64::MIN, f64::max);
        // Each set contains the one before. Fantasies are drawn anew, with an error of their own.
        assert!(best < last + 0.1, "{count}: {best} after {last}");
        last = best;
        // The means stay, up to the order of a sum of ten terms.
        let [means, stay] = [&after, &before].map(|of| of.moments(&grid).unwrap().mean);
        assert!(means.iter().zip(stay).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn equal_points_and_known_points_are_left_out_or_harmless() {
    for noise in [0.0, 1e-2] {
        let before = posterior(2, 9, noise);
        let known = before.inputs().row(3).to_vec();
        let rows = [[0.4, 0.6].to_vec(), [0.4, 0.6].to_vec(), known.clone(), known].concat();
        let pending = Points::from_rows(2, rows).unwrap();
        let (after, of) = before.with_pending(&pending, 0.0, 9).unwrap();
        // Without noise the first one alone tells something.
        assert_eq!(after.len() - before.len(), if noise == 0.0 { 1 } else { 4 });
        for acquisition in supporting() {
            let job = of_pending(&after, of.as_ref(), &acquisition, 0.4).gradient(true);
            let mut points = Sobol::new(2, 2).points(0, 30);
            points.extend(&pending);
            let scores = score(&job, &points);
            let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
            assert!(finite(&scores.value) && finite(&scores.gradient), "{acquisition:?}");
            assert!(scores.value.iter().all(|value| *value >= LOG_ZERO));
        }
    }
    let known = posterior(2, 9, 0.0);
    let again = known.inputs().select([2, 5]);
    assert!(known.with_pending(&again, 0.0, 1).unwrap().1.is_none());
}

#[test]
fn a_trial_that_surely_fails_takes_nothing_away() {
    let before = posterior(1, 4, 1e-6);
    let pending = Points::from_rows(1, vec![0.45]).unwrap();
    let acquisition = improvement();
    let point = Points::from_rows(1, vec![0.7]).unwrap();
    let value = |missing: f64| {
        let (after, of) = before.with_pending(&pending, missing, 5).unwrap();
        score(&of_pending(&after, of.as_ref(), &acquisition, 0.4), &point).value[0]
    };
    let alone = Job::new(&before, JobCost::Uniform(1.0), &acquisition, 0.4);
    let alone = score(&alone, &point).value[0];
    // The mean of conditional expectations is the expectation, up to the error of 32 fantasies.
    assert!((value(1.0) / alone - 1.0).abs() < 0.02, "{} {alone}", value(1.0));
    assert!(value(0.0) < value(0.5) && value(0.5) < value(1.0));
    // A chance below 1/64 is raised to it.
    assert_eq!(value(0.0), value(MISSING));
}

#[test]
fn wrong_pending_trials_are_refused() {
    let before = posterior(1, 4, 1e-6);
    let pending = Points::from_rows(1, vec![0.45]).unwrap();
    for wrong in [-0.1, 1.1, f64::NAN] {
        let error = before.with_pending(&pending, wrong, 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    }
    let error = before.with_pending(&Points::new(3), 0.0, 5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dimension);
    let (_, of) = before.with_pending(&pending, 0.0, 5).unwrap();
    let acquisition = improvement();
    let job = of_pending(&before, of.as_ref(), &acquisition, 0.4);
    let error = job.validate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("another posterior"), "{error}");
}
