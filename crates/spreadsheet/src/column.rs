//! The cells of a column: numbers or names.

use crate::cell::{Cell, Number, read};

/// What the cells of a column are, row by row.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers; none where nothing stands.
    Numbers(Vec<Option<Number>>),
    /// Names.
    Names,
}

/// A cell that is no number in a column of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odd {
    /// Its row, from 0 on.
    pub row: usize,
    /// What was expected, and what stands there.
    pub words: String,
}

impl Column {
    /// What the cells of a column are. They are numbers if all of them are, and names if at most half
    /// are. A word for what is not there, such as `NA`, is none among numbers, and a name among names.
    ///
    /// # Errors
    /// The first cell that is no number where more than half are, or were meant for one: names that
    /// were made of numbers would have nothing to do with each other.
    pub fn of<'c>(cells: impl IntoIterator<Item = &'c str>, separator: u8) -> Result<Self, Odd> {
        let cells: Vec<&str> = cells.into_iter().map(str::trim).collect();
        let said: Vec<Cell> = cells.iter().map(|cell| read(cell, separator)).collect();
        let count = |is: fn(&Cell) -> bool| said.iter().filter(|cell| is(cell)).count();
        let numbers = count(|cell| matches!(cell, Cell::Number(_)));
        let meant = numbers + count(|cell| matches!(cell, Cell::Odd));
        let missing = count(|cell| matches!(cell, Cell::Missing));
        let names = count(|cell| matches!(cell, Cell::Name));
        if meant == 0 || meant <= missing + names && meant + names > numbers {
            return Ok(Self::Names);
        }
        let is_wrong = |cell: &Cell| matches!(cell, Cell::Odd | Cell::Name);
        if let Some(row) = said.iter().position(is_wrong) {
            return Err(Odd::of(row, cells[row], numbers));
        }
        let number = |cell| match cell {
            Cell::Number(number) => Some(number),
            _ => None,
        };
        Ok(Self::Numbers(said.into_iter().map(number).collect()))
    }
}

impl Odd {
    fn of(row: usize, cell: &str, numbers: usize) -> Self {
        let others = match numbers {
            0 => String::new(),
            1 => ", as another cell of the column has".to_owned(),
            _ => format!(", as {numbers} other cells of the column have"),
        };
        let words = format!(
            "expected a number{others}, got {cell:?}; leave the cell empty if there is none, and list the column as categorical if these are names"
        );
        Self { row, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_odd_cell_makes_no_names_of_numbers() {
        let column = |cells: &[&str]| Column::of(cells.iter().copied(), b',');
        let numbers = |cells: &[&str]| match column(cells) {
            Ok(Column::Numbers(found)) => {
                found.into_iter().map(|one| one.map(|one| one.value)).collect::<Vec<_>>()
            }
            other => panic!("{cells:?}: {other:?}"),
        };
        assert_eq!(numbers(&["1", "NA", "2"]), [Some(1.0), None, Some(2.0)]);
        assert_eq!(numbers(&["1", "NA", "Unknown", ""]), [Some(1.0), None, None, None]);
        assert_eq!(numbers(&["1", "\u{2212}2"]), [Some(1.0), Some(-2.0)]);
        for cells in [
            &["oak", "elm"][..],
            &["NA", "None"],
            &["a", "1"],
            &["sqrt", "log2", "0.5"],
            &["5%", "a", "b"],
            &["None", "a", "1", "b"],
        ] {
            assert_eq!(column(cells), Ok(Column::Names), "{cells:?}");
        }
        for (cells, row) in [
            (&["1", "$3.5"][..], 1),
            (&["$1", "$3.5"], 0),
            (&["1", "2", "1 200"], 2),
            (&["1", "2", "x", "<3"], 2),
            (&["10%", "20%"], 0),
        ] {
            assert_eq!(column(cells).unwrap_err().row, row, "{cells:?}");
        }
        let error = column(&["1", "2", "$3"]).unwrap_err().words;
        assert!(
            error.starts_with("expected a number, as 2 other cells of the column have, got \"$3\"")
        );
    }
}
