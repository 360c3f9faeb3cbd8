//! All evaluations so far.

use crate::data::space::space::check_dim;
use crate::data::trial::observation::{check_cost, check_told};
use crate::data::{Direction, Measures, Observation, Points, State, is_rounding};
use crate::error::{Error, ErrorKind, Result};
use crate::math::saturating::difference;

/// All evaluations so far, in the order in which they were told. A missing cost can be added later.
/// What was told by mistake can be [replaced](Self::replace) or [removed](Self::remove). Nothing
/// else changes. Costs of evaluations that are still running are kept apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    dim: usize,
    direction: Direction,
    floor: Option<f64>,
    measures: Measures,
    list: Vec<Observation>,
    /// Point and cost of evaluations whose cost came first; none once the evaluation is in the
    /// list.
    early: Vec<Option<(Vec<f64>, f64)>>,
    revision: usize,
    corrections: usize,
    /// How many evaluations were told besides those of the list.
    left_out: usize,
}

// What a study does to its observations. Everybody else only reads them.
#[doc(hidden)]
impl Observations {
    /// No evaluations yet; points have dimension `dim`.
    pub fn new(dim: usize, direction: Direction) -> Self {
        Self {
            dim,
            direction,
            floor: None,
            measures: Measures::default(),
            list: Vec::new(),
            early: Vec::new(),
            revision: 0,
            corrections: 0,
            left_out: 0,
        }
    }

    /// Sets the cost floor. With a floor a cost may be zero: the cost is kept as it was told, and
    /// [`costs`](Self::costs) replaces smaller costs by the floor. Without a floor, which is the
    /// default, a cost is positive.
    pub fn with_cost_floor(mut self, floor: Option<f64>) -> Self {
        self.floor = floor;
        self
    }

    /// Sets what measured numbers are for.
    pub(crate) fn with_measures(mut self, measures: Measures) -> Self {
        self.measures = measures;
        self
    }

    /// Adds an evaluation and returns its index. The same point may come again.
    ///
    /// # Errors
    /// Nothing is added, and the error names the trial by the index it would have had:
    /// [`ErrorKind::Dimension`], [`ErrorKind::NonFinite`] or [`ErrorKind::OutOfBounds`] for a point
    /// that is not in the unit cube, [`ErrorKind::NonFinite`] for an outcome or a cost that is not
    /// finite, [`ErrorKind::NonPositiveCost`] for a cost that is not positive (with a floor: that
    /// is negative), [`ErrorKind::InvalidSetting`] for a complete trial without an outcome.
    pub fn push(
        &mut self,
        unit: &[f64],
        state: State,
        outcome: Option<f64>,
        cost: Option<f64>,
    ) -> Result<usize> {
        self.add(unit, state, outcome, cost, cost.is_some())
    }

    /// Adds an evaluation that was told without its cost, with the cost that is known beforehand. A
    /// cost that is told later replaces it.
    ///
    /// # Errors
    /// Those of [`push`](Self::push).
    pub fn push_with_known_cost(
        &mut self,
        unit: &[f64],
        state: State,
        outcome: Option<f64>,
        known: f64,
    ) -> Result<usize> {
        self.add(unit, state, outcome, Some(known), false)
    }

    fn add(
        &mut self,
        unit: &[f64],
        state: State,
        outcome: Option<f64>,
        cost: Option<f64>,
        cost_told: bool,
    ) -> Result<usize> {
        let index = self.list.len();
        let checked =
            self.check_point(unit).and_then(|()| check_told(state, outcome, cost, self.floor));
        checked.map_err(|error| error.at(format!("trial {index}")))?;
        let measured = vec![f64::NAN; self.measures.len()];
        let (point, holds) = (unit.to_vec(), measured.is_empty());
        let foreseen = None;
        self.list.push(Observation {
            point,
            outcome,
            cost,
            cost_told,
            state,
            measured,
            holds,
            foreseen,
        });
        self.revision += 1;
        Ok(index)
    }

    /// Adds the cost of an evaluation that is still running. Returns a ticket for
    /// [`push_paid`](Self::push_paid).
    ///
    /// # Errors
    /// Nothing is added. The errors are those of [`push`](Self::push) for a point or a cost.
    pub fn push_cost(&mut self, unit: &[f64], cost: f64) -> Result<usize> {
        self.check_point(unit)?;
        check_cost(cost, self.floor)?;
        self.early.push(Some((unit.to_vec(), cost)));
        self.revision += 1;
        Ok(self.early.len() - 1)
    }

    /// Adds the evaluation whose cost came first, and returns its index.
    ///
    /// # Errors
    /// Nothing is added: [`ErrorKind::UnknownTrial`] for a ticket that does not exist or was used,
    /// and the errors of [`push`](Self::push).
    pub fn push_paid(
        &mut self,
        ticket: usize,
        state: State,
        outcome: Option<f64>,
    ) -> Result<usize> {
        let Some((point, cost)) = self.early.get(ticket).cloned().flatten() else {
            return Err(Error::new(
                ErrorKind::UnknownTrial,
                format!("no cost that came first waits under ticket {ticket}"),
            ));
        };
        let index = self.add(&point, state, outcome, Some(cost), true)?;
        self.early[ticket] = None;
        Ok(index)
    }

    /// Adds the cost of an evaluation that was told without it. It replaces a cost that was known
    /// beforehand.
    ///
    /// # Errors
    /// Nothing is changed: [`ErrorKind::UnknownTrial`] for an index that does not exist,
    /// [`ErrorKind::DuplicateTrial`] if a cost was told before, and the errors of
    /// [`push`](Self::push) for a cost.
    pub fn tell_cost(&mut self, index: usize, cost: f64) -> Result<()> {
        let floor = self.floor;
        let place = || format!("trial {index}");
        let observation = self.at_mut(index)?;
        if let (Some(first), true) = (observation.cost, observation.cost_told) {
            return Err(Error::new(
                ErrorKind::DuplicateTrial,
                format!("its cost was told before as {first}; that stands"),
            )
            .at(place()));
        }
        check_cost(cost, floor).map_err(|error| error.at(place()))?;
        observation.cost = Some(cost);
        observation.cost_told = true;
        self.revision += 1;
        Ok(())
    }

    /// Notes what was measured in an evaluation that exists: in the order of their measures,
    /// NaN for what was not.
    pub(crate) fn note_measured(&mut self, index: usize, measured: Vec<f64>) {
        if let Some(observation) = self.list.get_mut(index) {
            observation.holds = self.measures.hold(&measured);
            observation.measured = measured;
        }
    }

    /// Notes what a model expected of an evaluation that exists.
    pub(crate) fn note_foreseen(&mut self, index: usize, foreseen: Option<[f64; 2]>) {
        self.list.get_mut(index).into_iter().for_each(|one| one.foreseen = foreseen);
    }

    /// Replaces what was told of an evaluation. The evaluation keeps its place. Without a new cost
    /// it also keeps its cost.
    ///
    /// # Errors
    /// Nothing is changed: [`ErrorKind::UnknownTrial`] for an index that does not exist, and the
    /// errors of [`push`](Self::push).
    pub fn replace(
        &mut self,
        index: usize,
        state: State,
        outcome: Option<f64>,
        cost: Option<f64>,
    ) -> Result<()> {
        let floor = self.floor;
        let observation = self.at_mut(index)?;
        check_told(state, outcome, cost, floor)
            .map_err(|error| error.at(format!("trial {index}")))?;
        observation.state = state;
        observation.outcome = outcome;
        if cost.is_some() {
            observation.cost = cost;
            observation.cost_told = true;
        }
        self.note_correction();
        Ok(())
    }

    /// Removes an evaluation with its cost, and returns it. Later evaluations move up by one.
    ///
    /// # Errors
    /// Nothing is changed: [`ErrorKind::UnknownTrial`] for an index that does not exist.
    pub fn remove(&mut self, index: usize) -> Result<Observation> {
        self.at_mut(index)?;
        self.note_correction();
        Ok(self.list.remove(index))
    }

    fn note_correction(&mut self) {
        self.revision += 1;
        self.corrections += 1;
    }

    fn at_mut(&mut self, index: usize) -> Result<&mut Observation> {
        let count = self.list.len();
        let missing = || {
            Error::new(
                ErrorKind::UnknownTrial,
                format!("expected one of the {count} trials told, numbered from 0"),
            )
            .at(format_args!("trial {index}"))
        };
        self.list.get_mut(index).ok_or_else(missing)
    }

    /// Counts how often anything was added, replaced or removed. It only rises. [`len`](Self::len)
    /// counts the evaluations alone.
    pub fn revision(&self) -> usize {
        self.revision
    }

    /// Counts how often an evaluation was replaced or removed. It only rises. If it has not
    /// changed, the first [`len`](Self::len) evaluations are still what they were.
    pub fn corrections(&self) -> usize {
        self.corrections
    }

    fn check_point(&self, unit: &[f64]) -> Result<()> {
        check_dim(unit.len(), self.dim)?;
        for (index, u) in unit.iter().enumerate() {
            if !u.is_finite() {
                return Err(Error::new(
                    ErrorKind::NonFinite,
                    format!("coordinate {index}: expected a finite number, got {u}"),
                ));
            }
            if !(0.0..=1.0).contains(u) {
                return Err(Error::new(
                    ErrorKind::OutOfBounds,
                    format!("coordinate {index}: expected one in [0, 1], got {u}"),
                ));
            }
        }
        Ok(())
    }
}

impl Observations {
    /// The number of evaluations, whatever their states.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Those of these indices, in this order, with the costs of all evaluations that are still
    /// running. It counts what it leaves out as told: revision, corrections and
    /// [`told`](Self::told) are the same.
    pub(crate) fn only(&self, rows: &[usize]) -> Self {
        let list: Vec<Observation> =
            rows.iter().filter_map(|&row| self.list.get(row).cloned()).collect();
        Self {
            dim: self.dim,
            direction: self.direction,
            floor: self.floor,
            measures: self.measures.clone(),
            left_out: self.told() - list.len(),
            list,
            early: self.early.clone(),
            revision: self.revision,
            corrections: self.corrections,
        }
    }

    /// How many evaluations were told, those that were left out included.
    #[doc(hidden)]
    pub fn told(&self) -> usize {
        self.len() + self.left_out
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The dimension of the points.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Which outcomes are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// What measured numbers are for.
    pub(crate) fn measures(&self) -> &Measures {
        &self.measures
    }

    /// The numbers of the measure at this place that are known, each with the index of its evaluation.
    pub(crate) fn measured(&self, place: usize) -> impl Iterator<Item = (usize, f64)> {
        let number = move |observation: &Observation| observation.measured.get(place).copied();
        let numbers = self.list.iter().map(number).enumerate();
        numbers.filter_map(|(index, number)| Some((index, number.filter(|one| !one.is_nan())?)))
    }

    /// The points of these evaluations.
    pub(crate) fn points_of(&self, rows: &[usize]) -> Points {
        let mut points = Points::with_capacity(self.dim, rows.len());
        rows.iter().filter_map(|&row| self.list.get(row)).for_each(|one| points.push(&one.point));
        points
    }

    /// The evaluation at an index, if there is one.
    pub fn get(&self, index: usize) -> Option<&Observation> {
        self.list.get(index)
    }

    /// All evaluations in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Observation> {
        self.list.iter()
    }

    /// The complete evaluations: `n x d` points and `n` outcomes, turned so that larger is better.
    pub fn complete(&self) -> (Points, Vec<f64>) {
        self.collect(|observation| self.turned(observation))
    }

    /// All evaluations with a known cost, whatever their states, and then those that are still
    /// running: `n x d` points and `n` costs, none below the floor.
    pub fn costs(&self) -> (Points, Vec<f64>) {
        let (mut points, mut costs) = self.collect(|observation| observation.cost);
        for (point, cost) in self.early.iter().flatten() {
            points.push(point);
            costs.push(*cost);
        }
        if let Some(floor) = self.floor {
            for cost in &mut costs {
                *cost = cost.max(floor);
            }
        }
        (points, costs)
    }

    /// The mean cost of the evaluations with a known cost, none below the floor; 1 if no cost is
    /// known.
    #[doc(hidden)]
    pub fn mean_cost(&self) -> f64 {
        let known = || {
            let told = self.list.iter().filter_map(|observation| observation.cost);
            told.chain(self.early.iter().flatten().map(|(_, cost)| *cost))
                .map(|cost| cost.max(self.floor.unwrap_or(0.0)))
        };
        let count = known().count() as f64;
        if count == 0.0 {
            1.0
        } else {
            known().map(|cost| cost / count).sum::<f64>().max(f64::MIN_POSITIVE)
        }
    }

    /// The index of the best complete evaluation that holds all limits as measured; the first if
    /// several are equal.
    pub fn best(&self) -> Option<usize> {
        self.first_where(|observation| observation.holds, |new, old| new > old)
    }

    /// The index of the worst complete evaluation; the first if several are equal.
    #[doc(hidden)]
    pub fn worst(&self) -> Option<usize> {
        self.first_where(|_| true, |new, old| new < old)
    }

    /// The difference of the best and the worst outcome of complete evaluations, at most the
    /// largest number; 0 if there is none.
    #[doc(hidden)]
    pub fn range(&self) -> f64 {
        let outcome = |index: Option<usize>| self.turned(&self.list[index?]);
        outcome(self.first_where(|_| true, |new, old| new > old))
            .zip(outcome(self.worst()))
            .map_or(0.0, |(best, worst)| difference(best, worst))
    }

    /// Whether two complete evaluations or more have one outcome, up to rounding.
    pub(crate) fn never_varied(&self) -> bool {
        let outcomes = self.complete().1;
        outcomes.len() > 1 && outcomes.iter().all(|outcome| is_rounding(*outcome, outcomes[0]))
    }

    /// The outcome of a complete evaluation, turned so that larger is better.
    fn turned(&self, observation: &Observation) -> Option<f64> {
        observation
            .outcome
            .filter(|_| observation.state == State::Complete)
            .map(|outcome| self.direction.sign() * outcome)
    }

    fn collect(&self, number: impl Fn(&Observation) -> Option<f64>) -> (Points, Vec<f64>) {
        let mut points = Points::with_capacity(self.dim, self.len());
        let mut numbers = Vec::with_capacity(self.len());
        for observation in &self.list {
            if let Some(number) = number(observation) {
                points.push(&observation.point);
                numbers.push(number);
            }
        }
        (points, numbers)
    }

    /// The first complete evaluation, of those that count, that no other beats.
    fn first_where(
        &self,
        counts: impl Fn(&Observation) -> bool,
        beats: impl Fn(f64, f64) -> bool,
    ) -> Option<usize> {
        let outcomes = self
            .list
            .iter()
            .enumerate()
            .filter(|(_, observation)| counts(observation))
            .filter_map(|(index, observation)| Some((index, self.turned(observation)?)));
        outcomes
            .reduce(|old, new| if beats(new.1, old.1) { new } else { old })
            .map(|(index, _)| index)
    }
}
