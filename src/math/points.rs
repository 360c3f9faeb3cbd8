//! A batch of points, row-major.

use crate::error::{Error, ErrorKind, Result};

/// Coordinates of the unit cube that differ by no more than this are equal: roundings of sums.
pub const ROUNDING: f64 = 1e-14;

/// Whether two points of the unit cube are the same but for rounding.
pub fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= ROUNDING)
}

/// Bits that differ where numbers do: the seed of what is drawn for a point alone.
pub fn mixed_bits(numbers: impl Iterator<Item = f64>) -> u64 {
    numbers.fold(0, |mix: u64, number| {
        mix.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.to_bits()
    })
}

/// A batch of `b` points in `d` dimensions, stored row by row (`b x d`).
///
/// Inside the crate points live in the unit cube. Nothing here checks that.
///
/// ```
/// let points = gittins::Points::from_rows(2, vec![0.1, 0.2, 0.3, 0.4])?;
/// assert_eq!(points.row(1), &[0.3, 0.4]);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct Points {
    dim: usize,
    values: Vec<f64>,
}

/// Points as they are read, not checked yet.
#[cfg(feature = "serde")]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
struct Unchecked {
    dim: usize,
    values: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Points {
    type Error = Error;

    fn try_from(Unchecked { dim, values }: Unchecked) -> Result<Self> {
        Self::from_rows(dim, values)
    }
}

impl Points {
    /// An empty batch of points of dimension `dim`.
    pub fn new(dim: usize) -> Self {
        Self { dim, values: Vec::new() }
    }

    /// An empty batch with room for `count` points.
    pub fn with_capacity(dim: usize, count: usize) -> Self {
        Self { dim, values: Vec::with_capacity(dim * count) }
    }

    /// Points from their values, row by row.
    ///
    /// # Errors
    /// [`ErrorKind::Dimension`] if `dim` is zero or does not divide the number of values,
    /// [`ErrorKind::NonFinite`] if a value is NaN or infinite.
    pub fn from_rows(dim: usize, values: Vec<f64>) -> Result<Self> {
        if dim == 0 || !values.len().is_multiple_of(dim) {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} values do not make rows of {dim}", values.len()),
            ));
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let row = at / dim;
            let column = at % dim;
            return Err(Error::new(
                ErrorKind::NonFinite,
                format!("row {row}, column {column}: {} is not finite", values[at]),
            ));
        }
        Ok(Self { dim, values })
    }

    /// Adds a point.
    ///
    /// # Panics
    /// If the point has another dimension than the batch.
    pub fn push(&mut self, point: &[f64]) {
        assert_eq!(point.len(), self.dim, "a point of the batch's dimension");
        self.values.extend_from_slice(point);
    }

    /// Adds all points of another batch.
    ///
    /// # Panics
    /// If the other batch has another dimension.
    pub fn extend(&mut self, other: &Points) {
        assert_eq!(other.dim, self.dim, "points of the batch's dimension");
        self.values.extend_from_slice(&other.values);
    }

    /// The points at these indices, in this order.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let values = rows.into_iter().flat_map(|row| self.row(row)).copied().collect();
        Self { dim: self.dim, values }
    }

    /// Removes all points and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
    }

    /// The dimension `d`.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of points `b`.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.dim).unwrap_or(0)
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The point at an index.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.dim..(index + 1) * self.dim]
    }

    /// The point at an index, to change it.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.values[index * self.dim..(index + 1) * self.dim]
    }

    /// All points in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.dim.max(1))
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}
