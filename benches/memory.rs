//! How much memory scoring 100 000 points with gradients takes beyond the posterior: outputs, and
//! scratch.

use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Posterior, Scores,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() {
    println!("{:>6} {:>4} {:>8} {:>14} {:>16}", "n", "d", "points", "points, MB", "the rest, MB");
    for (n, dim, count) in [(500, 16, 100_000), (2000, 32, 100_000)] {
        let inputs = Sobol::new(dim, 1).points(0, n);
        let outcomes: Vec<f64> = inputs.rows().map(|x| x.iter().sum()).collect();
        let hyperparameters = Hyperparameters {
            lengthscales: vec![1.0; dim],
            outputscale: 1.0,
            noise: 1e-4,
            mean: 0.0,
        };
        let posterior =
            Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes)
                .expect("a posterior");
        let cost = JobCost::Uniform(1.0);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, cost, &acquisition, 1.0).gradient(true);
        // The linear algebra keeps packing buffers for each thread from its first call on; they are
        // not this batch's.
        Cpu.evaluate(&job, &Sobol::new(dim, 3).points(0, 1000), &mut Scores::default())
            .expect("scores");
        let start = MEMORY.current_usage();
        let points = Sobol::new(dim, 2).points(0, count);
        let with_points = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let mut scores = Scores::default();
        Cpu.evaluate(&job, &points, &mut scores).expect("scores");
        let megabytes = |bytes: usize| bytes as f64 / 1e6;
        let (own, rest) =
            (megabytes(with_points - start), megabytes(MEMORY.peak_usage() - with_points));
        println!("{n:>6} {dim:>4} {count:>8} {own:>14.1} {rest:>16.1}");
    }
}
