//! What planted faults do to a backend and to a device that is opened.

use std::io::Write;
use std::sync::{Mutex, OnceLock};

use super::device::Device;
use super::fault::{Fault, plant, planted};
use super::gpu::Gpu;
use crate::acquisition::{Acquisition, Pointwise};
use crate::backend::gpu::hardware::adapter::found;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::kernels::tiling::Tiling;
use crate::backend::gpu::pass::shared_engine::lock;
use crate::backend::gpu::timing::kept::Kept;
use crate::backend::gpu::timing::tile_times::TileTimes;
use crate::backend::{Backend, Cpu, Fallback, Job, JobCost, Precision, Scores};
use crate::math::sobol::Sobol;
use crate::model::{Hyperparameters, KernelFamily};
use crate::posterior::Posterior;

/// Says what is skipped, directly to the terminal: the test runner shows the output of a test only
/// if it fails.
fn skipped(what: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}

/// A device of its own for a test; none if the test is to be skipped. `GITTINS_GPU_TESTS` and
/// `GITTINS_ADAPTER` mean what they mean to the tests outside.
pub(super) fn open(test: &str) -> Option<Device> {
    static FOUND: OnceLock<Result<String, String>> = OnceLock::new();
    let wish = std::env::var("GITTINS_GPU_TESTS").unwrap_or_default();
    let part = std::env::var("GITTINS_ADAPTER").unwrap_or_default();
    let found = FOUND.get_or_init(|| match wish.as_str() {
        "off" => Err("GITTINS_GPU_TESTS is off".to_string()),
        _ => Device::open(Some(&part))
            .map(|device| device.report().name.clone())
            .map_err(|error| error.to_string()),
    });
    match found {
        Ok(name) => {
            Some(Device::open(Some(name)).unwrap_or_else(|error| panic!("{test}: {error}")))
        }
        Err(reason) if wish == "required" => {
            panic!("{test}: {reason}, and GITTINS_GPU_TESTS requires one")
        }
        Err(reason) => {
            skipped(format_args!("{test}: {reason}"));
            None
        }
    }
}

/// Held by tests with a wrong self-test: it changes what the process keeps of the tilings.
static KEPT: Mutex<()> = Mutex::new(());

pub(super) fn posterior(n: usize) -> Posterior {
    let inputs = Sobol::new(3, 5).points(0, n);
    let outcomes: Vec<f64> = inputs.rows().map(|x| (4.0 * x[0]).sin() + x[1] - x[2]).collect();
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.5; 3], outputscale: 1.0, noise: 1e-2, mean: 0.0 };
    Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes).unwrap()
}

static GITTINS: Acquisition = Acquisition::Pointwise(Pointwise::Gittins { lambda: 1e-3 });

/// Evaluates. Without a fallback the device must answer; with one the CPU must, for that reason and
/// with its own numbers.
#[track_caller]
fn assert_answered(
    gpu: &Gpu,
    posterior: &Posterior,
    keep: Option<usize>,
    fallback: Option<Fallback>,
) {
    let job = Job::new(posterior, JobCost::Uniform(1.0), &GITTINS, 0.5).gradient(true).keep(keep);
    let points = Sobol::new(3, 8).points(0, 200);
    let (mut got, mut expected) = (Scores::default(), Scores::default());
    gpu.evaluate(&job, &points, &mut got).unwrap();
    Cpu.evaluate(&job, &points, &mut expected).unwrap();
    assert_eq!(
        (got.provenance.backend, got.provenance.fallback),
        (if fallback.is_some() { "cpu" } else { "gpu" }, fallback)
    );
    if fallback.is_some() {
        assert_eq!(
            (&got.value, &got.gradient, &got.rows),
            (&expected.value, &expected.gradient, &expected.rows)
        );
        assert_eq!(
            (&got.mean, &got.variance, got.floored),
            (&expected.mean, &expected.variance, expected.floored)
        );
    }
}

#[test]
fn the_host_finishes_what_the_device_does_not() {
    let cases = [
        (Fault::TooLarge, Fallback::OutOfMemory),
        (Fault::Refused, Fallback::Validation),
        (Fault::Lost, Fallback::DeviceLost),
    ];
    for (fault, fallback) in cases {
        for (keep, used) in [(None, false), (None, true), (Some(4), true)] {
            let Some(device) = open("the_host_finishes_what_the_device_does_not") else { return };
            let gpu = Gpu::new(device);
            let posterior = posterior(70);
            if used {
                assert_answered(&gpu, &posterior, keep, None);
            }
            plant(fault);
            assert_answered(&gpu, &posterior, keep, Some(fallback));
            assert_eq!(planted(), None, "the fault did not come about");
            assert_eq!(gpu.device().failure(), Some(fallback));
            let submissions = gpu.work().submissions;
            // The device is given up for good, also by others who share it.
            assert_answered(&gpu, &posterior, keep, Some(fallback));
            assert_answered(&Gpu::new(gpu.device().clone()), &posterior, keep, Some(fallback));
            assert_eq!(gpu.work().submissions, submissions, "{fault:?}: it was asked again");
        }
    }
}

#[test]
fn a_device_that_is_wrong_in_single_precision_is_not_opened() {
    let _kept = lock(&KEPT);
    let Some(right) = open("a_device_that_is_wrong_in_single_precision_is_not_opened") else {
        return;
    };
    let name = right.report().name.clone();
    for wrong in [1e-3, f64::NAN] {
        plant(Fault::Wrong(Precision::F32, wrong));
        let error = Device::open(Some(&name)).unwrap_err();
        assert!(planted().is_some());
        assert!(error.to_string().contains("fails its self-test: mean in f32"), "{error}");
    }
}

#[test]
fn a_device_that_is_wrong_in_double_precision_has_none() {
    let _kept = lock(&KEPT);
    let Some(right) = open("a_device_that_is_wrong_in_double_precision_has_none") else { return };
    if !right.has_double() {
        skipped(format_args!(
            "a_device_that_is_wrong_in_double_precision_has_none: {} has none",
            right.report().name
        ));
        return;
    }
    plant(Fault::Wrong(Precision::F64, 1e-8));
    let device = Device::open(Some(&right.report().name)).unwrap();
    assert!(planted().is_some());
    assert!(!device.has_double() && device.self_tests()[0].problem.is_none());
    assert!(
        device.self_tests()[1].problem.as_ref().unwrap().starts_with("mean in f64"),
        "{:?}",
        device.self_tests()
    );
    assert_eq!(device.failure(), None);
    assert_answered(&Gpu::new(device.clone()), &posterior(70), None, None);
    // Nothing is fit for double precision only: asked for it, the host computes.
    assert_answered(
        &Gpu::new(device.clone()).precision(Precision::F64),
        &posterior(70),
        None,
        Some(Fallback::Unfit),
    );
    assert!(device.measured_crossover(Precision::F64).is_err());
}

#[test]
fn a_tiling_that_gives_wrong_numbers_gives_way_to_the_default_one() {
    let _kept = lock(&KEPT);
    let test = "a_tiling_that_gives_wrong_numbers_gives_way_to_the_default_one";
    let Some(right) = open(test) else { return };
    let name = right.report().name.clone();
    let limits = right.handle().device().limits();
    let both = |it: &Tiling| {
        [Precision::F32, Precision::F64].iter().all(|&precision| it.is_within(&limits, precision))
    };
    for tiling in Tiling::ALL.into_iter().filter(both) {
        for times in right.tile_times() {
            // As if it had been the quickest one.
            TileTimes { chosen: tiling, ..times.clone() }.keep(right.report());
        }
        let device = Device::open(Some(&name)).unwrap();
        assert!(device.tile_times().iter().all(|times| times.chosen == tiling));
        plant(Fault::WrongTile(tiling, 1e-3));
        let opened = Device::open(Some(&name));
        assert!(planted().is_some());
        if tiling == Tiling::DEFAULT {
            assert!(opened.is_err(), "nothing is left to give way to");
            continue;
        }
        let device = opened.unwrap();
        assert_eq!(device.has_double(), right.has_double());
        for times in device.tile_times() {
            assert_eq!(times.chosen, Tiling::DEFAULT);
            assert!(times.seconds.contains(&(tiling, None)), "{times}");
        }
        assert_answered(&Gpu::new(device), &posterior(70), None, None);
        // The process does not forget it.
        let again = Device::open(Some(&name)).unwrap();
        assert!(again.tile_times().iter().all(|times| times.chosen == Tiling::DEFAULT));
    }
}

#[test]
fn tilings_are_compared_by_a_small_product_if_a_device_binds_little() {
    let test = "tilings_are_compared_by_a_small_product_if_a_device_binds_little";
    let Some(right) = open(test) else { return };
    let (report, adapter) = found()
        .into_iter()
        .find(|(report, _)| report.name == right.report().name)
        .expect("the adapter that was opened before");
    // Room for 64 x 64 numbers, and not for 256 x 256.
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 1 << 17, ..adapter.limits() };
    let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let pipelines = Pipelines::new(Handle::of_program(&report, device, queue));
    let times = TileTimes::measure(&pipelines, Precision::F32);
    assert_eq!(times.operations, 2.0 * 64.0 * 64.0 * 64.0);
    assert!(times.seconds[0].1.is_some_and(|seconds| seconds > 0.0), "{times}");
    assert_eq!(pipelines.handle().failure(), None);
}

#[test]
fn a_device_takes_the_crossover_that_an_earlier_one_has_kept() {
    // Another tiling is another measurement.
    let _kept = lock(&KEPT);
    let Some(right) = open("a_device_takes_the_crossover_that_an_earlier_one_has_kept") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let opened = || {
        let (report, adapter) = found()
            .into_iter()
            .find(|(report, _)| report.name == right.report().name)
            .expect("the adapter that was opened before");
        let kept = Kept::in_folder(folder.path().to_path_buf(), &report);
        let handle = Handle::open(&report, &adapter).unwrap();
        Device::tested(report, handle, Some(kept)).unwrap()
    };
    let measured = opened().measured_crossover(Precision::F32).unwrap().clone();
    let again = opened();
    assert_eq!(again.measured_crossover(Precision::F32).unwrap(), &measured);
    let count = || std::fs::read_dir(folder.path()).unwrap().count();
    let before = count();
    let other = Tiling::ALL.into_iter().find(|it| *it != again.pipelines().tiling(Precision::F32));
    again.with_tiling(other.unwrap()).measured_crossover(Precision::F32).unwrap();
    assert_eq!(count(), before + 1);
}
