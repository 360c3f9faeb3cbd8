//! What can be asked of a study, written down so that any part of a sequence can be played: what a
//! call means is decided by the books when its turn comes.

mod factor;
mod number;
mod word;

use gittins::Value;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::World;
use crate::world::domain::DomainSpec;
use crate::world::policy::PolicySpec;

use factor::factor;
pub use word::{Cost, Measuring, Saying, Word};

/// One call, or a few that belong together.
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
        #[serde(with = "number")]
        factor: f64,
    },
    /// A point of a part of the space: a parameter is what it is in any trial, at least that or at
    /// most that.
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
        #[serde(with = "number")]
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
        #[serde(with = "number")]
        factor: f64,
    },
    Verdict,
    VerdictTwice,
    /// Whether another trial is worth its price beside those pending.
    VerdictOnAnother,
    /// A price for so many times what the design cost.
    PriceForBudget {
        #[serde(with = "number")]
        times: f64,
    },
    ChangePolicy(PolicySpec),
    /// One that must be refused.
    SpoilPolicy(u64),
    Recommendation,
    RecordAndBack,
    Replay,
    /// Makes something else of the record.
    SpoilRecord(u64),
    /// Makes the study again from its events, which goes along for a while.
    Resume,
}

/// The share of calls after which a study is made again from its events.
const RESUMED: f64 = 0.1;

/// Who is told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whom {
    UnderWay(usize),
    Withdrawn(usize),
    /// A trial that was told before.
    Told(usize),
    /// A trial that is not there, so many beyond the last.
    Beyond(usize),
}

/// Where something is imported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Place {
    At(Vec<f64>),
    /// Where an earlier trial was.
    Like(usize),
    /// At a point, with one value replaced.
    Spoiled {
        unit: Vec<f64>,
        index: usize,
        #[serde(with = "value")]
        value: Value,
    },
    /// With a value too many or too few.
    Long,
    Short,
}

/// What a parameter must be, beside the value that it has in a trial.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Side {
    Equal,
    Least,
    Most,
}

/// A value that may be a number that is none, which is written alone.
mod value {
    use gittins::Value;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Value, to: S) -> Result<S::Ok, S::Error> {
        let number = if let Value::Float(number) = value { Some(number.to_string()) } else { None };
        (number, value).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
        let (number, value): (Option<String>, Value) = Deserialize::deserialize(from)?;
        Ok(number.and_then(|number| number.parse::<f64>().ok()).map_or(value, Value::from))
    }
}

impl Call {
    /// A sequence for a study.
    pub fn draw_all(world: &World, dice: &mut Dice) -> Vec<Self> {
        // Ask, tell, verdict; several pending trials; anything.
        let mood = dice.index(&[0.35, 0.25, 0.4]);
        // What takes long gets fewer.
        let most = [50, 100, 250][dice.index(&[0.5, 0.4, 0.1])];
        let most = if world.domain.parameters() > 6 { 24 } else { most };
        let length = dice.whole(6, most);
        let mut calls = Vec::with_capacity(length + 1);
        let sound = |which, dice: &mut Dice| Self::Tell {
            whom: Whom::UnderWay(which),
            word: Word::sound(dice),
        };
        // As many workers as a finite space has settings, or more, before the first is told.
        if world.domain.build().is_finite() && dice.chance(0.3) {
            calls.extend([Self::Ask { count: 40 }, Self::Ask { count: 3 }]);
        }
        while calls.len() < length {
            match mood {
                0 if dice.chance(0.93) => {
                    calls.extend([Self::Ask { count: 1 }, sound(0, dice)]);
                    calls.push(if dice.chance(0.9) { Self::Verdict } else { Self::VerdictTwice });
                }
                1 if dice.chance(0.85) => calls.push(match dice.whole(0, 8) {
                    0 => Self::Ask { count: dice.whole(1, 4) },
                    1..=3 => sound(dice.whole(0, 99), dice),
                    4 => Self::NoteRunning { which: dice.whole(0, 99), factor: factor(dice) },
                    5 => Self::VerdictOnAnother,
                    6 => Self::ask_together(dice),
                    7 if dice.chance(0.5) => Self::ask_where(dice),
                    7 => Self::AskWithin { factor: factor(dice) },
                    _ => Self::Verdict,
                }),
                _ => calls.push(Self::draw(world, dice)),
            }
        }
        calls.extend(dice.chance(0.5).then_some(Self::RecordAndBack));
        calls.extend(dice.chance(0.2).then_some(Self::Replay));
        let resumed = |call| [Some(call), dice.chance(RESUMED).then_some(Self::Resume)];
        calls.into_iter().flat_map(resumed).flatten().collect()
    }

    fn draw(world: &World, dice: &mut Dice) -> Self {
        let which = dice.whole(0, 999);
        let word = Word::draw(dice);
        let weights = [
            16.0, 3.0, 26.0, 5.0, 3.0, 9.0, 10.0, 7.0, 3.0, 4.0, 2.0, 2.0, 0.5, 5.0, 5.0, 3.0, 1.0,
            3.0, 3.0, 3.0, 1.0, 1.0, 2.0, 1.0,
        ];
        match dice.index(&weights) {
            0 => Self::Ask { count: 1 },
            1 => Self::Ask { count: dice.weighed(&[(0.6, 2), (0.37, 5), (0.03, 20)]) },
            2 => Self::Tell { whom: Whom::UnderWay(which), word },
            3 => Self::Tell { whom: Whom::Told(which), word },
            4 => {
                let beyond = dice.pick(&[0, 1, 1000, usize::MAX / 2]);
                Self::Tell { whom: Whom::Beyond(beyond), word }
            }
            5 => Self::TellCost { which, factor: factor(dice) },
            6 => Self::Import { place: Place::draw(world.domain.parameters(), dice), word },
            7 => Self::Verdict,
            8 => Self::VerdictTwice,
            9 => {
                let times = [-1e-6, 0.5, 1.0, 2.0, 1e6, f64::NAN, f64::INFINITY, -1.0];
                Self::PriceForBudget { times: dice.pick(&times) }
            }
            10 => {
                let (dim, unit) = (world.domain.dim(), world.objective.unit);
                Self::ChangePolicy(PolicySpec::draw(dim, unit, dice))
            }
            11 => Self::RecordAndBack,
            12 => Self::Replay,
            13 => Self::Withdraw { which },
            14 => Self::Correct { which, word },
            15 => Self::Tell { whom: Whom::Withdrawn(which), word },
            16 => Self::SpoilRecord(dice.seed()),
            17 => Self::NoteRunning { which, factor: factor(dice) },
            18 => Self::VerdictOnAnother,
            19 => Self::Recommendation,
            20 => Self::ask_together(dice),
            21 => Self::AskWithin { factor: factor(dice) },
            22 => Self::ask_where(dice),
            _ => Self::SpoilPolicy(dice.seed()),
        }
    }

    fn ask_together(dice: &mut Dice) -> Self {
        Self::AskTogether { count: dice.whole(1, 5), jointly: dice.chance(0.3) }
    }

    fn ask_where(dice: &mut Dice) -> Self {
        let side = dice.pick(&[Side::Equal, Side::Least, Side::Most]);
        Self::AskWhere { which: dice.whole(0, 999), parameter: dice.whole(0, 999), side }
    }

    /// The name in the table of operations.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ask { .. } => "ask",
            Self::AskTogether { jointly: false, .. } => "ask for many",
            Self::AskTogether { jointly: true, .. } => "ask jointly",
            Self::AskWithin { .. } => "ask within a limit",
            Self::AskWhere { .. } => "ask for a part of the space",
            Self::Tell { whom: Whom::UnderWay(_), .. } => "tell",
            Self::Tell { whom: Whom::Withdrawn(_), .. } => "tell late",
            Self::Tell { whom: Whom::Told(_), .. } => "tell again",
            Self::Tell { whom: Whom::Beyond(_), .. } => "tell an unknown trial",
            Self::TellCost { .. } => "tell a cost",
            Self::Import { .. } => "import",
            Self::Withdraw { .. } => "withdraw",
            Self::Correct { .. } => "correct",
            Self::Verdict => "verdict",
            Self::NoteRunning { .. } => "note a running trial",
            Self::VerdictTwice => "verdict twice",
            Self::VerdictOnAnother => "verdict on another",
            Self::PriceForBudget { .. } => "price for a budget",
            Self::ChangePolicy(_) | Self::SpoilPolicy(_) => "change the acquisition",
            Self::Recommendation => "recommendation",
            Self::RecordAndBack => "record and back",
            Self::Replay => "replay",
            Self::SpoilRecord(_) => "spoil the record",
            Self::Resume => "events and back",
        }
    }

    /// How many operations it is.
    pub fn operations(&self) -> usize {
        match self {
            Self::Ask { count } | Self::AskTogether { count, .. } => *count,
            Self::VerdictTwice | Self::VerdictOnAnother => 2,
            _ => 1,
        }
    }

    /// What it tells, if it tells something.
    pub fn word(&self) -> Option<&Word> {
        match self {
            Self::Tell { word, .. } | Self::Import { word, .. } | Self::Correct { word, .. } => {
                Some(word)
            }
            _ => None,
        }
    }

    /// Whether it only looks: it must leave no trace.
    pub fn only_looks(&self) -> bool {
        let looks = [Self::RecordAndBack, Self::Replay, Self::Resume];
        looks.contains(self) || matches!(self, Self::SpoilRecord(_))
    }

    /// Whether an error of it leaves no trace: it is found before anything is computed from what
    /// was told.
    pub fn fails_early(&self) -> bool {
        let changes = matches!(self, Self::ChangePolicy(_) | Self::SpoilPolicy(_));
        let marks = matches!(self, Self::TellCost { .. } | Self::NoteRunning { .. });
        self.word().is_some() || changes || marks || matches!(self, Self::Withdraw { .. })
    }
}

impl Place {
    /// The values, which may be those of no point; those of earlier trials are known.
    pub fn values(&self, domain: &DomainSpec, known: &[&Vec<Value>]) -> Vec<Value> {
        let middle = || domain.values(&vec![0.5; domain.parameters()]);
        match self {
            Self::At(unit) => domain.values(unit),
            Self::Like(which) => {
                which.checked_rem(known.len()).map_or_else(middle, |place| known[place].clone())
            }
            Self::Spoiled { unit, index, value } => {
                let mut values = domain.values(unit);
                values[*index] = value.clone();
                values
            }
            Self::Long => [middle(), vec![0.5.into()]].concat(),
            Self::Short => middle()[1..].to_vec(),
        }
    }

    pub fn draw(dim: usize, dice: &mut Dice) -> Self {
        let numbers = [f64::NAN, f64::INFINITY, f64::MAX, -1e305, 0.123456789].map(Value::from);
        let others = ["nobody".into(), true.into(), Value::Absent];
        match dice.index(&[0.55, 0.15, 0.2, 0.05, 0.05]) {
            0 => Self::At(dice.point(dim)),
            1 => Self::Like(dice.whole(0, 99)),
            2 => Self::Spoiled {
                unit: dice.point(dim),
                index: dice.whole(0, dim - 1),
                value: dice.pick(&[numbers.as_slice(), &others].concat()),
            },
            3 => Self::Long,
            _ => Self::Short,
        }
    }
}
