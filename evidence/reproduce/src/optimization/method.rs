//! The policies that choose the points.

use gittins::suggest::MaxValueEntropy;
use gittins::{Acquisition, CostForm, Pointwise, Policy};

/// A policy, or chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Uniform points.
    Random,
    /// Log expected improvement.
    LogImprovement,
    /// Log expected improvement per cost. A learned cost counts by its expected inverse.
    LogImprovementPerCost,
    /// The same with a cost that counts less as the budget goes.
    LogImprovementCooled,
    /// The upper confidence bound with its schedule.
    ConfidenceBound,
    /// Thompson sampling.
    Thompson,
    /// Max-value entropy search.
    MaxValueEntropy,
    /// The same per unit of cost.
    MaxValueEntropyPerCost,
    /// The Gittins index at a price.
    Gittins(f64),
    /// The Gittins index with a falling price: its start and its divisor.
    GittinsDecay(f64, f64),
}

impl Method {
    /// PBGI as in the figures.
    pub const PBGI: Self = Self::Gittins(1e-4);
    /// PBGI-D as in the figures.
    pub const PBGI_D: Self = Self::GittinsDecay(0.1, 2.0);

    /// The name in the papers.
    pub fn name(self) -> String {
        match self {
            Self::Random => "RS".into(),
            Self::LogImprovement => "LogEI".into(),
            Self::LogImprovementPerCost => "LogEIPC".into(),
            Self::LogImprovementCooled => "LogEICC".into(),
            Self::ConfidenceBound => "UCB".into(),
            Self::Thompson => "TS".into(),
            Self::MaxValueEntropy => "MES".into(),
            Self::MaxValueEntropyPerCost => "MFMES".into(),
            Self::PBGI => "PBGI".into(),
            Self::PBGI_D => "PBGI-D".into(),
            Self::Gittins(lambda) => format!("PBGI {lambda:.0e}"),
            Self::GittinsDecay(lambda, factor) => format!("PBGI-D {lambda:.0e}, {factor}"),
        }
    }

    /// The name in letters fit for a file, with every number that decides a run.
    pub fn slug(self) -> String {
        match self {
            Self::Gittins(lambda) => format!("pbgi-{lambda:e}"),
            Self::GittinsDecay(lambda, factor) => format!("pbgid-{lambda:e}-{factor}"),
            other => other.name().to_lowercase(),
        }
    }

    /// The numbers of scored points and of climbs in the published search in this number of
    /// dimensions.
    pub fn published_search(self, dim: usize) -> (usize, usize) {
        if self == Self::Thompson { (1024, 20) } else { (200 * dim, 10 * dim) }
    }

    /// The policy; none for random points. `learned` says whether the cost is learned.
    pub fn policy(self, budget: f64, learned: bool) -> Option<Policy> {
        let form = if learned { CostForm::ExpectedInverse } else { CostForm::Expected };
        Some(match self {
            Self::Random => return None,
            Self::LogImprovement => {
                Acquisition::Pointwise(Pointwise::LogExpectedImprovement).into()
            }
            Self::LogImprovementPerCost => {
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent: 1.0,
                    form,
                })
                .into()
            }
            Self::LogImprovementCooled if learned => Policy::ei_puc_cc(budget),
            Self::LogImprovementCooled => Policy::log_eipc_cooled(budget),
            Self::ConfidenceBound => Policy::ucb(),
            Self::Thompson => Policy::thompson(),
            Self::MaxValueEntropy => Policy::max_value_entropy(MaxValueEntropy::default()),
            Self::MaxValueEntropyPerCost => Policy::max_value_entropy(MaxValueEntropy::per_cost()),
            Self::Gittins(lambda) => Acquisition::gittins(lambda).into(),
            Self::GittinsDecay(lambda, factor) => Policy::gittins_decay(lambda, factor),
        })
    }
}
