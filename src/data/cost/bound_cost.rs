//! A known cost as a function of the unit cube.

use crate::data::cost::cost::Function;
use crate::data::space::space::{check_dim, describe};
use crate::data::trial::observation::check_cost;
use crate::data::{Domain, KnownCost, ParameterKind, PointCost, Space};
use crate::error::{Error, ErrorKind, Result};

impl KnownCost {
    /// The cost as a function of the unit cube.
    pub fn on(&self, domain: &Domain) -> BoundCost {
        BoundCost { function: self.function(domain), domain: domain.clone(), floor: None }
    }
}

/// A known cost as a function of the unit cube. The chain rule gives its gradient there.
///
/// The user's function is called only where an evaluation can take place:
///
/// - It sees whole numbers for whole-number parameters. Between them the cost is the continuous
///   piecewise linear interpolation on the simplices of Kuhn's triangulation. For `m` such
///   parameters this needs `m + 1` values and not `2^m`. In the outer halves of the outermost cells
///   the cost is flat.
/// - It sees rows of a table. A point has the cost of the nearest row, and the gradient is zero.
///
/// - In a space with other kinds of parameters, conditions or constraints it sees the values at the
///   point: a flag is 0 or 1, a name counts by its index, NaN stands for what is absent. Only real
///   numbers have slopes.
///
/// If the user gives no gradient, it is taken from differences over `2 h`, with `h = eps^(1/3)` of
/// the unit interval. They are central differences, or one-sided ones of the same order next to a
/// face of the cube. Their error is of the order `h^2` (4e-11) relative to the third derivative. At
/// a corner they take two values for every parameter that is no whole number. They are therefore
/// taken at no more than 8 of the `m + 1` corners: at all corners with a weight if these are at
/// most 8, otherwise at the corners in the middle of each eighth of the weight. The value is exact
/// in any case. The gradient is exact too if the slope by the other parameters does not depend on
/// the whole numbers, as in a sum of both. Otherwise it is a midpoint rule along the corners.
///
/// Below a [floor](Self::floored) the cost is the floor, and the gradient is zero.
#[derive(Debug, Clone)]
pub struct BoundCost {
    function: Function,
    domain: Domain,
    floor: Option<f64>,
}

/// A whole-number coordinate between two neighbors: its index, the fraction of the way from the
/// lower neighbor to the upper one, and the derivative of that way by the unit coordinate.
struct Between {
    index: usize,
    fraction: f64,
    slope: f64,
}

/// The largest number of corners at which differences are taken.
const CORNERS: usize = 8;

/// What is needed for the gradient at a point by the coordinates that are no whole numbers.
struct Slopes<'a> {
    space: &'a Space,
    unit: &'a [f64],
    floats: Vec<usize>,
    /// The share of each corner in the gradient; the sum is 1.
    shares: Vec<f64>,
    /// The derivative of the values by the unit coordinates, if the user gives the gradient by the
    /// values.
    derivative: Option<Vec<f64>>,
    /// The gradient that the user's function fills.
    own: Vec<f64>,
}

impl<'a> Slopes<'a> {
    fn new(function: &Function, space: &'a Space, unit: &'a [f64], weights: &[f64]) -> Self {
        let is_float = |&index: &usize| space.parameters()[index].kind().is_real();
        // A given gradient costs nothing more at any corner.
        let given = matches!(function, Function::WithGradient(_));
        Self {
            space,
            unit,
            floats: (0..unit.len()).filter(is_float).collect(),
            shares: if given { weights.to_vec() } else { shares(weights) },
            derivative: given.then(|| space.derivative(unit)),
            own: vec![0.0; unit.len()],
        }
    }
}

/// The weights themselves if at most [`CORNERS`] of them are positive. Otherwise [`CORNERS`] equal
/// shares, each for the corner in the middle of its part of the weight.
fn shares(weights: &[f64]) -> Vec<f64> {
    if weights.iter().filter(|weight| **weight > 0.0).count() <= CORNERS {
        return weights.to_vec();
    }
    let mut shares = vec![0.0; weights.len()];
    let (mut corner, mut passed) = (0, weights[0]);
    for part in 0..CORNERS {
        let middle = (part as f64 + 0.5) / CORNERS as f64;
        while passed < middle && corner + 1 < weights.len() {
            corner += 1;
            passed += weights[corner];
        }
        shares[corner] += 1.0 / CORNERS as f64;
    }
    shares
}

impl PointCost for BoundCost {
    fn cost(&self, unit: &[f64], mut gradient: Option<&mut [f64]>) -> Result<f64> {
        let paid = self.evaluate(unit, gradient.as_deref_mut())?;
        match self.floor {
            Some(floor) if paid < floor => {
                if let Some(gradient) = gradient {
                    gradient.fill(0.0);
                }
                Ok(floor)
            }
            _ => Ok(paid),
        }
    }
}

impl BoundCost {
    /// The same cost with a floor, or without one. No cost is taken to be below the floor, and with
    /// a floor the function may return zero.
    #[doc(hidden)]
    pub fn floored(self, floor: Option<f64>) -> Self {
        Self { floor, ..self }
    }

    /// The cost of an evaluation at a point of the unit cube, without the floor.
    ///
    /// # Errors
    /// Those of [`PointCost::cost`].
    #[doc(hidden)]
    pub fn paid(&self, unit: &[f64]) -> Result<f64> {
        self.evaluate(unit, None)
    }

    fn evaluate(&self, unit: &[f64], gradient: Option<&mut [f64]>) -> Result<f64> {
        check_dim(unit.len(), self.domain.dim())?;
        match (&self.domain, gradient) {
            (Domain::Space(space), gradient) if space.is_plain() => {
                self.interpolate(space, unit, gradient)
            }
            (Domain::Space(space), gradient) => self.at_values(space, unit, gradient),
            (Domain::Table(_), gradient) => {
                // The cost is that of the nearest row: it is flat between steps.
                if let Some(gradient) = gradient {
                    gradient.fill(0.0);
                }
                self.price(&self.domain.numbers_at(unit), None)
            }
        }
    }

    /// The cost at the values of a point of a mixed space, which are possible ones. Searches move
    /// real numbers only, so only these have slopes.
    fn at_values(&self, space: &Space, unit: &[f64], gradient: Option<&mut [f64]>) -> Result<f64> {
        let mut values = space.numbers_at(unit);
        let Some(gradient) = gradient else { return self.price(&values, None) };
        check_dim(gradient.len(), unit.len()).map_err(|error| error.at("gradient of the cost"))?;
        gradient.fill(0.0);
        let given = matches!(self.function, Function::WithGradient(_));
        let mut own = vec![0.0; values.len()];
        let cost = self.price(&values, given.then_some(&mut own[..]))?;
        let derivative = space.derivative(unit);
        let moving = space.view().moving(unit);
        for (index, parameter) in space.parameters().iter().enumerate() {
            for column in space.view().columns_of(index).filter(|&column| moving[column]) {
                gradient[column] = if given {
                    own[index] * derivative[column]
                } else {
                    let kind = parameter.kind();
                    self.difference(index, kind, unit[column], &mut values, cost)?
                };
            }
        }
        Ok(cost)
    }

    /// Goes from the lower corner of the cell to the upper one and raises the coordinate with the
    /// largest fraction first. The corners on the way span the simplex of the point. The
    /// differences of successive fractions are its barycentric coordinates.
    fn interpolate(
        &self,
        space: &Space,
        unit: &[f64],
        mut gradient: Option<&mut [f64]>,
    ) -> Result<f64> {
        let mut values = space.numbers_at(unit);
        let mut steps = lower_corner(space, unit, &mut values);
        steps.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
        let falls = std::iter::once(1.0).chain(steps.iter().map(|step| step.fraction));
        let weights: Vec<f64> = falls
            .zip(steps.iter().map(|step| step.fraction).chain([0.0]))
            .map(|(above, below)| above - below)
            .collect();
        let mut slopes = None;
        if let Some(gradient) = gradient.as_deref_mut() {
            check_dim(gradient.len(), unit.len())
                .map_err(|error| error.at("gradient of the cost"))?;
            gradient.fill(0.0);
            slopes = Some(Slopes::new(&self.function, space, unit, &weights));
        }
        let mut total = 0.0;
        let mut before = None;
        for (corner, &weight) in weights.iter().enumerate() {
            let raised = corner.checked_sub(1).map(|step| &steps[step]);
            if let Some(step) = raised {
                values[step.index] += 1.0;
            }
            let cost = match (gradient.as_deref_mut(), &mut slopes) {
                (Some(gradient), Some(slopes)) => {
                    let cost = self.add_gradient(slopes, corner, &mut values, gradient)?;
                    if let (Some(step), Some(before)) = (raised, before) {
                        gradient[step.index] = (cost - before) * step.slope;
                    }
                    cost
                }
                _ if weight > 0.0 => self.price(&values, None)?,
                _ => continue,
            };
            total += weight * cost;
            before = Some(cost);
        }
        Ok(total)
    }

    /// The cost at a corner. Adds the corner's share of the gradient by the coordinates that are no
    /// whole numbers.
    fn add_gradient(
        &self,
        slopes: &mut Slopes<'_>,
        corner: usize,
        values: &mut [f64],
        gradient: &mut [f64],
    ) -> Result<f64> {
        slopes.own.fill(0.0);
        let cost = self.price(values, Some(&mut slopes.own))?;
        let share = slopes.shares[corner];
        if share == 0.0 {
            return Ok(cost);
        }
        for &index in &slopes.floats {
            gradient[index] += share
                * match &slopes.derivative {
                    Some(derivative) => slopes.own[index] * derivative[index],
                    None => {
                        let kind = slopes.space.parameters()[index].kind();
                        self.difference(index, kind, slopes.unit[index], values, cost)?
                    }
                };
        }
        Ok(cost)
    }

    /// The derivative by one unit coordinate from two more values inside the cube. The values of
    /// the corner are restored.
    fn difference(
        &self,
        index: usize,
        kind: &ParameterKind,
        u: f64,
        values: &mut [f64],
        cost: f64,
    ) -> Result<f64> {
        let h = f64::EPSILON.cbrt();
        let own = values[index];
        let mut at = |u: f64| {
            values[index] = kind.to_value(u);
            self.price(values, None)
        };
        let slope = if u < h {
            (4.0 * at(u + h)? - at(u + 2.0 * h)? - 3.0 * cost) / (2.0 * h)
        } else if u > 1.0 - h {
            (3.0 * cost - 4.0 * at(u - h)? + at(u - 2.0 * h)?) / (2.0 * h)
        } else {
            (at(u + h)? - at(u - h)?) / (2.0 * h)
        };
        values[index] = own;
        Ok(slope)
    }

    /// Calls the user's function and checks what it returns.
    fn price(&self, values: &[f64], gradient: Option<&mut [f64]>) -> Result<f64> {
        let place = || format!("cost at {}", describe(self.domain.names().into_iter(), values));
        let mut unread = Vec::new();
        let (cost, gradient) = match &self.function {
            Function::Value(function) => (function(values), None),
            Function::WithGradient(function) => {
                let gradient = gradient.unwrap_or_else(|| {
                    unread.resize(values.len(), 0.0);
                    &mut unread
                });
                (function(values, gradient), Some(gradient))
            }
        };
        check_cost(cost, self.floor).map_err(|error| error.at(place()))?;
        let wrong = gradient.and_then(|gradient| {
            gradient.iter().position(|g| !g.is_finite()).map(|index| (index, gradient[index]))
        });
        if let Some((index, value)) = wrong {
            let message = format!(
                "expected a finite derivative by {:?}, got {value}",
                self.domain.names()[index]
            );
            return Err(Error::new(ErrorKind::NonFinite, message).at(place()));
        }
        Ok(cost)
    }
}

/// Sets whole-number coordinates to the lower neighbor and returns how far the point is from there.
fn lower_corner(space: &Space, unit: &[f64], values: &mut [f64]) -> Vec<Between> {
    let mut steps = Vec::new();
    for (index, parameter) in space.parameters().iter().enumerate() {
        let &ParameterKind::Int { low, high } = parameter.kind() else { continue };
        let cells = ParameterKind::cells(low, high);
        let last = cells - 1.0;
        let mut place = unit[index] * cells - 0.5;
        // The center of a cell is not exact. Within its rounding it counts as the whole number
        // itself.
        if (place - place.round()).abs() <= 4.0 * f64::EPSILON * cells {
            place = place.round();
        }
        let slope = if (0.0..=last).contains(&place) { cells } else { 0.0 };
        let place = place.min(last).max(0.0);
        // The last value has no upper neighbor. It is reached from below.
        let floor = place.floor().min(last - 1.0);
        values[index] = low as f64 + floor;
        steps.push(Between { index, fraction: place - floor, slope });
    }
    steps
}
