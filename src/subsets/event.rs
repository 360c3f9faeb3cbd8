//! What happens in a study of control sets, one after another: the only way in which it changes.

#[cfg(feature = "serde")]
use crate::math::number::list;
use crate::study::{Event, Origin};
use crate::subsets::chosen::Chosen;

/// Something that happened in a study of control sets, as an [`Event`] of any study.
pub type SubsetEvent = Event<SubsetAsked>;

/// A trial of a study of control sets that was asked for, or is decided to be the next.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SubsetAsked {
    /// The initial design or a suggestion.
    pub(super) origin: Origin,
    /// The place of its set.
    pub(super) set: usize,
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub(super) query: Vec<f64>,
    /// None for a quasi-random query.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) suggestion: Option<Box<Chosen>>,
    /// Seconds of the search.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) seconds: f64,
}
