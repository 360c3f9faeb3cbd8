//! A random study: what is searched, what evaluations bring and cost, and every setting.

pub mod costs;
pub mod domain;
pub mod kind;
pub mod measure;
pub mod model;
pub mod named;
pub mod objective;
pub mod policy;
pub mod region;
pub mod rule;
pub mod sets;
pub mod space;
pub mod stages;
pub mod units;

use std::sync::Arc;

use gittins::data::{Direction, Warping};
use gittins::study::{SearchSpec, Stages, StudyBuilder, StudySpec};
use gittins::suggest::Incumbent;
use gittins::{Cpu, Domain, KernelFamily, Value};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::view::View;
use costs::{Bill, CostSpec};
use domain::DomainSpec;
use kind::scaled;
use measure::{MOST, MeasureSpec, Measures};
use model::ModelSpec;
use objective::Objective;
use policy::PolicySpec;
use region::Region;
use rule::RuleSpec;
use units::seen;

/// A study, written down: its settings as far as they are data, and the rest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct World {
    pub seed: u64,
    /// All settings that are not below.
    pub spec: StudySpec,
    pub domain: DomainSpec,
    pub objective: Objective,
    /// Where evaluations succeed; everywhere unless set.
    pub succeeds: Option<Region>,
    pub bill: Bill,
    pub cost: CostSpec,
    pub policy: PolicySpec,
    pub rule: Option<RuleSpec>,
    /// Numbers that are measured beside the outcome, in the order of their names.
    #[serde(default)]
    pub measured: Vec<MeasureSpec>,
    /// The outcome that is worth nothing beside other objectives.
    #[serde(default)]
    reference: Option<f64>,
    pub model: ModelSpec,
    cost_model: ModelSpec,
    /// By how much an outcome is larger at the begin of a trial than at its end, in units of the
    /// objective.
    #[serde(default)]
    fall: f64,
    /// The seed of control sets, if there are some.
    #[serde(default)]
    pub sets: Option<u64>,
}

impl World {
    /// One whose `build` succeeds; now and then one whose numbers follow the data smoothly.
    pub fn draw(dice: &mut Dice) -> Self {
        match dice.index(&[0.5, 0.3, 0.2]) {
            0 => {
                let tame = dice.chance(0.05);
                let mut world = Self::any(dice);
                while tame && !(world.is_tame() && world.policy.is_tame() && world.has_table()) {
                    world = Self::any(dice);
                }
                world
            }
            1 => Self::any(dice).in_stages(dice),
            _ => {
                let dim = dice.weighed(&[(0.2, 1), (0.4, 2), (0.3, 3), (0.1, 5)]);
                Self::over(DomainSpec::numbers(dim, dice), dice).of_sets(dice)
            }
        }
    }

    /// The same with trials in stages, and settings that go with them.
    fn in_stages(mut self, dice: &mut Dice) -> Self {
        let stages = stages::draw(dice);
        if self.is_front() || stages.does_any_stage_count() || stages.are_items() {
            self.measured.clear();
            self.reference = None;
        }
        // A report stands even if a faulty price list lets its decision fail: no such list here.
        if matches!(self.cost, CostSpec::Uniform(_)) || self.bill.is_faulty() {
            self.cost = CostSpec::Learned;
            self.bill = Bill::draw(self.domain.scales(), true, false, dice);
        }
        self.policy = PolicySpec::Usual;
        if dice.chance(0.6) {
            self.policy = PolicySpec::index(self.objective.unit, dice);
        }
        self.rule = self.rule.filter(|rule| {
            dice.chance(0.5) && (self.policy.price().is_some() || !rule.needs_price())
        });
        self.fall = dice.pick(&[0.0, 0.3, 3.0, -1.0]);
        self.spec.budget = dice.chance(0.3).then(|| dice.magnitude(0.1, 1e3));
        self.spec.initial = dice.chance(0.9).then(|| dice.whole(1, 6));
        self.spec.stages = Some(stages);
        self
    }

    /// The same with control sets, which have no more settings than these.
    fn of_sets(mut self, dice: &mut Dice) -> Self {
        // Control sets refuse a kernel that is not stationary.
        let family = ModelSpec::family(dice);
        let is_smooth = family == KernelFamily::SphericalLinear || dice.chance(0.6);
        let family = if is_smooth { KernelFamily::Rbf } else { family };
        self.model = ModelSpec::draw(family, dice);
        self.policy = PolicySpec::Usual;
        self.rule = None;
        self.cost = CostSpec::Uniform(1.0);
        self.succeeds = None;
        self.reference = None;
        self.measured.clear();
        self.spec.standardize = Some(dice.chance(0.85));
        self.spec.initial = dice.chance(0.8).then(|| dice.whole(0, 4));
        self.spec.budget = None;
        self.spec.cost_floor = None;
        self.spec.time_limit = None;
        self.sets = Some(dice.seed());
        self
    }

    fn any(dice: &mut Dice) -> Self {
        let domain = DomainSpec::draw(dice);
        Self::over(domain, dice)
    }

    fn over(domain: DomainSpec, dice: &mut Dice) -> Self {
        let dim = domain.dim();
        let objective = Objective::draw(dim, dice);
        let succeeds = dice.chance(0.25).then(|| Region::draw(domain.parameters(), dice));
        let floor = dice.chance(0.25).then(|| dice.pick(&[1e-9, 0.01, 1.0]));
        let cost = match dice.index(&[0.35, 0.3, 0.35]) {
            0 if floor.is_some() && dice.chance(0.3) => CostSpec::Uniform(0.0),
            0 => CostSpec::Uniform(dice.magnitude(1e-3, 1e3)),
            1 => CostSpec::Known { gradient: dice.chance(0.5) },
            _ => CostSpec::Learned,
        };
        let faulty = matches!(cost, CostSpec::Known { .. }) && dice.chance(0.05);
        let bill = Bill::draw(domain.scales(), floor.is_some(), faulty, dice);
        let policy = PolicySpec::draw(dim, objective.unit, dice);
        let mut rule = dice.chance(0.6).then(|| RuleSpec::draw(dim, objective.unit, dice));
        if policy.price().is_none() && rule.as_ref().is_some_and(RuleSpec::needs_price) {
            rule = None;
        }
        let mut measured = MeasureSpec::draw_all(dim, policy.improves_fronts(), dice);
        if !policy.heeds_limits() {
            measured.clear();
        }
        let refers = measured.iter().any(MeasureSpec::is_objective) && dice.chance(0.3);
        let reference = refers.then(|| objective.unit * dice.between(-3.0, 3.0));
        let model = ModelSpec::family(dice);
        let cost_model = ModelSpec::family(dice);
        Self {
            seed: dice.seed(),
            spec: settings(&domain, floor, dice),
            domain,
            objective,
            succeeds,
            bill,
            cost,
            policy,
            rule,
            measured,
            reference,
            model: ModelSpec::draw(model, dice),
            cost_model: ModelSpec::draw(cost_model, dice),
            fall: 0.0,
            sets: None,
        }
    }

    /// The settings as far as they are data, in the units of a view.
    pub fn settings_as_data(&self, view: &View) -> StudySpec {
        let mut spec = seen(&self.spec, view, self.maximizes());
        spec.direction =
            Some(if self.is_up(view) { Direction::Maximize } else { Direction::Minimize });
        spec.seed = Some(self.seed);
        (spec.space, spec.table) = self.domain.data();
        let is_known = matches!(self.cost, CostSpec::Known { .. }) || view.known;
        spec.cost = (!is_known).then(|| self.cost.build(&self.bill, view));
        if let PolicySpec::Named(named) = seen(&self.policy, view, self.maximizes()) {
            spec.policy = Some(named);
        }
        spec.stop = self.rule_seen(view).as_ref().and_then(RuleSpec::named);
        spec
    }

    /// The settings, in the units of a view.
    pub fn settings(&self, view: &View) -> gittins::Result<StudyBuilder> {
        let dim = self.domain.dim();
        let spec = self.settings_as_data(view);
        let (named, ruled, priced) =
            (spec.policy.is_some(), spec.stop.is_some(), spec.cost.is_some());
        let mut builder = spec.builder()?;
        if !named && self.policy != PolicySpec::Usual {
            builder = builder.policy(seen(&self.policy, view, self.maximizes()).policy()?);
        }
        if let Some(rule) = self.rule_seen(view).filter(|_| !ruled) {
            builder = builder.stop(rule.build()?);
        }
        if !priced {
            builder = builder.cost(self.cost.build(&self.bill, view));
        }
        builder = self.measured.iter().fold(builder, |builder, one| one.set(builder));
        let reference = self.reference.map(|reference| view.outcome(reference));
        builder = reference.into_iter().fold(builder, StudyBuilder::reference);
        let model = self.model.build(dim);
        let cost_model = self.cost_model.build(dim);
        Ok(builder.model(model).cost_model(cost_model).backend(Arc::new(Cpu)))
    }

    pub fn rule_seen(&self, view: &View) -> Option<RuleSpec> {
        self.rule.as_ref().map(|rule| seen(rule, view, self.maximizes()))
    }

    pub fn stages(&self) -> Option<&Stages> {
        self.spec.stages.as_ref()
    }

    pub fn maximizes(&self) -> bool {
        self.spec.direction == Some(Direction::Maximize)
    }

    pub fn is_up(&self, view: &View) -> bool {
        self.maximizes() != view.mirrored
    }

    /// What turns outcomes of a view so that larger is better.
    pub fn sign(&self, view: &View) -> f64 {
        if self.is_up(view) { 1.0 } else { -1.0 }
    }

    /// Whether the incumbent is the best outcome, and not the largest posterior mean.
    pub fn is_lucky(&self) -> bool {
        self.spec.incumbent == Some(Incumbent::BestOutcome)
    }

    pub fn is_warped(&self) -> bool {
        self.spec.warping.is_none()
    }

    pub fn is_hurried(&self) -> bool {
        self.spec.time_limit.is_some()
    }

    pub fn standardizes(&self) -> bool {
        self.spec.standardize != Some(false)
    }

    pub fn has_table(&self) -> bool {
        matches!(self.domain, DomainSpec::Table { .. })
    }

    pub fn design(&self) -> usize {
        let rows = match self.domain.build() {
            Domain::Table(table) => table.different(),
            _ => usize::MAX,
        };
        let usual = match self.sets {
            Some(_) => 2 * (self.domain.parameters() + 1),
            None => (3 + self.domain.varied().div_ceil(2)).min(20),
        };
        self.spec.initial.unwrap_or(usual).min(rows)
    }

    pub fn measures(&self, unit: &[f64]) -> Measures {
        let mut measures = [None; MOST];
        for (measure, one) in measures.iter_mut().zip(&self.measured) {
            *measure = Some(one.at(unit));
        }
        measures
    }

    pub fn is_front(&self) -> bool {
        self.measured.iter().any(MeasureSpec::is_objective)
    }

    pub fn has_limits(&self) -> bool {
        !self.measured.iter().all(MeasureSpec::is_objective)
    }

    /// Whether measured numbers hold all limits, and those of objectives are known.
    pub fn holds(&self, measures: &Measures) -> bool {
        let holds = |(one, number): (&MeasureSpec, &Option<f64>)| {
            number.is_some_and(|number| one.holds(number))
        };
        self.measured.iter().zip(measures).all(holds)
    }

    /// What a trial costs by what is known beforehand: none where costs are learned.
    pub fn known_cost(&self, values: &[Value]) -> Option<f64> {
        match self.cost {
            CostSpec::Uniform(cost) => Some(cost),
            CostSpec::Known { .. } => Some(self.bill_at(values)),
            CostSpec::Learned => None,
        }
    }

    pub fn bill_at(&self, values: &[Value]) -> f64 {
        self.bill.at(&self.domain.codes(values))
    }

    /// The outcome of a trial at a point of the unit cube and a share of its way.
    pub fn outcome(&self, unit: &[f64], share: f64) -> f64 {
        self.objective.at(unit) + self.objective.unit * self.fall * (1.0 - share)
    }

    pub fn fails(&self, values: &[Value]) -> bool {
        self.succeeds.as_ref().is_some_and(|region| {
            !region.contains(&scaled(&self.domain.scales(), &self.domain.codes(values)))
        })
    }

    /// Whether outcomes are modeled as they are told, and their squares are no numbers: they have
    /// no moments.
    pub fn has_no_squares(&self) -> bool {
        !self.standardizes() && self.objective.is_extreme()
    }

    /// Whether model, cost and rule follow the data smoothly, so that rounding stays rounding.
    pub fn is_tame(&self) -> bool {
        let ruled = self.rule.as_ref().is_none_or(RuleSpec::is_tame);
        ruled
            && self.measured.is_empty()
            && self.model.is_tame
            && self.cost != CostSpec::Learned
            && self.standardizes()
            && !self.objective.is_extreme()
    }

    /// Whether a price for a budget has a formula: paths of Matern-1/2 have no derivative, and over
    /// a single row nothing is to be gained.
    pub fn prices_budgets(&self) -> bool {
        match &self.domain {
            DomainSpec::Space(_) => self.model.family != KernelFamily::Matern12,
            DomainSpec::Table { rows, .. } => rows.len() > 1,
        }
    }
}

fn settings(domain: &DomainSpec, floor: Option<f64>, dice: &mut Dice) -> StudySpec {
    // Under conditions the usual design depends on draws of the library's.
    let conditional = matches!(domain, DomainSpec::Space(space) if space.is_conditional());
    let sizes = [0, 1, 2, 4, 300];
    let initial = sizes[dice.index(&[0.2, 0.2, 0.2, 0.35, 0.05])];
    let searches = [(16, 2), (1, 1), (40, 4), (200, 8), (1024, 16)];
    let mut search = SearchSpec::default();
    let (points, starts) = searches[dice.index(&[0.4, 0.2, 0.2, 0.15, 0.05])];
    search.points = Some(points);
    search.starts = Some(starts);
    search.plain = dice.chance(0.15).then_some(true);
    let mut spec = StudySpec::default();
    spec.direction = Some(dice.pick(&[Direction::Minimize, Direction::Maximize]));
    spec.cost_floor = floor;
    spec.cost_unit = dice.chance(0.5).then(|| "s".to_owned());
    spec.budget = dice.chance(0.15).then(|| dice.magnitude(0.1, 1e4));
    spec.initial = (conditional || dice.chance(0.75)).then_some(initial);
    spec.time_limit = dice.chance(0.02).then_some(0.0);
    spec.standardize = dice.chance(0.3).then(|| dice.chance(0.5));
    spec.warping = dice.chance(0.5).then_some(Warping::None);
    spec.incumbent = dice.chance(0.5).then_some(Incumbent::BestOutcome);
    spec.search = Some(search);
    spec
}
