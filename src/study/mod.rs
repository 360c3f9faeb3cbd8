//! Ask and tell: the loop's memory.
//!
//! ```text
//! trial, outcome, ask          what a user sees of one evaluation
//! request, context             what is asked for: how many points, at which cost, where; what is given
//! note, books                  what every kind of study needs: its trials with what was told of them
//! options, spec, described     the settings that are data: inside, as people write them, in a file
//! search                       how hard a space is searched
//! thinned                      which trials the models see of very many
//! watch                        when the second model of the outcome has a turn
//! choice                       how trials were chosen that another study asked for
//! design                       the points before the first model
//! trials                       everything that was asked, told and paid; by topic: costs, budget,
//!                              running
//! beliefs                      everything that is believed after it
//! stages                       trials that report on their way: what is asked, believed and decided
//! event, applying              what happens in a study, and how it changes by that
//! study                        one point a trial; its methods by topic: asking, many, telling,
//!                              judging, advice, replaying
//! ask_tell                     what can be asked and told, wherever the study lives
//! record                       a run as a table of numbers
//! ```

pub(crate) mod calls;
mod log;
mod trials;
mod beliefs;
mod settings;
mod design;
pub(crate) mod record;
mod stages;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(crate) mod study;

pub use calls::ask::Why;
pub use calls::ask_tell::AskTell;
pub use calls::choice::Choice;
pub use calls::recommendation::Recommendation;
pub use calls::request::{Context, Request};
pub use calls::running::Forecast;
pub use design::{usual_design, warm_start};
pub(crate) use record::Record;
pub use record::{Judged, Made, Point, Row, Seconds, Suggested};
pub use settings::builder::{Rule, StudyBuilder};
pub use settings::search::Search;
#[cfg(feature = "serde")]
pub use settings::spec::{Candidates, ModelSpec, SearchSpec, StudySpec};
pub use stages::RunForecast;
pub(crate) use study::Study;

#[cfg(feature = "journal")]
pub(crate) use self::{
    calls::ask::Ask,
    calls::ask_tell::by_its_own,
    log::event::{Asked, Fits, Judgment},
    settings::described::Described,
    stages::decide_on,
};
pub use crate::data::reports::{Advice, Report};
pub use crate::data::stages::Stages;
pub use crate::data::trial::{Origin, TrialState};
pub use crate::data::{Limit, Measured, Objective};
pub use log::event::Event;
pub(crate) use log::replaying::{believe, check_recorded, models, place_of, reenter, retell};
