//! What a study of runs in stages is asked and told, written down.

use crate::calls::{Cost, Place, Saying, Word};
use crate::dice::Dice;
use crate::staged::world::StagedWorld;

/// One call, or a few that belong together.
#[derive(Debug, Clone, PartialEq)]
pub enum StagedCall {
    Ask(usize),
    /// One of the pending runs comes to its next report, and what it says is decided on.
    Report {
        which: usize,
        word: Word,
    },
    /// Any run reports so much of the whole beyond its last report.
    ReportAt {
        which: usize,
        beyond: f64,
        word: Word,
    },
    /// One of the pending runs reports, and nothing is decided.
    Note {
        which: usize,
        word: Word,
    },
    Advise(usize),
    Fail {
        which: usize,
        cost: Cost,
    },
    Withdraw(usize),
    Correct {
        which: usize,
        word: Word,
    },
    Announce(Place),
    Import {
        place: Place,
        word: Word,
    },
    Verdict,
    VerdictTwice,
    Forecast(usize),
    /// Makes the study again from its events, and goes on with that.
    Resume,
}

impl StagedCall {
    /// A sequence for a study.
    pub fn draw_all(world: &StagedWorld, dice: &mut Dice) -> Vec<Self> {
        let orderly = dice.chance(0.5);
        let length = dice.whole(6, if world.domain.parameters() > 6 { 20 } else { 60 });
        let mut calls = Vec::with_capacity(length + 2);
        while calls.len() < length {
            if orderly && dice.chance(0.9) {
                calls.push(Self::Ask(1));
                let word = Word::sound(dice);
                calls.push(Self::Report { which: 0, word });
                calls.extend(dice.chance(0.5).then_some(Self::Verdict));
            } else {
                calls.push(Self::draw(world.domain.parameters(), dice));
            }
        }
        calls.extend(dice.chance(0.3).then_some(Self::Resume));
        calls
    }

    fn draw(parameters: usize, dice: &mut Dice) -> Self {
        let which = dice.whole(0, 999);
        let word = Word::draw(dice);
        let weights = [18.0, 30.0, 8.0, 8.0, 5.0, 5.0, 4.0, 4.0, 6.0, 2.0, 4.0, 2.0, 3.0, 3.0];
        match dice.index(&weights) {
            0 => Self::Ask(dice.weighed(&[(0.7, 1), (0.27, 3), (0.03, 20)])),
            1 => Self::Report { which, word },
            2 => {
                let beyond = dice.pick(&[0.0, -0.1, 0.1, 0.5, 1.0, 2.0, f64::NAN, f64::INFINITY]);
                Self::ReportAt { which, beyond, word }
            }
            3 => Self::Note { which, word },
            4 => Self::Advise(which),
            5 => Self::Fail { which, cost: word.cost },
            6 => Self::Withdraw(which),
            7 => Self::Announce(Place::draw(parameters, dice)),
            8 => Self::Verdict,
            9 => Self::VerdictTwice,
            10 => Self::Forecast(which),
            11 => Self::Correct { which, word },
            12 => Self::Import { place: Place::draw(parameters, dice), word },
            _ => Self::Resume,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Ask(_) => "ask for a run",
            Self::Report { .. } | Self::ReportAt { .. } => "report",
            Self::Note { .. } => "note a report",
            Self::Advise(_) => "advise",
            Self::Fail { .. } => "fail a run",
            Self::Withdraw(_) => "withdraw a run",
            Self::Announce(_) => "announce a run",
            Self::Correct { .. } => "correct a report",
            Self::Import { .. } => "import a run",
            Self::Verdict => "verdict on runs",
            Self::VerdictTwice => "verdict on runs twice",
            Self::Forecast(_) => "forecast a run",
            Self::Resume => "events of runs and back",
        }
    }

    pub fn operations(&self) -> usize {
        match self {
            Self::Ask(count) => *count,
            Self::VerdictTwice => 2,
            _ => 1,
        }
    }

    /// What it tells, if it tells an outcome.
    fn word(&self) -> Option<&Word> {
        match self {
            Self::Report { word, .. }
            | Self::ReportAt { word, .. }
            | Self::Note { word, .. }
            | Self::Correct { word, .. }
            | Self::Import { word, .. } => Some(word),
            _ => None,
        }
    }

    /// Whether it tells numbers that have no other unit: zeros, and the ends of double precision.
    pub fn is_odd(&self) -> bool {
        let ends = |cost: &Cost| matches!(cost, Cost::Raw(_));
        self.word().is_some_and(|word| {
            word.outcome == Saying::Units(0.0) || word.is_extreme() || ends(&word.cost)
        }) || matches!(self, Self::Fail { cost, .. } if ends(cost))
    }

    pub fn only_looks(&self) -> bool {
        matches!(self, Self::Forecast(_) | Self::Resume)
    }

    /// Whether an error of it leaves no trace.
    pub fn fails_early(&self) -> bool {
        !matches!(self, Self::Ask(_) | Self::Verdict | Self::VerdictTwice | Self::Advise(_))
    }
}
