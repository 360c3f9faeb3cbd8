//! L-BFGS-B against `SciPy`'s on a suite of bounded problems, and properties without a `SciPy` oracle.

mod functions;

use self::functions::evaluate;
use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::{
    LBFGSB_ACTIVE, LBFGSB_BARRIER, LBFGSB_CHANCE, LBFGSB_SPREAD, LBFGSB_STORED,
};
use gittins::ErrorKind;
use gittins::internals::lbfgsb::{Lbfgsb, Minimum, Settings, Status, minimize};
use serde_json::Value;

/// One row of the table, with `SciPy`'s result.
struct Case {
    name: String,
    function: String,
    condition: f64,
    start: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    scipy: Scipy,
}

struct Scipy {
    /// `None` if `SciPy` failed.
    status: Option<Status>,
    point: Vec<f64>,
    value: f64,
    iterations: usize,
    evaluations: usize,
    active: String,
    /// The spread over starts moved by 1e-12: of the end, the value and the evaluations.
    point_spread: f64,
    values: [f64; 2],
    evaluations_span: [usize; 2],
}

impl Case {
    fn all() -> Vec<Self> {
        table("lbfgsb")["cases"]
            .as_array()
            .expect("a list of cases")
            .iter()
            .map(Self::read)
            .collect()
    }

    fn converging() -> Vec<Self> {
        Self::all()
            .into_iter()
            .filter(|case| case.function != "barrier" && case.function != "cliff")
            .collect()
    }

    fn read(row: &Value) -> Self {
        let text =
            |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{key} in {row}")).to_owned();
        let count =
            |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{value} in {row}")) as usize;
        // A list of one entry stands for all coordinates.
        let spread = |key: &str| match numbers(&row[key]) {
            short if short.len() == 1 => vec![short[0]; count(&row["dim"])],
            long => long,
        };
        let status = match text("message").as_str() {
            "CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL" => Some(Status::ConvergedGradient),
            "CONVERGENCE: RELATIVE REDUCTION OF F <= FACTR*EPSMCH" => Some(Status::ConvergedValue),
            _ => None,
        };
        let values =
            if row["values"].is_null() { vec![f64::NAN; 2] } else { numbers(&row["values"]) };
        Self {
            name: text("name"),
            function: text("function"),
            condition: row["condition"].as_f64().unwrap_or(f64::NAN),
            start: spread("start"),
            lower: spread("lower"),
            upper: spread("upper"),
            scipy: Scipy {
                status,
                point: numbers(&row["point"]),
                value: number(&row["value"]),
                iterations: count(&row["iterations"]),
                evaluations: count(&row["evaluations"]),
                active: text("active"),
                point_spread: number(&row["point_spread"]),
                values: [values[0], values[1]],
                evaluations_span: [
                    count(&row["evaluations_span"][0]),
                    count(&row["evaluations_span"][1]),
                ],
            },
        }
    }

    fn evaluate(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        evaluate(&self.function, self.condition, x, gradient)
    }

    fn state(&self) -> Lbfgsb {
        let settings = Settings { max_iterations: 15_000, ..Settings::default() };
        Lbfgsb::new(&self.start, &self.lower, &self.upper, &settings)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn minimize(&self) -> Minimum {
        let settings = Settings { max_iterations: 15_000, ..Settings::default() };
        minimize(&self.start, &self.lower, &self.upper, &settings, |x, g| self.evaluate(x, g))
            .expect("a valid problem")
    }

    /// The bounds that hold: `-` at the lower bound, `+` at the upper, `=` fixed, `.` free.
    fn active(&self, point: &[f64]) -> String {
        let near = |x: f64, bound: f64| (x - bound).abs() <= LBFGSB_ACTIVE * x.abs().max(1.0);
        let side = |(i, &x): (usize, &f64)| match (self.lower[i], self.upper[i]) {
            (l, u) if l == u => '=',
            (l, _) if near(x, l) => '-',
            (_, u) if near(x, u) => '+',
            _ => '.',
        };
        point.iter().enumerate().map(side).collect()
    }
}

#[test]
fn goes_the_way_of_scipy() {
    let mut steady = 0;
    for case in Case::converging() {
        let (ours, scipy, name) = (case.minimize(), &case.scipy, &case.name);
        let [least, most] = scipy.evaluations_span;
        let [lowest, highest] = scipy.values;
        let stored = LBFGSB_STORED * scipy.value.abs().max(1.0);
        assert!(
            ours.value <= highest + LBFGSB_SPREAD * (highest - lowest) + stored,
            "{name}: {} above {highest}",
            ours.value
        );
        let active = case.active(&ours.point);
        let differing =
            active.chars().zip(scipy.active.chars()).filter(|(a, b)| a != b && *b != '?').count();
        // If SciPy's own active set is an accident in some coordinates, one more run may add to
        // these coordinates.
        let accidents = scipy.active.matches('?').count();
        assert!(differing <= accidents / 4, "{name}: {active}, SciPy {}", scipy.active);
        if least == most {
            // Only rounding could make a difference here, and it makes none.
            steady += 1;
            assert_eq!(
                (ours.iterations, ours.evaluations),
                (scipy.iterations, scipy.evaluations),
                "{name}"
            );
            assert_eq!(Some(ours.status), scipy.status, "{name}");
            assert!(
                (ours.value - scipy.value).abs() <= LBFGSB_SPREAD * (highest - lowest) + stored,
                "{name}: {}, SciPy {}",
                ours.value,
                scipy.value
            );
            for (i, (a, b)) in ours.point.iter().zip(&scipy.point).enumerate() {
                let tolerance =
                    LBFGSB_SPREAD * scipy.point_spread + LBFGSB_STORED * b.abs().max(1.0);
                assert!(
                    (a - b).abs() <= tolerance,
                    "{name}, coordinate {i}: {a}, SciPy {b}, tolerance {tolerance}"
                );
            }
        } else {
            let (least, most) = (least as f64 / LBFGSB_CHANCE, most as f64 * LBFGSB_CHANCE);
            assert!(
                (least..=most).contains(&(ours.evaluations as f64)),
                "{name}: {} evaluations, SciPy {least} to {most}",
                ours.evaluations
            );
            assert!(
                matches!(ours.status, Status::ConvergedValue | Status::ConvergedGradient),
                "{name}: {:?}",
                ours.status
            );
        }
    }
    assert_eq!(steady, 64, "problems whose course does not hang on rounding");
}

#[test]
fn draws_back_from_values_that_are_not_finite() {
    // SciPy stops at once on these problems. Their minima are known.
    for case in
        Case::all().iter().filter(|case| case.function == "barrier" || case.function == "cliff")
    {
        let d = case.start.len();
        let expected: f64 = match case.name.as_str() {
            "cliff 2" => 2.0 * (3.0 - 3.0 * 3f64.ln()),
            "cliff 3, boxed" => 2.0 * (3.0 - 3.0 * 3f64.ln()) + 0.4f64.exp() - 3.0 * 0.4,
            _ => (1..=d).map(|w| 0.1 - 0.1 * (0.1 / w as f64).ln()).sum(),
        };
        let ours = case.minimize();
        assert!(
            ours.value <= case.scipy.value || case.scipy.value.is_nan(),
            "{}: {} above SciPy's {}",
            case.name,
            ours.value,
            case.scipy.value
        );
        assert!(
            (ours.value - expected).abs() <= LBFGSB_BARRIER,
            "{}: {} for {expected}",
            case.name,
            ours.value
        );
    }
}

#[test]
fn together_is_bit_for_bit_as_alone() {
    let cases = Case::all();
    let mut states: Vec<Lbfgsb> = cases.iter().map(Case::state).collect();
    while states.iter().any(|state| state.status() == Status::Running) {
        for (case, state) in
            cases.iter().zip(&mut states).filter(|(_, state)| state.status() == Status::Running)
        {
            let mut gradient = vec![0.0; state.point().len()];
            let value = case.evaluate(state.point(), &mut gradient);
            state.advance(value, &gradient);
        }
    }
    for (case, state) in cases.iter().zip(&states) {
        let alone = case.minimize();
        let (point, value) = state.best();
        assert_eq!(value.to_bits(), alone.value.to_bits(), "{}", case.name);
        assert!(
            point.iter().zip(&alone.point).all(|(a, b)| a.to_bits() == b.to_bits()),
            "{}",
            case.name
        );
        assert_eq!(
            (state.iterations(), state.evaluations(), state.status()),
            (alone.iterations, alone.evaluations, alone.status),
            "{}",
            case.name
        );
    }
}

#[test]
fn every_point_is_within_the_box_and_the_best_never_worsens() {
    for case in Case::all() {
        let mut state = case.state();
        let mut gradient = vec![0.0; case.start.len()];
        let mut before = f64::INFINITY;
        while state.status() == Status::Running {
            for (i, x) in state.point().iter().enumerate() {
                assert!(
                    x.is_finite() && (case.lower[i]..=case.upper[i]).contains(x),
                    "{}, coordinate {i}: {x}",
                    case.name
                );
            }
            let value = case.evaluate(state.point(), &mut gradient);
            state.advance(value, &gradient);
            let best = state.best().1;
            assert!(best <= before, "{}: {best} after {before}", case.name);
            before = best;
        }
        // The best point has the stated value, and it has converged if the status says so.
        let (point, value) = state.best();
        assert_eq!(case.evaluate(point, &mut gradient).to_bits(), value.to_bits(), "{}", case.name);
        assert_eq!(state.gradient(), gradient, "{}", case.name);
        let flat = state.gradient_norm() <= Settings::default().gradient_tolerance;
        assert_eq!(
            flat,
            state.status() == Status::ConvergedGradient,
            "{}: {:?}",
            case.name,
            state.status()
        );
    }
}

#[test]
fn hostile_values_end_the_search_without_a_point_that_is_no_number() {
    // Values and gradients that contradict each other, overflow, or are not numbers. A counter
    // fixes their order.
    let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 1e-320, 0.0, 1.0];
    for (lower, upper) in [(-1.0, 1.0), (f64::NEG_INFINITY, f64::INFINITY), (0.0, f64::INFINITY)] {
        for salt in 0..64_u64 {
            let mut state =
                Lbfgsb::new(&[0.5, 0.25, 0.125], &[lower; 3], &[upper; 3], &Settings::default())
                    .unwrap();
            state.advance(1.0, &[1.0, -2.0, 1e200]);
            let mut draw = salt;
            let mut next = || {
                draw = draw
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                hostile[(draw >> 61) as usize]
            };
            while state.status() == Status::Running {
                assert!(
                    state.point().iter().all(|x| x.is_finite() && (lower..=upper).contains(x)),
                    "{:?}",
                    state.point()
                );
                let value = next();
                state.advance(value, &[next(), next(), next()]);
            }
            assert!(state.best().1 <= 1.0 && state.best().0.iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn a_failed_search_is_begun_again_without_the_memory() {
    let settings = Settings::default();
    let mut state =
        Lbfgsb::new(&[-1.2, 1.0], &[f64::NEG_INFINITY; 2], &[f64::INFINITY; 2], &settings).unwrap();
    let mut gradient = [0.0; 2];
    while state.iterations() < 5 {
        let value = evaluate("rosenbrock", f64::NAN, state.point(), &mut gradient);
        state.advance(value, &gradient);
    }
    let (best, value) = (state.best().0.to_vec(), state.best().1);
    let across = |state: &Lbfgsb| {
        let (dx, dy) = (state.point()[0] - best[0], state.point()[1] - best[1]);
        let g = state.gradient();
        (dx * g[1] - dy * g[0]) / (dx.hypot(dy) * g[0].hypot(g[1]))
    };
    // The sine of the angle between the step and the gradient. Curvature bends the first search.
    // The second search goes straight down.
    assert!(across(&state).abs() > 0.1, "the model has no curvature");
    for _ in 0..20 {
        assert_eq!(state.status(), Status::Running);
        state.advance(f64::NAN, &gradient);
    }
    assert!(across(&state).abs() < 1e-12, "not along the gradient: {}", across(&state));
    for _ in 0..20 {
        assert_eq!(state.status(), Status::Running);
        state.advance(f64::NAN, &gradient);
    }
    assert_eq!((state.status(), state.best()), (Status::LineSearchFailed, (&best[..], value)));
}

#[test]
fn a_start_that_is_not_finite_says_so_and_stays() {
    for (value, gradient) in [
        (f64::NAN, [0.0, 0.0]),
        (f64::INFINITY, [0.0, 0.0]),
        (1.0, [f64::NAN, 0.0]),
        (1.0, [0.0, f64::INFINITY]),
    ] {
        let mut state =
            Lbfgsb::new(&[0.5, 9.0], &[0.0; 2], &[1.0; 2], &Settings::default()).unwrap();
        assert_eq!(state.point(), [0.5, 1.0], "moved into the box");
        assert_eq!(state.advance(value, &gradient), Status::NonFinite);
        assert_eq!(state.advance(0.0, &[1.0, 1.0]), Status::NonFinite, "the end is the end");
        assert_eq!(
            (state.evaluations(), state.iterations(), state.best().0),
            (1, 0, &[0.5, 1.0][..])
        );
    }
}

#[test]
fn limits_are_kept_to_the_evaluation() {
    let rosenbrock = |x: &[f64], g: &mut [f64]| evaluate("rosenbrock", f64::NAN, x, g);
    let free = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
    for limit in 1..40 {
        let settings = Settings { max_evaluations: limit, ..Settings::default() };
        let end = minimize(&[-1.2, 1.0], &free.0, &free.1, &settings, rosenbrock).unwrap();
        assert_eq!((end.status, end.evaluations), (Status::EvaluationLimit, limit));
        let settings = Settings { max_iterations: limit.min(30), ..Settings::default() };
        let end = minimize(&[-1.2, 1.0], &free.0, &free.1, &settings, rosenbrock).unwrap();
        assert_eq!((end.status, end.iterations), (Status::IterationLimit, limit.min(30)));
    }
}

#[test]
fn nothing_to_move_is_converged_at_once() {
    let fixed = minimize(&[3.0, 3.0], &[1.0, 2.0], &[1.0, 2.0], &Settings::default(), |x, g| {
        g.copy_from_slice(&[5.0, -5.0]);
        x[0] + x[1]
    })
    .unwrap();
    assert_eq!(
        (fixed.status, fixed.evaluations, fixed.point, fixed.value),
        (Status::ConvergedGradient, 1, vec![1.0, 2.0], 3.0)
    );
}

#[test]
fn a_function_without_a_minimum_ends_at_a_limit() {
    let end =
        minimize(&[0.0], &[f64::NEG_INFINITY], &[f64::INFINITY], &Settings::default(), |x, g| {
            g[0] = 1.0;
            x[0]
        })
        .unwrap();
    assert!(end.value < -1e10 && end.value.is_finite(), "{end:?}");
}

#[test]
fn bad_input_names_its_coordinate() {
    let settings = Settings::default();
    let kind = |start: &[f64], lower: &[f64], upper: &[f64], settings: &Settings, names: &str| {
        let error = Lbfgsb::new(start, lower, upper, settings).expect_err(names);
        assert!(error.to_string().contains(names), "{error} names {names}");
        error.kind()
    };
    let (zero, one) = ([0.0; 3], [1.0; 3]);
    assert_eq!(kind(&[], &[], &[], &settings, "no coordinates"), ErrorKind::Empty);
    assert_eq!(kind(&[0.5; 2], &zero, &one, &settings, "2 coordinates"), ErrorKind::Dimension);
    assert_eq!(kind(&zero, &zero, &one[..2], &settings, "2 upper bounds"), ErrorKind::Dimension);
    assert_eq!(
        kind(&zero, &[0.0, 2.0, 0.0], &one, &settings, "coordinate 1"),
        ErrorKind::InvalidSetting
    );
    assert_eq!(
        kind(
            &zero,
            &[0.0, 0.0, f64::INFINITY],
            &[1.0, 1.0, f64::INFINITY],
            &settings,
            "coordinate 2"
        ),
        ErrorKind::InvalidSetting
    );
    assert_eq!(
        kind(&zero, &zero, &[1.0, 1.0, f64::NAN], &settings, "coordinate 2"),
        ErrorKind::NonFinite
    );
    assert_eq!(
        kind(&[0.0, f64::NAN, 0.0], &zero, &one, &settings, "coordinate 1"),
        ErrorKind::NonFinite
    );
    assert_eq!(
        kind(&zero, &zero, &one, &Settings { memory: 0, ..Settings::default() }, "memory"),
        ErrorKind::InvalidSetting
    );
    let tolerance = Settings { gradient_tolerance: f64::NAN, ..Settings::default() };
    assert_eq!(
        kind(&zero, &zero, &one, &tolerance, "gradient_tolerance"),
        ErrorKind::InvalidSetting
    );
}
