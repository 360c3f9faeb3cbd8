//! Studies whose file has their events: runs in stages, and control sets.
//!
//! What counts is the events of the study, each in an attribute of the study. Beside each stands what
//! Optuna would write if it happened there, so that Optuna and its dashboard show the study: trials
//! with their values, costs and intermediate values. Trials that others write are not taken.
//!
//! ```text
//! file     the file, and the study that follows it: sync, change, decide
//! staged   runs in stages: settings, and what Optuna sees
//! subsets  control sets: settings, and what Optuna sees
//! staged_journal, subset_journal
//!          their calls
//! ```

mod file;
mod staged;
mod staged_journal;
mod subset_journal;
mod subsets;

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

pub use staged_journal::StagedJournal;
pub use subset_journal::SubsetJournal;

use crate::data::{Direction, Domain, State, Value};
use crate::error::Result;
use crate::journal::archive::{Archive, Entry};
use crate::journal::distribution::Distribution;
use crate::journal::operation::{COMPLETE, FAIL, STUDY_USER_ATTR};
use crate::journal::pen::{Pen, Placed, placed};
use crate::journal::said::{COST, RUN, WORDS, words_of};
use crate::stop::Verdict;
use crate::study::Outcome;

/// What a study in a file of events says of its file.
macro_rules! in_a_file {
    ($journal:ident: $study:ty) => {
        impl $journal {
            /// The study as it was after the last call: everything that reads.
            pub fn study(&self) -> &$study {
                &self.file.study
            }

            /// The file.
            pub fn path(&self) -> &Path {
                self.file.path()
            }

            /// The name of the study in the file.
            pub fn name(&self) -> &str {
                self.file.name()
            }

            /// What the file must have had and lacks, if lines of it are gone: which, and what to
            /// do. None if nothing tells of any.
            pub fn missing(&self) -> Option<String> {
                self.file.missing()
            }

            /// The number of a trial in the file, as Optuna's dashboard shows it.
            pub fn number(&self, id: impl Into<TrialId>) -> Option<usize> {
                self.file.number(id.into().index())
            }

            /// Takes what other processes wrote since.
            ///
            /// # Errors
            /// `Storage` and `Data`, also for a study that was deleted, naming it.
            pub fn sync(&mut self) -> Result<()> {
                self.file.sync()
            }
        }
    };
}
use in_a_file;

/// A kind of study whose file has its events.
pub(super) trait Filed: Debug + Sized {
    /// What the study is built from.
    type Builder: Debug;
    /// What happens in it.
    type Event: Clone + Debug + Serialize + DeserializeOwned;

    /// The attribute that has its settings.
    const SETTINGS: &'static str;
    /// What it is a study of, in words.
    const OF: &'static str;

    /// The settings as data.
    ///
    /// # Errors
    /// `InvalidSetting` for what is code, and has no place in a file.
    fn settings(builder: &Self::Builder) -> Result<Json>;

    /// The study in which all of this happened.
    ///
    /// # Errors
    /// Those of the settings and of the events.
    fn resumed(builder: &Self::Builder, events: Vec<Self::Event>) -> Result<Self>;

    /// An event as an earlier version wrote it.
    ///
    /// # Errors
    /// Those of reading it.
    fn earlier(event: Json) -> serde_json::Result<Self::Event> {
        serde_json::from_value(event)
    }

    /// Takes an event that another process made.
    ///
    /// # Errors
    /// Those of the call that made it.
    fn follow(&mut self, event: Self::Event) -> Result<()>;

    fn events(&self) -> &[Self::Event];

    /// How many trials it has.
    fn count(&self) -> usize;

    /// Whether a trial enters by an event.
    fn enters(event: &Self::Event) -> bool;

    fn domain(&self) -> &Domain;

    fn names(&self) -> &[String];

    fn direction(&self) -> Direction;

    /// What Optuna sees of an event that happened.
    fn seen(&self, event: &Self::Event, page: &mut Page<'_>) -> Result<()>;
}

/// The lines that are about to be written, and what they need to know of the file.
pub(super) struct Page<'a> {
    pub pen: Pen<'a>,
    pub archive: &'a Archive,
    /// The trials of the file, by the numbers that they have in the study.
    pub trials: &'a BTreeMap<usize, usize>,
    /// The number in the study of the next trial that enters.
    pub next: usize,
    pub distributions: &'a [Distribution],
    pub names: &'a [String],
    pub domain: &'a Domain,
    pub lines: Vec<String>,
}

impl Page<'_> {
    /// Values of some parameters as the file has them.
    pub fn placed<'v>(&self, values: impl Iterator<Item = (usize, &'v Value)>) -> Placed {
        let first = self.archive.studies.get(self.pen.chapter).map(|study| &study.first);
        let kind = |place: usize| match self.domain {
            Domain::Space(space) => Some(space.parameters()[place].kind()),
            Domain::Table(_) => None,
        };
        let values: Vec<(usize, &Value)> = values.collect();
        let all = values.iter().map(|&(place, value)| {
            (self.names[place].as_str(), value, &self.distributions[place], kind(place))
        });
        placed(all, first)
    }

    /// A trial that is made: the next one of the study.
    pub fn make(
        &mut self,
        placed: Placed,
        state: u64,
        value: Option<f64>,
        user: Map<String, Json>,
    ) {
        let own = Map::from_iter([(RUN.to_owned(), Json::from(self.next))]);
        self.next += 1;
        self.lines.push(self.pen.made(placed, state, value, user, own));
    }

    /// A trial that was imported: the next one of the study.
    pub fn imported(&mut self, values: &[Value], outcome: &Outcome) {
        let placed = self.placed(values.iter().enumerate());
        let (state, value) = ended(outcome);
        let cost = outcome.cost.map(|cost| (COST.to_owned(), Json::from(cost)));
        self.make(placed, state, value, Map::from_iter(cost));
    }

    /// A verdict in words.
    pub fn judged(&mut self, verdict: &Verdict) {
        self.lines.push(self.pen.of_study(STUDY_USER_ATTR, WORDS, words_of(verdict)));
    }

    /// The number in the file of a trial of the study that has not ended there.
    pub fn open(&self, number: usize) -> Option<(usize, &Entry)> {
        let trial = *self.trials.get(&number)?;
        let entry = self.archive.trials.get(trial).filter(|entry| !entry.has_ended())?;
        Some((trial, entry))
    }
}

/// State and value of a trial that ended.
fn ended(outcome: &Outcome) -> (u64, Option<f64>) {
    let state = if outcome.state == State::Complete { COMPLETE } else { FAIL };
    (state, outcome.value.filter(|_| state == COMPLETE))
}
