//! The model of what was told.

use crate::data::Observations;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::surrogate::refit::Kept;
use crate::surrogate::setup::Setup;
use crate::surrogate::surrogate::Surrogate;

/// The last fit, from which the next one starts, and what it was fitted to.
#[derive(Debug, Default)]
pub struct Belief {
    surrogate: Option<Surrogate>,
    /// The revision of the observations, how many outcomes these had, and how many were left out.
    fitted: (usize, usize, usize),
    /// A fit that a file has, with the observations of that time. It takes the place of the
    /// surrogate as soon as one is needed.
    kept: Option<Box<(Kept, Observations)>>,
}

impl Belief {
    /// The models of the last fit. None if no trial was complete then.
    pub fn surrogate(&self) -> Option<&Surrogate> {
        self.surrogate.as_ref()
    }

    /// Whether something was told since the last fit.
    pub fn is_behind(&self, observations: &Observations) -> bool {
        self.fitted.0 < observations.revision()
    }

    /// Takes a fit that was kept with these observations, in place of what is believed.
    pub fn recall(&mut self, kept: Kept, observations: Observations) {
        self.surrogate = None;
        self.fitted = place(&observations);
        self.kept = Some(Box::new((kept, observations)));
    }

    /// Makes the surrogate of the kept fit, if there is one: by a function of the fit and of the
    /// observations of that time.
    pub fn revive(
        &mut self,
        restored: impl FnOnce(&Kept, &Observations) -> Result<Option<Surrogate>>,
    ) {
        let Some(kept) = self.kept.take() else { return };
        match restored(&kept.0, &kept.1) {
            Ok(surrogate) => self.surrogate = surrogate,
            Err(error) => {
                log::warn!("a recorded fit cannot be continued: {error}");
                // Nothing was fitted yet, as far as the next fit is concerned.
                self.fitted = (0, 0, 0);
            }
        }
    }

    /// Whether there is a kept fit that was not needed yet.
    pub fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// The fit as data, and the revision of the observations that it was made with.
    pub fn keep(&self) -> Option<(Kept, usize)> {
        let kept = self.kept.as_ref().map(|kept| kept.0.clone());
        let kept = kept.or_else(|| self.surrogate.as_ref().map(Surrogate::keep));
        kept.map(|kept| (kept, self.fitted.0))
    }

    /// The models of the next fit.
    ///
    /// # Errors
    /// Those of [`Surrogate::fit_until`].
    pub fn next(
        &self,
        setup: &Setup,
        observations: &Observations,
        deadline: Deadline,
    ) -> Result<Option<Surrogate>> {
        match self.before(observations) {
            // Nothing but costs was told.
            Some(before) if self.fitted.1 == observations.told() => {
                Ok(Some(before.with_costs(setup, observations, deadline)?))
            }
            before => Surrogate::fit_until(setup, observations, before, deadline),
        }
    }

    /// The models from which the next fit starts: none if other observations are left out since, so
    /// that the first ones are no longer what they were.
    fn before(&self, observations: &Observations) -> Option<&Surrogate> {
        self.surrogate.as_ref().filter(|_| self.fitted.2 == place(observations).2)
    }

    /// Takes what [`next`](Self::next) found.
    pub fn take(&mut self, found: Option<Surrogate>, observations: &Observations) {
        self.surrogate = found;
        self.kept = None;
        self.fitted = place(observations);
    }

    /// Forgets the fit. A fit that starts from a wrong one may end elsewhere than without it.
    pub fn forget(&mut self) {
        self.surrogate = None;
        self.kept = None;
    }
}

/// The revision of observations, how many were told, and how many of them were left out.
fn place(observations: &Observations) -> (usize, usize, usize) {
    let told = observations.told();
    (observations.revision(), told, told - observations.len())
}
