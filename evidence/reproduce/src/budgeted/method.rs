//! The policies that choose the points.

use gittins::{Acquisition, CostForm, Pointwise, Policy};

/// A policy of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Log expected improvement. It has the maximum of expected improvement.
    Improvement,
    /// The same per unit of a learned cost: times `E[1/c]`.
    PerCost,
    /// The same with an exponent that falls from 1 to 0 with the money left.
    Cooled,
    /// A plan of a number of evaluations, with a number of fantasies at each level after the first.
    Lookahead { steps: usize, fantasies: &'static [usize] },
}

impl Method {
    pub const BASELINES: [Self; 3] = [Self::Improvement, Self::PerCost, Self::Cooled];
    /// Plans with posterior means as fantasies, and trees of sampled fantasies.
    pub const TWO_PATH: Self = Self::Lookahead { steps: 2, fantasies: &[1] };
    pub const TWO_TREE: Self = Self::Lookahead { steps: 2, fantasies: &[4] };
    pub const FOUR_PATH: Self = Self::Lookahead { steps: 4, fantasies: &[1] };
    pub const FOUR_TREE: Self = Self::Lookahead { steps: 4, fantasies: &[4, 4, 2] };

    /// The name in the paper.
    pub fn name(self) -> String {
        match self {
            Self::Improvement => "EI".into(),
            Self::PerCost => "EI-PUC".into(),
            Self::Cooled => "EI-PUC-CC".into(),
            Self::Lookahead { steps, fantasies: [1] } => format!("{steps}-B-MS-EI_p"),
            Self::Lookahead { steps, .. } => format!("{steps}-B-MS-EI"),
        }
    }

    /// The policy with this budget.
    pub fn policy(self, budget: f64) -> Policy {
        match self {
            Self::Improvement => Acquisition::Pointwise(Pointwise::LogExpectedImprovement).into(),
            Self::PerCost => Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                exponent: 1.0,
                form: CostForm::ExpectedInverse,
            })
            .into(),
            Self::Cooled => Policy::ei_puc_cc(budget),
            Self::Lookahead { steps, fantasies } => {
                Acquisition::budgeted_lookahead(steps, fantasies).budget(budget).into()
            }
        }
    }

    /// The numbers of scored points and of climbs in the published search in this number of
    /// dimensions; none if the policy has its own numbers, which are then the published ones.
    pub fn published_search(self, dim: usize) -> Option<(usize, usize)> {
        (!matches!(self, Self::Lookahead { .. })).then_some((200 * dim, 10 * dim))
    }
}
