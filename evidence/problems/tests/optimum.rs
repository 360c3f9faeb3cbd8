//! The largest value of a draw against fine grids, and the better search against the published one.

use gittins::KernelFamily;
use gittins_problems::{GpDraw, optimum, published_optimum};
use rayon::ThreadPoolBuilder;

use crate::support::tolerance::functions as close;

fn draw(dim: usize, ell: f64, seed: u64) -> GpDraw {
    GpDraw::new(KernelFamily::Matern52, &vec![ell; dim], 1.0, 1024, seed).unwrap()
}

#[test]
fn optimum_agrees_with_a_fine_grid() {
    for (dim, ell, steps, seed) in [(1, 0.05, 4000u32, 1), (1, 1.0, 1000, 2), (2, 0.25, 100, 3)] {
        let draw = draw(dim, ell, seed);
        let h = 1.0 / f64::from(steps);
        let mut highest = f64::NEG_INFINITY;
        for index in 0..(steps + 1).pow(dim as u32) {
            let point: Vec<f64> = (0..dim as u32)
                .map(|axis| f64::from(index / (steps + 1).pow(axis) % (steps + 1)) * h)
                .collect();
            highest = highest.max(draw.value(&point));
        }
        let found = optimum(&draw);
        assert_eq!(draw.value(&found.point), found.value);
        assert!(found.point.iter().all(|z| (0.0..=1.0).contains(z)));
        assert!(
            found.value >= highest,
            "d = {dim}, ell = {ell}: {found:?} below {highest} of the grid"
        );
        assert!(
            found.value - highest <= close::grid_gap(h, ell, dim),
            "d = {dim}, ell = {ell}: {found:?} far above {highest} of the grid"
        );
        assert!(found.agreeing >= found.rounds / 2, "{found:?}");
    }
}

#[test]
fn optimum_is_no_worse_than_the_published_search() {
    for seed in [1, 2] {
        let draw = draw(4, 0.3, seed);
        let published = published_optimum(&draw);
        let found = optimum(&draw);
        assert_eq!((published.rounds, published.agreeing), (1, 1));
        assert_eq!(draw.value(&published.point), published.value);
        assert!(found.value >= published.value - 1e-9, "{found:?} below {published:?}");
        assert!(found.agreeing >= 2, "{found:?}");
    }
}

#[test]
fn optimum_is_the_same_for_any_number_of_threads() {
    let draw = draw(3, 0.3, 4);
    let with = |threads: usize| {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| (optimum(&draw), published_optimum(&draw)))
    };
    assert_eq!(with(1), with(4));
}
