//! What can be asked of a study of control sets, written down.

use crate::calls::{Place, Word};
use crate::dice::Dice;
use crate::subsets::world::SubsetWorld;

/// One call, or a few that belong together.
#[derive(Debug, Clone, PartialEq)]
pub enum SubsetCall {
    Ask,
    AskSeveral(usize),
    /// Tells one of the pending trials, nature having made this of all variables; those that were
    /// set keep their values unless they stray.
    Tell {
        which: usize,
        nature: Vec<f64>,
        stray: Stray,
        word: Word,
    },
    /// Tells one of the trials that were withdrawn.
    TellLate {
        which: usize,
        nature: Vec<f64>,
        word: Word,
    },
    TellAgain {
        which: usize,
        word: Word,
    },
    TellUnknown {
        beyond: usize,
        word: Word,
    },
    Import {
        place: Place,
        word: Word,
    },
    Withdraw {
        which: usize,
    },
    Correct {
        which: usize,
        word: Word,
    },
    Verdict,
    VerdictTwice,
    Recommendation,
    Recommendations,
}

/// What becomes of what was told, before it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stray {
    Nothing,
    /// The first variable that was set is off by half of what is tolerated, as a share of its
    /// range.
    Tolerated,
    /// It is told at the other end of its range.
    Contradiction,
    /// The last variable of all has this value.
    Last(f64),
    Long,
    Short,
}

impl SubsetCall {
    /// A sequence for a study.
    pub fn draw_all(world: &SubsetWorld, dice: &mut Dice) -> Vec<Self> {
        let dim = world.axes.len();
        let orderly = dice.chance(0.5);
        let length = dice.whole(6, 50);
        let mut calls = Vec::with_capacity(length + 2);
        while calls.len() < length {
            if orderly && dice.chance(0.9) {
                if dice.chance(0.7) {
                    calls.push(Self::Verdict);
                }
                calls.push(Self::Ask);
                calls.push(Self::Tell {
                    which: 0,
                    nature: dice.point(dim),
                    stray: Stray::Nothing,
                    word: Word::sound(dice),
                });
            } else {
                calls.push(Self::draw(dim, dice));
            }
        }
        if dice.chance(0.3) {
            calls.push(Self::Recommendations);
        }
        calls
    }

    fn draw(dim: usize, dice: &mut Dice) -> Self {
        let which = dice.whole(0, 999);
        let word = Word::draw(dice);
        match dice.weighed(&[
            (20.0, 0),
            (3.0, 1),
            (35.0, 2),
            (6.0, 3),
            (3.0, 4),
            (12.0, 5),
            (10.0, 6),
            (3.0, 7),
            (1.5, 8),
            (1.5, 9),
            (5.0, 10),
            (5.0, 11),
            (3.0, 12),
        ]) {
            0 => Self::Ask,
            1 => Self::AskSeveral(dice.whole(2, 4)),
            2 => {
                let last = Stray::Last(dice.pick(&[f64::NAN, f64::INFINITY, f64::MAX, -1e305]));
                let stray = dice.weighed(&[
                    (0.7, Stray::Nothing),
                    (0.08, Stray::Tolerated),
                    (0.08, Stray::Contradiction),
                    (0.08, last),
                    (0.03, Stray::Long),
                    (0.03, Stray::Short),
                ]);
                Self::Tell { which, nature: dice.point(dim), stray, word }
            }
            3 => Self::TellAgain { which, word },
            4 => Self::TellUnknown { beyond: dice.pick(&[0, 1, usize::MAX / 2]), word },
            5 => Self::Import { place: Place::draw(dim, dice), word },
            6 => Self::Verdict,
            7 => Self::VerdictTwice,
            8 => Self::Recommendation,
            9 => Self::Recommendations,
            10 => Self::Withdraw { which },
            11 => Self::Correct { which, word },
            _ => Self::TellLate { which, nature: dice.point(dim), word },
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Ask | Self::AskSeveral(_) => "ask for a set",
            Self::Tell { .. } => "tell a set",
            Self::TellLate { .. } => "tell a set late",
            Self::TellAgain { .. } => "tell a set again",
            Self::TellUnknown { .. } => "tell an unknown set",
            Self::Import { .. } => "import beside sets",
            Self::Withdraw { .. } => "withdraw a set",
            Self::Correct { .. } => "correct a set",
            Self::Verdict => "verdict on sets",
            Self::VerdictTwice => "verdict on sets twice",
            Self::Recommendation | Self::Recommendations => "advice on sets",
        }
    }

    pub fn operations(&self) -> usize {
        match self {
            Self::AskSeveral(count) => *count,
            Self::VerdictTwice => 2,
            _ => 1,
        }
    }

    pub fn word(&self) -> Option<&Word> {
        match self {
            Self::Tell { word, .. }
            | Self::TellLate { word, .. }
            | Self::TellAgain { word, .. }
            | Self::TellUnknown { word, .. }
            | Self::Import { word, .. }
            | Self::Correct { word, .. } => Some(word),
            _ => None,
        }
    }

    pub fn only_looks(&self) -> bool {
        matches!(self, Self::Recommendation | Self::Recommendations)
    }

    pub fn fails_early(&self) -> bool {
        self.word().is_some() || matches!(self, Self::Withdraw { .. })
    }
}
