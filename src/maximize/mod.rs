//! Finds the best point of an acquisition function: a quasi-random scan, then bounded quasi-Newton
//! climbs that move together.
//!
//! Scrambled Sobol points and the caller's hints are scored in one batch. Starts are chosen from
//! them. Each start is an L-BFGS-B state of its own (`math::lbfgsb`). Each round evaluates
//! the values and gradients of all moving starts as one batch. A start that has converged leaves
//! the batch.
//!
//! Then the lines along the axes through the ends of the best few climbs are scored. If a line has
//! a better place, the climb jumps there and goes on. In many dimensions the peaks lie in corners
//! of the cube that differ in one or two coordinates. Without the lines, ten times as many starts
//! would be needed to meet the best peak. At the end the best climbs go on with tighter tolerances.
//!
//! **Two phases.** If the backend's numbers are not double precision from the host, they only find
//! basins. The scan and the climbs run on the backend, with tolerances that suit its precision.
//! Then the host takes over in double precision. It scores the ends of the best climbs (at most 16
//! places) and the running climbs anew, and climbs on. The lines, the last ascent and all reported
//! numbers are the host's. A device may make the points of the scan and move the climbs by itself
//! ([`Backend::scan`](crate::Backend::scan), [`Backend::climb`](crate::Backend::climb)); the host then
//! learns where they ended. The device phase also ends as soon as the backend answers from the host:
//! because it lost its device, or because the few remaining climbs are too small a batch for the
//! device. A backend that always answers in double precision on the host is used to the end.
//!
//! **With a deadline** the search checks the clock every 5 ms, or after a twentieth of the
//! remaining time. Batches are as large as fits into this time at the pace of the earlier batches.
//! The scan takes up to half of the time and scores the hints first. If a round of all climbs takes
//! too long, the best few climb first. Two things happen even if the time is up: the first batch of
//! the scan, of 32 points or of one row of points, and the last scoring of the best point.

mod climb;
mod knowledge_gradient;
mod lookahead;
mod limits;
pub(crate) mod maximum;
mod mixed;
mod pace;
mod run;
mod scale;
mod scan;
mod scanned;
pub(crate) mod settings;
pub(crate) mod starts;
pub(crate) mod table;
pub(crate) mod two_phase;

pub use maximum::Ended;
pub(crate) use maximum::Maximum;
pub(crate) use pace::{FIRST, first_batch};
pub(crate) use settings::Maximize;
pub(crate) use table::SHORTLIST;
pub use table::argmax;
pub(crate) use table::argmax_until;
pub(crate) use two_phase::TwoPhase;
