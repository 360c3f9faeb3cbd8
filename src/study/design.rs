//! The initial design.

use crate::data::{Domain, Table};
use crate::error::Result;
use crate::math::sobol::Sobol;
use crate::study::trial::Place;
use crate::study::{Origin, Study, Trial, TrialState, exhausted};
use crate::suggest::Taken;
use crate::suggest::{Stream, seed};

/// How many quasi-random points are tried for one that was not taken: a coarse grid of whole
/// numbers may hold few others.
const DRAWS: usize = 256;

/// Scrambled Sobol points, and in a table the rows nearest to them.
pub(super) struct Design {
    size: usize,
    drawn: usize,
    seed: u64,
}

impl Design {
    pub fn new(size: usize, run: u64) -> Self {
        Self { size, drawn: 0, seed: seed(run, Stream::Design, 0) }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// The next point that was not taken; in a space all of whose points seem taken, the last one
    /// tried.
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

impl Study {
    /// The number of the coming point of the design, the first being 1; none once there is a trial
    /// for each: asked for and not withdrawn, or imported complete. Nor once as many trials were
    /// told in any way: a model of these needs no more quasi-random points.
    pub(super) fn next_of_design(&self) -> Option<usize> {
        let stands = |trial: &&Trial| match trial.origin {
            Origin::Initial => trial.state != TrialState::Withdrawn,
            Origin::Imported => trial.state == TrialState::Complete,
            Origin::Suggested => false,
        };
        let number = 1 + self.trials.iter().filter(stands).count().max(self.told_for_design());
        (number <= self.design.size && self.has_rows_besides(&self.asked)).then_some(number)
    }

    /// How many trials are to be told yet before the design is, if any. Every trial counts that was
    /// asked for in any way and told, so that one that is never told holds nothing up, and every
    /// import that is complete.
    pub(super) fn missing_of_design(&self) -> Option<usize> {
        let missing = self.design.size.saturating_sub(self.told_for_design());
        (missing > 0 && self.has_rows_besides(&self.evaluated)).then_some(missing)
    }

    /// Whether there is something for the design besides these points: rows that imports without an
    /// outcome took are missing from it for good.
    fn has_rows_besides(&self, taken: &Taken) -> bool {
        match &self.setup.domain {
            Domain::Space(_) => true,
            Domain::Table(table) => table.points().rows().any(|row| !taken.contains(row)),
        }
    }

    fn told_for_design(&self) -> usize {
        let counts = |trial: &&Trial| match trial.origin {
            Origin::Initial | Origin::Suggested => matches!(trial.place, Place::Told(_)),
            Origin::Imported => trial.state == TrialState::Complete,
        };
        self.trials.iter().filter(counts).count()
    }
}

/// The first of the nearest rows that were not taken.
fn nearest_free(table: &Table, unit: &[f64], taken: &Taken) -> Option<usize> {
    let distance = |row: &[f64]| row.iter().zip(unit).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let rows = table.points().rows().enumerate().filter(|(_, row)| !taken.contains(row));
    rows.map(|(i, row)| (i, distance(row))).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}
