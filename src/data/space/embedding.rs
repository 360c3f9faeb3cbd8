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
//! - A number, an ordered name or a flag has one *column*; what has one value has none. The two
//!   values of a flag stand at its ends. A choice of `m > 2` names has `m` columns: `1/sqrt(2)` in that of its name and 0 in
//!   the others. With one lengthscale `l` for all of them, two different names add
//!   `2 (1/sqrt(2))^2 / l^2 = 1/l^2` to the squared distance, whichever they are. So the kernel
//!   is one of the Hamming distance, and only sees whether names are the same.
//! - An absent parameter stands at a fixed place in the middle: 1/2 on a line, 0 in each column of a
//!   choice. What its values would be changes nothing.

use crate::data::space::chosen::Cardinality;
use crate::data::space::constraint::{Constraint, Linear};
use crate::data::space::span::Span;
use crate::data::space::sums::{Flaw, Sums};
use crate::data::{Parameter, ParameterKind, Requirement, Value};

/// What a column of a choice says if its name is chosen.
const CHOSEN: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Where an absent parameter stands on a line.
pub(in crate::data) const MIDDLE: f64 = 0.5;

/// Puts an absent parameter into its columns: equally far from both ends, or from all names.
pub(in crate::data) fn place_absent(columns: &mut [f64]) {
    match columns {
        [column] => *column = MIDDLE,
        columns => columns.fill(0.0),
    }
}

/// A condition with its parent's index.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) enum Test {
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

/// Up to this number of values a whole number is looked at value by value. The cells of more are so
/// narrow that rounding the end of a climb loses little.
const FEW_VALUES: f64 = 32.0;

/// Where parameters stand in the unit cube.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Embedding {
    /// The first column of each parameter, and the number of all columns.
    columns: Vec<usize>,
    /// Parents before their children. Parameters on a circle are left out.
    pub(in crate::data) order: Vec<usize>,
    pub(in crate::data) tests: Vec<Vec<(usize, Test)>>,
    pub(in crate::data) linear: Vec<Linear>,
    pub(in crate::data) cardinalities: Vec<Cardinality>,
    /// Linear constraints over floats alone, and cardinality constraints.
    pub(in crate::data) sums: Option<Sums>,
    pub(in crate::data) names: Vec<String>,
    pub(in crate::data) constrained: bool,
    plain: bool,
    relaxed: bool,
    /// Where each parameter may stand, in a part of a space; empty if that is everywhere.
    pub(in crate::data) spans: Vec<Option<Span>>,
    /// What is wrong with these.
    pub(in crate::data) flaw: Option<Flaw>,
    /// Places of allowed points, if there are constraints.
    pub(in crate::data) anchors: Vec<Vec<f64>>,
}

impl Embedding {
    pub fn new(parameters: &[Parameter], constraints: &[Constraint]) -> Self {
        let index_of = |name: &str| parameters.iter().position(|other| other.name == name);
        let mut columns = vec![0];
        for parameter in parameters {
            columns.push(columns[columns.len() - 1] + parameter.kind.columns());
        }
        let test = |requirement: &Requirement, parent: &ParameterKind| match requirement {
            Requirement::Is(values) | Requirement::IsIfPresent(values) => {
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
        let linear = constraints.iter().filter_map(|one| Linear::of(one, index_of));
        let most = |parameter: usize| match parameters[parameter].kind {
            ParameterKind::Float { high, .. } => high,
            _ => 1.0,
        };
        let cardinalities =
            constraints.iter().filter_map(|one| Cardinality::of(one, index_of, most));
        let numbers_only = |parameter: &Parameter| {
            let is_whole = matches!(parameter.kind, ParameterKind::Int { .. });
            parameter.kind.is_real() || (is_whole && parameter.kind.columns() > 0)
        };
        let plain = parameters.iter().all(numbers_only)
            && tests.iter().all(Vec::is_empty)
            && constraints.is_empty();
        let is_fine = |Parameter { kind, .. }: &Parameter| {
            kind.is_real() || kind.columns() == 0 || kind.count() > FEW_VALUES
        };
        let mut embedding = Self {
            columns,
            order: in_order(&tests),
            plain,
            relaxed: plain && parameters.iter().all(is_fine),
            tests,
            linear: linear.collect(),
            cardinalities: cardinalities.collect(),
            sums: None,
            flaw: None,
            names: parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            constrained: !constraints.is_empty(),
            spans: Vec::new(),
            anchors: Vec::new(),
        };
        if embedding.constrained && embedding.order.len() == parameters.len() {
            embedding.look_around(parameters, constraints);
        }
        embedding
    }

    /// The same for a part of the space: parameters stand in their spans.
    pub(in crate::data) fn confined(
        &self,
        parameters: &[Parameter],
        constraints: &[Constraint],
        spans: Vec<Option<Span>>,
    ) -> Self {
        let mut part =
            Self { plain: false, relaxed: false, spans, anchors: Vec::new(), ..self.clone() };
        if part.constrained {
            part.look_around(parameters, constraints);
        }
        part
    }

    /// Finds where the constraints leave points.
    fn look_around(&mut self, parameters: &[Parameter], constraints: &[Constraint]) {
        match View::of(self, parameters, constraints).sums() {
            Ok(sums) => {
                self.sums = sums;
                self.anchors = View::of(self, parameters, constraints).find_anchors();
            }
            Err(flaw) => self.flaw = Some(flaw),
        }
    }

    /// Whether it is that of a part of a space.
    pub fn is_part(&self) -> bool {
        !self.spans.is_empty()
    }

    /// Where a parameter may stand, if that is not everywhere.
    pub(in crate::data) fn span(&self, parameter: usize) -> Option<&Span> {
        self.spans.get(parameter)?.as_ref()
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns[self.columns.len() - 1]
    }

    /// Whether each parameter is a number that always exists, one column each, without constraints.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether it is plain, and a search may climb along whole numbers as if they were real ones.
    pub fn is_relaxed(&self) -> bool {
        self.relaxed
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
    let mut order = Vec::with_capacity(tests.len());
    let mut placed = vec![false; tests.len()];
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
pub struct View<'a> {
    pub(in crate::data) embedding: &'a Embedding,
    pub(in crate::data) parameters: &'a [Parameter],
    pub(in crate::data) constraints: &'a [Constraint],
}

impl<'a> View<'a> {
    pub(in crate::data) fn of(
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

    pub(in crate::data) fn kind(&self, parameter: usize) -> &'a ParameterKind {
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

    /// Whether a parameter exists beside these codes of others.
    pub fn exists(&self, parameter: usize, codes: &[f64]) -> bool {
        self.embedding.tests[parameter].iter().all(|(parent, test)| test.holds(codes[*parent]))
    }

    /// The code of a parameter at a place.
    pub(in crate::data) fn code(&self, parameter: usize, place: f64) -> f64 {
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
                columns if exists => columns[places[parameter] as usize] = CHOSEN,
                columns => place_absent(columns),
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

    /// The places at a point of the cube; those of absent parameters are 0.
    pub fn places_at(&self, unit: &[f64]) -> Vec<f64> {
        self.places(unit, |_| 0.0).0
    }

    /// The codes at a point of the cube.
    pub fn codes_at(&self, unit: &[f64]) -> Vec<f64> {
        self.codes(&self.places_at(unit))
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

    /// The values that codes stand for.
    pub fn values(&self, codes: &[f64]) -> Vec<Value> {
        let value = |(parameter, &code): (&Parameter, &f64)| {
            if code.is_nan() { Value::Absent } else { parameter.kind.value(code) }
        };
        self.parameters.iter().zip(codes).map(value).collect()
    }
}
