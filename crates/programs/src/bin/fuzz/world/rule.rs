//! Every stopping rule with random settings, in the units of a view.

use gittins::stop::{
    ConfidenceGapRule, Form, GittinsBeforeRule, GlobalWindowRule, ImprovementMedianRule,
    RegretGapRule, RegretProbabilityRule, SpendingLimit, StallRule, Statistic, Steadying,
    ThresholdRule, TrialLimit, all, any,
};
use gittins::{
    Acquisition, Error, ErrorKind, GittinsRule, Pointwise, Result, StopContext, StopRule,
};

use crate::dice::Dice;
use crate::view::View;
use crate::world::policy::PolicySpec;

/// A rule, written down; numbers in outcomes are differences, or turned so that larger is better.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleSpec {
    Gittins {
        price: Option<f64>,
        form: Form,
    },
    GittinsBefore {
        price: Option<f64>,
    },
    ConfidenceGap {
        gap: f64,
        probability: f64,
    },
    ImprovementMedian {
        share: f64,
        first: usize,
    },
    RegretGap {
        share: f64,
        first: usize,
    },
    RegretProbability {
        epsilon: f64,
        risk: f64,
        frequency: bool,
        first: usize,
        cap: usize,
        features: usize,
        rows: usize,
    },
    Improvement(f64),
    Probability(f64),
    KnowledgeGradient(usize, f64),
    ExpectedImprovement(f64),
    UpperBound(f64),
    /// The maximum of any acquisition, and a threshold in whatever unit that has.
    Maximum(PolicySpec, f64),
    Stall(usize),
    GlobalWindow {
        window: usize,
        fraction: f64,
        flat_after: usize,
    },
    Trials(usize),
    Spending(f64),
    Own(Habit),
    Steady {
        rule: Box<RuleSpec>,
        after: usize,
        debounce: usize,
        window: usize,
    },
    Any(Vec<RuleSpec>),
    All(Vec<RuleSpec>),
}

/// A rule of the user's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Habit {
    /// Says that its statistic is no number.
    Speechless,
    /// Fails at every third check.
    Failing,
    /// Compares the forms of the Gittins rule, of which the first speaks, at a price in the units
    /// of the study itself.
    Comparing(f64),
}

use RuleSpec::*;

impl RuleSpec {
    /// One that makes sense; `unit` is about how far outcomes spread, and `cost` what a trial
    /// costs.
    pub fn draw(dim: usize, unit: f64, cost: f64, dice: &mut Dice) -> Self {
        let simple = Self::simple(dim, unit, cost, dice);
        match dice.weighed(&[(0.7, 0), (0.2, 1), (0.1, 2)]) {
            0 => simple,
            1 => Steady {
                rule: Box::new(simple),
                after: dice.whole(0, 6),
                debounce: dice.whole(1, 3),
                window: dice.whole(1, 4),
            },
            _ => {
                let count = dice.whole(1, 3);
                let rules = Vec::from_iter((0..count).map(|_| Self::simple(dim, unit, cost, dice)));
                if dice.chance(0.7) { Any(rules) } else { All(rules) }
            }
        }
    }

    fn simple(dim: usize, unit: f64, cost: f64, dice: &mut Dice) -> Self {
        let lambda = dice.magnitude(1e-6, 1.0) * unit / cost;
        let price = dice.chance(0.6).then_some(lambda);
        let form = dice.pick(&[Form::Index, Form::LogImprovementPerCost, Form::ImprovementPerCost]);
        let small = unit * dice.magnitude(1e-6, 1.0);
        let (share, first) = (dice.pick(&[0.01, 0.5, 2.0]), dice.whole(1, 5));
        let choice = dice.weighed(&[
            (4.0, 0),
            (2.0, 1),
            (2.0, 2),
            (2.0, 3),
            (2.0, 4),
            (0.6, 5),
            (1.0, 6),
            (1.0, 7),
            (0.5, 8),
            (1.0, 9),
            (1.0, 10),
            (2.0, 11),
            (2.0, 12),
            (2.0, 13),
            (2.0, 14),
            (0.5, 15),
            (2.0, 16),
            (2.0, 17),
        ]);
        match choice {
            0 => Gittins { price, form },
            1 => GittinsBefore { price },
            2 => ConfidenceGap { gap: small, probability: dice.pick(&[0.1, 1.0]) },
            3 => ImprovementMedian { share, first },
            4 => RegretGap { share, first },
            5 => {
                let rows = dice.pick(&[3, usize::MAX]);
                RegretProbability {
                    epsilon: small,
                    risk: 0.5,
                    frequency: dice.chance(0.5),
                    first: 16,
                    cap: 48,
                    features: 32,
                    rows,
                }
            }
            6 => Improvement(small),
            7 => Probability(dice.magnitude(1e-6, 0.9)),
            8 => KnowledgeGradient(dice.whole(2, 4), small),
            9 => ExpectedImprovement(small),
            10 => UpperBound(unit * dice.between(-2.0, 2.0)),
            11 => Stall(dice.whole(1, 6)),
            12 => GlobalWindow {
                window: dice.whole(1, 5),
                fraction: dice.pick(&[0.01, 1.0]),
                flat_after: dice.whole(0, 8),
            },
            13 => Trials(dice.whole(0, 20)),
            14 => Spending(if dice.chance(0.1) { 0.0 } else { cost * dice.magnitude(0.1, 30.0) }),
            15 => Own(dice.pick(&[Habit::Speechless, Habit::Failing])),
            16 => Own(Habit::Comparing(lambda)),
            _ => Maximum(
                PolicySpec::draw_fixed(dim, unit, cost, dice),
                unit * dice.between(-2.0, 2.0),
            ),
        }
    }

    /// One that `validate` must refuse, whatever the policy.
    pub fn draw_wrong(dice: &mut Dice) -> Self {
        let wrong = dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]);
        let beyond = dice.pick(&[0.0, 1.0, -0.5, f64::NAN]);
        let probability = |epsilon, risk, (first, cap), features, rows| RegretProbability {
            epsilon,
            risk,
            frequency: false,
            first,
            cap,
            features,
            rows,
        };
        let wrongs = [
            Gittins { price: Some(wrong), form: Form::Index },
            GittinsBefore { price: Some(wrong) },
            ConfidenceGap { gap: wrong, probability: 0.1 },
            ConfidenceGap { gap: 1.0, probability: dice.pick(&[0.0, 1.5, f64::NAN]) },
            ImprovementMedian { share: wrong, first: 3 },
            ImprovementMedian { share: 0.1, first: 0 },
            RegretGap { share: wrong, first: 3 },
            RegretGap { share: 0.1, first: 0 },
            probability(wrong, 0.5, (16, 48), 32, 3),
            probability(1.0, beyond, (16, 48), 32, 3),
            probability(1.0, 0.5, (0, 48), 32, 3),
            probability(1.0, 0.5, (16, 8), 32, 3),
            probability(1.0, 0.5, (16, 48), dice.pick(&[0, 33]), 3),
            probability(1.0, 0.5, (16, 48), 32, 0),
            probability(1.0, 0.01, (16, 48), 32, 3),
            Improvement(wrong),
            Probability(beyond),
            KnowledgeGradient(dice.whole(0, 1), 1.0),
            KnowledgeGradient(4, wrong),
            ExpectedImprovement(f64::NAN),
            UpperBound(f64::INFINITY),
            Stall(0),
            GlobalWindow { window: 0, fraction: 0.1, flat_after: 3 },
            GlobalWindow { window: 2, fraction: wrong, flat_after: 3 },
            Spending(dice.pick(&[-1.0, f64::NAN, f64::INFINITY])),
            Steady { rule: Box::new(Stall(2)), after: 0, debounce: 0, window: 1 },
            Steady { rule: Box::new(Stall(2)), after: 0, debounce: 1, window: 0 },
            Steady { rule: Box::new(Stall(0)), after: 0, debounce: 1, window: 1 },
            Any(Vec::new()),
            Any(vec![Stall(2), Stall(0)]),
        ];
        dice.pick(&wrongs)
    }

    /// Whether it takes the price of the policy, which then has to have one.
    pub fn needs_price(&self) -> bool {
        self.any(&|rule| {
            matches!(rule, Gittins { price: None, .. } | GittinsBefore { price: None })
        })
    }

    /// Whether something holds of the rule or of one within it.
    fn any(&self, holds: &dyn Fn(&Self) -> bool) -> bool {
        holds(self)
            || match self {
                Steady { rule, .. } => rule.any(holds),
                Any(rules) | All(rules) => rules.iter().any(|rule| rule.any(holds)),
                _ => false,
            }
    }

    /// Whether it may fail by itself.
    pub fn may_fail(&self) -> bool {
        self.any(&|rule| *rule == Own(Habit::Failing))
    }

    /// Whether it fires where its statistic has fallen to its threshold, and only there: a wrapper
    /// holds back.
    pub fn fires_at_threshold(&self) -> bool {
        !self.any(&|rule| matches!(rule, Steady { .. }))
    }

    /// Whether a statistic of it may be no number.
    pub fn may_be_speechless(&self) -> bool {
        self.any(&|rule| *rule == Own(Habit::Speechless))
    }

    /// Whether it was given points of another dimension than the study's.
    pub fn is_stray(&self, dim: usize) -> bool {
        self.any(&|rule| matches!(rule, Maximum(policy, _) if policy.is_stray(dim)))
    }

    /// Whether its threshold is in the unit of what it maximizes.
    pub fn takes_any_unit(&self) -> bool {
        !self.any(&|rule| matches!(rule, Maximum(..)))
    }

    /// Whether it follows the posterior smoothly: no random paths, and no set that is chosen by a
    /// threshold.
    pub fn is_tame(&self) -> bool {
        !self.any(&|rule| {
            matches!(
                rule,
                RegretProbability { .. } | KnowledgeGradient(..) | RegretGap { .. } | Maximum(..)
            )
        })
    }

    /// Whether the cost decides, if at all, by its product with a price or by a sum, which are not
    /// rounded where the unit of cost is a power of two: the logarithm of a cost is.
    pub fn takes_any_money(&self) -> bool {
        let logarithms = |form: &Form| *form != Form::Index;
        !self.any(&|rule| match rule {
            Gittins { form, .. } => logarithms(form),
            ImprovementMedian { .. } | Own(Habit::Comparing(_)) => true,
            _ => false,
        })
    }

    pub fn build(&self, maximize: bool, view: &View) -> Box<dyn StopRule> {
        let priced = |price: Option<f64>| price.map(|price| view.price(price));
        match self.clone() {
            Gittins { price, form } => Box::new(
                priced(price).map_or_else(GittinsRule::new, GittinsRule::priced).form(form),
            ),
            GittinsBefore { price } => Box::new(
                priced(price).map_or_else(GittinsBeforeRule::new, GittinsBeforeRule::priced),
            ),
            ConfidenceGap { gap, probability } => {
                Box::new(ConfidenceGapRule::new(view.difference(gap)).probability(probability))
            }
            ImprovementMedian { share, first } => {
                Box::new(ImprovementMedianRule::new().share(share).first(first))
            }
            RegretGap { share, first } => Box::new(RegretGapRule::new().share(share).first(first)),
            RegretProbability { epsilon, risk, frequency, first, cap, features, rows } => {
                let epsilon = view.difference(epsilon);
                let rule = if frequency {
                    RegretProbabilityRule::frequency(epsilon)
                } else {
                    RegretProbabilityRule::new(epsilon)
                };
                Box::new(rule.risk(risk).samples(first, cap).features(features).grid(rows))
            }
            Improvement(threshold) => {
                Box::new(ThresholdRule::expected_improvement(view.difference(threshold)))
            }
            Probability(threshold) => {
                Box::new(ThresholdRule::probability_of_improvement(threshold))
            }
            KnowledgeGradient(fantasies, threshold) => {
                Box::new(ThresholdRule::knowledge_gradient(fantasies, view.difference(threshold)))
            }
            ExpectedImprovement(threshold) => Box::new(ThresholdRule::of(
                Acquisition::Pointwise(Pointwise::ExpectedImprovement),
                view.difference(threshold),
            )),
            UpperBound(threshold) => Box::new(ThresholdRule::of(
                Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 4.0 }),
                view.turned(threshold, maximize),
            )),
            Maximum(policy, threshold) => {
                let acquisition = policy.fixed(maximize, view).expect("a fixed acquisition");
                Box::new(ThresholdRule::of(acquisition, view.difference(threshold)))
            }
            Stall(window) => Box::new(StallRule::new().window(window)),
            GlobalWindow { window, fraction, flat_after } => Box::new(
                GlobalWindowRule::new().window(window).fraction(fraction).flat_after(flat_after),
            ),
            Trials(trials) => Box::new(TrialLimit::new(trials)),
            Spending(budget) => Box::new(SpendingLimit::new(view.cost(budget))),
            Own(Habit::Comparing(price)) => Box::new(Comparison(
                FORMS.map(|form| GittinsRule::priced(view.price(price)).form(form)),
            )),
            Own(habit) => Box::new(OwnRule { habit, checks: 0 }),
            Steady { rule, after, debounce, window } => Box::new(
                rule.build(maximize, view).after(after).debounced(debounce).smoothed(window),
            ),
            Any(rules) => Box::new(any(rules.iter().map(|rule| rule.build(maximize, view)))),
            All(rules) => Box::new(all(rules.iter().map(|rule| rule.build(maximize, view)))),
        }
    }
}

struct OwnRule {
    habit: Habit,
    checks: usize,
}

impl StopRule for OwnRule {
    fn name(&self) -> &str {
        "my own"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        self.checks += 1;
        match self.habit {
            Habit::Failing if self.checks.is_multiple_of(3) => {
                Err(Error::new(ErrorKind::Data, "the third check of my own rule"))
            }
            Habit::Failing | Habit::Comparing(_) => {
                Ok(Statistic::at_most(context.spent(), f64::NEG_INFINITY))
            }
            Habit::Speechless => Ok(Statistic::at_most(f64::NAN, 0.0)),
        }
    }
}

const FORMS: [Form; 3] = [Form::Index, Form::LogImprovementPerCost, Form::ImprovementPerCost];

/// The forms of the Gittins rule, which are to fire together. Where a search of a space finds
/// another maximum for one form than for another they need not, so that only a maximum that both
/// see, in a table or a grid, is held against them.
struct Comparison([GittinsRule; 3]);

impl StopRule for Comparison {
    fn name(&self) -> &str {
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
            return Err(Error::new(
                ErrorKind::Contradiction,
                format!("{index:?}, {log:?}, {ratio:?}"),
            ));
        }
        Ok(said[0].clone())
    }
}
