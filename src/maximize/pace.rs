//! How many points are scored before their pace is known.

use crate::acquisition::{Acquisition, Joint};
use crate::backend::Job;

/// The number of points that are scored before the time per point is known, even if the time is up:
/// a few tiles.
pub const FIRST: usize = 32;

/// The number of rows of a job that takes about as long as [`FIRST`] points. A row of several
/// points counts as several points. A knowledge gradient over a set also counts as several points.
pub fn first_batch(job: &Job<'_>) -> usize {
    match job.acquisition {
        Acquisition::Joint(Joint::FiniteKnowledgeGradient { .. }) => FIRST / 8,
        acquisition => (FIRST / acquisition.points()).max(1),
    }
}
