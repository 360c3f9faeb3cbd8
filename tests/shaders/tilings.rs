//! Products by every tiling: the numbers of the host, and the same ones by each.

use gittins::backend::gpu::{AdapterKind, Device, Gpu};
use gittins::internals::gpu::{TileTimes, Tiling, single_error};
use gittins::math::Sobol;
use gittins::{Acquisition, Backend, Cpu, Job, JobCost, KernelFamily, Scores};

use crate::support::comparer::{compare, equal_bits, sentinels};
use crate::support::device::{engine, precisions};
use crate::support::smooth::models;
use crate::support::tolerance::{device_double, device_single};

/// A value needs the sums of squares alone, a gradient both products. The sizes are around a block.
/// Software adapters round the same sums alike in every tiling; WGSL lets others fuse
/// multiplication and addition in one tiling and not in another.
#[test]
fn every_tiling_agrees_with_the_host_and_with_the_others() {
    let test = "every_tiling_agrees_with_the_host_and_with_the_others";
    let Some(engine) = engine(test) else { return };
    let alike = engine.report().kind == AdapterKind::Software;
    let (d, noise) = (3, 1e-2);
    let acquisition = Acquisition::gittins(1e-3);
    for precision in precisions(engine, test) {
        for n in [1, 63, 64, 65, 130, 200] {
            let (posterior, log_cost) = models(KernelFamily::Matern52, d, n, noise);
            let error = single_error(&posterior).max(single_error(&log_cost));
            let double = device_double(n, noise);
            let allowed = match precision {
                gittins::backend::Precision::F32 => device_single(error, false).plus(double.mean),
                gittins::backend::Precision::F64 => double,
            };
            for b in [1, 63, 64, 65, 130] {
                let points = Sobol::new(d, 29).points(0, b);
                for gradient in [false, true] {
                    let job = Job::new(&posterior, JobCost::Learned(&log_cost), &acquisition, 0.8)
                        .gradient(gradient);
                    let mut expected = Scores::default();
                    Cpu.evaluate(&job, &points, &mut expected).unwrap();
                    let by = Tiling::ALL.map(|tiling| {
                        let gpu = Gpu::new(engine.with_tiling(tiling)).precision(precision);
                        let mut got = sentinels();
                        gpu.evaluate(&job, &points, &mut got).unwrap();
                        let what = format!("{tiling} in {precision}: n={n} b={b} {gradient}");
                        assert_eq!(got.provenance.fallback, None, "{what}");
                        compare(&job, &got, &expected, allowed)
                            .unwrap_or_else(|error| panic!("{what}: {error}"));
                        (what, got)
                    });
                    let [(_, first), others @ ..] = &by;
                    for (what, other) in others {
                        assert!(!alike || equal_bits(other, first), "{what}");
                    }
                }
            }
        }
    }
}

/// The times of a device are those of the adapter, so a device that is opened later has the same.
#[test]
fn a_device_says_which_tiling_it_uses() {
    let test = "a_device_says_which_tiling_it_uses";
    let Some(engine) = engine(test) else { return };
    let again = Device::open(Some(&engine.report().name)).unwrap();
    let found: Vec<_> = engine.tile_times().iter().map(|times| times.precision).collect();
    assert_eq!(found, precisions(engine, test));
    for (times, again) in engine.tile_times().iter().zip(again.tile_times()) {
        assert_eq!(times, again);
        let TileTimes { operations, seconds, chosen, .. } = times;
        assert!(*operations >= 2.0 * 64.0 * 64.0 * 64.0, "{times}");
        assert_eq!(seconds.iter().map(|(tiling, _)| *tiling).collect::<Vec<_>>(), Tiling::ALL);
        let of = |tiling| seconds.iter().find(|(of, _)| *of == tiling).and_then(|(_, took)| *took);
        assert!(of(Tiling::DEFAULT).unwrap() > 0.0, "{times}");
        assert!(of(*chosen).unwrap() <= of(Tiling::DEFAULT).unwrap(), "{times}");
        assert!(times.to_string().starts_with(&format!("{chosen}; Gop/s of a product: 8x8 by 16")));
    }
}
