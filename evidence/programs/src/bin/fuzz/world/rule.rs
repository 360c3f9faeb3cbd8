//! Stopping rules with random settings: those of the library's table, and those that have no name.

use gittins::Named;
use gittins::stop::{Form, NamedRule, Statistic, ThresholdRule, all, any};
use gittins::{
    Acquisition, Error, ErrorKind, GittinsRule, Pointwise, Result, StopContext, StopRule,
};
use gittins_papers::rules::RegretProbabilityRule;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::named::{given, named};
use crate::world::policy::PolicySpec;

/// A rule, written down; numbers in outcomes are differences, or turned so that larger is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleSpec {
    Named(Named),
    /// The Gittins rule in one of its forms.
    Priced {
        price: Option<f64>,
        form: usize,
    },
    /// A probability of small regret from few numbers.
    Regret {
        epsilon: f64,
        frequency: bool,
        rows: usize,
    },
    /// The maximum of any acquisition, and a threshold in whatever unit that has.
    Maximum {
        of: PolicySpec,
        threshold: f64,
    },
    Own(Habit),
    Any(Vec<RuleSpec>),
    All(Vec<RuleSpec>),
}

/// A rule of the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Habit {
    /// Says that its statistic is no number.
    Speechless,
    /// Fails whenever the number of trials told is a multiple of three.
    Failing,
    /// Compares the forms of the Gittins rule, of which the first speaks.
    Comparing { price: f64 },
}

pub const FORMS: [Form; 3] = [Form::Index, Form::LogImprovementPerCost, Form::ImprovementPerCost];

use RuleSpec::*;

impl RuleSpec {
    pub fn draw(dim: usize, unit: f64, dice: &mut Dice) -> Self {
        let simple = Self::simple(dim, unit, dice);
        match (dice.index(&[0.7, 0.2, 0.1]), simple) {
            (0, simple) => simple,
            (1, Named(mut named)) => {
                for (key, least, most) in [("after", 0, 6), ("debounced", 1, 3), ("smoothed", 1, 4)]
                {
                    if dice.chance(0.7) {
                        named.numbers.push((key.to_owned(), dice.whole(least, most) as f64));
                    }
                }
                Named(named)
            }
            (_, simple) => {
                let others = (0..dice.whole(0, 2)).map(|_| Self::simple(dim, unit, dice));
                let rules = Vec::from_iter(others.chain([simple]));
                if dice.chance(0.7) { Any(rules) } else { All(rules) }
            }
        }
    }

    fn simple(dim: usize, unit: f64, dice: &mut Dice) -> Self {
        let price = dice.magnitude(1e-6, 1.0) * unit;
        let level = unit * dice.between(-2.0, 2.0);
        match dice.index(&[19.0, 3.0, 0.6, 3.0, 0.5, 2.0]) {
            0 => Named(named(NamedRule::entries(), unit, dice)),
            1 => Priced { price: dice.chance(0.6).then_some(price), form: dice.whole(0, 2) },
            2 => {
                let rows = dice.pick(&[3, usize::MAX]);
                Regret { epsilon: price, frequency: dice.chance(0.5), rows }
            }
            3 => Maximum { of: PolicySpec::draw_fixed(dim, unit, dice), threshold: level },
            4 => Own(dice.pick(&[Habit::Speechless, Habit::Failing])),
            _ => Own(Habit::Comparing { price }),
        }
    }

    /// Whether it takes the price of the policy, which then has to have one.
    pub fn needs_price(&self) -> bool {
        let names = ["gittins", "gittins_before"];
        self.any(&|rule| match rule {
            Named(named) => names.contains(&named.name.as_str()) && rule.number("price").is_none(),
            Priced { price, .. } => price.is_none(),
            _ => false,
        })
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        if let Named(named) = self { given(named, NamedRule::entries(), key) } else { None }
    }

    /// The name in the library's table; empty where it has none, or is held back.
    pub fn name(&self) -> &str {
        match self {
            Named(named) if !self.is_steady() => &named.name,
            _ => "",
        }
    }

    fn is_steady(&self) -> bool {
        let keys = NamedRule::steadying();
        let Named(named) = self else { return false };
        named.numbers.iter().any(|(name, _)| keys.iter().any(|key| key.name == name))
    }

    fn any(&self, holds: &dyn Fn(&Self) -> bool) -> bool {
        holds(self)
            || match self {
                Any(rules) | All(rules) => rules.iter().any(|rule| rule.any(holds)),
                _ => false,
            }
    }

    fn is_one_of(&self, names: &[&str]) -> bool {
        self.any(&|rule| matches!(rule, Named(named) if names.contains(&named.name.as_str())))
    }

    /// The number of trials beyond which it lets no study go, amid the initial design as well.
    pub fn most_trials(&self) -> Option<usize> {
        let all = |rules: &[Self]| rules.iter().map(Self::most_trials).collect::<Vec<_>>();
        match self {
            Named(_) if self.name() == "trial_limit" => Some(self.number("trials")? as usize),
            Any(rules) => all(rules).into_iter().flatten().min(),
            All(rules) => all(rules).into_iter().collect::<Option<Vec<_>>>()?.into_iter().max(),
            _ => None,
        }
    }

    pub fn may_fail(&self) -> bool {
        self.any(&|rule| *rule == Own(Habit::Failing))
    }

    /// Whether it needs one more check to go on as if it had never been interrupted.
    pub fn goes_on_late(&self) -> bool {
        self.is_one_of(&["regret_gap"])
    }

    /// Whether it fires where its statistic has fallen to its threshold, and only there: a wrapper
    /// holds back.
    pub fn fires_at_threshold(&self) -> bool {
        !self.any(&Self::is_steady)
    }

    /// Whether a statistic of it may be no number.
    pub fn may_be_speechless(&self) -> bool {
        self.any(&|rule| *rule == Own(Habit::Speechless))
    }

    /// Whether it was given points of another dimension than the study's.
    pub fn is_stray(&self, dim: usize) -> bool {
        self.any(&|rule| matches!(rule, Maximum { of, .. } if of.is_stray(dim)))
    }

    /// Whether its threshold is in the unit of what it maximizes.
    pub fn takes_any_unit(&self) -> bool {
        !self.any(&|rule| matches!(rule, Maximum { .. }))
    }

    /// Whether it follows the posterior smoothly: no random paths, and no set that is chosen by a
    /// threshold.
    pub fn is_tame(&self) -> bool {
        let paths = ["regret_probability", "regret_frequency", "knowledge_gradient", "regret_gap"];
        !self.is_one_of(&paths) && !self.any(&|rule| matches!(rule, Regret { .. } | Maximum { .. }))
    }

    /// Whether the cost decides, if at all, by its product with a price or by a sum, which are not
    /// rounded where the unit of cost is a power of two: the logarithm of a cost is.
    pub fn takes_any_money(&self) -> bool {
        !self.is_one_of(&["improvement_median"])
            && !self.any(&|rule| {
                matches!(rule, Priced { form: 1.., .. } | Own(Habit::Comparing { .. }))
            })
    }

    pub fn named(&self) -> Option<NamedRule> {
        let each = |rules: &[Self]| rules.iter().map(Self::named).collect::<Option<_>>();
        match self {
            Named(named) => Some(NamedRule::One(named.clone())),
            Any(rules) => each(rules).map(NamedRule::Any),
            All(rules) => each(rules).map(NamedRule::All),
            _ => None,
        }
    }

    /// As the library takes it.
    pub fn build(&self) -> Result<Box<dyn StopRule>> {
        let each = |rules: &[Self]| rules.iter().map(Self::build).collect::<Result<Vec<_>>>();
        let priced = |price: Option<f64>| price.map_or_else(GittinsRule::new, GittinsRule::priced);
        Ok(match self {
            Named(named) => NamedRule::One(named.clone()).rule()?,
            &Priced { price, form } => Box::new(priced(price).form(FORMS[form])),
            &Regret { epsilon, frequency, rows } => Box::new(regret(epsilon, frequency, rows)),
            Maximum { of, threshold } => {
                Box::new(ThresholdRule::of(of.fixed().expect("a fixed one"), *threshold))
            }
            &Own(Habit::Comparing { price }) => {
                Box::new(Comparison(FORMS.map(|form| GittinsRule::priced(price).form(form))))
            }
            &Own(habit) => Box::new(OwnRule(habit)),
            Any(rules) => Box::new(any(each(rules)?)),
            All(rules) => Box::new(all(each(rules)?)),
        })
    }
}

fn regret(epsilon: f64, frequency: bool, rows: usize) -> RegretProbabilityRule {
    let rule =
        if frequency { RegretProbabilityRule::frequency } else { RegretProbabilityRule::new };
    rule(epsilon).risk(0.5).samples(16, 48).features(32).grid(rows)
}

struct OwnRule(Habit);

impl StopRule for OwnRule {
    fn name(&self) -> &'static str {
        "my own"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let told = context.observations().len();
        match self.0 {
            Habit::Failing if told.is_multiple_of(3) => {
                Err(Error::new(ErrorKind::Data, "a third trial by my own rule"))
            }
            Habit::Speechless => Ok(Statistic::at_most(f64::NAN, 0.0)),
            _ => Ok(Statistic::at_most(context.spent(), f64::NEG_INFINITY)),
        }
    }
}

/// The forms of the Gittins rule, which are to fire together. Where a search of a space finds
/// another maximum for one form than for another they need not, so that only a maximum that both
/// see, in a table or a grid, is held against them.
struct Comparison([GittinsRule; 3]);

impl StopRule for Comparison {
    fn name(&self) -> &'static str {
        "forms of the Gittins rule"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let said = self.0.iter_mut().map(|rule| rule.check(context)).collect::<Result<Vec<_>>>()?;
        let [index, log, ratio] = [&said[0], &said[1], &said[2]];
        // The logarithm of the improvement over its price: how far from even the bet is.
        let even = log.value.abs() <= 1e-6;
        let best = context.maximize(&Acquisition::Pointwise(Pointwise::LogExpectedImprovement))?;
        // At the ends of double precision the index has no room above the best.
        let room = context.incumbent().abs() < 1e300;
        let exact = room && best.is_none_or(|best| best.row.is_some());
        if exact && !even && (index.fired != log.fired || ratio.fired != log.fired) {
            let words = format!("{index:?}, {log:?}, {ratio:?}");
            return Err(Error::new(ErrorKind::Contradiction, words));
        }
        Ok(said[0].clone())
    }
}
