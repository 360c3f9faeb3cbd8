//! cpu

use super::{Backend, Job, Scores};
use crate::data::Points;
use crate::error::Result;

/// Double precision on the rayon thread pool.
#[derive(Debug, Clone, Default)]
pub struct Cpu {}

impl Backend for Cpu {
    fn evaluate(&self, _job: &Job<'_>, _points: &Points, _scores: &mut Scores) -> Result<()> {
        todo!()
    }
}
