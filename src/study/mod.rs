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

mod advice;
mod applying;
pub(crate) mod ask;
mod ask_tell;
mod asking;
mod beliefs;
mod books;
mod budget;
mod builder;
mod choice;
mod context;
mod costs;
#[cfg(feature = "journal")]
mod described;
mod design;
#[cfg(feature = "journal")]
mod difference;
mod event;
mod in_stages;
mod judge;
mod judging;
mod many;
mod measuring;
mod note;
mod options;
pub(crate) mod outcome;
mod payments;
mod point;
mod recommendation;
pub(crate) mod record;
mod replaying;
mod request;
mod running;
mod search;
mod stages;
#[cfg(feature = "serde")]
mod spec;
#[expect(clippy::module_inception, reason = "a file bears the name of its type")]
pub(crate) mod study;
mod telling;
mod thinned;
mod trials;
mod watch;

pub use ask::Why;
pub use ask_tell::AskTell;
pub use builder::{Rule, StudyBuilder};
pub use choice::Choice;
pub use design::{usual_design, warm_start};
pub use recommendation::Recommendation;
pub(crate) use record::Record;
pub use record::{Judged, Made, Point, Row, Seconds, Suggested};
pub use request::{Context, Request};
pub use running::Forecast;
pub use search::Search;
#[cfg(feature = "serde")]
pub use spec::{Candidates, ModelSpec, SearchSpec, StudySpec};
pub use stages::RunForecast;
pub(crate) use study::Study;

#[cfg(feature = "journal")]
pub(crate) use self::{
    ask::Ask,
    ask_tell::by_its_own,
    described::Described,
    event::{Asked, Fits, Judgment},
    stages::decide_on,
};
pub use crate::data::reports::{Advice, Report};
pub use crate::data::stages::Stages;
pub use crate::data::trial::{Origin, TrialState};
pub use crate::data::{Limit, Measured, Objective};
pub use event::Event;
pub(crate) use replaying::{believe, check_recorded, models, place_of, reenter, retell};
