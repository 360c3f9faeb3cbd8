//! `[stop]`: what ends a run.

use gittins::Policy;
use gittins::data::Direction;
use gittins::stop::NamedRule;
use gittins::study::StudySpec;

use super::document::{Item, Section};
use super::{keys, settings};
use crate::words::failure::Result;

/// The failures before the first success that end a run.
pub const FAILURES: usize = 5;

/// What ends a run besides its verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The most trials.
    pub trials: Option<usize>,
    /// The most that they may cost together.
    pub cost: Option<f64>,
    /// The outcome that is good enough.
    pub target: Option<f64>,
    /// Whether larger outcomes are better.
    pub maximizes: bool,
    /// The failures before the first success that end a run.
    pub failures: usize,
}

impl Limits {
    /// No limits.
    pub fn none() -> Self {
        Self { trials: None, cost: None, target: None, maximizes: false, failures: FAILURES }
    }
}

/// What ends a run besides its verdict, and the price at which the verdict is to stop. The rules of
/// the verdict become settings of the study.
pub fn ends(study: &Section<'_>, spec: &mut StudySpec) -> Result<(Limits, Option<f64>)> {
    let maximizes = spec.direction == Some(Direction::Maximize);
    let mut limits = Limits { maximizes, ..Limits::none() };
    let mut price = study.read("price", Item::positive)?;
    let mut rules = Vec::new();
    let mut trials = study.get("n_trials");
    if let Some(item) = study.get("stop") {
        let stop = item.section(keys::STOP)?;
        if let Some(item) = stop.get("trials") {
            if let Some(other) = trials {
                return Err(other.problem("stop.trials says the same: leave one of the two out"));
            }
            trials = Some(item);
        }
        limits.cost = stop.read("cost", Item::positive)?;
        limits.target = stop.read("target", Item::finite)?;
        if let Some(failures) = stop.read("failures", |item| item.count(0))? {
            limits.failures = failures as usize;
        }
        price = stop.read("price", Item::positive)?.or(price);
        let stall = stop.read("stall", |item| item.count(1))?;
        rules.extend(stall.map(|trials| NamedRule::new("stall", &[("window", trials.into())])));
        rules.extend(stop.read("rule", |item| settings::rule(item, study))?);
    }
    let trials = trials.map(|item| item.count(1)).transpose()?;
    limits.trials = trials.map(|count| count as usize);
    let policy = spec.policy.as_ref().and_then(|policy| Policy::try_from(policy).ok());
    // A study stops at the price of its policy by itself, and a journal knows that rule.
    let own = policy.and_then(|policy| policy.price());
    let price = price.or(own);
    if let Some(price) = price.filter(|_| price != own || !rules.is_empty()) {
        rules.insert(0, NamedRule::new("gittins", &[("price", price)]));
    }
    spec.stop = (!rules.is_empty()).then_some(NamedRule::Any(rules));
    Ok((limits, price))
}
