//! How hard a space is searched.

use crate::error::{Error, ErrorKind, Result};
use crate::maximize::Maximize;

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
    pub(in crate::study) fn apply(&self, search: &mut Maximize, trees: &mut Maximize) {
        if let Some((raw, starts)) = self.size {
            search.raw = raw;
            search.starts = starts;
            trees.raw = raw;
            trees.starts = starts;
        }
        search.plain = self.plain;
    }
}
