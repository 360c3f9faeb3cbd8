//! One run of one method on one problem.

use std::sync::Arc;
use std::time::Instant;

use gittins::data::{Direction, Warping};
use gittins::study::{self, StudyBuilder, Why};
use gittins::suggest::Incumbent;
use gittins::{Acquisition, Backend, Pointwise, Space, Study};
use gittins_papers::evaluation::{Course, Mark};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use super::method::Method;
use super::problem::{Budget, Evaluation, Instance, Search};
use super::setting::Setting;
use frontend::Result;

/// The state after the initial design and after each evaluation from then on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Money; the design is free.
    pub spent: Vec<f64>,
    /// The best score so far. Larger is better.
    pub best: Vec<f64>,
    /// The price in use when each evaluation was chosen, if it falls. There is one fewer than of
    /// the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub price: Vec<f64>,
}

impl Trace {
    /// The course of the values shown for the best scores.
    ///
    /// # Errors
    /// Those of [`Course::new`].
    pub fn course(&self, direction: Direction, shown: impl Fn(f64) -> f64) -> Result<Course> {
        let marks = self.spent.iter().zip(&self.best).enumerate();
        let marks = marks
            .map(|(adaptive, (&spent, &best))| Mark { adaptive, spent, best: shown(best) })
            .collect();
        Ok(Course::new(direction, marks)?)
    }

    /// The price in use at an amount of money.
    pub fn price_at(&self, money: f64) -> f64 {
        let chosen = self.spent.partition_point(|spent| *spent < money);
        self.price[chosen.clamp(1, self.price.len()) - 1]
    }
}

/// Runs until the budget is spent. The last evaluation may overrun it. These arguments alone decide
/// a run.
///
/// # Errors
/// Those of the problem and the study.
pub fn run(setting: Setting, seed: u64, backend: &Arc<dyn Backend>) -> Result<Trace> {
    let Setting { problem, price, budget, method, .. } = setting;
    let instance = Arc::new(problem.instance(seed)?);
    let dim = instance.dim();
    // Independent uniform points, as in the published runs, the same for all methods.
    let mut random = Pcg64::seed_from_u64(seed);
    let design: Vec<Vec<f64>> = (0..problem.design()).map(|_| uniform(dim, &mut random)).collect();
    let evaluated: Vec<Evaluation> = design.iter().map(|z| instance.evaluate(z)).collect();
    let best =
        evaluated.iter().map(|evaluation| evaluation.score).fold(f64::NEG_INFINITY, f64::max);
    let mut trace = Trace { spent: vec![0.0], best: vec![best], price: Vec::new() };
    let mut step = |spent: f64, score: f64| {
        let before = trace.spent[trace.spent.len() - 1];
        let best = trace.best[trace.best.len() - 1];
        trace.spent.push(before + spent);
        trace.best.push(best.max(score));
        before + spent
    };
    let goes_on = |spent: f64, evaluations: usize| match budget {
        Budget::Evaluations(count) => evaluations < count,
        Budget::Money(money) => spent < money,
    };
    let (mut spent, mut evaluations) = (0.0, 0);
    let Some(builder) = study(setting, seed, backend, &instance)? else {
        while goes_on(spent, evaluations) {
            let z = uniform(dim, &mut random);
            let evaluation = instance.evaluate(&z);
            spent = step(price.paid(&z, &evaluation), evaluation.score);
            evaluations += 1;
        }
        return Ok(trace);
    };
    let mut study = builder.build()?;
    for (z, evaluation) in design.iter().zip(&evaluated) {
        study.import(z, price.outcome(z, evaluation))?;
    }
    let mut prices = Vec::new();
    while goes_on(spent, evaluations) {
        let ask = study.ask()?;
        if let (Method::GittinsDecay(..), Why::Suggested(suggestion)) = (method, ask.why())
            && let Acquisition::Pointwise(Pointwise::Gittins { lambda }) = suggestion.acquisition
        {
            prices.push(lambda);
        }
        let z = ask.numbers().to_vec();
        let evaluation = instance.evaluate(&z);
        study.tell(ask.id(), price.outcome(&z, &evaluation))?;
        spent = step(price.paid(&z, &evaluation), evaluation.score);
        evaluations += 1;
    }
    trace.price = prices;
    Ok(trace)
}

/// The study of a method; none for random points.
fn study(
    setting: Setting,
    seed: u64,
    backend: &Arc<dyn Backend>,
    instance: &Arc<Instance>,
) -> Result<Option<StudyBuilder>> {
    let Setting { problem, price, budget, method, search } = setting;
    let Some(policy) = method.policy(budget.money(), price.is_learned()) else { return Ok(None) };
    let dim = instance.dim();
    let space = (1..=dim).fold(Space::new(), |space, k| space.float(format!("z{k}"), 0.0, 1.0));
    let builder = Study::maximize(space)
        .cost(price.cost(instance))
        .policy(policy)
        .model(problem.model(price))
        .cost_model(problem.cost_model())
        .standardize(problem.standardizes())
        .initial(problem.design())
        .warping(Warping::None)
        .incumbent(Incumbent::BestOutcome)
        .seed(seed)
        .backend(backend.clone());
    let builder = match search {
        Search::Published => {
            let (raw, starts) = method.published_search(dim);
            builder.search(study::Search::new(raw, starts).plain())
        }
        Search::Own => builder,
    };
    Ok(Some(match price.floor() {
        Some(floor) => builder.cost_floor(floor),
        None => builder,
    }))
}

/// Seconds that a run will take on one thread. A study that has made half of the evaluations is
/// timed over one of them.
///
/// # Errors
/// Those of the problem and the study.
pub fn probe(setting: Setting, backend: &Arc<dyn Backend>) -> Result<f64> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    // An error of a study cannot leave the pool's thread, so it is turned into text.
    let probed = one.install(|| probe_here(setting, backend).map_err(|error| format!("{error:?}")));
    Ok(probed.map_err(std::io::Error::other)?)
}

fn probe_here(setting: Setting, backend: &Arc<dyn Backend>) -> Result<f64> {
    let Setting { problem, price, budget, .. } = setting;
    let instance = Arc::new(problem.instance(0)?);
    let Some(builder) = study(setting, 0, backend, &instance)? else { return Ok(0.0) };
    let mut study = builder.build()?;
    let mut random = Pcg64::seed_from_u64(u64::MAX);
    let mut best = (vec![0.5; instance.dim()], f64::NEG_INFINITY);
    let mut tell = |study: &mut Study, near: bool| -> Result<f64> {
        // Late in a run most points lie near the best one. Acquisitions have their ridges and
        // valleys there.
        let around = |(center, u): (&f64, f64)| {
            if near { (center + 0.15 * (u - 0.5)).clamp(0.0, 1.0) } else { u }
        };
        let z: Vec<f64> =
            best.0.iter().zip(uniform(instance.dim(), &mut random)).map(around).collect();
        let evaluation = instance.evaluate(&z);
        study.import(&z, price.outcome(&z, &evaluation))?;
        let paid = price.paid(&z, &evaluation);
        if evaluation.score > best.1 {
            best = (z, evaluation.score);
        }
        Ok(paid)
    };
    let design =
        (0..problem.design()).map(|_| tell(&mut study, false)).collect::<Result<Vec<f64>>>()?;
    let evaluations = match budget {
        Budget::Evaluations(count) => count as f64,
        // The cost is the mean price of random points.
        Budget::Money(money) => money * design.len() as f64 / design.iter().sum::<f64>(),
    };
    // The work of an evaluation grows with the square of their number and more. The one at 0.6 of
    // them stands for the average.
    for _ in 0..(0.6 * evaluations) as usize {
        tell(&mut study, true)?;
    }
    // The first fit of a study starts from nothing. Later fits start warm.
    study.ask()?;
    tell(&mut study, true)?;
    let began = Instant::now();
    study.ask()?;
    Ok(began.elapsed().as_secs_f64() * evaluations)
}

fn uniform(dim: usize, random: &mut Pcg64) -> Vec<f64> {
    (0..dim).map(|_| random.random()).collect()
}
