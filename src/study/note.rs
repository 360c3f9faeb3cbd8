//! What is noted of a trial beside the trial itself.

use crate::study::record::{Judged, Seconds};

/// How a trial was chosen that another study of the same task asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Choice {
    /// Without regard to outcomes, as a point of the initial design.
    Initial,
    /// By a model.
    Suggested {
        /// The expected outcome.
        mean: f64,
        /// The standard deviation of the outcome.
        sd: f64,
        /// What an unguided trial was expected to bring, if the model was the one without a warp
        /// ([`Suggestion::unguided`](crate::suggest::Suggestion::unguided)).
        unguided: Option<f64>,
    },
}

/// A trial's place among the observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing was told of it.
    Nowhere,
    /// Its cost came first, and waits under this ticket.
    Paid(usize),
    /// It is the observation of this index.
    Told(usize),
}

/// The notes on a trial: a few numbers, so that noting costs nothing. `S` is what the record says
/// of its suggestion.
#[derive(Debug, Clone)]
pub(crate) struct Note<S> {
    /// Its place among the observations.
    pub place: Place,
    /// How much had been told when the trial was asked for or imported.
    pub seen: usize,
    /// The place of its outcome in the order of what was told.
    pub told: Option<usize>,
    /// The place of its cost in that order, if it was told apart from the outcome.
    pub paid: Option<usize>,
    /// The cost that was known beforehand and stood in until another was told apart.
    pub known: Option<f64>,
    /// The cost of the suggested trials when it was told.
    pub spent: Option<f64>,
    /// The suggestion.
    pub suggestion: Option<Box<S>>,
    /// How it was chosen, if another study asked for it and this is known.
    pub choice: Option<Choice>,
    /// How much had been told when the verdict was asked for, and what the verdict was.
    pub verdict: Option<(usize, Judged)>,
    /// How long fits, search and verdict took.
    pub seconds: Seconds,
}

impl<S> Note<S> {
    /// The note of a trial that is asked for or imported after `seen` things had been told.
    pub fn new(seen: usize) -> Self {
        Self {
            place: Place::Nowhere,
            seen,
            told: None,
            paid: None,
            known: None,
            spent: None,
            suggestion: None,
            choice: None,
            verdict: None,
            seconds: Seconds::default(),
        }
    }
}
