//! The design of a study whose costs are learned: its expensive points come last.
//!
//! The points of a design fill the space, whatever they cost, and their order means nothing. The
//! first costs say where trials are expensive. From then on the next point of the sequence is taken
//! that costs no more than half of the next points do, as far as the model of costs knows. The
//! design teaches the model as much at less cost. What is expensive is left to the policy, which
//! weighs what it costs against what it may bring. Points that somebody wants first come first.

use crate::data::{Cost, Observations, Points};
use crate::error::Result;
use crate::math::order::at_rank;
use crate::study::design::design::{AHEAD, Design};
use crate::study::events::point::Drawn;
use crate::surrogate::{Setup, Taken, log_cost_of};

/// From this many reported costs on the design looks at costs. One says nothing of where trials are
/// expensive.
const BILLS: usize = 2;

/// Costs within this factor are the same. Where all trials cost the same the design must not change.
const ALIKE: f64 = 1.1;

impl Design {
    /// The first of the next points that is not expensive, or if there is none, or a limit of the
    /// cost, the [next within it](Self::draw_within).
    ///
    /// # Errors
    /// Those of [`draw_within`](Self::draw_within).
    pub fn draw_cheap(
        &mut self,
        limit: Option<f64>,
        setup: &Setup,
        observations: &Observations,
        asked: &Taken,
    ) -> Result<Option<Drawn>> {
        let learned = matches!(setup.cost, Cost::Learned) && observations.costs().1.len() >= BILLS;
        let begins = self.drawn() < self.first().len();
        let looks = self.is_thrifty() && limit.is_none() && learned && !begins;
        let log_cost =
            if looks { log_cost_of(setup, observations, setup.deadline())? } else { None };
        let Some(log_cost) = log_cost else {
            return self.draw_within(limit, setup, observations, asked);
        };
        let upcoming = self.upcoming(&setup.domain, asked).take(AHEAD);
        let upcoming = upcoming.collect::<Result<Vec<_>>>()?;
        let mut points = Points::new(setup.domain.dim());
        for upcoming in &upcoming {
            points.push(&upcoming.point.unit);
        }
        // What a trial costs in the middle of what is possible: its mean would grow with the
        // distance from all bills.
        let log_costs = log_cost.moments(&points)?.mean;
        match cheap(upcoming, &log_costs) {
            Some(upcoming) => Ok(Some(self.take(upcoming))),
            None => self.draw_within(limit, setup, observations, asked),
        }
    }
}

/// The first that costs no more than the middle one, by the logarithms of what they cost.
pub(in crate::study) fn cheap<T>(upcoming: Vec<T>, log_costs: &[f64]) -> Option<T> {
    let mut ascending = log_costs.to_vec();
    ascending.sort_by(f64::total_cmp);
    let middle = at_rank(&ascending, 0.5 * (ascending.len().max(1) - 1) as f64)?;
    let mut both = upcoming.into_iter().zip(log_costs);
    both.find(|(_, log_cost)| **log_cost <= middle + ALIKE.ln()).map(|(one, _)| one)
}
