//! The points of a design that cost little enough.

use crate::data::{Cost, Observations, PointCost};
use crate::error::Result;
use crate::study::design::design::{Design, no_cost_known};
use crate::study::events::point::Drawn;
use crate::surrogate::{Setup, Surrogate, Taken};

/// The expected cost at a point of the unit cube.
type Expected = Box<dyn Fn(&[f64]) -> Result<f64>>;

/// How many points of the initial design are tried for one within the limit.
const DRAWS: usize = 256;

impl Design {
    /// The next point that is expected to cost no more than the limit, if there is one. None if no
    /// point is; then none was drawn.
    ///
    /// # Errors
    /// `Empty` while costs are learned and none is known; `Exhausted` if no point is free; those of
    /// the model of costs.
    pub fn draw_within(
        &mut self,
        limit: Option<f64>,
        setup: &Setup,
        observations: &Observations,
        asked: &Taken,
    ) -> Result<Option<Drawn>> {
        let Some(limit) = limit else { return self.draw(&setup.domain, asked).map(Some) };
        let expected = expected_costs(setup, observations)?;
        for upcoming in self.upcoming(&setup.domain, asked).take(DRAWS) {
            let upcoming = upcoming?;
            if expected(&upcoming.point.unit)? <= limit {
                return Ok(Some(self.take(upcoming)));
            }
        }
        Ok(None)
    }
}

/// The expected cost as a function of the unit cube. A model is made for this alone: what is
/// asked for later does not depend on it.
fn expected_costs(setup: &Setup, observations: &Observations) -> Result<Expected> {
    let floor = setup.cost_floor;
    match &setup.cost {
        Cost::Uniform(cost) => {
            let cost = floor.map_or(*cost, |floor| cost.max(floor));
            Ok(Box::new(move |_| Ok(cost)))
        }
        Cost::Known(known) => {
            let known = known.on(&setup.domain).floored(floor);
            Ok(Box::new(move |unit| known.cost(unit, None)))
        }
        Cost::Learned => {
            let deadline = setup.deadline();
            let fitted = Surrogate::fit_until(setup, observations, None, deadline)?;
            let fitted = fitted.filter(Surrogate::knows_cost).ok_or_else(no_cost_known)?;
            Ok(Box::new(move |unit| fitted.expected_cost(unit)))
        }
    }
}
