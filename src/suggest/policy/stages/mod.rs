//! The index of runs in stages: which run to pay for next, by the rest of its curve and of its cost.
//!
//! | file | holds |
//! | --- | --- |
//! | `horizons` | the index of a run, which may be worth most at any of its reports |
//! | `decision`, `searching` | which run to pay for, and where a fresh one begins |

pub mod decision;
mod horizons;
mod searching;
