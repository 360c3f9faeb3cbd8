//! What is believed at one moment of a run.

use crate::data::Observations;
use crate::surrogate::setup::Setup;
use crate::surrogate::surrogate::Surrogate;

/// The models of one moment, with what they were made from. Searches and stopping rules see this.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The settings, which stay the same over the run.
    pub setup: &'a Setup,
    /// The fitted models.
    pub surrogate: &'a Surrogate,
    /// The observations that the models were fitted to, in order: all, or of very many a part.
    pub observations: &'a Observations,
}
