//! The models of a study after what was told, and where they look.

use std::time::Instant;

use crate::data::{Domain, Observations};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::study::region::Region;
use crate::study::second::Second;
use crate::study::study::Study;
use crate::surrogate::{Belief, Setup, Surrogate};

impl Study {
    /// Fits to what was told, once, as a part of something that ends at a deadline.
    pub(super) fn refit(&mut self, deadline: Deadline) -> Result<()> {
        if self.belief.is_kept() {
            self.remodel(|belief, setup, _| {
                belief.revive(|kept, seen| Surrogate::restored(setup, seen, kept, None));
                Ok(())
            })?;
        }
        if self.belief.is_behind(&self.books.observations) {
            let began = Instant::now();
            self.remodel(|belief, setup, modeled| {
                let found = belief.next(setup, modeled, deadline)?;
                belief.take(found, modeled);
                Ok(())
            })?;
            self.books.note_fit(began.elapsed().as_secs_f64());
        }
        Ok(())
    }

    /// Changes the first model by what was told, and looks where it sees the best trial.
    pub(super) fn remodel(
        &mut self,
        change: impl FnOnce(&mut Belief, &Setup, &Observations) -> Result<()>,
    ) -> Result<()> {
        self.choose_modeled();
        let modeled = Region::modeled(self.region.as_ref(), &self.books.observations);
        change(&mut self.belief, &self.setup, modeled)?;
        self.frame();
        self.memo.clear();
        Ok(())
    }

    /// The observations that the models are fitted to.
    pub(super) fn modeled(&self) -> &Observations {
        Region::modeled(self.region.as_ref(), &self.books.observations)
    }

    /// Forgets both models. A fit that starts from a wrong one may end elsewhere than without it.
    pub(super) fn forget_models(&mut self) {
        self.belief.forget();
        self.second.iter_mut().for_each(Second::forget);
    }

    /// Chooses the observations that the next models are fitted to.
    fn choose_modeled(&mut self) {
        let Some(region) = &mut self.region else { return };
        region.follow(&self.books);
        if region.choose(&self.books.observations, self.belief.surrogate()) {
            self.forget_models();
        }
    }

    /// Moves the box that is searched to where the first model sees the best trial.
    fn frame(&mut self) {
        let (Some(region), Domain::Space(space)) = (&mut self.region, &self.setup.domain) else {
            return;
        };
        let surrogate = self.belief.surrogate();
        let bounds = surrogate.and_then(|surrogate| region.frame(space, &self.books, surrogate));
        self.setup.look_within(bounds);
    }
}
