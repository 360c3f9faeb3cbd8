//! The study: asked for points, told what came of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::data::{Direction, Domain, Observations, Points, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::math::saturating::sum;
use crate::stop::{Counts, Ledger, StopRule, Verdict};
use crate::study::books::Books;
use crate::study::builder::StudyBuilder;
use crate::study::design::Design;
use crate::study::note::Place;
use crate::study::outcome::Outcome;
use crate::study::record::Suggested;
use crate::study::region::Region;
use crate::study::second::Second;
use crate::study::trial::{Origin, Trial, TrialId, TrialState};
use crate::study::trust_region::TrustRegion;
use crate::suggest::{Memo, Policy, lambda_for_budget, price_floor};
use crate::surrogate::{Belief, Setup, Taken};

/// A run of cost-aware Bayesian optimization by ask and tell.
///
/// [`ask`](Self::ask) gives a point to evaluate. [`tell`](Self::tell) takes what came of it, in any
/// order and with any number under way. [`verdict`](Self::verdict) says whether the next trial is
/// still worth its price. Bad input is an error that names its culprit, and never loses what was
/// told before.
///
/// ```no_run
/// use gittins::{Acquisition, Cost, Outcome, Space, Study, Verdict};
/// # fn train(rate: f64, depth: i64) -> (f64, f64) { (rate * depth as f64, depth as f64) }
///
/// let space = Space::new().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12);
/// let mut study = Study::minimize(space)
///     .cost(Cost::learned())
///     .policy(Acquisition::gittins(1e-4))
///     .cost_unit("s")
///     .seed(7)
///     .build()?;
/// loop {
///     let ask = study.ask()?;
///     let (loss, seconds) = train(ask.get("rate")?, ask.get::<i64>("depth")?);
///     study.tell(ask.id(), Outcome::new(loss).cost(seconds))?;
///     if let Verdict::Stop(reason) = study.verdict()? {
///         println!("{reason}");
///         break;
///     }
/// }
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct Study {
    pub(super) setup: Setup,
    pub(super) policy: Policy,
    pub(super) rule: Option<Box<dyn StopRule>>,
    pub(super) names: Arc<[String]>,
    pub(super) books: Books<Trial, Suggested>,
    pub(super) design: Design,
    /// The Gittins index that a trial was suggested with, larger being better, until it is told.
    pub(super) indices: BTreeMap<TrialId, f64>,
    pub(super) asked: Taken,
    pub(super) evaluated: Taken,
    pub(super) ledger: Ledger,
    pub(super) belief: Belief,
    pub(super) second: Option<Second>,
    pub(super) region: Option<Region>,
    /// The best points of the last search: hints for the next.
    pub(super) runners_up: Points,
    /// Searches since something was told.
    pub(super) memo: Memo,
    pub(super) verdict: Option<Verdict>,
    /// What trials under way have cost so far, as far as it was noted.
    pub(super) running: BTreeMap<TrialId, f64>,
    /// From how many times its expected cost on a trial is not waited for.
    pub(super) overdue: f64,
}

/// A trial that has cost so many times its prediction is not waited for, unless set.
pub(super) const OVERDUE: f64 = 5.0;

impl Study {
    /// A study over a space or a table. Smaller outcomes are better.
    pub fn minimize(domain: impl Into<Domain>) -> StudyBuilder {
        StudyBuilder::new(domain.into(), Direction::Minimize)
    }

    /// A study over a space or a table. Larger outcomes are better.
    pub fn maximize(domain: impl Into<Domain>) -> StudyBuilder {
        StudyBuilder::new(domain.into(), Direction::Maximize)
    }

    pub(super) fn start(
        setup: Setup,
        direction: Direction,
        policy: Policy,
        rule: Option<Box<dyn StopRule>>,
        (design, region): (Design, &TrustRegion),
        cost_unit: Option<String>,
    ) -> Result<Self> {
        let dim = setup.domain.dim();
        let observations = Observations::new(dim, direction).with_cost_floor(setup.cost_floor);
        Ok(Self {
            region: Region::of(region, &setup, &observations)?,
            names: setup.domain.names().into_iter().map(str::to_owned).collect(),
            ledger: Ledger { price: policy.price(), cost_unit, ..Ledger::default() },
            policy,
            rule,
            books: Books::new(observations),
            design,
            indices: BTreeMap::new(),
            asked: Taken::default(),
            evaluated: Taken::default(),
            belief: Belief::default(),
            second: Second::of(&setup),
            runners_up: Points::new(dim),
            memo: Memo::default(),
            verdict: None,
            running: BTreeMap::new(),
            overdue: OVERDUE,
            setup,
        })
    }

    /// Adds a trial that was not told.
    pub(super) fn add(
        &mut self,
        values: Vec<Value>,
        unit: Vec<f64>,
        row: Option<usize>,
        origin: Origin,
        state: TrialState,
    ) -> TrialId {
        let id = self.books.next_id();
        self.books.add(Trial { id, values, unit, row, state, outcome: None, cost: None, origin });
        id
    }

    /// The point of values, its row in a table, and the values as the domain has them.
    pub(super) fn point_of<V: Into<Value> + Clone>(
        &self,
        values: &[V],
    ) -> Result<(Vec<f64>, Option<usize>, Vec<Value>)> {
        Ok(match &self.setup.domain {
            Domain::Space(space) => {
                let (unit, values) = space.read(values)?;
                (unit, None, values)
            }
            Domain::Table(table) => {
                let row = table.row_of(values)?;
                (table.points().row(row).to_vec(), Some(row), table.values(row))
            }
        })
    }

    /// Takes what came of a trial that was asked for. The trial may be told late, out of order,
    /// after it was [withdrawn](Self::withdraw) and after a verdict to stop.
    ///
    /// # Errors
    /// `UnknownTrial`; `DuplicateTrial` for a trial told before, whose first outcome stands unless
    /// [`correct`](Self::correct) replaces it, or for a cost if [`tell_cost`](Self::tell_cost) came
    /// first; `NonFinite` for an outcome or a cost; `NonPositiveCost`; `MissingCost` for a complete
    /// trial if costs are learned and its cost was neither told nor
    /// [announced](Outcome::cost_later); `InvalidSetting` for a cost that is announced and known
    /// already. All name the trial. The trial then stays as it was and can be told again.
    pub fn tell(&mut self, id: impl Into<TrialId>, outcome: Outcome) -> Result<()> {
        let id = id.into();
        let trial = self.books.untold(id)?;
        let (unit, origin, state) = (trial.unit.clone(), trial.origin, trial.state);
        let index = self.observe(&unit, self.paid(id), &outcome).map_err(|error| error.at(id))?;
        self.running.remove(&id);
        self.ledger.counts.pending -= usize::from(state == TrialState::Pending);
        self.settle(id, &outcome, index);
        if origin == Origin::Suggested {
            self.ledger.counts.adaptive += 1;
        }
        // A trial that is taken back and told anew moves no price a second time.
        let index = self.indices.remove(&id);
        if let Some((index, best)) = index.zip(self.turned(self.books.observations.best())) {
            self.policy.told(index, best, price_floor(&self.books.observations));
        }
        Ok(())
    }

    /// Takes an evaluation that was never asked for, and returns the identifier of its trial. In a
    /// table the values must be those of a row. A complete one counts toward the initial design.
    ///
    /// # Errors
    /// `Dimension`, `NonFinite` or `OutOfBounds` for the values, naming the parameter, and those of
    /// [`tell`](Self::tell).
    pub fn import<V: Into<Value> + Clone>(
        &mut self,
        values: &[V],
        outcome: Outcome,
    ) -> Result<TrialId> {
        let id = self.books.next_id();
        let (unit, row, values) = self.point_of(values).map_err(|error| error.at(id))?;
        let index = self.observe(&unit, None, &outcome).map_err(|error| error.at(id))?;
        self.add(values, unit, row, Origin::Imported, TrialState::Pending);
        self.settle(id, &outcome, index);
        Ok(id)
    }

    /// Enters what was observed into the trial and the books.
    fn settle(&mut self, id: TrialId, outcome: &Outcome, index: usize) {
        let before = self.books.place(id);
        self.books.enter(id, outcome, index);
        let unit = &self.books.trials[id.index()].unit;
        self.asked.insert(unit);
        self.evaluated.insert(unit);
        self.verdict = None;
        if before == Place::Nowhere
            && let Some(cost) =
                self.books.observations.get(index).and_then(|observation| observation.cost)
        {
            self.pay(id, cost);
        }
        self.books.notes[id.index()].spent = Some(self.ledger.spent);
    }

    /// The outcome of an observation, turned so that larger is better.
    fn turned(&self, observation: Option<usize>) -> Option<f64> {
        let outcome = self.books.observations.get(observation?)?.outcome?;
        Some(self.books.direction().sign() * outcome)
    }

    /// From now on another acquisition or policy, for instance with a price from
    /// [`lambda_from_budget`](Self::lambda_from_budget).
    ///
    /// # Errors
    /// Those of [`Policy::validate`], and those of a stopping rule that cannot work with it; the
    /// old one then stays.
    pub fn change_policy(&mut self, policy: impl Into<Policy>) -> Result<()> {
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
    /// initial design included: `U / (B - C_0)`. `C_0` is what the design cost. `U` is the
    /// [expected supremum](crate::suggest::expected_supremum) of the fitted model above its
    /// mean (Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization).
    ///
    /// # Errors
    /// `Empty` as long as no trial is complete; `InvalidSetting` if the budget does not exceed
    /// `C_0`, or if outcomes and money are so far apart in magnitude that the price is no positive
    /// number of double precision; those of the fit and of the expected supremum.
    pub fn lambda_from_budget(&mut self, budget: f64) -> Result<f64> {
        self.refit(Deadline::NEVER)?;
        let missing = || {
            Error::new(
                ErrorKind::Empty,
                "a price for a budget needs a fitted model, and no trial is complete yet",
            )
        };
        let surrogate = self.belief.surrogate().ok_or_else(missing)?;
        lambda_for_budget(&self.setup, surrogate, budget, self.cost_of_design())
    }

    /// What the trials that were not suggested have cost. A difference of sums would lose it among
    /// much larger ones.
    pub(super) fn cost_of_design(&self) -> f64 {
        self.books
            .trials
            .iter()
            .filter(|trial| trial.origin != Origin::Suggested)
            .filter_map(|trial| trial.cost)
            .fold(0.0, sum)
    }

    /// The best complete trial, the first told among equals.
    pub fn best(&self) -> Option<&Trial> {
        let index = self.books.observations.best()?;
        Some(&self.books.trials[self.books.told[index].index()])
    }

    /// All trials in the order in which they were asked for or imported.
    pub fn history(&self) -> &[Trial] {
        &self.books.trials
    }

    /// The cost of the suggested trials as far as it was told, also of those under way. The trials
    /// of the initial design and imported ones do not count.
    pub fn spent(&self) -> f64 {
        self.ledger.spent
    }

    /// The cost of all trials as far as it was told, also of those under way. No sum of money
    /// exceeds the largest number.
    pub fn total_cost(&self) -> f64 {
        self.ledger.total_cost
    }

    /// Numbers of trials.
    pub fn counts(&self) -> Counts {
        self.ledger.counts
    }

    /// Which outcomes are better.
    pub fn direction(&self) -> Direction {
        self.books.direction()
    }

    /// What is searched.
    pub fn domain(&self) -> &Domain {
        &self.setup.domain
    }

    /// The names of the parameters in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The unit of cost in reports.
    pub fn cost_unit(&self) -> Option<&str> {
        self.ledger.cost_unit.as_deref()
    }

    /// The money and the numbers of trials.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Study")
            .field("direction", &self.direction())
            .field("names", &self.names)
            .field("policy", &self.policy)
            .field("rule", &self.rule.as_ref().map(|rule| rule.name()))
            .field("trials", &self.books.trials)
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}
