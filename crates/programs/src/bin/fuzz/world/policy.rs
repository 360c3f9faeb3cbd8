//! Every policy with random settings, in the units of a view.

use std::sync::Arc;

use gittins::acquisition::MaximumEstimate;
use gittins::acquisition::normals;
use gittins::acquisition::{Boundary, FantasyTree, Planning};
use gittins::posterior::Paths;
use gittins::suggest::{Deviation, MaxValueEntropy, MaximaSource};
use gittins::{
    Acquisition, CostForm, Hyperparameters, Joint, KernelFamily, Points, Pointwise, Policy,
    Posterior,
};

use crate::dice::Dice;
use crate::view::View;

/// A policy, written down; numbers in outcomes are turned so that larger is better.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicySpec {
    Improvement,
    LogImprovement,
    Probability,
    LogProbability,
    Ucb {
        beta: f64,
    },
    PerCost {
        exponent: f64,
        form: CostForm,
    },
    LogPerCost {
        exponent: f64,
        form: CostForm,
    },
    Gittins {
        lambda: f64,
    },
    EstimatedMaximum {
        maximum: f64,
        noise: f64,
    },
    EntropyOf {
        maxima: Vec<f64>,
        exponent: f64,
        form: CostForm,
    },
    OneShot {
        fantasies: usize,
        current: f64,
    },
    FiniteGradient {
        among: usize,
        dim: usize,
        seed: u64,
    },
    Path {
        dim: usize,
        seed: u64,
    },
    Tree {
        fantasies: Vec<usize>,
        budget: Option<f64>,
        seed: u64,
    },
    Decay {
        lambda: f64,
        factor: f64,
    },
    DecayFromBudget {
        budget: f64,
        factor: f64,
    },
    Adaptive,
    Cooled {
        budget: f64,
    },
    CooledInverse {
        budget: f64,
    },
    UcbSchedule,
    Thompson,
    Estimation {
        estimate: MaximumEstimate,
        deviation: Deviation,
        points: usize,
    },
    Entropy {
        samples: usize,
        source: MaximaSource,
        exponent: f64,
        form: CostForm,
    },
    KnowledgeGradient {
        fantasies: usize,
    },
    Lookahead {
        fantasies: Vec<usize>,
        budget: Option<f64>,
        planning: Planning,
        width: Option<f64>,
        closest: bool,
    },
}

use PolicySpec::*;

impl PolicySpec {
    /// One that makes sense; `unit` is about how far outcomes spread, and `cost` what a trial
    /// costs.
    pub fn draw(dim: usize, unit: f64, cost: f64, dice: &mut Dice) -> Self {
        let form = dice.pick(&[CostForm::Expected, CostForm::ExpectedInverse]);
        let exponent = dice.pick(&[0.0, 0.5, 1.0, 2.0]);
        let lambda = dice.magnitude(1e-6, 10.0) * unit / cost;
        let budget = cost * dice.magnitude(1.0, 100.0);
        let factor = dice.pick(&[1.1, 2.0, 1e6]);
        let choice = dice.weighed(&[
            (3.0, 0),
            (3.0, 1),
            (3.0, 2),
            (3.0, 3),
            (4.0, 4),
            (3.0, 5),
            (6.0, 6),
            (16.0, 7),
            (2.0, 8),
            (2.0, 9),
            (1.5, 10),
            (1.0, 11),
            (1.0, 12),
            (0.5, 13),
            (6.0, 14),
            (3.0, 15),
            (4.0, 16),
            (3.0, 17),
            (3.0, 18),
            (3.0, 19),
            (2.0, 20),
            (4.0, 21),
            (3.0, 22),
            (1.5, 23),
            (1.0, 24),
        ]);
        match choice {
            0 => Improvement,
            1 => LogImprovement,
            2 => Probability,
            3 => LogProbability,
            4 => Ucb { beta: dice.pick(&[0.0, 0.1, 4.0, 1e6]) },
            5 => PerCost { exponent, form },
            6 => LogPerCost { exponent, form },
            8 => {
                // The square of a large unit is no number.
                let square = Some(unit * unit).filter(|square| square.is_finite()).unwrap_or(0.0);
                EstimatedMaximum {
                    maximum: unit * dice.between(-3.0, 3.0),
                    noise: square * dice.pick(&[0.0, 1e-4, 1.0]),
                }
            }
            9 => EntropyOf {
                maxima: (0..dice.whole(1, 5)).map(|_| unit * dice.between(-1.0, 4.0)).collect(),
                exponent,
                form,
            },
            10 => OneShot { fantasies: dice.whole(1, 6), current: unit * dice.between(-1.0, 1.0) },
            11 => FiniteGradient {
                among: dice.whole(1, 12),
                dim: stray(dim, dice),
                seed: dice.seed(),
            },
            12 => Path { dim: stray(dim, dice), seed: dice.seed() },
            13 => Tree {
                fantasies: dice.pick(&[vec![], vec![1], vec![2], vec![2, 1]]),
                budget: dice.chance(0.5).then_some(budget),
                seed: dice.seed(),
            },
            14 => Decay { lambda, factor },
            15 => DecayFromBudget { budget, factor },
            16 => Adaptive,
            17 => Cooled { budget },
            18 => CooledInverse { budget },
            19 => UcbSchedule,
            20 => Thompson,
            21 => {
                let estimate = dice.pick(&[
                    MaximumEstimate::Integral,
                    MaximumEstimate::NUMERICAL,
                    MaximumEstimate::ANALYTIC,
                    MaximumEstimate::ConsistentHalfGaussian { offset: 0.5 },
                ]);
                Estimation {
                    estimate,
                    deviation: dice.pick(&[Deviation::Latent, Deviation::Predictive]),
                    points: dice.pick(&[1, 32, 128]),
                }
            }
            22 => Entropy {
                samples: dice.whole(1, 8),
                source: dice.pick(&[
                    MaximaSource::Gumbel,
                    MaximaSource::Gumbel,
                    MaximaSource::Paths,
                ]),
                exponent,
                form,
            },
            23 => KnowledgeGradient { fantasies: dice.whole(2, 5) },
            24 => Lookahead {
                fantasies: dice.pick(&[vec![], vec![1], vec![2], vec![1, 1]]),
                budget: dice.chance(0.7).then_some(budget),
                planning: dice.pick(&[Planning::Rollout, Planning::Recent, Planning::Whole]),
                width: dice.chance(0.3).then_some(1e-3 * cost),
                closest: dice.chance(0.3),
            },
            _ => Gittins { lambda },
        }
    }

    /// A fixed acquisition that makes sense.
    pub fn draw_fixed(dim: usize, unit: f64, cost: f64, dice: &mut Dice) -> Self {
        loop {
            let policy = Self::draw(dim, unit, cost, dice);
            if policy.fixed(true, &View::PLAIN).is_some() {
                return policy;
            }
        }
    }

    /// One that `validate` must refuse.
    pub fn draw_wrong(dice: &mut Dice) -> Self {
        let wrong = dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]);
        let negative = dice.pick(&[-1.0, f64::NAN, f64::NEG_INFINITY]);
        let form = CostForm::Expected;
        let wrongs = [
            Gittins { lambda: wrong },
            Ucb { beta: negative },
            PerCost { exponent: negative, form },
            LogPerCost { exponent: negative, form },
            EstimatedMaximum { maximum: f64::NAN, noise: 0.0 },
            EstimatedMaximum { maximum: 0.0, noise: negative },
            EntropyOf { maxima: Vec::new(), exponent: 0.0, form },
            EntropyOf { maxima: vec![0.0, f64::INFINITY], exponent: 0.0, form },
            OneShot { fantasies: 0, current: 0.0 },
            OneShot { fantasies: 2, current: f64::NAN },
            FiniteGradient { among: 0, dim: 2, seed: 0 },
            Tree { fantasies: Vec::new(), budget: Some(f64::NAN), seed: 0 },
            Decay { lambda: wrong, factor: 2.0 },
            Decay { lambda: 1.0, factor: dice.pick(&[1.0, 0.5, -2.0, f64::NAN, f64::INFINITY]) },
            DecayFromBudget { budget: wrong, factor: 2.0 },
            Cooled { budget: wrong },
            CooledInverse { budget: wrong },
            Estimation {
                estimate: MaximumEstimate::LeftSum { step: wrong },
                deviation: Deviation::Latent,
                points: 8,
            },
            Estimation {
                estimate: MaximumEstimate::Integral,
                deviation: Deviation::Latent,
                points: 0,
            },
            Entropy { samples: 0, source: MaximaSource::Gumbel, exponent: 0.0, form },
            Entropy { samples: 1, source: MaximaSource::Gumbel, exponent: negative, form },
            KnowledgeGradient { fantasies: dice.whole(0, 1) },
            Lookahead {
                fantasies: vec![0],
                budget: None,
                planning: Planning::Whole,
                width: None,
                closest: false,
            },
            Lookahead {
                fantasies: vec![70, 70],
                budget: None,
                planning: Planning::Whole,
                width: None,
                closest: false,
            },
            Lookahead {
                fantasies: vec![1],
                budget: Some(wrong),
                planning: Planning::Whole,
                width: None,
                closest: false,
            },
            Lookahead {
                fantasies: vec![1],
                budget: Some(1.0),
                planning: Planning::Whole,
                width: Some(wrong),
                closest: false,
            },
        ];
        dice.pick(&wrongs)
    }

    /// The user's price of a unit of cost.
    pub fn price(&self) -> Option<f64> {
        match self {
            Gittins { lambda } | Decay { lambda, .. } => Some(*lambda),
            _ => None,
        }
    }

    /// Whether it was given points of another dimension than the study's, which only shows where it
    /// is asked.
    pub fn is_stray(&self, dim: usize) -> bool {
        matches!(self, FiniteGradient { dim: own, .. } | Path { dim: own, .. } if *own != dim)
    }

    /// Whether the cost decides, if at all, by its product with a price, which is not rounded where
    /// the unit of cost is a power of two.
    pub fn takes_any_money(&self) -> bool {
        match self {
            PerCost { .. }
            | LogPerCost { .. }
            | EntropyOf { .. }
            | Entropy { .. }
            | Adaptive
            | Cooled { .. }
            | CooledInverse { .. } => false,
            Tree { budget, .. } | Lookahead { budget, .. } => budget.is_none(),
            // The floor of a falling price is in units of the outcome alone.
            Decay { .. } | DecayFromBudget { .. } => false,
            _ => true,
        }
    }

    /// Whether the unit of the outcome decides nothing, not even by its rounding: a price found
    /// from a logarithm is rounded, a path of the user's has units.
    pub fn takes_any_unit(&self) -> bool {
        !matches!(self, Adaptive | Path { .. })
    }

    /// Whether it follows the posterior smoothly: no random path, no plan, no set that is chosen by
    /// a threshold.
    pub fn is_tame(&self) -> bool {
        matches!(
            self,
            Improvement
                | Probability
                | LogProbability
                | Ucb { .. }
                | Gittins { .. }
                | LogImprovement
                | UcbSchedule
        )
    }

    /// The acquisition, where it is the same throughout a run.
    pub fn fixed(&self, maximize: bool, view: &View) -> Option<Acquisition> {
        Some(match self.clone() {
            Improvement => Acquisition::Pointwise(Pointwise::ExpectedImprovement),
            LogImprovement => Acquisition::Pointwise(Pointwise::LogExpectedImprovement),
            Probability => Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement),
            LogProbability => Acquisition::Pointwise(Pointwise::LogProbabilityOfImprovement),
            Ucb { beta } => Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta }),
            PerCost { exponent, form } => {
                Acquisition::Pointwise(Pointwise::ExpectedImprovementPerCost { exponent, form })
            }
            LogPerCost { exponent, form } => {
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost { exponent, form })
            }
            Gittins { lambda } => Acquisition::gittins(view.price(lambda)),
            EstimatedMaximum { maximum, noise } => {
                Acquisition::Pointwise(Pointwise::EstimatedMaximum {
                    maximum: view.turned(maximum, maximize),
                    noise: view.difference(view.difference(noise)),
                })
            }
            EntropyOf { maxima, exponent, form } => {
                let maxima: Arc<[f64]> =
                    maxima.iter().map(|maximum| view.turned(*maximum, maximize)).collect();
                Acquisition::Pointwise(Pointwise::MaxValueEntropy { maxima, exponent, form })
            }
            OneShot { fantasies, current } => Acquisition::knowledge_gradient(
                normals(fantasies, 5),
                view.turned(current, maximize),
            ),
            FiniteGradient { among, dim, seed } => {
                let mut dice = Dice::new(seed);
                let mut points = Points::new(dim);
                (0..among).for_each(|_| points.push(&dice.point(dim)));
                Acquisition::Joint(Joint::FiniteKnowledgeGradient { among: Arc::new(points) })
            }
            Path { dim, seed } => Acquisition::thompson(path(dim, seed)),
            Tree { fantasies, budget, seed } => {
                let tree = FantasyTree::new(&fantasies, seed).expect("a small tree");
                Acquisition::multi_step_improvement(tree, budget.map(|budget| view.cost(budget)))
            }
            _ => return None,
        })
    }

    pub fn build(&self, maximize: bool, view: &View) -> Policy {
        if let Some(acquisition) = self.fixed(maximize, view) {
            return acquisition.into();
        }
        match self.clone() {
            Decay { lambda, factor } => Policy::gittins_decay(view.price(lambda), factor),
            DecayFromBudget { budget, factor } => {
                Policy::gittins_decay_from_budget(view.cost(budget), factor)
            }
            Adaptive => Policy::gittins_adaptive(),
            Cooled { budget } => Policy::log_eipc_cooled(view.cost(budget)),
            CooledInverse { budget } => Policy::ei_puc_cc(view.cost(budget)),
            UcbSchedule => Policy::ucb(),
            Thompson => Policy::thompson(),
            Estimation { estimate, deviation, points } => {
                Policy::estimation(gittins::suggest::Estimation { estimate, deviation, points })
            }
            Entropy { samples, source, exponent, form } => {
                Policy::max_value_entropy(MaxValueEntropy { samples, source, exponent, form })
            }
            KnowledgeGradient { fantasies } => Policy::knowledge_gradient(fantasies),
            Lookahead { fantasies, budget, planning, width, closest } => {
                let steps = fantasies.len() + 1;
                let mut plan = match budget {
                    Some(budget) => {
                        Acquisition::budgeted_lookahead(steps, &fantasies).budget(view.cost(budget))
                    }
                    None => Acquisition::multi_step_lookahead(steps, &fantasies),
                };
                plan = plan.planning(planning);
                if let Some(width) = width {
                    plan = plan.boundary(Boundary::Smooth { width: view.cost(width) });
                }
                if closest { plan.closest_branch().into() } else { plan.into() }
            }
            _ => unreachable!("a fixed acquisition"),
        }
    }
}

/// The dimension as a rule, and now and then another one.
fn stray(dim: usize, dice: &mut Dice) -> usize {
    if dice.chance(0.1) { dim + 1 } else { dim }
}

/// A path of a posterior that has nothing to do with the study.
fn path(dim: usize, seed: u64) -> gittins::posterior::Path {
    let hyperparameters =
        Hyperparameters { lengthscales: vec![0.4; dim], outputscale: 1.0, noise: 1e-4, mean: 0.0 };
    let inputs = Points::from_rows(dim, vec![0.5; dim]).expect("one point");
    let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &[0.3])
        .expect("a posterior of one point");
    Paths::draw(&posterior, 64, 1, seed).expect("one path").path(0)
}
