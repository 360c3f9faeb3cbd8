//! The values of a parameter that requirements leave.

use crate::data::{ParameterKind, Requirement};
use crate::error::{Error, ErrorKind, Result};

/// Numbers within this share of a cell are in the cell.
const SLACK: f64 = 1e-9;

/// Where a parameter may stand: places, as the [embedding](super::embedding) has them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) enum Span {
    /// From one place to another, both included. The places of what is no real number are whole.
    Between(f64, f64),
    /// One of these, which are whole and rising.
    Among(Vec<f64>),
}

impl Span {
    /// The places of a kind that has columns.
    pub fn all(kind: &ParameterKind) -> Self {
        Self::Between(0.0, if kind.is_real() { 1.0 } else { kind.count() - 1.0 })
    }

    /// Whether it has a place.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Between(low, high) => low > high,
            Self::Among(places) => places.is_empty(),
        }
    }

    /// Whether it is one place.
    pub fn is_one(&self) -> bool {
        match self {
            Self::Between(low, high) => low == high,
            Self::Among(places) => places.len() == 1,
        }
    }

    /// Whether a place is in it.
    pub fn contains(&self, place: f64) -> bool {
        match self {
            Self::Between(low, high) => (*low..=*high).contains(&place),
            Self::Among(places) => places.contains(&place),
        }
    }

    /// Whether a place is in it but for rounding: the value of a place has another place.
    pub fn reaches(&self, place: f64) -> bool {
        self.contains(place) || (self.nearest(place) - place).abs() <= SLACK
    }

    /// The nearest place of a parameter whose values have an order; for another one any.
    pub fn nearest(&self, place: f64) -> f64 {
        match self {
            Self::Between(low, high) => place.max(*low).min(*high),
            Self::Among(places) => {
                let distance = |other: f64| (other - place).abs();
                let nearer = |best: f64, &other: &f64| {
                    if distance(other) < distance(best) { other } else { best }
                };
                places.iter().fold(f64::INFINITY, nearer)
            }
        }
    }

    /// The place of a uniform number, uniformly among all.
    pub fn of_draw(&self, draw: f64, is_real: bool) -> f64 {
        match self {
            Self::Between(low, high) if is_real => (low + draw * (high - low)).clamp(*low, *high),
            Self::Between(low, high) => {
                let count = high - low + 1.0;
                low + (draw * count).floor().clamp(0.0, count - 1.0)
            }
            Self::Among(places) => {
                let index = (draw * places.len() as f64) as usize;
                places[index.min(places.len() - 1)]
            }
        }
    }

    /// Its places that pass.
    fn keep(self, passes: impl Fn(f64) -> bool) -> Self {
        match self {
            Self::Among(places) => {
                Self::Among(places.into_iter().filter(|&place| passes(place)).collect())
            }
            between => between,
        }
    }

    /// The part that a requirement leaves.
    ///
    /// # Errors
    /// Those of a value that the parameter does not have; `InvalidSetting` for several values of a real
    /// number.
    pub fn required(self, kind: &ParameterKind, requirement: &Requirement) -> Result<Self> {
        match requirement {
            Requirement::Is(values) | Requirement::IsIfPresent(values) => {
                let mut places = Vec::with_capacity(values.len());
                for value in values {
                    let code = kind.code(value)?;
                    let place =
                        if kind.is_real() { kind.to_unit(code)? } else { kind.cell_of_code(code) };
                    if self.contains(place) {
                        places.push(place);
                    }
                }
                places.sort_by(f64::total_cmp);
                places.dedup();
                match (kind.is_real(), places.as_slice()) {
                    (false, _) => Ok(Self::Among(places)),
                    (true, []) => Ok(Self::Between(1.0, 0.0)),
                    (true, &[place]) => Ok(Self::Between(place, place)),
                    (true, _) => Err(Error::new(
                        ErrorKind::InvalidSetting,
                        "expected one value or bounds for a real number, got several values",
                    )),
                }
            }
            &Requirement::AtLeast(bound) | &Requirement::AtMost(bound) => {
                let is_lower = matches!(requirement, Requirement::AtLeast(_));
                // Names have no size: the space's own check of conditions says so first.
                let passes = |place: f64| {
                    let code = kind.code_of_cell(place);
                    if is_lower { code >= bound } else { code <= bound }
                };
                Ok(match self {
                    Self::Between(low, high) if kind.is_real() => {
                        let least = kind.to_value(0.0);
                        let most = kind.to_value(1.0);
                        let place = match bound {
                            bound if bound < least => f64::NEG_INFINITY,
                            bound if bound > most => f64::INFINITY,
                            bound => within(kind, kind.to_unit(bound)?, bound, is_lower),
                        };
                        if is_lower {
                            Self::Between(low.max(place), high)
                        } else {
                            Self::Between(low, high.min(place))
                        }
                    }
                    Self::Between(low, high) => between_cells([low, high], passes, is_lower),
                    among => among.keep(passes),
                })
            }
        }
    }
}

/// The place of a bound, moved by the rounding of its value, so that the value keeps to the bound: a
/// parameter may exist from there on.
fn within(kind: &ParameterKind, mut place: f64, bound: f64, is_lower: bool) -> f64 {
    const ROUNDINGS: usize = 64;
    for _ in 0..ROUNDINGS {
        let value = kind.to_value(place);
        match is_lower {
            true if value < bound => place = place.next_up().min(1.0),
            false if value > bound => place = place.next_down().max(0.0),
            _ => break,
        }
    }
    place
}

/// The cells of a range that pass, if all above some cell do, or all up to it.
fn between_cells([low, high]: [f64; 2], passes: impl Fn(f64) -> bool, is_lower: bool) -> Span {
    let empty = Span::Between(1.0, 0.0);
    if low > high {
        return empty;
    }
    // `inside` passes, `outside` does not, and the border is between them.
    let (mut inside, mut outside) = if is_lower { (high, low) } else { (low, high) };
    match (passes(inside), passes(outside)) {
        (false, _) => return empty,
        (true, true) => return Span::Between(low, high),
        (true, false) => {}
    }
    while (inside - outside).abs() > 1.0 + SLACK {
        let middle = (0.5 * (inside + outside)).floor();
        if passes(middle) { inside = middle } else { outside = middle }
    }
    if is_lower { Span::Between(inside, high) } else { Span::Between(low, inside) }
}
