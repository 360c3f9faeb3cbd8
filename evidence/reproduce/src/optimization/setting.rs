//! What decides a run.

use crate::optimization::method::Method;
use crate::optimization::problem::{Budget, Price, Problem, Search};

/// Everything that decides a run, except its seed.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub problem: Problem,
    pub price: Price,
    pub budget: Budget,
    pub method: Method,
    pub search: Search,
}
