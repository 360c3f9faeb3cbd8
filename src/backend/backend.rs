//! The one verb of a backend.

use std::fmt;

use super::job::Job;
use super::scores::Scores;
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
}

impl fmt::Debug for dyn Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a backend")
    }
}
