//! The next point among those that cost little enough.

use crate::data::{Cost, PointCost};
use crate::error::{Error, ErrorKind, Result};
use crate::study::ask::Ask;
use crate::study::design::no_cost_known;
use crate::study::study::Study;
use crate::suggest::Round;
use crate::surrogate::Surrogate;

/// The expected cost at a point of the unit cube.
type Expected = Box<dyn Fn(&[f64]) -> Result<f64>>;

/// How many points of the initial design are tried for one within the limit.
const DRAWS: usize = 256;

impl Study {
    /// The next point among those whose expected cost, learned or known, is at most `limit`: for a
    /// worker that is free for so long. If the point of [`ask`](Self::ask) is within the limit, it
    /// is that point, to the bit. Otherwise it is the best one by the same acquisition that is: the
    /// best row of a table or of a small grid, and in other spaces the best point that a search
    /// finds. There a plan of several steps and a knowledge gradient give way to expected
    /// improvement. The expected cost is that of the [suggestion](crate::suggest::Suggestion::cost),
    /// `exp(m + v/2)` of a learned one. A trial may turn out to cost more.
    ///
    /// None if the model expects everything that may be asked for to cost more. Wait for another
    /// worker then, or for the model to learn.
    ///
    /// As long as the initial design goes on, its next point within the limit is taken; if 256
    /// points are all too dear, what the policy suggests.
    ///
    /// ```
    /// use gittins::{Cost, Outcome, Space, Study};
    ///
    /// let space = Space::new().float("x", 0.0, 1.0);
    /// let cost = Cost::known(|x: &[f64]| 1.0 + 9.0 * x[0]);
    /// let mut study = Study::minimize(space).cost(cost).build()?;
    /// for _ in 0..6 {
    ///     let ask = study.ask_within(4.0)?.expect("x = 0 costs 1");
    ///     let x: f64 = ask.get("x")?;
    ///     assert!(1.0 + 9.0 * x <= 4.0);
    ///     study.tell(ask.id(), Outcome::new((x - 0.7).powi(2)))?;
    /// }
    /// assert!(study.ask_within(0.5)?.is_none());
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidSetting` for a limit that is not positive; `Empty` as long as costs are learned and
    /// none is known, or no trial is complete; `Exhausted` if every row of a table was evaluated or
    /// is under way; those of [`ask`](Self::ask). The study stays as it was.
    pub fn ask_within(&mut self, limit: f64) -> Result<Option<Ask>> {
        self.ask_in(&mut Round::one(), Self::limit_of(limit)?)
    }

    /// A limit of the cost; none for an infinite one.
    ///
    /// # Errors
    /// `InvalidSetting` for a limit that is not positive.
    pub(crate) fn limit_of(limit: f64) -> Result<Option<f64>> {
        if limit.is_nan() || limit <= 0.0 {
            let message = format!("the limit of the cost must be positive, got {limit}");
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        Ok(Some(limit).filter(|limit| limit.is_finite()))
    }

    /// The next quasi-random point, within a limit if there is one, and its row in a table. None if
    /// none is within the limit; then none was drawn.
    pub(super) fn draw(
        &mut self,
        within: Option<f64>,
    ) -> Result<Option<(Vec<f64>, Option<usize>)>> {
        let Some(limit) = within else {
            return self.design.draw(&self.setup.domain, &self.asked).map(Some);
        };
        let expected = self.expected_costs()?;
        for point in self.design.upcoming(&self.setup.domain, &self.asked).take(DRAWS) {
            let point = point?;
            if expected(&point.unit)? <= limit {
                return Ok(Some(self.design.take(point)));
            }
        }
        Ok(None)
    }

    /// The expected cost as a function of the unit cube. A model is made for this alone: what is
    /// asked for later does not depend on it.
    fn expected_costs(&self) -> Result<Expected> {
        let floor = self.setup.cost_floor;
        match &self.setup.cost {
            Cost::Uniform(cost) => {
                let cost = floor.map_or(*cost, |floor| cost.max(floor));
                Ok(Box::new(move |_| Ok(cost)))
            }
            Cost::Known(known) => {
                let known = known.on(&self.setup.domain).floored(floor);
                Ok(Box::new(move |unit| known.cost(unit, None)))
            }
            Cost::Learned => {
                let deadline = self.setup.deadline();
                let fitted = Surrogate::fit_until(&self.setup, self.modeled(), None, deadline)?;
                let fitted = fitted.filter(Surrogate::knows_cost).ok_or_else(no_cost_known)?;
                Ok(Box::new(move |unit| fitted.expected_cost(unit)))
            }
        }
    }
}
