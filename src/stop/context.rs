//! What a stopping rule sees.

use std::fmt;
use std::sync::OnceLock;
use std::time::Instant;

use crate::acquisition::{Acquisition, Pointwise};
use crate::data::{Domain, Observation, Observations, Points};
use crate::error::Result;
use crate::math::clock::{Deadline, seconds_of};
use crate::math::decimal::{decimal, money};
use crate::math::saturating::saturated;
use crate::maximize::{Ended, Maximum};
use crate::posterior::Moments;
use crate::suggest::{Memo, Scope, check_fantasies, knowledge_gradient};
use crate::surrogate::{Incumbent, PendingTrials, Setup, Stream, Surrogate, Taken, View, seed};

/// The run after what was told so far: model, incumbent, costs, and a search of what is left.
///
/// Outcomes, indices and improvements are in the user's outcome units, turned so that larger is
/// better: minimized outcomes appear with the opposite sign. Trials that are still running count as
/// not evaluated.
pub struct StopContext<'a> {
    setup: &'a Setup,
    surrogate: Option<&'a Surrogate>,
    observations: &'a Observations,
    /// Those that the models were fitted to.
    modeled: &'a Observations,
    evaluated: &'a Taken,
    hints: &'a Points,
    ledger: &'a Ledger,
    deadline: Deadline,
    /// The trials that are still running, if any.
    pending_trials: Option<&'a PendingTrials>,
    /// The models with them, once they are needed.
    beside: OnceLock<Surrogate>,
    /// Results of searches, because several rules may ask for the same.
    own: Memo,
    /// Results of searches that are shared with a policy, which may also ask for them.
    shared: Option<&'a Memo>,
}

impl fmt::Debug for StopContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopContext")
            .field("observations", self.observations)
            .field("ledger", self.ledger)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// The digits of an outcome in a note.
const TAG: usize = 7;

/// Of so many settings as of infinitely many the same number of equal trials leaves a tenth, up to one.
const MANY: usize = 1000;

/// Numbers of trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Suggested by the acquisition and told, whatever the outcome: the `t` of the papers.
    pub adaptive: usize,
    /// Asked for in any way and told: these, and the trials of the initial design.
    pub told: usize,
    /// Asked for, and not yet told or withdrawn.
    pub pending: usize,
}

/// The counts and the money of a run.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Ledger {
    /// Numbers of trials.
    pub counts: Counts,
    /// The cost of the suggested trials, `C(t)` of the papers. A cost counts when it is told.
    pub spent: f64,
    /// The cost of all trials, including those of the initial design and imported ones.
    pub total_cost: f64,
    /// The policy's price of a unit of cost in outcome units, if it has one.
    pub price: Option<f64>,
    /// The unit of cost, for reports.
    pub cost_unit: Option<String>,
    /// The money that the study may spend, if it has a budget.
    pub budget: Option<f64>,
    /// The best outcome that is possible, if it is known.
    pub best_possible: Option<f64>,
}

impl Ledger {
    /// A cost with its unit, for a note.
    pub(crate) fn price_tag(&self, cost: f64) -> String {
        money(cost, self.cost_unit.as_deref())
    }
}

/// The best of what is left to evaluate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Remaining {
    /// The point, in the unit cube.
    pub unit: Vec<f64>,
    /// Its row, in a table.
    pub row: Option<usize>,
    /// The acquisition's value in outcome units.
    pub value: f64,
    /// The acquisition's value in units of the standardized outcome of the model.
    pub score: f64,
    /// The posterior mean.
    pub mean: f64,
    /// The posterior standard deviation.
    pub sd: f64,
    /// The expected cost; NaN while costs are learned and none is known.
    pub cost: f64,
    /// The expected improvement over the incumbent, or of the front if there are several objectives, as
    /// far as one outcome can show it.
    pub improvement: f64,
    /// Whether the time was up before everything was looked at. The true best may then be better:
    /// see [`Statistic::unless_interrupted`](crate::stop::Statistic::unless_interrupted).
    pub interrupted: bool,
}

impl<'a> StopContext<'a> {
    /// Joins what is known. `surrogate` is fitted to the observations. `evaluated` holds their
    /// points. `hints` are points to look at besides those of the search, such as the best of an
    /// earlier search. The time limit of the setup begins now.
    #[doc(hidden)]
    pub fn new(
        setup: &'a Setup,
        surrogate: Option<&'a Surrogate>,
        observations: &'a Observations,
        evaluated: &'a Taken,
        hints: &'a Points,
        ledger: &'a Ledger,
    ) -> Self {
        let deadline = setup.deadline();
        Self {
            setup,
            surrogate,
            observations,
            modeled: observations,
            evaluated,
            hints,
            ledger,
            deadline,
            pending_trials: None,
            beside: OnceLock::new(),
            own: Memo::default(),
            shared: None,
        }
    }

    /// This context with another deadline, as a part of something larger.
    pub(crate) fn until(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }

    /// The time at which the verdict is due, if there is a limit.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.at()
    }

    /// The deadline, for what a rule computes.
    #[doc(hidden)]
    pub fn due(&self) -> Deadline {
        self.deadline
    }

    /// This context with searches shared with a policy. Each search is made once.
    pub(crate) fn sharing(self, memo: &'a Memo) -> Self {
        Self { shared: Some(memo), ..self }
    }

    /// This context with models that were fitted to these observations alone.
    pub(crate) fn modeling(self, modeled: &'a Observations) -> Self {
        Self { modeled, ..self }
    }

    /// This context with pending trials.
    pub(crate) fn awaiting(self, pending_trials: &'a PendingTrials) -> Self {
        Self {
            pending_trials: Some(pending_trials).filter(|trials| !trials.points.is_empty()),
            ..self
        }
    }

    /// The observations that the models were fitted to: all, or of very many a part.
    #[doc(hidden)]
    pub fn modeled(&self) -> &'a Observations {
        self.modeled
    }

    /// Everything told, in order.
    pub fn observations(&self) -> &'a Observations {
        self.observations
    }

    /// The fitted models; none while no trial is complete.
    pub fn surrogate(&self) -> Option<&'a Surrogate> {
        self.surrogate
    }

    /// The incumbent: the largest posterior mean at a complete trial that holds all limits, or with
    /// [`Incumbent::BestOutcome`] the best outcome there. If no trial holds them, the smallest mean;
    /// minus infinity while no trial is complete.
    pub fn incumbent(&self) -> f64 {
        let by_mean = self.setup.incumbent == Incumbent::PosteriorMean;
        if let Some(surrogate) = self.surrogate.filter(|one| by_mean || !one.has_incumbent()) {
            return surrogate.scale().undo(surrogate.incumbent());
        }
        let best = self.observations.best().and_then(|index| self.observations.get(index)?.outcome);
        best.map_or(f64::NEG_INFINITY, |outcome| self.observations.direction().sign() * outcome)
    }

    /// The complete trial with the largest posterior mean of those that hold all limits; none while
    /// there is no such trial.
    pub fn recommended(&self) -> Option<&'a Observation> {
        let surrogate = self.surrogate.filter(|surrogate| surrogate.has_incumbent())?;
        self.modeled.get(surrogate.recommended())
    }

    /// The incumbent in the user's direction, for a note. A posterior mean that is not what was told
    /// of the trial is one by the model.
    pub(super) fn incumbent_tag(&self) -> String {
        let incumbent = self.outcome_tag(self.incumbent());
        let told = self.recommended().and_then(|trial| trial.outcome);
        if self.setup.incumbent == Incumbent::PosteriorMean
            && told.is_some_and(|told| decimal(told, TAG) != incumbent)
        {
            format!("{incumbent} by the model")
        } else {
            incumbent
        }
    }

    /// Numbers of trials.
    pub fn counts(&self) -> Counts {
        self.ledger.counts
    }

    /// The cost of the suggested trials as far as it was told, including trials that are still
    /// running.
    pub fn spent(&self) -> f64 {
        self.ledger.spent
    }

    /// The cost of all trials as far as it was told, including trials that are still running.
    pub fn total_cost(&self) -> f64 {
        self.ledger.total_cost
    }

    /// The policy's price of a unit of cost in outcome units, if it has one. For a decaying price
    /// this is the price before any decay.
    pub fn price(&self) -> Option<f64> {
        self.ledger.price
    }

    /// A cost with its unit, for a note.
    pub(crate) fn price_tag(&self, cost: f64) -> String {
        self.ledger.price_tag(cost)
    }

    /// A cost with its unit, if that has a name and is no time.
    pub(super) fn money_tag(&self, cost: f64) -> Option<String> {
        let unit = self.ledger.cost_unit.as_deref()?;
        seconds_of(unit).is_none().then(|| self.price_tag(saturated(cost)))
    }

    /// An outcome in the user's direction, for a note.
    #[doc(hidden)]
    pub fn outcome_tag(&self, turned: f64) -> String {
        decimal(self.observations.direction().sign() * turned, TAG)
    }

    /// Posterior means and variances at points of the unit cube; none while no trial is complete.
    ///
    /// # Errors
    /// Those of [`Posterior::moments`](crate::posterior::Posterior::moments).
    pub fn moments(&self, points: &Points) -> Result<Option<Moments>> {
        let Some(surrogate) = self.surrogate() else { return Ok(None) };
        let mut moments = surrogate.posterior().moments(points)?;
        let scale = surrogate.scale();
        for (mean, variance) in moments.mean.iter_mut().zip(&mut moments.variance) {
            let deviation = scale.undo_deviation(*mean, *variance);
            *mean = scale.undo(*mean);
            *variance = saturated(deviation * deviation);
        }
        Ok(Some(moments))
    }

    /// The point with the largest value of an acquisition among those that may still be evaluated.
    /// A price in the acquisition is in the user's outcome units.
    ///
    /// On a table or a space of whole numbers these points are all other rows or cells (all rows or
    /// cells, if noise makes another outcome useful). Points with a real number are all of them,
    /// because the largest value of those that were not evaluated is arbitrarily near the largest of
    /// all.
    /// The search of a space starts from a fresh set of quasi-random points, from the neighborhood
    /// of the incumbent and from the best points of the last suggestion.
    ///
    /// None if nothing is left or nothing is known yet. A repeated question has its answer at once.
    /// If the time is up before everything was looked at, the result is
    /// [marked](Remaining::interrupted), and its statistic must
    /// [not fire](crate::stop::Statistic::unless_interrupted).
    ///
    /// # Errors
    /// Those of a known cost and of the backend.
    pub fn maximize(&self, acquisition: &Acquisition) -> Result<Option<Remaining>> {
        let Some(view) = self.view() else { return Ok(None) };
        let nothing = Taken::default();
        let excluded = if self.has_cells() && !view.surrogate.worth_repeating() {
            self.evaluated
        } else {
            &nothing
        };
        let memo = Some(self.shared.unwrap_or(&self.own));
        self.largest(view, excluded, acquisition, memo)
    }

    /// Whether points without a real number that could move are possible, as those of a table are.
    /// The search of a suggestion leaves out those that were evaluated, and serves verdicts too.
    fn has_cells(&self) -> bool {
        match &self.setup.domain {
            Domain::Space(space) => space.is_finite() || !space.is_relaxed(),
            Domain::Table(_) => true,
        }
    }

    /// How many settings were not evaluated, if they are finitely many and few enough to matter.
    pub(super) fn left(&self) -> Option<usize> {
        let is_left = |unit: &[f64]| !self.evaluated.contains(unit);
        let left = match &self.setup.domain {
            Domain::Table(table) => {
                table.points().rows().filter(|row| is_left(row)).collect::<Taken>().count()
            }
            Domain::Space(space) if space.is_finite() => {
                space.view().first(MANY, is_left, || 0.5).rows().count()
            }
            Domain::Space(_) => return None,
        };
        Some(left).filter(|left| *left < MANY)
    }

    /// Whether the unit of outcomes is known beforehand.
    pub(super) fn knows_unit(&self) -> bool {
        self.setup.model.knows_kernel()
    }

    /// The fitted models and what they were made from; none while no trial is complete.
    #[doc(hidden)]
    pub fn view(&self) -> Option<View<'a>> {
        let surrogate = self.surrogate()?;
        Some(View { setup: self.setup, surrogate, observations: self.modeled })
    }

    /// The point with the largest value by these models, except for some points without a
    /// real number that could move.
    fn largest<'b>(
        &self,
        view: View<'b>,
        taken: &'b Taken,
        acquisition: &Acquisition,
        memo: Option<&'b Memo>,
    ) -> Result<Option<Remaining>> {
        // The seed of the next suggestion, so that one search serves both.
        let seed = seed(self.setup.seed, Stream::Search, self.observations.len());
        let scope = Scope { view, taken, memo, seed, deadline: self.deadline };
        let found = scope.best(acquisition, self.hints)?;
        // If there was no time for the rest, it means nothing that all points looked at are
        // evaluated.
        let is_finite = self.setup.domain.is_finite();
        let counts = |found: &Maximum| {
            found.ended != Ended::Finished || !is_finite || !taken.contains(&found.point)
        };
        let found = found.filter(counts);
        found.map(|found| self.remaining(view.surrogate, acquisition, found)).transpose()
    }

    /// The point with the largest value of an acquisition for one more trial beside the pending
    /// ones, whose points may not be evaluated again in a finite domain. Without such trials it is
    /// [`maximize`](Self::maximize).
    ///
    /// # Errors
    /// Those of [`maximize`](Self::maximize).
    pub(crate) fn maximize_beside(&self, acquisition: &Acquisition) -> Result<Option<Remaining>> {
        let (Some(surrogate), Some(pending_trials)) = (self.beside()?, self.pending_trials) else {
            return self.maximize(acquisition);
        };
        let mut excluded = Taken::default();
        if self.has_cells() {
            if !surrogate.worth_repeating() {
                excluded = self.evaluated.clone();
            }
            for point in pending_trials.points.rows() {
                excluded.insert(point);
            }
        }
        let view = View { setup: self.setup, surrogate, observations: self.modeled };
        self.largest(view, &excluded, acquisition, None)
    }

    /// The score of an acquisition at a point that [`maximize_beside`](Self::maximize_beside) found
    /// by another; none while no trial is complete.
    pub(super) fn score_beside(
        &self,
        acquisition: &Acquisition,
        unit: &[f64],
    ) -> Result<Option<f64>> {
        let surrogate = self.beside()?.or_else(|| self.surrogate());
        surrogate.map(|surrogate| surrogate.score_at(acquisition, unit)).transpose()
    }

    /// The models with the pending trials; none if there is no such trial.
    pub(super) fn beside(&self) -> Result<Option<&Surrogate>> {
        let (Some(surrogate), Some(pending_trials)) = (self.surrogate(), self.pending_trials)
        else {
            return Ok(None);
        };
        if self.beside.get().is_none() {
            let fantasies = seed(self.setup.seed, Stream::Pending, self.modeled.told());
            let with = surrogate.awaiting(&pending_trials.awaited, fantasies)?;
            let _ = self.beside.set(with.into_owned());
        }
        Ok(self.beside.get())
    }

    /// The largest knowledge gradient over what was not evaluated, in the user's outcome units, on
    /// that many fantasies. It is that of the model, whichever policy chooses the trials. None as
    /// for [`maximize`](Self::maximize).
    ///
    /// # Errors
    /// `InvalidSetting` for fewer than 2 fantasies, and those of the backend.
    pub fn knowledge_gradient(&self, fantasies: usize) -> Result<Option<Remaining>> {
        check_fantasies(fantasies)?;
        let Some(view) = self.view() else { return Ok(None) };
        let draw_seed = seed(self.setup.seed, Stream::Verdict, self.observations.len());
        self.maximize(&knowledge_gradient(view, fantasies, draw_seed, self.deadline)?)
    }

    fn remaining(
        &self,
        surrogate: &Surrogate,
        acquisition: &Acquisition,
        found: Maximum,
    ) -> Result<Remaining> {
        let scale = surrogate.scale();
        let improvement = match surrogate.front() {
            Some(_) => {
                let score = surrogate.score_at(&surrogate.improvement(false), &found.point)?;
                saturated(score.exp())
            }
            None => surrogate
                .score_at(&Acquisition::Pointwise(Pointwise::ExpectedImprovement), &found.point)?,
        };
        Ok(Remaining {
            value: surrogate.value(acquisition, found.value),
            score: found.value,
            mean: scale.undo(found.mean),
            sd: surrogate.sd_at(&found.point, found.mean, found.variance)?,
            cost: surrogate.expected_cost(&found.point)?,
            improvement: scale.undo_difference(improvement),
            interrupted: found.ended != Ended::Finished,
            unit: found.point,
            row: found.row,
        })
    }
}
