//! Studies that live in a file, in the format of Optuna's journal.
//!
//! ```text
//! lock, log_file     who may write; lines that are appended, read and mended
//! operation          the lines: Optuna's operations
//! archive            what they say of studies and trials
//! distribution       parameters as Optuna has them
//! branches           the space of trials that others made
//! said               what we say in attributes
//! replayer, entering from all of it to a study
//! record_writer, writing, shown
//!                    from what happens in the study to lines
//! give_up            when a trial is given up
//! options, journal   the study, and how it is opened
//! asking, calls      its calls
//! ```
//!
//! # The file
//!
//! Each line is one operation as JSON. An operation of ours is one that Optuna would write too, so
//! Optuna reads all of them. What Optuna has no place for stands in attributes:
//!
//! | attribute | of | says |
//! | --- | --- | --- |
//! | `gittins:settings` | study | space, direction, policy with its price, models, seed and the like |
//! | `gittins:ask` | trial | its point in the unit cube, and what was thought of it |
//! | `gittins:fit`, `gittins:second` | trial | hyperparameters of the fits that were made for it |
//! | `gittins:policy` | trial | the state of the policy, if it changed |
//! | `gittins:announced` | trial | that somebody else chose it and runs it, and its values as they were given |
//! | `gittins:outcome` | trial | failed, infeasible or withdrawn: to Optuna all of them failed |
//! | `gittins:paid` | trial | its cost, told before its outcome |
//! | `cost` (user) | trial | its cost |
//! | `gittins:policy` | study | another policy from here on |
//! | `gittins:verdict` | study | the last verdict, with the state of the rule, and the fits made for it |
//! | `gittins:fits` | study | the fits that were made for a recommendation |
//! | `gittins` (user) | study | the same in plain words |
//! | `gittins:event` | study | an event that no operation of Optuna says, and when it was written |
//!
//! Such events are those of trials in stages, and what is told of a trial that has ended there. Beside
//! each stands what Optuna shows of it: intermediate values, costs and ends.
//!
//! A trial that others made is imported when it ends: complete with its cost (the user attribute
//! `cost`, otherwise its duration, if costs are learned), or failed. An infinite outcome is a
//! failure. A pruned trial is left out. A trial of others that is pending is avoided like those of
//! our own. Attributes of others, intermediate values and other studies of the file stay as they
//! are.
//!
//! # What survives
//!
//! - **The end of a process** at any moment, in the middle of a write too. A line without its end is
//!   taken away by the next process that writes; nobody was told that it is there. If another
//!   program went on writing behind it, its operation is read all the same, and the rest of the line
//!   is replaced by spaces, so that Optuna can read the file again.
//! - **Blanks and zeros** at the end, which an editor or a file system leaves, also in place of the
//!   last end of a line. They are passed over, and the next process that writes takes them away or
//!   makes them spaces.
//! - **A full disk.** The call is an error, the file is as it was, and the call can be repeated.
//! - **A lock without a holder.** It is taken over after 30 seconds without a change.
//! - **The end of a worker.** Its trial is [given up](GiveUp).
//!
//! What does not survive: a file system that loses what it said was written, and editing the file
//! while a process has it open. If a line is gone, [`Journal::missing`] says so as far as other lines
//! tell of it.

mod archive;
mod asking;
mod branches;
mod calls;
mod distribution;
mod entering;
mod replayer;
mod give_up;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
mod journal;
mod lock;
mod log_file;
mod operation;
mod options;
mod record_writer;
mod said;
mod shown;
mod writing;

pub use give_up::GiveUp;
pub use journal::Journal;
pub use options::JournalOptions;
