//! What a run was worth: known values, and replays.

mod known;
mod replay;
