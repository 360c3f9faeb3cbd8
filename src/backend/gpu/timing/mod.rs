//! What is timed and tested when a device is opened.
//!
//! | file | holds |
//! | --- | --- |
//! | `plain_product`, `tile_times` | products by each tiling |
//! | `self_test` | whether a device computes what the host does |
//! | `crossover` | from which size on a device is quicker |
//! | `activity` | what else the process does meanwhile |
//! | `pass_times` | what the steps of a batch take |
//! | `kept` | what was measured, in files for the next process |

pub mod activity;
pub mod crossover;
pub mod kept;
pub mod pass_times;
pub mod plain_product;
pub mod self_test;
pub mod tile_times;
