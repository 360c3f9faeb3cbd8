//! How a run went: money spent and best value kept, step by step.

use std::fmt;

use gittins::data::Direction;
use gittins::internals::sum;
use gittins::study::{Origin, Row, TrialState};
use gittins::{Error, ErrorKind, Record, Result};

use crate::evaluation::telling::{Telling, tellings};

/// The course of a run: a [`Mark`] after the initial design and one more for each trial told from
/// then on.
///
/// The `t`-th mark of an ordinary run, counted from 0, is the state after `t` suggested trials.
/// Trials that are imported on the way have marks of their own and cost nothing. A failed trial
/// costs what it cost. The design counts as told once as many trials were told as it asked for,
/// whichever they are: if some of its points are told late or never, the first mark has spent
/// something already.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    direction: Direction,
    marks: Vec<Mark>,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// How many suggested trials had been told, whatever became of them: the `t` of the papers.
    pub adaptive: usize,
    /// Their cost: the `C(t)` of the papers.
    pub spent: f64,
    /// The best outcome kept, in the user's direction, of the trials that hold all limits. The worst
    /// infinity while there was no such trial.
    pub best: f64,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { adaptive, spent, best } = self;
        write!(f, "{adaptive} trials for {spent} with a best value of {best}")
    }
}

/// The shape between two marks when values are drawn against money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Interpolation {
    /// The value of the last mark that was paid for: what a run that ends there keeps.
    #[default]
    Steps,
    /// The line between the marks on both sides, as in the figures of Xie et al. 2024. It promises a
    /// part of what is not paid for yet.
    Linear,
}

impl Course {
    /// Marks in order.
    ///
    /// # Errors
    /// `Empty` without any; `InvalidSetting`, naming the mark, for money or trials that are less than
    /// at the mark before, or are no number.
    pub fn new(direction: Direction, marks: Vec<Mark>) -> Result<Self> {
        if marks.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "a course needs a mark at least, that after the initial design; got none",
            ));
        }
        let falls = |pair: &[Mark]| {
            !(pair[0].spent <= pair[1].spent && pair[0].adaptive <= pair[1].adaptive)
        };
        if let Some(at) = marks.windows(2).position(falls) {
            let message = format!(
                "mark {}: expected trials and money not to fall, got {} after {}",
                at + 1,
                marks[at + 1],
                marks[at]
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        if let Some(at) = marks
            .iter()
            .position(|mark| !mark.spent.is_finite() || mark.spent < 0.0 || mark.best.is_nan())
        {
            let message = format!(
                "mark {at}: expected money of at least 0 and a best value, got {}",
                marks[at]
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(Self { direction, marks })
    }

    /// The course of a recorded run, by its outcomes and costs.
    ///
    /// # Errors
    /// `Empty` for a record without a trial.
    pub fn of(record: &Record) -> Result<Self> {
        Self::measured(record, |row| row.outcome.unwrap_or(f64::NAN), |row| row.cost)
    }

    /// The course by other measures. The best trial is still the one with the best outcome, but it is
    /// worth what `value` says (such as the test error of the setting with the least validation
    /// error). A trial costs what `cost` says (such as a measured time in place of a proxy), if
    /// anything.
    ///
    /// # Errors
    /// `Empty` for a record without a trial, and those of [`new`](Self::new).
    pub fn measured(
        record: &Record,
        value: impl Fn(&Row) -> f64,
        cost: impl Fn(&Row) -> Option<f64>,
    ) -> Result<Self> {
        let none = || Error::new(ErrorKind::Empty, "the record has no trial");
        let direction = record.direction().ok_or_else(none)?;
        let told = record.in_order_of_telling();
        let size = record
            .rows()
            .iter()
            .filter(|row| row.origin == Origin::Initial && row.state != TrialState::Withdrawn)
            .count();
        let asked = told
            .iter()
            .enumerate()
            .filter(|(_, row)| row.origin != Origin::Imported)
            .map(|(place, _)| place + 1);
        let end_of_design = std::iter::once(0).chain(asked).nth(size).unwrap_or(told.len());
        let first_adaptive =
            told.iter().position(|row| row.origin == Origin::Suggested).unwrap_or(told.len());
        let start = end_of_design.max(first_adaptive);
        let mut mark = Mark { adaptive: 0, spent: 0.0, best: -direction.sign() * f64::INFINITY };
        let mut marks = Vec::with_capacity(told.len() + 1 - start);
        let mut place = 0;
        let mut best = None;
        if start == 0 {
            marks.push(mark);
        }
        for Telling { row, cost_alone, .. } in tellings(record) {
            let suggested = row.origin == Origin::Suggested;
            if suggested && (cost_alone || row.paid.is_none()) {
                mark.spent = sum(mark.spent, cost(row).unwrap_or(0.0));
            }
            if cost_alone {
                continue;
            }
            mark.adaptive += usize::from(suggested);
            let better = direction.better(best, row.usable_outcome());
            if better != best {
                best = better;
                mark.best = value(row);
            }
            place += 1;
            if place >= start {
                marks.push(mark);
            }
        }
        Self::new(direction, marks)
    }

    /// Which outcomes are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The marks, the first being that after the initial design.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The simple regret at each mark: `r_t = f* - y*_t` for something maximized, `y*_t - f*` for
    /// something minimized. It is negative if the best outcome is better than the given `optimum`,
    /// which then was none.
    pub fn simple_regret(&self, optimum: f64) -> Vec<f64> {
        self.marks.iter().map(|mark| self.direction.sign() * (optimum - mark.best)).collect()
    }

    /// The cost-adjusted simple regret at each mark: `r_t + lambda C(t)`, with the price `lambda` of
    /// a unit of cost (Xie et al. 2025).
    pub fn cost_adjusted_regret(&self, optimum: f64, lambda: f64) -> Vec<f64> {
        let regrets = self.simple_regret(optimum).into_iter().zip(&self.marks);
        regrets.map(|(regret, mark)| regret + lambda * mark.spent).collect()
    }

    /// The best value kept for an amount of money. For less than the first mark has spent, it is the
    /// first mark's value. For more than the last mark has spent, it is the last mark's value.
    pub fn best_at(&self, money: f64, between: Interpolation) -> f64 {
        let after = self.marks.partition_point(|mark| mark.spent <= money);
        let Some(paid) = after.checked_sub(1) else { return self.marks[0].best };
        match (between, self.marks.get(after)) {
            (Interpolation::Linear, Some(next)) if self.marks[paid].best.is_finite() => {
                let here = self.marks[paid];
                here.best
                    + (money - here.spent) / (next.spent - here.spent) * (next.best - here.best)
            }
            _ => self.marks[paid].best,
        }
    }
}
