//! Where the parameters of a space stand in the unit cube.
//!
//! This is the only place that knows how many columns a parameter has. Everything after it sees
//! points of a cube, and asks here what these mean.
//!
//! ```text
//! values (typed)  <->  codes (one number each)  <->  places  <->  columns of the unit cube
//! ```
//!
//! - A *code* stands for a value: the number itself, 0 or 1 for a flag, the index of a name. What
//!   is absent has none (NaN).
//! - A *place* is where a parameter stands among its values: a coordinate in `[0, 1]` for a real
//!   number, the index of the value for all others. Absent parameters have places too, which are
//!   not looked at: searches change them freely.
//! - A number, an ordered name or a flag has one *column*. The two values of a flag stand at 0 and
//!   1. A choice of `m > 2` names has `m` columns: `1/sqrt(2)` in that of its name and 0 in the
//!   others. With one lengthscale `l` for all of them, two different names add
//!   `2 (1/sqrt(2))^2 / l^2 = 1/l^2` to the squared distance, whichever they are. So the kernel is
//!   one of the Hamming distance, and only sees whether names are the same.
//! - An absent parameter stands at a fixed place in the middle: 1/2 on a line, 0 in each column of a
//!   choice. What its values would be changes nothing.

use rand::{Rng, RngExt};

use crate::data::constraint::Constraint;
use crate::data::{Parameter, ParameterKind, Points, Requirement, Value, Values};
use crate::math::sobol::Sobol;

/// What a column of a choice says if its name is chosen.
const CHOSEN: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Where an absent parameter stands on a line.
const MIDDLE: f64 = 0.5;

/// Up to this number of values, all of them are neighbors of each other. Of more ordered values
/// the neighbors are those at a distance of 1, 2, 4 and so on.
const FEW: f64 = 8.0;

/// How many points a change of a condition leads to: the parameters that come to exist are drawn.
const DRAWN: usize = 4;

/// Quasi-random points that are tried to find allowed ones, and how many of these are kept.
pub(super) const TRIED: usize = 1 << 14;
const ANCHORS: usize = 64;

/// How often a point that breaks linear constraints is moved toward them.
const MOVES: usize = 50;

/// Halvings of the way from an allowed point to one that is not.
const HALVINGS: usize = 12;

/// The rounding of a linear constraint, relative to the sizes of its terms.
const ROUNDING: f64 = 1e-9;

/// A condition with its parent's index.
#[derive(Debug, Clone, PartialEq)]
enum Test {
    Is(Vec<f64>),
    AtLeast(f64),
    AtMost(f64),
}

impl Test {
    fn holds(&self, code: f64) -> bool {
        match self {
            Self::Is(codes) => codes.contains(&code),
            Self::AtLeast(bound) => code >= *bound,
            Self::AtMost(bound) => code <= *bound,
        }
    }
}

/// A linear constraint by indices.
#[derive(Debug, Clone, PartialEq)]
struct Linear {
    terms: Vec<(usize, f64)>,
    at_most: f64,
}

impl Linear {
    /// By how much it is broken; at most 0 if it holds.
    fn excess(&self, codes: &[f64]) -> f64 {
        let (mut sum, mut size) = (0.0, self.at_most.abs());
        for &(index, weight) in &self.terms {
            // What is absent counts as 0.
            let term = if codes[index].is_nan() { 0.0 } else { weight * codes[index] };
            sum += term;
            size += term.abs();
        }
        sum - self.at_most - ROUNDING * size
    }
}

/// Where parameters stand in the unit cube.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Embedding {
    /// The first column of each parameter, and the number of all columns.
    columns: Vec<usize>,
    /// Parents before their children. Parameters on a circle are left out.
    order: Vec<usize>,
    tests: Vec<Vec<(usize, Test)>>,
    linear: Vec<Linear>,
    names: Vec<String>,
    constrained: bool,
    plain: bool,
    /// Places of allowed points, if there are constraints.
    anchors: Vec<Vec<f64>>,
}

impl Embedding {
    pub fn new(parameters: &[Parameter], constraints: &[Constraint]) -> Self {
        let index_of = |name: &str| parameters.iter().position(|other| other.name == name);
        let mut columns = vec![0];
        for parameter in parameters {
            columns.push(columns[columns.len() - 1] + parameter.kind.columns());
        }
        let test = |requirement: &Requirement, parent: &ParameterKind| match requirement {
            Requirement::Is(values) => {
                Test::Is(values.iter().filter_map(|value| parent.code(value).ok()).collect())
            }
            Requirement::AtLeast(bound) => Test::AtLeast(*bound),
            Requirement::AtMost(bound) => Test::AtMost(*bound),
        };
        let tests = parameters.iter().map(|parameter| {
            let resolve = |condition: &crate::data::Condition| {
                let parent = index_of(&condition.parameter)?;
                Some((parent, test(&condition.requirement, &parameters[parent].kind)))
            };
            parameter.when.iter().filter_map(resolve).collect()
        });
        let tests: Vec<Vec<(usize, Test)>> = tests.collect();
        let linear = constraints.iter().filter_map(|constraint| match constraint {
            Constraint::Linear { terms, at_most } => {
                let resolve = |(name, weight): &(String, f64)| Some((index_of(name)?, *weight));
                Some(Linear {
                    terms: terms.iter().filter_map(resolve).collect(),
                    at_most: *at_most,
                })
            }
            Constraint::Predicate(_) => None,
        });
        let numbers_only = |parameter: &Parameter| {
            parameter.kind.is_real() || matches!(parameter.kind, ParameterKind::Int { .. })
        };
        let mut embedding = Self {
            columns,
            order: in_order(&tests),
            plain: parameters.iter().all(numbers_only)
                && tests.iter().all(Vec::is_empty)
                && constraints.is_empty(),
            tests,
            linear: linear.collect(),
            names: parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            constrained: !constraints.is_empty(),
            anchors: Vec::new(),
        };
        if embedding.constrained && embedding.order.len() == parameters.len() {
            embedding.anchors = View::of(&embedding, parameters, constraints).find_anchors();
        }
        embedding
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns[self.columns.len() - 1]
    }

    /// Whether each parameter is a number that always exists, one column each, without constraints.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The columns of a parameter.
    pub fn columns_of(&self, parameter: usize) -> std::ops::Range<usize> {
        self.columns[parameter]..self.columns[parameter + 1]
    }

    /// The parameters that stand on a circle of conditions, if there is one, each the parent of the
    /// next.
    pub fn circle(&self) -> Option<Vec<usize>> {
        let mut at = (0..self.names.len()).find(|index| !self.order.contains(index))?;
        // Each parameter left over has a parent that is left over, so the way up ends in a circle.
        let mut seen = Vec::new();
        while !seen.contains(&at) {
            seen.push(at);
            at = self.tests[at]
                .iter()
                .map(|(parent, _)| *parent)
                .find(|parent| !self.order.contains(parent))?;
        }
        let begin = seen.iter().position(|index| *index == at)?;
        let mut circle = seen.split_off(begin);
        circle.reverse();
        Some(circle)
    }

    /// How many allowed points were found, if there are constraints.
    pub fn allowed(&self) -> Option<usize> {
        self.constrained.then_some(self.anchors.len())
    }
}

/// The indices, parents before their children.
fn in_order(tests: &[Vec<(usize, Test)>]) -> Vec<usize> {
    let (mut order, mut placed) = (Vec::with_capacity(tests.len()), vec![false; tests.len()]);
    loop {
        let before = order.len();
        for (index, tests) in tests.iter().enumerate() {
            if !placed[index] && tests.iter().all(|(parent, _)| placed[*parent]) {
                placed[index] = true;
                order.push(index);
            }
        }
        if order.len() == before {
            return order;
        }
    }
}

/// An embedding with the parameters that it embeds.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    embedding: &'a Embedding,
    parameters: &'a [Parameter],
    constraints: &'a [Constraint],
}

impl<'a> View<'a> {
    pub fn of(
        embedding: &'a Embedding,
        parameters: &'a [Parameter],
        constraints: &'a [Constraint],
    ) -> Self {
        Self { embedding, parameters, constraints }
    }

    /// The columns of a parameter.
    pub fn columns_of(&self, parameter: usize) -> std::ops::Range<usize> {
        self.embedding.columns_of(parameter)
    }

    fn kind(&self, parameter: usize) -> &'a ParameterKind {
        &self.parameters[parameter].kind
    }

    /// How many numbers a draw takes: one for each parameter that varies.
    pub fn draws(&self) -> usize {
        self.parameters.iter().filter(|parameter| parameter.kind.columns() > 0).count()
    }

    /// The parameter of each column, counted without constants. Columns of one parameter have one
    /// lengthscale.
    pub fn groups(&self) -> Vec<usize> {
        let widths = self.parameters.iter().map(|parameter| parameter.kind.columns());
        let varied = widths.filter(|width| *width > 0).enumerate();
        varied.flat_map(|(group, width)| std::iter::repeat_n(group, width)).collect()
    }

    /// Whether each parameter that varies is a flag or a name in no order.
    pub fn are_names(&self) -> Vec<bool> {
        let varied = self.parameters.iter().filter(|parameter| parameter.kind.columns() > 0);
        varied.map(|parameter| !parameter.kind.is_ordered()).collect()
    }

    fn exists(&self, parameter: usize, codes: &[f64]) -> bool {
        self.embedding.tests[parameter].iter().all(|(parent, test)| test.holds(codes[*parent]))
    }

    fn code(&self, parameter: usize, place: f64) -> f64 {
        let kind = self.kind(parameter);
        if kind.is_real() { kind.to_value(place) } else { kind.code_of_cell(place) }
    }

    /// The codes of what exists at these places, NaN for what does not.
    pub fn codes(&self, places: &[f64]) -> Vec<f64> {
        let mut codes = vec![f64::NAN; places.len()];
        for &parameter in &self.embedding.order {
            if self.exists(parameter, &codes) {
                codes[parameter] = self.code(parameter, places[parameter]);
            }
        }
        codes
    }

    /// The point of the cube at these places.
    pub fn express(&self, places: &[f64]) -> Vec<f64> {
        let codes = self.codes(places);
        let mut unit = vec![0.0; self.embedding.width()];
        for parameter in 0..places.len() {
            let columns = &mut unit[self.embedding.columns_of(parameter)];
            let exists = !codes[parameter].is_nan();
            match columns {
                [] => {}
                [column] if exists && self.kind(parameter).is_real() => *column = places[parameter],
                [column] if exists => *column = self.kind(parameter).center(places[parameter]),
                [column] => *column = MIDDLE,
                columns if exists => columns[places[parameter] as usize] = CHOSEN,
                _ => {}
            }
        }
        unit
    }

    /// The places at a point of the cube, and whether each parameter exists. Those of absent ones
    /// come from `absent`.
    pub fn places(
        &self,
        unit: &[f64],
        mut absent: impl FnMut(usize) -> f64,
    ) -> (Vec<f64>, Vec<bool>) {
        let mut codes = vec![f64::NAN; self.parameters.len()];
        let mut places = vec![0.0; self.parameters.len()];
        let mut exists = vec![false; self.parameters.len()];
        for &parameter in &self.embedding.order {
            exists[parameter] = self.exists(parameter, &codes);
            if !exists[parameter] {
                places[parameter] = absent(parameter);
                continue;
            }
            let kind = self.kind(parameter);
            places[parameter] = match &unit[self.embedding.columns_of(parameter)] {
                [] => 0.0,
                [column] if kind.is_real() => column.clamp(0.0, 1.0),
                [column] => kind.cell(*column),
                columns => {
                    let largest = (0..columns.len()).reduce(|best, next| {
                        if columns[next] > columns[best] { next } else { best }
                    });
                    largest.unwrap_or(0) as f64
                }
            };
            codes[parameter] = self.code(parameter, places[parameter]);
        }
        (places, exists)
    }

    /// The codes at a point of the cube.
    pub fn codes_at(&self, unit: &[f64]) -> Vec<f64> {
        self.codes(&self.places(unit, |_| 0.0).0)
    }

    /// The places of codes. An absent parameter stands at its first one.
    pub fn places_of_codes(&self, codes: &[f64]) -> Vec<f64> {
        let place = |(parameter, &code): (&Parameter, &f64)| match &parameter.kind {
            _ if code.is_nan() => 0.0,
            kind if kind.is_real() => kind.to_unit(code).unwrap_or(MIDDLE),
            kind => kind.cell_of_code(code),
        };
        self.parameters.iter().zip(codes).map(place).collect()
    }

    /// Whether a parameter exists beside these codes of others.
    pub fn expects(&self, parameter: usize, codes: &[f64]) -> bool {
        self.exists(parameter, codes)
    }

    /// Whether the constraints hold.
    pub fn admits(&self, codes: &[f64]) -> bool {
        self.broken(codes).is_none()
    }

    /// The first constraint that does not hold.
    pub fn broken(&self, codes: &[f64]) -> Option<&'a Constraint> {
        let mut linear = self.embedding.linear.iter();
        let mut values: Option<Vec<Value>> = None;
        self.constraints.iter().find(|constraint| match constraint {
            Constraint::Linear { .. } => {
                linear.next().is_some_and(|linear| linear.excess(codes) > 0.0)
            }
            Constraint::Predicate(predicate) => {
                let values = values.get_or_insert_with(|| self.values(codes));
                !(predicate.function)(&Values::new(&self.embedding.names, values))
            }
        })
    }

    /// The values that codes stand for.
    pub fn values(&self, codes: &[f64]) -> Vec<Value> {
        let value = |(parameter, &code): (&Parameter, &f64)| match code.is_nan() {
            true => Value::Absent,
            false => parameter.kind.value(code),
        };
        self.parameters.iter().zip(codes).map(value).collect()
    }

    /// The places of a draw: uniform numbers, one for each parameter that varies.
    pub fn drawn(&self, draw: &[f64]) -> Vec<f64> {
        let mut draw = draw.iter();
        let place = |parameter: &Parameter| match &parameter.kind {
            kind if kind.columns() == 0 => 0.0,
            kind => self.place_of_draw(kind, *draw.next().unwrap_or(&MIDDLE)),
        };
        self.parameters.iter().map(place).collect()
    }

    fn place_of_draw(&self, kind: &ParameterKind, draw: f64) -> f64 {
        if kind.is_real() { draw } else { kind.cell(draw) }
    }

    /// The allowed places nearest in spirit to these: the same if they are allowed; otherwise moved
    /// to the linear constraints; otherwise on the way to an allowed point, as far from it as
    /// possible.
    pub fn admitted(&self, places: Vec<f64>) -> Vec<f64> {
        if !self.embedding.constrained || self.admits(&self.codes(&places)) {
            return places;
        }
        let moved = self.projected(places.clone());
        if self.admits(&self.codes(&moved)) {
            return moved;
        }
        let anchors = &self.embedding.anchors;
        if anchors.is_empty() {
            return places;
        }
        // Any fixed choice that differs from point to point will do.
        let mix = places.iter().fold(0u64, |mix, place| {
            mix.rotate_left(9).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ place.to_bits()
        });
        self.toward(&anchors[(mix >> 7) as usize % anchors.len()], &places)
    }

    /// The farthest allowed places on the way from allowed ones to others.
    pub fn toward(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let at = |share: f64| -> Vec<f64> {
            let one = |(parameter, (&from, &to)): (&Parameter, (&f64, &f64))| {
                let between = from + share * (to - from);
                match &parameter.kind {
                    kind if kind.is_real() => between,
                    kind if kind.is_ordered() => between.round(),
                    _ if share < 0.5 => from,
                    _ => to,
                }
            };
            self.parameters.iter().zip(from.iter().zip(to)).map(one).collect()
        };
        let (mut inside, mut outside, mut best) = (0.0, 1.0, from.to_vec());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            let places = at(middle);
            if self.admits(&self.codes(&places)) {
                (inside, best) = (middle, places);
            } else {
                outside = middle;
            }
        }
        best
    }

    /// Moves places toward the linear constraints that they break: numbers along the normal, then
    /// others value by value.
    fn projected(&self, mut places: Vec<f64>) -> Vec<f64> {
        for turn in 0..MOVES {
            let codes = self.codes(&places);
            let broken = self.embedding.linear.iter().find(|linear| linear.excess(&codes) > 0.0);
            let Some(linear) = broken else { break };
            let here = |&&(index, weight): &&(usize, f64)| !codes[index].is_nan() && weight != 0.0;
            let slope =
                |index: usize, weight: f64| weight * self.kind(index).derivative(places[index]);
            let reals: Vec<(usize, f64)> = linear
                .terms
                .iter()
                .filter(here)
                .filter(|(index, _)| self.kind(*index).is_real())
                .map(|&(index, weight)| (index, slope(index, weight)))
                // One at its bound cannot move further.
                .filter(
                    |&(index, slope)| {
                        if slope > 0.0 { places[index] > 0.0 } else { places[index] < 1.0 }
                    },
                )
                .collect();
            let norm: f64 = reals.iter().map(|(_, slope)| slope * slope).sum();
            if norm > 0.0 {
                // A little beyond, so that rounding does not leave it outside.
                let step = linear.excess(&codes) * (1.0 + 1e-6) / norm;
                for (index, slope) in reals {
                    places[index] = (places[index] - step * slope).clamp(0.0, 1.0);
                }
                continue;
            }
            let lower = |&&(index, weight): &&(usize, f64)| {
                let last = self.kind(index).count() - 1.0;
                if weight > 0.0 { places[index] > 0.0 } else { places[index] < last }
            };
            let movable: Vec<&(usize, f64)> =
                linear.terms.iter().filter(here).filter(lower).collect();
            if movable.is_empty() {
                break;
            }
            let &(index, weight) = movable[(7 * turn + 3) % movable.len()];
            places[index] -= weight.signum();
        }
        places
    }

    /// Places of allowed points.
    fn find_anchors(&self) -> Vec<Vec<f64>> {
        let draws = Sobol::new(self.draws().max(1), 0).points(0, TRIED);
        let mut anchors: Vec<Vec<f64>> = Vec::new();
        for draw in draws.rows() {
            let mut places = self.drawn(draw);
            if !self.admits(&self.codes(&places)) {
                places = self.projected(places);
            }
            if self.admits(&self.codes(&places)) && !anchors.contains(&places) {
                anchors.push(places);
            }
            if anchors.len() == ANCHORS {
                break;
            }
        }
        anchors
    }

    /// The draw in the middle of all that has an order. Names and flags have no middle: they are
    /// drawn.
    pub fn middle(&self, random: &mut impl Rng) -> Vec<f64> {
        let draw = |parameter: &Parameter| match parameter.kind.is_ordered() {
            true => MIDDLE,
            false => random.random(),
        };
        let varied = self.parameters.iter().filter(|parameter| parameter.kind.columns() > 0);
        varied.map(draw).collect()
    }

    /// The point of the cube of a draw, moved to an allowed one. Whole numbers come to the centers
    /// of their cells.
    pub fn at_draw(&self, draw: &[f64]) -> Vec<f64> {
        self.express(&self.admitted(self.drawn(draw)))
    }

    /// A place among the values of a parameter, uniformly.
    pub fn any_place(&self, parameter: usize, random: &mut impl Rng) -> f64 {
        let draw: f64 = random.random();
        self.place_of_draw(self.kind(parameter), draw)
    }

    /// All allowed points in which one parameter that is no real number has another value, of those
    /// that exist. Real numbers stay. What comes to exist by the change is drawn.
    pub fn neighbors(&self, unit: &[f64], random: &mut impl Rng, points: &mut Points) {
        let (places, exists) = self.places(unit, |parameter| self.any_place(parameter, random));
        for parameter in 0..places.len() {
            let kind = self.kind(parameter);
            if !exists[parameter] || kind.is_real() || kind.columns() == 0 {
                continue;
            }
            let decides = self
                .embedding
                .tests
                .iter()
                .any(|tests| tests.iter().any(|(parent, _)| *parent == parameter));
            for other in others(kind, places[parameter]) {
                for _ in 0..if decides { DRAWN } else { 1 } {
                    let mut moved = places.clone();
                    moved[parameter] = other;
                    if decides {
                        for (child, exists) in exists.iter().enumerate() {
                            if !exists {
                                moved[child] = self.any_place(child, random);
                            }
                        }
                    }
                    if !self.embedding.constrained || self.admits(&self.codes(&moved)) {
                        points.push(&self.express(&moved));
                    }
                }
            }
        }
    }

    /// Whether each column is that of a real number which exists at this point.
    pub fn moving(&self, unit: &[f64]) -> Vec<bool> {
        let (_, exists) = self.places(unit, |_| 0.0);
        let mut moving = vec![false; unit.len()];
        for (parameter, exists) in exists.into_iter().enumerate() {
            if exists && self.kind(parameter).is_real() {
                moving[self.embedding.columns[parameter]] = true;
            }
        }
        moving
    }
}

/// Other values of a parameter than the one at this place.
fn others(kind: &ParameterKind, place: f64) -> Vec<f64> {
    let count = kind.count();
    if count <= FEW || !kind.is_ordered() {
        return (0..count as usize).map(|k| k as f64).filter(|other| *other != place).collect();
    }
    let mut others = Vec::new();
    let mut distance = 1.0;
    while distance < count {
        others.extend(
            [place - distance, place + distance]
                .into_iter()
                .filter(|other| (0.0..count).contains(other)),
        );
        distance *= 2.0;
    }
    others
}
