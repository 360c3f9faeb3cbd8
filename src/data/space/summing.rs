//! From the linear constraints of a space to polytopes, and what is wrong with these constraints.

use rand::Rng;

use crate::data::ParameterKind;
use crate::data::space::chosen::Chosen;
use crate::data::space::constraint::Constraint;
use crate::data::space::embedding::View;
use crate::data::space::span::Span;
use crate::data::space::sums::{Flaw, Spreading, Summed, Sums};
use crate::math::decimal::decimal;
use crate::math::polytope::{FAR, NARROW, Polytope, Row, Spread};

impl View<'_> {
    /// The linear constraints over floats; `None` if there are none.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(in crate::data) fn sums(&self) -> Result<Option<Sums>, Flaw> {
        let Some(mut summed) = self.summed() else { return Ok(None) };
        let Some(somewhere) = summed.polytope.nearest(&summed.polytope.lower) else {
            return Err(contradiction(self, summed));
        };
        summed.polytope.tighten(&somewhere);
        let moves = |parameter: usize| match summed.parameters.binary_search(&parameter) {
            Ok(at) => summed.polytope.moves(at),
            Err(_) => self.kind(parameter).columns() > 0,
        };
        // What is given may leave one point of a part of a space.
        if !self.embedding.is_part() && !(0..self.parameters.len()).any(moves) {
            return Err(one_point(self, &summed));
        }
        let place = |parameter: usize| summed.parameters.binary_search(&parameter).ok();
        let cardinalities: Vec<_> =
            self.embedding.cardinalities.iter().filter_map(|one| one.over_places(place)).collect();
        if cardinalities.is_empty() {
            let spread = Spread::new(summed.polytope.clone());
            let few = summed.polytope.only().map(|point| vec![point]);
            return Ok(spread.map(|spread| Sums {
                summed,
                spread: Spreading::All(Box::new(spread)),
                few,
            }));
        }
        let Some(chosen) = Chosen::new(cardinalities, &summed.polytope) else {
            return Err(without_parts(self, &summed));
        };
        let few = chosen.points(&summed.polytope);
        Ok(Some(Sums { summed, spread: Spreading::Faces(chosen), few }))
    }

    /// Which they are, and their polytope.
    fn summed(&self) -> Option<Summed> {
        let linear = &self.embedding.linear;
        let terms = |index: usize| linear[index].terms.iter().filter(|(_, weight)| *weight != 0.0);
        let is_summed = |index: &usize| {
            let mut parameters = terms(*index).map(|(parameter, _)| *parameter);
            let varies = terms(*index).any(|(parameter, _)| self.kind(*parameter).is_real());
            varies && parameters.all(|parameter| self.is_summed(parameter))
        };
        let constraints: Vec<usize> = (0..linear.len()).filter(is_summed).collect();
        let parameters = constraints.iter().flat_map(|index| terms(*index));
        let parts = self.embedding.cardinalities.iter().flat_map(|one| &one.parts);
        let mut parameters: Vec<usize> = parameters
            .map(|(parameter, _)| *parameter)
            .chain(parts.copied())
            .filter(|parameter| self.kind(*parameter).is_real())
            .collect();
        parameters.sort_unstable();
        parameters.dedup();
        if parameters.is_empty() {
            return None;
        }
        let span = |parameter: &usize| match self.embedding.span(*parameter) {
            Some(Span::Between(low, high)) => (*low, *high),
            _ => (0.0, 1.0),
        };
        let (lower, upper) = parameters.iter().map(span).unzip();
        let codes = self.codes(&vec![0.0; self.parameters.len()]);
        let place = |parameter| parameters.binary_search(&parameter).ok();
        let row = |index: &usize| self.row(*index, parameters.len(), &codes, place);
        let (constraints, rows) =
            constraints.iter().filter_map(|index| Some((*index, row(index)?))).unzip();
        let polytope = Polytope { lower, upper, rows };
        Some(Summed { parameters, constraints, polytope })
    }

    /// Whether a linear constraint over this parameter is one over places: a float on a linear scale that
    /// always exists, or a constant.
    pub(in crate::data) fn is_summed(&self, parameter: usize) -> bool {
        let kind = self.kind(parameter);
        let is_linear = kind.is_real() && matches!(kind, ParameterKind::Float { .. });
        (is_linear || kind.columns() == 0) && self.embedding.tests[parameter].is_empty()
    }

    /// A linear constraint as a row over coordinates: `place` is the coordinate of a parameter, if it has
    /// one, and all others have their codes. `None` if it has no coordinate, or one whose value is not
    /// linear in its place.
    fn row(
        &self,
        index: usize,
        dim: usize,
        codes: &[f64],
        place: impl Fn(usize) -> Option<usize>,
    ) -> Option<Row> {
        let linear = &self.embedding.linear[index];
        let mut row =
            Row { weights: vec![0.0; dim], bound: linear.bound, is_equal: linear.is_equal };
        for &(parameter, weight) in linear.terms.iter().filter(|(_, weight)| *weight != 0.0) {
            match (place(parameter), self.kind(parameter)) {
                (Some(at), ParameterKind::Float { low, high }) => {
                    row.weights[at] += weight * (high - low);
                    row.bound -= weight * low;
                }
                (Some(_), _) => return None,
                (None, _) if codes[parameter].is_nan() => {}
                (None, _) => row.bound -= weight * codes[parameter],
            }
        }
        row.weights.iter().any(|weight| *weight != 0.0).then_some(row)
    }

    /// The least and the largest weighted sum of the values; what is absent counts as 0. `None` if
    /// there are other constraints than linear ones over floats.
    pub(in crate::data) fn ends_of_sum(&self, weights: &[f64]) -> Option<[f64; 2]> {
        let is_alone = self.embedding.cardinalities.is_empty() && self.is_summed_alone();
        if !self.constraints.is_empty() && !is_alone {
            return None;
        }
        let summed = self.embedding.sums.as_ref().map(|sums| &sums.summed);
        let is_summed = |at: &usize| summed.is_some_and(|summed| summed.parameters.contains(at));
        let mut ends = [0.0, 0.0];
        for parameter in (0..weights.len()).filter(|parameter| !is_summed(parameter)) {
            let [one, other] = self.end_codes(parameter).map(|code| weights[parameter] * code);
            let absent = if self.embedding.tests[parameter].is_empty() { one } else { 0.0 };
            ends[0] += one.min(other).min(absent);
            ends[1] += one.max(other).max(absent);
        }
        let Some(Summed { parameters, polytope, .. }) = summed else { return Some(ends) };
        let slope = |&parameter: &usize| {
            let [low, high] = self.end_codes(parameter);
            weights[parameter] * (high - low)
        };
        let slopes: Vec<f64> = parameters.iter().map(slope).collect();
        let steepest = slopes.iter().fold(f64::MIN_POSITIVE, |most, slope| most.max(slope.abs()));
        for (end, side) in ends.iter_mut().zip([-FAR, FAR]) {
            let far: Vec<f64> = slopes.iter().map(|slope| side * slope / steepest).collect();
            for (at, place) in polytope.nearest(&far)?.into_iter().enumerate() {
                let bounds = [polytope.lower[at], polytope.upper[at]];
                let place = bounds
                    .into_iter()
                    .find(|bound| (bound - place).abs() <= NARROW)
                    .unwrap_or(place);
                *end += weights[parameters[at]] * self.code(parameters[at], place);
            }
        }
        Some(ends)
    }

    /// Whether a real number has few places, whichever ones others have: this part of the space or
    /// the linear constraints leave no more.
    pub fn has_few_places(&self, parameter: usize) -> bool {
        let one = self.embedding.span(parameter).is_some_and(Span::is_one);
        one || self.embedding.sums.as_ref().is_some_and(|sums| sums.has_few(parameter))
    }

    /// Whether there are constraints that a point never keeps which is drawn without looking at them:
    /// equations, and that parts are absent.
    pub fn is_flat(&self) -> bool {
        let is_flat = |one: &Constraint| {
            matches!(one, Constraint::Equation { .. } | Constraint::Cardinality { .. })
        };
        self.constraints.iter().any(is_flat)
    }

    /// Whether all constraints are ones over floats alone that climbs keep.
    pub fn is_summed_alone(&self) -> bool {
        let sums = self.embedding.sums.as_ref();
        sums.is_some_and(|sums| sums.constraints() == self.constraints.len())
    }

    /// The point of a uniform one of the cube; with equations uniform among those that keep them.
    pub fn uniform(&self, unit: &[f64]) -> Vec<f64> {
        if self.is_flat() { self.at_draw(&unit[..self.draws()]) } else { unit.to_vec() }
    }

    /// Places whose floats are moved to the nearest ones at which all linear constraints hold, beside
    /// what is no float. `None` if there are no such floats.
    pub fn settled(&self, places: &[f64]) -> Option<Vec<f64>> {
        // Which parts are there is settled first.
        let unit = if self.embedding.cardinalities.is_empty() {
            self.express(places)
        } else {
            self.express(&self.moved(places.to_vec()))
        };
        let (lower, upper) = self.sides(&unit);
        let rows = self.rows_at(&unit, &lower, &upper);
        let moved = Polytope { lower, upper, rows }.nearest(&unit)?;
        let mut places = self.places_at(&moved);
        self.embedding.sums.iter().for_each(|sums| sums.settle(&mut places));
        Some(places)
    }

    /// The point moved to an allowed one.
    pub fn admitted_unit(&self, unit: &[f64]) -> Vec<f64> {
        self.express(&self.admitted(self.places_at(unit)))
    }

    /// Points at which an amount has gone from one part of a sum to another.
    pub fn transfers(&self, unit: &[f64], random: &mut impl Rng) -> Vec<Vec<f64>> {
        let Some(sums) = &self.embedding.sums else { return Vec::new() };
        let moved = sums.transfers(&self.places_at(unit), random);
        moved.iter().map(|places| self.express(places)).collect()
    }

    /// Where a climb from a point may go within these bounds, beside linear constraints: a row for each
    /// that is linear in what moves. Empty if there is none.
    pub fn rows_at(&self, unit: &[f64], lower: &[f64], upper: &[f64]) -> Vec<Row> {
        let codes = self.codes_at(unit);
        let place = |parameter: usize| {
            let columns = self.columns_of(parameter);
            (columns.len() == 1 && lower[columns.start] < upper[columns.start])
                .then_some(columns.start)
        };
        let row = |index| self.row(index, unit.len(), &codes, place);
        (0..self.embedding.linear.len()).filter_map(row).collect()
    }
}

/// The constraints leave one point.
fn one_point(view: &View<'_>, summed: &Summed) -> Flaw {
    let value = |(place, &parameter): (&f64, &usize)| {
        format!("{:?} = {}", view.parameters[parameter].name, view.code(parameter, *place))
    };
    let values: Vec<String> =
        summed.polytope.lower.iter().zip(&summed.parameters).map(value).collect();
    Flaw::OnePoint(format!(
        "{} leaves the one point {}",
        named(view, &summed.constraints).join(" with "),
        values.join(", ")
    ))
}

/// The fewest constraints that leave no point: each is left out that is not needed for that.
fn contradiction(view: &View<'_>, summed: Summed) -> Flaw {
    let Summed { mut constraints, mut polytope, parameters } = summed;
    let mut at = 0;
    while at < constraints.len() {
        let row = polytope.rows.remove(at);
        if polytope.nearest(&polytope.lower).is_some() {
            polytope.rows.insert(at, row);
            at += 1;
        } else {
            constraints.remove(at);
        }
    }
    let mut message = format!("no point satisfies {}", named(view, &constraints).join(" and "));
    if let [index] = constraints[..] {
        let ends = |&(parameter, weight): &(usize, f64)| {
            let codes = match parameters.binary_search(&parameter) {
                // A part of the space may leave less than its bounds.
                Ok(at) => [polytope.lower[at], polytope.upper[at]]
                    .map(|place| view.code(parameter, place)),
                Err(_) => view.end_codes(parameter),
            };
            let ends = codes.map(|code| weight * code);
            (ends[0].min(ends[1]), ends[0].max(ends[1]))
        };
        let terms = view.embedding.linear[index].terms.iter().map(ends);
        let (least, most) = terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
        let [least, most] = [least, most].map(|end| decimal(end, 6));
        message += &format!(": within the bounds the sum is from {least} to {most}");
    }
    Flaw::Contradiction(message)
}

/// No set of parts was found that the other constraints allow.
fn without_parts(view: &View<'_>, summed: &Summed) -> Flaw {
    let is_one = |one: &&Constraint| matches!(one, Constraint::Cardinality { .. });
    let mut named = named(view, &summed.constraints);
    named.extend(view.constraints.iter().filter(is_one).map(Constraint::to_string));
    let named = named.join(" and ");
    let message = format!("no point satisfies {named}: no set of parts was found that allows it");
    Flaw::Contradiction(message)
}

/// Constraints by their indices among the linear ones, in words.
fn named(view: &View<'_>, indices: &[usize]) -> Vec<String> {
    let linear: Vec<_> =
        view.constraints.iter().filter(|constraint| constraint.linear().is_some()).collect();
    indices.iter().map(|&index| linear[index].to_string()).collect()
}
