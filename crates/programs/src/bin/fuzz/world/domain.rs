//! What is searched: boxes with axes of every kind and strange bounds, and tables with twin rows.

use gittins::{Domain, Space, Table};

use crate::dice::Dice;

/// How one coordinate varies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Axis {
    Float(f64, f64),
    Log(f64, f64),
    Int(i64, i64),
}

/// A column of a table: whether it is on a log scale, and bounds beside its own extremes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    pub log: bool,
    pub within: Option<(f64, f64)>,
}

/// A space or a table, written down.
#[derive(Debug, Clone, PartialEq)]
pub enum DomainSpec {
    Space(Vec<(String, Axis)>),
    Table { columns: Vec<(String, Column)>, rows: Vec<Vec<f64>> },
}

/// Names that a reader of CSV or JSON may stumble over.
const NAMES: [&str; 10] =
    ["x", "rate, of learning", "depth", "value.x", "Größe", "a\"b", "unit", "x;y", " ", "7"];

fn name(index: usize, dice: &mut Dice) -> String {
    if index < NAMES.len() && dice.chance(0.3) {
        NAMES[index].to_owned()
    } else {
        format!("p{index}")
    }
}

impl DomainSpec {
    pub fn draw(dice: &mut Dice) -> Self {
        let dim = dice.weighed(&[
            (0.30, 1),
            (0.30, 2),
            (0.18, 3),
            (0.09, 4),
            (0.06, 5),
            (0.05, 6),
            (0.02, 20),
            (0.002, 60),
        ]);
        if dice.chance(0.35) { Self::table(dim, dice) } else { Self::space(dim, dice) }
    }

    pub fn space(dim: usize, dice: &mut Dice) -> Self {
        // Whole numbers alone make a grid that is scored whole.
        let grid = dim <= 4 && dice.chance(0.2);
        Self::Space(
            (0..dim)
                .map(|index| (name(index, dice), if grid { small_int(dice) } else { axis(dice) }))
                .collect(),
        )
    }

    fn table(dim: usize, dice: &mut Dice) -> Self {
        let columns: Vec<(String, Column)> = (0..dim)
            .map(|index| {
                let log = dice.chance(0.3);
                let within = dice.chance(0.2).then(|| (if log { 1e-3 } else { -4.0 }, 20.0));
                (name(index, dice), Column { log, within })
            })
            .collect();
        let count = dice.weighed(&[
            (0.05, 1),
            (0.1, 2),
            (0.25, 8),
            (0.35, 20),
            (0.2, 40),
            (0.05, 200),
            (0.01, 1500),
        ]);
        let levels = dice.weighed(&[(0.2, 1), (0.3, 3), (0.5, 1000)]);
        // Neighbors that the unit interval hardly tells apart, or not at all.
        let close = dice.chance(0.05);
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(count);
        for _ in 0..count {
            if !rows.is_empty() && dice.chance(0.15) {
                rows.push(dice.pick(&rows));
                continue;
            }
            let cell = |(_, column): &(String, Column)| {
                let u = dice.whole(0, levels) as f64 / levels as f64;
                if column.log {
                    1e-4 * 1e6_f64.powf(u)
                } else if close {
                    5.0 - 1e-15 * u.round()
                } else {
                    -3.0 + 8.0 * u
                }
            };
            rows.push(columns.iter().map(cell).collect());
        }
        Self::Table { columns, rows }
    }

    pub fn dim(&self) -> usize {
        match self {
            Self::Space(axes) => axes.len(),
            Self::Table { columns, .. } => columns.len(),
        }
    }

    /// As the library takes it.
    pub fn build(&self) -> gittins::Result<Domain> {
        Ok(match self {
            Self::Space(axes) => {
                axes.iter().fold(Space::new(), |space, (name, axis)| axis.add(space, name)).into()
            }
            Self::Table { columns, rows } => {
                let mut table =
                    Table::new(columns.iter().map(|(name, _)| name.clone()), rows.clone())?;
                for (name, column) in columns {
                    if let Some((low, high)) = column.within {
                        table = table.within(name, low, high)?;
                    }
                    if column.log {
                        table = table.log(name)?;
                    }
                }
                table.into()
            }
        })
    }

    /// The number of points there are, if they can be counted.
    pub fn points(&self) -> Option<usize> {
        match self {
            Self::Table { rows, .. } => Some(rows.len()),
            Self::Space(axes) => axes.iter().try_fold(1_usize, |count, (_, axis)| match axis {
                Axis::Int(low, high) => count
                    .checked_mul(usize::try_from(high.checked_sub(*low)?.checked_add(1)?).ok()?),
                Axis::Float(..) | Axis::Log(..) => None,
            }),
        }
    }

    /// How each value is scaled to about the unit interval, by low and high and whether in
    /// logarithms: for functions of the values.
    pub fn scales(&self) -> Vec<(f64, f64, bool)> {
        match self {
            Self::Space(axes) => axes.iter().map(|(_, axis)| axis.scale()).collect(),
            Self::Table { columns, .. } => columns
                .iter()
                .map(|(_, column)| if column.log { (1e-4, 1e2, true) } else { (-3.0, 5.0, false) })
                .collect(),
        }
    }

    /// The values of a point that was drawn in the unit cube: inside the bounds, whole where they
    /// must be, those of a row in a table.
    pub fn values(&self, unit: &[f64]) -> Vec<f64> {
        match self {
            Self::Space(axes) => {
                axes.iter().zip(unit).map(|((_, axis), u)| axis.value(*u)).collect()
            }
            Self::Table { rows, .. } => {
                rows[((unit[0] * rows.len() as f64) as usize).min(rows.len() - 1)].clone()
            }
        }
    }
}

impl Axis {
    pub fn add(self, space: Space, name: &str) -> Space {
        match self {
            Self::Float(low, high) => space.float(name, low, high),
            Self::Log(low, high) => space.log_float(name, low, high),
            Self::Int(low, high) => space.int(name, low, high),
        }
    }

    fn scale(self) -> (f64, f64, bool) {
        match self {
            Self::Float(low, high) => (low, high, false),
            Self::Log(low, high) => (low, high, true),
            Self::Int(low, high) => (low as f64, high as f64, false),
        }
    }

    pub fn value(self, u: f64) -> f64 {
        match self {
            Self::Float(low, high) => (low + u * (high - low)).clamp(low, high),
            Self::Log(low, high) => (low.ln() + u * (high.ln() - low.ln())).exp().clamp(low, high),
            Self::Int(low, high) => (low as f64 + (u * (high as f64 - low as f64)).round())
                .clamp(low as f64, high as f64),
        }
    }
}

fn axis(dice: &mut Dice) -> Axis {
    match dice.weighed(&[(0.55, 0), (0.2, 1), (0.25, 2)]) {
        0 => dice.pick(&[
            Axis::Float(0.0, 1.0),
            Axis::Float(-5.0, 10.0),
            Axis::Float(-1.0, 1.0),
            Axis::Float(1e6, 1e6 + 1.0),
            Axis::Float(-1e12, 3e12),
            Axis::Float(0.0, 1e-9),
            Axis::Float(-1e150, 1e150),
        ]),
        1 => dice.pick(&[
            Axis::Log(1e-5, 1e-1),
            Axis::Log(1e-100, 1e100),
            Axis::Log(1.0, 1.0 + 1e-9),
            Axis::Log(0.5, 512.0),
        ]),
        _ => dice.pick(&[
            Axis::Int(0, 1),
            Axis::Int(2, 12),
            Axis::Int(-3, 3),
            Axis::Int(0, 1_000_000),
            Axis::Int(-(1 << 49), 1 << 49),
            Axis::Int(1_000_000, 1_000_003),
        ]),
    }
}

fn small_int(dice: &mut Dice) -> Axis {
    dice.pick(&[
        Axis::Int(0, 1),
        Axis::Int(0, 2),
        Axis::Int(-3, 3),
        Axis::Int(5, 8),
        Axis::Int(0, 11),
    ])
}
