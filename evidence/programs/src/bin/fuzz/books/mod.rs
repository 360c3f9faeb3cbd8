//! Simple books of a study, kept apart from it: what was asked, told, paid and taken back.

mod compare;
mod faults;
mod told;

use std::collections::HashSet;

use gittins::study::{Origin, TrialState, Why};
use gittins::{Ask, Domain, Study, Trial, Value, Verdict};

use crate::invariants::{Held, must};
use crate::view::View;
use crate::world::World;
use crate::world::costs::CostSpec;
use crate::world::domain::DomainSpec;
use crate::world::measure::{MOST, Measures};

pub use told::{Bill, Told};

/// What a verdict said: the rule, its statistic and threshold, and whether it fired.
type Heard = (String, [f64; 2], bool);

/// One trial, in the units of the view.
#[derive(Debug, Clone)]
pub struct Entry {
    pub values: Vec<Value>,
    pub unit: Vec<f64>,
    row: Option<usize>,
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
    suggested: Option<[f64; 3]>,
    /// Whether it was noted what it has cost so far.
    pub noted: bool,
    /// How much had been told when the verdict was heard that belongs to it, and what that was.
    heard: Option<(usize, Heard)>,
}

/// The books.
pub struct Books<'w> {
    world: &'w World,
    view: View,
    domain: Domain,
    /// The codes of all points of a space that has few.
    settings: Option<HashSet<Vec<u64>>>,
    pub entries: Vec<Entry>,
    /// What was told, one thing after another: a trial, or with `true` its cost alone.
    tellings: Vec<(usize, bool)>,
    /// The verdict that stands until there is news.
    pub verdict: Option<Verdict>,
    /// Whether a verdict followed each telling and nothing else led to a fit, so that a replay says
    /// the same.
    pub is_watched: bool,
}

/// A sum of money, which is at most the largest number.
fn sum(costs: impl Iterator<Item = f64>) -> f64 {
    costs.sum::<f64>().min(f64::MAX)
}

fn key(unit: &[f64]) -> Vec<u64> {
    unit.iter().map(|u| (u + 0.0).to_bits()).collect()
}

impl<'w> Books<'w> {
    pub fn new(world: &'w World, view: &View) -> Self {
        let (domain, view) = (world.domain.build(), *view);
        Self {
            world,
            view,
            domain,
            settings: match &world.domain {
                DomainSpec::Space(space) => space.points(),
                DomainSpec::Table { .. } => None,
            },
            entries: Vec::new(),
            tellings: Vec::new(),
            verdict: None,
            is_watched: true,
        }
    }

    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    fn learned(&self) -> bool {
        self.world.cost == CostSpec::Learned
    }

    /// The trials of which something holds.
    pub fn those(&self, holds: impl Fn(&Entry) -> bool) -> Vec<usize> {
        (0..self.entries.len()).filter(|&id| holds(&self.entries[id])).collect()
    }

    pub fn in_state(&self, state: TrialState) -> Vec<usize> {
        self.those(|entry| entry.state == state)
    }

    pub fn told(&self) -> Vec<usize> {
        self.those(Entry::is_told)
    }

    /// Whether some trial is complete, so that there is a model.
    pub fn knows_outcomes(&self) -> bool {
        !self.in_state(TrialState::Complete).is_empty()
    }

    /// Whether two trials or more are complete, and their outcomes are equal up to rounding: the next
    /// trial may then be quasi-random.
    pub fn never_varied(&self) -> bool {
        let complete = self.in_state(TrialState::Complete);
        let outcomes: Vec<f64> =
            complete.iter().filter_map(|&one| self.entries[one].outcome).collect();
        let alike = |a: f64, b: f64| (0.5 * a - 0.5 * b).abs() <= 1e-15 * a.abs().max(b.abs());
        outcomes.len() > 1 && outcomes.iter().all(|outcome| alike(*outcome, outcomes[0]))
    }

    /// Whether a trial is complete and holds all limits.
    pub fn is_of_use(&self, entry: &Entry) -> bool {
        entry.state == TrialState::Complete && self.world.holds(&entry.measures)
    }

    /// Whether a number was measured.
    pub fn knows_measures(&self) -> bool {
        self.entries.iter().flat_map(|entry| entry.measures).flatten().any(|one| !one.is_nan())
    }

    /// Whether the model knows of costs.
    pub fn knows_costs(&self) -> bool {
        !self.learned() || self.entries.iter().any(|entry| entry.cost.is_some())
    }

    /// Whether outcomes are modeled as they are told, and squares of them are no numbers: they have
    /// no moments.
    pub fn has_no_squares(&self) -> bool {
        let largest = self
            .entries
            .iter()
            .filter_map(|entry| entry.outcome)
            .fold(0.0, |largest: f64, outcome| largest.max(outcome.abs()));
        self.world.has_no_squares()
            || (!self.world.standardizes() && largest > 0.0 && !(1e-100..=1e100).contains(&largest))
    }

    /// Whether outcomes or costs are at the ends of double precision.
    pub fn is_extreme(&self) -> bool {
        let ends = |number: f64| number != 0.0 && !(1e-100..=1e100).contains(&number.abs());
        self.world.objective.is_extreme()
            || self.entries.iter().flat_map(|entry| [entry.outcome, entry.cost]).flatten().any(ends)
    }

    /// What the design cost and whatever was imported: what a budget must exceed.
    pub fn design_cost(&self) -> f64 {
        sum(self
            .entries
            .iter()
            .filter(|entry| entry.origin != Origin::Suggested)
            .filter_map(|entry| entry.cost))
    }

    pub fn spent(&self) -> f64 {
        sum(self
            .entries
            .iter()
            .filter(|entry| entry.origin == Origin::Suggested)
            .filter_map(|entry| entry.cost))
    }

    pub fn adaptive(&self) -> usize {
        self.those(|entry| entry.origin == Origin::Suggested && entry.is_told()).len()
    }

    /// Trials that were asked for and told.
    pub fn told_of_own(&self) -> usize {
        self.those(|entry| entry.origin != Origin::Imported && entry.is_told()).len()
    }

    /// Trials that count for the design once they are told.
    fn told_for_design(&self) -> usize {
        let counts = |entry: &Entry| {
            entry.state == TrialState::Complete
                || (entry.origin != Origin::Imported && entry.is_told())
        };
        self.those(counts).len()
    }

    /// The budget, and what is left of it.
    fn money(&self) -> Option<[f64; 2]> {
        let budget = self.view.cost(self.world.spec.budget?);
        let ours = self.entries.iter().filter(|entry| entry.origin != Origin::Imported);
        Some([budget, budget - sum(ours.filter_map(|entry| entry.cost))])
    }

    /// Whether the budget is spent.
    pub fn is_broke(&self) -> bool {
        self.money().is_some_and(|[budget, left]| left <= 1e-12 * budget)
    }

    /// Whether a quarter of the budget is spent, which ends the design.
    pub fn is_short(&self) -> bool {
        self.knows_outcomes()
            && self.told_for_design() >= 3
            && self.money().is_some_and(|[budget, left]| left <= 0.75 * budget)
    }

    /// Whether trials of the design are still to be told.
    pub fn design_is_open(&self) -> bool {
        self.told_for_design() < self.world.design() && !self.is_evaluated() && !self.is_short()
    }

    /// Whether the next point belongs to the design.
    fn designs(&self) -> bool {
        let stands = |entry: &Entry| match entry.origin {
            Origin::Initial => entry.state != TrialState::Withdrawn,
            Origin::Imported => entry.state == TrialState::Complete,
            _ => false,
        };
        self.those(stands).len().max(self.told_for_design()) < self.world.design()
            && !self.is_exhausted()
            && !self.is_short()
    }

    /// Different points that were asked for or told and were not withdrawn, or that were told.
    fn points(&self, holds: impl Fn(&Entry) -> bool) -> HashSet<Vec<u64>> {
        self.entries.iter().filter(|entry| holds(entry)).map(|entry| key(&entry.unit)).collect()
    }

    fn taken(&self) -> HashSet<Vec<u64>> {
        self.points(|entry| entry.state != TrialState::Withdrawn)
    }

    /// Whether a point is pending or was told.
    pub fn is_taken(&self, unit: &[f64]) -> bool {
        self.taken().contains(&key(unit))
    }

    /// Whether a trial at a point is pending.
    pub fn is_under_way(&self, unit: &[f64]) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.state == TrialState::Pending && key(&entry.unit) == key(unit))
    }

    /// Whether some trial failed and some succeeded.
    pub fn knows_failures(&self) -> bool {
        let failed =
            |entry: &Entry| matches!(entry.state, TrialState::Failed | TrialState::Infeasible);
        self.knows_outcomes() && self.entries.iter().any(failed)
    }

    /// How many different rows of a table, or points of a space that has few, are those of no entry
    /// of which something holds.
    fn points_besides(&self, holds: impl Fn(&Entry) -> bool) -> Option<usize> {
        if let Some(settings) = &self.settings {
            let entries = self.entries.iter().filter(|entry| holds(entry));
            let codes = entries.map(|entry| key(&self.world.domain.codes(&entry.values)));
            return Some(settings.difference(&codes.collect()).count());
        }
        let Domain::Table(table) = &self.domain else { return None };
        let rows: HashSet<Vec<u64>> = table.points().rows().map(key).collect();
        Some(rows.difference(&self.points(holds)).count())
    }

    /// How many different points are left to ask for, where that is known.
    pub fn points_left(&self) -> Option<usize> {
        self.points_besides(|entry| entry.state != TrialState::Withdrawn)
    }

    /// Whether no point is left to ask for.
    pub fn is_exhausted(&self) -> bool {
        self.points_left() == Some(0)
    }

    /// Whether every point was told.
    pub fn is_evaluated(&self) -> bool {
        self.points_besides(Entry::is_told) == Some(0)
    }

    /// Whether points may run out, and it is not known when: constraints may leave few of infinitely
    /// many.
    pub fn may_run_out(&self) -> bool {
        (self.domain.is_finite() || self.world.domain.is_bound()) && self.points_left().is_none()
    }

    /// A trial was asked for; within a limit, or in a part that has
    /// no other point, it may be suggested before the design is over.
    pub fn ask(&mut self, ask: &Ask, trial: &Trial, is_limited: bool) -> Held {
        let number = self.entries.len();
        let leaves = is_limited && trial.origin == Origin::Suggested;
        let origin = if self.designs() && !leaves { Origin::Initial } else { Origin::Suggested };
        let same = ask.values() == trial.values && ask.row() == trial.row && trial.id == ask.id();
        let agrees = ask.id().index() == number && trial.origin == origin && same;
        must!(agrees, HistoryIsWhatWasTold, "{ask:?}, {trial:?}, not {number}, {origin:?}")?;
        self.is_watched &= self.tellings.is_empty() || self.verdict.is_some();
        self.enter(&trial.values, &trial.unit, trial.row, origin);
        if let Why::Suggested(said) = ask.why() {
            self.entries[number].suggested = Some([said.value, said.mean, said.sd]);
        }
        Ok(())
    }

    fn enter(&mut self, values: &[Value], unit: &[f64], row: Option<usize>, origin: Origin) {
        self.entries.push(Entry {
            values: values.to_vec(),
            unit: unit.to_vec(),
            row,
            origin,
            state: TrialState::Pending,
            outcome: None,
            measures: [None; MOST],
            cost: None,
            cost_told: false,
            known: None,
            seen: self.tellings.len(),
            suggested: None,
            noted: false,
            heard: None,
        });
    }

    /// A trial was told.
    pub fn tell(&mut self, id: usize, told: &Told, study: &Study) {
        let known =
            self.world.known_cost(&self.entries[id].values).map(|cost| self.view.cost(cost));
        let entry = &mut self.entries[id];
        (entry.state, entry.outcome) = (told.state, told.outcome_told(&self.view));
        entry.measures = told.measures;
        match told.cost {
            Bill::Paid(cost) => (entry.cost, entry.cost_told) = (Some(self.view.cost(cost)), true),
            // What is known is known but for the way to the unit cube and back.
            Bill::Later | Bill::Silent if !entry.cost_told => {
                let found = study.history()[id]
                    .cost
                    .zip(known)
                    .filter(|(cost, known)| (known - cost).abs() <= 1e-6 * known.abs());
                entry.cost = found.map(|(cost, _)| cost).or(known);
            }
            Bill::Later | Bill::Silent => {}
        }
        self.news(id, false);
    }

    /// A trial was imported.
    pub fn import(&mut self, values: &[Value], told: &Told, study: &Study) -> Held {
        let id = self.entries.len();
        let Some(trial) = study.history().get(id) else {
            return must!(false, HistoryIsWhatWasTold, "no trial {id} after an import");
        };
        let row =
            if let Domain::Table(table) = &self.domain { table.row_of(values).ok() } else { None };
        let typed = self.world.domain.typed(values).unwrap_or_default();
        self.enter(&typed, &trial.unit, row, Origin::Imported);
        self.tell(id, told, study);
        Ok(())
    }

    /// A cost was told apart.
    pub fn pay(&mut self, id: usize, cost: f64) {
        let entry = &mut self.entries[id];
        entry.known = entry.cost;
        (entry.cost, entry.cost_told) = (Some(self.view.cost(cost)), true);
        self.news(id, true);
        self.is_watched = false;
    }

    fn news(&mut self, id: usize, cost_alone: bool) {
        self.is_watched &= self.tellings.is_empty() || self.verdict.is_some();
        self.tellings.push((id, cost_alone));
        self.verdict = None;
    }

    /// A trial was given up, or what was told of it was taken back.
    pub fn withdraw(&mut self, id: usize) {
        let entry = &mut self.entries[id];
        if entry.is_told() {
            (entry.outcome, entry.cost, entry.cost_told, entry.known) = (None, None, false, None);
            entry.measures = [None; MOST];
            self.forget(self.tellings.iter().position(|(told, _)| *told == id));
            while let Some(place) = self.tellings.iter().position(|(told, _)| *told == id) {
                self.tellings.remove(place);
                let counts = self.entries.iter_mut().flat_map(|entry| {
                    [Some(&mut entry.seen), entry.heard.as_mut().map(|(told, _)| told)]
                });
                counts.flatten().filter(|told| **told > place).for_each(|told| *told -= 1);
            }
        }
        self.entries[id].state = TrialState::Withdrawn;
        self.is_watched = false;
    }

    /// What was told of a trial was replaced.
    pub fn correct(&mut self, id: usize, told: &Told) {
        let view = self.view;
        let entry = &mut self.entries[id];
        (entry.state, entry.outcome) = (told.state, told.outcome_told(&view));
        if told.measures.iter().any(Option::is_some) {
            entry.measures = told.measures;
        }
        let paid = matches!(told.cost, Bill::Paid(_));
        if let Bill::Paid(cost) = told.cost {
            (entry.cost, entry.cost_told) = (Some(view.cost(cost)), true);
        }
        // A cost that was told apart and stands was not wrong.
        self.forget(
            self.tellings
                .iter()
                .position(|(told, cost_alone)| *told == id && (paid || !cost_alone)),
        );
        self.is_watched = false;
    }

    /// Verdicts that knew of something at this place are gone.
    fn forget(&mut self, place: Option<usize>) {
        let place = place.unwrap_or(0);
        self.entries
            .iter_mut()
            .for_each(|entry| drop(entry.heard.take_if(|(told, _)| *told > place)));
        self.verdict = None;
    }

    /// Trials in the order in which they were told.
    pub fn order(&self) -> Vec<usize> {
        self.tellings.iter().filter(|(_, cost_alone)| !cost_alone).map(|(id, _)| *id).collect()
    }

    /// A verdict was heard.
    pub fn hear(&mut self, verdict: &Verdict) {
        if self.verdict.is_none()
            && let Some(&last) = self.order().last()
        {
            let reason = verdict.reason();
            let said =
                (reason.rule.clone(), [reason.statistic, reason.threshold], verdict.is_stop());
            self.entries[last].heard = Some((self.tellings.len(), said));
        }
        self.verdict = Some(verdict.clone());
    }

    /// The acquisition was changed: a verdict is found anew, and a replay does not know of it.
    pub fn stray(&mut self) {
        (self.is_watched, self.verdict) = (false, None);
    }

    /// Whether a replay says what was heard; without a design it asks before anything was told,
    /// too.
    pub fn is_replayable(&self) -> bool {
        let settled = self.world.design() > 0 && self.world.spec.budget.is_none();
        self.is_watched && self.verdict.is_some() && settled
    }

    /// What was said after each telling from the end of the design on.
    pub fn verdicts(&self) -> Vec<(f64, f64, bool)> {
        let heard = self.order().into_iter().filter_map(|id| self.entries[id].heard.clone());
        let judged = heard.map(|(_, said)| said).filter(|(rule, ..)| rule != "initial design");
        judged.map(|(_, [statistic, threshold], fired)| (statistic, threshold, fired)).collect()
    }
}

impl Entry {
    /// Whether it was told, in whatever way it ended.
    pub fn is_told(&self) -> bool {
        !matches!(self.state, TrialState::Pending | TrialState::Withdrawn)
    }

    /// Whether its cost came first, so that the outcome comes without.
    pub fn is_paid_first(&self) -> bool {
        self.cost_told && !self.is_told()
    }
}
