//! `gittins run` with `[stages]`: trials report while they go on, and are left or resumed.
//!
//! ```text
//! line, bill, course     what a line says, what it costs, which reports are told
//! folder, follower       what lies in the folder of a trial; its output, while it grows
//! ends                   the report at the end of a run, with numbers that have limits
//! runs, part             what a worker does with the study; one process of a run
//! lost                   processes of runners that were killed
//! ```

pub mod bill;
pub mod course;
mod ends;
mod folder;
mod follower;
pub mod line;
mod lost;
mod part;
mod runs;

pub use folder::folder_of;
pub use lost::settle_all;
pub use part::work;
pub use runs::Runs;
