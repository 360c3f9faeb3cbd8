//! A step away from an evaluated point.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::data::{Points, Space};

/// The mean lengths of the steps, in lengthscales (at most the cube's width). At the first length
/// the value has hardly changed, and the model can tell the two points apart. The others are for
/// points whose nearer neighbors are taken too. Each step is longer or shorter by up to a half at
/// random, so the next steps lead elsewhere.
const STEPS: [f64; 3] = [1e-3, 1e-2, 1e-1];

/// Directions per step: the number of axes, and the number of directions that move all coordinates.
const AXES: usize = 16;
const DIAGONALS: usize = 8;

/// Points one step away from a point of the unit cube, for each step length: along its axes, and in
/// directions that move all coordinates. A coordinate at a bound moves inward. Whole numbers stay
/// the same, and all that is no real number in a mixed space.
pub fn around(space: &Space, unit: &[f64], lengthscales: &[f64], seed: u64) -> Points {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut points = Points::new(unit.len());
    let moved = |u: f64, step: f64, upward: bool| {
        let aim = if upward { u + step } else { u - step };
        if (0.0..=1.0).contains(&aim) { aim } else { (u + u - aim).clamp(0.0, 1.0) }
    };
    let moves = if space.is_relaxed() { vec![true; unit.len()] } else { space.view().moving(unit) };
    let mut axes: Vec<usize> = (0..unit.len()).filter(|&k| moves[k]).collect();
    while axes.len() > AXES {
        axes.swap_remove(random.random_range(0..axes.len()));
    }
    for step in STEPS {
        let step = step * (0.5 + random.random::<f64>());
        let length = |k: usize| step * lengthscales[k].min(1.0);
        for &k in &axes {
            for upward in [false, true] {
                let mut point = unit.to_vec();
                point[k] = moved(unit[k], length(k), upward);
                push(space, &mut points, point);
            }
        }
        for _ in 0..DIAGONALS {
            let point = unit
                .iter()
                .enumerate()
                .map(|(k, &u)| {
                    let upward = random.random();
                    if moves[k] { moved(u, length(k), upward) } else { u }
                })
                .collect();
            push(space, &mut points, point);
        }
    }
    points
}

fn push(space: &Space, points: &mut Points, mut point: Vec<f64>) {
    space.snap(&mut point);
    if !space.admits(&point) {
        // A step out of a sum goes along it instead.
        point = space.view().admitted_unit(&point);
    }
    points.push(&point);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_inside_and_leave_the_point() {
        let space = Space::new().float("a", 0.0, 1.0).float("b", -1.0, 1.0).int("k", 0, 4);
        let corner = [0.0, 1.0, 0.1];
        let points = around(&space, &corner, &[0.2, 50.0, 1.0], 3);
        assert!(
            points
                .rows()
                .all(|point| point.iter().all(|u| (0.0..=1.0).contains(u)) && point[2] == 0.1)
        );
        // Nothing steps along the whole number, and every step moves.
        assert_eq!(points.len(), STEPS.len() * (2 * 2 + DIAGONALS));
        assert!(points.rows().all(|point| point[..] != corner));
        let nearest = points
            .rows()
            .filter(|point| point[..] != corner)
            .map(|point| point[0].max(1.0 - point[1]))
            .fold(1.0, f64::min);
        assert!((1e-4..=3e-4).contains(&nearest), "{nearest}");
    }
}
