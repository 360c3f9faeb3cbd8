//! The initial design.

use crate::data::{Domain, Table};
use crate::error::Result;
use crate::math::sobol::Sobol;
use crate::study::exhausted;
use crate::suggest::Taken;
use crate::suggest::streams::{Stream, seed};

/// How many quasi-random points are tried for one that was not taken: a coarse grid of whole numbers may hold few others.
const DRAWS: usize = 256;

/// Scrambled Sobol points, and in a table the rows nearest to them.
pub(super) struct Design {
    size: usize,
    asked: usize,
    imported: usize,
    drawn: usize,
    seed: u64,
}

impl Design {
    pub fn new(size: usize, run: u64) -> Self {
        Self { size, asked: 0, imported: 0, drawn: 0, seed: seed(run, Stream::Design, 0) }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of the coming point, the first being 1; none once the design was asked for or imported.
    pub fn next(&self) -> Option<usize> {
        let number = self.asked + self.imported + 1;
        (number <= self.size).then_some(number)
    }

    /// How many points are not told yet, if any, where `told` of those asked for are.
    pub fn missing(&self, told: usize) -> Option<usize> {
        let missing = self.size.saturating_sub(told + self.imported);
        (missing > 0).then_some(missing)
    }

    pub fn asked(&mut self) {
        self.asked += 1;
    }

    pub fn imported(&mut self) {
        self.imported += 1;
    }

    /// The next point that was not taken; in a space all of whose points seem taken, the last one tried.
    pub fn draw(&mut self, domain: &Domain, taken: &Taken) -> Result<(Vec<f64>, Option<usize>)> {
        let sobol = Sobol::new(domain.dim(), self.seed);
        match domain {
            Domain::Table(table) => {
                let point = sobol.points(self.drawn, 1);
                let row = nearest_free(table, point.row(0), taken).ok_or_else(exhausted)?;
                self.drawn += 1;
                Ok((table.points().row(row).to_vec(), Some(row)))
            }
            Domain::Space(space) => {
                let mut points = sobol.points(self.drawn, DRAWS);
                for i in 0..DRAWS {
                    space.snap(points.row_mut(i));
                    self.drawn += 1;
                    if !taken.contains(points.row(i)) {
                        return Ok((points.row(i).to_vec(), None));
                    }
                }
                Ok((points.row(DRAWS - 1).to_vec(), None))
            }
        }
    }
}

/// The first of the nearest rows that were not taken.
fn nearest_free(table: &Table, unit: &[f64], taken: &Taken) -> Option<usize> {
    let distance = |row: &[f64]| row.iter().zip(unit).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let rows = table.points().rows().enumerate().filter(|(_, row)| !taken.contains(row));
    rows.map(|(i, row)| (i, distance(row))).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}
