//! How long a run is, and when it reports.

use crate::error::{Error, ErrorKind, Result};
use crate::named::{Shape, keyed};

/// The first report that is chosen comes after this share of a run: what happens before says little
/// of the end.
const FIRST: f64 = 0.058;

/// Reports that are chosen follow each other by this factor.
const FACTOR: f64 = 1.72;

/// The first report of items comes after this share of them, and after no fewer than so many. Each
/// configuration pays for these: on measured tables a hundredth of the items was too much for those
/// who can pay for a hundredth of the table.
const FIRST_ITEMS: (f64, f64) = (0.0025, 2.0);

/// Whether a progress is that of a report or beyond: a sum of steps may fall short by its rounding.
pub fn reaches(progress: f64, report: f64) -> bool {
    progress * (1.0 + 1e-12) >= report
}

keyed! {
    /// How long a run is, and at which progress it reports. Progress has any unit: epochs, rounds,
    /// rows, seconds.
    ///
    /// ```
    /// use gittins::study::Stages;
    ///
    /// let stages = Stages::of(52.0).reports([3.0, 6.0, 11.0, 19.0, 32.0, 52.0]);
    /// let epochs = Stages::epochs(52); // reports by themselves
    /// assert_eq!(epochs.progress()?, [3.0, 6.0, 10.0, 18.0, 30.0, 52.0]);
    /// # let _ = stages;
    /// # Ok::<(), gittins::Error>(())
    /// ```
    #[derive(PartialEq)]
    Stages {
        /// The progress at the end of a run. One of a total, epochs, folds and items
        /// is needed.
        total: f64 = Shape::Above(0.0);
        /// How many epochs a run has, in place of a total: reports come after whole ones.
        epochs: u32 = Shape::Count(1);
        /// How many folds a run is the mean of, in place of a total: each is a report.
        folds: u32 = Shape::Count(1);
        /// How many items a run is the mean of, in place of a total: reports are of batches of them.
        items: u32 = Shape::Count(1);
        /// The progress at each report.
        reports: Vec<f64> = Shape::List(&Shape::Above(0.0));
        /// Whether a run that was left can be resumed; true unless set.
        resumable: bool = Shape::Flag;
        /// Whether what a run had at any report can be the incumbent; false unless set.
        any_stage_counts: bool = Shape::Flag;
        /// Whether each stage begins anew, and costs its whole progress; false unless set.
        repeats: bool = Shape::Flag;
    }
}

impl Stages {
    /// Runs whose progress ends at `total`.
    pub fn of(total: f64) -> Self {
        Self { total: Some(total), ..Self::default() }
    }

    /// Runs of so many epochs. Reports that are not set come after whole ones.
    pub fn epochs(total: u32) -> Self {
        Self { epochs: Some(total), ..Self::default() }
    }

    /// Cross-validation: the reports of a run are so many folds, and what a run comes to is their
    /// mean. Each report has the outcome of one fold, in order: progress 1 is the first fold, 2 the
    /// second. No fold comes before another, so that there is no curve; but fold 3 of one run and
    /// fold 3 of another are to be the same split, which are compared best. A run that was left
    /// needs no checkpoint to be resumed.
    ///
    /// ```
    /// use gittins::study::Stages;
    /// use gittins::{Policy, Space, Study};
    ///
    /// let space = Space::new().log_float("C", 1e-2, 1e2);
    /// let mut study = Study::minimize(space).stages(Stages::folds(5)).policy(Policy::gittins(1e-3)).build()?;
    /// let ask = study.ask()?;
    /// assert_eq!(ask.until(), 1.0); // the first fold
    /// study.report(ask.id(), 1.0, 0.31, 2.0)?;
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn folds(count: u32) -> Self {
        Self { folds: Some(count), ..Self::default() }
    }

    /// Whether each stage begins anew, as a training on a larger share of the rows does: its cost
    /// is then that of its whole progress, and not of what it adds. No unless set: a stage goes on
    /// from where the run stood. It needs no checkpoint.
    ///
    /// ```
    /// use gittins::study::Stages;
    ///
    /// // Trainings on a sixteenth, a quarter and all of 48 000 rows.
    /// let stages = Stages::of(48e3).reports([3e3, 12e3]).repeats(true);
    /// # let _ = stages;
    /// ```
    pub fn repeats(mut self, repeats: bool) -> Self {
        self.repeats = Some(repeats);
        self
    }

    /// The progress at each report. The last one is the end of a run; it is added if it is not
    /// there. Unless set, the first report comes after 6 % of a run, and each of the others after
    /// 1.7 times the progress of the one before.
    pub fn reports(mut self, progress: impl IntoIterator<Item = f64>) -> Self {
        self.reports = Some(progress.into_iter().collect());
        self
    }

    /// Whether a run that was left can be resumed from where it stopped; yes unless set. Otherwise
    /// it goes on at once or is abandoned.
    pub fn resumable(mut self, resumable: bool) -> Self {
        self.resumable = Some(resumable);
        self
    }

    /// Whether what a run had at any report can be the incumbent, as where checkpoints are kept;
    /// no, unless set: then only the outcome at its end is. It need not come to its end in that
    /// case, and what it had before counts also if it is left, is lost or breaks later.
    pub fn any_stage_counts(mut self, counts: bool) -> Self {
        self.any_stage_counts = Some(counts);
        self
    }

    /// The progress at the end of a run; NaN if it is not one that is set.
    pub fn total(&self) -> f64 {
        self.end().unwrap_or(f64::NAN)
    }

    /// The progress at the end of a run.
    ///
    /// # Errors
    /// `InvalidSetting` unless one of a total, epochs, folds and items is there.
    pub(crate) fn end(&self) -> Result<f64> {
        let refused = |message: &str| Err(Error::new(ErrorKind::InvalidSetting, message));
        let counts = [self.epochs, self.folds, self.items].map(|count| count.map(f64::from));
        let mut ends = self.total.into_iter().chain(counts.into_iter().flatten());
        match (ends.next(), ends.next()) {
            (Some(end), None) => Ok(end),
            (None, _) => refused("expected a total, epochs, folds or items, got none of them"),
            _ => refused("expected one of total, epochs, folds and items, got several"),
        }
    }

    /// These stages with their reports, and nothing that is as if it were not set: what the file of
    /// a study has.
    #[cfg(feature = "journal")]
    pub(crate) fn resolved(&self) -> Self {
        Self {
            total: Some(self.total()).filter(|_| !self.are_means()),
            epochs: None,
            folds: self.folds,
            items: self.items,
            reports: self.progress().ok().filter(|_| !self.are_folds()),
            resumable: Some(self.is_resumable()),
            any_stage_counts: self.any_stage_counts.filter(|counts| *counts),
            repeats: self.repeats.filter(|repeats| *repeats),
        }
    }

    /// Whether a run that was left can be resumed.
    pub fn is_resumable(&self) -> bool {
        self.resumable.unwrap_or(true)
    }

    /// Whether what a run had at any report can be the incumbent.
    pub fn does_any_stage_count(&self) -> bool {
        self.any_stage_counts == Some(true)
    }

    /// Whether each stage begins anew.
    pub fn do_repeat(&self) -> bool {
        self.repeats == Some(true)
    }

    /// Whether reports are folds, and a run is their mean.
    pub fn are_folds(&self) -> bool {
        self.folds.is_some()
    }

    /// What a run is the mean of, in words.
    fn parts(&self) -> Option<&'static str> {
        match (self.folds, self.items) {
            (Some(_), _) => Some("fold"),
            (_, Some(_)) => Some("item"),
            _ => None,
        }
    }

    /// Whether a run is the mean of what its reports have: of folds, or of items.
    pub(crate) fn are_means(&self) -> bool {
        self.are_folds() || self.are_items()
    }

    /// The progress at each report, the end of the run being the last.
    ///
    /// # Errors
    /// `InvalidSetting` for a total that is not positive, for reports that do not increase from
    /// above 0 to the total, and for settings that folds and items do not have: any stage that
    /// counts, stages that begin anew, other reports than each fold, part of an item.
    pub fn progress(&self) -> Result<Vec<f64>> {
        let refused = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        let total = self.end()?;
        if !(total > 0.0 && total.is_finite()) {
            let what = match self.parts() {
                Some(parts) => format!("{parts}s: expected one at least"),
                None => "total: expected a progress above 0".to_owned(),
            };
            return refused(format!("{what}, got {total}"));
        }
        if let Some(part) = self.parts() {
            if self.does_any_stage_count() {
                return refused(format!(
                    "any_stage_counts: what a run comes to is the mean of all of its {part}s"
                ));
            }
            if self.do_repeat() {
                return refused(format!(
                    "repeats: a stage of {part}s does not begin those before it anew"
                ));
            }
        }
        if let Some(count) = self.folds {
            let each = Vec::from_iter((1..=count).map(f64::from));
            if self.reports.as_ref().is_some_and(|reports| *reports != each) {
                return refused("reports: each fold is a report, and none can be set".to_owned());
            }
            return Ok(each);
        }
        let Some(reports) = &self.reports else { return Ok(self.chosen(total)) };
        let mut before = 0.0;
        for (number, &report) in reports.iter().enumerate() {
            if !(report > before && report <= total) {
                return refused(format!(
                    "report {}: expected a progress above {before} and at most the total {total}, got {report}",
                    number + 1
                ));
            }
            if self.are_items() && report.fract() != 0.0 {
                return refused(format!(
                    "report {}: expected a whole number of items, got {report}",
                    number + 1
                ));
            }
            before = report;
        }
        let end = (before < total).then_some(total);
        Ok(reports.iter().copied().chain(end).collect())
    }

    /// The reports of runs for which none are set.
    fn chosen(&self, total: f64) -> Vec<f64> {
        let (share, least) = if self.are_items() { FIRST_ITEMS } else { (FIRST, 0.0) };
        let first = (total * share).max(least).min(total);
        let steps = (total / first).ln() / FACTOR.ln();
        let count = steps.round() as i32;
        let is_whole = self.epochs.is_some() || self.are_items();
        let whole = |progress: f64| if is_whole { progress.round().max(1.0) } else { progress };
        let mut reports: Vec<f64> =
            (0..count).rev().map(|left| whole(total * FACTOR.powi(-left))).collect();
        reports.insert(0, whole(first));
        reports.dedup();
        reports
    }
}
