//! Settings of a study of runs in stages.

use crate::data::stages::Stages;
use crate::data::{Direction, Domain};
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::staged::event::StagedEvent;
use crate::staged::study::StagedStudy;

/// Different runs of the design, unless set: enough for a first look at how settings differ.
const INITIAL: usize = 10;

/// Settings of a [`StagedStudy`]. Everything but domain and stages has a default.
#[derive(Debug, Clone)]
pub struct StagedStudyBuilder {
    pub(super) domain: Domain,
    pub(super) stages: Stages,
    pub(super) direction: Direction,
    pub(super) lambda: Option<f64>,
    pub(super) budget: Option<f64>,
    pub(super) initial: Option<usize>,
    pub(super) seed: u64,
    pub(super) cost_unit: Option<String>,
}

impl StagedStudyBuilder {
    pub(super) fn new(domain: Domain, stages: Stages, direction: Direction) -> Self {
        Self {
            domain,
            stages,
            direction,
            lambda: None,
            budget: None,
            initial: None,
            seed: 0,
            cost_unit: None,
        }
    }

    /// What a unit of cost is worth, in units of the outcome. The study stops once nothing is worth
    /// its price. Unless set, the price begins at a fiftieth of what the best run is better than the
    /// one in the middle, for the cost of one run, and halves whenever nothing is worth it.
    pub fn lambda(mut self, lambda: f64) -> Self {
        self.lambda = Some(lambda);
        self
    }

    /// The money that all runs may cost together. Before it is out, the best run that was left is
    /// taken to its end if there is enough for that. None unless set.
    pub fn budget(mut self, budget: f64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// How many runs that differ begin at quasi-random settings before the index decides; 10 unless
    /// set, and in a table no more than its rows. Runs whose last outcomes are ties count once, up to
    /// four times as many runs.
    pub fn initial(mut self, runs: usize) -> Self {
        self.initial = Some(runs);
        self
    }

    /// The seed that fixes the study; 0 unless set.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The unit of cost in words, as `"s"`; none unless set.
    pub fn cost_unit(mut self, unit: impl Into<String>) -> Self {
        self.cost_unit = Some(unit.into());
        self
    }

    #[cfg(feature = "journal")]
    pub(crate) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Checks the settings and starts the study.
    ///
    /// # Errors
    /// Those of the space and of [`Stages::progress`]; `InvalidSetting` for a price or a budget that
    /// is not positive, and for a design without a run.
    pub fn build(self) -> Result<StagedStudy> {
        self.domain.validate()?;
        if let Some(lambda) = self.lambda {
            check_positive("lambda", lambda)?;
        }
        if let Some(budget) = self.budget {
            check_positive("the budget", budget)?;
        }
        let rows = match &self.domain {
            Domain::Table(table) => table.len(),
            Domain::Space(_) => usize::MAX,
        };
        let initial = self.initial.unwrap_or(INITIAL).min(rows);
        if initial == 0 {
            let message = "initial: expected at least one run before the index decides, got 0";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        let progress = self.stages.progress()?;
        Ok(StagedStudy::start(self, progress, initial))
    }

    /// The study with these settings in which all of this happened, as
    /// [`StagedStudy::events`] has it. It goes on to the bit as if it had never been interrupted.
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and those of the calls that made the events, naming the event
    /// by its number from 0 on.
    pub fn resume(self, events: impl IntoIterator<Item = StagedEvent>) -> Result<StagedStudy> {
        let mut study = self.build()?;
        for (number, event) in events.into_iter().enumerate() {
            study.happens(event).map_err(|error| error.at(format_args!("event {number}")))?;
        }
        Ok(study)
    }
}
