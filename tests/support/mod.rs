//! Golden tables, tolerances, and comparisons with them.

#[cfg(feature = "gpu")]
pub mod comparer;
#[cfg(feature = "gpu")]
pub mod device;
#[cfg(feature = "gpu")]
pub mod host_shader;
pub mod budgeted;
pub mod extremes;
pub mod families;
pub mod golden;
pub mod job_file;
pub mod panel;
pub mod smooth;
pub mod stage;
pub mod tolerance;
