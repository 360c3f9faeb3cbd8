//! The trials of a study: what was asked, told and paid so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::acquisition::{Acquisition, Pointwise};
use crate::data::trial::trial::{Origin, Trial, TrialState};
use crate::data::{Domain, Measured, Observations, State, TrialId, Value};
use crate::error::Result;
use crate::math::decimal::decimal;
use crate::math::points::is_same;
use crate::math::saturating::sum;
use crate::stop::{Ledger, Verdict};
use crate::study::design::{Design, has_points_besides};
use crate::study::events::ask::{Ask, Why};
use crate::study::events::event::Asked;
use crate::study::events::note::Place;
use crate::study::events::outcome::Outcome;
use crate::study::events::point::{Drawn, written};
use crate::study::record::{Point, Record};
use crate::study::trials::trial_log::TrialLog;
use crate::suggest::Suggestion;
use crate::surrogate::Taken;

/// Everything that happened in a study so far.
#[derive(Debug)]
pub(crate) struct Trials {
    pub names: Arc<[String]>,
    pub trial_log: TrialLog,
    /// The points that were asked for or imported, unless they were withdrawn.
    pub asked: Taken,
    /// The points that were told.
    pub evaluated: Taken,
    pub ledger: Ledger,
    /// The Gittins index that a trial was suggested with, larger being better, until it is told.
    pub indices: BTreeMap<TrialId, f64>,
    /// The cost so far of pending trials, as far as it was noted.
    pub running: BTreeMap<TrialId, f64>,
    /// A pending trial is treated as lost once it has cost this many times its expected cost.
    pub overdue: f64,
}

impl Trials {
    /// No trials over a domain. A cost that is told is at least `observations` allow.
    pub fn new(domain: &Domain, observations: Observations, ledger: Ledger, overdue: f64) -> Self {
        Self {
            names: domain.names().into_iter().map(str::to_owned).collect(),
            trial_log: TrialLog::new(observations),
            asked: Taken::default(),
            evaluated: Taken::default(),
            ledger,
            indices: BTreeMap::new(),
            running: BTreeMap::new(),
            overdue,
        }
    }

    /// Checks the measured numbers of an outcome. A complete one names each if they are `wanted`.
    ///
    /// # Errors
    /// `InvalidSetting`, naming the number.
    pub fn check_measured(&self, outcome: &Outcome, wanted: bool) -> Result<()> {
        let is_complete = wanted && outcome.state == State::Complete;
        self.trial_log.observations.measures().check(&outcome.measured, is_complete)
    }

    /// Adds a trial that was not told.
    pub(in crate::study) fn add(
        &mut self,
        values: Vec<Value>,
        drawn: Drawn,
        origin: Origin,
        state: TrialState,
    ) -> TrialId {
        let Drawn { unit, row } = drawn;
        let id = self.trial_log.next_id();
        let (outcome, cost, measured) = (None, None, Measured::default());
        let (reports, until) = (Vec::new(), None);
        self.trial_log.add(Trial {
            id,
            values,
            unit,
            row,
            state,
            outcome,
            cost,
            measured,
            origin,
            reports,
            until,
        });
        id
    }

    /// Enters a trial that is asked for.
    pub(in crate::study) fn enter(
        &mut self,
        domain: &Domain,
        drawn: Drawn,
        origin: Origin,
        why: Why,
    ) -> Ask {
        self.asked.insert(&drawn.unit);
        self.ledger.counts.pending += 1;
        let (values, _) = written(domain, &drawn);
        let id = self.add(values, drawn, origin, TrialState::Pending);
        self.ask_of(domain, id, why)
    }

    /// A trial as it is asked for.
    pub(in crate::study) fn ask_of(&self, domain: &Domain, id: TrialId, why: Why) -> Ask {
        let Trial { unit, row, .. } = &self.trial_log.trials[id.index()];
        let (values, numbers) = written(domain, &Drawn { unit: unit.clone(), row: *row });
        let names = self.names.clone();
        Ask { id, names, values, numbers, row: *row, why, resume: None, until: 1.0 }
    }

    /// Moves a pending trial to the place of another suggestion.
    pub fn move_to(&mut self, domain: &Domain, id: TrialId, suggestion: Suggestion) -> Ask {
        let drawn = Drawn { unit: suggestion.unit.clone(), row: suggestion.row };
        let (values, _) = written(domain, &drawn);
        let trial = &mut self.trial_log.trials[id.index()];
        trial.values = values;
        trial.unit = drawn.unit;
        trial.row = drawn.row;
        self.ask_of(domain, id, Why::Suggested(Box::new(suggestion)))
    }

    /// A trial that is asked for now, after what was drawn of the design.
    pub(in crate::study) fn asked_at(
        &self,
        drawn: Drawn,
        origin: Origin,
        design: &Design,
    ) -> Asked {
        Asked {
            origin,
            unit: drawn.unit,
            row: drawn.row,
            seen: self.trial_log.tellings,
            drawn: design.drawn(),
            index: None,
            suggestion: None,
            seconds: 0.0,
            until: None,
        }
    }

    /// The price of a trial in outcome units, by the mean cost; none if the policy has none.
    pub fn price(&self) -> Option<f64> {
        self.ledger.price.map(|price| price * self.trial_log.observations.mean_cost())
    }

    /// The index of a suggestion that may lower a price, larger being better.
    pub fn index_of(&self, suggestion: &Suggestion) -> Option<f64> {
        let Acquisition::Pointwise(Pointwise::Gittins { .. }) = suggestion.acquisition else {
            return None;
        };
        Some(self.trial_log.direction().sign() * suggestion.value)
    }

    /// Enters what was observed into the trial and the books.
    pub fn settle(&mut self, id: TrialId, outcome: &Outcome, index: usize) {
        let before = self.trial_log.place(id);
        self.enter_told(id, outcome, index);
        if before == Place::Nowhere
            && let Some(cost) =
                self.trial_log.observations.get(index).and_then(|observation| observation.cost)
        {
            self.pay(id, cost);
        }
        self.trial_log.notes[id.index()].spent = Some(self.ledger.spent);
    }

    /// Enters what was observed, but no money.
    pub fn enter_told(&mut self, id: TrialId, outcome: &Outcome, index: usize) {
        self.trial_log.enter(id, outcome, index);
        let unit = &self.trial_log.trials[id.index()].unit;
        self.asked.insert(unit);
        self.evaluated.insert(unit);
    }

    /// Counts a trial as told.
    pub fn count_told(&mut self, origin: Origin) {
        self.ledger.counts.adaptive += usize::from(origin == Origin::Suggested);
        self.ledger.counts.told += usize::from(origin != Origin::Imported);
    }

    /// The number of the coming point of a design of this size, the first being 1. None once the
    /// design is over, or no point is left for it.
    pub fn next_of_design(&self, domain: &Domain, size: usize) -> Option<usize> {
        let number = self.trial_log.next_of_design(size)?;
        let goes_on = !self.budget_ends_design() && has_points_besides(domain, &self.asked);
        goes_on.then_some(number)
    }

    /// How many trials are to be told before a design of this size is over, if any.
    pub fn missing_of_design(&self, domain: &Domain, size: usize) -> Option<usize> {
        let missing = size.saturating_sub(self.trial_log.told_for_design());
        let has_points = || has_points_besides(domain, &self.evaluated);
        (missing > 0 && has_points() && !self.budget_ends_design()).then_some(missing)
    }

    /// That every point of a domain was evaluated, in words, if it is so.
    pub fn all_evaluated(&self, domain: &Domain) -> Option<String> {
        if !domain.is_finite() || has_points_besides(domain, &self.evaluated) {
            return None;
        }
        Some(match domain {
            Domain::Table(table) => format!("all {} rows were evaluated", table.len()),
            Domain::Space(_) => format!("all {} settings were evaluated", self.evaluated.count()),
        })
    }

    /// The best outcome, turned so that larger is better.
    pub fn best_turned(&self) -> Option<f64> {
        let observations = &self.trial_log.observations;
        let outcome = observations.get(observations.best()?)?.outcome?;
        Some(self.trial_log.direction().sign() * outcome)
    }

    /// The verdict that the outcome cannot be better, if it is known that it cannot.
    pub fn best_possible(&self) -> Option<Verdict> {
        let possible = self.ledger.best_possible?;
        let sign = self.trial_log.direction().sign();
        let is_front = self.trial_log.observations.measures().have_objectives();
        let best = self.best_turned().filter(|best| *best >= sign * possible && !is_front)?;
        let [best, possible] = [sign * best, possible].map(|outcome| decimal(outcome, 7));
        let words = if best == possible {
            format!("best {best}, and no outcome can be better")
        } else {
            format!("best {best}, beyond the best possible {possible}")
        };
        Some(Verdict::without_statistic("best possible", true, words))
    }

    /// The cost of the trials that were not suggested. A difference of sums would lose it among
    /// much larger ones.
    pub fn cost_of_design(&self) -> f64 {
        self.trial_log
            .trials
            .iter()
            .filter(|trial| trial.origin != Origin::Suggested)
            .filter_map(|trial| trial.cost)
            .fold(0.0, sum)
    }

    /// The cost that a suggested trial was expected to have.
    #[cfg(feature = "journal")]
    pub fn suggested_cost(&self, id: TrialId) -> Option<f64> {
        self.trial_log.notes.get(id.index())?.suggestion.as_ref()?.cost
    }

    /// Gives a trial up, or takes back what was told of it, and returns whether something was.
    ///
    /// # Errors
    /// Those of [`Study::withdraw`](crate::Study::withdraw).
    pub fn withdraw(&mut self, id: TrialId) -> Result<bool> {
        self.trial_log.standing(id)?;
        let told = self.trial_log.told_at(id);
        if let Some(index) = told {
            self.trial_log.remove(id, index)?;
            let origin = self.trial_log.trials[id.index()].origin;
            self.ledger.counts.adaptive -= usize::from(origin == Origin::Suggested);
            self.ledger.counts.told -= usize::from(origin != Origin::Imported);
            self.recount();
        } else {
            self.ledger.counts.pending -= 1;
        }
        self.running.remove(&id);
        self.trial_log.set_state(id, TrialState::Withdrawn);
        self.free(id);
        Ok(told.is_some())
    }

    /// Takes the point of a withdrawn trial out, unless other trials stand there.
    pub fn free(&mut self, id: TrialId) {
        let unit = &self.trial_log.trials[id.index()].unit;
        let elsewhere = |stands: fn(&Trial) -> bool| {
            self.trial_log.trials.iter().any(|other| stands(other) && is_same(&other.unit, unit))
        };
        if !elsewhere(|other| other.state != TrialState::Withdrawn) {
            self.asked.remove(unit);
        }
        if !elsewhere(|other| other.state.is_told()) {
            self.evaluated.remove(unit);
        }
    }

    /// The trials as a table of numbers, one row for each.
    pub fn record(&self, domain: &Domain) -> Record {
        Record::from_study(self.trial_log.rows(|trial| Point {
            values: self.names.iter().cloned().zip(trial.values.iter().cloned()).collect(),
            unit: trial.unit.clone(),
            row: trial.row,
            label: domain.label(trial.row).map(str::to_owned),
        }))
    }
}
