//! Nearest points, climbs and uniform points within linear rows: against quadprog, by the conditions of
//! Karush, Kuhn and Tucker, and against what is known of uniform points.

use crate::support::golden::{numbers, table};
use crate::support::tolerance::{
    POLYTOPE_CHANCE, POLYTOPE_FLAT, POLYTOPE_MINIMUM, POLYTOPE_ROW, POLYTOPE_VALUE,
};
use gittins::internals::lbfgsb::{Lbfgsb, Settings, Status};
use gittins::internals::polytope::{Polytope, Row, Spread};
use gittins::math::Sobol;

/// The draws of `make_polytope.py`.
struct Draws(u64);

impl Draws {
    fn one(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn many(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.one()).collect()
    }
}

/// A problem of `make_polytope.py`: the minimum of `(x - c)'(D + t t')(x - c) / 2`.
struct Problem {
    polytope: Polytope,
    scales: Vec<f64>,
    tilt: Vec<f64>,
    center: Vec<f64>,
}

impl Problem {
    fn new(number: usize) -> Self {
        let mut draws = Draws(number as u64 + 1);
        let (dim, rows) = (2 + number % 9, 1 + number % 3);
        let upper: Vec<f64> = (0..dim)
            .map(|_| if draws.one() < 0.5 { 1.0 } else { 0.2 + 0.8 * draws.one() })
            .collect();
        let inside: Vec<f64> = draws.many(dim).iter().zip(&upper).map(|(u, top)| u * top).collect();
        let signed =
            |draws: Vec<f64>| -> Vec<f64> { draws.iter().map(|u| 2.0 * u - 1.0).collect() };
        let mut polytope = Polytope { lower: vec![0.0; dim], upper, rows: Vec::new() };
        for row in 0..rows.min(dim - 1) {
            let is_sum = number.is_multiple_of(4) && row == 0;
            let weights = if is_sum { vec![1.0; dim] } else { signed(draws.many(dim)) };
            let is_equal = row == 0 && number.is_multiple_of(2);
            let slack = if is_equal { 0.0 } else { 0.1 * draws.one() };
            let bound: f64 = weights.iter().zip(&inside).map(|(a, x)| a * x).sum();
            polytope.rows.push(Row { weights, bound: bound + slack, is_equal });
        }
        let is_round = number.is_multiple_of(5);
        let powers = |draws: Vec<f64>| draws.iter().map(|u| 10f64.powf(2.0 * u)).collect();
        let scales = if is_round { vec![1.0; dim] } else { powers(draws.many(dim)) };
        let tilt = if is_round { vec![0.0; dim] } else { signed(draws.many(dim)) };
        let center = draws.many(dim).iter().map(|u| 3.0 * u - 1.0).collect();
        Self { polytope, scales, tilt, center }
    }

    fn value(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let from: Vec<f64> = x.iter().zip(&self.center).map(|(x, c)| x - c).collect();
        let along: f64 = from.iter().zip(&self.tilt).map(|(d, t)| d * t).sum();
        for (i, g) in gradient.iter_mut().enumerate() {
            *g = self.scales[i] * from[i] + self.tilt[i] * along;
        }
        0.5 * from.iter().zip(&*gradient).map(|(d, g)| d * g).sum::<f64>()
    }

    /// How far a point is from the rows, as a share of the sizes of their terms.
    fn broken(&self, x: &[f64]) -> f64 {
        let broken = |row: &Row| {
            let (excess, size) = row.excess(x);
            (if row.is_equal { excess.abs() } else { excess }) / size
        };
        self.polytope.rows.iter().map(broken).fold(0.0, f64::max)
    }
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Each round problem asks for the point nearest to its center.
#[test]
fn nearest_points_are_those_of_quadprog() {
    for (number, expected) in table("polytope").as_array().unwrap().iter().enumerate().step_by(5) {
        let problem = Problem::new(number);
        let found = problem.polytope.nearest(&problem.center).unwrap();
        let away = farthest(&found, &numbers(expected));
        assert!(away <= POLYTOPE_MINIMUM, "problem {number}: {away:e} away");
        assert!(problem.broken(&found) <= POLYTOPE_ROW, "problem {number}");
    }
}

/// All 1000, on faces, edges and corners, from two starts each.
#[test]
fn climbs_end_where_quadprog_does() {
    let settings =
        Settings { function_tolerance: 0.0, gradient_tolerance: 1e-11, ..Settings::default() };
    let (mut corners, mut evaluations) = (0, 0);
    for (number, expected) in table("polytope").as_array().unwrap().iter().enumerate() {
        let (problem, expected) = (Problem::new(number), numbers(expected));
        let dim = expected.len();
        let top = &problem.polytope.upper;
        let is_at_bound = |j: usize| expected[j] < 1e-9 || expected[j] > top[j] - 1e-9;
        let is_met = |row: &&Row| row.excess(&expected).0.abs() < 1e-9;
        let met = (0..dim).filter(|&j| is_at_bound(j)).count()
            + problem.polytope.rows.iter().filter(is_met).count();
        let is_corner = met >= dim;
        for start in [vec![0.5; dim], Draws(number as u64).many(dim)] {
            let mut climb = Lbfgsb::within(&start, problem.polytope.clone(), &settings).unwrap();
            let mut gradient = vec![0.0; dim];
            while climb.status() == Status::Running {
                let value = problem.value(climb.point(), &mut gradient);
                let broken = problem.broken(climb.point());
                assert!(broken <= POLYTOPE_ROW, "problem {number}: {broken:e} off a row");
                climb.advance(value, &gradient);
            }
            let (found, value) = climb.best();
            let least = problem.value(&expected, &mut gradient);
            let name = format!("problem {number}, {:?}", climb.status());
            let above = (value - least) / least.abs().max(1.0);
            assert!(above <= POLYTOPE_VALUE, "{name}: {above:e} above");
            let away = farthest(found, &expected);
            assert!(away <= POLYTOPE_FLAT, "{name}: {away:e} away");
            // What stands at a bound stands there, and a corner is found to the last digits.
            for j in (0..dim).filter(|&j| is_corner || is_at_bound(j)) {
                let away = (found[j] - expected[j]).abs();
                assert!(away <= POLYTOPE_MINIMUM, "{name}: coordinate {j} {away:e} away");
            }
            evaluations += climb.evaluations();
        }
        corners += usize::from(is_corner);
    }
    // The table has what it is for, and a climb is one of L-BFGS: some evaluations for each coordinate.
    assert!(corners > 100, "{corners}");
    assert!(evaluations < 2000 * 40, "{evaluations}");
}

#[test]
fn an_empty_polytope_is_said_to_be_empty() {
    let row =
        |weights: [f64; 2], bound, is_equal| Row { weights: weights.to_vec(), bound, is_equal };
    let empty = |rows| Polytope { lower: vec![0.0; 2], upper: vec![1.0; 2], rows };
    for rows in [
        vec![row([1.0, 1.0], 2.5, true)],
        vec![row([1.0, 1.0], -0.1, false)],
        vec![row([1.0, 1.0], 1.5, true), row([1.0, -1.0], 0.8, true)],
        vec![row([1.0, 1.0], 0.5, false), row([-1.0, -1.0], -0.6, false)],
    ] {
        let polytope = empty(rows);
        assert!(polytope.nearest(&[0.3, 0.6]).is_none() && Spread::new(polytope).is_none());
        let error = Lbfgsb::within(
            &[0.1, 0.2],
            empty(vec![row([1.0, 1.0], 9.0, true)]),
            &Settings::default(),
        );
        assert_eq!(error.unwrap_err().kind(), gittins::ErrorKind::OutOfBounds);
    }
}

/// Uniform parts of a mixture have known moments: `E x = 1 / n`, `E x^2 = 2 / (n (n + 1))` and
/// `P(x > t) = (1 - t)^(n - 1)`.
#[test]
fn mixtures_are_uniform() {
    for dim in [2, 3, 5, 20, 100] {
        let row = Row { weights: vec![1.0; dim], bound: 1.0, is_equal: true };
        let polytope = Polytope { lower: vec![0.0; dim], upper: vec![1.0; dim], rows: vec![row] };
        let spread = Spread::new(polytope).unwrap();
        let count = 4096;
        let mut points = Sobol::new(dim, 5).points(0, count);
        let n = dim as f64;
        let beyond = |t: f64| (1.0 - t).powf(n - 1.0);
        let (mut squares, mut high) = (vec![0.0; dim], vec![0.0; dim]);
        for index in 0..count {
            let point = points.row_mut(index);
            spread.put(point);
            assert!((point.iter().sum::<f64>() - 1.0).abs() <= n * f64::EPSILON);
            for (j, x) in point.iter().enumerate() {
                squares[j] += x * x / count as f64;
                high[j] += f64::from(u8::from(*x > 1.5 / n)) / count as f64;
            }
        }
        for j in 0..dim {
            let expected = 2.0 / (n * (n + 1.0));
            // A square has a standard deviation of at most 2.3 times its mean, an event one of 1/2.
            let error = POLYTOPE_CHANCE / (count as f64).sqrt();
            assert!((squares[j] / expected - 1.0).abs() <= 2.3 * error, "part {j} of {dim}");
            assert!((high[j] - beyond(1.5 / n)).abs() <= 0.5 * error, "part {j} of {dim}");
        }
        let mut middle = vec![0.5; dim];
        spread.put(&mut middle);
        assert!(middle.iter().all(|x| (x - 1.0 / n).abs() <= f64::EPSILON));
    }
}

/// Where bounds cut the simplex, points come from a walk. Its means are those of points that are drawn
/// from the box of all but the last part and refused where that is out of its bounds.
#[test]
fn a_walk_is_uniform() {
    let upper = [0.5, 0.3, 0.9, 0.4, 0.6];
    let other = Row { weights: vec![0.0, 1.0, -0.5, 1.0, 0.0], bound: 0.2, is_equal: false };
    let row = Row { weights: vec![1.0; 5], bound: 1.0, is_equal: true };
    let polytope =
        Polytope { lower: vec![0.0; 5], upper: upper.to_vec(), rows: vec![row, other.clone()] };
    let spread = Spread::new(polytope).unwrap();
    let statistics = |points: &[Vec<f64>]| -> Vec<f64> {
        let mean = |of: &dyn Fn(&[f64]) -> f64| {
            points.iter().map(|point| of(point)).sum::<f64>() / points.len() as f64
        };
        let of_one = (0..5).flat_map(|j| {
            let top = upper[j];
            [
                mean(&|x| x[j] / top),
                mean(&|x| (x[j] / top).powi(2)),
                mean(&|x| f64::from(u8::from(x[j] < 0.1 * top))),
                mean(&|x| x[j] * x[(j + 1) % 5] / (top * upper[(j + 1) % 5])),
            ]
        });
        of_one.collect()
    };
    let mut draws = Draws(3);
    let mut expected = Vec::new();
    while expected.len() < 100_000 {
        let mut x: Vec<f64> = draws.many(4).iter().zip(&upper).map(|(u, top)| u * top).collect();
        x.push(1.0 - x.iter().sum::<f64>());
        if (0.0..=upper[4]).contains(&x[4]) && other.excess(&x).0 <= 0.0 {
            expected.push(x);
        }
    }
    let mut points = Sobol::new(5, 9).points(0, 8192);
    let found: Vec<Vec<f64>> = (0..points.len())
        .map(|index| {
            let point = points.row_mut(index);
            spread.put(point);
            point.to_vec()
        })
        .collect();
    assert!(found.iter().all(|x| (x.iter().sum::<f64>() - 1.0).abs() <= 1e-14));
    assert!(found.iter().all(|x| other.excess(x).0 <= 1e-14));
    for (index, (a, b)) in statistics(&found).iter().zip(statistics(&expected)).enumerate() {
        // Numbers between 0 and 1 deviate by 1/2 at most. Points that go on from one of 512 count as that
        // many at worst; they went on by ten steps.
        let error = POLYTOPE_CHANCE * 0.5 / 2048f64.sqrt();
        assert!((a - b).abs() <= error, "{index}: {a} for {b}");
    }
}
