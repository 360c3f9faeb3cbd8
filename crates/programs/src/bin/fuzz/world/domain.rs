//! What is searched: boxes with axes of every kind and strange bounds, mixed spaces, and tables with
//! twin rows.

use gittins::{Domain, Space, Table, Value};

use crate::dice::Dice;
use crate::world::axis::{Axis, Scale, axis, name, small_int};
use crate::world::mixed::Mixed;

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Column {
    /// Numbers: whether they are on a log scale, and bounds beside their own extremes.
    Line {
        log: bool,
        within: Option<(f64, f64)>,
    },
    /// Some of so many names.
    Names(usize),
    Flags,
}

/// A space or a table, written down.
#[derive(Debug, Clone, PartialEq)]
pub enum DomainSpec {
    Space(Vec<(String, Axis)>),
    Mixed(Mixed),
    Table { columns: Vec<(String, Column)>, rows: Vec<Vec<Value>> },
}

/// The share of spaces that are mixed, and of tables with names, flags and gaps.
const MIXED: f64 = 0.35;

/// What stands in columns of names.
const WORDS: [&str; 6] = ["oak", "1.0", "ash, old", "true", "5", "nan"];

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
        match (dice.chance(0.35), dice.chance(MIXED)) {
            (true, mixed) => Self::table(dim, mixed, dice),
            (false, true) => Self::Mixed(Mixed::draw(dice)),
            (false, false) => Self::space(dim, dice),
        }
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

    fn table(dim: usize, mixed: bool, dice: &mut Dice) -> Self {
        let columns: Vec<(String, Column)> = (0..dim)
            .map(|index| {
                let log = dice.chance(0.3);
                let within = dice.chance(0.2).then(|| (if log { 1e-3 } else { -4.0 }, 20.0));
                let column = match () {
                    () if mixed && dice.chance(0.35) => Column::Names(dice.whole(1, WORDS.len())),
                    () if mixed && dice.chance(0.25) => Column::Flags,
                    () => Column::Line { log, within },
                };
                (name(index, dice), column)
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
        let gaps = if mixed && dice.chance(0.3) { 0.15 } else { 0.0 };
        let mut rows: Vec<Vec<Value>> = Vec::with_capacity(count);
        for _ in 0..count {
            if !rows.is_empty() && dice.chance(0.15) {
                rows.push(dice.pick(&rows));
                continue;
            }
            let cell = |(_, column): &(String, Column)| {
                let u = dice.whole(0, levels) as f64 / levels as f64;
                if gaps > 0.0 && dice.chance(gaps) {
                    return Value::Absent;
                }
                match column {
                    Column::Names(count) => WORDS[dice.whole(0, count - 1)].into(),
                    Column::Flags => dice.chance(0.5).into(),
                    Column::Line { log: true, .. } => (1e-4 * 1e6_f64.powf(u)).into(),
                    Column::Line { .. } if close => (5.0 - 1e-15 * u.round()).into(),
                    Column::Line { .. } => (-3.0 + 8.0 * u).into(),
                }
            };
            rows.push(columns.iter().map(cell).collect());
        }
        Self::Table { columns, rows }
    }

    /// The number of columns of the unit cube.
    pub fn dim(&self) -> usize {
        match self {
            Self::Space(axes) => axes.len(),
            Self::Mixed(space) => space.dim(),
            Self::Table { .. } => self.widths().into_iter().sum(),
        }
    }

    /// The number of values of a point.
    pub fn parameters(&self) -> usize {
        match self {
            Self::Space(axes) => axes.len(),
            Self::Mixed(space) => space.items.len(),
            Self::Table { columns, .. } => columns.len(),
        }
    }

    /// The number of parameters that may tell points apart.
    pub fn varied(&self) -> usize {
        match self {
            Self::Space(axes) => axes.len(),
            Self::Mixed(space) => space.varied(),
            Self::Table { columns, .. } => columns.len(),
        }
    }

    /// The names in a column of a table, in the order of the rows.
    fn words(&self, column: usize) -> Vec<&Value> {
        let Self::Table { rows, .. } = self else { return Vec::new() };
        let mut words = Vec::new();
        for value in rows.iter().map(|row| &row[column]) {
            if matches!(value, Value::Name(_)) && !words.contains(&value) {
                words.push(value);
            }
        }
        words
    }

    /// How many columns of the unit cube each column of a table has.
    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| match self.words(column).len() {
            0..=2 => 1,
            words => words,
        };
        (0..self.parameters()).map(width).collect()
    }

    /// As the library takes it.
    pub fn build(&self) -> gittins::Result<Domain> {
        Ok(match self {
            Self::Space(axes) => {
                axes.iter().fold(Space::new(), |space, (name, axis)| axis.add(space, name)).into()
            }
            Self::Mixed(space) => space.build().into(),
            Self::Table { columns, rows } => {
                let mut table =
                    Table::new(columns.iter().map(|(name, _)| name.clone()), rows.clone())?;
                for (name, column) in columns {
                    let &Column::Line { log, within } = column else { continue };
                    if let Some((low, high)) = within {
                        table = table.within(name, low, high)?;
                    }
                    if log {
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
            Self::Mixed(space) => space.points().map(|points| points.len()),
            Self::Space(axes) => axes.iter().try_fold(1_usize, |count, (_, axis)| match axis {
                Axis::Int(low, high) => count
                    .checked_mul(usize::try_from(high.checked_sub(*low)?.checked_add(1)?).ok()?),
                Axis::Float(..) | Axis::Log(..) => None,
            }),
        }
    }

    /// How the code of each value is scaled, for functions of the values.
    pub fn scales(&self) -> Vec<Scale> {
        match self {
            Self::Space(axes) => axes.iter().map(|(_, axis)| axis.scale()).collect(),
            Self::Mixed(space) => space.scales(),
            Self::Table { columns, .. } => columns
                .iter()
                .map(|(_, column)| match column {
                    Column::Line { log: true, .. } => (1e-4, 1e2, true),
                    Column::Line { .. } => (-3.0, 5.0, false),
                    Column::Names(_) => (0.0, WORDS.len() as f64, false),
                    Column::Flags => (0.0, 1.0, false),
                })
                .collect(),
        }
    }

    /// Values as numbers: a flag is 0 or 1, a name counts by its index, NaN is what is absent.
    pub fn codes(&self, values: &[Value]) -> Vec<f64> {
        if let Self::Mixed(space) = self {
            return space.codes(values);
        }
        let code = |(column, value): (usize, &Value)| match value {
            Value::Name(_) => {
                let place = self.words(column).into_iter().position(|word| word == value);
                place.map_or(f64::NAN, |place| place as f64)
            }
            _ => value.number().unwrap_or(f64::NAN),
        };
        values.iter().enumerate().map(code).collect()
    }

    /// The values as the domain has them; none if they are those of no point.
    pub fn typed(&self, values: &[Value]) -> Option<Vec<Value>> {
        match self {
            Self::Space(axes) => {
                let typed = |((_, axis), value): (&(String, Axis), &Value)| match value {
                    Value::Int(_) | Value::Float(_) => value
                        .number()
                        .filter(|number| axis.contains(*number))
                        .map(|number| axis.typed(number)),
                    _ => None,
                };
                (values.len() == axes.len())
                    .then(|| axes.iter().zip(values).map(typed).collect())
                    .flatten()
            }
            Self::Mixed(space) => space.typed(values),
            Self::Table { rows, .. } => {
                // A name may have been read as a number or a flag, and a number need not be typed.
                let same = |(cell, value): (&Value, &Value)| match cell {
                    Value::Name(name) => **name == *value.to_string(),
                    Value::Float(number) => value.number() == Some(*number),
                    _ => cell == value,
                };
                let fits = |row: &&Vec<Value>| {
                    row.len() == values.len() && row.iter().zip(values).all(same)
                };
                rows.iter().find(fits).cloned()
            }
        }
    }

    /// The values of a point that was drawn in a cube of as many coordinates as there are
    /// parameters: inside the bounds, whole where they must be, those of a row in a table. Only
    /// constraints may be broken.
    pub fn values(&self, unit: &[f64]) -> Vec<Value> {
        match self {
            Self::Space(axes) => {
                axes.iter().zip(unit).map(|((_, axis), u)| axis.typed(axis.value(*u))).collect()
            }
            Self::Mixed(space) => space.values(unit),
            Self::Table { rows, .. } => {
                rows[((unit[0] * rows.len() as f64) as usize).min(rows.len() - 1)].clone()
            }
        }
    }
}
