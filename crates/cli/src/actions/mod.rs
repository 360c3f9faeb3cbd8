//! The commands besides `run`.

mod ask;
mod doctor;
mod init;
mod look;
mod paper;
mod plot;
mod sheet;
mod tell;
mod trial;

pub use ask::Ask;
pub use doctor::Doctor;
pub use init::Init;
pub use look::{Look, Question};
pub use paper::{Completions, Man};
pub use plot::Plot;
pub use sheet::{Export, Import};
pub use tell::{Fail, Tell, Withdraw};
pub use trial::Show;
