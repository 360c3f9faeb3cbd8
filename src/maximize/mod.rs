//! The best point of an acquisition function: a quasi-random scan, then bounded quasi-Newton climbs
//! that move in step.
//!
//! Scrambled Sobol points and the caller's hints are scored in one batch; starts are chosen from
//! them; each start is a true L-BFGS-B state of its own ([`crate::math::lbfgsb`]), and each round
//! asks for the values and gradients of all that still move as one batch. A start that has
//! converged leaves the batch. From where the best few ended, the lines along the axes are then
//! scored, and a climb that finds a better place there jumps and goes on: in many dimensions the
//! peaks stand in corners of the cube that differ in one or two coordinates, and starts alone would
//! have to be ten times as many to meet the best of them. In the end the best climb on with tighter
//! tolerances.
//!
//! **Two phases.** Where the backend's numbers are not double precision made on the host, they are
//! for finding basins only: scan and climbs run on the backend, with tolerances that suit its
//! precision. Then the host takes over in double precision: the ends of the best climbs (16 places
//! at most) and the climbs that are still running are scored anew and climb on; lines, the last
//! ascent and everything reported are the host's. The device phase also ends as soon as the backend
//! answers from the host, because it lost its device or finds the few climbs that are left too
//! small for it. A backend that answers in double precision on the host throughout is asked to the
//! end.
//!
//! **With a deadline** the clock is looked at every 5 ms, or after a twentieth of what is left:
//! batches are as large as fits into that at the pace of those before. The scan takes up to half of
//! the time and scores the hints first; if a round of all climbs takes too long, the best few climb
//! first. What is done even when the time is up is the first batch of the scan, of 32 points or of
//! one row of points, and the best point once more.

mod climb;
mod knowledge_gradient;
mod lookahead;
mod maximum;
mod pace;
mod run;
mod scan;
mod settings;
mod starts;
mod table;
mod two_phase;

pub use maximum::{Ended, Maximum};
pub(crate) use pace::{FIRST, first_batch};
pub use settings::Maximize;
pub(crate) use starts::chosen;
pub(crate) use table::SHORTLIST;
pub use table::{argmax, argmax_until};
pub(crate) use two_phase::TwoPhase;
