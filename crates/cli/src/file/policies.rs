//! The policies by name, and what each of them needs.

use gittins::suggest::MaxValueEntropy;
use gittins::{Acquisition, Pointwise, Policy};

use super::document::Section;
use crate::failure::Result;

/// What the file says of money.
#[derive(Debug, Clone, Copy)]
pub struct Money {
    /// What a unit of cost is worth, in units of the outcome.
    pub price: Option<f64>,
    /// The money that the trials may spend.
    pub budget: Option<f64>,
}

/// The factor by which a falling price falls, as published.
const FALL: f64 = 2.0;

/// The fantasies of a knowledge gradient, as usual.
const FANTASIES: usize = 64;

/// The policy of a file; none if the library's own choice is taken.
pub fn policy(study: &Section<'_>, money: Money) -> Result<Option<Policy>> {
    let Money { price, budget } = money;
    let Some(item) = study.get("policy") else {
        return Ok(price.map(|price| Acquisition::gittins(price).into()));
    };
    let lacks = |what: &str| item.problem(format!("this policy needs the key {what}"));
    Ok(Some(match item.text()? {
        "gittins" => Acquisition::gittins(price.ok_or_else(|| lacks("\"price\""))?).into(),
        "gittins_decay" => match (price, budget) {
            (Some(price), _) => Policy::gittins_decay(price, FALL),
            (None, Some(budget)) => Policy::gittins_decay_from_budget(budget, FALL),
            (None, None) => return Err(lacks("\"price\" or the key \"budget\"")),
        },
        "gittins_adaptive" => Policy::gittins_adaptive(),
        "improvement" => Pointwise::ExpectedImprovement.into(),
        "log_improvement" => Pointwise::LogExpectedImprovement.into(),
        "log_improvement_per_cost" => Acquisition::log_eipc().into(),
        "cost_cooling" => Policy::log_eipc_cooled(budget.ok_or_else(|| lacks("\"budget\""))?),
        "ucb" => Policy::ucb(),
        "thompson" => Policy::thompson(),
        "max_value_entropy" => Policy::max_value_entropy(MaxValueEntropy::default()),
        "knowledge_gradient" => Policy::knowledge_gradient(FANTASIES),
        name => return Err(item.unknown("policy", name, super::keys::POLICIES)),
    }))
}
