//! Where a search looks, and how long.

use crate::backend::Backend;
use crate::math::clock::Deadline;
use crate::maximize::Maximize;
use crate::suggest::memo::Memo;
use crate::surrogate::{Taken, View};

/// A search over the domain of a run.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The models, the domain, the backend and the effort of the search.
    pub view: View<'a>,
    /// Points of a finite domain that must not be found.
    pub taken: &'a Taken,
    /// Searches of the same scope that were made before.
    pub memo: Option<&'a Memo>,
    /// The seed of the search.
    pub seed: u64,
    /// When the search ends with the best point so far.
    pub deadline: Deadline,
}

impl<'a> Scope<'a> {
    /// This scope with a share of the remaining time.
    pub fn part(self, share: f64) -> Self {
        Self { deadline: self.deadline.part(share), ..self }
    }

    /// The backend that is asked first.
    pub fn backend(&self) -> &'a dyn Backend {
        &*self.view.setup.backend
    }

    /// A search of a space.
    pub fn maximize(&self) -> Maximize {
        let settings = self.view.setup.search.clone();
        Maximize { seed: self.seed, deadline: self.deadline.at(), ..settings }
    }

    /// A search of trees.
    pub fn maximize_trees(&self) -> Maximize {
        let settings = self.view.setup.trees.clone();
        Maximize { seed: self.seed, deadline: self.deadline.at(), ..settings }
    }
}
