//! Where a search looks, and how long.

use crate::backend::Backend;
use crate::math::clock::Deadline;
use crate::maximize::Maximize;
use crate::surrogate::{Setup, Taken};

/// A search over the domain of a run.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The domain, the backend and the effort of the search.
    pub setup: &'a Setup,
    /// Points of a finite domain that must not be found.
    pub taken: &'a Taken,
    /// The seed of the search.
    pub seed: u64,
    /// When the search ends with the best point so far.
    pub deadline: Deadline,
}

impl<'a> Scope<'a> {
    /// The same with a share of the remaining time.
    pub fn part(self, share: f64) -> Self {
        Self { deadline: self.deadline.part(share), ..self }
    }

    /// The backend that is asked first.
    pub fn backend(&self) -> &'a dyn Backend {
        &*self.setup.backend
    }

    /// A search of a space.
    pub fn maximize(&self) -> Maximize {
        Maximize { seed: self.seed, deadline: self.deadline.at(), ..self.setup.search.clone() }
    }

    /// A search of trees.
    pub fn maximize_trees(&self) -> Maximize {
        Maximize { seed: self.seed, deadline: self.deadline.at(), ..self.setup.trees.clone() }
    }
}
