//! Where something is imported.

use gittins::Value;
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::domain::DomainSpec;

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
