//! The device that an adapter gives, tested against the host.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::backend::gpu::hardware::adapter::{AdapterReport, found};
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::kernels::tiling::Tiling;
use crate::backend::gpu::timing::crossover::Crossover;
use crate::backend::gpu::timing::kept::Kept;
use crate::backend::gpu::timing::pass_times::PassTimes;
use crate::backend::gpu::timing::plain_product::PlainProduct;
use crate::backend::gpu::timing::self_test::{self, SelfTest};
use crate::backend::gpu::timing::tile_times::TileTimes;
use crate::backend::{Fallback, Job, Precision};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};

/// An open device, with the pipelines built on it so far. A clone is the same device; several
/// studies may share it.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    report: AdapterReport,
    double: bool,
    self_tests: Vec<SelfTest>,
    /// One for each precision that the adapter has.
    tile_times: Vec<TileTimes>,
    pipelines: Pipelines,
    /// Where crossovers are kept; none if they are not.
    kept: Option<Kept>,
    /// In each precision, once it was measured.
    crossovers: [OnceLock<Crossover>; 2],
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("report", &self.inner.report)
            .field("handle", self.handle())
            .finish_non_exhaustive()
    }
}

impl Device {
    /// Opens the best hardware adapter. With a `name` it opens the first adapter whose name
    /// contains it in any case, software too. Tests the device against the host.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if there is no such adapter, if it lacks what the shaders need, or if
    /// its answers are wrong.
    pub fn open(name: Option<&str>) -> Result<Self> {
        Self::try_open(name).map_err(|(_, error)| error)
    }

    /// [`open`](Self::open), with the reason to note if the host computes instead.
    pub(super) fn try_open(name: Option<&str>) -> Result<Self, (Fallback, Error)> {
        let unsuitable =
            |message: String| (Fallback::NoAdapter, Error::new(ErrorKind::Device, message));
        let wanted = |report: &AdapterReport| match name {
            Some(name) => report.name.to_lowercase().contains(&name.to_lowercase()),
            None => report.is_hardware(),
        };
        let found = found();
        let names: Vec<String> = found.iter().map(|(report, _)| report.name.clone()).collect();
        let Some((report, adapter)) = found.into_iter().find(|(report, _)| wanted(report)) else {
            let expected = name.map_or("a hardware adapter".to_string(), |name| {
                format!("an adapter named like '{name}'")
            });
            let got =
                if names.is_empty() { "no adapter at all".to_string() } else { names.join(", ") };
            return Err(unsuitable(format!("expected {expected}, found {got}")));
        };
        if !report.lacks.is_empty() {
            let lacks = report.lacks.join("; ");
            return Err(unsuitable(format!("adapter {} lacks {lacks}", report.name)));
        }
        let handle =
            Handle::open(&report, &adapter).map_err(|error| (Fallback::NoAdapter, error))?;
        let kept = Kept::of_user(&report);
        Self::tested(report, handle, kept)
    }

    /// The device of a program that uses wgpu itself. Shaders run in double precision if it was
    /// opened with [`SHADER_F64`](wgpu::Features::SHADER_F64). The larger its storage buffer
    /// bindings, the more observations it can hold.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if it lacks what the shaders need, or if its answers are wrong.
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        let report = AdapterReport::of(&device.adapter_info(), device.features(), &device.limits());
        if !report.lacks.is_empty() {
            return Err(Error::new(
                ErrorKind::Device,
                format!("the device on {} lacks {}", report.name, report.lacks.join("; ")),
            ));
        }
        let handle = Handle::of_program(&report, device, queue);
        // It may have lower limits than the adapter, or other work. So its times are its own.
        Self::tested(report, handle, None).map_err(|(_, error)| error)
    }

    /// Tests a device, after its tilings were chosen. Keeps its times if there is a place for them.
    pub(super) fn tested(
        report: AdapterReport,
        handle: Handle,
        kept: Option<Kept>,
    ) -> Result<Self, (Fallback, Error)> {
        let mut pipelines = Pipelines::new(handle);
        let (mut tile_times, mut self_tests) = (Vec::new(), Vec::new());
        for precision in [Precision::F32, Precision::F64] {
            if precision == Precision::F32 || report.double {
                let (times, test) = tiled(&report, &mut pipelines, precision, kept.as_ref());
                tile_times.push(times);
                self_tests.push(test);
            }
        }
        if let Some(problem) = &self_tests[0].problem {
            let message = format!("adapter {} fails its self-test: {problem}", report.name);
            return Err((Fallback::SelfTest, Error::new(ErrorKind::Device, message)));
        }
        let double = self_tests.get(1).is_some_and(|test| test.problem.is_none());
        if report.double && !double {
            // Single precision is right. What was built and noted in double precision goes.
            pipelines = pipelines.anew();
        }
        let crossovers = Default::default();
        let inner = Inner { report, double, self_tests, tile_times, pipelines, kept, crossovers };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What the adapter is.
    pub fn report(&self) -> &AdapterReport {
        &self.inner.report
    }

    /// Whether double precision is there and passed its self-test.
    pub fn has_double(&self) -> bool {
        self.inner.double
    }

    /// The self-tests at the start, one for each precision that the adapter has.
    #[doc(hidden)]
    pub fn self_tests(&self) -> &[SelfTest] {
        &self.inner.self_tests
    }

    /// What the tilings of products took at the start, for each precision that the adapter has.
    #[doc(hidden)]
    pub fn tile_times(&self) -> &[TileTimes] {
        &self.inner.tile_times
    }

    /// The same device, which makes products by a tiling in both precisions, quick or not, as far as
    /// it is within the limits, for any number of data.
    #[doc(hidden)]
    pub fn with_tiling(&self, tiling: Tiling) -> Self {
        let Inner { report, double, self_tests, tile_times, pipelines, kept, .. } = &*self.inner;
        let limits = pipelines.handle().device().limits();
        let pipelines = [Precision::F32, Precision::F64]
            .into_iter()
            .filter(|&precision| tiling.is_within(&limits, precision))
            .fold(pipelines.regardless_of_size(), |with, at| with.with_tiling(at, tiling));
        let inner = Inner {
            report: report.clone(),
            double: *double,
            self_tests: self_tests.clone(),
            tile_times: tile_times.clone(),
            pipelines,
            kept: kept.clone(),
            crossovers: Default::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The product of a square matrix of some rows and a matrix of some columns, by the tiling of
    /// the device.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device has no such precision, or not the memory.
    #[doc(hidden)]
    pub fn plain_product(
        &self,
        precision: Precision,
        rows: usize,
        columns: usize,
    ) -> Result<PlainProduct> {
        self.check(precision)?;
        let tiling = self.pipelines().tiling(precision);
        PlainProduct::new(self.pipelines(), precision, tiling, [rows, columns])
            .map_err(|failure| failure.into_error().at(&self.inner.report.name))
    }

    /// What the passes of the device and the steps of the host take of the scores of a job.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device fails, or has no such precision. Those of a job.
    #[doc(hidden)]
    pub fn pass_times(
        &self,
        job: &Job<'_>,
        points: &Points,
        precision: Precision,
    ) -> Result<PassTimes> {
        self.check(precision)?;
        job.validate()?;
        job.check(points)?;
        PassTimes::measure(self.pipelines(), job, points, precision)
            .map_err(|failure| failure.into_error().at(&self.inner.report.name))
    }

    /// The batch from which on the device is quicker than the CPU. The first call measures it,
    /// unless an earlier process has kept it.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the device fails while it is measured, or has no such precision.
    #[doc(hidden)]
    pub fn measured_crossover(&self, precision: Precision) -> Result<&Crossover> {
        self.check(precision)?;
        self.crossover(precision)
            .map_err(|failure| failure.into_error().at(&self.inner.report.name))
    }

    /// Checks that the device has a precision.
    fn check(&self, precision: Precision) -> Result<()> {
        if precision == Precision::F64 && !self.inner.double {
            let name = &self.inner.report.name;
            return Err(Error::new(ErrorKind::Device, format!("{name} has no double precision")));
        }
        Ok(())
    }

    /// The crossover, if it was measured or read before.
    pub(super) fn known_crossover(&self, precision: Precision) -> Option<&Crossover> {
        self.inner.crossovers[precision as usize].get()
    }

    pub(super) fn crossover(&self, precision: Precision) -> Result<&Crossover, Failure> {
        if let Some(crossover) = self.known_crossover(precision) {
            return Ok(crossover);
        }
        let Inner { pipelines, kept, crossovers, .. } = &*self.inner;
        let measured = Crossover::of(pipelines, precision, kept.as_ref())?;
        Ok(crossovers[precision as usize].get_or_init(|| measured))
    }

    /// Why the device is no longer used; none if it is used.
    pub fn failure(&self) -> Option<Fallback> {
        self.handle().failure()
    }

    pub(super) fn pipelines(&self) -> &Pipelines {
        &self.inner.pipelines
    }

    pub(super) fn handle(&self) -> &Handle {
        self.inner.pipelines.handle()
    }
}

/// Chooses the tiling of a precision, and tests the device with it. If it gives wrong numbers, the
/// default one takes its place.
fn tiled(
    report: &AdapterReport,
    pipelines: &mut Pipelines,
    precision: Precision,
    kept: Option<&Kept>,
) -> (TileTimes, SelfTest) {
    let mut times = TileTimes::of(report, pipelines, precision, kept);
    *pipelines = pipelines.with_tiling(precision, times.chosen);
    let mut test = self_test::run(pipelines, precision);
    if let (Some(problem), true) = (&test.problem, times.chosen != Tiling::DEFAULT) {
        log::info!("adapter {}: {} tiles give way: {problem}", report.name, times.chosen);
        times.refuse(report, kept);
        *pipelines = pipelines.with_tiling(precision, times.chosen);
        test = self_test::run(pipelines, precision);
    }
    (times, test)
}
