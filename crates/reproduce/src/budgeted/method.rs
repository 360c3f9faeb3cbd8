//! Who chooses the points.

use gittins::{Acquisition, CostForm, Pointwise, Policy};

/// A policy of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Log expected improvement, which is largest where expected improvement is.
    Improvement,
    /// The same per unit of a learned cost: times `E[1/c]`.
    PerCost,
    /// The same with an exponent that falls from 1 to 0 with the money left.
    Cooled,
    /// A plan of so many evaluations on so many fantasies at each level after the first.
    Lookahead { steps: usize, fantasies: &'static [usize] },
}

impl Method {
    pub const BASELINES: [Self; 3] = [Self::Improvement, Self::PerCost, Self::Cooled];
    /// Plans whose fantasies are posterior means, and trees of sampled ones.
    pub const TWO_PATH: Self = Self::Lookahead { steps: 2, fantasies: &[1] };
    pub const TWO_TREE: Self = Self::Lookahead { steps: 2, fantasies: &[4] };
    pub const FOUR_PATH: Self = Self::Lookahead { steps: 4, fantasies: &[1] };
    pub const FOUR_TREE: Self = Self::Lookahead { steps: 4, fantasies: &[4, 4, 2] };

    /// As in the paper.
    pub fn name(self) -> String {
        match self {
            Self::Improvement => "EI".into(),
            Self::PerCost => "EI-PUC".into(),
            Self::Cooled => "EI-PUC-CC".into(),
            Self::Lookahead { steps, fantasies: [1] } => format!("{steps}-B-MS-EI_p"),
            Self::Lookahead { steps, .. } => format!("{steps}-B-MS-EI"),
        }
    }

    /// The policy with so much to spend.
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

    /// Points that are scored and climbs in the published search in so many dimensions; none where
    /// the policy has numbers of its own, which are the published ones.
    pub fn published_search(self, dim: usize) -> Option<(usize, usize)> {
        (!matches!(self, Self::Lookahead { .. })).then_some((200 * dim, 10 * dim))
    }
}
