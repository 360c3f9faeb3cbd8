//! A random study: what is searched, what evaluations bring and cost, and every setting.

pub mod axis;
pub mod costs;
pub mod domain;
pub mod kind;
pub mod mixed;
pub mod model;
pub mod objective;
pub mod policy;
pub mod region;
pub mod rule;
pub mod wrong;

use std::sync::Arc;
use std::time::Duration;

use gittins::data::Warping;
use gittins::study::{Search, StudyBuilder};
use gittins::suggest::Incumbent;
use gittins::{Cpu, Domain, KernelFamily, Study, Value};

use crate::dice::Dice;
use crate::view::View;
use axis::scaled;
use costs::{Bill, CostSpec};
use domain::DomainSpec;
use model::ModelSpec;
use objective::Objective;
use policy::PolicySpec;
use region::Region;
use rule::RuleSpec;

/// A study, written down.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    pub seed: u64,
    pub domain: DomainSpec,
    pub maximize: bool,
    pub objective: Objective,
    /// Where evaluations succeed; everywhere unless set.
    pub succeeds: Option<Region>,
    pub bill: Bill,
    pub cost: CostSpec,
    pub floor: Option<f64>,
    pub policy: PolicySpec,
    pub rule: Option<RuleSpec>,
    pub model: ModelSpec,
    pub cost_model: ModelSpec,
    pub initial: Option<usize>,
    pub standardize: bool,
    pub search: (usize, usize),
    pub plain: bool,
    pub hurried: bool,
    /// Whether the best outcome is what is in hand, and not the largest posterior mean.
    pub lucky: bool,
    /// Whether outcomes are warped.
    pub warped: bool,
    /// The money that the study may spend.
    pub budget: Option<f64>,
}

impl World {
    /// One whose `build` succeeds; now and then one whose numbers follow the data smoothly.
    pub fn draw(dice: &mut Dice) -> Self {
        let tame = dice.chance(0.04);
        let mut world = Self::any(dice);
        while tame
            && !(world.is_tame()
                && world.policy.is_tame()
                && matches!(world.domain, DomainSpec::Table { .. }))
        {
            world = Self::any(dice);
        }
        world
    }

    fn any(dice: &mut Dice) -> Self {
        let domain = DomainSpec::draw(dice);
        let dim = domain.dim();
        let objective = Objective::draw(dim, dice);
        let succeeds = dice.chance(0.25).then(|| Region::draw(domain.parameters(), dice));
        let floor = dice.chance(0.25).then(|| dice.pick(&[1e-9, 0.01, 1.0]));
        let cost = match dice.weighed(&[(0.35, 0), (0.3, 1), (0.35, 2)]) {
            0 => CostSpec::Uniform(if floor.is_some() && dice.chance(0.3) {
                0.0
            } else {
                dice.magnitude(1e-3, 1e3)
            }),
            1 => CostSpec::Known { gradient: dice.chance(0.5) },
            _ => CostSpec::Learned,
        };
        let faulty = matches!(cost, CostSpec::Known { .. }) && dice.chance(0.05);
        let bill = Bill::draw(domain.scales(), floor.is_some(), faulty, dice);
        let policy = PolicySpec::draw(dim, objective.unit, 1.0, dice);
        let mut rule = dice.chance(0.6).then(|| RuleSpec::draw(dim, objective.unit, 1.0, dice));
        if policy.price().is_none() && rule.as_ref().is_some_and(RuleSpec::needs_price) {
            rule = None;
        }
        let family = ModelSpec::family(dice);
        // Under conditions the usual design depends on draws of the library's.
        let conditional = matches!(&domain, DomainSpec::Mixed(space) if space.is_conditional());
        let initial = (conditional || dice.chance(0.75))
            .then(|| dice.weighed(&[(0.2, 0), (0.2, 1), (0.2, 2), (0.35, 4), (0.05, 300)]));
        Self {
            seed: dice.seed(),
            domain,
            maximize: dice.chance(0.5),
            objective,
            succeeds,
            bill,
            cost,
            floor,
            policy,
            rule,
            model: ModelSpec::draw(family, dice),
            cost_model: ModelSpec::draw(ModelSpec::family(dice), dice),
            initial,
            standardize: dice.chance(0.85),
            search: dice.weighed(&[
                (0.4, (16, 2)),
                (0.2, (1, 1)),
                (0.2, (40, 4)),
                (0.15, (200, 8)),
                (0.05, (1024, 16)),
            ]),
            plain: dice.chance(0.15),
            hurried: dice.chance(0.02),
            lucky: dice.chance(0.5),
            warped: dice.chance(0.5),
            budget: dice.chance(0.15).then(|| dice.magnitude(0.1, 1e4)),
        }
    }

    /// The settings, in the units of a view.
    ///
    /// # Errors
    /// Those of the domain.
    pub fn settings(&self, view: &View) -> gittins::Result<StudyBuilder> {
        let domain = self.domain.build()?;
        let dim = self.domain.dim();
        let up = self.maximize != view.mirrored;
        let builder = if up { Study::maximize(domain) } else { Study::minimize(domain) };
        let mut builder = builder
            .cost(self.cost.build(&self.bill, view))
            .policy(self.policy.build(self.maximize, view))
            .model(self.model.build(dim))
            .cost_model(self.cost_model.build(dim))
            .seed(self.seed)
            .standardize(self.standardize)
            .backend(Arc::new(Cpu));
        if self.seed.is_multiple_of(2) {
            builder = builder.cost_unit("s");
        }
        if let Some(floor) = self.floor {
            builder = builder.cost_floor(view.cost(floor));
        }
        if let Some(rule) = &self.rule {
            builder = builder.stop(rule.build(self.maximize, view));
        }
        if let Some(initial) = self.initial {
            builder = builder.initial(initial);
        }
        let search = Search::new(self.search.0, self.search.1);
        builder = builder.search(if self.plain { search.plain() } else { search });
        if self.lucky {
            builder = builder.incumbent(Incumbent::BestOutcome);
        }
        if !self.warped {
            builder = builder.warping(Warping::None);
        }
        if let Some(budget) = self.budget {
            builder = builder.budget(view.cost(budget));
        }
        if self.hurried {
            builder = builder.time_limit(Duration::ZERO);
        }
        Ok(builder)
    }

    /// The domain as the library has it.
    ///
    /// # Panics
    /// If the library refuses a domain that makes sense.
    pub fn bound(&self) -> Domain {
        self.domain.build().expect("a domain that makes sense")
    }

    /// Points of the initial design.
    pub fn design(&self) -> usize {
        let rows =
            if let Domain::Table(table) = self.bound() { table.different() } else { usize::MAX };
        let usual = (3 + self.domain.varied().div_ceil(2)).min(20);
        self.initial.unwrap_or(usual).min(rows)
    }

    /// What a trial costs by what is known beforehand: none where costs are learned.
    pub fn known_cost(&self, values: &[Value]) -> Option<f64> {
        match self.cost {
            CostSpec::Uniform(cost) => Some(cost),
            CostSpec::Known { .. } => Some(self.bill_at(values)),
            CostSpec::Learned => None,
        }
    }

    /// What a trial costs.
    pub fn bill_at(&self, values: &[Value]) -> f64 {
        self.bill.at(&self.domain.codes(values))
    }

    /// Whether an evaluation fails.
    pub fn fails(&self, values: &[Value]) -> bool {
        self.succeeds.as_ref().is_some_and(|region| {
            !region.contains(&scaled(&self.domain.scales(), &self.domain.codes(values)))
        })
    }

    /// Whether outcomes are modeled as they are told, and their squares are no numbers: they have
    /// no moments.
    pub fn has_no_squares(&self) -> bool {
        !self.standardize && self.objective.is_extreme()
    }

    /// Whether model, cost and rule follow the data smoothly, so that rounding stays rounding.
    pub fn is_tame(&self) -> bool {
        let ruled = self.rule.as_ref().is_none_or(RuleSpec::is_tame);
        ruled
            && self.model.is_tame()
            && self.cost != CostSpec::Learned
            && self.standardize
            && !self.objective.is_extreme()
    }

    /// Whether a price for a budget has a formula: paths of Matern-1/2 have no derivative, and over
    /// a single row nothing is to be gained.
    pub fn prices_budgets(&self) -> bool {
        match &self.domain {
            DomainSpec::Space(_) | DomainSpec::Mixed(_) => {
                self.model.family != KernelFamily::Matern12
            }
            DomainSpec::Table { rows, .. } => rows.len() > 1,
        }
    }
}
