//! Notes of how trials were chosen that another study asked for.

use crate::error::{Error, ErrorKind, Result};
use crate::study::note::Choice;
use crate::study::study::Study;
use crate::study::trial::{Origin, TrialId};

impl Study {
    /// Notes how a trial was chosen that was [imported](Self::import) or
    /// [announced](Self::announce). Programs that build a study anew from trials which an earlier
    /// study asked for say so, and then the study goes on watching whether it is stuck. Nothing
    /// else depends on the note. The last one counts.
    ///
    /// ```
    /// use gittins::study::Choice;
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let mut study = Study::minimize(Space::new().float("x", 0.0, 1.0)).build()?;
    /// let trial = study.import(&[0.3], Outcome::new(1.7))?;
    /// study.note_choice(trial, Choice::Initial)?;
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// `UnknownTrial`; `InvalidSetting` for a trial that this study asked for, or a negative
    /// deviation; `NonFinite` for a mean or a deviation that is not finite. All name the trial.
    pub fn note_choice(&mut self, id: impl Into<TrialId>, choice: Choice) -> Result<()> {
        let (id, books) = (id.into(), &mut self.trials.books);
        let refused = |kind, message| Err(Error::new(kind, format!("{id}: {message}")));
        if books.trial(id)?.origin != Origin::Imported {
            return refused(
                ErrorKind::InvalidSetting,
                "this study asked for it, and knows how it was chosen".to_owned(),
            );
        }
        if let Choice::Suggested { mean, sd, .. } = choice {
            let found = || format!("expected a finite mean and deviation, got {mean} and {sd}");
            if !mean.is_finite() || !sd.is_finite() {
                return refused(ErrorKind::NonFinite, found());
            }
            if sd < 0.0 {
                return refused(ErrorKind::InvalidSetting, found());
            }
        }
        books.notes[id.index()].choice = Some(choice);
        Ok(())
    }
}
