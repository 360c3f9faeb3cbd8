//! Where to go, when to stop and what was best, compared with an exhaustive search: at the edge of
//! the box, between data, with and without noise.

use std::sync::{Arc, Mutex};

use gittins::data::Warping;
use gittins::model::Noise;
use gittins::stop::{Form, Statistic};
use gittins::study::{Search, Why};
use gittins::suggest::Incumbent;
use gittins::{
    Acquisition, Backend, Cost, Cpu, GaussianProcess, GittinsRule, Job, Outcome, Points, Pointwise,
    Result, Scores, Space, StopContext, StopRule, Study,
};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

fn cube(dim: usize) -> Space {
    (0..dim).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0))
}

fn normal(random: &mut Pcg64) -> f64 {
    StandardNormal.sample(random)
}

/// The answer of the rule, and the best that an exhaustive search found.
#[derive(Debug, Clone)]
struct Heard {
    fired: bool,
    statistic: f64,
    /// The largest index minus the incumbent, on a fine grid and next to the data.
    everywhere: f64,
    /// The answers of the other two forms of the rule.
    other_forms: [bool; 2],
}

/// The Gittins rule with an exhaustive search beside it, at each verdict or only at each stop.
struct Judged {
    lambda: f64,
    always: bool,
    grid: usize,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl StopRule for Judged {
    fn name(&self) -> &'static str {
        "judged"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let statistic = GittinsRule::priced(self.lambda).check(context)?;
        let Some(surrogate) = context.surrogate().filter(|_| statistic.fired || self.always) else {
            return Ok(statistic);
        };
        let (data, _) = context.observations().complete();
        let acquisition = surrogate.standardized(&Acquisition::gittins(self.lambda));
        let mut scores = Scores::default();
        Cpu.evaluate(
            &surrogate.job(&acquisition).gradient(false).keep(Some(1)),
            &everywhere(&data, self.grid),
            &mut scores,
        )?;
        let forms = [Form::LogImprovementPerCost, Form::ImprovementPerCost];
        let mut other_forms = [false; 2];
        for (fired, form) in other_forms.iter_mut().zip(forms) {
            *fired = GittinsRule::priced(self.lambda).form(form).check(context)?.fired;
        }
        let best = surrogate.scale().undo_difference(scores.value[0] - surrogate.incumbent());
        let heard = Heard {
            fired: statistic.fired,
            statistic: statistic.value,
            everywhere: best,
            other_forms,
        };
        self.heard.lock().unwrap().push(heard);
        Ok(statistic)
    }
}

/// A grid of about `count` points (random points in more than two dimensions), and points at many
/// distances from each datum. No point is a datum.
fn everywhere(data: &Points, count: usize) -> Points {
    let (dim, mut points, mut random) =
        (data.dim(), Points::new(data.dim()), Pcg64::seed_from_u64(99));
    let side = (count as f64).powf(1.0 / dim as f64) as usize;
    match dim {
        1 => (0..=side).for_each(|i| points.push(&[i as f64 / side as f64])),
        2 => (0..(side + 1).pow(2)).for_each(|i| {
            points.push(&[
                (i % (side + 1)) as f64 / side as f64,
                (i / (side + 1)) as f64 / side as f64,
            ]);
        }),
        _ => (0..count)
            .for_each(|_| points.push(&(0..dim).map(|_| random.random()).collect::<Vec<f64>>())),
    }
    for datum in data.rows() {
        for distance in [1e-9, 1e-6, 1e-4, 1e-3, 1e-2] {
            for _ in 0..8 {
                let some = random.random_range(1..=dim);
                let mut point = datum.to_vec();
                for k in (0..dim).filter(|k| *k < some) {
                    let moved = datum[k] + distance * normal(&mut random);
                    point[k] =
                        if (0.0..=1.0).contains(&moved) { moved } else { 2.0 * datum[k] - moved }
                            .clamp(0.0, 1.0);
                }
                if point != datum {
                    points.push(&point);
                }
            }
        }
    }
    points
}

/// The answers of the rule at up to three stops of a run that goes on. The function has its maximum
/// in a corner, and noise.
fn stops_at_a_corner(dim: usize, seed: u64, noise: f64, lambda: f64) -> Vec<Heard> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut random = Pcg64::seed_from_u64(seed);
    let terms: Vec<(bool, f64)> =
        (0..dim).map(|_| (random.random(), 0.3 + random.random::<f64>())).collect();
    let function = |x: &[f64]| -> f64 {
        let term = |(&x, &(up, weight)): (&f64, &(bool, f64))| {
            let t = if up { x } else { 1.0 - x };
            weight * (t + 0.3 * t * t) + 0.1 * (5.0 * t).sin()
        };
        x.iter().zip(&terms).map(term).sum()
    };
    let learned = seed % 2 == 1;
    let model = if seed % 4 < 2 {
        GaussianProcess::new()
    } else {
        GaussianProcess::new().noise(Noise::Fixed(noise * noise / 0.3))
    };
    let mut study = Study::maximize(cube(dim))
        .policy(Acquisition::gittins(lambda))
        .cost(if learned { Cost::learned() } else { Cost::uniform(1.0) })
        .model(model)
        .stop(Judged { lambda, always: false, grid: 20_000, heard: heard.clone() })
        .backend(Arc::new(Cpu))
        .seed(seed)
        .build()
        .unwrap();
    let mut stops = 0;
    for _ in 0..60 {
        let ask = study.ask().unwrap();
        let outcome = Outcome::new(function(ask.numbers()) + noise * normal(&mut random));
        study
            .tell(ask.id(), if learned { outcome.cost(0.5 + ask.numbers()[0]) } else { outcome })
            .unwrap();
        stops += usize::from(study.verdict().unwrap().is_stop());
        if stops == 3 {
            break;
        }
    }
    heard.lock().unwrap().clone()
}

fn corners(seeds: u64) {
    for dim in [1, 2, 4] {
        let cases: Vec<(u64, f64, f64)> = (0..seeds)
            .flat_map(|seed| {
                [(seed, 0.02, 1e-2), (seed, 0.1, 1e-2), (seed, 0.02, 1e-3), (seed, 0.1, 1e-3)]
            })
            .collect();
        let stops: Vec<Heard> = cases
            .par_iter()
            .flat_map(|&(seed, noise, lambda)| stops_at_a_corner(dim, seed, noise, lambda))
            .collect();
        assert!(stops.len() > 8 * seeds as usize, "only {} stops in {dim} dimensions", stops.len());
        let wrong: Vec<&Heard> = stops
            .iter()
            .filter(|heard| heard.everywhere > 0.0 || heard.other_forms != [true, true])
            .collect();
        assert!(
            wrong.is_empty(),
            "{} of {} stops in {dim} dimensions, the first {:?}",
            wrong.len(),
            stops.len(),
            wrong[0]
        );
    }
}

#[test]
fn no_stop_overlooks_a_point_next_to_a_corner() {
    corners(4);
}

#[test]
#[ignore = "takes minutes"]
fn no_stop_overlooks_a_point_next_to_a_corner_in_a_thousand() {
    corners(32);
}

/// One verdict on a random function, told at random places. Many of them are at the edge.
fn verdict_on_a_random_function(dim: usize, seed: u64, learned: bool, noise: f64) -> Heard {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut random = Pcg64::seed_from_u64(7 * seed + dim as u64);
    let lambda = [1e-3, 1e-2, 1e-1][seed as usize % 3];
    let wave = |random: &mut Pcg64| -> (Vec<f64>, f64, f64) {
        let frequencies = (0..dim).map(|_| 6.0 * normal(random)).collect();
        (frequencies, 6.0 * random.random::<f64>(), normal(random))
    };
    let waves: Vec<_> = (0..5).map(|_| wave(&mut random)).collect();
    let function = |x: &[f64]| -> f64 {
        let dot = |w: &[f64]| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
        waves.iter().map(|(w, phase, height)| height * (dot(w) + phase).sin()).sum()
    };
    let mut study = Study::maximize(cube(dim))
        .policy(Acquisition::gittins(lambda))
        .cost(if learned { Cost::learned() } else { Cost::uniform(1.0) })
        .stop(Judged { lambda, always: true, grid: 40_000, heard: heard.clone() })
        .backend(Arc::new(Cpu))
        .initial(0)
        .seed(seed)
        .build()
        .unwrap();
    for _ in 0..3 + seed as usize * 5 % 22 {
        let mut coordinate = || match random.random_range(0..10) {
            0 => 0.0,
            1 => 1.0,
            _ => random.random::<f64>(),
        };
        let x: Vec<f64> = (0..dim).map(|_| coordinate()).collect();
        let outcome = Outcome::new(function(&x) + noise * normal(&mut random));
        study
            .import(&x, if learned { outcome.cost((0.5 + x[0]).powi(2)) } else { outcome })
            .unwrap();
    }
    study.verdict().unwrap();
    let heard = heard.lock().unwrap();
    heard[0].clone()
}

fn verdicts(seeds: u64) {
    for dim in [1, 2] {
        for (learned, noise) in [(false, 0.0), (false, 0.05), (true, 0.0), (true, 0.05)] {
            let all: Vec<Heard> = (0..seeds)
                .into_par_iter()
                .map(|seed| verdict_on_a_random_function(dim, seed, learned, noise))
                .collect();
            for (seed, heard) in all.iter().enumerate() {
                let place = format!(
                    "seed {seed}, {dim} dimensions, learned {learned}, noise {noise}: {heard:?}"
                );
                // A search climbs. A grid hits the top of a peak only by chance.
                assert!(
                    heard.statistic >= heard.everywhere - 1e-6 * heard.everywhere.abs().max(1.0),
                    "{place}"
                );
                assert_eq!(heard.fired, heard.everywhere <= 0.0, "{place}");
                assert_eq!(heard.other_forms, [heard.fired; 2], "{place}");
            }
        }
    }
}

#[test]
fn verdicts_are_those_of_a_fine_grid() {
    verdicts(16);
}

#[test]
#[ignore = "takes a minute"]
fn six_hundred_verdicts_are_those_of_a_fine_grid() {
    verdicts(75);
}

/// The corner was evaluated, either exactly or a billionth beside it. This makes no difference to
/// the comparison or to the next place.
#[test]
fn an_evaluated_corner_does_not_hide_its_basin() {
    let judged = |corner: f64, incumbent: Incumbent| {
        let mut study = Study::maximize(cube(1))
            .policy(Acquisition::gittins(1e-4))
            .initial(4)
            .model(GaussianProcess::new().fixed_kernel(vec![0.6], 2.0).noise(Noise::Fixed(0.05)))
            .incumbent(incumbent)
            .build()
            .unwrap();
        for (x, y) in
            [(0.05, 0.1), (0.3, 0.55), (0.5, 0.95), (0.75, 1.6), (corner, 2.3), (0.97, 2.05)]
        {
            study.import(&[x], Outcome::new(y)).unwrap();
        }
        let ask = study.ask().unwrap();
        (ask.numbers()[0], study.verdict().unwrap())
    };
    for incumbent in [Incumbent::BestOutcome, Incumbent::PosteriorMean] {
        let ((at, corner), (beside, next)) =
            (judged(1.0, incumbent), judged(1.0 - 1e-9, incumbent));
        assert_eq!(corner.is_stop(), next.is_stop());
        assert!(
            (corner.reason().statistic - next.reason().statistic).abs() < 1e-6,
            "{corner:?} and {next:?}"
        );
        assert!(at > 0.85 && beside > 0.85, "{at} and {beside}");
        match incumbent {
            // This is an improvement of the function itself on the best outcome: the box next to
            // the corner is worth opening.
            Incumbent::BestOutcome => {
                assert!(!corner.is_stop());
                assert!(
                    corner.reason().worth.is_some_and(|worth| worth.gain > worth.price),
                    "{}",
                    corner.reason()
                );
            }
            // The incumbent is 2.18 +- 0.14 anywhere in the corner, so no outcome there would
            // change the recommendation.
            _ => assert!(
                corner.is_stop() && corner.reason().statistic > -0.01,
                "{}",
                corner.reason()
            ),
        }
    }
}

/// Without noise the best place of an improvement may be a point that has an outcome already. The
/// next suggestion is then next to that point, without a jump.
#[test]
fn what_was_evaluated_is_left_by_a_step() {
    let model = GaussianProcess::new().fixed_kernel(vec![2.0], 1.0).noise(Noise::Fixed(0.0));
    let mut study = Study::maximize(cube(1))
        .policy(Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 0.0 }))
        .model(model)
        .initial(0)
        .build()
        .unwrap();
    for x in [0.0, 0.2, 0.5, 1.0] {
        study.import(&[x], Outcome::new(x)).unwrap();
    }
    for _ in 0..3 {
        let ask = study.ask().unwrap();
        let Why::Suggested(why) = ask.why().clone() else { panic!("{}", ask.why()) };
        assert!(!why.repeated && (0.85..1.0).contains(&ask.numbers()[0]), "{:?}", ask.numbers());
        study.tell(ask.id(), Outcome::new(ask.numbers()[0])).unwrap();
    }
}

/// The noise floor does not decide: without noise a run ends once the price is too high.
#[test]
fn a_smooth_function_without_noise_is_soon_done() {
    // The worse half of the outcomes is not smooth once it is warped, and takes more trials.
    for (dim, warping, limit) in [
        (1, Warping::None, 12),
        (2, Warping::None, 25),
        (1, Warping::HalfRank, 16),
        (2, Warping::HalfRank, 30),
    ] {
        for seed in 0..3 {
            let mut study = Study::minimize(cube(dim))
                .policy(Acquisition::gittins(1e-6))
                .warping(warping)
                .backend(Arc::new(Cpu))
                .seed(seed)
                .build()
                .unwrap();
            let mut trials = 0;
            loop {
                let ask = study.ask().unwrap();
                let bowl = ask
                    .numbers()
                    .iter()
                    .enumerate()
                    .map(|(k, x)| (x - 0.37 - 0.1 * k as f64).powi(2))
                    .sum();
                study.tell(ask.id(), Outcome::new(bowl)).unwrap();
                trials += 1;
                if study.verdict().unwrap().is_stop() {
                    break;
                }
                assert!(
                    trials < limit,
                    "{dim} dimensions, seed {seed}: no stop in {trials} trials"
                );
            }
            // The price of the next trial bounds the remaining gain.
            assert!(
                study.best().unwrap().outcome.unwrap() < 2e-6,
                "{dim} dimensions, seed {seed}: {:?}",
                study.best()
            );
        }
    }
}

/// A peak on waves. The height of the peak is the unit of the regret.
fn peak(random: &mut Pcg64) -> impl Fn(f64) -> f64 + use<> {
    let center: f64 = random.random();
    move |x: f64| 3.0 * (-(x - center).powi(2) / 0.18).exp() + 0.3 * (9.0 * x).sin()
}

/// Every run ends if the noise is a third of the signal, or as large as the signal.
#[test]
fn noisy_runs_end() {
    let cases: Vec<(f64, u64)> =
        [0.3, 1.0].into_iter().flat_map(|noise| (0..8).map(move |seed| (noise, seed))).collect();
    cases.into_par_iter().for_each(|(noise, seed)| {
        let mut random = Pcg64::seed_from_u64(seed + 1000);
        let function = peak(&mut random);
        let mut study = Study::maximize(cube(1))
            .policy(Acquisition::gittins(0.003))
            .backend(Arc::new(Cpu))
            .seed(seed)
            .build()
            .unwrap();
        for trial in 0.. {
            assert!(trial < 100, "seed {seed}, noise {noise}: no end");
            let ask = study.ask().unwrap();
            study
                .tell(
                    ask.id(),
                    Outcome::new(function(ask.numbers()[0]) + noise * normal(&mut random)),
                )
                .unwrap();
            if study.verdict().unwrap().is_stop() {
                break;
            }
        }
    });
}

/// After forty noisy trials the recommended trial is better than the luckiest one on average, and
/// its outcome is right within the stated error.
#[test]
fn what_is_recommended_is_not_luck() {
    let run = |seed: u64| {
        let mut random = Pcg64::seed_from_u64(seed);
        let function = peak(&mut random);
        let top = (0..=4000).map(|i| function(f64::from(i) / 4000.0)).fold(f64::MIN, f64::max);
        let mut study = Study::maximize(cube(1))
            .policy(Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 }))
            .search(Search::new(64, 4));
        study = study.backend(Arc::new(Cpu)).seed(seed);
        let mut study = study.build().unwrap();
        for _ in 0..40 {
            let ask = study.ask().unwrap();
            study
                .tell(ask.id(), Outcome::new(function(ask.numbers()[0]) + normal(&mut random)))
                .unwrap();
        }
        let recommendation = study.recommendation().unwrap().unwrap();
        assert!(
            recommendation.sd > 0.0 && recommendation.to_string().contains("posterior mean"),
            "{recommendation}"
        );
        let truth = function(recommendation.numbers()[0]);
        (
            top - truth,
            top - function(study.best().unwrap().numbers()[0]),
            (recommendation.mean - truth) / recommendation.sd,
        )
    };
    let runs: Vec<(f64, f64, f64)> = (0..32).into_par_iter().map(run).collect();
    let mean =
        |of: fn(&(f64, f64, f64)) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    let (recommended, luckiest) = (mean(|r| r.0), mean(|r| r.1));
    assert!(recommended < 0.7 * luckiest, "{recommended} and {luckiest}");
    // The largest of several means is too large by chance, but by less than two of its own
    // deviations.
    assert!(mean(|r| r.2).abs() < 2.0, "{}", mean(|r| r.2));
}

/// Rows and cells with an outcome are asked for again if outcomes are noisy, and never otherwise.
#[test]
fn rows_and_cells_are_repeated_for_noise_only() {
    let table =
        || gittins::Table::new(["x"], (0..16).map(|i| vec![f64::from(i)]).collect()).unwrap();
    let domains =
        || [gittins::Domain::from(table()), gittins::Domain::from(Space::new().int("x", 0, 15))];
    for (domain, noise) in
        [0.0, 0.7].into_iter().flat_map(|noise| domains().map(|domain| (domain, noise)))
    {
        let mut random = Pcg64::seed_from_u64(3);
        let model = GaussianProcess::new();
        let model = if noise > 0.0 {
            model.fixed_kernel(vec![0.2], 1.0).noise(Noise::Fixed(0.5))
        } else {
            model
        };
        let study = Study::maximize(domain.clone())
            .policy(Acquisition::gittins(1e-4))
            .model(model)
            .initial(10)
            .backend(Arc::new(Cpu));
        let mut study = study.build().unwrap();
        let mut repeats = 0;
        for _ in 0..40 {
            if study.verdict().unwrap().is_stop() {
                break;
            }
            let ask = study.ask().unwrap();
            let x = ask.numbers()[0];
            repeats += usize::from(
                study.history().iter().filter(|trial| trial.values == ask.numbers()).count() > 1,
            );
            study
                .tell(ask.id(), Outcome::new((0.4 * x).sin() + noise * normal(&mut random)))
                .unwrap();
        }
        // Without noise one repeat would have shown that there is no noise.
        assert!(
            if noise > 0.0 { repeats > 2 } else { repeats <= 1 },
            "noise {noise}: {repeats} repeats over {domain:?}"
        );
        assert!(study.verdict().unwrap().is_stop() || noise > 0.0);
    }
}

/// A backend that counts the points that it scores.
#[derive(Default)]
struct Counting(Mutex<usize>);

impl Backend for Counting {
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()> {
        *self.0.lock().unwrap() += points.len();
        Cpu.evaluate(job, points, scores)
    }
}

/// A verdict and a suggestion share one search, in either order. Its bits do not depend on the
/// order.
#[test]
fn a_verdict_and_a_suggestion_share_their_search() {
    let run = |verdict_first: bool| {
        let backend = Arc::new(Counting::default());
        let mut study = Study::maximize(cube(2))
            .policy(Acquisition::gittins(1e-6))
            .initial(6)
            .backend(backend.clone())
            .seed(2)
            .build()
            .unwrap();
        let (mut points, mut evaluated) = (Vec::new(), Vec::new());
        for trial in 0..12 {
            let counted = || *backend.0.lock().unwrap();
            let start = counted();
            let mut said = None;
            if verdict_first {
                said = Some(study.verdict().unwrap());
            }
            let ask = study.ask().unwrap();
            let said = said.unwrap_or_else(|| study.verdict().unwrap());
            if trial >= 6 {
                assert!(!said.is_stop(), "the search of the other form would count");
                evaluated.push(counted() - start);
            }
            points.push((ask.numbers().to_vec(), said.reason().statistic));
            let y = ask.numbers().iter().map(|x| -(3.0 * x - 1.0).powi(2) + (7.0 * x).sin()).sum();
            study.tell(ask.id(), Outcome::new(y)).unwrap();
        }
        (points, evaluated)
    };
    let ((first, one), (second, other)) = (run(true), run(false));
    assert_eq!(first[6..], second[6..]);
    assert_eq!(one, other);
    // This is one search of 1024 + 32 d raw points, not two.
    assert!(one.iter().all(|&count| (1088..2000).contains(&count)), "{one:?}");
}
