//! The design of a study whose costs are learned: its dear points come last.
//!
//! The points of a design fill the space, whatever they cost, and their order means nothing. The
//! first bills say where trials are dear. From then on the next point of the sequence is taken that
//! costs no more than half of the next points do, as far as the model of costs knows. The design
//! teaches the model as much for less money. What is dear is left to the policy, which weighs what
//! it costs against what it may bring.

use crate::data::{Cost, Points};
use crate::error::Result;
use crate::math::order::at_rank;
use crate::study::study::Study;
use crate::surrogate::log_cost_of;

/// From so many bills on the design looks at costs. One says nothing of where trials are dear.
const BILLS: usize = 2;

/// So many points of the sequence are compared.
const POINTS: usize = 32;

/// Costs within this factor are the same. Where all trials cost the same the design must not change.
const ALIKE: f64 = 1.1;

impl Study {
    /// The next point of the design, within a limit of the cost if there is one, and its row in a
    /// table.
    pub(super) fn draw_of_design(
        &mut self,
        within: Option<f64>,
    ) -> Result<Option<(Vec<f64>, Option<usize>)>> {
        let observations = &self.books.observations;
        let looks = self.design.is_thrifty()
            && within.is_none()
            && matches!(self.setup.cost, Cost::Learned)
            && observations.costs().1.len() >= BILLS;
        if looks && let Some(drawn) = self.draw_cheap()? {
            return Ok(Some(drawn));
        }
        self.draw(within)
    }

    /// The first of the next points of the design that is not dear. None if nothing is left.
    fn draw_cheap(&mut self) -> Result<Option<(Vec<f64>, Option<usize>)>> {
        let deadline = self.setup.deadline();
        let log_cost = log_cost_of(&self.setup, self.modeled(), deadline)?;
        let Some(log_cost) = log_cost else { return Ok(None) };
        let upcoming = self.design.upcoming(&self.setup.domain, &self.asked).take(POINTS);
        let upcoming = upcoming.collect::<Result<Vec<_>>>()?;
        let mut points = Points::new(self.setup.domain.dim());
        upcoming.iter().for_each(|point| points.push(&point.unit));
        // What a trial costs in the middle of what is possible: its mean would grow with the
        // distance from all bills.
        let log_costs = log_cost.moments(&points)?.mean;
        let mut ascending = log_costs.clone();
        ascending.sort_by(f64::total_cmp);
        let middle = at_rank(&ascending, 0.5 * (ascending.len().max(1) - 1) as f64);
        let usual = middle.map_or(f64::INFINITY, |middle| middle + ALIKE.ln());
        let cheap = upcoming.into_iter().zip(log_costs).find(|(_, log_cost)| *log_cost <= usual);
        Ok(cheap.map(|(point, _)| self.design.take(point)))
    }
}
