//! Policies with random settings: those of the library's table, and those that have no name.

use std::sync::Arc;

use gittins::Named;
use gittins::acquisition::{Boundary, FantasyTree, Lookahead, MaximumEstimate, Planning, normals};
use gittins::posterior::{Path, Paths};
use gittins::suggest::{Deviation, Estimation, MaxValueEntropy, MaximaSource};
use gittins::{
    Acquisition, CostForm, Hyperparameters, Joint, KernelFamily, Points, Pointwise, Policy,
    Posterior, Result,
};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::named::named;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicySpec {
    /// None is set.
    Usual,
    Named(Named),
    Fixed(Acquisition),
    Estimation(Estimation),
    Entropy(MaxValueEntropy),
    Plan(Lookahead),
    /// The knowledge gradient over so many points.
    Among {
        points: usize,
        dim: usize,
        seed: u64,
    },
    /// A path of a posterior that has nothing to do with the study.
    OwnPath {
        dim: usize,
        seed: u64,
    },
}

use PolicySpec::*;

impl PolicySpec {
    pub fn draw(dim: usize, unit: f64, dice: &mut Dice) -> Self {
        match dice.index(&[55.0, 37.0, 4.0, 3.0, 1.0]) {
            0 => Named(named(Policy::entries(), unit, dice)),
            1 => Self::draw_fixed(dim, unit, dice),
            2 => Estimation(Estimation {
                estimate: dice.pick(&[
                    MaximumEstimate::Integral,
                    MaximumEstimate::NUMERICAL,
                    MaximumEstimate::ANALYTIC,
                    MaximumEstimate::ConsistentHalfGaussian { offset: 0.5 },
                ]),
                deviation: dice.pick(&[Deviation::Latent, Deviation::Predictive]),
                points: dice.pick(&[1, 32, 128]),
            }),
            3 => Entropy(MaxValueEntropy {
                samples: dice.whole(1, 8),
                source: dice.pick(&[MaximaSource::Gumbel, MaximaSource::Paths]),
                exponent: dice.pick(&[0.0, 0.5, 1.0, 2.0]),
                form: dice.pick(&[CostForm::Expected, CostForm::ExpectedInverse]),
            }),
            _ => {
                let fantasies = dice.pick(&[vec![], vec![1], vec![2], vec![1, 1]]);
                let budgeted = dice.chance(0.7);
                let steps = fantasies.len() + 1;
                let mut plan = Acquisition::multi_step_lookahead(steps, &fantasies);
                if budgeted {
                    let budget = dice.magnitude(1.0, 100.0);
                    plan = Acquisition::budgeted_lookahead(steps, &fantasies).budget(budget);
                }
                let ways = [Planning::Rollout, Planning::Recent, Planning::Whole];
                plan = plan.planning(dice.pick(&ways));
                if dice.chance(0.3) {
                    plan = plan.boundary(Boundary::Smooth { width: 1e-3 });
                }
                Plan(if dice.chance(0.3) { plan.closest_branch() } else { plan })
            }
        }
    }

    /// The index at a price, as trials in stages have it.
    pub fn index(unit: f64, dice: &mut Dice) -> Self {
        Named(Named::new("gittins", &[("price", dice.magnitude(1e-6, 1.0) * unit)]))
    }

    /// Another one amid a study: in stages mostly one that it takes.
    pub fn another(dim: usize, unit: f64, in_stages: bool, dice: &mut Dice) -> Self {
        if in_stages && dice.chance(0.7) {
            return Self::index(unit, dice);
        }
        Self::draw(dim, unit, dice)
    }

    /// One that is the same acquisition throughout a run.
    pub fn draw_fixed(dim: usize, unit: f64, dice: &mut Dice) -> Self {
        use Pointwise::*;
        let form = dice.pick(&[CostForm::Expected, CostForm::ExpectedInverse]);
        let exponent = dice.pick(&[0.0, 0.5, 1.0, 2.0]);
        let level = unit * dice.between(-3.0, 3.0);
        let weights = [3.0, 3.0, 3.0, 3.0, 4.0, 3.0, 6.0, 6.0, 2.0, 2.0, 1.5, 0.5, 1.0, 1.0];
        Fixed(Acquisition::Pointwise(match dice.index(&weights) {
            0 => ExpectedImprovement,
            1 => LogExpectedImprovement,
            2 => ProbabilityOfImprovement,
            3 => LogProbabilityOfImprovement,
            4 => UpperConfidenceBound { beta: dice.pick(&[0.0, 0.1, 4.0, 1e6]) },
            5 => ExpectedImprovementPerCost { exponent, form },
            6 => LogExpectedImprovementPerCost { exponent, form },
            7 => Gittins { lambda: dice.magnitude(1e-6, 10.0) * unit },
            8 => {
                // The square of a large unit is no number.
                let square = Some(unit * unit).filter(|square| square.is_finite()).unwrap_or(0.0);
                EstimatedMaximum { maximum: level, noise: square * dice.pick(&[0.0, 1e-4, 1.0]) }
            }
            9 => {
                let maxima = (0..dice.whole(1, 5)).map(|_| unit * dice.between(-1.0, 4.0));
                MaxValueEntropy { maxima: maxima.collect(), exponent, form }
            }
            10 => {
                let numbers = normals(dice.whole(1, 6), 5);
                return Fixed(Acquisition::knowledge_gradient(numbers, level));
            }
            11 => {
                let levels = dice.pick(&[vec![], vec![1], vec![2], vec![2, 1]]);
                let tree = FantasyTree::new(&levels, dice.seed()).expect("a small tree");
                let budget = dice.chance(0.5).then(|| dice.magnitude(1.0, 100.0));
                return Fixed(Acquisition::multi_step_improvement(tree, budget));
            }
            12 => {
                let points = dice.whole(1, 12);
                return Among { points, dim: stray(dim, dice), seed: dice.seed() };
            }
            _ => return OwnPath { dim: stray(dim, dice), seed: dice.seed() },
        }))
    }

    /// One that must be refused.
    pub fn draw_wrong(dice: &mut Dice) -> Self {
        use Pointwise::*;
        let wrongs = [
            Gittins { lambda: 0.0 },
            Gittins { lambda: -1.0 },
            UpperConfidenceBound { beta: -1.0 },
            EstimatedMaximum { maximum: 0.0, noise: -1.0 },
            MaxValueEntropy { maxima: Vec::new().into(), exponent: 0.0, form: CostForm::Expected },
        ];
        Fixed(Acquisition::Pointwise(dice.pick(&wrongs)))
    }

    pub fn price(&self) -> Option<f64> {
        self.policy().ok()?.price()
    }

    /// Whether it is the index at a price.
    pub fn is_an_index(&self) -> bool {
        self.policy().is_ok_and(|own| own.price().map(Policy::gittins) == Some(own))
    }

    /// Whether it was given points of another dimension than the study's, which only shows where it
    /// is asked.
    pub fn is_stray(&self, dim: usize) -> bool {
        matches!(self, Among { dim: own, .. } | OwnPath { dim: own, .. } if *own != dim)
    }

    /// Whether it may have used up a budget, or find no price for it.
    pub fn may_lack_a_price(&self) -> bool {
        self.is_one_of(&["gittins_decay_from_budget"])
    }

    /// Whether it weighs that a trial may be of no use. One that does not is refused with limits.
    pub fn heeds_limits(&self) -> bool {
        use Pointwise::*;
        let ignores = matches!(
            self,
            Estimation(_)
                | OwnPath { .. }
                | Fixed(Acquisition::Pointwise(
                    UpperConfidenceBound { .. } | EstimatedMaximum { .. }
                ))
        );
        !ignores && !self.is_one_of(&["ucb", "thompson", "estimation"])
    }

    /// Whether it can be that of several objectives. Another one is refused with them.
    pub fn improves_fronts(&self) -> bool {
        use Pointwise::*;
        let fixed = matches!(
            self,
            Fixed(Acquisition::Pointwise(
                Gittins { .. } | LogExpectedImprovement | LogExpectedImprovementPerCost { .. }
            ))
        );
        fixed || self.is_one_of(&["gittins", "log_ei", "log_eipc"])
    }

    fn is_one_of(&self, names: &[&str]) -> bool {
        matches!(self, Named(named) if names.contains(&named.name.as_str()))
    }

    /// Whether the cost decides, if at all, by its product with a price, which is not rounded where
    /// the unit of cost is a power of two. The floor of a falling price is in units of the outcome
    /// alone.
    pub fn takes_any_money(&self) -> bool {
        use Pointwise::*;
        match self {
            Named(_) => {
                let plans = ["knowledge_gradient", "multi_step_lookahead"];
                self.is_one_of(&["thompson", "estimation"])
                    || self.is_one_of(&plans)
                    || self.is_tame()
            }
            Fixed(Acquisition::Joint(Joint::MultiStepImprovement { budget, .. })) => {
                budget.is_none()
            }
            Fixed(Acquisition::Pointwise(pointwise)) => !matches!(
                pointwise,
                ExpectedImprovementPerCost { .. }
                    | LogExpectedImprovementPerCost { .. }
                    | MaxValueEntropy { .. }
            ),
            Entropy(_) => false,
            Plan(plan) => serde_json::to_value(plan).is_ok_and(|plan| plan["budget"].is_null()),
            _ => true,
        }
    }

    /// Whether the unit of the outcome decides nothing, not even by its rounding: a price found
    /// from a logarithm is rounded, a path of the user's has units.
    pub fn takes_any_unit(&self) -> bool {
        !self.is_one_of(&["gittins_adaptive"]) && !matches!(self, OwnPath { .. })
    }

    /// Whether it follows the posterior smoothly: no random path, no plan, no set that is chosen by
    /// a threshold.
    pub fn is_tame(&self) -> bool {
        use Pointwise::*;
        self.is_one_of(&["gittins", "log_ei", "ei", "log_pi", "ucb"])
            || matches!(
                self,
                Fixed(Acquisition::Pointwise(
                    ExpectedImprovement
                        | LogExpectedImprovement
                        | ProbabilityOfImprovement
                        | LogProbabilityOfImprovement
                        | UpperConfidenceBound { .. }
                        | Gittins { .. }
                ))
            )
    }

    /// Whether it is an expected improvement, which is nowhere negative.
    pub fn improves(&self) -> bool {
        *self == Fixed(Acquisition::Pointwise(Pointwise::ExpectedImprovement))
    }

    pub fn fixed(&self) -> Option<Acquisition> {
        Some(match self {
            Fixed(acquisition) => acquisition.clone(),
            &Among { points: count, dim, seed } => {
                let mut dice = Dice::new(seed);
                let mut points = Points::new(dim);
                (0..count).for_each(|_| points.push(&dice.point(dim)));
                Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(points) })
            }
            &OwnPath { dim, seed } => Acquisition::thompson(path(dim, seed)),
            _ => return None,
        })
    }

    /// As the library takes it.
    pub fn policy(&self) -> Result<Policy> {
        Ok(match self {
            Usual => Policy::log_eipc(),
            Named(named) => Policy::try_from(named)?,
            &Estimation(estimation) => Policy::estimation(estimation),
            &Entropy(entropy) => Policy::max_value_entropy(entropy),
            Plan(plan) => plan.clone().into(),
            _ => self.fixed().expect("a fixed acquisition").into(),
        })
    }
}

/// The dimension as a rule, and now and then another one.
fn stray(dim: usize, dice: &mut Dice) -> usize {
    if dice.chance(0.1) { dim + 1 } else { dim }
}

fn path(dim: usize, seed: u64) -> Path {
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.4; dim], outputscale: 1.0, noise: 1e-4, mean: 0.0 };
    let inputs = Points::from_rows(dim, vec![0.5; dim]).expect("one point");
    let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &[0.3])
        .expect("a posterior of one point");
    Paths::draw(&posterior, 64, 1, seed).expect("one path").path(0)
}
