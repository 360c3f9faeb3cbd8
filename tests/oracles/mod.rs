//! Known values: made outside the crate, or by hand.

mod acquisition;
mod budgeted;
#[cfg(feature = "datasets")]
mod datasets;
mod estimation;
mod evaluation;
mod knowledge_gradient;
mod lbfgsb;
mod likelihood;
mod normal;
mod peer_jobs;
mod posterior;
mod problems;
mod sobol;
mod stopping;
