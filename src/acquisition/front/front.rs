//! The points that no other dominates, and the volume that they dominate.

use super::cells::Cells;
use super::staircase::{Each, MOST_OBJECTIVES, Staircase, from_the_top};
use crate::error::{Error, ErrorKind, Result};

/// The points of a list that no other point dominates, over a reference point.
///
/// All objectives are maximized. A point that is not better than the reference point in every
/// objective adds no volume and is left out. So are dominated points and repetitions. Points are
/// kept in an order of their own (lexicographic, the largest first), so fronts of the same points
/// are equal.
///
/// ```
/// use gittins::internals::Front;
/// let front = Front::new(vec![0.0, 0.0], [[3.0, 1.0], [1.0, 2.0], [1.0, 1.0]])?;
/// assert_eq!(front.points().collect::<Vec<_>>(), [[3.0, 1.0], [1.0, 2.0]]);
/// assert_eq!(front.hypervolume(), 4.0);
/// assert_eq!(front.improvement(&[2.0, 3.0])?, 3.0);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Front {
    reference: Vec<f64>,
    points: Vec<Each>,
}

impl Front {
    /// The front of these points over a reference point.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if the reference point has no number or more than three.
    /// [`ErrorKind::Dimension`] if a point has another length. [`ErrorKind::NonFinite`] if a number
    /// is not finite. Both name the point by its place in the list.
    pub fn new<P: AsRef<[f64]>>(
        reference: Vec<f64>,
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self> {
        if reference.is_empty() || reference.len() > MOST_OBJECTIVES {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!(
                    "a front has one to {MOST_OBJECTIVES} objectives, the reference point has {}",
                    reference.len()
                ),
            ));
        }
        check_finite(&reference).map_err(|error| error.at("the reference point"))?;
        let mut front = Self { reference, points: Vec::new() };
        for (place, point) in points.into_iter().enumerate() {
            front.add(point.as_ref()).map_err(|error| error.at(format!("point {place}")))?;
        }
        Ok(front)
    }

    /// Adds a point, and says whether the front changed.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] if the point has another length than the reference point.
    /// [`ErrorKind::NonFinite`] if a number is not finite.
    pub fn add(&mut self, point: &[f64]) -> Result<bool> {
        let point = self.checked(point)?;
        let dominates = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a >= b);
        if !point.iter().zip(&self.reference).all(|(value, reference)| value > reference)
            || self.points.iter().any(|other| dominates(other, &point))
        {
            return Ok(false);
        }
        self.points.retain(|other| !dominates(&point, other));
        let place = self.points.partition_point(|other| *other > point);
        self.points.insert(place, point);
        Ok(true)
    }

    /// The point, filled up with zeros.
    fn checked(&self, point: &[f64]) -> Result<Each> {
        if point.len() != self.objectives() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} objectives, and {} values", self.objectives(), point.len()),
            ));
        }
        check_finite(point)?;
        let mut filled = [0.0; MOST_OBJECTIVES];
        filled[..point.len()].copy_from_slice(point);
        Ok(filled)
    }

    /// The number of objectives.
    pub fn objectives(&self) -> usize {
        self.reference.len()
    }

    /// The reference point.
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }

    /// The points that no other dominates, the largest in the first objective first.
    pub fn points(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.points.iter().map(|point| &point[..self.objectives()])
    }

    /// The volume between the reference point and the points, in the product of the objectives'
    /// units. All terms of the sum are positive.
    ///
    /// In two dimensions it is the area below the stairs. In three it is the sum of such areas down
    /// the third objective, in `O(n^2)` steps at worst.
    pub fn hypervolume(&self) -> f64 {
        match self.reference[..] {
            [floor] => self.points.first().map_or(0.0, |best| best[0] - floor),
            [x, y] => {
                let mut stairs = Staircase::new(x, y);
                self.points.iter().for_each(|point| stairs.add([point[0], point[1]], 0.0, |_| {}));
                stairs.area()
            }
            [x, y, z] => {
                let mut stairs = Staircase::new(x, y);
                let points = from_the_top(&self.points);
                let below = points.iter().skip(1).map(|point| point[2]).chain([z]);
                points.iter().zip(below).fold(0.0, |volume, (point, below)| {
                    stairs.add([point[0], point[1]], point[2], |_| {});
                    volume + stairs.area() * (point[2] - below)
                })
            }
            _ => 0.0,
        }
    }

    /// The boxes of the region that is not dominated.
    pub fn cells(&self) -> Cells {
        Cells::new(&self.reference, &self.points)
    }

    /// The hypervolume that one more point would add; at least zero. Of many points, ask the
    /// [`cells`](Self::cells).
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] if the point has another length than the reference point.
    /// [`ErrorKind::NonFinite`] if a number is not finite.
    pub fn improvement(&self, point: &[f64]) -> Result<f64> {
        self.checked(point)?;
        Ok(self.cells().improvement(point))
    }
}

/// Fails if a value is not finite, and names it.
fn check_finite(values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(place) => Err(Error::new(
            ErrorKind::NonFinite,
            format!("the value of objective {place} must be finite, got {}", values[place]),
        )),
    }
}
