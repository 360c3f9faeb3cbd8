//! One run of one method on one problem.

use std::path::Path;
use std::sync::Arc;

use gittins::model::{Mean, Noise};
use gittins::{Backend, GaussianProcess, KernelFamily, Outcome, Points};
use gittins_papers::control::internals::BoundSets;
use gittins_papers::control::{Regrets, SubsetStudy};
use gittins_problems::{ControlProblem, ExpectedObjective, SetCosts};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use super::{Method, Problem};
use frontend::Result;

/// The variance of nature's laws: the middle one of the three published.
pub const VARIANCE: f64 = 0.04;
/// The number of full observations at the beginning, free of charge.
const INITIAL: usize = 5;
/// The deviation of the noise of an observation, and the variance that the model assumes.
const NOISE: f64 = 0.01;
const MODEL_NOISE: f64 = 1e-4;

/// Everything that decides a run, except its seed.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub problem: Problem,
    pub method: Method,
    /// The costs of the sets; none if only the set that controls everything is played, because its
    /// price is always the same.
    pub costs: Option<SetCosts>,
    pub budget: f64,
    /// The number of draws that stand for nature.
    pub samples: usize,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The set that each evaluation played.
    pub sets: Vec<usize>,
    /// The average value of each query.
    pub expected: Vec<f64>,
    /// The set that is recommended at the end.
    pub recommended: usize,
}

/// The best values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The control sets by their variables.
    pub sets: Vec<String>,
    /// The largest expected value of each.
    pub best: Vec<f64>,
}

impl Run {
    /// Its regrets at these prices.
    ///
    /// # Errors
    /// Those of [`Regrets::new`].
    pub fn regrets(&self, best: f64, costs: SetCosts) -> Result<Regrets> {
        let costs = costs.costs();
        let paid: Vec<f64> = self.sets.iter().map(|set| costs[*set]).collect();
        Ok(Regrets::new(best, &self.expected, &paid)?)
    }

    /// How often each set was played.
    pub fn plays(&self, sets: usize) -> Vec<f64> {
        let mut plays = vec![0.0; sets];
        self.sets.iter().for_each(|set| plays[*set] += 1.0);
        plays
    }
}

impl Reference {
    /// The best set.
    pub fn set(&self) -> usize {
        (0..self.best.len())
            .reduce(|best, set| if self.best[set] > self.best[best] { set } else { best })
            .unwrap_or(0)
    }
}

/// Plays until the budget has no room for the chosen set. These arguments alone decide a run. The
/// runs of one seed begin with the same observations, and nature's t-th draw is the same in all of
/// them.
///
/// # Errors
/// Those of the problem and the study.
pub fn run(
    setting: Setting,
    seed: u64,
    data: Option<&Path>,
    backend: &Arc<dyn Backend>,
) -> Result<Run> {
    let problem = setting.problem.instance(seed, data)?;
    let mut study = study(setting, &problem, seed, backend)?;
    let sets = study.sets().clone();
    let expected = expected(&problem, &sets, study.samples())?;
    let space = problem.space();
    let mut random = Pcg64::seed_from_u64(seed);
    for _ in 0..INITIAL {
        let unit = uniform(problem.dim(), &mut random);
        study.import(
            &space.numbers_at(&unit),
            Outcome::new(observed(&problem, &unit, &mut random)),
        )?;
    }
    let mut run = Run { sets: Vec::new(), expected: Vec::new(), recommended: 0 };
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        let nature = sets
            .through_laws(Points::from_rows(problem.dim(), uniform(problem.dim(), &mut random))?);
        let values = ask.completed(&space.numbers_at(nature.row(0)));
        let unit = space.to_unit(&values)?;
        study.tell(ask.id(), &values, Outcome::new(observed(&problem, &unit, &mut random)))?;
        let set = ask.set_index();
        let query = sets.sets()[set].part(&unit);
        run.expected.push(expected.value(set, &query));
        run.sets.push(set);
    }
    run.recommended = study.recommendation()?.map_or(0, |recommendation| recommendation.set);
    Ok(run)
}

/// The best values in the runs of a seed.
///
/// # Errors
/// Those of the problem and the study.
pub fn reference(
    setting: Setting,
    seed: u64,
    data: Option<&Path>,
    backend: &Arc<dyn Backend>,
) -> Result<Reference> {
    let problem = setting.problem.instance(seed, data)?;
    // The draws are those of every study of this seed.
    let study = study(setting, &problem, seed, backend)?;
    let best = expected(&problem, study.sets(), study.samples())?.best()?;
    Ok(Reference {
        sets: study.sets().sets().iter().map(|set| set.name.clone()).collect(),
        best: best.into_iter().map(|best| best.value).collect(),
    })
}

/// Exact if it is known, otherwise over the study's own draws.
fn expected<'a>(
    problem: &'a ControlProblem,
    sets: &BoundSets,
    samples: &Points,
) -> Result<ExpectedObjective<'a>> {
    Ok(if problem.has_closed_form() {
        problem.expected(sets)?
    } else {
        problem.expected_over(sets, samples.clone())?
    })
}

/// A study with the published model and its known hyper-parameters.
fn study(
    setting: Setting,
    problem: &ControlProblem,
    seed: u64,
    backend: &Arc<dyn Backend>,
) -> Result<SubsetStudy> {
    let Setting { method, costs, budget, samples, .. } = setting;
    let model = GaussianProcess::new()
        .kernel(KernelFamily::Rbf)
        .fixed_kernel(vec![problem.lengthscale(); problem.dim()], 1.0)
        .mean(Mean::Fixed(0.0))
        .noise(Noise::Fixed(MODEL_NOISE));
    let study = SubsetStudy::maximize(
        problem.space().clone(),
        problem.sets(costs.unwrap_or(SetCosts::Cheap), VARIANCE)?,
    )
    .policy(method.policy())
    .budget(budget)
    .model(model)
    .standardize(false)
    .initial(0)
    .samples(samples)
    .seed(seed)
    .backend(backend.clone());
    Ok(study.build()?)
}

fn observed(problem: &ControlProblem, unit: &[f64], random: &mut Pcg64) -> f64 {
    let noise: f64 = StandardNormal.sample(random);
    problem.evaluate_unit(unit) + NOISE * noise
}

fn uniform(dim: usize, random: &mut Pcg64) -> Vec<f64> {
    (0..dim).map(|_| random.random()).collect()
}

#[cfg(test)]
mod tests {
    use gittins::Cpu;

    use super::*;

    fn setting(method: Method, costs: Option<SetCosts>) -> Setting {
        Setting { problem: Problem::Hartmann, method, costs, budget: 2.0, samples: 64 }
    }

    /// ETC-50 at moderate prices has money for twenty of the cheapest sets. No query is worth more
    /// than the best of its set.
    #[test]
    fn a_run_spends_its_budget_on_what_the_schedule_says() {
        let backend: Arc<dyn Backend> = Arc::new(Cpu);
        let setting = setting(Method::Explore(50), Some(SetCosts::Moderate));
        let played = run(setting, 3, None, &backend).unwrap();
        assert_eq!(played, run(setting, 3, None, &backend).unwrap());
        assert_eq!(played.plays(7).iter().take(3).sum::<f64>(), 20.0);
        assert_eq!(played.sets.len(), 20);
        let reference = reference(setting, 3, None, &backend).unwrap();
        assert_eq!(reference.set(), 6);
        // To the error of the search.
        assert!(
            played
                .sets
                .iter()
                .zip(&played.expected)
                .all(|(set, value)| *value <= reference.best[*set] + 1e-8)
        );
        let regrets = played.regrets(reference.best[6], SetCosts::Moderate).unwrap();
        assert_eq!(regrets.spent.last(), Some(&2.0));
    }

    /// If a set controls everything, methods that ignore prices play only that set. One run serves
    /// for all prices.
    #[test]
    fn one_run_serves_all_prices() {
        let backend: Arc<dyn Backend> = Arc::new(Cpu);
        for method in Method::BASELINES {
            let any = run(setting(method, None), 1, None, &backend).unwrap();
            assert_eq!(any.sets, [6, 6]);
            for costs in SetCosts::ALL {
                assert_eq!(
                    run(setting(method, Some(costs)), 1, None, &backend).unwrap(),
                    any,
                    "{method:?} at {} costs",
                    costs.name()
                );
            }
        }
    }
}
