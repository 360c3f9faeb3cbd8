//! Problems with control sets: some variables are set at a price, nature draws the others (Tay,
//! Foo, Urano, Leong, Low 2023, "Bayesian Optimization with Cost-varying Variable Subsets", section
//! 5).

mod expected;
mod function;

#[cfg(feature = "datasets")]
use std::path::Path;

use gittins::{Error, ErrorKind, Points, Result, Space};
use gittins_papers::control::internals::{BoundSets, UnitLaw};
use gittins_papers::control::{ControlSets, Law};

use crate::InterpolatedDraw;
#[cfg(feature = "datasets")]
use crate::datasets;
use crate::functions::{hartmann3, hartmann3_bumps};

use function::Function;

pub use expected::ExpectedObjective;

/// An objective to be maximized, seven control sets, and the budget and the lengthscale of the
/// published experiments.
///
/// | problem | inputs | lengthscale | budget | control sets in order of cost, variables counted from 0 |
/// | --- | --- | --- | --- | --- |
/// | [`gp_sample`](Self::gp_sample) | 3 | 0.1 | 50 | 0, 1, 2, 01, 02, 12, 012 |
/// | [`hartmann`](Self::hartmann) | 3 | 0.1 | 50 | 0, 1, 2, 01, 02, 12, 012 |
/// | `plant` | 5 | 0.2 | 200 | 01, 23, 34, 012, 123, 234, 01234 |
/// | `airfoil` | 5 | 0.2 | 50 | 34, 14, 03, 12, 24, 01, 23 |
///
/// The model has a squared-exponential kernel of this lengthscale in all unit coordinates, variance
/// 1, mean 0 and noise variance 1e-4. It is never fitted. Observations have a noise of deviation
/// 0.01.
///
/// A higher price is not always better: the best set of `airfoil` is 01, of the middle price, for
/// all three published variances.
///
/// ```
/// use gittins_problems::{ControlProblem, SetCosts};
/// let problem = ControlProblem::hartmann();
/// let sets = problem.sets(SetCosts::Moderate, 0.04)?.on(problem.space())?;
/// let best = problem.expected(&sets)?.best()?;
/// assert_eq!(sets.sets()[5].name, "x2+x3");
/// assert!((best[5].value - 3.765).abs() < 1e-3);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ControlProblem {
    name: &'static str,
    space: Space,
    function: Function,
    controlled: [&'static [usize]; SETS],
    budget: f64,
    lengthscale: f64,
}

/// What the seven sets cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetCosts {
    /// 0.01 for the first three, 0.1 for the next three, 1 for the last.
    Cheap,
    /// 0.1, 0.2, 1.
    Moderate,
    /// 0.6, 0.8, 1.
    Expensive,
}

/// The number of control sets of each problem.
const SETS: usize = 7;
/// The control sets of problems with three variables.
const OF_THREE: [&[usize]; SETS] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];

impl SetCosts {
    /// All of them, cheapest first.
    pub const ALL: [Self; 3] = [Self::Cheap, Self::Moderate, Self::Expensive];

    /// The name in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cheap => "cheap",
            Self::Moderate => "moderate",
            Self::Expensive => "expensive",
        }
    }

    /// The cost of each set, in their order.
    pub fn costs(self) -> [f64; SETS] {
        let [low, middle] = match self {
            Self::Cheap => [0.01, 0.1],
            Self::Moderate => [0.1, 0.2],
            Self::Expensive => [0.6, 0.8],
        };
        [low, low, low, middle, middle, middle, 1.0]
    }
}

impl ControlProblem {
    /// An [`InterpolatedDraw`] in three dimensions with lengthscale 0.1.
    ///
    /// # Errors
    /// Those of the factor of its covariance.
    pub fn gp_sample(seed: u64) -> Result<Self> {
        let draw = InterpolatedDraw::new(&[0.1; 3], seed)?;
        let space = (1..=3).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
        let function = Function::Exponentials(draw.squared_exponentials());
        Ok(Self {
            name: "gp_sample",
            space,
            function,
            controlled: OF_THREE,
            budget: 50.0,
            lengthscale: 0.1,
        })
    }

    /// Minus [`hartmann3`]: the largest value is 3.86278.
    pub fn hartmann() -> Self {
        let function = Function::Exponentials(hartmann3_bumps());
        Self {
            name: "hartmann3",
            space: hartmann3().space().clone(),
            function,
            controlled: OF_THREE,
            budget: 50.0,
            lengthscale: 0.1,
        }
    }

    /// [`plant`](datasets::plant) from the folder with its files. They are part of this crate: the
    /// folder `data`.
    ///
    /// # Errors
    /// Those of the reader, and [`ErrorKind::Data`] if its kernel is not the squared exponential.
    #[cfg(feature = "datasets")]
    pub fn plant(folder: impl AsRef<Path>) -> Result<Self> {
        let surrogate = datasets::plant(folder)?;
        let function = surrogate.squared_exponentials().map(Function::Exponentials);
        let function = function.ok_or_else(|| {
            Error::new(ErrorKind::Data, "plant: expected a squared-exponential kernel")
        })?;
        let controlled: [&[usize]; SETS] =
            [&[0, 1], &[2, 3], &[3, 4], &[0, 1, 2], &[1, 2, 3], &[2, 3, 4], &[0, 1, 2, 3, 4]];
        Ok(Self {
            name: "plant",
            space: surrogate.space().clone(),
            function,
            controlled,
            budget: 200.0,
            lengthscale: 0.2,
        })
    }

    /// [`airfoil`](datasets::airfoil) from the folder with its files.
    ///
    /// # Errors
    /// Those of the reader.
    #[cfg(feature = "datasets")]
    pub fn airfoil(folder: impl AsRef<Path>) -> Result<Self> {
        let surrogate = datasets::airfoil(folder)?;
        let controlled: [&[usize]; SETS] =
            [&[3, 4], &[1, 4], &[0, 3], &[1, 2], &[2, 4], &[0, 1], &[2, 3]];
        let space = surrogate.space().clone();
        Ok(Self {
            name: "airfoil",
            space,
            function: Function::Surrogate(Box::new(surrogate)),
            controlled,
            budget: 50.0,
            lengthscale: 0.2,
        })
    }

    /// Its name, in lower case.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its box. All variables are real and have units of their own.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of variables `d`.
    pub fn dim(&self) -> usize {
        self.space.dim()
    }

    /// The budget of the published experiments.
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// The lengthscale of their model, in the unit cube.
    pub fn lengthscale(&self) -> f64 {
        self.lengthscale
    }

    /// The objective at a point of the unit cube.
    ///
    /// # Panics
    /// If the point has another dimension.
    pub fn evaluate_unit(&self, unit: &[f64]) -> f64 {
        self.function.value(unit)
    }

    /// The objective at `d` values in their own units.
    ///
    /// # Errors
    /// Those of [`Space::to_unit`].
    pub fn evaluate(&self, values: &[f64]) -> Result<f64> {
        Ok(self.evaluate_unit(&self.space.to_unit(values)?))
    }

    /// The control sets with these costs, named by their variables, such as `x1+x3`. Nature draws a
    /// variable from a normal law around the middle of the unit interval, truncated to the
    /// interval, with this variance. The published variances are 0.02, 0.04 and 0.08.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if no such law has the variance.
    pub fn sets(&self, costs: SetCosts, variance: f64) -> Result<ControlSets> {
        UnitLaw::with_variance(variance)?;
        let parameters = self.space.parameters();
        let mut sets = parameters.iter().fold(ControlSets::new(), |sets, parameter| {
            sets.law(parameter.name(), Law::centered(variance))
        });
        for (controlled, cost) in self.controlled.iter().zip(costs.costs()) {
            let names: Vec<&str> = controlled.iter().map(|&k| parameters[k].name()).collect();
            sets = sets.set(names.join("+"), names, cost);
        }
        Ok(sets)
    }

    /// Whether the objective has expectations in closed form, for [`expected`](Self::expected).
    pub fn has_closed_form(&self) -> bool {
        matches!(self.function, Function::Exponentials(_))
    }

    /// The exact expectation of the objective for queries of these sets, under their laws.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for an objective without a closed form,
    /// [`ErrorKind::Dimension`] for sets of another space.
    pub fn expected(&self, sets: &BoundSets) -> Result<ExpectedObjective<'_>> {
        match &self.function {
            Function::Exponentials(sum) => ExpectedObjective::exact(sum, sets),
            #[cfg(feature = "datasets")]
            Function::Surrogate(_) => {
                let message = format!(
                    "{}: expectations have no closed form; they can be taken over samples",
                    self.name
                );
                Err(Error::new(ErrorKind::InvalidSetting, message))
            }
        }
    }

    /// The mean over draws of all variables instead of the expectation: what a learner with these
    /// draws sees. Draws are `S x d`, in the unit cube, such as [`BoundSets::samples`].
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] without a draw, [`ErrorKind::Dimension`] for sets or draws of another
    /// space.
    pub fn expected_over(
        &self,
        sets: &BoundSets,
        samples: Points,
    ) -> Result<ExpectedObjective<'_>> {
        if samples.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "expected at least one draw of what nature does, got none",
            ));
        }
        if samples.dim() != self.dim() || sets.laws().len() != self.dim() {
            let message = format!(
                "draws of {} variables and sets of {} for a problem of {}",
                samples.dim(),
                sets.laws().len(),
                self.dim()
            );
            return Err(Error::new(ErrorKind::Dimension, message));
        }
        Ok(ExpectedObjective::mean(&self.function, sets, samples))
    }
}
