//! Known values: made outside the crate, or by hand.

mod acquisition;
mod budgeted;
mod bump;
mod control_problems;
mod cost_family;
#[cfg(feature = "datasets")]
mod datasets;
mod estimation;
mod evaluation;
mod knowledge_gradient;
mod lbfgsb;
mod likelihood;
mod lookahead;
mod myopia;
mod normal;
mod optimum;
mod peer_jobs;
mod pest_control;
mod posterior;
mod problems;
mod pushing;
mod regrets;
mod sobol;
mod stopping;
mod subsets;
