//! How trials were chosen that another study asked for.

/// How a trial was chosen that another study of the same task asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Choice {
    /// Without regard to outcomes, as a point of the initial design.
    Initial,
    /// Without regard to outcomes, because suggestions only tied with the best one
    /// ([`Why::Plateau`](crate::study::Why::Plateau)).
    RandomRestart,
    /// By a model.
    Suggested {
        /// The expected outcome.
        mean: f64,
        /// The standard deviation of the outcome.
        sd: f64,
        /// What a random trial was expected to bring, if the model was the one without a warp
        /// ([`Suggestion::random_restart`](crate::suggest::Suggestion::random_restart)).
        random_restart: Option<f64>,
    },
}
