//! Which variables may be set together, and at what price.

use gittins::internals::Normals;
use gittins::math::Sobol;
use gittins::{Error, ErrorKind, Points, Result, Space};

use crate::control::law::{Law, UnitLaw};

/// Sets of variables that may be controlled, each with a name and a price, and the laws from which
/// nature draws the other variables.
///
/// ```
/// use gittins::Space;
/// use gittins_papers::control::{ControlSets, Law};
///
/// let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
/// let sets = ControlSets::new()
///     .set("soil", ["lime"], 1.0)
///     .set("greenhouse", ["lime", "rain"], 20.0)
///     .law("rain", Law::normal(600.0, 120.0));
/// sets.on(&space)?;
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ControlSets {
    sets: Vec<Priced>,
    laws: Vec<(String, Law)>,
}

/// A set as it was given: its name, its variables and its price.
pub(crate) type Priced = (String, Vec<String>, f64);

/// How the draws are made that stand for what nature may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sampling {
    /// A scrambled Sobol sequence. Means over it err by far less than over independent draws.
    #[default]
    QuasiRandom,
    /// Independent draws, as in the publication.
    Plain,
}

/// A control set of a space.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ControlSet {
    /// Its name.
    pub name: String,
    /// The variables that are set, ascending.
    pub controlled: Vec<usize>,
    /// The others, ascending, which nature draws.
    pub random: Vec<usize>,
    /// The cost of an evaluation with it.
    pub cost: f64,
}

/// Control sets of a space, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundSets {
    sets: Vec<ControlSet>,
    laws: Vec<Option<UnitLaw>>,
}

impl ControlSets {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a set of variables that may be controlled together, at a price.
    pub fn set(
        mut self,
        name: impl Into<String>,
        variables: impl IntoIterator<Item = impl Into<String>>,
        cost: f64,
    ) -> Self {
        self.sets.push((name.into(), variables.into_iter().map(Into::into).collect(), cost));
        self
    }

    /// The law from which nature draws a variable while it is not controlled.
    pub fn law(mut self, variable: impl Into<String>, law: Law) -> Self {
        self.laws.push((variable.into(), law));
        self
    }

    /// The sets of a space.
    ///
    /// # Errors
    /// Naming the set or the variable: [`ErrorKind::Empty`] without a set, and for a set without a
    /// variable; [`ErrorKind::UnknownParameter`] for a variable that the space does not have;
    /// [`ErrorKind::InvalidSetting`] for a name or a variable that comes twice, for a variable with
    /// two laws, and for one without a law that some set leaves to nature;
    /// [`ErrorKind::NonPositiveCost`] and [`ErrorKind::NonFinite`] for a price; those of
    /// [`Law::on`].
    #[doc(hidden)]
    pub fn on(&self, space: &Space) -> Result<BoundSets> {
        space.validate()?;
        if !space.is_plain() {
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                "control sets need a space of floats and whole numbers, without conditions and constraints",
            ));
        }
        let mut laws: Vec<Option<UnitLaw>> = vec![None; space.dim()];
        for (variable, law) in &self.laws {
            let index = space.index_of(variable)?;
            if laws[index].is_some() {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("variable {variable:?} has two laws"),
                ));
            }
            let kind = space.parameters()[index].kind();
            laws[index] = Some(
                law.on(kind)
                    .map_err(|error| error.at(format_args!("the law of variable {variable:?}")))?,
            );
        }
        if self.sets.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected at least one control set, got none",
            ));
        }
        let mut sets: Vec<ControlSet> = Vec::with_capacity(self.sets.len());
        for (name, variables, cost) in &self.sets {
            if sets.iter().any(|other| other.name == *name) {
                return Err(Error::new(
                    ErrorKind::InvalidSetting,
                    format!("two control sets are named {name:?}"),
                ));
            }
            let set = bind(space, name, variables, *cost)
                .map_err(|error| error.at(format_args!("control set {name:?}")))?;
            if let Some(&left) = set.random.iter().find(|&&index| laws[index].is_none()) {
                let variable = space.parameters()[left].name();
                let message = format!(
                    "control set {name:?} leaves variable {variable:?} to nature, which has no law to draw it from"
                );
                return Err(Error::new(ErrorKind::InvalidSetting, message));
            }
            sets.push(set);
        }
        Ok(BoundSets { sets, laws })
    }
}

fn bind(space: &Space, name: &str, variables: &[String], cost: f64) -> Result<ControlSet> {
    if variables.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "expected at least one variable, got none"));
    }
    if !cost.is_finite() {
        return Err(Error::new(
            ErrorKind::NonFinite,
            format!("expected a finite price, got {cost}"),
        ));
    }
    if cost <= 0.0 {
        return Err(Error::new(
            ErrorKind::NonPositiveCost,
            format!("expected a positive price, got {cost}"),
        ));
    }
    let mut controlled =
        variables.iter().map(|variable| space.index_of(variable)).collect::<Result<Vec<_>>>()?;
    controlled.sort_unstable();
    if let Some(pair) = controlled.windows(2).find(|pair| pair[0] == pair[1]) {
        let variable = space.parameters()[pair[0]].name();
        return Err(Error::new(
            ErrorKind::InvalidSetting,
            format!("variable {variable:?} comes twice"),
        ));
    }
    let random = (0..space.dim()).filter(|index| !controlled.contains(index)).collect();
    Ok(ControlSet { name: name.to_owned(), controlled, random, cost })
}

impl ControlSet {
    /// Puts the controlled coordinates into a full point.
    ///
    /// # Panics
    /// If the point has no place for one of them.
    pub fn place(&self, query: &[f64], point: &mut [f64]) {
        self.controlled.iter().zip(query).for_each(|(&k, x)| point[k] = *x);
    }

    /// The controlled coordinates of a full point.
    ///
    /// # Panics
    /// If the point lacks one of them.
    pub fn part(&self, point: &[f64]) -> Vec<f64> {
        self.controlled.iter().map(|&k| point[k]).collect()
    }

    /// The draws over which a query is averaged: one, if nothing is left to nature.
    pub(super) fn draws(&self, samples: &Points) -> Points {
        if self.random.is_empty() { samples.select([0]) } else { samples.clone() }
    }

    /// The points that a query may come to.
    pub(super) fn completions(&self, query: &[f64], samples: &Points) -> Points {
        let mut points = self.draws(samples);
        (0..points.len()).for_each(|row| self.place(query, points.row_mut(row)));
        points
    }
}

impl BoundSets {
    /// The sets, in the order in which they were added.
    pub fn sets(&self) -> &[ControlSet] {
        &self.sets
    }

    /// The laws of the variables, for those that have one.
    pub fn laws(&self) -> &[Option<UnitLaw>] {
        &self.laws
    }

    /// Draws of all variables (`count x d`, in the unit cube), the same for all sets. They are 1/2
    /// for a variable without a law, which no set leaves to nature. The first `2^k` quasi-random
    /// draws are a sample of their own.
    pub fn samples(&self, count: usize, sampling: Sampling, seed: u64) -> Points {
        let dim = self.laws.len();
        self.through_laws(match sampling {
            Sampling::QuasiRandom => Sobol::new(dim, seed).points(0, count),
            Sampling::Plain => {
                let mut uniform = Normals::new(seed);
                let mut points = Points::with_capacity(dim, count);
                let mut row = vec![0.0; dim];
                for _ in 0..count {
                    row.fill_with(|| uniform.uniform());
                    points.push(&row);
                }
                points
            }
        })
    }

    /// The medians of the laws, 1/2 for a variable without one.
    pub fn medians(&self) -> Vec<f64> {
        self.laws.iter().map(|law| law.as_ref().map_or(0.5, |law| law.quantile(0.5))).collect()
    }

    /// Turns uniform numbers into draws of the variables.
    pub fn through_laws(&self, mut uniform: Points) -> Points {
        for row in 0..uniform.len() {
            for (u, law) in uniform.row_mut(row).iter_mut().zip(&self.laws) {
                *u = law.as_ref().map_or(0.5, |law| law.quantile(*u));
            }
        }
        uniform
    }
}

/// Checks that queries have a coordinate for each variable that the set controls.
pub(super) fn check_width(set: &ControlSet, queries: &Points) -> Result<()> {
    let width = set.controlled.len();
    if queries.dim() == width {
        return Ok(());
    }
    let message = format!(
        "queries of {} coordinates for control set {:?}, which controls {width}",
        queries.dim(),
        set.name
    );
    Err(Error::new(ErrorKind::Dimension, message))
}
