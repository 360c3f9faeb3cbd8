//! What is searched: spaces of every kind of parameters, and tables with twin rows.

use gittins::study::Candidates;
use gittins::{Domain, Space, Table, Value};
use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::world::kind::{Kind, Scale};
use crate::world::space::SpaceSpec;
use crate::world::space::drawing::name;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Column {
    /// Numbers: whether they are on a log scale.
    Line {
        log: bool,
    },
    /// Some of so many names.
    Names(usize),
    Flags,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DomainSpec {
    Space(SpaceSpec),
    Table { columns: Vec<(String, Column)>, rows: Vec<Vec<Value>> },
}

/// The share of spaces that are mixed, and of tables with names, flags and gaps.
const MIXED: f64 = 0.35;

const WORDS: [&str; 6] = ["oak", "1.0", "ash, old", "true", "5", "nan"];

impl DomainSpec {
    pub fn draw(dice: &mut Dice) -> Self {
        let dims = [1, 2, 3, 4, 5, 6, 20, 60];
        let dim = dims[dice.index(&[0.3, 0.3, 0.18, 0.09, 0.06, 0.05, 0.02, 0.002])];
        let is_table = dice.chance(0.35);
        let mixed = dice.chance(MIXED);
        match () {
            () if is_table => Self::table(dim, mixed, dice),
            () if mixed => Self::Space(SpaceSpec::draw(dice)),
            () => Self::numbers(dim, dice),
        }
    }

    pub fn numbers(dim: usize, dice: &mut Dice) -> Self {
        Self::Space(SpaceSpec::numbers(dim, dice))
    }

    pub fn kinds(&self) -> Vec<&Kind> {
        let Self::Space(space) = self else { return Vec::new() };
        space.items.iter().map(|item| &item.kind).collect()
    }

    fn table(dim: usize, mixed: bool, dice: &mut Dice) -> Self {
        let columns: Vec<(String, Column)> = (0..dim)
            .map(|index| {
                let column = match () {
                    () if mixed && dice.chance(0.35) => Column::Names(dice.whole(1, WORDS.len())),
                    () if mixed && dice.chance(0.25) => Column::Flags,
                    () => Column::Line { log: dice.chance(0.3) },
                };
                (name(index, dice), column)
            })
            .collect();
        let counts = [1, 2, 8, 20, 40, 200, 1500];
        let count = counts[dice.index(&[0.05, 0.1, 0.25, 0.35, 0.2, 0.05, 0.01])];
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
                    Column::Line { log: true } => (1e-4 * 1e6_f64.powf(u)).into(),
                    Column::Line { .. } if close => (5.0 - 1e-15 * u.round()).into(),
                    Column::Line { .. } => (-3.0 + 8.0 * u).into(),
                }
            };
            rows.push(columns.iter().map(cell).collect());
        }
        Self::Table { columns, rows }
    }

    pub fn dim(&self) -> usize {
        match self {
            Self::Space(space) => space.dim(),
            // A column of more than two names has one for each.
            Self::Table { columns, .. } => (0..columns.len())
                .map(|column| match self.words(column).len() {
                    0..=2 => 1,
                    words => words,
                })
                .sum(),
        }
    }

    pub fn parameters(&self) -> usize {
        match self {
            Self::Space(space) => space.items.len(),
            Self::Table { columns, .. } => columns.len(),
        }
    }

    pub fn varied(&self) -> usize {
        if let Self::Space(space) = self { space.varied() } else { self.parameters() }
    }

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

    pub fn data(&self) -> (Option<Space>, Option<Candidates>) {
        match self {
            Self::Space(space) => (Some(space.build()), None),
            Self::Table { columns, rows } => {
                let log = |(_, column): &&(String, Column)| *column == Column::Line { log: true };
                let name = |(name, _): &(String, Column)| name.clone();
                let mut table = Candidates::default();
                table.names = Some(columns.iter().map(name).collect());
                table.rows = Some(rows.clone());
                table.log = Some(columns.iter().filter(log).map(name).collect());
                (None, Some(table))
            }
        }
    }

    /// As the library has it.
    pub fn build(&self) -> Domain {
        let (space, table) = self.data();
        let Some(Candidates { names, rows, log, .. }) = table else {
            return space.unwrap_or_default().into();
        };
        let table = Table::new(names.unwrap_or_default(), rows.unwrap_or_default());
        let log = log.unwrap_or_default();
        let table = log.iter().fold(table, |table, name| table.and_then(|table| table.log(name)));
        table.expect("a table that makes sense").into()
    }

    pub fn scales(&self) -> Vec<Scale> {
        let scale = |(_, column): &(String, Column)| match column {
            Column::Line { log: true } => Scale { low: 1e-4, high: 1e2, is_log: true },
            Column::Line { .. } => Scale::line(-3.0, 5.0),
            Column::Names(_) => Scale::line(0.0, WORDS.len() as f64),
            Column::Flags => Scale::line(0.0, 1.0),
        };
        match self {
            Self::Space(space) => space.scales(),
            Self::Table { columns, .. } => columns.iter().map(scale).collect(),
        }
    }

    /// Values as numbers: a flag is 0 or 1, a name counts by its index, NaN is what is absent.
    pub fn codes(&self, values: &[Value]) -> Vec<f64> {
        if let Self::Space(space) = self {
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

    pub fn is_bound(&self) -> bool {
        matches!(self, Self::Space(space) if !space.limits.is_empty())
    }

    /// The values as the domain has them; none if they are those of no point.
    pub fn typed(&self, values: &[Value]) -> Option<Vec<Value>> {
        match self {
            Self::Space(space) => space.typed(values),
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
            Self::Space(space) => space.values(unit),
            Self::Table { rows, .. } => {
                rows[((unit[0] * rows.len() as f64) as usize).min(rows.len() - 1)].clone()
            }
        }
    }
}
