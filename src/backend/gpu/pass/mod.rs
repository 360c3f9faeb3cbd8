//! The one way of a batch through the device, and what differs between passes.
//!
//! | file | holds |
//! | --- | --- |
//! | `engine` | send, record, submit, land, measure |
//! | `scores`, `branches` | pointwise scores and sample paths; covariances along trees |
//! | `climbs` | climbs that stay on the device |
//! | `shared_engine` | one engine for all threads |
//! | `trees` | the values of trees, which the host makes |

pub mod branches;
pub mod climbs;
pub mod engine;
pub mod scores;
pub mod shared_engine;
pub mod trees;
