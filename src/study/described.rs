//! The settings of a study as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::data::{Cost, Direction, Domain, Space, Warping};
use crate::error::{Error, ErrorKind, Result};
use crate::model::GaussianProcess;
use crate::study::builder::StudyBuilder;
use crate::study::difference;
use crate::study::settings::{Search, Settings};
use crate::study::study::{OVERDUE, Study};
use crate::study::trust_region::TrustRegion;
use crate::suggest::Policy;
use crate::surrogate::Incumbent;

/// The settings of a study as data. What is code (a known cost, a constraint that is a function, a
/// stopping rule) is only named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Described {
    pub direction: Direction,
    /// None for a table, and for a space with a constraint that is a function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Candidates>,
    /// None for a known cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_floor: Option<f64>,
    pub policy: Policy,
    /// The name of the stopping rule that was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub model: GaussianProcess,
    pub cost_model: GaussianProcess,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_trials: Option<usize>,
    pub seed: u64,
    pub standardize: bool,
    pub warping: Warping,
    pub incumbent: Incumbent,
    pub search: Search,
    pub trust_region: TrustRegion,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_unit: Option<String>,
    /// None for the usual factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overdue: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
}

/// The description of a table. Its rows are not repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidates {
    pub names: Vec<String>,
    pub rows: usize,
}

impl Described {
    /// The settings from which the same study is built.
    ///
    /// # Errors
    /// `InvalidSetting`, naming what is code; those of the space or of the table.
    pub fn builder(self) -> Result<StudyBuilder> {
        let code = |what: &str| {
            let message = format!("{what} is not in the file: open the study with it");
            Error::new(ErrorKind::InvalidSetting, message)
        };
        let wrong = |what: &str, error: serde_json::Error| {
            let message = format!("{what} of the study: {error}");
            Error::new(ErrorKind::Data, message).with_source(error)
        };
        let domain: Domain = match (self.space, self.table) {
            (Some(space), _) => {
                let space: Space =
                    serde_json::from_value(space).map_err(|error| wrong("the space", error))?;
                space.into()
            }
            (None, Some(_)) => return Err(code("the table of candidates")),
            (None, None) => return Err(code("a constraint of the space")),
        };
        let cost = self.cost.ok_or_else(|| code("the cost"))?;
        let cost: Cost = serde_json::from_value(cost).map_err(|error| wrong("the cost", error))?;
        let mut builder = match self.direction {
            Direction::Minimize => Study::minimize(domain),
            Direction::Maximize => Study::maximize(domain),
        };
        builder = builder
            .cost(cost)
            .policy(self.policy)
            .model(self.model)
            .cost_model(self.cost_model)
            .seed(self.seed)
            .standardize(self.standardize)
            .warping(self.warping)
            .incumbent(self.incumbent)
            .search(self.search)
            .trust_region(self.trust_region);
        builder = self.cost_floor.into_iter().fold(builder, StudyBuilder::cost_floor);
        builder = self.initial.into_iter().fold(builder, StudyBuilder::initial);
        builder = self.expected_trials.into_iter().fold(builder, StudyBuilder::expected_trials);
        builder = self.cost_unit.into_iter().fold(builder, StudyBuilder::cost_unit);
        builder = self.overdue.into_iter().fold(builder, StudyBuilder::overdue);
        builder = self.budget.into_iter().fold(builder, StudyBuilder::budget);
        let limit = self.time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        Ok(limit.into_iter().fold(builder, StudyBuilder::time_limit))
    }

    /// Checks that a study with these settings can be continued with others: domain and direction
    /// must be the same.
    ///
    /// # Errors
    /// `InvalidSetting`, naming what differs.
    pub fn check_continued_by(&self, other: &Self) -> Result<()> {
        let mut differences = Vec::new();
        if self.direction != other.direction {
            let [before, now] = [self, other].map(|settings| format!("\"{}\"", settings.direction));
            differences.push(difference::differs("direction", &before, &now));
        }
        if let (Some(ours), Some(theirs)) = (&self.space, &other.space)
            && ours != theirs
        {
            differences.extend(difference::of_spaces(ours, theirs));
        }
        if self.table != other.table {
            let rows = |table: &Option<Candidates>| {
                table.as_ref().map_or("no table".to_owned(), |table| {
                    format!("one of {} rows with {}", table.rows, table.names.join(", "))
                })
            };
            let [before, now] = [self, other].map(|settings| rows(&settings.table));
            differences.push(difference::differs("the table of candidates", &before, &now));
        }
        if differences.is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidSetting, difference::message(&differences)))
    }
}

impl StudyBuilder {
    /// The settings as data.
    pub(crate) fn described(&self) -> Described {
        let space = match &self.domain {
            Domain::Space(space) => Some(space),
            Domain::Table(_) => None,
        };
        let table = match &self.domain {
            Domain::Space(_) => None,
            Domain::Table(table) => Some(Candidates {
                names: table.names().map(str::to_owned).collect(),
                rows: table.len(),
            }),
        };
        let Settings { direction, ref model, initial, seed, standardize, .. } = self.settings;
        Described {
            direction,
            space: space.and_then(|space| serde_json::to_value(space).ok()),
            table,
            cost: serde_json::to_value(&self.cost).ok(),
            cost_floor: self.cost_floor,
            policy: self.chosen_policy(),
            rule: self.rule.as_ref().map(|rule| rule.name().to_owned()),
            model: model.clone(),
            cost_model: self.cost_model.clone(),
            initial,
            expected_trials: self.trials,
            seed,
            standardize,
            warping: self.warping,
            incumbent: self.incumbent,
            search: self.search,
            trust_region: self.trust_region,
            time_limit: self.time_limit.map(|limit| limit.as_secs_f64()),
            cost_unit: self.cost_unit.clone(),
            overdue: Some(self.overdue).filter(|times| *times != OVERDUE),
            budget: self.budget,
        }
    }
}
