//! One chunk of a batch: its rows, its commands, its buffers, and its way back.
//!
//! | file | holds |
//! | --- | --- |
//! | `scale`, `price`, `operations` | units of a job; its known costs; its work |
//! | `selection`, `scratch`, `flight`, `output` | buffers; the best of a chunk; what comes back |
//! | `record`, `recordings` | the commands, and those that are kept |
//! | `stopwatch` | what the steps take, if they are timed |
//! | `batch`, `pace` | the rows, and how many at a time |

pub mod batch;
pub mod flight;
pub mod operations;
pub mod output;
pub mod pace;
pub mod price;
pub mod record;
pub mod recordings;
pub mod scale;
pub mod scratch;
pub mod search;
pub mod selection;
pub mod stopwatch;
