//! How much is scored before it is known how long a point takes.

use crate::acquisition::{Acquisition, Joint};
use crate::backend::Job;

/// Points that are scored before it is known how long one takes, even if the time is up: a few
/// tiles.
pub(crate) const FIRST: usize = 32;

/// As many rows of a job as take about as long as [`FIRST`] points: a row of several points counts
/// as these, and a knowledge gradient over a set counts as several points.
pub(crate) fn first_batch(job: &Job<'_>) -> usize {
    match job.acquisition {
        Acquisition::Joint(Joint::FiniteKnowledgeGradient { .. }) => FIRST / 8,
        acquisition => (FIRST / acquisition.points()).max(1),
    }
}
