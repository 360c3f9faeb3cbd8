//! One run of one method on one problem within a budget.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gittins::data::{Direction, Warping};
use gittins::math::Sobol;
use gittins::model::{Mean, Noise, Priors};
use gittins::study::Search;
use gittins::suggest::Incumbent;
use gittins::{Backend, Cost, GaussianProcess, KernelFamily, Outcome, Points, Space, Study};
use gittins_papers::evaluation::Course;
use serde::{Deserialize, Serialize};

use super::{Evaluation, Instance, Method, Problem};
use crate::optimization::Trace;
use frontend::Result;

/// Smaller regrets count as this one. They have no logarithm, or are only the rounding of a
/// maximum.
const LEAST_REGRET: f64 = 1e-8;

/// Everything that decides a run, except its trial.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub problem: Problem,
    pub method: Method,
    pub budget: f64,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub trace: Trace,
    /// The points of the unit cube, in order, without the design.
    pub suggestions: Vec<Vec<f64>>,
}

impl Run {
    /// The decimal logarithm of the regret against money. The evaluation that overruns the budget
    /// is a mark beyond it.
    ///
    /// # Errors
    /// Those of the course.
    pub fn course(&self, maximum: f64) -> Result<Course> {
        self.trace.course(Direction::Minimize, |best| (maximum - best).max(LEAST_REGRET).log10())
    }
}

/// The first points of all runs of a trial: `2 (d + 1)` scrambled Sobol points, the same for all
/// methods.
pub fn design(problem: Problem, trial: u64) -> Points {
    Sobol::new(problem.dim(), trial).points(0, 2 * (problem.dim() + 1))
}

/// Suggests while there is money. The last evaluation may overrun. These arguments alone decide a
/// run.
///
/// # Errors
/// Those of the problem and the study.
pub fn run(
    setting: Setting,
    trial: u64,
    data: Option<&Path>,
    backend: &Arc<dyn Backend>,
) -> Result<Run> {
    let instance = setting.problem.instance(trial, data)?;
    let (mut study, begun) = begin(setting, trial, &instance, backend)?;
    let mut best =
        begun.iter().map(|evaluation| evaluation.score).fold(f64::NEG_INFINITY, f64::max);
    let (mut spent, mut suggestions) = (0.0, Vec::new());
    let mut trace = Trace { spent: vec![spent], best: vec![best], price: Vec::new() };
    while spent <= setting.budget && suggestions.len() < setting.problem.suggestions() {
        let (z, evaluation) = step(&mut study, &instance)?;
        spent += evaluation.cost;
        best = best.max(evaluation.score);
        trace.spent.push(spent);
        trace.best.push(best);
        suggestions.push(z);
    }
    Ok(Run { trace, suggestions })
}

/// Seconds that a run will take on one thread, by the second suggestion and the mean price of the
/// design.
///
/// # Errors
/// Those of the problem and the study.
pub fn probe(setting: Setting, data: Option<&Path>, backend: &Arc<dyn Backend>) -> Result<f64> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    // An error of a study cannot leave the pool's thread, so it is turned into text.
    let probed =
        one.install(|| probe_here(setting, data, backend).map_err(|error| format!("{error:?}")));
    Ok(probed.map_err(std::io::Error::other)?)
}

fn probe_here(setting: Setting, data: Option<&Path>, backend: &Arc<dyn Backend>) -> Result<f64> {
    let instance = setting.problem.instance(1, data)?;
    let (mut study, begun) = begin(setting, 1, &instance, backend)?;
    // The first suggestion has no earlier search to start from.
    step(&mut study, &instance)?;
    let began = Instant::now();
    step(&mut study, &instance)?;
    let mean = begun.iter().map(|evaluation| evaluation.cost).sum::<f64>() / begun.len() as f64;
    Ok(began.elapsed().as_secs_f64() * setting.budget / mean)
}

/// A study that has seen the design.
fn begin(
    setting: Setting,
    trial: u64,
    instance: &Instance,
    backend: &Arc<dyn Backend>,
) -> Result<(Study, Vec<Evaluation>)> {
    let Setting { problem, method, budget } = setting;
    let design = design(problem, trial);
    let space =
        (1..=problem.dim()).fold(Space::new(), |space, k| space.float(format!("z{k}"), 0.0, 1.0));
    let builder = Study::maximize(space)
        .cost(Cost::learned())
        .policy(method.policy(budget))
        .model(model())
        .cost_model(model())
        .initial(design.len())
        .warping(Warping::None)
        .incumbent(Incumbent::BestOutcome)
        .seed(trial)
        .backend(backend.clone());
    let builder = match method.published_search(problem.dim()) {
        Some((raw, starts)) => builder.search(Search::new(raw, starts).plain()),
        None => builder,
    };
    let mut study = builder.build()?;
    let mut begun = Vec::with_capacity(design.len());
    for z in design.rows() {
        let evaluation = instance.evaluate(z)?;
        study.import(z, Outcome::new(evaluation.score).cost(evaluation.cost))?;
        begun.push(evaluation);
    }
    Ok((study, begun))
}

fn step(study: &mut Study, instance: &Instance) -> Result<(Vec<f64>, Evaluation)> {
    let ask = study.ask()?;
    let z = ask.numbers().to_vec();
    let evaluation = instance.evaluate(&z)?;
    study.tell(ask.id(), Outcome::new(evaluation.score).cost(evaluation.cost))?;
    Ok((z, evaluation))
}

/// The published model, of outcomes and of `ln c`: maximum a posteriori at each step.
fn model() -> GaussianProcess {
    let noise = Noise::Learned { low: 1e-4, high: 1e-3 };
    GaussianProcess::new()
        .kernel(KernelFamily::Matern52)
        .noise(noise)
        .mean(Mean::Profiled)
        .priors(Priors::Gamma)
}

#[cfg(test)]
mod tests {
    use gittins_papers::evaluation::Interpolation;

    use super::*;

    /// The evaluation that overruns the budget does not count, however good it is. One that ends
    /// with the last of the money counts.
    #[test]
    fn the_best_value_is_the_best_inside_the_budget() {
        let trace = Trace {
            spent: vec![0.0, 3.0, 10.0, 12.5],
            best: vec![-10.0, -1.0, -0.1, 0.0],
            price: Vec::new(),
        };
        let course = Run { trace, suggestions: Vec::new() }.course(0.0).unwrap();
        for (money, expected) in
            [(2.0, 1.0), (9.9, 0.0), (10.0, -1.0), (12.0, -1.0), (12.5, LEAST_REGRET.log10())]
        {
            let found = course.best_at(money, Interpolation::Steps);
            assert!((found - expected).abs() < 1e-12, "{money}: {found}");
        }
    }
}
