//! What a record says, in the order in which it was told.

use std::collections::HashMap;

use chart::number::short;
use chart::{Scale, fitted};
use gittins::Record;
use gittins::data::Direction;
use gittins::study::{Limit, Row, TrialState};

use crate::shown::axis_of;

/// Colors from the first trial to the last.
pub const ORDER: [&str; 8] = ["o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7"];

/// A trial that was told.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// Its row.
    pub row: &'a Row,
    /// The outcome, if it is complete with one that is a number.
    pub outcome: Option<f64>,
    /// The cost of all trials up to that moment.
    pub money: f64,
    /// The best finite outcome up to that moment of a trial that holds all limits.
    pub best: Option<f64>,
    /// Whether it was the best one then.
    pub improves: bool,
    /// Whether it holds all limits on measured numbers.
    pub holds: bool,
    /// Why it failed, if that is known.
    pub why: Option<&'a str>,
    unit: Option<&'a str>,
}

/// The trials of a record.
#[derive(Debug)]
pub struct Trials<'a> {
    /// All rows.
    pub rows: &'a [Row],
    /// Which outcomes are better.
    pub direction: Direction,
    /// The trials that were told, in the order of telling.
    pub told: Vec<Told<'a>>,
    /// The cost of all trials.
    pub total: f64,
    /// The cost of every told trial, if all cost the same.
    pub same_cost: Option<f64>,
    /// The unit of cost.
    unit: Option<&'a str>,
}

fn with_unit(number: String, unit: Option<&str>) -> String {
    unit.map_or(number.clone(), |unit| format!("{number} {unit}"))
}

/// A cost that adds to a sum.
fn paid(cost: Option<f64>) -> Option<f64> {
    cost.filter(|cost| cost.is_finite() && *cost >= 0.0)
}

impl<'a> Trials<'a> {
    /// The trials of a record, with the limits on measured numbers and why trials failed.
    pub fn new(
        record: &'a Record,
        unit: Option<&'a str>,
        limits: &[(String, Limit)],
        failures: &'a HashMap<usize, String>,
    ) -> Self {
        let hold = |row: &Row| {
            let number = |name: &str| row.measured.get(name).unwrap_or(f64::NAN);
            limits.iter().all(|(name, limit)| limit.holds(number(name)))
        };
        let rows = record.rows();
        let direction = record.direction().unwrap_or(Direction::Minimize);
        // What was told, by its place: a trial, or with `None` a cost.
        let outcomes = rows.iter().filter_map(|row| Some((row.told?, row, true)));
        let costs = rows.iter().filter_map(|row| Some((row.paid.or(row.told)?, row, false)));
        let mut events: Vec<(usize, &Row, bool)> = costs.chain(outcomes).collect();
        // A cost that was told with an outcome counts before it.
        events.sort_by_key(|(place, _, outcome)| (*place, *outcome));
        let (mut told, mut total, mut best): (Vec<Told<'a>>, f64, Option<f64>) =
            (Vec::new(), 0.0, None);
        for (_, row, outcome) in events {
            if !outcome {
                // No sum of money is infinite.
                total = (total + paid(row.cost).unwrap_or(0.0)).min(f64::MAX);
                continue;
            }
            let complete = row.state == TrialState::Complete;
            let outcome = row.outcome.filter(|outcome| complete && !outcome.is_nan());
            let holds = hold(row);
            let finite = outcome.filter(|outcome| holds && outcome.is_finite());
            let better = direction.better(best, finite);
            let improves = better != best;
            let why = failures.get(&row.trial).map(String::as_str);
            told.push(Told {
                row,
                outcome,
                money: total,
                best: better,
                improves,
                holds,
                why,
                unit,
            });
            best = better;
        }
        let mut all = told.iter().map(|told| paid(told.row.cost));
        let first = all.next().flatten();
        let same_cost = first.filter(|first| all.all(|cost| cost == Some(*first)));
        Self { rows, direction, told, total, same_cost, unit }
    }

    /// A sum of money with its unit.
    pub fn money(&self, cost: f64, digits: usize) -> String {
        with_unit(short(cost, digits), self.unit)
    }

    /// The name of something that is measured in money, with the unit.
    pub fn in_unit(&self, name: &str) -> String {
        match self.unit {
            Some(unit) => format!("{name} ({unit})"),
            None => name.to_owned(),
        }
    }

    /// Whether there is a cost.
    pub fn has_cost(&self) -> bool {
        self.told.iter().any(|told| paid(told.row.cost).is_some())
    }

    /// The color of a told trial by its place.
    pub fn color(&self, place: usize) -> &'static str {
        ORDER[(ORDER.len() * place / self.told.len().max(1)).min(ORDER.len() - 1)]
    }

    /// The trial with the best outcome.
    pub fn best(&self) -> Option<&Told<'a>> {
        self.told.iter().rev().find(|told| told.improves)
    }

    /// Whether trials are complete, and none of them holds all limits.
    pub fn none_holds(&self) -> bool {
        let mut complete = self.told.iter().filter(|told| told.outcome.is_some()).peekable();
        complete.peek().is_some() && complete.all(|told| !told.holds)
    }

    /// Complete trials that hold all limits, the best first.
    pub fn ranked(&self) -> Vec<&Told<'a>> {
        let mut complete: Vec<(f64, &Told<'a>)> = self
            .told
            .iter()
            .filter(|told| told.holds)
            .filter_map(|told| Some((-self.direction.sign() * told.outcome?, told)))
            .collect();
        complete.sort_by(|a, b| a.0.total_cmp(&b.0));
        complete.into_iter().map(|(_, told)| told).collect()
    }

    /// The axis of outcomes, and those that it shows.
    pub fn outcomes(&self) -> (Scale, Vec<f64>) {
        axis_of(self.told.iter().filter_map(|told| told.outcome), self.direction.sign())
    }

    /// The name of an axis of outcomes.
    pub fn outcome_by(&self, scale: &Scale) -> String {
        let better = self.better();
        if scale.is_logarithmic() {
            format!("outcome (log; {better})")
        } else {
            format!("outcome ({better})")
        }
    }

    /// The number of trials in a state.
    pub fn count(&self, state: TrialState) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// Which outcomes are better, in words.
    pub fn better(&self) -> &'static str {
        match self.direction {
            Direction::Minimize => "smaller is better",
            Direction::Maximize => "larger is better",
        }
    }
}

impl Told<'_> {
    /// The trial in words.
    pub fn words(&self) -> String {
        let Row { trial, origin, state, cost, point, .. } = self.row;
        let came = match self.outcome {
            Some(outcome) => format!("outcome {}", short(outcome, 5)),
            None if *state == TrialState::Complete => "outcome NaN".to_owned(),
            None => match self.why {
                Some(why) => format!("{}, {}", state.name(), fitted(why, 1.0, 80.0)),
                None => state.name().to_owned(),
            },
        };
        let money = |cost: f64| with_unit(short(cost, 4), self.unit);
        let cost = cost.map_or(String::new(), |cost| format!(", cost {}", money(cost)));
        let numbers = self.row.measured.iter();
        let measured: String =
            numbers.map(|(name, number)| format!(", {name} {}", short(number, 4))).collect();
        let broken = if self.breaks() { ", breaks a limit" } else { "" };
        let label = point.label.as_ref();
        let label = label.map_or(String::new(), |label| format!(" {},", fitted(label, 1.0, 40.0)));
        format!("trial {trial} ({origin}):{label} {came}{measured}{broken}{cost}")
    }

    /// Whether it has an outcome, and does not hold all limits.
    pub fn breaks(&self) -> bool {
        self.outcome.is_some() && !self.holds
    }

    /// Whether it has no outcome.
    pub fn failed(&self) -> bool {
        self.outcome.is_none()
    }
}
