//! Cost-aware Bayesian optimization: where to spend the next expensive evaluation, and when to stop spending.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod error;
pub mod math;
pub mod data;
pub mod model;
pub mod posterior;
pub mod acquisition;
pub mod backend;
pub mod maximize;
pub mod suggest;
pub mod stop;
pub mod study;
pub mod problems;

pub use acquisition::{Acquisition, CostForm};
pub use backend::{Backend, Cpu, Job, JobCost, Scores};
pub use data::{Cost, Domain, Observations, Points, Space, Table};
pub use error::{Error, ErrorKind, Result};
pub use maximize::{Maximize, Maximum};
pub use model::{Fit, GaussianProcess, Hyperparameters, KernelFamily};
pub use posterior::Posterior;
pub use stop::{GittinsRule, StopContext, StopRule, Verdict};
pub use study::{Ask, Outcome, Study, Trial, TrialId};
pub use suggest::Policy;
