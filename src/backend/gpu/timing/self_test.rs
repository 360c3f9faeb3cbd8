//! What a device must get right before it is used: a small known model, and the test that a number
//! is finite.

use crate::acquisition::Acquisition;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::binding::Binding;
use crate::backend::gpu::kernels::memory::{READBACK, STORAGE, Staging, allocate};
use crate::backend::gpu::kernels::pipelines::{PipelineKey, Pipelines, Stage};
use crate::backend::gpu::pass::engine::Engine;
use crate::backend::gpu::pass::scores::evaluate_alone;
use crate::backend::{Backend, Cpu, Fallback, Job, JobCost, Precision, Scores};
use crate::math::sobol::Sobol;
use crate::model::{Hyperparameters, KernelFamily};
use crate::posterior::Posterior;

/// The answers of a device at the start, compared with those of the host.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SelfTest {
    /// `"f32"` or `"f64"`.
    pub precision: &'static str,
    /// Largest error of the posterior means, in units of the prior's deviation.
    pub mean: f64,
    /// Largest error of the standard deviations, in the same units.
    pub deviation: f64,
    /// Largest error of the Gittins indices, in the same units.
    pub index: f64,
    /// Largest error of the gradients of the index, relative to the largest gradient.
    pub gradient: f64,
    /// What is wrong; none if nothing is.
    pub problem: Option<String>,
}

/// More than one block of rows and one of points, with padding in both.
const OBSERVATIONS: usize = 70;
const POINTS: usize = 90;
const DIM: usize = 3;

/// The largest errors allowed: of mean, deviation, index, gradient. The model's noise is 1e-2 of
/// its outputscale, so that its condition number is below 7e3 and the norm of `L^-1` below 84. In
/// double precision `n eps` times the condition number is 1e-10. In single precision the epsilon
/// times the norm is 1e-5. A deviation of a tenth more than doubles that, and the differences of
/// slopes count the weights once again. So a wrong digit shows, and rounding does not.
const ALLOWED: [(Precision, [f64; 4]); 2] =
    [(Precision::F32, [1e-4, 1e-4, 2e-4, 1e-3]), (Precision::F64, [1e-10, 1e-10, 1e-10, 1e-9])];

/// Compares a device with the host. A failure becomes the problem of the test.
pub fn run(pipelines: &Pipelines, precision: Precision) -> SelfTest {
    let mut test = SelfTest {
        precision: precision.name(),
        mean: 0.0,
        deviation: 0.0,
        index: 0.0,
        gradient: 0.0,
        problem: None,
    };
    test.problem = match compare(pipelines, precision, &mut test) {
        Err(failure) => Some(failure.into_error().to_string()),
        Ok(()) => problem(&test, precision),
    };
    test
}

fn problem(test: &SelfTest, precision: Precision) -> Option<String> {
    let allowed = ALLOWED.iter().find(|(of, _)| *of == precision)?.1;
    let errors = [
        ("mean", test.mean),
        ("deviation", test.deviation),
        ("index", test.index),
        ("gradient", test.gradient),
    ];
    // NaN is wrong too.
    let wrong = errors
        .into_iter()
        .zip(allowed)
        .find(|((_, error), allowed)| error > allowed || error.is_nan());
    wrong.map(|((name, error), allowed)| {
        format!("{name} in {} off by {error:e}, allowed {allowed:e}", precision.name())
    })
}

fn compare(
    pipelines: &Pipelines,
    precision: Precision,
    test: &mut SelfTest,
) -> Result<(), Failure> {
    probe(pipelines, precision)?;
    let sobol = Sobol::new(DIM, 0);
    let inputs = sobol.points(0, OBSERVATIONS);
    let points = sobol.points(OBSERVATIONS, POINTS);
    let outcomes: Vec<f64> = inputs
        .rows()
        .map(|x| 3.0 + x.iter().enumerate().map(|(k, x)| (4.0 * x + k as f64).sin()).sum::<f64>())
        .collect();
    let hyperparameters = Hyperparameters {
        lengthscales: vec![0.4, 0.6, 0.9],
        outputscale: 2.0,
        noise: 0.02,
        mean: 3.0,
    };
    let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes)?;
    let acquisition = Acquisition::gittins(0.01);
    let job = Job::new(&posterior, JobCost::Uniform(0.7), &acquisition, 4.0).gradient(true);
    let (mut host, mut found) = (Scores::default(), Scores::default());
    Cpu.evaluate(&job, &points, &mut host)?;
    // The model is small, and a tall tile must be right as well.
    let mut engine = Engine::new(pipelines.regardless_of_size())?;
    evaluate_alone(&mut engine, &job, &points, precision, &mut found)?;
    let deviation = hyperparameters.outputscale.sqrt();
    #[cfg(test)]
    {
        found.mean[3] += deviation
            * crate::backend::gpu::fault::on_self_test(precision, pipelines.tiling(precision));
    }
    let largest = |a: &[f64], b: &[f64], of: fn(f64) -> f64| {
        a.iter().zip(b).map(|(a, b)| (of(*a) - of(*b)).abs()).fold(0.0, greater)
    };
    test.mean = largest(&host.mean, &found.mean, |x| x) / deviation;
    test.deviation = largest(&host.variance, &found.variance, f64::sqrt) / deviation;
    test.index = largest(&host.value, &found.value, |x| x) / deviation;
    test.gradient = largest(&host.gradient, &found.gradient, |x| x)
        / host.gradient.iter().map(|g| g.abs()).fold(0.0, greater);
    Ok(())
}

/// The greater of two, and NaN if one of them is NaN; `f64::max` would hide it.
fn greater(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// Numbers, and 1 if they are finite. All of them exist in single precision.
const NUMBERS: [(f64, u32); 8] = [
    (0.0, 1),
    (-1.0, 1),
    (3e38, 1),
    (1e-30, 1),
    (f64::INFINITY, 0),
    (f64::NEG_INFINITY, 0),
    (f64::NAN, 0),
    (-3e38, 1),
];

/// Asks the device whether numbers are finite.
fn probe(pipelines: &Pipelines, precision: Precision) -> Result<(), Failure> {
    let handle = pipelines.handle();
    let pipeline =
        pipelines.get(PipelineKey { stage: Stage::Probe, precision, constants: Vec::new() })?;
    let numbers = NUMBERS.map(|(number, _)| number);
    let mut staging = Staging::default();
    let bytes = staging.fill(precision, numbers.into_iter());
    let size = (4 * NUMBERS.len()) as u64;
    let input = allocate(handle, "numbers", bytes.len() as u64, STORAGE)?;
    let output = allocate(handle, "flags", size, STORAGE)?;
    let readback = allocate(handle, "readback", size, READBACK)?;
    let bindings = pipeline.bind(handle, &[(Binding::Numbers, &input), (Binding::Finite, &output)]);
    let (device, queue) = (handle.device(), handle.queue());
    queue.write_buffer(&input, 0, bytes);
    let mut encoder =
        device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("probe") });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pipeline.dispatch(&mut pass, &bindings, [1, 1]);
    drop(pass);
    encoder.copy_buffer_to_buffer(&output, 0, &readback, 0, size);
    queue.submit([encoder.finish()]);
    readback.slice(..).map_async(wgpu::MapMode::Read, |_| {});
    let refused = |message: String| Failure::Device(Fallback::SelfTest, message);
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| refused(error.to_string()))?;
    let view = readback.slice(..).get_mapped_range().map_err(|error| refused(error.to_string()))?;
    let flags: &[u32] = bytemuck::cast_slice(&view);
    match NUMBERS.iter().zip(flags).find(|((_, finite), flag)| finite != *flag) {
        None => Ok(()),
        Some(((number, _), flag)) => {
            let message =
                format!("{number} is taken to be {}finite", if *flag == 1 { "" } else { "not " });
            Err(refused(message))
        }
    }
}
