//! Where something is imported.

use gittins::Value;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::domain::DomainSpec;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Place {
    At(Vec<f64>),
    /// Where an earlier trial was.
    Like(usize),
    /// At a point, with one value replaced by one of the odd ones.
    Spoiled {
        unit: Vec<f64>,
        index: usize,
        odd: usize,
    },
    /// With a value too many or too few.
    Long,
    Short,
}

/// Values that few parameters have.
fn odd() -> [Value; 8] {
    let numbers = [f64::NAN, f64::INFINITY, f64::MAX, -1e305, 0.123456789].map(Value::from);
    let [a, b, c, d, e] = numbers;
    [a, b, c, d, e, "nobody".into(), true.into(), Value::Absent]
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
            Self::Spoiled { unit, index, odd } => {
                let mut values = domain.values(unit);
                values[*index] = self::odd()[*odd].clone();
                values
            }
            Self::Long => [middle(), vec![0.5.into()]].concat(),
            Self::Short => middle()[1..].to_vec(),
        }
    }

    pub fn draw(dim: usize, dice: &mut Dice) -> Self {
        match dice.index(&[0.55, 0.15, 0.2, 0.05, 0.05]) {
            0 => Self::At(dice.point(dim)),
            1 => Self::Like(dice.whole(0, 99)),
            2 => {
                let unit = dice.point(dim);
                let index = dice.whole(0, dim - 1);
                Self::Spoiled { unit, index, odd: dice.whole(0, 7) }
            }
            3 => Self::Long,
            _ => Self::Short,
        }
    }
}
