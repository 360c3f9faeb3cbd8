//! What was found by a fit to reports, as data.

#[cfg(feature = "serde")]
use crate::math::number::{list, maybe, one};
use crate::model::Hyperparameters;

/// What models found, and after how many reports.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StagedFit {
    pub(crate) reports: usize,
    /// The parameters of the kernel of curves.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub(crate) parameters: Vec<f64>,
    /// By how much variances are multiplied.
    #[cfg_attr(feature = "serde", serde(with = "one"))]
    pub(crate) inflation: f64,
    /// Middle and unit of outcomes.
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub(crate) scale: Vec<f64>,
    /// The model of the logarithm of the cost of a whole run; none if all cost the same.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) rates: Option<Hyperparameters>,
    /// The cost of a whole run in the middle of them.
    #[cfg_attr(feature = "serde", serde(default, with = "maybe"))]
    pub(crate) middle_cost: Option<f64>,
}
