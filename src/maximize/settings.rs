//! The effort of a search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::data::Space;
use crate::error::{Error, ErrorKind, Result};

/// The effort of a search.
///
/// ```
/// use gittins::{
///     Acquisition, Cpu, Hyperparameters, Job, JobCost, KernelFamily, Maximize, Points, Posterior,
/// };
/// let inputs = Points::from_rows(1, vec![0.1, 0.5, 0.9])?;
/// let hyperparameters =
///     Hyperparameters { lengthscales: vec![0.3], outputscale: 1.0, noise: 1e-6, mean: 0.0 };
/// let family = KernelFamily::Matern52;
/// let posterior = Posterior::new(family, &hyperparameters, &inputs, &[0.2, 1.0, -0.3])?;
/// let (cost, acquisition) = (JobCost::Uniform(1.0), Acquisition::gittins(1e-3));
/// let job = Job::new(&posterior, cost, &acquisition, 1.0).gradient(true);
/// let maximum = Maximize::new(1).seed(7).run(&Cpu, &job, &Points::new(1))?;
/// assert!(maximum.value > 1.0 && (0.3..0.7).contains(&maximum.point[0]));
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Maximize {
    /// The number of scrambled Sobol points, scored in one batch.
    pub raw: usize,
    /// The number of starts chosen from these points and from the hints.
    pub starts: usize,
    /// The largest number of iterations of each start.
    pub max_iterations: usize,
    /// Whether to climb only from quasi-random points, without hints and without lines. Published
    /// experiments do so; use it to compare with them. Such a search misses narrow peaks, above all
    /// those around the data.
    pub plain: bool,
    /// The space whose points are searched, if it has names, flags, conditions or constraints.
    pub space: Option<Arc<Space>>,
    /// The seed of the points and of the choice.
    pub seed: u64,
    /// When to stop and return the best point so far.
    pub deadline: Option<Instant>,
    /// Set it to true from outside to stop and return the best point so far.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Maximize {
    /// The defaults in `dim` dimensions: `1024 + 32 d` points (at most 1664), `16 + d / 2` starts
    /// (at most 32), 100 iterations. Beyond 20 dimensions more points of a cube are no nearer to
    /// anything; the best trials' neighborhoods are where starts come from.
    pub fn new(dim: usize) -> Self {
        let starts = (16 + dim / 2).min(32);
        Self {
            raw: 1024 + 32 * dim.min(20),
            starts,
            max_iterations: 100,
            plain: false,
            space: None,
            seed: 0,
            deadline: None,
            cancel: None,
        }
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The settings of Astudillo et al. 2021 for trees (appendix D).
    #[doc(hidden)]
    pub fn for_trees(dim: usize) -> Self {
        Self { raw: 200 * dim, starts: 10 * dim, max_iterations: 200, ..Self::new(dim) }
    }

    /// Checks the space for points of dimension `dim`.
    ///
    /// # Errors
    /// `Dimension` for a space of another dimension.
    pub(super) fn check_space(&self, dim: usize) -> Result<()> {
        match self.space.as_ref().map(|space| space.dim()).filter(|other| *other != dim) {
            Some(other) => Err(Error::new(
                ErrorKind::Dimension,
                format!("a space of {other} coordinates for points of {dim}"),
            )),
            None => Ok(()),
        }
    }
}
