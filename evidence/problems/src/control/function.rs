//! The objective of a control problem.

#[cfg(feature = "datasets")]
use crate::datasets::Surrogate;
use crate::exponentials::SquaredExponentials;

/// The objective on the unit cube.
#[derive(Debug, Clone)]
pub enum Function {
    Exponentials(SquaredExponentials),
    #[cfg(feature = "datasets")]
    Surrogate(Box<Surrogate>),
}

impl Function {
    pub fn value(&self, unit: &[f64]) -> f64 {
        match self {
            Self::Exponentials(sum) => sum.value(unit),
            #[cfg(feature = "datasets")]
            Self::Surrogate(surrogate) => surrogate.evaluate_unit(unit),
        }
    }

    pub fn value_and_gradient(&self, unit: &[f64], gradient: &mut [f64]) -> f64 {
        match self {
            Self::Exponentials(sum) => sum.value_and_gradient(unit, gradient),
            #[cfg(feature = "datasets")]
            Self::Surrogate(surrogate) => surrogate.evaluate_unit_with_gradient(unit, gradient),
        }
    }
}
