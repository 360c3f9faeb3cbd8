//! The models as one context sees them.
//!
//! A context is a part of the space that is given and not chosen: a machine, a batch of material, the
//! temperature of a day. All trials teach the models, wherever they were. What a run keeps *here* is a
//! setting, and a setting of elsewhere may be used here as well. So the incumbent is the largest
//! posterior mean over all feasible trials, each moved into the context. It need not have been
//! evaluated, and is treated as known, as the [incumbent](super::incumbent) of a noisy run is: the
//! index of the rule is then above it if and only if some trial here is worth its price.

use crate::data::{Observations, Points, Space, State};
use crate::error::{Error, ErrorKind, Result};
use crate::surrogate::Surrogate;
use crate::surrogate::incumbent::Incumbent;
use crate::surrogate::limit_model;

impl Surrogate {
    /// These models with the incumbent of a context. They stay as they are while no trial is feasible.
    ///
    /// # Errors
    /// `InvalidSetting` if there are several objectives; those of the posterior.
    pub(crate) fn in_context(
        &self,
        context: &Space,
        observations: &Observations,
        by: Incumbent,
    ) -> Result<Self> {
        if observations.measures().have_objectives() {
            let message = "a context has one incumbent: it is for studies of one objective";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let mut here = self.clone();
        let feasible = limit_model::feasible(observations, &self.slacks, by);
        let mut moved = Points::new(context.dim());
        let mut rows = Vec::new();
        for (row, one) in observations.iter().enumerate() {
            if one.state == State::Complete && feasible[row] {
                moved.push(&context.view().admitted_unit(&one.point));
                rows.push(row);
            }
        }
        let means = self.posterior.moments(&moved)?.mean;
        let best = (0..rows.len()).reduce(|a, b| if means[b] > means[a] { b } else { a });
        if let Some(best) = best.filter(|_| self.has_incumbent) {
            let point = moved.row(best).to_vec();
            here.bar += means[best] - here.incumbent;
            here.incumbent = means[best];
            here.against_incumbent = self.posterior.knowing(&point)?;
            here.recommended = (rows[best], point);
        }
        Ok(here)
    }

    /// The point of the recommended trial, in a context the one that it is moved to.
    pub(crate) fn recommended_point(&self) -> &[f64] {
        &self.recommended.1
    }
}
