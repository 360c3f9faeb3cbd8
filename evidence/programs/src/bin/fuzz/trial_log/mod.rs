//! A simple log of a study, kept apart from it: what was asked, told, paid and taken back.

mod changes;
mod compare;
pub mod faults;
mod points;
mod stages;
mod telling;
mod words;

use std::collections::HashSet;

use gittins::study::{Origin, Stages, TrialState};
use gittins::{Domain, Value, Verdict};

use crate::view::View;
use crate::world::World;
use crate::world::costs::CostSpec;
use crate::world::domain::DomainSpec;
use crate::world::measure::{MOST, Measures};

pub use telling::{CostTold, ReportTold, Telling};

/// One trial, in the units of the view.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Empty as long as they are not known, of a control set.
    pub values: Vec<Value>,
    pub unit: Vec<f64>,
    pub row: Option<usize>,
    pub origin: Origin,
    pub state: TrialState,
    pub outcome: Option<f64>,
    /// What was measured, in the order of names.
    pub measures: Measures,
    pub cost: Option<f64>,
    /// Whether the cost was told, not only known.
    cost_told: bool,
    /// The cost that was known until another was told.
    known: Option<f64>,
    /// How much had been told when it was asked for or imported.
    seen: usize,
    /// Value, mean and deviation of a suggestion.
    pub suggested: Option<[f64; 3]>,
    /// Whether it was noted what it has cost so far.
    pub noted: bool,
    heard: Option<Heard>,
    /// What it said on its way, in stages.
    pub reports: Vec<ReportTold>,
    /// How far it goes, in stages.
    pub until: Option<f64>,
    /// What suggested trials had cost when it came to its end, in stages.
    spent: Option<f64>,
    /// The control set that is played.
    pub played: Option<Played>,
}

/// A verdict that a trial has in the record.
#[derive(Debug, Clone)]
struct Heard {
    /// How much had been told by then.
    told: usize,
    rule: String,
    statistic: f64,
    threshold: f64,
    stops: bool,
}

/// A control set with the values that were chosen for its variables.
#[derive(Debug, Clone)]
pub struct Played {
    pub set: usize,
    pub chosen: Vec<f64>,
}

/// Something that was told: a trial, or its cost alone.
#[derive(Debug, Clone, Copy, PartialEq)]
struct News {
    id: usize,
    is_cost: bool,
}

pub struct TrialLog<'w> {
    world: &'w World,
    view: View,
    domain: Domain,
    /// The codes of all points of a space that has few.
    settings: Option<HashSet<Vec<u64>>>,
    pub entries: Vec<Entry>,
    news: Vec<News>,
    /// The verdict that stands until there is news.
    pub verdict: Option<Verdict>,
    /// Whether a verdict followed each telling and nothing else led to a fit, so that a replay says
    /// the same.
    pub is_watched: bool,
    /// Trials of which a batch of items failed, once for each time, since one there reported.
    missed: Vec<usize>,
}

fn sum(costs: impl IntoIterator<Item = f64>) -> f64 {
    costs.into_iter().sum::<f64>().min(f64::MAX)
}

impl<'w> TrialLog<'w> {
    pub fn new(world: &'w World, view: &View) -> Self {
        Self {
            world,
            view: *view,
            domain: world.domain.build(),
            settings: match &world.domain {
                DomainSpec::Space(space) if world.sets.is_none() => space.points(),
                _ => None,
            },
            entries: Vec::new(),
            news: Vec::new(),
            verdict: None,
            is_watched: true,
            missed: Vec::new(),
        }
    }

    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    fn stages(&self) -> Option<&'w Stages> {
        self.world.stages()
    }

    fn is_learned(&self) -> bool {
        self.world.cost == CostSpec::Learned
    }

    pub fn those(&self, holds: impl Fn(&Entry) -> bool) -> Vec<usize> {
        (0..self.entries.len()).filter(|&id| holds(&self.entries[id])).collect()
    }

    pub fn in_state(&self, state: TrialState) -> Vec<usize> {
        self.those(|entry| entry.state == state)
    }

    fn has(&self, holds: impl Fn(&Entry) -> bool) -> bool {
        self.entries.iter().any(holds)
    }

    fn count(&self, holds: impl Fn(&Entry) -> bool) -> usize {
        self.entries.iter().filter(|entry| holds(entry)).count()
    }

    fn costs(&self, holds: impl Fn(&Entry) -> bool) -> f64 {
        sum(self.entries.iter().filter(|entry| holds(entry)).filter_map(|entry| entry.cost))
    }

    pub fn outcomes(&self) -> impl Iterator<Item = f64> {
        self.entries.iter().filter_map(|entry| entry.outcome)
    }

    /// The largest outcome without its sign; 0 without any.
    pub fn largest_outcome(&self) -> f64 {
        let reported = self.entries.iter().flat_map(|entry| &entry.reports);
        let all = self.outcomes().chain(reported.map(|report| report.outcome));
        all.fold(0.0, |largest, outcome| largest.max(outcome.abs()))
    }

    /// Whether some trial is complete, so that there is a model.
    pub fn knows_outcomes(&self) -> bool {
        self.has(Entry::is_complete)
    }

    /// Whether two trials or more are complete, and their outcomes are equal up to rounding: the next
    /// trial may then be quasi-random.
    pub fn never_varied(&self) -> bool {
        let outcomes = Vec::from_iter(self.outcomes());
        let alike = |a: f64, b: f64| (0.5 * a - 0.5 * b).abs() <= 1e-15 * a.abs().max(b.abs());
        outcomes.len() > 1 && outcomes.iter().all(|outcome| alike(*outcome, outcomes[0]))
    }

    pub fn is_of_use(&self, entry: &Entry) -> bool {
        entry.is_complete() && self.world.holds(&entry.measures)
    }

    pub fn knows_measures(&self) -> bool {
        self.entries.iter().flat_map(|entry| entry.measures).flatten().any(|one| !one.is_nan())
    }

    pub fn knows_costs(&self) -> bool {
        !self.is_learned() || self.has(|entry| entry.cost.is_some())
    }

    /// Whether outcomes are modeled as they are told, and squares of them are no numbers: they have
    /// no moments.
    pub fn has_no_squares(&self) -> bool {
        let largest = self.largest_outcome();
        self.world.has_no_squares()
            || (!self.world.standardizes() && largest > 0.0 && !(1e-100..=1e100).contains(&largest))
    }

    /// Whether outcomes or costs are at the ends of double precision.
    pub fn is_extreme(&self) -> bool {
        let ends = |number: f64| number != 0.0 && !(1e-100..=1e100).contains(&number.abs());
        let numbers = self.entries.iter().flat_map(|entry| [entry.outcome, entry.cost]).flatten();
        self.world.objective.is_extreme() || numbers.chain([self.largest_outcome()]).any(ends)
    }

    /// What the design cost and whatever was imported: what a budget must exceed.
    pub fn design_cost(&self) -> f64 {
        self.costs(|entry| entry.origin != Origin::Suggested)
    }

    pub fn spent(&self) -> f64 {
        self.costs(|entry| entry.origin == Origin::Suggested)
    }

    /// What control sets cost that were played: the price of a set unless another cost was told.
    pub fn spent_on_sets(&self, price: impl Fn(usize) -> f64) -> f64 {
        let stands = |entry: &&Entry| entry.state != TrialState::Withdrawn;
        let cost = |entry: &Entry| {
            let played = entry.played.as_ref()?;
            Some(entry.cost.unwrap_or_else(|| price(played.set)))
        };
        sum(self.entries.iter().filter(stands).filter_map(cost))
    }

    pub fn adaptive(&self) -> usize {
        self.count(|entry| entry.origin == Origin::Suggested && entry.is_told())
    }

    /// Trials that were asked for and told.
    pub fn told_of_own(&self) -> usize {
        self.count(|entry| entry.origin != Origin::Imported && entry.is_told())
    }

    /// Trials that count for the design once they are told.
    fn told_for_design(&self) -> usize {
        let ours = |entry: &Entry| entry.origin != Origin::Imported && entry.is_told();
        self.count(|entry| entry.is_complete() || ours(entry))
    }

    /// Whether at most this share of the budget is left.
    fn has_left(&self, share: f64) -> bool {
        let Some(budget) = self.world.spec.budget.map(|budget| self.view.cost(budget)) else {
            return false;
        };
        budget - self.costs(|entry| entry.origin != Origin::Imported) <= share * budget
    }

    pub fn is_broke(&self) -> bool {
        self.has_left(1e-12)
    }

    /// Whether a quarter of the budget is spent, which ends the design.
    pub fn is_short(&self) -> bool {
        self.knows_outcomes() && self.told_for_design() >= 3 && self.has_left(0.75)
    }

    /// Whether trials of the design are still to be told.
    pub fn design_is_open(&self) -> bool {
        self.told_for_design() < self.world.design() && !self.is_evaluated() && !self.is_short()
    }

    pub fn designs(&self) -> bool {
        let stands = |entry: &Entry| match entry.origin {
            Origin::Initial => entry.state != TrialState::Withdrawn,
            Origin::Imported => entry.is_complete(),
            _ => false,
        };
        self.count(stands).max(self.told_for_design()) < self.world.design()
            && !self.is_exhausted()
            && !self.is_short()
    }

    pub fn knows_failures(&self) -> bool {
        let failed =
            |entry: &Entry| matches!(entry.state, TrialState::Failed | TrialState::Infeasible);
        self.knows_outcomes() && self.has(failed)
    }

    pub fn order(&self) -> Vec<usize> {
        self.news.iter().filter(|news| !news.is_cost).map(|news| news.id).collect()
    }

    /// The place of what was told of a trial, or of its cost alone.
    fn place(&self, id: usize, is_cost: bool) -> Option<usize> {
        self.news.iter().position(|news| *news == News { id, is_cost })
    }

    /// The best of some trials, the first among equals.
    pub fn best_of(&self, trials: &[usize]) -> Option<usize> {
        let sign = self.world.sign(&self.view);
        let outcome = |id: usize| self.entries[id].outcome.map(|outcome| sign * outcome);
        let complete = trials.iter().copied().filter(|&id| self.is_of_use(&self.entries[id]));
        complete.reduce(|best, id| if outcome(id) > outcome(best) { id } else { best })
    }

    /// The best outcome, turned so that larger is better, after each trial told.
    pub fn running_best(&self) -> Vec<Option<f64>> {
        let sign = self.world.sign(&self.view);
        let order = self.order();
        let best = |count: usize| self.best_outcome_of(&order[..=count]).map(|best| sign * best);
        (0..order.len()).map(best).collect()
    }

    fn best_outcome_of(&self, trials: &[usize]) -> Option<f64> {
        self.entries[self.best_of(trials)?].outcome
    }

    /// The best outcome of all, as a course ends with it.
    pub fn best_outcome(&self) -> Option<f64> {
        self.best_outcome_of(&self.order())
    }

    /// Whether a replay says what was heard; without a design it asks before anything was told,
    /// too.
    pub fn is_replayable(&self) -> bool {
        let settled = self.world.design() > 0 && self.world.spec.budget.is_none();
        self.is_watched && self.verdict.is_some() && settled
    }

    /// Statistic, threshold and firing after each telling from the end of the design on.
    pub fn verdicts(&self) -> Vec<(f64, f64, bool)> {
        let heard = self.order().into_iter().filter_map(|id| self.entries[id].heard.as_ref());
        let judged = heard.filter(|heard| heard.rule != "initial design");
        judged.map(|heard| (heard.statistic, heard.threshold, heard.stops)).collect()
    }
}

impl Entry {
    pub fn new(values: Vec<Value>, unit: Vec<f64>, row: Option<usize>, origin: Origin) -> Self {
        Self {
            values,
            unit,
            row,
            origin,
            state: TrialState::Pending,
            outcome: None,
            measures: [None; MOST],
            cost: None,
            cost_told: false,
            known: None,
            seen: 0,
            suggested: None,
            noted: false,
            heard: None,
            reports: Vec::new(),
            until: None,
            spent: None,
            played: None,
        }
    }

    pub fn is_told(&self) -> bool {
        self.state.is_told()
    }

    pub fn is_complete(&self) -> bool {
        self.state == TrialState::Complete
    }

    pub fn is_pending(&self) -> bool {
        self.state == TrialState::Pending
    }

    /// Whether its cost came first, so that the outcome comes without.
    pub fn is_paid_first(&self) -> bool {
        self.cost_told && !self.is_told()
    }

    pub fn progress(&self) -> f64 {
        self.reports.last().map_or(0.0, |report| report.progress)
    }
}
