//! The scratch memory of an evaluation does not grow with the number of points.

use gittins::math::Sobol;
use gittins::{
    Acquisition, Backend, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Posterior, Scores,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[test]
fn scratch_is_what_the_documentation_says_for_any_number_of_points() {
    let (dim, n, threads) = (8, 300, 2);
    let inputs = Sobol::new(dim, 1).points(0, n);
    let outcomes: Vec<f64> = inputs.rows().map(|x| x.iter().sum()).collect();
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.5; dim], outputscale: 1.0, noise: 1e-4, mean: 0.0 };
    let posterior =
        Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes).unwrap();
    let acquisition = Acquisition::gittins(1e-3);
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 1.0).gradient(true);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    // The outputs are not counted: the first call allocates them, and the second call reuses them.
    let scratch = |count: usize| {
        let points = Sobol::new(dim, 2).points(0, count);
        let mut scores = Scores::default();
        pool.install(|| {
            Cpu.evaluate(&job, &points, &mut scores).unwrap();
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            Cpu.evaluate(&job, &points, &mut scores).unwrap();
            MEMORY.peak_usage() - before
        })
    };
    // The formula is 8 (2 n t + 2 n + (5 d + 4) t) bytes a thread, with t = 64. The test allows
    // twice that. The second half covers the rounding of n up to whole vectors, the packing buffers
    // of the triangular solves (a few columns of n numbers each) and the bookkeeping of the pool.
    let formula = threads * 8 * (2 * n * 64 + 2 * n + (5 * dim + 4) * 64);
    let (few, many) = (scratch(4_096), scratch(65_536));
    assert!(few <= 2 * formula, "{few} bytes, the formula gives {formula}");
    assert!(
        many <= 2 * formula,
        "{many} bytes for 16 times the points, the formula gives {formula}"
    );
}
