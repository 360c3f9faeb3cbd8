//! The CPU backend: gradients of whole jobs, any number of threads, every kind of cost, and the
//! order of errors.

use std::mem::discriminant;

use gittins::data::PointCost;
use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, CostForm, Cpu, Error, ErrorKind, Job, JobCost, KernelFamily, Points,
    Pointwise, Posterior, Result, Scores,
};

use crate::support::smooth::{data, hyperparameters};
use crate::support::tolerance;

/// The known cost `c(x) = 1 + 5 x_0^2`.
pub struct Bowl;

impl PointCost for Bowl {
    fn cost(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> Result<f64> {
        if let Some(gradient) = gradient {
            gradient.fill(0.0);
            gradient[0] = 10.0 * unit[0];
        }
        if unit[0] > 2.0 {
            return Err(Error::new(ErrorKind::NonPositiveCost, format!("no price at {}", unit[0])));
        }
        Ok(1.0 + 5.0 * unit[0] * unit[0])
    }
}

/// Acquisitions of every kind, some with several settings.
pub fn all() -> Vec<Acquisition> {
    let form = CostForm::Expected;
    let mut all = vec![
        Acquisition::Pointwise(Pointwise::ExpectedImprovement),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
        Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement),
        Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement),
        Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 2.0 }),
        Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost { exponent: 1.0, form }),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost { exponent: 0.7, form }),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
            exponent: 1.0,
            form: CostForm::ExpectedInverse,
        }),
        Acquisition::Pointwise(Pointwise::Gittins { lambda: 1e-3 }),
        Acquisition::Pointwise(Pointwise::EstimatedMaximum { maximum: 1.1, noise: 0.05 }),
        Acquisition::Pointwise(Pointwise::MaxValueEntropy {
            maxima: [0.9, 1.2, 1.5].into(),
            exponent: 0.7,
            form,
        }),
    ];
    let is_new = |one: &Pointwise| {
        let same = |of: &Acquisition| of.pointwise().map(discriminant) == Some(discriminant(one));
        !all.iter().any(same)
    };
    let missing: Vec<_> = Pointwise::one_of_each().into_iter().filter(is_new).collect();
    all.extend(missing.into_iter().map(Acquisition::from));
    all
}

pub fn posteriors(dim: usize, n: usize) -> (Posterior, Posterior) {
    let (inputs, outcomes) = data(dim, n);
    let log_costs: Vec<f64> = inputs.rows().map(|x| 1.0 + 0.5 * x[0]).collect();
    let outcome =
        Posterior::new(KernelFamily::Matern52, &hyperparameters(dim, 1e-4), &inputs, &outcomes)
            .unwrap();
    (
        outcome,
        Posterior::new(KernelFamily::Rbf, &hyperparameters(dim, 1e-2), &inputs, &log_costs)
            .unwrap(),
    )
}

/// Checks the gradients of a job at some points against differences of its values.
pub fn assert_gradients(job: &Job<'_>, points: &Points) {
    let (dim, h) = (points.dim(), 1e-5);
    let mut scores = Scores::default();
    Cpu.evaluate(job, points, &mut scores).unwrap();
    for j in 0..points.len() {
        for k in (0..dim).step_by(1 + dim / 4) {
            let at = |sign: f64| {
                let mut moved = Points::new(dim);
                moved.push(points.row(j));
                moved.row_mut(0)[k] += sign * h;
                let mut scores = Scores::default();
                Cpu.evaluate(&job.gradient(false), &moved, &mut scores).unwrap();
                scores.value[0]
            };
            let difference = (at(1.0) - at(-1.0)) / (2.0 * h);
            let got = scores.gradient[j * dim + k];
            let size = scores.value[j].abs().max(1.0);
            let allowed = size * tolerance::difference(h, 1e5, 1e4 * f64::EPSILON);
            assert!(
                (got - difference).abs() <= allowed,
                "{:?} d={dim}: {got}, difference {difference} +- {allowed}",
                job.acquisition
            );
        }
    }
}

#[test]
fn gradients_of_every_job_agree_with_finite_differences() {
    for (dim, n) in [(1, 5), (3, 25), (40, 30)] {
        let (posterior, log_cost) = posteriors(dim, n);
        let points = Sobol::new(dim, 31).points(0, 5);
        for acquisition in all() {
            let costs = [
                (JobCost::Uniform(2.0), 0.0),
                (JobCost::Known(&Bowl), 0.0),
                (JobCost::Learned(&log_cost), 0.0),
                (JobCost::Uniform(2.0), 1e-3),
            ];
            for (cost, noise) in costs {
                let job = Job::new(&posterior, cost, &acquisition, 0.8).gradient(true).noise(noise);
                assert_gradients(&job, &points);
            }
        }
    }
}

/// With noise an improvement is the improvement of the posterior mean after one more outcome. The
/// test appends outcomes to this posterior.
#[test]
fn foreseen_noise_is_what_one_outcome_moves() {
    let (posterior, _) = posteriors(2, 12);
    let noise = posterior.hyperparameters().noise;
    let points = Sobol::new(2, 4).points(0, 6);
    let moments = posterior.moments(&points).unwrap();
    let acquisition = Acquisition::Pointwise(Pointwise::ExpectedImprovement);
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.8).noise(noise);
    let mut scores = Scores::default();
    Cpu.evaluate(&job, &points, &mut scores).unwrap();
    assert_eq!(scores.variance, moments.variance);
    for (j, point) in points.rows().enumerate() {
        let outcome = |deviations: f64| {
            let mut after = posterior.clone();
            after
                .append(point, moments.mean[j] + deviations * (moments.variance[j] + noise).sqrt())
                .unwrap();
            after.moments(&points.select([j])).unwrap().mean[0]
        };
        let moved = 0.5 * (outcome(1.0) - outcome(-1.0));
        let belief = gittins::acquisition::Belief {
            mean: moments.mean[j],
            sd: moved,
            cost: gittins::acquisition::PointBeliefCost::Known(1.0),
        };
        let expected = acquisition.pointwise().unwrap().score(0.8, &belief).value;
        assert!(
            (scores.value[j] - expected).abs() <= 1e-9 * expected.max(1e-3),
            "{} and {expected}",
            scores.value[j]
        );
    }
    // Acquisitions of the function itself ignore the noise.
    for acquisition in all().into_iter().filter(|acquisition| !acquisition.foresees_noise()) {
        let value = |noise: f64| {
            let mut scores = Scores::default();
            Cpu.evaluate(&job.acquisition(&acquisition).noise(noise), &points, &mut scores)
                .unwrap();
            scores.value
        };
        assert_eq!(value(0.0), value(noise));
    }
    let error = Cpu.evaluate(&job.noise(-1.0), &points, &mut scores).unwrap_err();
    assert!(
        error.kind() == ErrorKind::InvalidSetting && error.to_string().contains("noise"),
        "{error}"
    );
}

#[test]
fn threads_do_not_change_a_bit() {
    let (posterior, log_cost) = posteriors(6, 120);
    let points = Sobol::new(6, 8).points(0, 700);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let acquisition = Acquisition::gittins(1e-3);
        let job =
            Job::new(&posterior, JobCost::Learned(&log_cost), &acquisition, 0.5).gradient(true);
        let mut scores = Scores::default();
        pool.install(|| Cpu.evaluate(&job, &points, &mut scores)).unwrap();
        (scores.value, scores.gradient, scores.mean, scores.variance)
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn memory_is_reused_and_nothing_old_shows() {
    let (posterior, log_cost) = posteriors(3, 20);
    let mut scores = Scores::default();
    let acquisition = &Acquisition::gittins(1e-2);
    let job = |cost, gradient| Job::new(&posterior, cost, acquisition, 0.0).gradient(gradient);
    Cpu.evaluate(
        &job(JobCost::Learned(&log_cost), true),
        &Sobol::new(3, 1).points(0, 300),
        &mut scores,
    )
    .unwrap();
    let few = Sobol::new(3, 2).points(0, 3);
    Cpu.evaluate(&job(JobCost::Uniform(1.0), false), &few, &mut scores).unwrap();
    assert_eq!(
        (scores.value.len(), scores.gradient.len(), scores.mean.len(), scores.variance.len()),
        (3, 0, 3, 3)
    );
    let mut fresh = Scores::default();
    Cpu.evaluate(&job(JobCost::Uniform(1.0), false), &few, &mut fresh).unwrap();
    assert_eq!(scores.value, fresh.value);
    Cpu.evaluate(&job(JobCost::Uniform(1.0), true), &Points::new(3), &mut scores).unwrap();
    assert!(scores.value.is_empty());
}

#[test]
fn a_higher_cost_never_raises_an_index() {
    let (posterior, _) = posteriors(2, 15);
    let points = Sobol::new(2, 17).points(0, 200);
    let values = |cost: f64| {
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, JobCost::Uniform(cost), &acquisition, 0.0);
        let mut scores = Scores::default();
        Cpu.evaluate(&job, &points, &mut scores).unwrap();
        scores.value
    };
    let mut before = values(1e-12);
    for exponent in -11..9 {
        let now = values(10f64.powi(exponent));
        assert!(now.iter().zip(&before).all(|(now, before)| now <= before));
        before = now;
    }
}

#[test]
fn bad_jobs_name_their_culprit() {
    let (posterior, _) = posteriors(2, 8);
    let (other, _) = posteriors(3, 8);
    let points = Sobol::new(2, 1).points(0, 200);
    let acquisition = Acquisition::gittins(1e-3);
    let base = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.0).gradient(true);
    let mut far = points.clone();
    far.row_mut(150)[0] = 7.0;
    far.row_mut(40)[0] = 5.0;
    let negative = Acquisition::gittins(-1.0);
    let cases = [
        (base.cost(JobCost::Uniform(0.0)), &points, ErrorKind::NonPositiveCost, "uniform cost"),
        (base.cost(JobCost::Learned(&other)), &points, ErrorKind::Dimension, "log-cost"),
        (base.incumbent(f64::NAN), &points, ErrorKind::NonFinite, "incumbent"),
        (base.acquisition(&negative), &points, ErrorKind::InvalidSetting, "lambda"),
        // Two points have no price. The error names the first of them, on any number of threads.
        (base.cost(JobCost::Known(&Bowl)), &far, ErrorKind::NonPositiveCost, "no price at 5"),
    ];
    for (job, points, kind, text) in cases {
        let error = Cpu.evaluate(&job, points, &mut Scores::default()).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
    let error =
        Cpu.evaluate(&base, &Sobol::new(3, 1).points(0, 4), &mut Scores::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Dimension);
}
