//! Ask and tell: the loop's memory.
//!
//! | folder | what |
//! | --- | --- |
//! | `settings` | what is set: the builder, as people write it (`spec`), in a file (`described`) |
//! | `events` | what is asked, told and answered, as data, and what happens by it |
//! | `record` | a run as a table of numbers |
//! | `trials` | everything that was asked, told and paid; budget, costs, what pending trials will cost |
//! | `design` | the points before the first model |
//! | `beliefs` | everything that is believed; which trials the models see, which of them has a turn |
//! | `stages` | trials that report on their way: what is asked, believed and decided |
//! | `calls` | the methods of a [`Study`], each file by its topic; `applying` changes it by an event |

mod calls;
pub(crate) mod events;
mod trials;
mod beliefs;
mod settings;
mod design;
pub(crate) mod record;
mod stages;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(crate) mod study;

pub use calls::ask_tell::AskTell;
pub use design::{usual_design, warm_start};
pub use events::ask::Why;
pub use events::choice::Choice;
pub use events::recommendation::Recommendation;
pub use events::request::{Context, Request};
pub use record::{Judged, Made, Point, Row, Seconds, Suggested};
pub use settings::builder::{Rule, StudyBuilder};
pub use settings::search::Search;
#[cfg(feature = "serde")]
pub use settings::spec::{Candidates, ModelSpec, SearchSpec, StudySpec};
pub use stages::RunForecast;
pub use trials::running::Forecast;

#[cfg(feature = "journal")]
pub(crate) use self::{
    calls::ask_tell::by_its_own,
    events::ask::Ask,
    events::event::{Asked, Fits, Judgment},
    settings::described::Described,
    stages::decide_on,
    study::Study,
};
pub use crate::data::trial::reports::{Advice, Report};
pub use crate::data::trial::stages::Stages;
pub use crate::data::trial::trial::{Origin, TrialState};
pub use crate::data::{Limit, Measured, Objective};
pub use events::event::Event;
