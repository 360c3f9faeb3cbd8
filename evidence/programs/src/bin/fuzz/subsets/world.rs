//! A random study of control sets.

use std::sync::Arc;

use gittins::{Cpu, KernelFamily, Space};
use gittins_papers::control::{
    ControlSets, Law, PathIncumbent, Plays, Relaxation, Sampling, SetChoice, SetScore, SetSearch,
    SubsetPolicy, SubsetStudy, SubsetStudyBuilder,
};

use crate::dice::Dice;
use crate::view::View;
use crate::world::axis::Axis;
use crate::world::mixed::Mixed;
use crate::world::model::ModelSpec;
use crate::world::objective::Objective;

/// A study of control sets, written down; relaxations are in outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct SubsetWorld {
    pub seed: u64,
    pub axes: Vec<(String, Axis)>,
    /// Names, variables and prices.
    pub sets: Vec<(String, Vec<usize>, f64)>,
    /// One for each variable.
    pub laws: Vec<Law>,
    pub maximize: bool,
    pub objective: Objective,
    pub score: SetScore,
    pub choice: Chooses,
    pub budget: Option<f64>,
    pub model: ModelSpec,
    pub initial: Option<usize>,
    pub samples: usize,
    pub sampling: Sampling,
    pub tolerance: f64,
    pub search: SetSearch,
    pub standardize: bool,
}

/// A choice of sets, written down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chooses {
    Relaxed(f64),
    Falling(f64, usize),
    Scheduled(f64),
    PerUnitCost,
    Each(usize),
    MostExpensive(f64),
}

impl SubsetWorld {
    /// One whose `build` succeeds.
    pub fn draw(dice: &mut Dice) -> Self {
        let dim = dice.weighed(&[(0.2, 1), (0.4, 2), (0.3, 3), (0.1, 5)]);
        let axes = Mixed::numbers(dim, dice);
        let objective = Objective::draw(dim, dice);
        let unit = objective.unit;
        let count = dice.whole(1, 4);
        let sets = (0..count)
            .map(|index| {
                let mut variables: Vec<usize> = (0..dim).filter(|_| dice.chance(0.6)).collect();
                if variables.is_empty() {
                    variables.push(dice.whole(0, dim - 1));
                }
                if dice.chance(0.2) {
                    variables.reverse();
                }
                (format!("set {index}"), variables, dice.pick(&[0.01, 0.1, 0.2, 0.2, 1.0, 7.0]))
            })
            .collect();
        let laws = axes.iter().map(|(_, axis)| law(*axis, dice)).collect();
        let features = dice.pick(&[2, 16, 64]);
        let score = match dice.weighed(&[(0.5, 0), (0.25, 1), (0.25, 2)]) {
            0 => SetScore::UpperBound { beta: dice.pick(&[0.0, 2.0, 5.0]) },
            1 => SetScore::Thompson { features },
            _ => SetScore::ExpectedImprovement {
                paths: dice.whole(1, 4),
                features,
                incumbent: dice.pick(&[PathIncumbent::Observed, PathIncumbent::Played]),
            },
        };
        let relaxation = unit * dice.pick(&[0.0, 0.01, 0.3]);
        let choice = match dice.whole(0, 5) {
            0 => Chooses::Relaxed(relaxation),
            1 => Chooses::Falling(relaxation, dice.whole(0, 10)),
            2 => Chooses::Scheduled(relaxation),
            3 => Chooses::PerUnitCost,
            4 => Chooses::Each(dice.whole(0, 3)),
            _ => Chooses::MostExpensive(dice.pick(&[0.5, 1.0, 4.0])),
        };
        let family = if dice.chance(0.6) { KernelFamily::Rbf } else { ModelSpec::family(dice) };
        // Control sets refuse a kernel that is not stationary.
        let family = match family {
            KernelFamily::SphericalLinear => KernelFamily::Rbf,
            family => family,
        };
        let (raw, raw_full, starts) = dice.pick(&[(8, 16, 2), (1, 1, 1), (50, 300, 4)]);
        let search = SetSearch { raw, raw_full, starts, max_iterations: 20, seed: dice.seed() };
        Self {
            seed: dice.seed(),
            axes,
            sets,
            laws,
            maximize: dice.chance(0.5),
            objective,
            score,
            choice,
            budget: dice.chance(0.6).then(|| dice.magnitude(0.01, 30.0)),
            model: ModelSpec::draw(family, dice),
            initial: dice.chance(0.8).then(|| dice.whole(0, 4)),
            samples: dice.pick(&[1, 8, 32, 100]),
            sampling: dice.pick(&[Sampling::QuasiRandom, Sampling::Plain]),
            tolerance: dice.pick(&[0.0, 1e-9, 0.01]),
            search,
            standardize: dice.chance(0.85),
        }
    }

    pub fn space(&self) -> Space {
        self.axes.iter().fold(Space::new(), |space, (name, axis)| axis.add(space, name))
    }

    fn control_sets(&self, view: &View) -> ControlSets {
        let names = |variables: &[usize]| {
            variables.iter().map(|&k| self.axes[k].0.clone()).collect::<Vec<_>>()
        };
        let sets = self.sets.iter().fold(ControlSets::new(), |sets, (name, variables, price)| {
            sets.set(name, names(variables), view.cost(*price))
        });
        self.axes
            .iter()
            .zip(&self.laws)
            .fold(sets, |sets, ((name, _), law)| sets.law(name, law.clone()))
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

    /// The settings, in the units of a view.
    pub fn settings(&self, view: &View) -> SubsetStudyBuilder {
        let (space, sets) = (self.space(), self.control_sets(view));
        let up = self.maximize != view.mirrored;
        let builder = if up {
            SubsetStudy::maximize(space, sets)
        } else {
            SubsetStudy::minimize(space, sets)
        };
        let mut builder = builder
            .policy(self.policy(view))
            .model(self.model.build(self.axes.len()))
            .seed(self.seed)
            .standardize(self.standardize)
            .samples(self.samples)
            .sampling(self.sampling)
            .tolerance(self.tolerance)
            .search(self.search)
            .backend(Arc::new(Cpu));
        if let Some(budget) = self.budget {
            builder = builder.budget(view.cost(budget));
        }
        if let Some(initial) = self.initial {
            builder = builder.initial(initial);
        }
        builder
    }

    /// The settings with something in them that `build` must refuse, and what that is.
    pub fn spoiled(&self, dice: &mut Dice) -> (String, SubsetStudyBuilder) {
        let view = &View::PLAIN;
        let wrong = dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]);
        let negative = dice.pick(&[-1.0, f64::NAN, f64::INFINITY]);
        let (first, sets) = (self.axes[0].0.clone(), self.control_sets(view));
        let builder = |sets: ControlSets| SubsetStudy::maximize(self.space(), sets);
        let policy = |policy: SubsetPolicy| self.settings(view).policy(policy);
        let choice = dice.whole(0, 15);
        let spoiled = match choice {
            0 => builder(ControlSets::new()),
            1 => builder(sets.set("nothing", Vec::<String>::new(), 1.0)),
            2 => builder(sets.set("stranger", ["nobody"], 1.0)),
            3 => builder(sets.set("twice", [first.clone(), first], 1.0)),
            4 => builder(sets.set("set 0", [first], 1.0)),
            5 => builder(sets.set("price", [first], wrong)),
            6 => builder(sets.law(first, Law::Uniform)),
            7 => builder(sets.law("nobody", Law::Uniform)),
            8 => builder(ControlSets::new().set("all", [first.clone()], 1.0).law(
                first,
                dice.pick(&[Law::samples(vec![]), Law::centered(0.1), Law::normal(0.5, wrong)]),
            )),
            9 => self.settings(view).budget(wrong),
            10 => self.settings(view).samples(0),
            11 => self.settings(view).tolerance(negative),
            12 => self.settings(view).search(SetSearch { raw: 0, ..self.search }),
            13 => policy(SubsetPolicy {
                score: SetScore::UpperBound { beta: negative },
                choice: SetChoice::PerUnitCost,
            }),
            14 => policy(SubsetPolicy {
                score: SetScore::Thompson { features: dice.pick(&[0, 3]) },
                choice: SetChoice::PerUnitCost,
            }),
            _ => policy(SubsetPolicy::ucb_cvs(negative)),
        };
        (format!("control sets {choice}, {wrong}, {negative}"), spoiled)
    }

    /// Trials of the initial design.
    pub fn design(&self) -> usize {
        self.initial.unwrap_or(2 * (self.axes.len() + 1))
    }
}

fn law(axis: Axis, dice: &mut Dice) -> Law {
    let [low, middle, high] = [0.1, 0.5, 0.8].map(|u| axis.value(u));
    let spread = match axis {
        Axis::Log(low, high) => (high / low).ln().min(700.0),
        Axis::Float(low, high) => 0.5 * high - 0.5 * low,
        Axis::Int(low, high) => (high - low) as f64,
    };
    match dice.whole(0, 3) {
        0 => Law::Uniform,
        1 => Law::normal(middle, spread * dice.pick(&[0.01, 0.3, 10.0])),
        2 => Law::centered(dice.pick(&[1e-4, 0.02, 0.083])),
        _ => Law::samples(vec![low, middle, high, middle]),
    }
}
