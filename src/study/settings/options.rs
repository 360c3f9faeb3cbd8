//! The settings of a study that are data.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::data::trial::stages::Stages;
use crate::data::{Direction, Limit, Measures, Objective, Warping};
use crate::error::{Error, ErrorKind, Result, check_positive};
use crate::model::GaussianProcess;
use crate::study::design::Setting;
use crate::study::settings::search::Search;
use crate::surrogate::Incumbent;

/// What the setters of a [`StudyBuilder`](crate::study::StudyBuilder) set, as far as it is data.
/// The file of a study has it in this form.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Options {
    pub direction: Direction,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cost_floor: Option<f64>,
    pub model: GaussianProcess,
    pub cost_model: GaussianProcess,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub initial: Option<usize>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub first: Vec<Setting>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub expected_trials: Option<usize>,
    pub seed: u64,
    pub standardize: bool,
    pub warping: Warping,
    pub incumbent: Incumbent,
    pub search: Search,
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "seconds", skip_serializing_if = "Option::is_none")
    )]
    pub time_limit: Option<Duration>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cost_unit: Option<String>,
    /// None for the usual factor.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub overdue: Option<f64>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub budget: Option<f64>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeMap::is_empty"))]
    pub limits: BTreeMap<String, Limit>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeMap::is_empty"))]
    pub objectives: BTreeMap<String, Objective>,
    /// Of the outcome, if there are several objectives.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reference: Option<f64>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub best_possible: Option<f64>,
    /// The stages, if trials run in some.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub stages: Option<Stages>,
}

impl Options {
    /// The defaults.
    pub fn new(direction: Direction) -> Self {
        Self {
            direction,
            cost_floor: None,
            model: GaussianProcess::new(),
            cost_model: GaussianProcess::new(),
            initial: None,
            first: Vec::new(),
            expected_trials: None,
            seed: 0,
            standardize: true,
            warping: Warping::default(),
            incumbent: Incumbent::default(),
            search: Search::default(),
            time_limit: None,
            cost_unit: None,
            overdue: None,
            budget: None,
            limits: BTreeMap::new(),
            objectives: BTreeMap::new(),
            reference: None,
            best_possible: None,
            stages: None,
        }
    }

    /// Checks numbers that nothing else checks.
    ///
    /// # Errors
    /// `InvalidSetting` and `NonFinite`, naming the number.
    pub fn check(&self) -> Result<()> {
        if let Some(factor) = self.overdue.filter(|&factor| !(1.0..f64::INFINITY).contains(&factor))
        {
            let message = format!(
                "the factor from which on trials are overdue must be finite and at least 1, got {factor}"
            );
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        if let Some(money) = self.budget {
            check_positive("the budget", money)?;
        }
        if let Some(best) = self.best_possible.filter(|best| !best.is_finite()) {
            let message = format!("best_possible: expected a finite number, got {best}");
            return Err(Error::new(ErrorKind::NonFinite, message));
        }
        Ok(())
    }

    /// What is measured beside the outcome, and what is wanted of it.
    pub fn measures(&self) -> Measures {
        let measures = Measures::new(self.limits.clone(), self.objectives.clone());
        measures.with_reference(self.reference)
    }
}

/// A length of time as seconds. One that there is not is none.
#[cfg(feature = "serde")]
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        time.map(|time| time.as_secs_f64()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::deserialize(from)?;
        Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
    }
}
