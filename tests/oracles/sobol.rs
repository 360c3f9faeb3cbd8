//! Scrambled Sobol points: even spread, seeds, and calls beyond the generator's limits.

use crate::support::tolerance::{SOBOL_CORRELATION, SOBOL_GAIN};
use gittins::Points;
use gittins::math::Sobol;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Asserts that each of `count` equal intervals has one point, in every coordinate.
fn assert_stratified(points: &Points, what: &str) {
    let count = points.len();
    for j in 0..points.dim() {
        let mut seen = vec![false; count];
        for point in points.rows() {
            let stratum = (point[j] * count as f64) as usize;
            assert!(
                !std::mem::replace(&mut seen[stratum], true),
                "{what}, coordinate {j}: two in interval {stratum} of {count}"
            );
        }
    }
}

#[test]
fn one_point_in_each_interval() {
    for dim in [1, 2, 3, 4, 5, 8, 31, 32, 255, 256, 257, 300] {
        let sobol = Sobol::new(dim, 11 + dim as u64);
        for k in 0..=10 {
            let count = 1 << k;
            assert_stratified(&sobol.points(0, count), &format!("{dim} dimensions"));
            assert_stratified(
                &sobol.points(3 * count, count),
                &format!("{dim} dimensions, a later block"),
            );
        }
    }
    assert_stratified(&Sobol::new(2, 5).points(0, 1 << 16), "a whole block");
    assert_stratified(&Sobol::new(2, 5).points(1 << 16, 1 << 16), "the block after");
}

#[test]
fn one_point_in_each_elementary_rectangle() {
    // The first two dimensions are a (0, k, 2)-net: of 2^k points, one lies in each box of volume
    // 2^-k, for every shape of box.
    let k = 10;
    let points = Sobol::new(2, 3).points(0, 1 << k);
    for across in 0..=k {
        let (columns, rows) = (1usize << across, 1usize << (k - across));
        let mut seen = vec![false; 1 << k];
        for point in points.rows() {
            let cell =
                (point[0] * columns as f64) as usize * rows + (point[1] * rows as f64) as usize;
            assert!(
                !std::mem::replace(&mut seen[cell], true),
                "{columns} x {rows}: two in cell {cell}"
            );
        }
    }
}

#[test]
fn a_seed_is_one_sequence_however_it_is_asked_for() {
    let sobol = Sobol::new(7, 42);
    let mut parts = sobol.points(0, 37);
    parts.extend(&sobol.points(37, 63));
    assert_eq!(parts, Sobol::new(7, 42).points(0, 100));
    // These points cross the seam between two blocks.
    let seam = (1 << 16) - 5;
    let mut parts = sobol.points(seam, 5);
    parts.extend(&sobol.points(1 << 16, 5));
    assert_eq!(parts, sobol.points(seam, 10));
    assert!(sobol.points(5, 0).is_empty());
    assert!(Sobol::new(0, 1).points(0, 3).is_empty());
}

#[test]
fn seeds_blocks_and_groups_differ() {
    let first = Sobol::new(300, 1).points(0, 64);
    for seed in [0, 2, 1 << 32, 1 + (1 << 32), u64::MAX] {
        let other = Sobol::new(300, seed).points(0, 64);
        let same = first.values().iter().zip(other.values()).filter(|(a, b)| a == b).count();
        assert_eq!(same, 0, "seed {seed}");
    }
    let later = Sobol::new(300, 1).points(1 << 16, 64);
    assert!(
        first.values().iter().zip(later.values()).all(|(a, b)| a != b),
        "the second block repeats the first"
    );
    assert!(
        first.rows().all(|point| (0..44).all(|j| point[j] != point[256 + j])),
        "the second group repeats the first"
    );
}

#[test]
fn coordinates_are_inside_the_cube_and_distinct() {
    let sobol = Sobol::new(3, 8);
    let points = sobol.points(0, 1 << 18);
    assert!(points.values().iter().all(|&x| 0.0 < x && x < 1.0));
    for j in 0..3 {
        let mut column: Vec<f64> = points.rows().map(|point| point[j]).collect();
        column.sort_by(f64::total_cmp);
        assert!(column.windows(2).all(|pair| pair[0] < pair[1]), "coordinate {j} repeats");
    }
}

#[test]
fn padded_dimensions_are_uncorrelated() {
    let count = 4096;
    let points = Sobol::new(520, 9).points(0, count);
    for (i, j) in [(0, 256), (3, 256), (255, 256), (0, 512), (256, 512), (256, 519)] {
        let covariance: f64 =
            points.rows().map(|point| (point[i] - 0.5) * (point[j] - 0.5)).sum::<f64>()
                / count as f64;
        assert!(
            (12.0 * covariance).abs() < SOBOL_CORRELATION / (count as f64).sqrt(),
            "coordinates {i} and {j}: {}",
            12.0 * covariance
        );
    }
}

#[test]
fn integrates_better_than_random_points() {
    // The integral over the cube is 1.
    let product = |point: &[f64]| {
        point
            .iter()
            .enumerate()
            .map(|(j, x)| 1.0 + ((4.0 * x - 2.0).abs() - 1.0) / (j + 1) as f64)
            .product::<f64>()
    };
    let (dim, count, seeds) = (6, 4096, 16);
    let (mut sobol, mut random) = (0.0, 0.0);
    for seed in 0..seeds {
        let points = Sobol::new(dim, seed).points(0, count);
        sobol += (points.rows().map(product).sum::<f64>() / count as f64 - 1.0).powi(2);
        let mut rng = Pcg64::seed_from_u64(seed);
        let mean = (0..count)
            .map(|_| product(&std::array::from_fn::<f64, 6, _>(|_| rng.random())))
            .sum::<f64>()
            / count as f64;
        random += (mean - 1.0).powi(2);
    }
    let gain = (random / sobol).sqrt();
    assert!(gain > SOBOL_GAIN, "the error is only {gain} times smaller");
}
