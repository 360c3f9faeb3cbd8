//! Skewed outcomes: what the warp of the worse half is for, and that its numbers are the user's.

use std::sync::{Arc, Mutex};

use gittins::data::Warping;
use gittins::stop::Statistic;
use gittins::suggest::Incumbent;
use gittins::{
    Acquisition, Cpu, Outcome, Points, Pointwise, Result, Space, StopContext, StopRule, Study,
};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::support::tolerance::assert_within;

fn square() -> Space {
    Space::new().float("a", -5.0, 5.0).float("b", -5.0, 5.0)
}

/// A bowl with a wall. A model of the outcomes as they are sees the wall alone, finds that `b` does
/// not matter, and leaves it at a bound for good.
#[test]
fn a_wall_hides_no_coordinate() {
    let best = |seed: u64| -> f64 {
        let mut study =
            Study::minimize(square()).backend(Arc::new(Cpu)).seed(seed).build().unwrap();
        for _ in 0..40 {
            let ask = study.ask().unwrap();
            let &[a, b] = ask.numbers() else { unreachable!() };
            let outcome = if a > 4.0 { 1e4 } else { (a - 1.0).powi(2) + (b + 2.0).powi(2) };
            study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        }
        study.best().unwrap().outcome.unwrap()
    };
    let found: Vec<f64> = (0..20).into_par_iter().map(best).collect();
    // From the middle of the space a quadratic is found to some 1e-7 in 40 trials.
    assert!(found.iter().all(|best| *best < 1e-4), "{found:?}");
}

/// The trials until a run stops, and the best outcome then. The outcome of trial `bad` is replaced.
fn stopped(bad: Option<(usize, f64)>, seed: u64) -> (usize, f64) {
    let mut study = Study::minimize(square())
        .policy(Acquisition::gittins(1e-4))
        .backend(Arc::new(Cpu))
        .seed(seed)
        .build()
        .unwrap();
    let mut best = f64::INFINITY;
    for trial in 0..100 {
        let ask = study.ask().unwrap();
        let &[a, b] = ask.numbers() else { unreachable!() };
        let outcome = 0.05 * ((a - 1.0).powi(2) + (b + 2.0).powi(2));
        best = best.min(outcome);
        let told = bad.filter(|(at, _)| *at == trial).map_or(outcome, |(_, told)| told);
        study.tell(ask.id(), Outcome::new(told)).unwrap();
        if study.verdict().unwrap().is_stop() {
            return (trial + 1, best);
        }
    }
    (usize::MAX, best)
}

/// Modeled as it is, one such outcome keeps a run from ever stopping. Warped, it is the worst, and
/// how bad it is makes no difference. Beside a good trial it still looks like noise, which takes
/// trials to rule out.
#[test]
fn a_run_stops_in_spite_of_an_outlier_whatever_its_size() {
    let clean: Vec<usize> = (0..3).map(|seed| stopped(None, seed).0).collect();
    let runs: Vec<_> = (0..12)
        .into_par_iter()
        .map(|at| [1, 3, 6].map(|power| stopped(Some((at, 10f64.powi(power))), at as u64 % 3)))
        .collect();
    let mut soon = 0;
    for (at, of_sizes) in runs.iter().enumerate() {
        assert!(of_sizes.iter().all(|run| run == &of_sizes[0]), "{at}: {of_sizes:?}");
        let (trials, best) = of_sizes[0];
        assert!(trials < 100 && best < 0.02, "{at}: {of_sizes:?}");
        soon += usize::from(trials as f64 <= 1.5 * clean[at % 3] as f64 && best < 1e-3);
    }
    assert!(soon >= 3, "{soon} of {} soon enough; clean {clean:?}: {runs:?}", runs.len());
}

/// What a model says about its best point, beside the same from the outcomes that it predicts.
struct Predicted {
    lambda: f64,
    /// Pairs: said, and by quadrature over the predicted outcome.
    pairs: Arc<Mutex<Vec<(f64, f64)>>>,
}

impl StopRule for Predicted {
    fn name(&self) -> &'static str {
        "predicted"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let Some(surrogate) = context.surrogate() else { return Ok(Statistic::unknown(0.0)) };
        let scale = surrogate.scale();
        let mut pairs = self.pairs.lock().unwrap();
        for acquisition in [
            Acquisition::gittins(self.lambda),
            Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
        ] {
            let Some(best) = context.maximize(&acquisition)? else { continue };
            let point = Points::from_rows(best.unit.len(), best.unit.clone())?;
            let moments = surrogate.posterior().moments(&point)?;
            let (mean, sd) = (moments.mean[0], moments.variance[0].sqrt());
            // E[max(y - level, 0)] of the outcome y, the inverse warp of a normal number.
            let above = |level: f64| -> f64 {
                let step = 1e-4;
                (-80_000..=80_000)
                    .map(|i| f64::from(i) * step)
                    .map(|t| {
                        let density = (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
                        (scale.undo(mean + sd * t) - level).max(0.0) * density * step
                    })
                    .sum()
            };
            pairs.push((best.improvement, above(context.incumbent())));
            if matches!(acquisition, Acquisition::Pointwise(Pointwise::Gittins { .. }))
                && best.value >= scale.unwarped_from()
            {
                pairs.push((self.lambda, above(best.value)));
            }
        }
        Ok(Statistic::at_most(1.0, 0.0))
    }
}

#[test]
fn improvements_and_indices_are_those_of_the_outcomes() {
    let pairs = Arc::new(Mutex::new(Vec::new()));
    let lambda = 0.03;
    let mut study = Study::maximize(square())
        .policy(Acquisition::gittins(lambda))
        .incumbent(Incumbent::BestOutcome)
        .stop(Predicted { lambda, pairs: pairs.clone() })
        .backend(Arc::new(Cpu))
        .build()
        .unwrap();
    for _ in 0..12 {
        let ask = study.ask().unwrap();
        let &[a, b] = ask.numbers() else { unreachable!() };
        let outcome = -((a - 1.0) * (b + 2.0)).powi(4) - (a - 1.0).abs().exp();
        study.tell(ask.id(), Outcome::new(outcome)).unwrap();
        study.verdict().unwrap();
    }
    let pairs = pairs.lock().unwrap();
    assert!(pairs.len() > 20);
    for (said, expected) in pairs.iter() {
        // The sum over a kinked function has an error of the square of its step.
        assert_within("improvement", *said, *expected, 1e-6 * (1.0 + expected.abs()));
    }
}

/// Nothing that is reported is in units of the model: predicted outcomes lie among the outcomes,
/// and a level far below the median is told as what it is.
#[test]
fn reports_are_in_the_units_of_the_outcomes() {
    let mut study = Study::minimize(square()).backend(Arc::new(Cpu)).seed(3).build().unwrap();
    for k in 0..9 {
        let u = f64::from(k) / 8.0;
        // Outcomes from 1 to 1e8, and the best one in the middle of a side.
        study.import(&[10.0 * u - 5.0, 0.0], Outcome::new(10f64.powi(k))).unwrap();
    }
    let recommendation = study.recommendation().unwrap().unwrap();
    assert!(recommendation.outcome <= 1e3, "{recommendation}");
    // The better half are 1 .. 1e4, and so is the unit of what is reported among them.
    assert!((-1e3..1e4).contains(&recommendation.mean), "{recommendation}");
    assert!(recommendation.sd < 1e4, "{recommendation}");
    let ask = study.ask().unwrap();
    let gittins::study::Why::Suggested(why) = ask.why() else { panic!("{}", ask.why()) };
    assert!(why.mean.is_finite() && why.sd > 0.0);
}

#[test]
fn outcomes_are_warped_by_default_and_not_at_all_if_so_wished() {
    let suggested = |warping: Option<Warping>, standardize: bool| {
        let builder = Study::minimize(square()).backend(Arc::new(Cpu)).seed(5).initial(6);
        let builder = warping.into_iter().fold(builder, gittins::study::StudyBuilder::warping);
        let mut study = builder.standardize(standardize).build().unwrap();
        for _ in 0..6 {
            let ask = study.ask().unwrap();
            let &[a, b] = ask.numbers() else { unreachable!() };
            study.tell(ask.id(), Outcome::new((0.3 * (a * a + b)).exp())).unwrap();
        }
        study.ask().unwrap().numbers().to_vec()
    };
    let (default, none) = (suggested(None, true), suggested(Some(Warping::None), true));
    assert_eq!(default, suggested(Some(Warping::HalfRank), true));
    assert_ne!(default, none);
    // Outcomes that are modeled in the user's own units are never warped.
    assert_eq!(suggested(None, false), suggested(Some(Warping::None), false));
}
