//! A device that a thread of its own opens, tests and measures, while the CPU evaluates.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::device::Device;
use super::gpu::{Gpu, settle};
use crate::acquisition::Acquisition;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::PATIENCE;
use crate::backend::gpu::pass::shared_engine::lock;
use crate::backend::gpu::timing::activity::OpeningThread;
use crate::backend::{BackendOptions, Fallback, Job, JobCost, Precision, Scores};
use crate::error::Result;
use crate::math::sobol::Sobol;
use crate::model::{Hyperparameters, KernelFamily};
use crate::posterior::Posterior;

/// The devices of the process by the names in the requests, or why there is none.
static SHARED: Mutex<Vec<Shared>> = Mutex::new(Vec::new());

type Shared = (Option<String>, Result<Device, Fallback>);

/// Held by the thread that opens a device, so that no other one disturbs its times. Only threads of
/// [`Opening`] ask for it. No task of a pool waits for it.
static TURN: Mutex<()> = Mutex::new(());

/// The device of a name if it was opened before, or why there is none.
fn known(name: Option<&str>) -> Option<Result<Device, Fallback>> {
    let shared = lock(&SHARED);
    shared.iter().find(|(known, _)| known.as_deref() == name).map(|(_, device)| device.clone())
}

/// The device of a name. Opens it at the first request.
fn shared(name: Option<&str>) -> Result<Device, Fallback> {
    if let Some(device) = known(name) {
        return device;
    }
    // The self-test uses all threads, so no lock is held. If two threads open at a time, the first
    // device stays.
    let device = Device::try_open(name).map_err(|(fallback, error)| {
        log::info!("no device: {error}");
        fallback
    });
    known(name).unwrap_or_else(|| {
        lock(&SHARED).push((name.map(str::to_string), device.clone()));
        device
    })
}

/// The device of a request. Opens it now if the process has not opened it.
pub fn open_now(options: &BackendOptions) -> Result<Gpu, Fallback> {
    Ok(on(shared(options.adapter.as_deref())?, options))
}

/// The backend of a request on a device.
fn on(device: Device, options: &BackendOptions) -> Gpu {
    match options.precision {
        Some(precision) => Gpu::new(device).precision(precision),
        None => Gpu::new(device),
    }
}

/// The device of a request if it was opened and measured before, or why there is none.
fn ready(options: &BackendOptions) -> Option<Result<Gpu, Fallback>> {
    let gpu = match known(options.adapter.as_deref())? {
        Ok(device) => on(device, options),
        Err(fallback) => return Some(Err(fallback)),
    };
    let is_measured = |&precision| gpu.device().known_crossover(precision).is_some();
    let is_ready = gpu.device().failure().is_some() || gpu.precisions().iter().all(is_measured);
    is_ready.then_some(Ok(gpu))
}

/// A device that is opened when it is first asked for, or why there is none.
#[derive(Default)]
pub struct Opening {
    gpu: Arc<OnceLock<Result<Gpu, Fallback>>>,
    is_asked: AtomicBool,
    is_abandoned: Arc<AtomicBool>,
    thread: OnceLock<JoinHandle<()>>,
}

impl Opening {
    /// The device, once it is open, tested and measured. Empty before.
    pub fn get(&self) -> Option<&Result<Gpu, Fallback>> {
        self.gpu.get()
    }

    /// Starts the thread, unless it was started before or the device is there already.
    pub fn ask(&self, options: &BackendOptions, job: &Job<'_>) {
        if self.is_asked.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(gpu) = ready(options) {
            let _ = self.gpu.set(gpu);
            return;
        }
        let (gpu, is_abandoned) = (self.gpu.clone(), self.is_abandoned.clone());
        let options = options.clone();
        let first = FirstJob::of(job);
        let counted = OpeningThread::begin();
        let work = move || {
            let _counted = counted;
            let made = caught(|| open_in_turn(&options, first, &is_abandoned));
            if let Some(made) = made {
                let _ = gpu.set(made);
            }
        };
        match thread::Builder::new().name("gittins-device".to_string()).spawn(work) {
            Ok(thread) => {
                let _ = self.thread.set(thread);
            }
            Err(error) => {
                log::info!("no device: {error}");
                let _ = self.gpu.set(Err(Fallback::NoAdapter));
            }
        }
    }
}

/// Waits for the thread, which ends as soon as it can. A driver that is still at work when the
/// process ends may crash it.
impl Drop for Opening {
    fn drop(&mut self) {
        self.is_abandoned.store(true, Ordering::SeqCst);
        let Some(thread) = self.thread.take() else { return };
        // The thread may need this one of the pool.
        let deadline = Instant::now() + PATIENCE;
        while rayon::current_thread_index().is_none()
            && !thread.is_finished()
            && Instant::now() < deadline
        {
            thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            // It has caught its panics.
            let _ = thread.join();
        }
    }
}

/// What `open` returns. A panic of a driver or of its bindings is a device that cannot be used.
fn caught(open: impl FnOnce() -> Option<Result<Gpu, Fallback>>) -> Option<Result<Gpu, Fallback>> {
    // Nothing that was left halfway is used afterwards.
    catch_unwind(AssertUnwindSafe(open)).unwrap_or_else(|_| {
        log::warn!("opening a device panicked; the CPU goes on");
        Some(Err(Fallback::Validation))
    })
}

/// Opens the device of a request and measures it in all precisions that it will be asked for.
/// Compiles what the first job needs. `None` if nobody waits for it any more.
fn open_in_turn(
    options: &BackendOptions,
    first: Option<FirstJob>,
    is_abandoned: &AtomicBool,
) -> Option<Result<Gpu, Fallback>> {
    let _turn = lock(&TURN);
    let goes_on = || !is_abandoned.load(Ordering::SeqCst);
    if !goes_on() {
        return None;
    }
    let gpu = match open_now(options) {
        Ok(gpu) => gpu,
        Err(fallback) => return Some(Err(fallback)),
    };
    let device = gpu.device();
    let mut failures = Vec::new();
    for &precision in gpu.precisions() {
        if !goes_on() {
            return None;
        }
        if let Err(failure) = device.crossover(precision) {
            failures.push(settle(Some(device), failure).unwrap_or(Fallback::Validation));
        }
    }
    let Some(&main) = gpu.precisions().first() else { return Some(Ok(gpu)) };
    if let (None, Some(fallback)) = (device.known_crossover(main), failures.first()) {
        return Some(Err(*fallback));
    }
    if let Some(first) = first.filter(|_| goes_on())
        && let Err(failure) = first.rehearse(&gpu, main)
    {
        // What the job meets as well is reported there.
        log::debug!("a first job: {}", failure.into_error());
    }
    goes_on().then_some(Ok(gpu))
}

/// What shaders depend on in a job that waits for a device.
struct FirstJob {
    family: KernelFamily,
    acquisition: Acquisition,
    is_cost_learned: bool,
}

impl FirstJob {
    /// That of a job with a pointwise acquisition.
    fn of(job: &Job<'_>) -> Option<Self> {
        let is_cost_learned = matches!(job.cost, JobCost::Learned(_));
        let acquisition = Acquisition::Pointwise(job.acquisition.pointwise()?.clone());
        Some(Self { family: job.posterior.family, acquisition, is_cost_learned })
    }

    /// Evaluates a tiny job of the kind, with gradients and without, so that its pipelines are
    /// there when the next batch comes.
    fn rehearse(&self, gpu: &Gpu, precision: Precision) -> Result<(), Failure> {
        let sobol = Sobol::new(2, 0);
        let hyperparameters =
            Hyperparameters { lengthscales: vec![1.0; 2], outputscale: 1.0, noise: 0.1, mean: 0.0 };
        let inputs = sobol.points(0, 3);
        let posterior = Posterior::new(self.family, &hyperparameters, &inputs, &[0.0, 0.5, 1.0])?;
        let cost =
            if self.is_cost_learned { JobCost::Learned(&posterior) } else { JobCost::Uniform(1.0) };
        // First the values of all, then the gradients of those that are kept.
        let job = Job::new(&posterior, cost, &self.acquisition, 1.0).gradient(true).keep(Some(1));
        // Not the backend of the search: its posteriors would make room for this one.
        let other = Gpu::new(gpu.device().clone());
        other.on_device(&job, &sobol.points(3, 2), precision, &mut Scores::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::gpu::{auto, faults};
    use crate::backend::{Backend, Cpu};
    use crate::data::Points;

    fn options(adapter: &str) -> BackendOptions {
        BackendOptions { adapter: Some(adapter.to_string()), ..BackendOptions::default() }
    }

    #[track_caller]
    fn wait(opening: &Opening) -> &Result<Gpu, Fallback> {
        let deadline = Instant::now() + Duration::from_secs(300);
        while opening.get().is_none() {
            assert!(Instant::now() < deadline, "the device is not ready");
            thread::sleep(Duration::from_millis(5));
        }
        opening.get().unwrap()
    }

    /// The scores of `auto`, and those of the CPU.
    fn scores(auto: &dyn Backend, job: &Job<'_>, points: &Points) -> [Scores; 2] {
        let (mut got, mut expected) = (Scores::default(), Scores::default());
        auto.evaluate(job, points, &mut got).unwrap();
        Cpu.evaluate(job, points, &mut expected).unwrap();
        [got, expected]
    }

    #[test]
    fn the_cpu_evaluates_until_a_device_is_ready() {
        let test = "the_cpu_evaluates_until_a_device_is_ready";
        let Some(device) = faults::open(test) else { return };
        let name = device.report().name.to_uppercase();
        let posterior = faults::posterior(70);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.5).gradient(true);
        let large = Sobol::new(3, 8).points(0, 1 << 16);
        let first = auto(&options(&name));
        let [got, expected] = scores(&*first, &job, &large);
        assert_eq!((got.provenance.backend, got.provenance.fallback), ("cpu", None));
        assert_eq!((&got.value, &got.gradient), (&expected.value, &expected.gradient));
        // Another request for the device waits for its turn, and then finds it measured.
        let second = Opening::default();
        second.ask(&options(&name), &job);
        let gpu = wait(&second).as_ref().unwrap();
        for &precision in gpu.precisions() {
            assert!(gpu.device().known_crossover(precision).is_some(), "{precision}");
        }
        assert_eq!((gpu.device().failure(), gpu.work().submissions), (None, 0));
        // From now on nobody waits.
        let third = Opening::default();
        third.ask(&options(&name), &job);
        assert!(third.get().is_some_and(Result::is_ok));
        let [got, _] = scores(&*first, &job, &large);
        assert_eq!(got.provenance.fallback, None);
        // A thread whose device nobody wants any more does not outlive the request.
        let abandoned = Opening::default();
        abandoned.ask(&options(&name.to_lowercase()), &job);
        let slot = abandoned.gpu.clone();
        drop(abandoned);
        assert!(slot.get().is_none());
        assert_eq!(Arc::strong_count(&slot), 1);
    }

    #[test]
    fn without_an_adapter_there_is_no_device_and_no_failure() {
        let posterior = faults::posterior(5);
        let acquisition = Acquisition::gittins(1e-3);
        let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 0.5);
        let opening = Opening::default();
        opening.ask(&options("no adapter has this name"), &job);
        assert_eq!(wait(&opening).as_ref().err(), Some(&Fallback::NoAdapter));
    }

    #[test]
    fn a_panic_of_a_driver_is_no_device() {
        let found = caught(|| panic!("a planted panic"));
        assert_eq!(found.unwrap().err(), Some(Fallback::Validation));
        assert!(caught(|| None).is_none());
    }
}
