//! Points to search around.

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use crate::data::{Domain, Observation, Points, Space, State};
use crate::surrogate::View;

/// Step lengths around the best points, in lengthscales: long enough to leave a basin, short enough
/// to refine one.
const STEPS: [f64; 4] = [0.3, 0.1, 0.03, 0.01];
/// How many of the best points get a neighborhood.
const CENTERS: usize = 4;

/// How many coordinates move, on average, in a step along some of them. In many dimensions, few
/// directions that help are left near a good point, and a step along all of them loses them.
const MOVED: f64 = 2.0;

/// The largest numbers of steps along all coordinates, and along some of them.
const ALL: usize = 64;
const SOME: usize = 256;

/// Some rows of a front, which change from search to search.
fn some(rows: &[usize], seed: u64) -> Vec<usize> {
    let count = rows.len();
    let first = (seed % count.max(1) as u64) as usize;
    let at = |k: usize| rows[(first + k * count / CENTERS.min(count)) % count];
    (0..CENTERS.min(count)).map(at).collect()
}

/// Points to search around: the best few trials, and Gaussian steps of several lengths from them.
/// Then steps that move a random subset of the coordinates (Regis & Shoemaker 2013, "Combining
/// radial basis function surrogates and dynamic coordinate search in high-dimensional expensive
/// black-box optimization"). Twice the dimension of each, within limits.
pub fn neighborhood(view: View<'_>, seed: u64) -> Points {
    let View { setup, surrogate, observations } = view;
    let space = match &setup.domain {
        Domain::Space(space) => Some(space),
        Domain::Table(_) => None,
    };
    let sign = observations.direction().sign();
    // Around the best that may be used; around the best of all while there is none; along a front.
    let any = observations.best().is_none();
    let front = surrogate.front().map(|rows| some(rows, seed));
    let counts = |(row, o): &(usize, &Observation)| match &front {
        Some(rows) => rows.contains(row),
        None => o.state == State::Complete && (any || o.holds),
    };
    let mut complete: Vec<(f64, &[f64])> = observations
        .iter()
        .enumerate()
        .filter(counts)
        .map(|(_, observation)| observation)
        .filter_map(|o| Some((sign * o.outcome?, o.point.as_slice())))
        .collect();
    complete.sort_by(|a, b| b.0.total_cmp(&a.0));
    complete.truncate(CENTERS);
    let mut hints = Points::new(observations.dim());
    for (_, center) in &complete {
        hints.push(center);
    }
    if complete.is_empty() {
        return hints;
    }
    let lengthscales = &surrogate.posterior().hyperparameters().lengthscales;
    let mut generator = Pcg64::seed_from_u64(seed);
    if let Some(space) = space.filter(|space| !space.is_relaxed()) {
        let centers: Vec<&[f64]> = complete.iter().map(|(_, center)| *center).collect();
        changed(space, &centers, lengthscales, &mut generator, &mut hints);
        return hints;
    }
    let dim = observations.dim() as f64;
    let steps = |most: usize| (2 * observations.dim()).clamp(16, most);
    let all = steps(ALL);
    for k in 0..all + steps(SOME) {
        let (_, center) = complete[k % complete.len()];
        let step = STEPS[(k / complete.len()) % STEPS.len()];
        let mut moved = |(u, lengthscale): (&f64, &f64)| {
            let normal: f64 = StandardNormal.sample(&mut generator);
            (u + step * lengthscale.min(1.0) * normal).clamp(0.0, 1.0)
        };
        let mut point: Vec<f64> = center.iter().zip(lengthscales).map(&mut moved).collect();
        if k >= all {
            for (u, &stays) in point.iter_mut().zip(center) {
                if generator.random::<f64>() * dim >= MOVED {
                    *u = stays;
                }
            }
        }
        hints.push(&point);
    }
    hints
}

/// Points of a mixed space that differ from one of the centers in a few parameters, two on average:
/// real numbers by a Gaussian step, others by another value. What comes to exist is drawn.
fn changed(
    space: &Space,
    centers: &[&[f64]],
    lengthscales: &[f64],
    random: &mut Pcg64,
    hints: &mut Points,
) {
    let view = space.view();
    let varied = view.draws() as f64;
    for k in 0..(2 * view.draws()).clamp(16, ALL + SOME) {
        let center = centers[k % centers.len()];
        let step = STEPS[(k / centers.len()) % STEPS.len()];
        let (mut places, exists) =
            view.places(center, |parameter| view.any_place(parameter, random));
        for (parameter, place) in places.iter_mut().enumerate() {
            if !exists[parameter] || random.random::<f64>() * varied >= MOVED {
                continue;
            }
            if space.parameters()[parameter].kind().is_real() {
                let lengthscale = lengthscales[view.columns_of(parameter).start].min(1.0);
                let normal: f64 = StandardNormal.sample(random);
                *place = (*place + step * lengthscale * normal).clamp(0.0, 1.0);
            } else {
                *place = view.any_place(parameter, random);
            }
        }
        hints.push(&view.express(&view.admitted(places)));
    }
}
