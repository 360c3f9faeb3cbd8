//! Ask and tell: the loop's memory.

mod again;
mod builder;
mod columns;
mod corrections;
mod costs;
mod design;
mod judging;
mod log;
mod recommendation;
pub mod record;
pub mod trial;

use std::sync::Arc;
use std::time::Instant;

use crate::acquisition::{Acquisition, Pointwise};
use crate::data::{Direction, Domain, Observations, Points};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::math::saturating::sum;
use crate::stop::{Counts, Ledger, StopRule, Verdict};
use crate::suggest::{
    Hints, Memo, Policy, Progress, Setup, Suggestion, Surrogate, Taken, lambda_for_budget,
    price_floor, suggest,
};

pub use builder::StudyBuilder;
pub use recommendation::Recommendation;
pub use record::Record;
pub use trial::{Ask, Origin, Outcome, Trial, TrialId, TrialState, Why};

use design::Design;
use log::Note;
use trial::Place;

/// A run of cost-aware Bayesian optimization by ask and tell.
///
/// [`ask`](Self::ask) gives a point to evaluate, [`tell`](Self::tell) takes what came of it, in any
/// order and with any number under way, and [`verdict`](Self::verdict) says whether the next trial
/// is still worth its price. Bad input is an error that names its culprit, and never loses what was
/// told before.
///
/// ```no_run
/// use gittins::{Acquisition, Cost, Outcome, Space, Study, Verdict};
/// # fn train(rate: f64, depth: f64) -> (f64, f64) { (rate * depth, depth) }
///
/// let space = Space::new().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12);
/// let mut study = Study::minimize(space).cost(Cost::learned()).acquisition(Acquisition::gittins(1e-4)).cost_unit("s").seed(7).build()?;
/// loop {
///     let ask = study.ask()?;
///     let (loss, seconds) = train(ask.get("rate")?, ask.get("depth")?);
///     study.tell(ask.id(), Outcome::new(loss).cost(seconds))?;
///     if let Verdict::Stop(reason) = study.verdict()? {
///         println!("{reason}");
///         break;
///     }
/// }
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct Study {
    setup: Setup,
    policy: Policy,
    rule: Option<Box<dyn StopRule>>,
    names: Arc<[String]>,
    trials: Vec<Trial>,
    /// What the record tells of each trial beside it.
    notes: Vec<Note>,
    /// How much was told, one thing after another: outcomes, failures and the like, and costs that
    /// were told apart from them.
    tellings: usize,
    /// The trial behind each observation: trials are told in any order.
    told: Vec<TrialId>,
    observations: Observations,
    design: Design,
    asked: Taken,
    evaluated: Taken,
    ledger: Ledger,
    /// The last fit, which the next one starts from; `fitted` says to which revision of the
    /// observations, and how many outcomes that had.
    surrogate: Option<Surrogate>,
    fitted: (usize, usize),
    runners_up: Points,
    /// Searches since something was told.
    memo: Memo,
    verdict: Option<Verdict>,
}

impl Study {
    /// A study of outcomes of which smaller ones are better, over a space or a table.
    pub fn minimize(domain: impl Into<Domain>) -> StudyBuilder {
        StudyBuilder::new(domain.into(), Direction::Minimize)
    }

    /// A study of outcomes of which larger ones are better, over a space or a table.
    pub fn maximize(domain: impl Into<Domain>) -> StudyBuilder {
        StudyBuilder::new(domain.into(), Direction::Maximize)
    }

    fn start(
        setup: Setup,
        direction: Direction,
        policy: Policy,
        rule: Option<Box<dyn StopRule>>,
        initial: usize,
        cost_unit: Option<String>,
    ) -> Self {
        let dim = setup.domain.dim();
        Self {
            names: setup.domain.names().into_iter().map(str::to_owned).collect(),
            ledger: Ledger { price: policy.price(), cost_unit, ..Ledger::default() },
            policy,
            rule,
            trials: Vec::new(),
            notes: Vec::new(),
            tellings: 0,
            told: Vec::new(),
            observations: Observations::new(dim, direction).with_cost_floor(setup.cost_floor),
            design: Design::new(initial, setup.seed),
            asked: Taken::default(),
            evaluated: Taken::default(),
            surrogate: None,
            fitted: (0, 0),
            runners_up: Points::new(dim),
            memo: Memo::default(),
            verdict: None,
            setup,
        }
    }

    /// The next point to evaluate: first the initial design (scrambled Sobol points, or the rows of
    /// a table nearest to them), then what the policy suggests. Several may be asked for before any
    /// is told: a trial under way is conditioned on at its posterior mean.
    ///
    /// # Errors
    /// `Exhausted` where every row of a table was evaluated or is under way; `NonFinite` or
    /// `NonPositiveCost` from a known cost; those of the model and of the backend. The study stays
    /// as it was.
    pub fn ask(&mut self) -> Result<Ask> {
        if let Some(number) = self.next_of_design() {
            let (unit, row) = self.design.draw(&self.setup.domain, &self.asked)?;
            let why = Why::Initial { number, of: self.design.size() };
            return Ok(self.enter(unit, row, Origin::Initial, None, why));
        }
        let deadline = self.setup.deadline();
        self.refit(deadline)?;
        let began = Instant::now();
        match self.suggest(deadline)? {
            Some(suggestion) => {
                let note = self.note_of(&suggestion, began.elapsed());
                let index = match suggestion.acquisition {
                    Acquisition::Pointwise(Pointwise::Gittins { .. }) => {
                        Some(self.observations.direction().sign() * suggestion.value)
                    }
                    _ => None,
                };
                let (unit, row) = (suggestion.unit.clone(), suggestion.row);
                let ask = self.enter(
                    unit,
                    row,
                    Origin::Suggested,
                    index,
                    Why::Suggested(Box::new(suggestion)),
                );
                self.notes[ask.id.index()] = note;
                Ok(ask)
            }
            None => {
                let (unit, row) = self.design.draw(&self.setup.domain, &self.asked)?;
                Ok(self.enter(unit, row, Origin::Suggested, None, Why::Exploring))
            }
        }
    }

    /// What the policy suggests; none as long as no trial is complete.
    fn suggest(&mut self, deadline: Deadline) -> Result<Option<Suggestion>> {
        let Some(surrogate) = &self.surrogate else { return Ok(None) };
        let mut pending = Points::new(self.setup.domain.dim());
        let mut unpaid = Points::new(self.setup.domain.dim());
        for trial in self.trials.iter().filter(|trial| trial.state == TrialState::Pending) {
            pending.push(&trial.unit);
            if trial.cost.is_none() {
                unpaid.push(&trial.unit);
            }
        }
        let iteration = 1 + self.trials.iter().filter(|t| t.origin == Origin::Suggested).count();
        let Ledger { spent, total_cost, .. } = self.ledger;
        let progress = Progress {
            dim: self.setup.domain.dim(),
            iteration,
            trials: self.trials.len(),
            spent,
            total_cost,
            design: self.cost_of_design(),
        };
        let hints = Hints {
            pending: &pending,
            unpaid: &unpaid,
            taken: &self.asked,
            runners_up: &self.runners_up,
            memo: &self.memo,
        };
        let best = suggest(
            &self.setup,
            surrogate,
            &self.observations,
            &mut self.policy,
            &hints,
            progress,
            deadline,
        )?;
        let (suggestion, runners_up) = best.ok_or_else(exhausted)?;
        self.runners_up = runners_up;
        Ok(Some(suggestion))
    }

    /// Fits to what was told, once, as a part of something that ends at a deadline.
    fn refit(&mut self, deadline: Deadline) -> Result<()> {
        let (revision, outcomes) = (self.observations.revision(), self.observations.len());
        if self.fitted.0 < revision {
            let began = Instant::now();
            let surrogate = match &self.surrogate {
                // Nothing but costs was told.
                Some(before) if self.fitted.1 == outcomes => {
                    Some(before.with_costs(&self.setup, &self.observations, deadline)?)
                }
                before => Surrogate::fit_until(
                    &self.setup,
                    &self.observations,
                    before.as_ref(),
                    deadline,
                )?,
            };
            self.surrogate = surrogate;
            self.memo.clear();
            self.fitted = (revision, outcomes);
            self.note_fit(began.elapsed());
        }
        Ok(())
    }

    fn enter(
        &mut self,
        unit: Vec<f64>,
        row: Option<usize>,
        origin: Origin,
        index: Option<f64>,
        why: Why,
    ) -> Ask {
        let values = self.values_at(&unit, row);
        self.asked.insert(&unit);
        self.ledger.counts.pending += 1;
        let id = self.add(values.clone(), unit, row, origin, TrialState::Pending);
        self.trials[id.index()].index = index;
        Ask { id, names: self.names.clone(), values, row, why }
    }

    /// A new trial of which nothing was told.
    fn add(
        &mut self,
        values: Vec<f64>,
        unit: Vec<f64>,
        row: Option<usize>,
        origin: Origin,
        state: TrialState,
    ) -> TrialId {
        let (id, place) = (TrialId::from(self.trials.len()), Place::Nowhere);
        self.trials.push(Trial {
            id,
            values,
            unit,
            row,
            state,
            outcome: None,
            cost: None,
            origin,
            index: None,
            place,
        });
        self.notes.push(Note::new(self.tellings));
        id
    }

    fn values_at(&self, unit: &[f64], row: Option<usize>) -> Vec<f64> {
        match (&self.setup.domain, row) {
            (Domain::Table(table), Some(row)) => table.row(row).to_vec(),
            (domain, _) => domain.user_values(unit),
        }
    }

    /// Takes what came of a trial that was asked for; late, out of order, after it was
    /// [withdrawn](Self::withdraw) and after a verdict to stop as well.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for one told before, whose first outcome stands unless
    /// [`correct`](Self::correct) replaces it, or a cost where [`tell_cost`](Self::tell_cost) came
    /// first; `NonFinite` for an outcome or a cost, `NonPositiveCost`, `MissingCost` for a complete
    /// trial where costs are learned and its cost was neither told nor
    /// [announced](Outcome::cost_later), and `InvalidSetting` for one announced that is known
    /// already, all naming the trial. The trial then stays as it was and can be told again.
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let trial = self.trial(id)?;
        if let Place::Told(_) = trial.place {
            let message = format!(
                "{id}: told before as {:?}, outcome {:?}; that stands unless it is corrected",
                trial.state, trial.outcome
            );
            return Err(Error::new(ErrorKind::DuplicateTrial, message));
        }
        let (unit, origin, paid) = (trial.unit.clone(), trial.origin, trial.paid());
        let index = self.observe(&unit, paid, &outcome).map_err(|error| error.at(id))?;
        self.ledger.counts.pending -=
            usize::from(self.trials[id.index()].state == TrialState::Pending);
        self.settle(id, &outcome, index);
        if origin == Origin::Suggested {
            self.ledger.counts.adaptive += 1;
        }
        // A trial that is taken back and told anew moves no price a second time.
        let index = self.trials[id.index()].index.take();
        if let Some((index, best)) = index.zip(self.turned(self.observations.best())) {
            self.policy.told(index, best, price_floor(&self.observations));
        }
        Ok(())
    }

    /// Takes an evaluation that was never asked for, and returns the identifier of its trial. In a
    /// table the values must be those of a row. A complete one counts toward the initial design.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the values, naming the parameter, and those of
    /// [`tell`](Self::tell).
    pub fn import(&mut self, values: &[f64], outcome: Outcome) -> Result<TrialId> {
        let id = TrialId::from(self.trials.len());
        let unit = self.setup.domain.to_unit(values).map_err(|error| error.at(id))?;
        let row = match &self.setup.domain {
            Domain::Space(_) => None,
            Domain::Table(table) => Some(table.row_of(values)?),
        };
        let index = self.observe(&unit, None, &outcome).map_err(|error| error.at(id))?;
        self.add(values.to_vec(), unit, row, Origin::Imported, TrialState::Pending);
        self.settle(id, &outcome, index);
        Ok(id)
    }

    /// Enters what was observed into the trial and the books.
    fn settle(&mut self, id: TrialId, outcome: &Outcome, index: usize) {
        let trial = &mut self.trials[id.index()];
        trial.state = outcome.state.into();
        trial.outcome = outcome.value;
        self.asked.insert(&trial.unit);
        self.evaluated.insert(&trial.unit);
        self.told.push(id);
        self.verdict = None;
        let before = std::mem::replace(&mut trial.place, Place::Told(index));
        if before == Place::Nowhere
            && let Some(cost) =
                self.observations.get(index).and_then(|observation| observation.cost)
        {
            self.pay(id, cost);
        }
        self.note_told(id);
    }

    fn trial(&self, id: TrialId) -> Result<&Trial> {
        let message = || {
            format!(
                "{id}: expected one of the {} trials of this study, numbered from 0",
                self.trials.len()
            )
        };
        self.trials.get(id.index()).ok_or_else(|| Error::new(ErrorKind::UnknownTrial, message()))
    }

    /// The outcome of an observation, turned so that larger is better.
    fn turned(&self, observation: Option<usize>) -> Option<f64> {
        Some(self.observations.direction().sign() * self.observations.get(observation?)?.outcome?)
    }

    /// From now on another acquisition or policy, for instance with a price from
    /// [`lambda_from_budget`](Self::lambda_from_budget).
    ///
    /// # Errors
    /// Those of [`Policy::validate`], and those of a stopping rule that cannot work with it; the
    /// old one then stays.
    pub fn change_acquisition(&mut self, policy: impl Into<Policy>) -> Result<()> {
        let policy = policy.into();
        policy.validate()?;
        if let Some(rule) = &self.rule {
            rule.validate(policy.price())?;
        }
        self.ledger.price = policy.price();
        self.policy = policy;
        self.verdict = None;
        Ok(())
    }

    /// The price of a unit of cost, in the user's outcome units, at which a run that stops by its
    /// [`GittinsRule`](crate::GittinsRule) is expected to cost no more than `budget` in all, the
    /// initial design included: `U / (B - C_0)`, `C_0` being what the design cost and `U` the
    /// [expected supremum](crate::suggest::expected_supremum) of the fitted model above its
    /// mean (Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization).
    ///
    /// # Errors
    /// `Empty` as long as no trial is complete, `InvalidSetting` where the budget does not exceed
    /// `C_0` or outcomes and money are so far apart in magnitude that the price is no positive
    /// number of double precision, and those of the fit and of the expected supremum.
    pub fn lambda_from_budget(&mut self, budget: f64) -> Result<f64> {
        self.refit(Deadline::NEVER)?;
        let missing = || {
            Error::new(
                ErrorKind::Empty,
                "a price for a budget needs a fitted model, and no trial is complete yet",
            )
        };
        let surrogate = self.surrogate.as_ref().ok_or_else(missing)?;
        lambda_for_budget(&self.setup, surrogate, budget, self.cost_of_design())
    }

    /// What the trials that were not suggested have cost. A difference of sums would lose it among
    /// much larger ones.
    fn cost_of_design(&self) -> f64 {
        self.trials
            .iter()
            .filter(|trial| trial.origin != Origin::Suggested)
            .filter_map(|trial| trial.cost)
            .fold(0.0, sum)
    }

    /// The best complete trial, the first told among equals.
    pub fn best(&self) -> Option<&Trial> {
        self.observations.best().map(|index| &self.trials[self.told[index].index()])
    }

    /// All trials in the order in which they were asked for or imported.
    pub fn history(&self) -> &[Trial] {
        &self.trials
    }

    /// The cost of the suggested trials as far as it was told, also of those under way; those of
    /// the initial design and imported ones do not count.
    pub fn spent(&self) -> f64 {
        self.ledger.spent
    }

    /// The cost of all trials as far as it was told, also of those under way; no sum of money
    /// exceeds the largest number.
    pub fn total_cost(&self) -> f64 {
        self.ledger.total_cost
    }

    /// Numbers of trials.
    pub fn counts(&self) -> Counts {
        self.ledger.counts
    }
}

fn exhausted() -> Error {
    Error::new(ErrorKind::Exhausted, "every row of the table was evaluated or is under way")
}
