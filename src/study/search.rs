//! What every kind of study is set up with.

use std::fmt;
use std::sync::Arc;

use crate::backend::{Backend, BackendOptions};
use crate::data::{Cost, Direction, Domain, Warping};
use crate::error::{Error, ErrorKind, Result};
use crate::maximize::Maximize;
use crate::model::GaussianProcess;
use crate::surrogate::{Incumbent, Setup};

/// The settings that every kind of study has.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Which outcomes are better.
    pub direction: Direction,
    /// The model of the outcome.
    pub model: GaussianProcess,
    /// The size of the initial design, if it was set.
    pub initial: Option<usize>,
    /// The seed of the run.
    pub seed: u64,
    /// Whether outcomes are standardized before they are modeled.
    pub standardize: bool,
    /// Who evaluates batches, if that was set.
    pub backend: Option<Arc<dyn Backend>>,
}

impl Settings {
    /// The defaults, with this model of the outcome.
    pub fn new(direction: Direction, model: GaussianProcess) -> Self {
        Self { direction, model, initial: None, seed: 0, standardize: true, backend: None }
    }

    /// Checks them for an input of dimension `dim`.
    ///
    /// # Errors
    /// Those of the outcome's model.
    pub fn validate(&self, dim: usize) -> Result<()> {
        self.model.check(dim).map_err(|error| error.at("the outcome's model"))
    }

    /// The setup of a study over this domain, with the defaults of all other settings and without
    /// a warp: an expectation over what is left to chance is one of the outcome itself. Opens the
    /// backend that the environment asks for, unless one was set.
    ///
    /// # Errors
    /// `InvalidSetting`, naming an environment variable that names no known backend.
    pub fn setup(self, domain: Domain) -> Result<Setup> {
        let varied = domain.varied();
        let (mut search, mut trees) = (Maximize::new(varied), Maximize::for_trees(varied));
        if let Domain::Space(space) = &domain {
            (search, trees) = (search.over_values(space), trees.over(space));
        }
        let backend = match self.backend {
            Some(backend) => backend,
            None => BackendOptions::from_env()?.open(),
        };
        Ok(Setup {
            domain,
            cost: Cost::default(),
            cost_floor: None,
            model: self.model,
            cost_model: GaussianProcess::new(),
            standardize: self.standardize,
            warping: Warping::None,
            incumbent: Incumbent::default(),
            backend,
            search,
            trees,
            time_limit: None,
            seed: self.seed,
        })
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("direction", &self.direction)
            .field("model", &self.model)
            .field("initial", &self.initial)
            .field("seed", &self.seed)
            .field("standardize", &self.standardize)
            .finish_non_exhaustive()
    }
}

/// How hard a [`Study`](crate::Study) searches a space for the best point of an acquisition. A
/// table is looked through row by row, whatever is set here.
///
/// ```
/// use gittins::study::Search;
/// use gittins::{Space, Study};
/// let space = Space::new().float("x", 0.0, 1.0);
/// let study = Study::minimize(space).search(Search::new(200, 6)).build()?;
/// # drop(study);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Search {
    /// Quasi-random points, and climbs from the best of them.
    size: Option<(usize, usize)>,
    plain: bool,
}

impl Search {
    /// Scores `raw` quasi-random points, and climbs from the best `starts` of them. The default is
    /// that of [`Maximize::new`], and for the plans of a
    /// [`Lookahead`](crate::acquisition::Lookahead) that of [`Maximize::for_trees`].
    pub fn new(raw: usize, starts: usize) -> Self {
        Self { size: Some((raw, starts)), plain: false }
    }

    /// Searches from quasi-random points alone: without the best trials, their neighborhood and
    /// the ends of the search before, and without lines along the axes ([`Maximize::plain`]).
    /// Published experiments searched like this. A plain search is worse at finding the largest
    /// value of an acquisition. That is not always worse for a run: with a noise that is assumed
    /// but not there, the largest improvement is often next to the best trial again.
    pub fn plain(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `InvalidSetting` for a search without points or starts.
    pub(crate) fn validate(&self) -> Result<()> {
        match self.size {
            Some((raw, starts)) if raw == 0 || starts == 0 => {
                let message = format!(
                    "a search needs at least one point and one start, got {raw} and {starts}"
                );
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
            _ => Ok(()),
        }
    }

    /// Changes a setup's searches of points and of plans.
    pub(super) fn apply(&self, search: &mut Maximize, trees: &mut Maximize) {
        if let Some((raw, starts)) = self.size {
            (search.raw, search.starts) = (raw, starts);
            (trees.raw, trees.starts) = (raw, starts);
        }
        search.plain = self.plain;
    }
}
