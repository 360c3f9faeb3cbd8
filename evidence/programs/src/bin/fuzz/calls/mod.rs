//! What can be asked of a study of any kind, written down so that any part of a sequence can be
//! played: what a call means is decided by the log when its turn comes.

mod drawing;
mod place;
mod word;

use serde::{Deserialize, Serialize};

use crate::world::policy::PolicySpec;

pub use place::Place;
pub use word::{Any, Cost, Measuring, Saying, Word};

/// One call, or a few that belong together. `which` is one of the trials that may be meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// So many points, one after another.
    Ask {
        count: usize,
    },
    AskTogether {
        count: usize,
        jointly: bool,
    },
    /// A point that costs at most so many times what a trial costs on average.
    AskWithin {
        factor: Any,
    },
    /// A point of a part of the space: where a parameter is, beside what it is in a trial.
    AskWhere {
        which: usize,
        parameter: usize,
        side: Side,
    },
    Tell {
        whom: Whom,
        word: Word,
    },
    /// The cost of any trial, times a factor that may be no factor.
    TellCost {
        which: usize,
        factor: Any,
    },
    /// What a trial says on its way, after which the study `decides` what it does.
    Report {
        which: usize,
        at: At,
        decides: bool,
        word: Word,
    },
    /// What any trial is to do.
    Advise {
        which: usize,
    },
    /// What any trial will cost.
    Forecast {
        which: usize,
    },
    /// What any trial on its way will come to.
    ForecastEnd {
        which: usize,
    },
    Import {
        place: Place,
        word: Word,
    },
    /// A trial that somebody else began.
    Announce {
        place: Place,
    },
    /// Gives any trial up, or takes back what was told of it.
    Withdraw {
        which: usize,
    },
    /// Replaces what was told of any trial.
    Correct {
        which: usize,
        word: Word,
    },
    /// What any trial has cost so far, as a multiple of what it costs.
    NoteRunning {
        which: usize,
        factor: Any,
    },
    Verdict,
    /// Whether another trial is worth its price beside those pending.
    VerdictOnAnother,
    /// A price for so many times what the design cost.
    PriceForBudget {
        times: Any,
    },
    ChangePolicy(PolicySpec),
    Recommendation,
    /// The record through what it is written in and back.
    Record,
    Replay,
    /// Makes something else of the record.
    SpoilRecord(u64),
    /// Makes the study again from its events, which goes along for a while.
    Resume,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whom {
    UnderWay(usize),
    Withdrawn(usize),
    Told(usize),
    /// A trial that is not there, so many beyond the last.
    Beyond(usize),
}

/// Where a trial reports.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// One under way at its next stage.
    Next,
    /// Any trial, so much of the whole beyond its last report.
    Beyond(Any),
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Side {
    Equal,
    Least,
    Most,
}

impl Call {
    pub fn name(&self) -> String {
        let name = |what: &dyn std::fmt::Debug| {
            let is_name = |c: &char| c.is_alphabetic();
            format!("{what:?}").chars().take_while(is_name).collect::<String>()
        };
        match self {
            Self::Tell { whom, .. } => format!("Tell {}", name(whom)),
            call => name(call),
        }
    }

    pub fn operations(&self) -> usize {
        match self {
            Self::Ask { count } | Self::AskTogether { count, .. } => *count,
            _ => 1,
        }
    }

    pub fn word(&self) -> Option<&Word> {
        match self {
            Self::Tell { word, .. }
            | Self::Report { word, .. }
            | Self::Import { word, .. }
            | Self::Correct { word, .. } => Some(word),
            _ => None,
        }
    }

    /// Whether it only looks: it must leave no trace.
    pub fn only_looks(&self) -> bool {
        let looks = [Self::Record, Self::Replay, Self::Resume];
        looks.contains(self) || matches!(self, Self::SpoilRecord(_) | Self::ForecastEnd { .. })
    }

    /// Whether an error of it leaves no trace: it is found before anything is computed from what
    /// was told.
    pub fn fails_early(&self, in_stages: bool) -> bool {
        match self {
            Self::AskTogether { jointly, .. } => *jointly && in_stages,
            Self::AskWithin { .. } | Self::AskWhere { .. } => in_stages,
            Self::Advise { .. } => !in_stages,
            Self::Announce { .. }
            | Self::ChangePolicy(_)
            | Self::NoteRunning { .. }
            | Self::TellCost { .. }
            | Self::Withdraw { .. } => true,
            _ => self.word().is_some(),
        }
    }
}
