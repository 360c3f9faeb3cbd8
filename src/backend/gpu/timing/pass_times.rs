//! Where the time of a batch goes: each pass of the device, and the steps of the host beside it.

use std::fmt;
use std::time::Instant;

use crate::acquisition::Shader;
use crate::backend::gpu::chunk::stopwatch::HostStep;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::pass::engine::Engine;
use crate::backend::gpu::pass::scores::evaluate_alone;
use crate::backend::{Fallback, Job, Precision, Scores};
use crate::data::Points;

/// Repetitions; the quickest counts.
const REPETITIONS: usize = 5;

/// What the steps of a batch take, over all its chunks. The posterior is on the device already.
///
/// The host prepares a chunk and reads another while the device computes, so that both sides add up
/// to more than the batch takes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PassTimes {
    /// The device's precision.
    pub precision: Precision,
    /// Points of the batch.
    pub points: usize,
    /// The pieces that it was cut into.
    pub chunks: usize,
    /// Seconds of the batch if nothing in it is timed.
    pub seconds: f64,
    /// Seconds of the batch while its steps are timed.
    pub timed_seconds: f64,
    /// The steps of the host in order, with their seconds.
    pub host: Vec<(&'static str, f64)>,
    /// The passes of the device in order, with its own seconds; `None` if it has no timestamps.
    pub device: Option<Vec<(&'static str, f64)>>,
}

impl PassTimes {
    /// Measures the scores of a job: those that a shader makes, with gradients if they are wanted.
    pub(in crate::backend::gpu) fn measure(
        pipelines: &Pipelines,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
    ) -> Result<Self, Failure> {
        if matches!(job.acquisition.shader(), Shader::None | Shader::Branches) {
            let name = job.acquisition.name().to_string();
            return Err(Failure::Posterior(Fallback::HostOnly, name));
        }
        let mut engine = Engine::new(pipelines.clone())?;
        let mut scores = Scores::default();
        let mut run = |engine: &mut Engine| -> Result<f64, Failure> {
            let started = Instant::now();
            evaluate_alone(engine, job, points, precision, &mut scores)?;
            Ok(started.elapsed().as_secs_f64())
        };
        // The first call builds pipelines and sends. The second one knows the speed of the device.
        run(&mut engine)?;
        run(&mut engine)?;
        let mut seconds = f64::INFINITY;
        for _ in 0..REPETITIONS {
            seconds = seconds.min(run(&mut engine)?);
        }
        let before = engine.chunks();
        let (mut timed_seconds, watch) = engine.watched(&mut run)?;
        let chunks = engine.chunks() - before;
        let mut quickest = watch;
        for _ in 1..REPETITIONS {
            let (took, watch) = engine.watched(&mut run)?;
            if took < timed_seconds {
                timed_seconds = took;
                quickest = watch;
            }
        }
        let host = HostStep::ALL.map(|step| (step.name(), quickest.host_seconds(step))).to_vec();
        let device = quickest.device_seconds()?.map(|steps| {
            steps.into_iter().map(|(stage, seconds)| (stage.path(), seconds)).collect()
        });
        let points = points.len();
        Ok(Self { precision, points, chunks, seconds, timed_seconds, host, device })
    }
}

impl fmt::Display for PassTimes {
    /// A line for each step, in milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { precision, points, chunks, seconds, timed_seconds, .. } = self;
        writeln!(
            f,
            "{points} points in {precision}, chunks: {chunks}; {:.3} ms, and {:.3} ms while timed",
            1e3 * seconds,
            1e3 * timed_seconds
        )?;
        let mut line = |side: &str, step: &str, seconds: f64| {
            writeln!(f, "  {side:<6} {step:<32} {:>10.3} ms", 1e3 * seconds)
        };
        for (step, seconds) in &self.host {
            line("host", step, *seconds)?;
        }
        let Some(device) = &self.device else {
            return writeln!(f, "  the device has no timestamps: its passes are not told apart");
        };
        for (pass, seconds) in device {
            line("device", pass, *seconds)?;
        }
        line("device", "all passes", device.iter().map(|(_, seconds)| seconds).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::Acquisition;
    use crate::backend::JobCost;
    use crate::backend::gpu::device::Device;
    use crate::backend::gpu::faults;
    use crate::backend::gpu::hardware::adapter::found;
    use crate::backend::gpu::hardware::handle::Handle;
    use crate::math::sobol::Sobol;

    const PASSES: [&str; 6] = [
        "posterior/points_sent",
        "posterior/kernel_tile",
        "posterior/triangular_product",
        "acquisition/score",
        "posterior/triangular_product",
        "posterior/gradient",
    ];

    fn precisions(device: &Device) -> &'static [Precision] {
        if device.has_double() { &[Precision::F32, Precision::F64] } else { &[Precision::F32] }
    }

    #[test]
    fn each_pass_and_each_step_of_the_host_is_timed() {
        let test = "each_pass_and_each_step_of_the_host_is_timed";
        let Some(device) = faults::open(test) else { return };
        let has_timestamps =
            device.handle().device().features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let posterior = faults::posterior(70);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.5);
        let points = Sobol::new(3, 8).points(0, 200);
        for &precision in precisions(&device) {
            for (gradient, passes) in [(true, &PASSES[..]), (false, &PASSES[..4])] {
                let times = device.pass_times(&job.gradient(gradient), &points, precision).unwrap();
                assert_eq!((times.points, times.chunks), (200, 1));
                let names: Vec<&str> = times.host.iter().map(|(name, _)| *name).collect();
                assert_eq!(names, HostStep::ALL.map(HostStep::name));
                let host: f64 = times.host.iter().map(|(_, seconds)| seconds).sum();
                assert!(times.host.iter().all(|(_, seconds)| *seconds > 0.0), "{times}");
                assert!(host <= times.timed_seconds && times.seconds > 0.0, "{times}");
                assert_eq!(times.device.is_some(), has_timestamps);
                let Some(device) = &times.device else { continue };
                let names: Vec<&str> = device.iter().map(|(name, _)| *name).collect();
                assert_eq!(names, passes);
                assert!(device.iter().any(|(_, seconds)| *seconds > 0.0), "{times}");
                assert!(times.to_string().contains("all passes"));
            }
        }
    }

    #[test]
    fn the_scores_are_the_same_if_passes_are_timed() {
        let Some(device) = faults::open("the_scores_are_the_same_if_passes_are_timed") else {
            return;
        };
        let posterior = faults::posterior(70);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.5).gradient(true);
        let points = Sobol::new(3, 8).points(0, 200);
        let mut engine = Engine::new(device.pipelines().clone()).unwrap();
        let run = |engine: &mut Engine| {
            let mut scores = Scores::default();
            evaluate_alone(engine, &job, &points, Precision::F32, &mut scores)?;
            Ok((scores.value, scores.gradient))
        };
        let untimed = run(&mut engine).unwrap();
        assert_eq!(engine.watched(run).unwrap().0, untimed);
        assert_eq!(run(&mut engine).unwrap(), untimed);
    }

    #[test]
    fn without_timestamps_only_the_host_is_timed() {
        let Some(right) = faults::open("without_timestamps_only_the_host_is_timed") else { return };
        let (report, adapter) = found()
            .into_iter()
            .find(|(report, _)| report.name == right.report().name)
            .expect("the adapter that was opened before");
        let limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
        let pipelines = Pipelines::new(Handle::of_program(&report, device, queue));
        let posterior = faults::posterior(70);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.5);
        let points = Sobol::new(3, 8).points(0, 200);
        let times = PassTimes::measure(&pipelines, &job, &points, Precision::F32).unwrap();
        assert_eq!(times.device, None);
        assert!(times.to_string().contains("has no timestamps"));
        // What the host alone evaluates has no passes.
        let acquisition = Acquisition::knowledge_gradient(vec![0.5], 0.0);
        let job = job.acquisition(&acquisition);
        assert!(PassTimes::measure(&pipelines, &job, &points, Precision::F32).is_err());
    }
}
