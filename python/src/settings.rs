//! What a study is set up with, as data.

use std::sync::Arc;
use std::time::Duration;

use gittins::data::{Condition, Constraint, Direction, Parameter, Requirement};
use gittins::study::StudyBuilder;
use gittins::suggest::MaxValueEntropy;
use gittins::{Acquisition, Cost, Cpu, Error, ErrorKind, Policy, Result, Space, Study};
use serde::Deserialize;

use crate::errors::unreadable;

/// The settings of a study.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    space: Parts,
    direction: Direction,
    policy: Option<Named>,
    cost: Option<Cost>,
    cost_floor: Option<f64>,
    cost_unit: Option<String>,
    #[serde(default)]
    seed: u64,
    initial: Option<usize>,
    expected_trials: Option<usize>,
    time_limit: Option<f64>,
    overdue: Option<f64>,
    budget: Option<f64>,
}

/// The parts of a space, not checked yet: the study checks them, and its errors have kinds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    parameters: Vec<Parameter>,
    #[serde(default)]
    constraints: Vec<Constraint>,
}

impl Parts {
    fn space(self) -> Space {
        let mut space = Space::new();
        for parameter in self.parameters {
            space = space.parameter(parameter.name(), parameter.kind().clone());
            for Condition { parameter: parent, requirement } in parameter.conditions().to_vec() {
                space = match requirement {
                    Requirement::Is(values) | Requirement::IsIfPresent(values) => {
                        space.when(parent, values)
                    }
                    Requirement::AtLeast(bound) => space.when_at_least(parent, bound),
                    Requirement::AtMost(bound) => space.when_at_most(parent, bound),
                    _ => space,
                };
            }
        }
        for constraint in self.constraints {
            if let Constraint::Linear { terms, at_most } = constraint {
                space = space.at_most(terms, at_most);
            }
        }
        space
    }
}

/// A policy by its name.
#[derive(Deserialize)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
enum Named {
    Gittins { price: f64 },
    GittinsDecay { price: f64, factor: f64 },
    GittinsDecayFromBudget { budget: f64, factor: f64 },
    GittinsAdaptive,
    LogEipc,
    LogEi,
    LogEipcCooled { budget: f64 },
    Ucb,
    Thompson,
    MaxValueEntropy,
    KnowledgeGradient { fantasies: usize },
}

impl Named {
    fn policy(self) -> Result<Policy> {
        use gittins::Pointwise::LogExpectedImprovement;
        let policy = match self {
            Self::Gittins { price } => Acquisition::gittins(price).into(),
            Self::GittinsDecay { price, factor } => Policy::gittins_decay(price, factor),
            Self::GittinsDecayFromBudget { budget, factor } => {
                Policy::gittins_decay_from_budget(budget, factor)
            }
            Self::GittinsAdaptive => Policy::gittins_adaptive(),
            Self::LogEipc => Acquisition::log_eipc().into(),
            Self::LogEi => LogExpectedImprovement.into(),
            Self::LogEipcCooled { budget } => Policy::log_eipc_cooled(budget),
            Self::Ucb => Policy::ucb(),
            Self::Thompson => Policy::thompson(),
            Self::MaxValueEntropy => Policy::max_value_entropy(MaxValueEntropy::default()),
            Self::KnowledgeGradient { fantasies } => Policy::knowledge_gradient(fantasies),
        };
        policy.validate()?;
        Ok(policy)
    }
}

/// A policy that is given by its name.
pub fn policy(text: &str) -> Result<Policy> {
    let named: Named =
        serde_json::from_str(text).map_err(|error| unreadable("the policy", &error))?;
    named.policy()
}

/// The builder of a study with these settings.
pub fn builder(text: &str) -> Result<StudyBuilder> {
    let settings: Settings =
        serde_json::from_str(text).map_err(|error| unreadable("the study", &error))?;
    let space = settings.space.space();
    let mut builder = match settings.direction {
        Direction::Minimize => Study::minimize(space),
        Direction::Maximize => Study::maximize(space),
    };
    builder = builder.seed(settings.seed);
    if let Some(policy) = settings.policy.map(Named::policy).transpose()? {
        builder = builder.policy(policy);
    }
    if let Some(cost) = settings.cost {
        builder = builder.cost(cost);
    }
    if let Some(floor) = settings.cost_floor {
        builder = builder.cost_floor(floor);
    }
    if let Some(unit) = settings.cost_unit {
        builder = builder.cost_unit(unit);
    }
    if let Some(initial) = settings.initial {
        builder = builder.initial(initial);
    }
    if let Some(trials) = settings.expected_trials {
        builder = builder.expected_trials(trials);
    }
    if let Some(seconds) = settings.time_limit {
        let limit = Duration::try_from_secs_f64(seconds).map_err(|_| {
            let message = format!("the time limit: expected seconds of at least 0, got {seconds}");
            Error::new(ErrorKind::InvalidSetting, message)
        })?;
        builder = builder.time_limit(limit);
    }
    if let Some(times) = settings.overdue {
        builder = builder.overdue(times);
    }
    if let Some(budget) = settings.budget {
        builder = builder.budget(budget);
    }
    if !cfg!(feature = "gpu") {
        builder = builder.backend(Arc::new(Cpu));
    }
    Ok(builder)
}
