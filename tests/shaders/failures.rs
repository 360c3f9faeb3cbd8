//! Failures of a device with real causes. The same call returns the CPU's scores, bit for bit, and
//! the reason.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gittins::backend::gpu::{Device, Gpu};
use gittins::backend::{Choice, Fallback, Precision};
use gittins::math::Sobol;
use gittins::study::Search;
use gittins::{
    Acquisition, Backend, BackendOptions, Cost, Cpu, Job, JobCost, Joint, KernelFamily, Maximize,
    Outcome, Points, Pointwise, Posterior, Result, Scores, Space, Study,
};

use crate::properties::backend::Bowl;
use crate::support::comparer::{equal_bits, sentinels};
use crate::support::device::{TestDevice, engine, own};
use crate::support::smooth::models;
use crate::support::tolerance::FOUND_AGAIN;

static GITTINS: Acquisition = Acquisition::Pointwise(Pointwise::Gittins { lambda: 1e-3 });

fn job(posterior: &Posterior) -> Job<'_> {
    Job::new(posterior, JobCost::Known(&Bowl), &GITTINS, 0.8).gradient(true)
}

/// Fails unless the CPU answered for this reason (or the device answered, without a reason). The
/// CPU's answers must be its own scores.
#[track_caller]
fn assert_answered(backend: &dyn Backend, job: &Job<'_>, fallback: Option<Fallback>) {
    let points = Sobol::new(job.posterior.dim() * job.acquisition.points(), 3).points(0, 130);
    for keep in [None, Some(5)] {
        let job = job.keep(keep);
        let (mut got, mut expected) = (sentinels(), Scores::default());
        backend.evaluate(&job, &points, &mut got).unwrap();
        assert_eq!(got.provenance.fallback, fallback, "{:?}", got.provenance);
        if fallback.is_some() {
            Cpu.evaluate(&job, &points, &mut expected).unwrap();
            assert_eq!(
                (got.provenance.backend, got.provenance.precision, &got.provenance.adapter),
                ("cpu", "f64", &None)
            );
            assert!(equal_bits(&got, &expected), "keep {keep:?}");
        } else {
            assert_eq!(got.provenance.backend, "gpu");
        }
    }
}

#[test]
fn knowledge_gradients_are_the_hosts() {
    let Some(engine) = engine("knowledge_gradients_are_the_hosts") else { return };
    let (posterior, _) = models(KernelFamily::Matern52, 3, 20, 1e-2);
    let gpu = Gpu::new(engine.clone());
    let one_shot = Acquisition::knowledge_gradient(vec![-1.0, 0.0, 1.0], 0.5);
    let finite = Acquisition::Joint(Joint::FiniteKnowledgeGradient {
        among: Arc::new(Sobol::new(3, 1).points(0, 20)),
    });
    for acquisition in [&one_shot, &finite] {
        assert_answered(&gpu, &job(&posterior).acquisition(acquisition), Some(Fallback::HostOnly));
    }
    // The device still serves other jobs.
    assert_eq!(gpu.device().failure(), None);
    let wrong = gpu.evaluate(
        &job(&posterior).acquisition(&one_shot),
        &Sobol::new(3, 1).points(0, 4),
        &mut Scores::default(),
    );
    assert_eq!(wrong.unwrap_err().kind(), gittins::ErrorKind::Dimension);
}

#[test]
fn a_lost_device_is_not_asked_again() {
    let test = "a_lost_device_is_not_asked_again";
    let (posterior, log_cost) = models(KernelFamily::Matern52, 3, 70, 1e-2);
    // The device is lost before anything was sent, and after everything was sent.
    for used in [false, true] {
        let Some(own) = own(test, None) else { return };
        let TestDevice { device, queue, .. } = own;
        let gpu = Gpu::new(Device::from_wgpu(device.clone(), queue).unwrap());
        if used {
            assert_answered(&gpu, &job(&posterior), None);
        }
        device.destroy();
        assert_answered(&gpu, &job(&posterior), Some(Fallback::DeviceLost));
        assert_eq!(gpu.device().failure(), Some(Fallback::DeviceLost), "used before: {used}");
        let submissions = gpu.work().submissions;
        assert_answered(
            &gpu,
            &job(&posterior).cost(JobCost::Learned(&log_cost)),
            Some(Fallback::DeviceLost),
        );
        assert_eq!(gpu.work().submissions, submissions, "asked again");
        // Another backend on the same device also knows that it is lost.
        assert_answered(
            &Gpu::new(gpu.device().clone()),
            &job(&log_cost),
            Some(Fallback::DeviceLost),
        );
    }
}

/// A backend that loses its device before a call.
struct Breaking {
    gpu: Gpu,
    device: wgpu::Device,
    calls: AtomicUsize,
    breaks_at: usize,
}

impl Breaking {
    fn new(own: TestDevice, breaks_at: usize) -> Self {
        let TestDevice { device, queue, .. } = own;
        let gpu = Gpu::new(Device::from_wgpu(device.clone(), queue).unwrap());
        Self { gpu, device, calls: AtomicUsize::new(0), breaks_at }
    }
}

impl Backend for Breaking {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        if self.calls.fetch_add(1, Relaxed) == self.breaks_at {
            self.device.destroy();
        }
        self.gpu.evaluate(job, points, scores)
    }
}

#[test]
fn a_search_goes_on_without_its_device() {
    let test = "a_search_goes_on_without_its_device";
    let (posterior, _) = models(KernelFamily::Matern52, 3, 40, 1e-2);
    let maximize = Maximize::new(3).seed(4);
    let expected = maximize.run(&Cpu, &job(&posterior), &Points::new(3)).unwrap();
    for breaks_at in [0, 1, 3, 6] {
        let Some(own) = own(test, None) else { return };
        let backend = Breaking::new(own, breaks_at);
        let maximum = maximize.run(&backend, &job(&posterior), &Points::new(3)).unwrap();
        assert!(backend.calls.load(Relaxed) > breaks_at, "it ended before");
        assert_eq!(
            backend.gpu.device().failure(),
            Some(Fallback::DeviceLost),
            "at call {breaks_at}"
        );
        assert_eq!(
            (maximum.provenance.fallback, maximum.provenance.is_host_double()),
            (Some(Fallback::DeviceLost), true)
        );
        if breaks_at == 0 {
            assert_eq!(
                (&maximum.point, maximum.value),
                (&expected.point, expected.value),
                "all of it was the host's"
            );
        }
        let difference = expected.value - maximum.value;
        assert!(
            difference <= FOUND_AGAIN,
            "at call {breaks_at}: {difference} below what the CPU finds"
        );
    }
}

#[test]
fn a_study_goes_on_without_its_device() {
    let Some(own) = own("a_study_goes_on_without_its_device", None) else { return };
    let TestDevice { device, queue, .. } = own;
    let gpu = Arc::new(Gpu::new(Device::from_wgpu(device.clone(), queue).unwrap()));
    let space = Space::new().float("x", -1.0, 2.0).float("y", 0.0, 5.0);
    let builder = Study::minimize(space).cost(Cost::learned()).policy(Acquisition::gittins(1e-4));
    let mut study =
        builder.backend(gpu.clone()).initial(5).search(Search::new(64, 4)).seed(3).build().unwrap();
    let mut told = Vec::new();
    for trial in 0..18 {
        if trial == 11 {
            assert!(
                gpu.work().submissions > 0 && gpu.device().failure().is_none(),
                "the device was at work"
            );
            device.destroy();
        }
        let ask = study.ask().unwrap();
        let [x, y] = ask.numbers() else { panic!("two values") };
        let outcome = (x - 0.5).powi(2) + 0.2 * (y - 2.0).powi(2);
        told.push((ask.numbers().to_vec(), outcome));
        study.tell(ask.id(), Outcome::new(outcome).cost(2.0 + x)).unwrap();
    }
    assert_eq!(gpu.device().failure(), Some(Fallback::DeviceLost));
    let history: Vec<_> =
        study.history().iter().map(|trial| (trial.numbers(), trial.outcome.unwrap())).collect();
    assert_eq!(history, told);
    // The CPU alone finds the same bowl, in tests/loops.
    assert!(study.best().unwrap().outcome.unwrap() < 0.02);
}

#[test]
fn a_posterior_too_large_for_the_device_leaves_room_for_others() {
    // A shader sees at most this part of the factor's inverse. 1000 data in single precision need 2
    // MiB.
    let Some(own) =
        own("a_posterior_too_large_for_the_device_leaves_room_for_others", Some(1 << 20))
    else {
        return;
    };
    let gpu = Gpu::new(Device::from_wgpu(own.device, own.queue).unwrap());
    let (large, small) = (
        models(KernelFamily::Matern12, 3, 1000, 1e-2).0,
        models(KernelFamily::Matern52, 3, 40, 1e-2).0,
    );
    assert_answered(&gpu, &job(&small), None);
    assert_answered(&gpu, &job(&large), Some(Fallback::OutOfMemory));
    assert_answered(&gpu, &job(&small).cost(JobCost::Learned(&large)), Some(Fallback::OutOfMemory));
    assert_eq!(gpu.device().failure(), None);
    assert_answered(&gpu, &job(&small), None);
}

#[test]
fn numbers_beyond_single_precision() {
    let Some(engine) = engine("numbers_beyond_single_precision") else { return };
    let (posterior, _) = models(KernelFamily::Matern52, 3, 40, 1e-2);
    let far = job(&posterior)
        .acquisition(&Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 1e100 }));
    let single = Gpu::new(engine.clone()).precision(Precision::F32);
    assert_answered(&single, &job(&posterior), None);
    assert_answered(&single, &far, Some(Fallback::Overflow));
    assert_eq!(engine.failure(), None);
    assert_answered(&single, &job(&posterior), None);
    // Double precision takes over if the device has it.
    assert_answered(
        &Gpu::new(engine.clone()),
        &far,
        if engine.has_double() { None } else { Some(Fallback::Overflow) },
    );
}

#[test]
fn a_posterior_that_single_precision_is_not_fit_for() {
    let Some(engine) = engine("a_posterior_that_single_precision_is_not_fit_for") else { return };
    let single = Gpu::new(engine.clone()).precision(Precision::F32);
    let (near, _) = models(KernelFamily::Rbf, 1, 60, 1e-7);
    let (fit, _) = models(KernelFamily::Matern52, 3, 40, 1e-2);
    for _ in 0..2 {
        assert_answered(&single, &job(&near), Some(Fallback::Unfit));
        assert_answered(&single, &job(&fit), None);
    }
    // A posterior that grows from an unfit one is not fit either. This is known without another
    // inverse.
    let mut grown = near.clone();
    grown.append(&[0.321], 0.5).unwrap();
    assert_answered(&single, &job(&grown), Some(Fallback::Unfit));
    assert_eq!((engine.failure(), single.work().sent), (None, 1));
    assert_answered(
        &Gpu::new(engine.clone()),
        &job(&near),
        if engine.has_double() { None } else { Some(Fallback::Unfit) },
    );
}

#[test]
fn no_adapter_of_that_name() {
    let (posterior, _) = models(KernelFamily::Matern52, 2, 9, 1e-2);
    let options = BackendOptions {
        choice: Choice::Gpu,
        adapter: Some("no such adapter".to_string()),
        precision: None,
    };
    assert_answered(&*options.open(), &job(&posterior), Some(Fallback::NoAdapter));
    let error = Device::open(Some("no such adapter")).unwrap_err();
    assert_eq!(error.kind(), gittins::ErrorKind::Device);
    assert!(error.to_string().contains("'no such adapter'"), "{error}");
}

#[test]
fn a_job_at_fault_is_an_error_and_not_the_devices() {
    let Some(engine) = engine("a_job_at_fault_is_an_error_and_not_the_devices") else { return };
    let (posterior, _) = models(KernelFamily::Matern52, 2, 9, 1e-2);
    let gpu = Gpu::new(engine.clone());
    let mut points = Sobol::new(2, 1).points(0, 100);
    (points.row_mut(80)[0], points.row_mut(30)[0]) = (7.0, 5.0);
    for keep in [None, Some(3)] {
        let job = job(&posterior).keep(keep);
        let host = Cpu.evaluate(&job, &points, &mut Scores::default()).unwrap_err();
        let device = gpu.evaluate(&job, &points, &mut Scores::default()).unwrap_err();
        assert_eq!((device.kind(), device.to_string()), (host.kind(), host.to_string()));
    }
    assert_eq!(engine.failure(), None);
    assert_answered(&gpu, &job(&posterior), None);
}
