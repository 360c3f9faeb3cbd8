//! The stopping rules that a name and numbers make. Every front end knows them from here.

use std::sync::{PoisonError, RwLock};

use crate::error::{Error, ErrorKind, Result};
use crate::named::{Entry, Key, Named, Shape};
use crate::stop::settings::{PRICE, WINDOW, given};
use crate::stop::{
    GittinsRule, SpendingLimit, StallRule, Steadying, StopRule, ThresholdRule, TrialLimit, all, any,
};

/// A stopping rule by its name and numbers, or several of them joined. [`StudyBuilder::stop`]
/// takes it, and a journal keeps it, so that a study that is resumed has its rule again.
///
/// As data it is `"stall"`, `{"name": "stall", "window": 5}`, `{"any": ["stall", "gittins"]}` or
/// `{"all": [...]}`; a list alone is `any` of it. Every rule also takes `after`, `debounced` and
/// `smoothed`, which [steady](Steadying) it. The names of the rules in the crate `gittins-papers` are
/// known after `gittins_papers::register()`.
///
/// ```
/// use gittins::stop::NamedRule;
/// use gittins::{Space, Study};
/// let rule = NamedRule::new("stall", &[("window", 10.0)]);
/// let study = Study::minimize(Space::new().float("x", 0.0, 1.0)).stop(rule).build()?;
/// # drop(study);
/// # Ok::<(), gittins::Error>(())
/// ```
///
/// [`StudyBuilder::stop`]: crate::study::StudyBuilder::stop
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum NamedRule {
    /// Fires as soon as one of these does: [`any`].
    Any(Vec<NamedRule>),
    /// Fires once all of these do: [`all`].
    All(Vec<NamedRule>),
    /// One rule.
    #[cfg_attr(feature = "serde", serde(untagged))]
    One(Named),
}

type Rule = Box<dyn StopRule>;

const THRESHOLD: Key =
    Key::must("threshold", Shape::Above(0.0), "What is little, in outcome units.");

/// What every rule takes.
static STEADY: &[Key] = &[
    Key::may("after", Shape::Count(0), "Ignores firings before this many suggested trials."),
    Key::may("debounced", Shape::Count(1), "Fires only after this many firings in a row."),
    Key::may("smoothed", Shape::Count(1), "Compares the mean of this many last values."),
];

/// The names of all rules in the order of their table, those of the crate `gittins-papers` among
/// them. A name that is none of these comes last.
const NAMES: [&str; 14] = [
    "gittins",
    "gittins_before",
    "confidence_gap",
    "improvement_median",
    "regret_gap",
    "regret_probability",
    "regret_frequency",
    "expected_improvement",
    "probability_of_improvement",
    "knowledge_gradient",
    "stall",
    "global_window",
    "trial_limit",
    "spending_limit",
];

/// All rules that are known: those of this crate, and those that were registered.
static KNOWN: RwLock<&[Entry<Rule>]> = RwLock::new(RULES);

/// The table.
static RULES: &[Entry<Rule>] = &[
    Entry::new("gittins", &[PRICE], "No trial is worth its price any more.", |n| {
        Box::new(given(n[0]).map_or_else(GittinsRule::new, GittinsRule::priced))
    }),
    Entry::new(
        "expected_improvement",
        &[THRESHOLD],
        "The best expected improvement is small.",
        |n| Box::new(ThresholdRule::expected_improvement(n[0])),
    ),
    Entry::new(
        "probability_of_improvement",
        &[Key::must("threshold", Shape::Share, "The probability that is small.")],
        "The best probability of improvement is small.",
        |n| Box::new(ThresholdRule::probability_of_improvement(n[0])),
    ),
    Entry::new(
        "knowledge_gradient",
        &[THRESHOLD, Key::or("fantasies", Shape::Count(2), 64.0, "Fantasies of the next outcome.")],
        "The best knowledge gradient is small.",
        |n| Box::new(ThresholdRule::knowledge_gradient(n[1] as usize, n[0])),
    ),
    Entry::new("stall", &[WINDOW], "No new best for some trials.", |n| {
        Box::new(StallRule::new().window(n[0] as usize))
    }),
    Entry::new(
        "trial_limit",
        &[Key::must("trials", Shape::Count(0), "The most trials, failed ones included.")],
        "A number of trials was told, those of the initial design included.",
        |n| Box::new(TrialLimit::new(n[0] as usize)),
    ),
    Entry::new(
        "spending_limit",
        &[Key::must("limit", Shape::AtLeast(0.0), "The most that suggested trials may cost.")],
        "The suggested trials have cost a sum.",
        |n| Box::new(SpendingLimit::new(n[0])),
    ),
];

impl NamedRule {
    /// The rules that a name and numbers make, with their parameters.
    #[doc(hidden)]
    pub fn entries() -> &'static [Entry<Box<dyn StopRule>>] {
        *KNOWN.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes more rules known by their names, in the whole process and from now on. A name that is
    /// known already stays what it is.
    #[doc(hidden)]
    pub fn register(rules: &[Entry<Box<dyn StopRule>>]) {
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = |rule: &&Entry<Rule>| !known.iter().any(|one| one.name == rule.name);
        let new = Vec::from_iter(rules.iter().filter(is_new));
        if !new.is_empty() {
            let mut all = Vec::from_iter(known.iter().chain(new).map(|rule| Entry { ..*rule }));
            let place = |name| NAMES.iter().position(|one| *one == name).unwrap_or(NAMES.len());
            all.sort_by_key(|rule| place(rule.name));
            *known = Vec::leak(all);
        }
    }

    /// The parameters that every rule takes besides its own.
    #[doc(hidden)]
    pub fn steadying() -> &'static [Key] {
        STEADY
    }

    /// A rule by its name. It is checked when it is made.
    pub fn new(name: &str, numbers: &[(&str, f64)]) -> Self {
        Self::One(Named::new(name, numbers))
    }

    /// Makes the rule.
    ///
    /// # Errors
    /// `InvalidSetting`, naming the culprit: there is no such rule or parameter, one is missing, or
    /// a number makes no sense; a rule of the crate `gittins-papers` is not known before
    /// `gittins_papers::register()`.
    pub fn rule(&self) -> Result<Box<dyn StopRule>> {
        let made = |rules: &[Self]| rules.iter().map(Self::rule).collect::<Result<Vec<_>>>();
        let named = match self {
            Self::One(named) => named,
            Self::Any(rules) => return Ok(Box::new(any(made(rules)?))),
            Self::All(rules) => return Ok(Box::new(all(made(rules)?))),
        };
        let (name, known) = (named.name.as_str(), Self::entries());
        if NAMES.contains(&name) && !known.iter().any(|rule| rule.name == name) {
            let message = format!(
                "the stopping rule {name:?} is in the crate gittins-papers, and known after \
                 gittins_papers::register()"
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let (entry, numbers) = named.find("stopping rule", known, STEADY)?;
        let (own, steady) = numbers.split_at(entry.keys.len());
        let rule = (entry.make)(own);
        let [after, debounced, smoothed] = [0, 1, 2].map(|key| given(steady[key]));
        if [after, debounced, smoothed] == [None; 3] {
            return Ok(rule);
        }
        let whole = |number: Option<f64>, usual| number.map_or(usual, |number| number as usize);
        let rule = rule.after(whole(after, 0)).debounced(whole(debounced, 1));
        Ok(Box::new(rule.smoothed(whole(smoothed, 1))))
    }
}

#[cfg(feature = "serde")]
mod data {
    use std::fmt;

    use serde::de::value::SeqAccessDeserializer;
    use serde::de::{Error, MapAccess, SeqAccess, Visitor};
    use serde::{Deserialize, Deserializer};

    use super::*;

    impl<'de> Deserialize<'de> for NamedRule {
        fn deserialize<D: Deserializer<'de>>(
            deserializer: D,
        ) -> std::result::Result<Self, D::Error> {
            deserializer.deserialize_any(Reader)
        }
    }

    struct Reader;

    impl<'de> Visitor<'de> for Reader {
        type Value = NamedRule;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&Shape::Rule.words())
        }

        fn visit_str<E: Error>(self, name: &str) -> std::result::Result<NamedRule, E> {
            Ok(NamedRule::new(name, &[]))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> std::result::Result<NamedRule, A::Error> {
            Ok(NamedRule::Any(Vec::deserialize(SeqAccessDeserializer::new(list))?))
        }

        fn visit_map<A: MapAccess<'de>>(
            self,
            mut map: A,
        ) -> std::result::Result<NamedRule, A::Error> {
            let first: Option<String> = map.next_key()?;
            let joined = match first.as_deref() {
                Some("any") => NamedRule::Any(map.next_value()?),
                Some("all") => NamedRule::All(map.next_value()?),
                _ => return Ok(NamedRule::One(Named::of_map(first, map)?)),
            };
            match map.next_key::<String>()? {
                None => Ok(joined),
                Some(key) => {
                    Err(A::Error::custom(format_args!("{key:?} stands beside a list of rules")))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name, numbers, and what is said of them.
    type Case = (&'static str, &'static [(&'static str, f64)], &'static str);

    #[test]
    fn each_rule_is_made_and_its_defaults_are_those_of_its_constructor() {
        for entry in NamedRule::entries() {
            let needed = entry.keys.iter().filter(|key| key.needed);
            let needed = Vec::from_iter(needed.map(|key| (key.name, 0.5_f64)));
            let whole = |&(name, number): &(&'static str, f64)| {
                (name, if name == "trials" { 3.0 } else { number })
            };
            let needed = Vec::from_iter(needed.iter().map(whole));
            let rule = NamedRule::new(entry.name, &needed).rule().unwrap();
            assert!(rule.validate(Some(1.0)).is_ok(), "{}", entry.name);
            let steady = [("after", 3.0), ("debounced", 2.0), ("smoothed", 4.0)];
            let all = [needed.as_slice(), &steady].concat();
            assert!(NamedRule::new(entry.name, &all).rule().is_ok(), "{}", entry.name);
        }
    }

    #[test]
    fn a_rule_of_another_crate_is_known_once_it_is_registered() {
        let known = || NamedRule::entries().iter().filter(|rule| rule.name == "regret_gap").count();
        let rule = NamedRule::Any(vec![NamedRule::new("regret_gap", &[("window", 3.0)])]);
        let error = rule.rule().err().unwrap().to_string();
        assert_eq!(
            error,
            "the stopping rule \"regret_gap\" is in the crate gittins-papers, and known after \
             gittins_papers::register()"
        );
        let stall =
            |numbers: &[f64]| -> Rule { Box::new(StallRule::new().window(numbers[0] as usize)) };
        for _ in 0..2 {
            NamedRule::register(&[Entry::new("regret_gap", &[WINDOW], "Stands for it.", stall)]);
            assert_eq!((known(), NamedRule::entries()[1].name), (1, "regret_gap"));
        }
        assert!(rule.rule().is_ok());
    }

    #[test]
    fn what_is_wrong_with_a_rule_is_said() {
        let cases: &[Case] = &[
            ("stal", &[], "no stopping rule is named \"stal\"; did you mean \"stall\"?"),
            (
                "stall",
                &[("windw", 3.0)],
                "the stopping rule \"stall\" has no parameter \"windw\"; did you mean \"window\"?",
            ),
            (
                "stall",
                &[("window", 0.0)],
                "window of the stopping rule \"stall\": expected a whole number of at least 1, got 0",
            ),
            (
                "trial_limit",
                &[],
                "the stopping rule \"trial_limit\" needs the parameter \"trials\"",
            ),
        ];
        for (name, numbers, message) in cases {
            let rule = NamedRule::new(name, numbers);
            assert_eq!(rule.rule().err().unwrap().to_string(), *message);
            let joined = NamedRule::All(vec![NamedRule::new("stall", &[]), rule]);
            assert_eq!(joined.rule().err().unwrap().to_string(), *message);
        }
    }
}
