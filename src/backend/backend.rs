//! What a backend does: it evaluates a job, and may do parts of a search by itself.

use std::fmt;

use super::job::Job;
use super::scores::Scores;
use super::search::{Ascent, Drawn, Ends};
use crate::data::Points;
use crate::error::Result;

/// Evaluates a job at a batch of points.
pub trait Backend: Send + Sync {
    /// Fills `scores` for all `b x d` points of the unit cube, or for the best of them if the job
    /// says how many to keep. The memory is reused from call to call.
    ///
    /// # Errors
    /// Those of [`Job::validate`]. [`ErrorKind::Dimension`](crate::ErrorKind::Dimension) and
    /// [`ErrorKind::NonFinite`](crate::ErrorKind::NonFinite) for the
    /// points. The error of a known cost at the first point, in order, without a price. After an
    /// error `scores` are meaningless.
    fn evaluate(&self, job: &Job<'_>, points: &Points, scores: &mut Scores) -> Result<()>;

    /// Fills the values alone of points that the backend makes itself. Returns false if it has no such
    /// way for the job; the caller then makes the points.
    ///
    /// # Errors
    /// Those of [`Job::validate`].
    #[doc(hidden)]
    fn scan(&self, _job: &Job<'_>, _drawn: &Drawn<'_>, _scores: &mut Scores) -> Result<bool> {
        Ok(false)
    }

    /// Climbs from starts within the cube. `None` if the backend has no such way for the job; the
    /// caller then moves the climbs.
    ///
    /// # Errors
    /// Those of [`Job::validate`].
    #[doc(hidden)]
    fn climb(&self, _job: &Job<'_>, _ascent: &Ascent<'_>) -> Result<Option<Ends>> {
        Ok(None)
    }
}

impl fmt::Debug for dyn Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a backend")
    }
}
