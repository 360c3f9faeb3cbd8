//! Known values that were made outside the crate or by hand.

pub mod acquisition;
mod budgeted;
mod estimation;
mod front;
mod knowledge_gradient;
mod hamming;
mod lbfgsb;
mod likelihood;
mod lookahead;
mod myopia;
mod normal;
mod peer_jobs;
mod polytope;
mod posterior;
mod sobol;
mod spherical;
mod staged;
mod success;
