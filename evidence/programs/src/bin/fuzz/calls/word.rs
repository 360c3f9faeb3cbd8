//! What a call tells of a trial: an outcome, a cost, measured numbers.

use gittins::study::TrialState;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// What a cost is multiplied by: mostly a factor that leaves it a cost.
pub fn factor(dice: &mut Dice) -> Any {
    let factors = [1.0, 0.01, 30.0, 0.0, -1.0, f64::NAN, f64::INFINITY];
    Any(factors[dice.index(&[0.5, 0.2, 0.15, 0.05, 0.04, 0.03, 0.03])])
}

/// A number that may be none, written as text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Any(pub f64);

impl TryFrom<String> for Any {
    type Error = std::num::ParseFloatError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<Any> for String {
    fn from(Any(number): Any) -> Self {
        number.to_string()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Word {
    pub outcome: Saying,
    pub cost: Cost,
    #[serde(default)]
    pub measured: Measuring,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Saying {
    /// What the objective says.
    Objective,
    /// What an earlier trial had.
    Like(usize),
    /// So many units of the objective.
    Units(f64),
    Raw(Any),
    Failed,
    Infeasible,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Cost {
    /// As the study needs it: told where it is learned and not told yet, else not.
    Fitting,
    /// Told whatever the study knows, times this.
    Times(Any),
    Silent,
    Later,
    Raw(Any),
}

/// What is told of the numbers that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measuring {
    #[default]
    All,
    First,
    Nothing,
    /// That none could be measured.
    Missing,
    /// Numbers that are infinite.
    Infinite,
    /// A number without a limit, besides.
    Unknown,
    /// This in place of each, whatever the unit.
    Raw(Any),
}

impl Word {
    pub fn sound(dice: &mut Dice) -> Self {
        let sayings = [Saying::Objective, Saying::Failed, Saying::Infeasible];
        let outcome = sayings[dice.index(&[0.9, 0.06, 0.04])];
        Self { outcome, cost: Cost::Fitting, measured: Measuring::All }
    }

    /// A trial that broke.
    pub fn broken(dice: &mut Dice) -> Self {
        Self { outcome: Saying::Failed, ..Self::draw(dice) }
    }

    pub fn draw(dice: &mut Dice) -> Self {
        let nothing = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let ends = [f64::MAX, -f64::MAX, 1e300, f64::MIN_POSITIVE, 5e-324];
        let outcome = match dice.index(&[0.55, 0.08, 0.08, 0.06, 0.02, 0.11, 0.1]) {
            0 => Saying::Objective,
            1 => Saying::Like(dice.whole(0, 99)),
            2 => Saying::Units(dice.pick(&[0.0, -0.0, 1.0, -1.0, 1000.0, -1e6])),
            3 => Saying::Raw(Any(dice.pick(&nothing))),
            4 => Saying::Raw(Any(dice.pick(&ends))),
            5 => Saying::Failed,
            _ => Saying::Infeasible,
        };
        let cost = match dice.index(&[0.6, 0.15, 0.08, 0.1, 0.055, 0.015]) {
            0 => Cost::Fitting,
            1 => Cost::Times(factor(dice)),
            2 => Cost::Silent,
            3 => Cost::Later,
            4 => Cost::Raw(Any(dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY]))),
            _ => Cost::Raw(Any(dice.pick(&[f64::MAX, 1e300, 5e-324]))),
        };
        let all = [
            Measuring::All,
            Measuring::First,
            Measuring::Nothing,
            Measuring::Missing,
            Measuring::Infinite,
            Measuring::Unknown,
            Measuring::Raw(Any(dice.pick(&ends))),
        ];
        let measured = all[dice.index(&[0.72, 0.06, 0.08, 0.06, 0.03, 0.02, 0.03])];
        Self { outcome, cost, measured }
    }

    /// Whether it tells a number at the ends of double precision, whose square is none.
    pub fn is_extreme(&self) -> bool {
        let ends =
            |Any(number): Any| number.is_finite() && !(1e-100..=1e100).contains(&number.abs());
        matches!(self.outcome, Saying::Raw(raw) if ends(raw))
            || matches!(self.cost, Cost::Raw(raw) if ends(raw))
            || matches!(self.measured, Measuring::Raw(raw) if ends(raw))
    }

    pub fn state(&self) -> TrialState {
        match self.outcome {
            Saying::Failed => TrialState::Failed,
            Saying::Infeasible => TrialState::Infeasible,
            _ => TrialState::Complete,
        }
    }
}
