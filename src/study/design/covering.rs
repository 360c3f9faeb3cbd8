//! What covers a domain most: names in turn, and the rows of a table that are to come next.

use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use crate::data::{Domain, Table};
use crate::math::sobol::Sobol;

/// Names are balanced among up to so many of them. Of more, two points of a design hardly ever share
/// one, whatever their numbers are.
const MOST: usize = 512;

/// Squared distances in the unit cube that differ by less are equal but for rounding: far above that
/// of some hundred terms, far below the square of any step.
const ROUNDING: f64 = 1e-12;

/// The draw at an index of the sequence. A number that chooses among `m` names stands at one of `m`
/// places: that of its rank among `m` numbers of the sequence in a row. So each name comes once
/// before one comes again. Where `m` is a power of two, the sequence has that by itself.
///
/// `choices` says among how many names each number chooses; 0 for what has an order.
pub fn balanced(sobol: &Sobol, index: usize, choices: &[usize]) -> Vec<f64> {
    if choices.is_empty() {
        return Vec::new();
    }
    let begin = |&m: &usize| index - index % m;
    let few = || choices.iter().filter(|m| (1..=MOST).contains(*m));
    let first = few().map(begin).min().unwrap_or(index);
    let end = few().map(|m| begin(m) + m).max().unwrap_or(index + 1);
    let points = sobol.points(first, end - first);
    let mut draw = points.row(index - first).to_vec();
    for (column, m) in choices.iter().enumerate().filter(|(_, m)| (1..=MOST).contains(*m)) {
        let block = begin(m) - first..begin(m) - first + m;
        let rank = block.filter(|&point| points.row(point)[column] < draw[column]).count();
        draw[column] = (rank as f64 + 0.5) / *m as f64;
    }
    draw
}

/// A column of a table that tells rows apart.
struct Column {
    index: usize,
    /// Where its numbers stand in the unit cube.
    unit: usize,
    /// How many names occur in it, a gap being one more; 0 for a column of numbers.
    names: usize,
}

impl Column {
    /// The number of a row's name among those of the column.
    fn name(&self, table: &Table, row: usize) -> usize {
        let code = table.row(row)[self.index];
        if code.is_nan() { self.names - 1 } else { code as usize }
    }
}

/// The rows of a table by what they cover.
pub struct Rows<'a> {
    table: &'a Table,
    columns: Vec<Column>,
}

impl<'a> Rows<'a> {
    /// The rows of this table, which is the domain.
    pub fn new(domain: &Domain, table: &'a Table) -> Self {
        let groups = domain.groups();
        let column = |(index, is_names): (usize, bool)| {
            let codes = || (0..table.len()).map(|row| table.row(row)[index]);
            let first = table.row(0)[index];
            let varies = codes().any(|code| code != first && !(code.is_nan() && first.is_nan()));
            let unit = groups.iter().position(|group| *group == index)?;
            let known = || codes().fold(-1.0, f64::max) + 1.0;
            let names = if is_names { known() as usize } else { 0 };
            let gap = usize::from(is_names && codes().any(f64::is_nan));
            varies.then_some(Column { index, unit, names: names + gap })
        };
        let columns = domain.are_names().into_iter().enumerate().filter_map(column);
        Self { table, columns: columns.collect() }
    }

    /// Among how many names each column that tells rows apart chooses.
    pub fn choices(&self) -> Vec<usize> {
        self.columns.iter().map(|column| column.names).collect()
    }

    /// The free row whose names were taken least often; of those the nearest to a draw, names being
    /// equal or not. Which of several it is, chance decides: where a row stands says nothing.
    pub fn next(&self, draw: &[f64], taken: &[bool], random: &mut impl Rng) -> Option<usize> {
        let used = self.used(taken);
        let rank = |row: usize| {
            let (mut uses, mut distance) = (0, 0.0);
            for ((column, draw), used) in self.columns.iter().zip(draw).zip(&used) {
                if column.names == 0 {
                    let apart = self.table.points().row(row)[column.unit] - draw;
                    distance += apart * apart;
                    continue;
                }
                let name = column.name(self.table, row);
                let wanted = (draw * column.names as f64) as usize;
                uses += used[name];
                distance += f64::from(u8::from(name != wanted));
            }
            (uses, distance)
        };
        let free = (0..self.table.len()).filter(|&row| !taken[row]);
        let ranks: Vec<(usize, (usize, f64))> = free.map(|row| (row, rank(row))).collect();
        let least = ranks.iter().map(|(_, (uses, _))| *uses).min()?;
        let fewest = || ranks.iter().filter(|(_, (uses, _))| *uses == least);
        let nearest = fewest().map(|(_, (_, distance))| *distance).fold(f64::INFINITY, f64::min);
        let equal = fewest().filter(|(_, (_, distance))| *distance <= nearest + ROUNDING);
        equal.map(|(row, _)| *row).choose(random)
    }

    /// How often each name of each column was taken. Equal rows are one.
    fn used(&self, taken: &[bool]) -> Vec<Vec<usize>> {
        let mut used: Vec<Vec<usize>> = self.choices().into_iter().map(|m| vec![0; m]).collect();
        let is_one = |row: &usize| taken[*row] && self.table.twins(*row)[0] == *row;
        for row in (0..self.table.len()).filter(is_one) {
            for (column, used) in self.columns.iter().zip(&mut used) {
                if column.names > 0 {
                    used[column.name(self.table, row)] += 1;
                }
            }
        }
        used
    }
}

/// What chance decides at a place of a design.
pub fn chance(seed: u64, place: usize) -> Pcg64 {
    Pcg64::seed_from_u64(seed.wrapping_add(place as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_turn_and_numbers_stay() {
        let choices = [3, 0, 4, 1, 12];
        let sobol = Sobol::new(5, 7);
        let points = sobol.points(0, 48);
        let draws: Vec<Vec<f64>> = (0..48).map(|index| balanced(&sobol, index, &choices)).collect();
        let name =
            |index: usize, column: usize| (draws[index][column] * choices[column] as f64) as usize;
        for (column, m) in choices.into_iter().enumerate().filter(|(_, m)| *m > 0) {
            for block in 0..48 / m {
                let mut names: Vec<usize> =
                    (block * m..block * m + m).map(|index| name(index, column)).collect();
                names.sort_unstable();
                assert_eq!(names, (0..m).collect::<Vec<_>>(), "column {column}, block {block}");
            }
        }
        for (index, draw) in draws.iter().enumerate() {
            assert_eq!(draw[1], points.row(index)[1]);
            // The sequence has each quarter once by itself.
            assert_eq!(name(index, 2), (4.0 * points.row(index)[2]) as usize);
        }
        assert!(balanced(&Sobol::new(0, 1), 3, &[]).is_empty());
    }
}
