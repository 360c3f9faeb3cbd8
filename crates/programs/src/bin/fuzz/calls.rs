//! What can be asked of a study, written down so that any part of a sequence can be played: what a
//! call means is decided by the books when its turn comes.

use gittins::Value;
use gittins::study::TrialState;

use crate::dice::Dice;
use crate::world::World;
use crate::world::policy::PolicySpec;

/// One call, or a few that belong together.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Ask,
    AskSeveral(usize),
    AskTogether {
        count: usize,
        jointly: bool,
    },
    /// A point that costs at most so many times what a trial costs on average.
    AskWithin(f64),
    /// A point of a part of the space: a parameter is what it is in any trial, at least that or at
    /// most that.
    AskWhere {
        which: usize,
        parameter: usize,
        side: Side,
    },
    /// Tells one of the trials under way.
    Tell {
        which: usize,
        word: Word,
    },
    /// Tells one of the trials that were withdrawn.
    TellLate {
        which: usize,
        word: Word,
    },
    /// Tells a trial that was told before.
    TellAgain {
        which: usize,
        word: Word,
    },
    /// Tells a trial that is not there, so many beyond the last.
    TellUnknown {
        beyond: usize,
        word: Word,
    },
    /// The cost of any trial, times a factor that may be no factor.
    TellCost {
        which: usize,
        factor: f64,
    },
    Import {
        place: Place,
        word: Word,
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
        factor: f64,
    },
    Verdict,
    VerdictTwice,
    /// Whether another trial is worth its price beside those under way.
    Another,
    /// A price for so many times what the design cost.
    LambdaFromBudget(f64),
    ChangeAcquisition {
        policy: PolicySpec,
        wrong: bool,
    },
    Recommendation,
    Record,
    Replay,
    /// Makes something else of the record.
    Spoil(u64),
}

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Word {
    pub outcome: Saying,
    pub cost: Cost,
}

/// An outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Saying {
    /// What the objective says.
    Objective,
    /// What an earlier trial had.
    Like(usize),
    /// So many units of the objective.
    Units(f64),
    /// This, whatever the unit.
    Raw(f64),
    Failed,
    Infeasible,
}

/// A cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// As the study needs it: told where it is learned and not told yet, else not.
    Fitting,
    /// Told whatever the study knows, times this.
    Times(f64),
    Silent,
    Later,
    /// This, whatever the unit.
    Raw(f64),
}

/// Where something is imported.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    At(Vec<f64>),
    /// Where an earlier trial was.
    Like(usize),
    /// At a point, with one value replaced.
    Spoiled {
        unit: Vec<f64>,
        index: usize,
        value: Value,
    },
    /// With a value too many or too few.
    Long,
    Short,
}

/// How a study is used.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mood {
    /// Ask, tell, verdict.
    Orderly,
    /// Several trials under way.
    Parallel,
    /// Anything.
    Wild,
}

/// What a parameter must be, beside the value that it has in a trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    Equal,
    Least,
    Most,
}

impl Call {
    /// A sequence for a study.
    pub fn draw_all(world: &World, dice: &mut Dice) -> Vec<Self> {
        let mood =
            dice.weighed(&[(0.35, Mood::Orderly), (0.25, Mood::Parallel), (0.4, Mood::Wild)]);
        // What takes long gets fewer.
        let most = if world.domain.parameters() > 6 {
            24
        } else {
            dice.weighed(&[(0.5, 50), (0.4, 100), (0.1, 250)])
        };
        let length = dice.whole(6, most);
        let mut calls = Vec::with_capacity(length + 1);
        while calls.len() < length {
            match mood {
                Mood::Orderly if dice.chance(0.93) => {
                    calls.push(Self::Ask);
                    calls.push(Self::Tell { which: 0, word: Word::sound(dice) });
                    calls.push(if dice.chance(0.9) { Self::Verdict } else { Self::VerdictTwice });
                }
                Mood::Parallel if dice.chance(0.85) => calls.push(match dice.whole(0, 8) {
                    0 => Self::AskSeveral(dice.whole(1, 4)),
                    6 => Self::AskTogether { count: dice.whole(1, 5), jointly: dice.chance(0.3) },
                    7 if dice.chance(0.5) => Self::ask_where(dice),
                    7 => Self::AskWithin(factor(dice)),
                    1..=3 => Self::Tell { which: dice.whole(0, 99), word: Word::sound(dice) },
                    4 => Self::NoteRunning { which: dice.whole(0, 99), factor: factor(dice) },
                    5 => Self::Another,
                    _ => Self::Verdict,
                }),
                _ => calls.push(Self::draw(world, dice)),
            }
        }
        if dice.chance(0.5) {
            calls.push(Self::Record);
        }
        if dice.chance(0.2) {
            calls.push(Self::Replay);
        }
        calls
    }

    fn draw(world: &World, dice: &mut Dice) -> Self {
        let which = dice.whole(0, 999);
        let word = Word::draw(dice);
        let choice = dice.weighed(&[
            (16.0, 0),
            (3.0, 1),
            (26.0, 2),
            (5.0, 3),
            (3.0, 4),
            (9.0, 5),
            (10.0, 6),
            (7.0, 7),
            (3.0, 8),
            (4.0, 9),
            (3.0, 10),
            (2.0, 11),
            (0.5, 12),
            (5.0, 13),
            (5.0, 14),
            (3.0, 15),
            (1.0, 16),
            (3.0, 17),
            (3.0, 18),
            (3.0, 19),
            (1.0, 20),
            (1.0, 21),
            (2.0, 22),
        ]);
        match choice {
            0 => Self::Ask,
            1 => Self::AskSeveral(dice.weighed(&[(0.6, 2), (0.37, 5), (0.03, 20)])),
            2 => Self::Tell { which, word },
            3 => Self::TellAgain { which, word },
            4 => Self::TellUnknown { beyond: dice.pick(&[0, 1, 1000, usize::MAX / 2]), word },
            5 => Self::TellCost { which, factor: factor(dice) },
            6 => Self::Import { place: Place::draw(world.domain.parameters(), dice), word },
            7 => Self::Verdict,
            8 => Self::VerdictTwice,
            9 => Self::LambdaFromBudget(dice.pick(&[
                -1e-6,
                0.5,
                1.0,
                2.0,
                1e6,
                f64::NAN,
                f64::INFINITY,
                -1.0,
            ])),
            10 => {
                let wrong = dice.chance(0.4);
                let policy = if wrong {
                    PolicySpec::draw_wrong(dice)
                } else {
                    PolicySpec::draw(world.domain.dim(), world.objective.unit, 1.0, dice)
                };
                Self::ChangeAcquisition { policy, wrong }
            }
            11 => Self::Record,
            12 => Self::Replay,
            13 => Self::Withdraw { which },
            14 => Self::Correct { which, word },
            15 => Self::TellLate { which, word },
            16 => Self::Spoil(dice.seed()),
            17 => Self::NoteRunning { which, factor: factor(dice) },
            18 => Self::Another,
            19 => Self::Recommendation,
            20 => Self::AskTogether { count: dice.whole(1, 5), jointly: dice.chance(0.3) },
            21 => Self::AskWithin(factor(dice)),
            _ => Self::ask_where(dice),
        }
    }

    fn ask_where(dice: &mut Dice) -> Self {
        let side = dice.pick(&[Side::Equal, Side::Least, Side::Most]);
        Self::AskWhere { which: dice.whole(0, 999), parameter: dice.whole(0, 999), side }
    }

    /// The name in the table of operations.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ask | Self::AskSeveral(_) => "ask",
            Self::AskTogether { jointly: false, .. } => "ask for many",
            Self::AskTogether { jointly: true, .. } => "ask jointly",
            Self::AskWithin(_) => "ask within a limit",
            Self::AskWhere { .. } => "ask for a part of the space",
            Self::Tell { .. } => "tell",
            Self::TellLate { .. } => "tell late",
            Self::TellAgain { .. } => "tell again",
            Self::TellUnknown { .. } => "tell an unknown trial",
            Self::TellCost { .. } => "tell a cost",
            Self::Import { .. } => "import",
            Self::Withdraw { .. } => "withdraw",
            Self::Correct { .. } => "correct",
            Self::Verdict => "verdict",
            Self::NoteRunning { .. } => "note a running trial",
            Self::VerdictTwice => "verdict twice",
            Self::Another => "verdict on another",
            Self::LambdaFromBudget(_) => "price for a budget",
            Self::ChangeAcquisition { .. } => "change the acquisition",
            Self::Recommendation => "recommendation",
            Self::Record => "record and back",
            Self::Replay => "replay",
            Self::Spoil(_) => "spoil the record",
        }
    }

    /// How many operations it is.
    pub fn operations(&self) -> usize {
        match self {
            Self::AskSeveral(count) | Self::AskTogether { count, .. } => *count,
            Self::VerdictTwice | Self::Another => 2,
            _ => 1,
        }
    }

    /// What it tells, if it tells something.
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

    /// Whether it only looks: it must leave no trace.
    pub fn only_looks(&self) -> bool {
        matches!(self, Self::Record | Self::Replay | Self::Spoil(_))
    }

    /// Whether an error of it leaves no trace: it is found before anything is computed from what
    /// was told.
    pub fn fails_early(&self) -> bool {
        self.word().is_some()
            || matches!(
                self,
                Self::TellCost { .. }
                    | Self::NoteRunning { .. }
                    | Self::Withdraw { .. }
                    | Self::ChangeAcquisition { .. }
            )
    }
}

impl Word {
    /// Mostly complete trials, a failure now and then.
    pub fn sound(dice: &mut Dice) -> Self {
        let outcome = dice.weighed(&[
            (0.9, Saying::Objective),
            (0.06, Saying::Failed),
            (0.04, Saying::Infeasible),
        ]);
        Self { outcome, cost: Cost::Fitting }
    }

    pub fn draw(dice: &mut Dice) -> Self {
        let outcome = match dice.weighed(&[
            (0.55, 0),
            (0.08, 1),
            (0.08, 2),
            (0.08, 3),
            (0.11, 4),
            (0.1, 5),
        ]) {
            0 => Saying::Objective,
            1 => Saying::Like(dice.whole(0, 99)),
            2 => Saying::Units(dice.pick(&[0.0, -0.0, 1.0, -1.0, 1000.0, -1e6])),
            3 if dice.chance(0.8) => {
                Saying::Raw(dice.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]))
            }
            3 => Saying::Raw(dice.pick(&[f64::MAX, -f64::MAX, 1e300, f64::MIN_POSITIVE, 5e-324])),
            4 => Saying::Failed,
            _ => Saying::Infeasible,
        };
        let cost = match dice.weighed(&[(0.6, 0), (0.15, 1), (0.08, 2), (0.1, 3), (0.07, 4)]) {
            0 => Cost::Fitting,
            1 => Cost::Times(factor(dice)),
            2 => Cost::Silent,
            3 => Cost::Later,
            _ if dice.chance(0.8) => Cost::Raw(dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY])),
            _ => Cost::Raw(dice.pick(&[f64::MAX, 1e300, 5e-324])),
        };
        Self { outcome, cost }
    }

    /// Whether it tells a number at the ends of double precision, whose square is none.
    pub fn is_extreme(&self) -> bool {
        let ends = |number: f64| number.is_finite() && !(1e-100..=1e100).contains(&number.abs());
        let outcome = if let Saying::Raw(raw) = self.outcome { ends(raw) } else { false };
        outcome || matches!(self.cost, Cost::Raw(raw) if ends(raw))
    }

    /// How it leaves the trial.
    pub fn state(&self) -> TrialState {
        match self.outcome {
            Saying::Failed => TrialState::Failed,
            Saying::Infeasible => TrialState::Infeasible,
            _ => TrialState::Complete,
        }
    }
}

impl Place {
    pub fn draw(dim: usize, dice: &mut Dice) -> Self {
        match dice.weighed(&[(0.55, 0), (0.15, 1), (0.2, 2), (0.05, 3), (0.05, 4)]) {
            0 => Self::At(dice.point(dim)),
            1 => Self::Like(dice.whole(0, 99)),
            2 => Self::Spoiled {
                unit: dice.point(dim),
                index: dice.whole(0, dim - 1),
                value: dice.pick(&[
                    f64::NAN.into(),
                    f64::INFINITY.into(),
                    f64::MAX.into(),
                    (-1e305).into(),
                    0.123456789.into(),
                    "nobody".into(),
                    true.into(),
                    Value::Absent,
                ]),
            },
            3 => Self::Long,
            _ => Self::Short,
        }
    }
}

/// What a cost is multiplied by: mostly a factor that leaves it a cost.
fn factor(dice: &mut Dice) -> f64 {
    dice.weighed(&[
        (0.5, 1.0),
        (0.2, 0.01),
        (0.15, 30.0),
        (0.05, 0.0),
        (0.04, -1.0),
        (0.03, f64::NAN),
        (0.03, f64::INFINITY),
    ])
}
