//! The commands besides `run`.

mod ask;
mod doctor;
mod evaluations;
mod look;
mod paper;
mod plot;
mod sheet;
mod tell;

pub use ask::Ask;
pub use doctor::Doctor;
pub use look::{Look, Question};
pub use paper::{Completions, Man};
pub use plot::Plot;
pub use sheet::{Export, Import};
pub use tell::{Fail, Tell, Withdraw};
