//! Jobs with a probability of success on a device against the CPU.

use gittins::backend::Precision;
use gittins::backend::gpu::Gpu;
use gittins::math::Sobol;
use gittins::{Backend, Cpu, Job, JobCost, KernelFamily, Scores};

use crate::properties::backend::{Bowl, all};
use crate::properties::success::{success, usable};
use crate::support::comparer::{compare, sentinels};
use crate::support::device::{engine, precisions};
use crate::support::smooth::models;
use crate::support::tolerance::{device_double, device_single};

#[test]
fn success_enters_on_the_device_as_on_the_host() {
    let test = "success_enters_on_the_device_as_on_the_host";
    let Some(engine) = engine(test) else { return };
    for precision in precisions(engine, test) {
        let gpu = Gpu::new(engine.clone()).precision(precision);
        // Success has more, or fewer, blocks of data than the outcome.
        for (n, trials) in [(65, 20), (20, 130)] {
            let (posterior, log_cost) = models(KernelFamily::Matern52, 4, n, 1e-4);
            let (success, usable) = (success(4, trials), usable(4, trials));
            let points = Sobol::new(4, 23).points(0, 65);
            for acquisition in all() {
                for (name, cost) in [
                    ("uniform", JobCost::Uniform(2.0)),
                    ("known", JobCost::Known(&Bowl)),
                    ("learned", JobCost::Learned(&log_cost)),
                ] {
                    for gradient in [true, false] {
                        let job = Job::new(&posterior, cost, &acquisition, 0.8)
                            .gradient(gradient)
                            .usable(Some(&usable));
                        let (mut got, mut expected) = (sentinels(), Scores::default());
                        Cpu.evaluate(&job, &points, &mut expected).unwrap();
                        gpu.evaluate(&job, &points, &mut got).unwrap();
                        let what = format!("{acquisition:?}, {name} cost, gradient {gradient}");
                        assert_eq!(got.provenance.backend, "gpu", "{what}");
                        let posteriors = [&posterior, &log_cost, success.latent()];
                        let error = posteriors.map(gittins::internals::gpu::single_error);
                        let error = error.into_iter().fold(0.0, f64::max);
                        let double = device_double(130, 1e-4);
                        let allowed = match precision {
                            Precision::F64 => double,
                            Precision::F32 => device_single(error, true).plus(double.mean),
                        };
                        compare(&job, &got, &expected, allowed)
                            .unwrap_or_else(|error| panic!("{what} in {precision:?}: {error}"));
                        // The best of all points are the same.
                        let mut best = sentinels();
                        gpu.evaluate(&job.keep(Some(3)), &points, &mut best).unwrap();
                        let kept: Vec<f64> = best.rows.iter().map(|&row| got.value[row]).collect();
                        assert_eq!(best.value, kept, "{what}");
                    }
                }
            }
        }
    }
}
