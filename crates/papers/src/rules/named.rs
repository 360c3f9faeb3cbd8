//! The names of the rules, which a table and numbers make them from.

use gittins::StopRule;
use gittins::internals::{PRICE, WINDOW, given};
use gittins::named::{Entry, Key, Shape};
use gittins::stop::NamedRule;

use super::confidence_gap::PROBABILITY;
use super::{
    ConfidenceGapRule, GittinsBeforeRule, GlobalWindowRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};

/// Makes the rules of this crate known by their names, as the command and the Python package know
/// them: `gittins_before`, `confidence_gap`, `improvement_median`, `regret_gap`,
/// `regret_probability`, `regret_frequency` and `global_window`. It counts for the whole process,
/// and may be called more than once.
///
/// ```
/// use gittins::{Space, Study, stop::NamedRule};
///
/// let settings = || {
///     let rule = NamedRule::new("regret_gap", &[("first", 10.0)]);
///     Study::minimize(Space::new().float("x", 0.0, 1.0)).stop(rule)
/// };
/// assert!(settings().build().unwrap_err().to_string().contains("gittins_papers::register()"));
/// gittins_papers::register();
/// assert!(settings().build().is_ok());
/// ```
pub fn register() {
    NamedRule::register(RULES);
}

type Rule = Box<dyn StopRule>;

const FIRST: Key =
    Key::or("first", Shape::Count(1), 20.0, "How many early values the median is taken of.");
const EARLY: Key = Key::or("share", Shape::Above(0.0), 0.01, "The share of the early median.");
const EPSILON: Key =
    Key::must("epsilon", Shape::Above(0.0), "The regret that is small enough, in outcome units.");
const RISK: Key = Key::or("risk", Shape::Share, 0.05, "The risk of a larger regret.");

/// The table.
static RULES: &[Entry<Rule>] = &[
    Entry::new(
        "gittins_before",
        &[PRICE],
        "The last trial's outcome is better than the index before it.",
        |n| Box::new(given(n[0]).map_or_else(GittinsBeforeRule::new, GittinsBeforeRule::priced)),
    ),
    Entry::new(
        "confidence_gap",
        &[
            Key::or(
                "gap",
                Shape::AtLeast(0.0),
                0.01,
                "The gap between the bounds, in outcome units.",
            ),
            Key::or("probability", Shape::Share, PROBABILITY, "With which the bounds may fail."),
        ],
        "The bounds of the best point and of the best trial are this near.",
        |n| Box::new(ConfidenceGapRule::new(n[0]).probability(n[1])),
    ),
    Entry::new(
        "improvement_median",
        &[EARLY, FIRST],
        "The best improvement per cost is small beside its early median.",
        |n| Box::new(ImprovementMedianRule::new().share(n[0]).first(n[1] as usize)),
    ),
    Entry::new(
        "regret_gap",
        &[EARLY, FIRST],
        "The change of the expected regret is small beside its early median.",
        |n| Box::new(RegretGapRule::new().share(n[0]).first(n[1] as usize)),
    ),
    Entry::new(
        "regret_probability",
        &[EPSILON, RISK],
        "The regret is small with high probability, with a guarantee for the estimate.",
        |n| Box::new(RegretProbabilityRule::new(n[0]).risk(n[1])),
    ),
    Entry::new(
        "regret_frequency",
        &[EPSILON, RISK],
        "The regret is small on most sample paths.",
        |n| Box::new(RegretProbabilityRule::frequency(n[0]).risk(n[1])),
    ),
    Entry::new(
        "global_window",
        &[
            WINDOW,
            Key::or("fraction", Shape::Above(0.0), 0.01, "The share of the spread that is little."),
            Key::or(
                "flat_after",
                Shape::Count(0),
                20.0,
                "After how many trials a run without a spread may stop.",
            ),
        ],
        "Little progress for some trials beside the spread of the best outcomes.",
        |n| {
            let rule = GlobalWindowRule::new().window(n[0] as usize).fraction(n[1]);
            Box::new(rule.flat_after(n[2] as usize))
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_made_and_its_defaults_are_those_of_its_constructor() {
        register();
        for rule in RULES {
            let known = NamedRule::entries().iter().filter(|known| known.name == rule.name);
            assert_eq!(known.count(), 1, "{}", rule.name);
            let needed = rule.keys.iter().filter(|key| key.needed);
            let needed = Vec::from_iter(needed.map(|key| (key.name, 0.5_f64)));
            let made = NamedRule::new(rule.name, &needed).rule().unwrap();
            assert!(made.validate(Some(1.0)).is_ok(), "{}", rule.name);
        }
    }
}
