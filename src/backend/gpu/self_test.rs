//! What a device must get right before it is used: a small known model, and the flag that a number
//! is none.

use super::binding::Binding;
use super::buffers::{STORAGE, Staging, allocate};
use super::device::Device;
use super::evaluate::{Engine, Failure};
use super::pipelines::{Pipeline, PipelineKey, Stage};
use crate::acquisition::Acquisition;
use crate::backend::{Backend, Cpu, Fallback, Job, JobCost, Precision, Scores};
use crate::math::sobol::Sobol;
use crate::model::{Hyperparameters, KernelFamily};
use crate::posterior::Posterior;

/// What a device answered at the start, beside the host.
#[derive(Debug, Clone)]
pub struct SelfTest {
    /// `"f32"` or `"f64"`.
    pub precision: &'static str,
    /// Largest error of the posterior means, in units of the prior's deviation.
    pub mean: f64,
    /// Largest error of the standard deviations, in the same units.
    pub deviation: f64,
    /// Largest error of the Gittins indices, in the same units.
    pub index: f64,
    /// Largest error of the index's gradients, relative to the largest gradient.
    pub gradient: f64,
    /// What is wrong, if anything is.
    pub problem: Option<String>,
}

/// More than one block of rows and of points, with padding in both.
const OBSERVATIONS: usize = 70;
const POINTS: usize = 90;
const DIM: usize = 3;

/// The largest errors allowed: of mean, deviation, index, gradient. The model's noise is 1e-2, so
/// that its condition number is below 7e3 and the norm of `L^-1` below 84. In double precision
/// `n eps` times the first is 1e-10. In single precision the epsilon times the second is 1e-5,
/// which a deviation of a tenth doubles and more, and the slopes' differences count the weights
/// once again: a wrong digit shows, rounding does not.
const ALLOWED: [(Precision, [f64; 4]); 2] =
    [(Precision::F32, [1e-4, 1e-4, 2e-4, 1e-3]), (Precision::F64, [1e-10, 1e-10, 1e-10, 1e-9])];

/// Compares a device with the host; never fails, but says what is wrong.
pub(super) fn run(device: &Device, precision: Precision) -> SelfTest {
    let mut test = SelfTest {
        precision: precision.name(),
        mean: 0.0,
        deviation: 0.0,
        index: 0.0,
        gradient: 0.0,
        problem: None,
    };
    test.problem = match compare(device, precision, &mut test) {
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
    // An error that is no number is wrong too.
    let wrong = errors
        .into_iter()
        .zip(allowed)
        .find(|((_, error), allowed)| error > allowed || error.is_nan());
    wrong.map(|((name, error), allowed)| {
        format!("{name} in {} off by {error:e}, allowed {allowed:e}", precision.name())
    })
}

fn compare(device: &Device, precision: Precision, test: &mut SelfTest) -> Result<(), Failure> {
    probe(device, precision)?;
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
    let job = Job {
        posterior: &posterior,
        cost: JobCost::Uniform(0.7),
        acquisition: &Acquisition::gittins(0.01),
        incumbent: 4.0,
        gradient: true,
        noise: 0.0,
        keep: None,
    };
    let (mut host, mut found) = (Scores::default(), Scores::default());
    Cpu.evaluate(&job, &points, &mut host)?;
    Engine::new(device.clone())?.evaluate_alone(&job, &points, precision, &mut found)?;
    let deviation = hyperparameters.outputscale.sqrt();
    #[cfg(test)]
    {
        found.mean[3] += deviation * super::fault::on_self_test(precision);
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

/// The greater of two, and NaN if one is: `f64::max` would hide it.
fn greater(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// Numbers, and whether they are finite. Only patterns that single precision keeps.
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

fn probe(device: &Device, precision: Precision) -> Result<(), Failure> {
    let pipeline = Pipeline::get(
        device,
        PipelineKey { stage: Stage::Probe, precision, constants: Vec::new() },
    )?;
    let numbers = NUMBERS.map(|(number, _)| number);
    let mut staging = Staging::default();
    let bytes = staging.fill(precision, numbers.into_iter());
    let size = (4 * NUMBERS.len()) as u64;
    let input = allocate(device, "numbers", bytes.len() as u64, STORAGE)?;
    let output = allocate(device, "flags", size, STORAGE)?;
    let readback = allocate(
        device,
        "readback",
        size,
        wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
    )?;
    let bindings =
        pipeline.bind(device, [(Binding::Numbers, &input), (Binding::Finite, &output)].into_iter());
    let (wgpu, queue) = device.wgpu();
    queue.write_buffer(&input, 0, bytes);
    let mut encoder =
        wgpu.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("probe") });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline.pipeline);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&output, 0, &readback, 0, size);
    queue.submit([encoder.finish()]);
    readback.slice(..).map_async(wgpu::MapMode::Read, |_| {});
    let refused = |message: String| Failure::Device(Fallback::SelfTest, message);
    wgpu.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| refused(error.to_string()))?;
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
