//! The policies that choose sets and values.

use gittins_papers::control::{Plays, SubsetPolicy};

/// A policy of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Cheap sets this number of times for each price, then the largest expected upper bound.
    Explore(usize),
    /// Cheap sets with a budget of 4 for each price, then the same.
    ExploreAdaptively,
    ConfidenceBound,
    Thompson,
    /// Expected improvement per unit of cost.
    ImprovementPerCost,
}

impl Method {
    pub const ALL: [Self; 6] = [
        Self::Explore(50),
        Self::Explore(100),
        Self::ExploreAdaptively,
        Self::ConfidenceBound,
        Self::Thompson,
        Self::ImprovementPerCost,
    ];
    pub const EXPLORING: [Self; 3] =
        [Self::Explore(50), Self::Explore(100), Self::ExploreAdaptively];
    /// The methods that ignore costs.
    pub const BASELINES: [Self; 2] = [Self::ConfidenceBound, Self::Thompson];

    /// The name in the paper.
    pub fn name(self) -> String {
        match self {
            Self::Explore(plays) => format!("ETC-{plays}"),
            Self::ExploreAdaptively => "ETC-Ada".into(),
            Self::ConfidenceBound => "UCB-PSQ".into(),
            Self::Thompson => "TS-PSQ".into(),
            Self::ImprovementPerCost => "EI per cost".into(),
        }
    }

    pub fn policy(self) -> SubsetPolicy {
        match self {
            Self::Explore(plays) => SubsetPolicy::explore_then_commit(Plays::Each(plays)),
            Self::ExploreAdaptively => SubsetPolicy::explore_then_commit(Plays::MostExpensive(4.0)),
            Self::ConfidenceBound => SubsetPolicy::ucb_psq(),
            Self::Thompson => SubsetPolicy::ts_psq(),
            Self::ImprovementPerCost => SubsetPolicy::ei_psq().per_unit_cost(),
        }
    }
}
