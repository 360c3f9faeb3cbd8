//! Control sets with random prices and laws, and how one is chosen. They are no data, so that a
//! world has the seed of their draw alone.

use std::sync::Arc;

use gittins::Cpu;
use gittins_papers::control::{
    ControlSets, Law, PathIncumbent, Plays, Relaxation, Sampling, SetChoice, SetScore, SetSearch,
    SubsetPolicy, SubsetStudy, SubsetStudyBuilder,
};

use crate::dice::Dice;
use crate::view::View;
use crate::world::World;
use crate::world::domain::DomainSpec;
use crate::world::kind;

/// What a study of control sets has besides; relaxations are in outcomes.
pub struct SetSettings {
    pub sets: Vec<PricedSet>,
    laws: Vec<Law>,
    pub score: SetScore,
    choice: Chooses,
    pub budget: Option<f64>,
    pub samples: usize,
    sampling: Sampling,
    pub tolerance: f64,
    search: SetSearch,
}

pub struct PricedSet {
    pub name: String,
    /// In the order in which they are named.
    variables: Vec<usize>,
    pub price: f64,
}

impl PricedSet {
    pub fn controlled(&self) -> Vec<usize> {
        let mut controlled = self.variables.clone();
        controlled.sort_unstable();
        controlled
    }
}

#[derive(Clone, Copy)]
enum Chooses {
    Relaxed(f64),
    Falling(f64, usize),
    Scheduled(f64),
    PerUnitCost,
    Each(usize),
    MostExpensive(f64),
}

impl SetSettings {
    /// Those of a seed.
    pub fn draw(world: &World, seed: u64) -> Self {
        let dice = &mut Dice::new(seed);
        let unit = world.objective.unit;
        let DomainSpec::Space(space) = &world.domain else { panic!("no space of numbers") };
        let dim = space.items.len();
        let set = |index| {
            let mut variables: Vec<usize> = (0..dim).filter(|_| dice.chance(0.6)).collect();
            if variables.is_empty() {
                variables.push(dice.whole(0, dim - 1));
            }
            if dice.chance(0.2) {
                variables.reverse();
            }
            let price = dice.pick(&[0.01, 0.1, 0.2, 0.2, 1.0, 7.0]);
            PricedSet { name: format!("set {index}"), variables, price }
        };
        let sets = (0..4).map(set).collect::<Vec<_>>();
        let sets = sets.into_iter().take(dice.whole(1, 4)).collect();
        let laws = space.items.iter().map(|item| law(&item.kind, dice)).collect();
        let features = dice.pick(&[2, 16, 64]);
        let incumbent = dice.pick(&[PathIncumbent::Observed, PathIncumbent::Played]);
        let paths = dice.whole(1, 4);
        let score = dice.weighed(&[
            (0.17, SetScore::UpperBound { beta: 0.0 }),
            (0.17, SetScore::UpperBound { beta: 2.0 }),
            (0.16, SetScore::UpperBound { beta: 5.0 }),
            (0.25, SetScore::Thompson { features }),
            (0.25, SetScore::ExpectedImprovement { paths, features, incumbent }),
        ]);
        let relaxation = unit * dice.pick(&[0.0, 0.01, 0.3]);
        let choices = [
            Chooses::Relaxed(relaxation),
            Chooses::Falling(relaxation, dice.whole(0, 10)),
            Chooses::Scheduled(relaxation),
            Chooses::PerUnitCost,
            Chooses::Each(dice.whole(0, 3)),
            Chooses::MostExpensive(dice.pick(&[0.5, 1.0, 4.0])),
        ];
        let choice = dice.pick(&choices);
        let (raw, raw_full, starts) = dice.pick(&[(8, 16, 2), (1, 1, 1), (50, 300, 4)]);
        Self {
            sets,
            laws,
            score,
            choice,
            budget: dice.chance(0.6).then(|| dice.magnitude(0.01, 30.0)),
            samples: dice.pick(&[1, 8, 32, 100]),
            sampling: dice.pick(&[Sampling::QuasiRandom, Sampling::Plain]),
            tolerance: dice.pick(&[0.0, 1e-9, 0.01]),
            search: SetSearch { raw, raw_full, starts, max_iterations: 20, seed: dice.seed() },
        }
    }

    fn policy(&self, view: &View) -> SubsetPolicy {
        let outcome = |value: f64| view.difference(value);
        let choice = match self.choice {
            Chooses::Relaxed(value) => SetChoice::Relaxed(Relaxation::Constant(outcome(value))),
            Chooses::Falling(value, cutoff) => {
                SetChoice::Relaxed(Relaxation::Linear { start: outcome(value), cutoff })
            }
            Chooses::Scheduled(value) => {
                let start = outcome(value);
                SetChoice::Relaxed(Relaxation::schedule(move |trial| start / trial as f64))
            }
            Chooses::PerUnitCost => SetChoice::PerUnitCost,
            Chooses::Each(plays) => SetChoice::ExploreThenCommit(Plays::Each(plays)),
            Chooses::MostExpensive(plays) => {
                SetChoice::ExploreThenCommit(Plays::MostExpensive(plays))
            }
        };
        SubsetPolicy { score: self.score, choice }
    }

    /// By how much the set of a trial may be worse than the best one, if that decides.
    pub fn relaxation(&self, view: &View, trial: usize) -> Option<f64> {
        let SetChoice::Relaxed(relaxation) = self.policy(view).choice else { return None };
        relaxation.at(trial).ok()
    }

    pub fn builder(&self, world: &World, view: &View) -> SubsetStudyBuilder {
        let (space, _) = world.domain.data();
        let space = space.unwrap_or_default();
        let names = Vec::from_iter(space.names().map(str::to_owned));
        let sets = self.sets.iter().fold(ControlSets::new(), |sets, set| {
            let variables = set.variables.iter().map(|&k| names[k].clone());
            sets.set(&set.name, variables, view.cost(set.price))
        });
        let laws = names.iter().zip(&self.laws);
        let sets = laws.fold(sets, |sets, (name, law)| sets.law(name, law.clone()));
        let begin = if world.is_up(view) { SubsetStudy::maximize } else { SubsetStudy::minimize };
        let builder = begin(space, sets)
            .policy(self.policy(view))
            .model(world.model.build(world.domain.dim()))
            .seed(world.seed)
            .standardize(world.standardizes())
            .samples(self.samples)
            .sampling(self.sampling)
            .tolerance(self.tolerance)
            .search(self.search)
            .backend(Arc::new(Cpu));
        let budget = self.budget.map(|budget| view.cost(budget));
        let builder = budget.into_iter().fold(builder, SubsetStudyBuilder::budget);
        world.spec.initial.into_iter().fold(builder, SubsetStudyBuilder::initial)
    }
}

fn law(kind: &kind::Kind, dice: &mut Dice) -> Law {
    let [low, middle, high] = [0.1, 0.5, 0.8].map(|u| kind::code_at(kind, u));
    let scale = kind::scale(kind);
    let spread = if scale.is_log {
        (scale.high / scale.low).ln().min(700.0)
    } else {
        0.5 * scale.high - 0.5 * scale.low
    };
    match dice.whole(0, 3) {
        0 => Law::Uniform,
        1 => Law::normal(middle, spread * dice.pick(&[0.01, 0.3, 10.0])),
        2 => Law::centered(dice.pick(&[1e-4, 0.02, 0.083])),
        _ => Law::samples(vec![low, middle, high, middle]),
    }
}
