//! Settings that make no sense, which `build` must refuse by name.

use gittins::model::{Mean, Noise};
use gittins::stop::NamedRule;
use gittins::study::{Search, StudyBuilder};
use gittins::{Cost, ErrorKind, GaussianProcess, Policy, Result, Space, Study, Table, Value};
use gittins_papers::control::SubsetStudyBuilder;

use crate::dice::Dice;
use crate::subsets::world::SubsetWorld;
use crate::view::View;
use crate::world::World;
use crate::world::costs::CostSpec;
use crate::world::named::misnamed;
use crate::world::policy::PolicySpec;
use crate::world::rule::RuleSpec;

/// What is wrong with a study, and the kinds of error that say so.
pub struct Wrong {
    pub what: String,
    pub kinds: Vec<ErrorKind>,
    pub built: Result<()>,
}

impl Wrong {
    /// Something wrong, tried at once.
    pub fn draw(dice: &mut Dice) -> Self {
        if dice.chance(0.25) {
            return Self::subsets(dice);
        }
        let mut world = World::draw(dice);
        let settings = |world: &World| world.settings(&View::PLAIN);
        match dice.whole(0, 8) {
            0 => {
                world.rule = None;
                let policy = PolicySpec::draw_wrong(dice);
                let what = format!("{policy:?}");
                Self::of(what, settings(&world).map(|builder| builder.policy(policy)))
            }
            1 => {
                let rule = RuleSpec::draw_wrong(dice);
                let what = format!("the rule {}", rule.name());
                Self::of(what, settings(&world).map(|builder| builder.stop(rule)))
            }
            2 => {
                world.rule = None;
                let named = misnamed(Policy::entries(), dice);
                let with = |builder: StudyBuilder| Ok(builder.policy(Policy::try_from(&named)?));
                Self::of(format!("{named:?}"), settings(&world).and_then(with))
            }
            3 => {
                let named = NamedRule::One(misnamed(NamedRule::entries(), dice));
                let what = format!("{named:?}");
                Self::of(what, settings(&world).map(|builder| builder.stop(named)))
            }
            4 => {
                let (what, space) = wrong_space(dice);
                Self::of(what, Ok(Study::minimize(space)))
            }
            5 => {
                let (what, table) = wrong_table(dice);
                Self::of(what, table.map(Study::minimize))
            }
            6 => {
                let (what, model) = wrong_model(world.domain.dim(), dice);
                let of_cost = world.cost == CostSpec::Learned && dice.chance(0.5);
                let with = |builder: StudyBuilder| {
                    if of_cost { builder.cost_model(model) } else { builder.model(model) }
                };
                Self::of(what, settings(&world).map(with))
            }
            7 => {
                let cost = dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]);
                world.spec.cost_floor = (cost != 0.0 && dice.chance(0.5)).then_some(1.0);
                world.cost = CostSpec::Uniform(1.0);
                let with = |builder: StudyBuilder| builder.cost(Cost::uniform(cost));
                Self::of(format!("a uniform cost of {cost}"), settings(&world).map(with))
            }
            _ => {
                let floor = dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]);
                let (points, starts) = dice.pick(&[(0, 1), (1, 0), (0, 0)]);
                let (floored, search) = (dice.chance(0.5), Search::new(points, starts));
                let with = |builder: StudyBuilder| {
                    if floored { builder.cost_floor(floor) } else { builder.search(search) }
                };
                let what = format!("a floor of {floor}, or a search of {points} and {starts}");
                Self::of(what, settings(&world).map(with))
            }
        }
    }

    fn of(what: String, builder: Result<StudyBuilder>) -> Self {
        let kinds = vec![
            ErrorKind::InvalidSetting,
            ErrorKind::NonFinite,
            ErrorKind::Empty,
            ErrorKind::NonPositiveCost,
            ErrorKind::UnknownParameter,
            ErrorKind::Dimension,
            ErrorKind::OutOfBounds,
        ];
        Self { what, kinds, built: builder.and_then(StudyBuilder::build).map(drop) }
    }

    fn subsets(dice: &mut Dice) -> Self {
        let world = SubsetWorld::draw(dice);
        let (what, builder) = world.spoiled(dice);
        let kinds = vec![
            ErrorKind::InvalidSetting,
            ErrorKind::NonFinite,
            ErrorKind::Empty,
            ErrorKind::NonPositiveCost,
            ErrorKind::UnknownParameter,
            ErrorKind::OutOfBounds,
        ];
        Self { what, kinds, built: SubsetStudyBuilder::build(builder).map(drop) }
    }
}

fn wrong_model(dim: usize, dice: &mut Dice) -> (String, GaussianProcess) {
    let wrong = dice.pick(&[-1.0, f64::NAN, f64::INFINITY]);
    let model = GaussianProcess::new;
    let models = [
        model().noise(Noise::Fixed(wrong)),
        model().noise(Noise::Learned { low: wrong, high: 1.0 }),
        model().noise(Noise::Learned { low: 0.1, high: 0.01 }),
        model().noise(Noise::Learned { low: 0.0, high: 0.01 }),
        model().mean(Mean::Fixed(f64::NAN)),
        model().lengthscale_bounds(0.0, 1.0),
        model().lengthscale_bounds(2.0, 1.0),
        model().tolerance(wrong),
        model().fixed_kernel(vec![0.5; dim], 1.0),
        model().noise(Noise::Fixed(0.1)).fixed_kernel(vec![0.5; dim + 1], 1.0),
        model().noise(Noise::Fixed(0.1)).fixed_kernel(vec![wrong; dim], 1.0),
        model().noise(Noise::Fixed(0.1)).fixed_kernel(vec![0.5; dim], 0.0),
    ];
    let model = dice.pick(&models);
    (format!("{model:?}"), model)
}

fn wrong_space(dice: &mut Dice) -> (String, Space) {
    let spaces = [
        Space::new(),
        Space::new().float("a", 1.0, 0.0),
        Space::new().float("a", 1.0, 1.0),
        Space::new().float("a", f64::NAN, 1.0),
        Space::new().float("a", 0.0, f64::INFINITY),
        Space::new().float("a", -1e308, 1e308),
        Space::new().log_float("a", 0.0, 1.0),
        Space::new().log_float("a", -1.0, 1.0),
        Space::new().int("a", 3, 3),
        Space::new().int("a", 4, 3),
        Space::new().int("a", i64::MIN, i64::MAX),
        Space::new().int("a", 0, (1 << 49) + 1),
        Space::new().float("", 0.0, 1.0),
        Space::new().float("a", 0.0, 1.0).int("a", 0, 1),
        Space::new().constant("a", 3),
        Space::new().flag("a").constant("b", f64::NAN),
        Space::new().choice("a", ["one"]),
        Space::new().choice("a", ["one", "one"]),
        Space::new().numbers("a", [1.0, 1.0]),
        Space::new().numbers("a", [1.0, f64::NAN]),
        Space::new().steps("a", 0.0, 1.0, dice.pick(&[0.0, -0.1, 2.0, f64::NAN])),
        Space::new().log_int("a", dice.pick(&[0, -3]), 9),
        Space::new().log_int("a", 1, (1 << 40) + 1),
        Space::new().flag("a").flag("b").when("c", [true]),
        Space::new().flag("a").flag("b").when("a", ["yes"]),
        Space::new().flag("a").flag("b").when("a", Vec::<bool>::new()),
        Space::new().choice("a", ["x", "y"]).flag("b").when_at_least("a", 1.0),
        Space::new().flag("a").when("b", [true]).flag("b").when("a", [true]),
        Space::new().flag("a").when("a", [true]).flag("b"),
        Space::new().int("a", 0, 5).flag("b").when_at_most("a", f64::NAN),
        Space::new().float("a", 0.0, 1.0).at_most([("a", 1.0)], -1.0),
        Space::new().float("a", 0.0, 1.0).at_most([("b", 1.0)], 1.0),
        Space::new().float("a", 0.0, 1.0).at_most([("a", f64::NAN)], 1.0),
        Space::new().choice("a", ["x", "y"]).float("b", 0.0, 1.0).at_most([("a", 1.0)], 1.0),
        Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0).sum_to(["a", "b"], 2.0),
        Space::new().float("a", 0.0, 1.0).int("b", 0, 5).sum_to(["a", "b"], 2.0),
        Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0).sum_to(["a", "b"], f64::INFINITY),
        Space::new().float("a", 0.0, 1.0).allow("nothing", |_| false),
    ];
    let space = dice.pick(&spaces);
    (format!("{space:?}"), space)
}

fn wrong_table(dice: &mut Dice) -> (String, Result<Table>) {
    let good = || Table::new(["a", "b"], vec![vec![0.0, 1.0], vec![1.0, 2.0]]);
    let words = |first: Value, second: Value| Table::new(["a"], vec![vec![first], vec![second]]);
    let choice = dice.whole(0, 14);
    let table = match choice {
        0 => Table::new(["a"], Vec::<Vec<f64>>::new()),
        1 => Table::new(Vec::<String>::new(), vec![Vec::<f64>::new()]),
        2 => Table::new(["a", "a"], vec![vec![0.0, 1.0]]),
        3 => Table::new(["a", ""], vec![vec![0.0, 1.0]]),
        4 => Table::new(["a", "b"], vec![vec![0.0, 1.0], vec![1.0]]),
        5 => Table::new(["a"], vec![vec![f64::NAN]]),
        6 => good().and_then(|table| table.log("a")),
        7 => good().and_then(|table| table.log("c")),
        8 => good().and_then(|table| table.within("b", 3.0, 3.0)),
        9 => words("x".into(), 3.0.into()),
        10 => words(true.into(), 3.0.into()),
        11 => words(3.0.into(), "x".into()),
        12 => words("x".into(), "y".into()).and_then(|table| table.log("a")),
        13 => words("x".into(), "y".into()).and_then(|table| table.within("a", 0.0, 1.0)),
        _ => good().and_then(|table| table.within("b", 3.0, f64::INFINITY)),
    };
    (format!("table {choice}"), table)
}
