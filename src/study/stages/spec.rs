//! The stages of trials as people write them.

use crate::data::stages::Stages;
use crate::error::{Error, ErrorKind, Result};
use crate::named::{Shape, keyed};

keyed! {
    /// The stages of runs as data: [`Stages`].
    #[derive(PartialEq)]
    StagesSpec {
        /// The progress at the end of a run. Either a total, epochs or folds are needed.
        total: f64 = Shape::Above(0.0);
        /// How many epochs a run has, in place of a total: reports come after whole ones.
        epochs: u32 = Shape::Count(1);
        /// How many folds a run is the mean of, in place of a total: each is a report.
        folds: u32 = Shape::Count(1);
        /// The progress at each report.
        reports: Vec<f64> = Shape::List(&Shape::Above(0.0));
        /// Whether a run that was left can be resumed; true unless set.
        resumable: bool = Shape::Flag;
        /// Whether what a run had at any report is in hand; false unless set.
        any_stage_counts: bool = Shape::Flag;
        /// Whether each stage begins anew, and costs its whole progress; false unless set.
        repeats: bool = Shape::Flag;
    }
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorKind::InvalidSetting, message)
}

impl StagesSpec {
    /// These stages as data.
    #[cfg(feature = "journal")]
    pub(crate) fn of(stages: &Stages) -> Self {
        let (total, folds) = (stages.total(), stages.are_folds());
        Self {
            total: (!folds).then_some(total),
            epochs: None,
            folds: folds.then_some(total as u32),
            reports: stages.progress().ok().filter(|_| !folds),
            resumable: Some(stages.is_resumable()),
            any_stage_counts: stages.does_any_stage_count().then_some(true),
            repeats: stages.do_repeat().then_some(true),
        }
    }

    /// The stages.
    ///
    /// # Errors
    /// `InvalidSetting` unless one of a total, epochs and folds is there. [`Stages::progress`] checks
    /// the rest.
    pub fn stages(self) -> Result<Stages> {
        let stages = match (self.total, self.epochs, self.folds) {
            (Some(total), None, None) => Stages::of(total),
            (None, Some(epochs), None) => Stages::epochs(epochs),
            (None, None, Some(folds)) => Stages::folds(folds),
            (None, None, None) => {
                return Err(invalid("expected a total, epochs or folds, got none of them"));
            }
            _ => return Err(invalid("expected one of total, epochs and folds, got several")),
        };
        let stages = self.reports.into_iter().fold(stages, Stages::reports);
        let stages = self.resumable.into_iter().fold(stages, Stages::resumable);
        let stages = self.repeats.into_iter().fold(stages, Stages::repeats);
        Ok(self.any_stage_counts.into_iter().fold(stages, Stages::any_stage_counts))
    }
}
