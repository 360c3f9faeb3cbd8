//! What is noted of a trial beside the trial itself.

use crate::study::events::choice::Choice;
use crate::study::record::{Judged, Seconds, Suggested};

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

/// The notes on a trial: a few numbers, so that noting costs nothing.
#[derive(Debug, Clone)]
pub(crate) struct Note {
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
    pub suggestion: Option<Box<Suggested>>,
    /// How it was chosen, if another study asked for it and this is known.
    pub choice: Option<Choice>,
    /// How much had been told when the verdict was asked for, and what the verdict was.
    pub verdict: Option<(usize, Judged)>,
    /// How long fits, search and verdict took.
    pub seconds: Seconds,
}

impl Note {
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
