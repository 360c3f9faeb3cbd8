//! The points of the initial design.

use std::iter;
use std::sync::Arc;

use rand::RngExt;

use crate::data::trial::refused;
use crate::data::{Domain, Points};
use crate::error::{Error, ErrorKind, Result};
use crate::math::sobol::Sobol;
use crate::study::design::covering::{Rows, balanced, chance};
use crate::study::events::point::Drawn;
use crate::surrogate::{Stream, Taken, seed};

/// How many quasi-random points are tried for one that was not taken: a coarse grid of whole
/// numbers may hold few others.
const DRAWS: usize = 256;

/// The largest number of points that are compared, if none of the draws was free.
const FREE: usize = 4096;

/// The number of points of the sequence that are compared, by one that looks at costs.
pub(in crate::study) const AHEAD: usize = 32;

/// The largest initial design that is not asked for. A model that is wrong after 20 points learns
/// more from points that it chose than from further quasi-random ones.
const LARGEST: usize = 20;

/// The number of points of an initial design that is not set: `2 + m + d / 2` (rounded up), at most
/// 20, and at most a quarter of the expected trials, if these are known.
///
/// `varied` is `d`, the number of parameters that vary. They exist together in `m` patterns, of which
/// there is one without conditions. Each further pattern has one point more: they share most of what
/// they have, and the model asks soon for more where it pays.
///
/// ```
/// use gittins::study::usual_design;
/// assert_eq!(usual_design(5, 1, None), 6);
/// assert_eq!(usual_design(5, 3, None), 8);
/// assert_eq!(usual_design(5, 3, Some(24)), 6);
/// ```
pub fn usual_design(varied: usize, patterns: usize, expected_trials: Option<usize>) -> usize {
    let share = expected_trials.map_or(usize::MAX, |trials| trials.div_ceil(4));
    patterns.saturating_add(2).saturating_add(varied.div_ceil(2)).min(LARGEST).min(share)
}

/// The points that a study is to begin with; without any, the middle of the space. Then scrambled
/// Sobol points, each name as often as any other. In a table, the rows that come nearest to that.
#[derive(Debug, Clone)]
pub struct Design {
    size: usize,
    first: Arc<[Drawn]>,
    drawn: usize,
    seed: u64,
    /// Whether expensive points come last, once it is known which they are.
    thrifty: bool,
}

impl Design {
    /// A design of `size` points for a run of seed `run`.
    pub fn new(size: usize, run: u64) -> Self {
        Self {
            size,
            first: Arc::default(),
            drawn: 0,
            seed: seed(run, Stream::Design, 0),
            thrifty: false,
        }
    }

    /// This design with these points first, and at least as large as they are many.
    pub fn with_first(self, first: Vec<Drawn>) -> Self {
        Self { size: self.size.max(first.len()), first: first.into(), ..self }
    }

    /// The points that come before all others.
    pub fn first(&self) -> &[Drawn] {
        &self.first
    }

    /// This design with expensive points last if it is `thrifty`, or else as the sequence has them.
    pub fn with_thrift(self, thrifty: bool) -> Self {
        Self { thrifty, ..self }
    }

    /// This design before its first point.
    #[cfg(feature = "journal")]
    pub fn anew(&self) -> Self {
        Self { drawn: 0, ..self.clone() }
    }

    /// Whether expensive points come last.
    pub fn is_thrifty(&self) -> bool {
        self.thrifty
    }

    /// The number of points.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many points were drawn.
    pub fn drawn(&self) -> usize {
        self.drawn
    }

    /// Goes on after `drawn` points.
    pub fn set_drawn(&mut self, drawn: usize) {
        self.drawn = drawn;
    }

    /// The next of the points that come first, if one is left that was not taken and is in the
    /// domain, which may be a part of the space.
    fn next_of_first(&mut self, domain: &Domain, taken: &Taken) -> Option<Drawn> {
        while let Some(point) = self.first.get(self.drawn) {
            self.drawn += 1;
            let is_inside = match domain {
                Domain::Space(space) => space.admits(&point.unit),
                Domain::Table(_) => true,
            };
            if is_inside && !taken.contains(&point.unit) {
                return Some(point.clone());
            }
        }
        None
    }

    /// A draw behind the next, each name as often as any other. Unless somebody said where to begin,
    /// the first of all is the middle: bounds are usually set around a good guess. Names have no
    /// middle: it has those that are due last.
    fn target(&self, choices: &[usize], ahead: usize) -> Vec<f64> {
        let sobol = Sobol::new(choices.len(), self.seed);
        let begins = usize::from(self.first.is_empty());
        let place = self.drawn + ahead - self.first.len();
        if let Some(index) = place.checked_sub(begins) {
            return balanced(&sobol, index, choices);
        }
        let last = balanced(&sobol, self.size.saturating_sub(1), choices);
        last.iter().zip(choices).map(|(draw, m)| if *m == 0 { 0.5 } else { *draw }).collect()
    }

    /// The next point that was not taken, and its row in a table. If a coarse grid has few free
    /// points left, it is the one nearest to the last one tried.
    ///
    /// # Errors
    /// `Exhausted` if no point is free.
    pub fn draw(&mut self, domain: &Domain, taken: &Taken) -> Result<Drawn> {
        if let Some(first) = self.next_of_first(domain, taken) {
            return Ok(first);
        }
        match domain {
            Domain::Table(table) => {
                let rows = Rows::new(domain, table);
                let draw = self.target(&rows.choices(), 0);
                let mut random = chance(self.seed, self.drawn);
                let row = rows.next(&draw, &taken.rows(table), &mut random);
                let row = row.ok_or_else(refused::exhausted)?;
                self.drawn += 1;
                Ok(Drawn { unit: table.points().row(row).to_vec(), row: Some(row) })
            }
            Domain::Space(space) => {
                let view = space.view();
                let choices = view.choices();
                let mut unit = Vec::new();
                for tried in 0..DRAWS {
                    unit = view.at_draw(&self.target(&choices, tried));
                    if !taken.contains(&unit) {
                        self.drawn += tried + 1;
                        return Ok(Drawn { unit, row: None });
                    }
                }
                let mut random = chance(self.seed, self.drawn);
                let free =
                    space.view().first(FREE, |unit| !taken.contains(unit), || random.random());
                let unit =
                    nearest(&free, &unit).map(<[f64]>::to_vec).ok_or_else(refused::exhausted)?;
                self.drawn += DRAWS;
                Ok(Drawn { unit, row: None })
            }
        }
    }
}

/// A point of the design that is still to come.
pub struct Upcoming {
    pub point: Drawn,
    /// How many points are drawn with it.
    drawn: usize,
}

impl Design {
    /// The points that would be drawn one after the other, until nothing is left that was not
    /// asked for.
    pub fn upcoming<'a>(
        &self,
        domain: &'a Domain,
        asked: &'a Taken,
    ) -> impl Iterator<Item = Result<Upcoming>> + use<'a> {
        let (mut design, mut taken) = (self.clone(), asked.clone());
        iter::from_fn(move || {
            let point = match design.draw(domain, &taken) {
                Err(error) if error.kind() == ErrorKind::Exhausted => return None,
                Err(error) => return Some(Err(error)),
                Ok(drawn) => drawn,
            };
            if asked.contains(&point.unit) {
                return None;
            }
            // The next row of a table is the next nearest one.
            taken.insert(&point.unit);
            Some(Ok(Upcoming { point, drawn: design.drawn }))
        })
    }

    /// Goes on behind this point, and gives it.
    pub fn take(&mut self, upcoming: Upcoming) -> Drawn {
        self.drawn = upcoming.drawn;
        upcoming.point
    }
}

/// Whether the domain has something besides the points taken. Points that were taken by imports
/// without an outcome are missing from the design for good.
pub fn has_points_besides(domain: &Domain, taken: &Taken) -> bool {
    match domain {
        Domain::Space(space) => space.view().any(|unit| !taken.contains(unit)),
        Domain::Table(table) => table.points().rows().any(|row| !taken.contains(row)),
    }
}

/// The first of the nearest points.
fn nearest<'a>(points: &'a Points, unit: &[f64]) -> Option<&'a [f64]> {
    points.rows().min_by(|a, b| distance(a, unit).total_cmp(&distance(b, unit)))
}

/// The squared distance of two points.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The error of a limit that nothing can be compared with.
pub fn no_cost_known() -> Error {
    Error::new(
        ErrorKind::Empty,
        "no cost is known yet: to stay within a limit, some trial has to be told with its cost, and one has to be complete",
    )
}
