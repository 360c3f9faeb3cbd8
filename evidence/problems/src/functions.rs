//! Analytic test functions, to be minimized, with their bounds, optima and sources.

use std::f64::consts::PI;

use libm::{cos, exp, expm1, sin, sqrt};

use gittins::{Cost, Points, Space};

use crate::exponentials::SquaredExponentials;

/// A function to be minimized over a box, with its known optimum.
///
/// ```
/// let problem = gittins_problems::branin();
/// assert!((problem.evaluate(&[std::f64::consts::PI, 2.275]) - problem.minimum()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Problem {
    name: &'static str,
    space: Space,
    function: fn(&[f64]) -> f64,
    minimum: f64,
    minimizers: Vec<Vec<f64>>,
    divisor: f64,
    /// Divisor `D` and coordinate `x*` of the [cost family](crate::CostFamily), if its paper gives
    /// them.
    pub(super) cost_wave: Option<(f64, f64)>,
    source: &'static str,
}

impl Problem {
    /// Its name, in lower case.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its box. All parameters are real, on linear scales, and named `x1`, `x2`, ...
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of parameters `d`.
    pub fn dim(&self) -> usize {
        self.space.dim()
    }

    /// The function at `d` values in its own units.
    ///
    /// # Panics
    /// If there is another number of values.
    pub fn evaluate(&self, values: &[f64]) -> f64 {
        assert_eq!(values.len(), self.dim(), "as many values as the problem has parameters");
        (self.function)(values)
    }

    /// The function at a point of the unit cube.
    ///
    /// # Panics
    /// If the point has another dimension.
    pub fn evaluate_unit(&self, unit: &[f64]) -> f64 {
        self.evaluate(&self.space.numbers_at(unit))
    }

    /// The outcome that the experiments of Xie et al. (2024, 2025) maximize: `-f / divisor` at a
    /// point of the unit cube.
    ///
    /// # Panics
    /// If the point has another dimension.
    pub fn score(&self, unit: &[f64]) -> f64 {
        -self.evaluate_unit(unit) / self.divisor
    }

    /// The divisor of [`score`](Self::score): 100 for Levy, 1e5 for Rosenbrock, 1 for the others.
    /// It matters because the exchange rate lambda acts on the scaled outcome.
    pub fn divisor(&self) -> f64 {
        self.divisor
    }

    /// The smallest value of the function over its box.
    pub fn minimum(&self) -> f64 {
        self.minimum
    }

    /// Every point where the minimum is reached, in the function's own units. [`alpine1`] has
    /// `8^d`; only the one in the middle is here.
    pub fn minimizers(&self) -> &[Vec<f64>] {
        &self.minimizers
    }

    /// The publication of the function in this form.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// A cost given on the unit cube (see [`costs`](crate::costs)) as a cost on this
    /// problem's own values.
    pub fn cost(
        &self,
        on_unit: impl Fn(&[f64], &mut [f64]) -> f64 + Send + Sync + 'static,
    ) -> Cost {
        carried(&self.space, on_unit)
    }
}

/// A cost on the unit cube as a cost on the values of a space.
pub(super) fn carried(
    space: &Space,
    on_unit: impl Fn(&[f64], &mut [f64]) -> f64 + Send + Sync + 'static,
) -> Cost {
    let space = space.clone();
    Cost::known_with_gradient(move |values, gradient| {
        // A point outside the box has no cost. NaN makes the caller's check name it.
        let Ok(unit) = space.to_unit(values) else { return f64::NAN };
        let cost = on_unit(&unit, gradient);
        gradient.iter_mut().zip(space.derivative(&unit)).for_each(|(slope, width)| *slope /= width);
        cost
    })
}

/// The same bounds for `x1` to `xd`.
fn cube(dim: usize, low: f64, high: f64) -> Space {
    (1..=dim).fold(Space::new(), |space, index| space.float(format!("x{index}"), low, high))
}

/// Branin: `(x2 - 5.1 x1^2 / (4 pi^2) + 5 x1 / pi - 6)^2 + 10 (1 - 1 / (8 pi)) cos x1 + 10` on
/// `[-5, 10] x [0, 15]`.
///
/// Three minimizers, `(-pi, 12.275)`, `(pi, 2.275)`, `(3 pi, 2.475)`, with value `10 / (8 pi)`.
pub fn branin() -> Problem {
    fn function(x: &[f64]) -> f64 {
        let valley = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
        valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * cos(x[0]) + 10.0
    }
    Problem {
        name: "branin",
        space: Space::new().float("x1", -5.0, 10.0).float("x2", 0.0, 15.0),
        function,
        minimum: 10.0 / (8.0 * PI),
        minimizers: vec![vec![-PI, 12.275], vec![PI, 2.275], vec![3.0 * PI, 2.475]],
        divisor: 1.0,
        cost_wave: None,
        source: "Dixon, Szego (1978), The global optimization problem: an introduction",
    }
}

/// Ackley: `20 + e - 20 exp(-0.2 sqrt(mean x^2)) - exp(mean cos 2 pi x)`, here on `[-1, 1]^d` as in
/// Xie et al.; 0 at `x = 0`. It has a kink there.
///
/// # Panics
/// If `dim` is zero.
pub fn ackley(dim: usize) -> Problem {
    fn function(x: &[f64]) -> f64 {
        let d = x.len() as f64;
        let radius = sqrt(x.iter().map(|x| x * x).sum::<f64>() / d);
        // Both exponentials are taken less their values at the optimum, and 1 - cos 2t = 2 sin^2 t.
        // So nothing cancels there.
        let ripple = x.iter().map(|&x| 2.0 * square(sin(PI * x))).sum::<f64>() / d;
        -20.0 * expm1(-0.2 * radius) - std::f64::consts::E * expm1(-ripple)
    }
    assert!(dim >= 1, "Ackley's function has at least one parameter");
    Problem {
        name: "ackley",
        space: cube(dim, -1.0, 1.0),
        function,
        minimum: 0.0,
        minimizers: vec![vec![0.0; dim]],
        divisor: 1.0,
        cost_wave: Some((1.0, 0.0)),
        source: "Ackley (1987), A connectionist machine for genetic hillclimbing",
    }
}

/// Levy: with `w = 1 + (x - 1) / 4`,
/// `sin^2(pi w_1) + sum_{i<d} (w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1)) + (w_d - 1)^2 (1 + sin^2(2 pi w_d))`
/// on `[-10, 10]^d`; 0 at `x = 1`.
///
/// # Panics
/// If `dim` is zero.
pub fn levy(dim: usize) -> Problem {
    fn function(x: &[f64]) -> f64 {
        let w = |x: &f64| 1.0 + (x - 1.0) / 4.0;
        let (last, rest) = x.split_last().expect("at least one parameter");
        let inner: f64 = rest
            .iter()
            .map(|x| square(w(x) - 1.0) * (1.0 + 10.0 * square(sin(PI * w(x) + 1.0))))
            .sum();
        square(sin(PI * w(&x[0])))
            + inner
            + square(w(last) - 1.0) * (1.0 + square(sin(2.0 * PI * w(last))))
    }
    assert!(dim >= 1, "Levy's function has at least one parameter");
    Problem {
        name: "levy",
        space: cube(dim, -10.0, 10.0),
        function,
        minimum: 0.0,
        minimizers: vec![vec![1.0; dim]],
        divisor: 100.0,
        cost_wave: None,
        source: "Laguna, Marti (2005), Experimental testing of advanced scatter search designs for global optimization of multimodal functions",
    }
}

/// Rosenbrock: `sum_{i<d} 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2` on `[-5, 10]^d`; 0 at `x = 1`.
///
/// # Panics
/// If `dim` is less than two.
pub fn rosenbrock(dim: usize) -> Problem {
    fn function(x: &[f64]) -> f64 {
        x.windows(2)
            .map(|pair| 100.0 * square(pair[1] - pair[0] * pair[0]) + square(1.0 - pair[0]))
            .sum()
    }
    assert!(dim >= 2, "Rosenbrock's function has at least two parameters");
    Problem {
        name: "rosenbrock",
        space: cube(dim, -5.0, 10.0),
        function,
        minimum: 0.0,
        minimizers: vec![vec![1.0; dim]],
        divisor: 1e5,
        cost_wave: None,
        source: "Rosenbrock (1960), An automatic method for finding the greatest or least value of a function",
    }
}

/// Hartmann in three dimensions: `-sum_i a_i exp(-sum_j A_ij (x_j - P_ij)^2)` on the unit cube,
/// four bumps.
///
/// `P_41` is 0.0381, as in most collections. The older 0.03815 moves the optimum by 2e-6.
pub fn hartmann3() -> Problem {
    Problem {
        name: "hartmann3",
        space: cube(3, 0.0, 1.0),
        function: |x| hartmann(&HARTMANN3_A, &HARTMANN3_P, x),
        minimum: -3.8627797873326624,
        minimizers: vec![vec![0.11458887665506896, 0.55564889461693, 0.8525469846866774]],
        divisor: 1.0,
        cost_wave: None,
        source: "Hartman (1973), Some experiments in global optimization",
    }
}

const HARTMANN3_A: [[f64; 3]; 4] =
    [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];
const HARTMANN3_P: [[f64; 3]; 4] = [
    [0.3689, 0.1170, 0.2673],
    [0.4699, 0.4387, 0.7470],
    [0.1091, 0.8732, 0.5547],
    [0.0381, 0.5743, 0.8828],
];
const HARTMANN_HEIGHTS: [f64; 4] = [1.0, 1.2, 3.0, 3.2];

/// Minus [`hartmann3`] term by term: a term `a exp(-A (x - P)^2)` has the lengthscale
/// `1 / sqrt(2 A)`.
pub(super) fn hartmann3_bumps() -> SquaredExponentials {
    let rows = |table: [[f64; 3]; 4]| {
        let mut points = Points::with_capacity(3, 4);
        for row in &table {
            points.push(row);
        }
        points
    };
    let lengthscales = rows(HARTMANN3_A.map(|row| row.map(|a| 1.0 / sqrt(2.0 * a))));
    SquaredExponentials::of_terms(0.0, HARTMANN_HEIGHTS.to_vec(), rows(HARTMANN3_P), lengthscales)
}

/// Hartmann in six dimensions: `-sum_i a_i exp(-sum_j A_ij (x_j - P_ij)^2)` on the unit cube, four
/// bumps.
pub fn hartmann6() -> Problem {
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    Problem {
        name: "hartmann6",
        space: cube(6, 0.0, 1.0),
        function: |x| hartmann(&A, &P, x),
        minimum: -3.3223680114155147,
        minimizers: vec![vec![
            0.20168951100670543,
            0.15001069182345797,
            0.476873974221897,
            0.2753324304940561,
            0.3116516166001132,
            0.6573005340656203,
        ]],
        divisor: 1.0,
        cost_wave: None,
        source: "Hartman (1973), Some experiments in global optimization",
    }
}

/// Dropwave: `-(1 + cos 12 r) / (r^2 / 2 + 2)`, `r = |x|`, on `[-5.12, 5.12]^2`; -1 at `x = 0`.
/// Rings of lower and lower ridges lie around it.
pub fn dropwave() -> Problem {
    fn function(x: &[f64]) -> f64 {
        let squared = square(x[0]) + square(x[1]);
        // 1 + cos 2t = 2 cos^2 t keeps its digits between the rings, where the cosine is -1.
        -square(cos(6.0 * sqrt(squared))) / (1.0 + 0.25 * squared)
    }
    Problem {
        name: "dropwave",
        space: cube(2, -5.12, 5.12),
        function,
        minimum: -1.0,
        minimizers: vec![vec![0.0; 2]],
        divisor: 1.0,
        cost_wave: Some((5.12, 0.0)),
        source: "Molga, Smutnicki (2005), Test functions for optimization needs",
    }
}

/// Alpine1: `sum |x sin x + 0.1 x|` on `[-10, 10]^d`; 0 if every coordinate is one of the eight
/// [`alpine1_roots`], so at `8^d` points. Each of them is a kink.
///
/// # Panics
/// If `dim` is zero.
pub fn alpine1(dim: usize) -> Problem {
    fn function(x: &[f64]) -> f64 {
        x.iter().map(|&x| (x * (sin(x) + 0.1)).abs()).sum()
    }
    assert!(dim >= 1, "Alpine's function has at least one parameter");
    Problem {
        name: "alpine1",
        space: cube(dim, -10.0, 10.0),
        function,
        minimum: 0.0,
        minimizers: vec![vec![0.0; dim]],
        divisor: 1.0,
        cost_wave: Some((10.0, 0.0)),
        source: "Jamil, Yang (2013), A literature survey of benchmark functions for global optimization problems",
    }
}

/// The coordinates where a term of [`alpine1`] is zero, in ascending order: 0, and the roots of
/// `sin x = -0.1` within `[-10, 10]`. They are rounded to the nearest doubles. A term there has the
/// size of that rounding, 1e-15.
pub fn alpine1_roots() -> [f64; 8] {
    [
        -9.324_610_539_607_82,
        -6.383_352_728_341_146,
        -3.041_425_232_428_233_4,
        -0.100_167_421_161_559_8,
        0.0,
        3.241_760_074_751_353,
        6.183_017_886_018_026_5,
        9.524_945_381_930_939,
    ]
}

/// Shekel's function with five holes: `-sum_j 1 / (|x - C_j|^2 + b_j)` on `[0, 10]^4`,
/// `b = (1, 2, 2, 4, 4) / 10`; -10.1532 next to the deepest, `(4, 4, 4, 4)`. The other four holes
/// move the minimum by 1e-4.
pub fn shekel5() -> Problem {
    const HOLES: [([f64; 4], f64); 5] = [
        ([4.0; 4], 0.1),
        ([1.0; 4], 0.2),
        ([8.0; 4], 0.2),
        ([6.0; 4], 0.4),
        ([3.0, 7.0, 3.0, 7.0], 0.4),
    ];
    fn function(x: &[f64]) -> f64 {
        let hole = |(center, width): &([f64; 4], f64)| {
            1.0 / (x.iter().zip(center).map(|(x, c)| square(x - c)).sum::<f64>() + width)
        };
        -HOLES.iter().map(hole).sum::<f64>()
    }
    const MINIMIZER: [f64; 4] =
        [4.000_037_152_819_676, 4.000_133_276_591_56, 4.000_037_152_819_676, 4.000_133_276_591_56];
    Problem {
        name: "shekel5",
        space: cube(4, 0.0, 10.0),
        function,
        minimum: -10.153_199_679_058_227,
        minimizers: vec![MINIMIZER.to_vec()],
        divisor: 1.0,
        cost_wave: Some((4.0, 4.0)),
        source: "Dixon, Szego (1978), The global optimization problem: an introduction",
    }
}

fn hartmann<const D: usize>(a: &[[f64; D]; 4], p: &[[f64; D]; 4], x: &[f64]) -> f64 {
    let bump = |row: usize| {
        let distance: f64 = (0..D).map(|j| a[row][j] * square(x[j] - p[row][j])).sum();
        HARTMANN_HEIGHTS[row] * exp(-distance)
    };
    -(0..4).map(bump).sum::<f64>()
}

fn square(x: f64) -> f64 {
    x * x
}
