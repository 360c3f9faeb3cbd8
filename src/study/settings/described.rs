//! The settings of a study as data.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::data::table::fingerprint::fingerprint;
use crate::data::trial::stages::Stages;
use crate::data::{Cost, Domain, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::stop::NamedRule;
use crate::study::settings::builder::{Rule, RuleKind, StudyBuilder};
use crate::study::settings::difference;
use crate::study::settings::options::Options;
use crate::suggest::Policy;

/// The settings of a study as its file has them. What is code (a cost or a constraint that is
/// a function, a stopping rule without a name) is only named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Described {
    /// None for a table, and for a space with a constraint that is a function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Candidates>,
    /// None for a cost that is a function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Json>,
    /// With its state.
    pub policy: Policy,
    /// What the stopping rule that was set calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The stopping rule, if it was set by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<NamedRule>,
    #[serde(flatten)]
    pub options: Options,
}

/// The description of a table. Its rows are not repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidates {
    pub names: Vec<String>,
    pub rows: usize,
    /// What tells its rows from others.
    pub fingerprint: String,
}

impl Candidates {
    /// The difference of two tables, of which one may not be there, in their columns.
    fn between(before: Option<&Self>, now: Option<&Self>) -> Option<String> {
        let shape = |table: Option<&Self>| {
            table.map_or("no table".to_owned(), |table| {
                format!("one with {}", table.names.join(", "))
            })
        };
        let old = shape(before);
        let new = shape(now);
        (old != new).then(|| difference::differs("the table of candidates", &old, &new))
    }

    /// How the rows differ of two tables with the same columns, in words.
    fn rows_between(before: &Self, now: &Self) -> Option<String> {
        let [old, new] = [before, now].map(|table| table.rows);
        if old != new {
            return Some(format!(
                "the table has {new} rows, and had {old} when the study was last worked on"
            ));
        }
        let is_other = before.fingerprint != now.fingerprint;
        let words = "the table has other rows, or another order or log scale, than when the study was last worked on";
        is_other.then(|| words.to_owned())
    }
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
        // In stages a policy without a price is none that was set.
        let policy = Some(self.policy);
        let policy =
            policy.filter(|policy| self.options.stages.is_none() || policy.price().is_some());
        let builder = StudyBuilder::new(domain, self.options.direction).cost(cost);
        let builder = StudyBuilder { options: self.options, policy, ..builder };
        Ok(self.stop.into_iter().fold(builder, StudyBuilder::stop))
    }

    /// The progress at the end of a trial, in words.
    fn total(&self) -> String {
        let stages = self.options.stages.as_ref();
        stages.map_or("none".to_owned(), |stages| format!("{:?}", stages.total()))
    }

    /// What is likely not meant by other settings: another cost, other rows, what is not set any more.
    pub fn unmeant(&self, now: &Self) -> Option<String> {
        let rows = self.table.as_ref().zip(now.table.as_ref());
        let rows = rows.and_then(|(before, now)| Candidates::rows_between(before, now));
        let (old, new) = (&self.options, &now.options);
        let gone = [
            ("a price", self.policy.price().is_some() && now.policy.price().is_none()),
            ("a budget", old.budget.is_some() && new.budget.is_none()),
            ("a stopping rule", self.rule.is_some() && now.rule.is_none()),
            ("a unit of cost", old.cost_unit.is_some() && new.cost_unit.is_none()),
            ("limits", !old.limits.is_empty() && new.limits.is_empty()),
            ("other objectives", !old.objectives.is_empty() && new.objectives.is_empty()),
        ];
        let gone: Vec<&str> =
            gone.into_iter().filter(|(_, is)| *is).map(|(what, _)| what).collect();
        let gone = (!gone.is_empty()).then(|| {
            format!("the study had {} when it was last worked on, and not here", gone.join(", "))
        });
        let is_other = self.cost.is_some() && now.cost.is_some() && self.cost != now.cost;
        let cost = is_other.then(|| {
            "the cost is another than when the study was last worked on: give each worker the same settings"
                .to_owned()
        });
        let all: Vec<String> = rows.into_iter().chain(cost).chain(gone).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Checks that a study with these settings can be continued with others: domain and direction
    /// must be the same. A table may have other rows: its trials say which it must have.
    ///
    /// # Errors
    /// `InvalidSetting`, naming what differs.
    pub fn check_continued_by(&self, other: &Self) -> Result<()> {
        let mut differences = Vec::new();
        let [ours, theirs] = [self, other].map(|settings| settings.options.direction);
        if ours != theirs {
            let [before, now] = [ours, theirs].map(|direction| format!("\"{direction}\""));
            differences.push(difference::differs("direction", &before, &now));
        }
        if let (Some(ours), Some(theirs)) = (&self.space, &other.space)
            && ours != theirs
        {
            differences.extend(difference::of_spaces(ours, theirs));
        }
        differences.extend(Candidates::between(self.table.as_ref(), other.table.as_ref()));
        let [before, now] = [self, other].map(Self::total);
        if before != now {
            differences.push(difference::differs("the total of the stages", &before, &now));
        }
        if differences.is_empty() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidSetting, difference::message(&differences)))
    }
}

impl StudyBuilder {
    /// The stopping rule, if it was set by its name.
    fn named_rule(&self) -> Option<NamedRule> {
        match &self.rule.as_ref()?.0 {
            RuleKind::Code(_) => None,
            RuleKind::Named(named) => Some(named.clone()),
        }
    }

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
                fingerprint: fingerprint(table),
            }),
        };
        let named = |rule: &Rule| match &rule.0 {
            RuleKind::Code(rule) => Some(rule.name().to_owned()),
            RuleKind::Named(named) => named.rule().ok().map(|rule| rule.name().to_owned()),
        };
        let stop = self.named_rule();
        Described {
            space: space.and_then(|space| serde_json::to_value(space).ok()),
            table,
            cost: serde_json::to_value(&self.cost).ok(),
            policy: self.chosen_policy(),
            rule: self.rule.as_ref().and_then(named),
            stop,
            options: Options {
                stages: self.options.stages.as_ref().map(Stages::resolved),
                ..self.options.clone()
            },
        }
    }
}
