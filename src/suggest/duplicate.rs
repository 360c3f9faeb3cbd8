//! What takes the place of a point that is not to be asked for again.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::acquisition::Acquisition;
use crate::data::{Domain, Points, Space};
use crate::error::Result;
use crate::maximize::Maximum;
use crate::suggest::search::{LARGEST_GRID, Scope, jitter};
use crate::suggest::step::Step;
use crate::surrogate::{Stream, Taken};

impl Step<'_> {
    /// Returns the point found, unless it is pending, or was evaluated and another outcome there
    /// would tell nothing, or the model cannot tell it from a pending point and there is no noise
    /// for which a repetition would be worth it. Then returns the best point one step away from it,
    /// because the next basin may be far worse; without such a step the best free point of all. `None`
    /// if no point is free.
    pub(super) fn not_again(
        &self,
        acquisition: &Acquisition,
        found: Maximum,
    ) -> Result<Option<Maximum>> {
        let (setup, surrogate) = (self.view.setup, self.view.surrogate);
        let Domain::Space(space) = &setup.domain else { return Ok(Some(found)) };
        let (posterior, pending) = (surrogate.posterior(), &self.pending_trials.points);
        let repeats = surrogate.worth_repeating();
        // Where a repetition is worth it, only what is under way is excluded.
        let is_again = |point: &[f64]| {
            self.excluded.contains(point) || (!repeats && posterior.confuses(point, pending))
        };
        let is_excluded = self.excluded.contains(&found.point);
        if !is_excluded && (space.is_finite() || !is_again(&found.point)) {
            return Ok(Some(found));
        }
        if !space.is_finite()
            && let Some(stepped) = self.best_near(space, acquisition, &found, is_again)?
        {
            return Ok(Some(stepped));
        }
        if !is_excluded {
            return Ok(Some(found));
        }
        let mut random = Pcg64::seed_from_u64(self.seed(Stream::Jitter));
        let is_free = |point: &[f64]| !self.excluded.contains(point);
        let free = space.view().first(LARGEST_GRID, is_free, || random.random());
        self.best_instead(space, acquisition, &found, &free, self.excluded)
    }

    /// The best point a step away from the point found.
    fn best_near(
        &self,
        space: &Space,
        acquisition: &Acquisition,
        found: &Maximum,
        is_again: impl Fn(&[f64]) -> bool,
    ) -> Result<Option<Maximum>> {
        let lengthscales = &self.view.surrogate.posterior().hyperparameters().lengthscales;
        let near = jitter::around(space, &found.point, lengthscales, self.seed(Stream::Jitter));
        let near = near.select((0..near.len()).filter(|&row| !is_again(near.row(row))));
        let near = self.view.setup.search.clamped(&near);
        self.best_instead(space, acquisition, found, &near, self.taken)
    }

    /// The best of other points that are not taken, in place of the point found.
    fn best_instead(
        &self,
        space: &Space,
        acquisition: &Acquisition,
        found: &Maximum,
        others: &Points,
        taken: &Taken,
    ) -> Result<Option<Maximum>> {
        let surrogate = self.view.surrogate;
        // A plan or a knowledge gradient has no value at one point. Taking the best mean loses
        // little of it.
        let pointwise = acquisition.points() == 1;
        let scored = if pointwise { acquisition } else { &Acquisition::MEAN };
        let standardized = surrogate.standardized(scored);
        let job = surrogate.job(&standardized);
        let scope = Scope { taken, ..self.scope(Stream::Jitter) };
        let instead = scope.choose_free(space, &job, others)?;
        Ok(instead.map(|instead| Maximum {
            point: instead.point,
            value: if pointwise { instead.value } else { found.value },
            mean: instead.mean,
            variance: instead.variance,
            evaluations: found.evaluations + instead.evaluations,
            ..found.clone()
        }))
    }
}
