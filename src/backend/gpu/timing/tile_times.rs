//! Which tiling is quickest on a device, timed once for each adapter.

use std::fmt;
use std::sync::Mutex;
use std::time::Instant;

use super::kept::{Kept, seconds};
use super::plain_product::PlainProduct;
use crate::backend::Precision;
use crate::backend::gpu::hardware::adapter::AdapterReport;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::kernels::tiling::Tiling;
use crate::backend::gpu::pass::shared_engine::lock;

/// Rows and columns of the products that may be timed, each some ten times the work of the one
/// before. The first is hardly more than the latency of a submission.
const SIZES: [[usize; 2]; 4] = [[64, 64], [256, 256], [512, 1024], [1024, 2048]];

/// A product is large enough if it takes this many times as long as the first.
const PAST_LATENCY: f64 = 4.0;

/// Repetitions; the quickest counts. Those of a slow adapter end after [`ENOUGH`] seconds.
const REPETITIONS: usize = 4;
const ENOUGH: f64 = 2e-3;

/// After this many seconds, compiling included, no other tiling is tried.
const LONGEST: f64 = 0.3;

/// A tiling takes the place of the default one if it takes at most this share of its time. Less may
/// be chance.
const QUICKER: f64 = 0.95;

/// What the tilings of a product took on a device, and which one it uses.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TileTimes {
    /// The precision.
    pub precision: Precision,
    /// Multiplications and additions of the product.
    pub operations: f64,
    /// Seconds by tiling; `None` if it is beyond the limits of the device, failed or was not tried.
    pub seconds: Vec<(Tiling, Option<f64>)>,
    /// The tiling that the device uses.
    pub chosen: Tiling,
}

/// The times of the process, by the adapter.
static KNOWN: Mutex<Vec<(Adapter, TileTimes)>> = Mutex::new(Vec::new());

/// Name, interface and driver.
type Adapter = [String; 3];

fn adapter(report: &AdapterReport) -> Adapter {
    [&report.name, &report.interface, &report.driver].map(String::clone)
}

impl TileTimes {
    /// The times on an adapter, measured if they are neither known nor kept. A tiling that fails is
    /// not chosen, and if all fail the default one stays.
    pub fn of(
        report: &AdapterReport,
        pipelines: &Pipelines,
        precision: Precision,
        kept: Option<&Kept>,
    ) -> Self {
        let adapter = adapter(report);
        let find = |known: &[(Adapter, Self)]| {
            known
                .iter()
                .find(|(of, times)| *of == adapter && times.precision == precision)
                .map(|(_, times)| times.clone())
        };
        let known = find(&lock(&KNOWN));
        let mut times = known.unwrap_or_else(|| {
            // No lock is held meanwhile. If two threads measure at a time, the first times stay.
            let measured = Self::read(precision, kept).unwrap_or_else(|| {
                let measured = Self::measure(pipelines, precision);
                measured.write(kept);
                measured
            });
            let mut known = lock(&KNOWN);
            find(&known).unwrap_or_else(|| {
                // What failed altogether says nothing of other devices of the adapter.
                if measured.operations > 0.0 {
                    known.push((adapter.clone(), measured.clone()));
                }
                measured
            })
        });
        // Another device of the adapter may have lower limits.
        if !times.chosen.is_within(&pipelines.handle().device().limits(), precision) {
            times.chosen = Tiling::DEFAULT;
        }
        times
    }

    /// Keeps these times for devices of the adapter that are opened later, in place of those that
    /// are known.
    pub fn keep(&self, report: &AdapterReport) {
        let adapter = adapter(report);
        let mut known = lock(&KNOWN);
        known.retain(|(of, times)| *of != adapter || times.precision != self.precision);
        known.push((adapter, self.clone()));
    }

    /// Takes the default tiling from now on, since the chosen one gave wrong numbers.
    pub fn refuse(&mut self, report: &AdapterReport, kept: Option<&Kept>) {
        let refused = self.chosen;
        for (tiling, seconds) in &mut self.seconds {
            if *tiling == refused {
                *seconds = None;
            }
        }
        self.chosen = Tiling::DEFAULT;
        self.keep(report);
        self.write(kept);
    }

    fn what(precision: Precision) -> String {
        format!("tiles {precision}")
    }

    /// What an earlier process has kept.
    fn read(precision: Precision, kept: Option<&Kept>) -> Option<Self> {
        kept?.read(&Self::what(precision), |text| Self::of_text(precision, text))
    }

    /// Keeps the times for other processes, unless all failed.
    fn write(&self, kept: Option<&Kept>) {
        if let Some(kept) = kept.filter(|_| self.operations > 0.0) {
            kept.write(&Self::what(self.precision), &self.to_text());
        }
    }

    /// The operations, a line for each tiling that was timed, and the chosen one.
    fn to_text(&self) -> String {
        let mut text = format!("operations {:e}\n", self.operations);
        for (tiling, seconds) in &self.seconds {
            if let Some(seconds) = seconds {
                text += &format!("{tiling}: {seconds:e}\n");
            }
        }
        text + &format!("chosen {}\n", self.chosen)
    }

    fn of_text(precision: Precision, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let operations = seconds(lines.next()?.strip_prefix("operations ")?)?;
        let named = |name: &str| Tiling::ALL.into_iter().find(|tiling| tiling.to_string() == name);
        let mut times = Tiling::ALL.map(|tiling| (tiling, None)).to_vec();
        let chosen = loop {
            let line = lines.next()?;
            if let Some(name) = line.strip_prefix("chosen ") {
                break named(name)?;
            }
            let (name, took) = line.split_once(": ")?;
            let timed = named(name)?;
            let took = seconds(took)?;
            let (_, slot) = times.iter_mut().find(|(tiling, _)| *tiling == timed)?;
            *slot = Some(took);
        };
        let is_timed = |(tiling, took): &(Tiling, Option<f64>)| *tiling == chosen && took.is_some();
        // The default tiling may be chosen without a time, if it gave wrong numbers itself.
        let is_sound = chosen == Tiling::DEFAULT || times.iter().any(is_timed);
        let is_whole = lines.next().is_none() && operations > 0.0 && is_sound;
        is_whole.then_some(Self { precision, operations, seconds: times, chosen })
    }

    pub(in crate::backend::gpu) fn measure(pipelines: &Pipelines, precision: Precision) -> Self {
        let mut times = Self {
            precision,
            operations: 0.0,
            seconds: Tiling::ALL.map(|tiling| (tiling, None)).to_vec(),
            chosen: Tiling::DEFAULT,
        };
        if let Err(failure) = times.fill(pipelines) {
            log::debug!("tiles in {precision}: {}", failure.into_error());
        }
        times.chosen = quickest(&times.seconds);
        times
    }

    /// Times the default tiling, and then the others as long as there is time.
    fn fill(&mut self, pipelines: &Pipelines) -> Result<(), Failure> {
        let started = Instant::now();
        let limits = pipelines.handle().device().limits();
        let (product, seconds) = large_enough(pipelines, self.precision)?;
        self.operations = product.operations();
        for (tiling, took) in &mut self.seconds {
            if *tiling == Tiling::DEFAULT {
                *took = Some(seconds);
            } else if tiling.is_within(&limits, self.precision)
                && started.elapsed().as_secs_f64() < LONGEST
            {
                *took = match product.tiled(*tiling).and_then(|product| time(&product)) {
                    Ok(seconds) => Some(seconds),
                    Err(failure) => {
                        let error = failure.into_error();
                        log::debug!("tile {tiling} in {}: {error}", self.precision);
                        None
                    }
                };
            }
        }
        Ok(())
    }
}

/// The first product that is large enough to compare tilings by, and its seconds by the default
/// one.
fn large_enough(
    pipelines: &Pipelines,
    precision: Precision,
) -> Result<(PlainProduct, f64), Failure> {
    let timed = |size| -> Result<_, Failure> {
        let product = PlainProduct::new(pipelines, precision, Tiling::DEFAULT, size)?;
        let seconds = time(&product)?;
        Ok((product, seconds))
    };
    let [first, larger @ ..] = SIZES;
    let mut last = timed(first)?;
    let latency = last.1;
    for size in larger {
        if last.1 >= PAST_LATENCY * latency {
            break;
        }
        // A device may not have room for it.
        let Ok(larger) = timed(size) else { break };
        last = larger;
    }
    Ok(last)
}

/// The least seconds of a product, after a first time that does not count.
fn time(product: &PlainProduct) -> Result<f64, Failure> {
    product.multiply()?;
    let (mut least, began) = (f64::INFINITY, Instant::now());
    for _ in 0..REPETITIONS {
        let started = Instant::now();
        product.multiply()?;
        least = least.min(started.elapsed().as_secs_f64());
        if began.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
    }
    Ok(least)
}

/// The tiling of the least seconds. The default one stays if no other is clearly quicker.
fn quickest(seconds: &[(Tiling, Option<f64>)]) -> Tiling {
    let timed = |&(tiling, seconds): &(Tiling, Option<f64>)| Some((tiling, seconds?));
    let Some((_, default)) =
        seconds.iter().filter_map(timed).find(|(tiling, _)| *tiling == Tiling::DEFAULT)
    else {
        return Tiling::DEFAULT;
    };
    seconds
        .iter()
        .filter_map(timed)
        .filter(|(_, seconds)| *seconds <= QUICKER * default)
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map_or(Tiling::DEFAULT, |(tiling, _)| tiling)
}

impl fmt::Display for TileTimes {
    /// The tiling in use, and what each reaches.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; Gop/s of a product:", self.chosen)?;
        for (number, (tiling, seconds)) in self.seconds.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            match seconds {
                Some(seconds) => {
                    write!(f, "{comma} {tiling} {:.1}", 1e-9 * self.operations / seconds)?;
                }
                None => write!(f, "{comma} {tiling} not timed")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_tiling_stays_unless_another_is_clearly_quicker() {
        let [default, second, third, fourth, ..] = Tiling::ALL;
        let chosen = |seconds: [Option<f64>; 4]| {
            quickest(&Tiling::ALL.into_iter().zip(seconds).collect::<Vec<_>>())
        };
        assert_eq!(chosen([Some(1.0), Some(0.96), Some(1.5), Some(0.99)]), default);
        assert_eq!(chosen([Some(1.0), Some(0.9), Some(0.7), Some(0.8)]), third);
        assert_eq!(chosen([Some(1.0), Some(0.9), None, None]), second);
        assert_eq!(chosen([Some(1.0), None, Some(f64::NAN), Some(0.5)]), fourth);
        assert_eq!(chosen([Some(1.0), None, None, None]), default);
        // Without a time to compare with, nothing is chosen.
        assert_eq!(chosen([None, Some(0.5), Some(0.5), Some(0.5)]), default);
    }

    fn times() -> TileTimes {
        let [default, second, third, fourth, fifth, sixth] = Tiling::ALL;
        let seconds = vec![
            (default, Some(1.0 / 3.0)),
            (second, None),
            (third, Some(1e-5)),
            (fourth, Some(0.25)),
            (fifth, None),
            (sixth, Some(0.125)),
        ];
        TileTimes { precision: Precision::F64, operations: 5.5e8, seconds, chosen: third }
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        let times = times();
        let text = times.to_text();
        assert_eq!(TileTimes::of_text(Precision::F64, &text), Some(times));
        for wrong in [
            text.replace("operations 5", "operations -5"),
            text.replace("1e-5", "-1e-5"),
            text.replace("1e-5", "NaN"),
            text.replace("chosen 4x4", "chosen 9x9"),
            // What was not timed cannot be the quickest.
            text.replace("chosen 4x4 by 16", "chosen 8x8 by 8"),
            text.replace("chosen ", "taken: "),
            text.clone() + "more\n",
            String::new(),
        ] {
            assert_ne!(wrong, text);
            assert_eq!(TileTimes::of_text(Precision::F64, &wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_tiling_that_was_refused_is_not_chosen_by_the_next_process() {
        let folder = tempfile::tempdir().unwrap();
        let report = AdapterReport::of(
            &wgpu::AdapterInfo::new(wgpu::DeviceType::Other, wgpu::Backend::Noop),
            wgpu::Features::empty(),
            &wgpu::Limits::default(),
        );
        let kept = Kept::in_folder(folder.path().to_path_buf(), &report);
        let read = || TileTimes::read(Precision::F64, Some(&kept));
        assert_eq!(read(), None);
        let mut times = times();
        times.write(Some(&kept));
        let refused = times.chosen;
        assert_eq!(read(), Some(times.clone()));
        times.refuse(&report, Some(&kept));
        let found = read().unwrap();
        assert_eq!(found.chosen, Tiling::DEFAULT);
        assert!(found.seconds.contains(&(refused, None)));
        // What failed altogether is not kept.
        TileTimes { operations: 0.0, ..times.clone() }.write(Some(&kept));
        assert_eq!(read(), Some(times));
    }
}
