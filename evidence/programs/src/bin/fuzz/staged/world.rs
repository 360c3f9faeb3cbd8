//! A random study of runs in stages.

use gittins::study::{Stages, StudyBuilder};
use gittins::{Policy, Study, Value};

use crate::dice::Dice;
use crate::view::View;
use crate::world::costs::Bill;
use crate::world::domain::DomainSpec;
use crate::world::objective::Objective;

/// A study of runs in stages, written down; a price is in outcomes for a unit of cost.
#[derive(Debug, Clone)]
pub struct StagedWorld {
    pub seed: u64,
    pub domain: DomainSpec,
    pub stages: Stages,
    pub maximize: bool,
    pub objective: Objective,
    /// By how much an outcome is larger at the begin of a run than at its end, in units of the
    /// objective.
    fall: f64,
    bill: Bill,
    price: Option<f64>,
    budget: Option<f64>,
    initial: Option<usize>,
}

impl StagedWorld {
    /// One whose `build` succeeds.
    pub fn draw(dice: &mut Dice) -> Self {
        let domain = DomainSpec::draw(dice);
        let objective = Objective::draw(domain.dim(), dice);
        let resumable = dice.chance(0.6);
        let stages = match dice.index(&[0.35, 0.2, 0.2, 0.25]) {
            0 => Stages::epochs(dice.pick(&[1, 3, 10, 100])),
            1 if dice.chance(0.5) => Stages::items(dice.pick(&[1, 2, 40, 1000])),
            1 => Stages::folds(dice.pick(&[1, 3, 5])),
            2 => Stages::of(dice.pick(&[1e-3, 1.0, 7.5, 1e9])),
            _ => {
                let reports = dice.pick(&[vec![1.0, 2.0, 4.0, 8.0], vec![0.1, 8.0], vec![8.0]]);
                let stages = Stages::of(8.0).reports(reports);
                if dice.chance(0.3) { stages.repeats(true) } else { stages }
            }
        };
        let counts = !stages.are_folds() && !stages.are_items() && dice.chance(0.3);
        Self {
            seed: dice.seed(),
            stages: stages.resumable(resumable).any_stage_counts(counts),
            maximize: dice.chance(0.5),
            fall: dice.pick(&[0.0, 0.3, 3.0, -1.0]),
            bill: Bill::draw(domain.scales(), true, false, dice),
            price: dice.chance(0.6).then(|| dice.magnitude(1e-6, 1.0) * objective.unit),
            budget: dice.chance(0.3).then(|| dice.magnitude(0.1, 1e3)),
            initial: dice.chance(0.9).then(|| dice.whole(1, 6)),
            domain,
            objective,
        }
    }

    /// Whether a run is the mean of its reports.
    pub fn are_means(&self) -> bool {
        self.stages.are_folds() || self.stages.are_items()
    }

    /// The settings, in the units of a view.
    pub fn settings(&self, view: &View) -> StudyBuilder {
        let (domain, stages) = (self.domain.build(), self.stages.clone());
        let mut builder = match self.maximize != view.mirrored {
            true => Study::maximize(domain).stages(stages),
            false => Study::minimize(domain).stages(stages),
        };
        builder = builder.seed(self.seed);
        if let Some(price) = self.price {
            builder = builder.policy(Policy::gittins(view.price(price)));
        }
        if let Some(budget) = self.budget {
            builder = builder.budget(view.cost(budget));
        }
        self.initial.into_iter().fold(builder, StudyBuilder::initial)
    }

    /// The outcome of a run at a point of the unit cube and a share.
    pub fn outcome(&self, unit: &[f64], share: f64) -> f64 {
        self.objective.at(unit) + self.objective.unit * self.fall * (1.0 - share)
    }

    /// What a share of a run costs.
    pub fn cost(&self, values: &[Value], share: f64) -> f64 {
        share * self.bill.at(&self.domain.codes(values))
    }
}
