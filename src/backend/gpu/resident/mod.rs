//! What stays on the device from one batch to the next: posteriors and sample paths.
//!
//! | file | holds |
//! | --- | --- |
//! | `inverted` | the inverse of a factor |
//! | `fit` | whether single precision can hold a posterior |
//! | `residents` | the posteriors that are there |
//! | `paths` | sample paths |
//! | `units` | the units in which points stand there |

pub mod fit;
pub mod inverted;
pub mod paths;
pub mod residents;
pub mod units;
