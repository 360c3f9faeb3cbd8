//! What a study in stages has besides.

use crate::data::TrialId;
use crate::data::trial::stages::{Stages, reaches};
#[cfg(feature = "journal")]
use crate::data::trial::trial::Trial;
use crate::error::{Error, ErrorKind, Result};
use crate::model::GaussianProcess;
use crate::suggest::Policy;
use crate::suggest::policy::stages::decision::Decision;
use crate::surrogate::Setup;
use crate::surrogate::curves::StagedFit;
use crate::surrogate::curves::belief::Belief;
use crate::surrogate::curves::costs::{Paid, Rates, Tariff};
use crate::surrogate::curves::entry::Entry;
use crate::surrogate::curves::kernel::Shape;

/// Stages and reports of the trials of a study, and what is believed and decided after them.
pub(crate) struct Staging {
    pub stages: Stages,
    /// The progress at each report.
    pub progress: Vec<f64>,
    /// The same as shares of a trial.
    pub shares: Vec<f64>,
    pub shape: Shape,
    pub tariff: Tariff,
    pub rate_model: GaussianProcess,
    /// Reports and failures in their order.
    pub log: Vec<Entry>,
    /// Trials of which a batch of items failed, once for each time; none once one there reports again.
    pub missed: Vec<TrialId>,
    /// What all trials have cost but imported ones.
    pub spent: f64,
    pub fit: Option<StagedFit>,
    pub halvings: u32,
    pub run_to_finish: Option<TrialId>,
    /// What is believed of the reports so far, and of costs; none if it is to be built.
    pub belief: Option<(Belief, Rates)>,
    /// What was decided after the last event.
    pub decided: Option<Decision>,
}

impl Staging {
    /// No reports yet of trials over a domain.
    ///
    /// # Errors
    /// Those of [`Stages::progress`].
    pub fn new(stages: Stages, setup: &Setup) -> Result<Self> {
        let domain = &setup.domain;
        let progress = stages.progress()?;
        let total = stages.total();
        let groups = domain.groups();
        let shares: Vec<f64> = progress.iter().map(|progress| progress / total).collect();
        let paid = if stages.do_repeat() { Paid::Whole } else { Paid::Added };
        let listed = setup.listed.as_ref();
        let listed = listed.map(|listed| listed.on(domain).floored(setup.cost_floor));
        Ok(Self {
            tariff: Tariff { paid, listed },
            shape: Shape {
                groups: groups.clone(),
                first: shares[0],
                means: stages.are_means(),
                items: stages.are_items().then_some(total),
                level: None,
            },
            rate_model: GaussianProcess::new().tied(&groups, &domain.are_names()).restarts(1),
            stages,
            progress,
            shares,
            log: Vec::new(),
            missed: Vec::new(),
            spent: 0.0,
            fit: None,
            halvings: 0,
            run_to_finish: None,
            belief: None,
            decided: None,
        })
    }

    /// The error of a cost that is told apart.
    pub fn reports_tell(id: TrialId) -> Error {
        let message = format!("{id}: in stages its reports tell what it cost");
        Error::new(ErrorKind::InvalidSetting, message)
    }

    /// The progress of the report that comes after this one.
    pub fn next_progress(&self, progress: f64) -> f64 {
        let later = self.progress.iter().copied().find(|&report| !reaches(progress, report));
        later.unwrap_or(self.stages.total())
    }

    /// The expected cost of a trial until a progress; none before any has cost something.
    #[cfg(feature = "journal")]
    pub fn expected_cost(&self, trials: &[Trial], trial: &Trial, until: f64) -> Option<f64> {
        self.tariff.paid.expected(trials, trial, until, self.stages.total())
    }

    /// The step of a report, which is a whole number: its progress, if that is one, and otherwise how
    /// many reports the trial had.
    #[cfg(feature = "journal")]
    pub fn step(&self, trial: &Trial, progress: f64) -> usize {
        let whole = self.progress.iter().all(|report| report.fract() == 0.0);
        if whole && progress.fract() == 0.0 {
            return progress as usize;
        }
        trial.reports.iter().filter(|report| report.progress <= progress).count()
    }
}

/// Checks a policy for trials in stages, which are compared by their index at one price.
///
/// # Errors
/// `InvalidSetting` for any other.
pub(in crate::study) fn check_policy(policy: &Policy) -> Result<()> {
    if policy.price().is_some_and(|price| *policy == Policy::gittins(price)) {
        return Ok(());
    }
    let message =
        "in stages, policy: expected \"gittins\" with a price: trials are compared by their index";
    Err(Error::new(ErrorKind::InvalidSetting, message))
}

/// The error of a call that a study without stages does not have.
pub(crate) fn no_stages() -> Error {
    let message = "this study has no stages: `tell` takes the outcome of a trial";
    Error::new(ErrorKind::InvalidSetting, message)
}
