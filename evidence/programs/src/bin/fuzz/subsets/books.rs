//! Simple books of a study of control sets.

use gittins::ErrorKind;
use gittins::study::{Origin, TrialState};
use gittins_papers::control::{Relaxation, SetScore, SubsetStudy, SubsetTrial};

use crate::books::{Bill, Told};
use crate::invariants::{Held, Invariant, hold, inside};
use crate::subsets::world::{Chooses, SubsetWorld};
use crate::view::View;

/// One trial, in the units of the view.
#[derive(Debug, Clone)]
pub struct Entry {
    pub set: Option<usize>,
    pub chosen: Vec<f64>,
    pub values: Option<Vec<f64>>,
    pub state: TrialState,
    pub outcome: Option<f64>,
    cost: Option<f64>,
    pub origin: Origin,
}

/// The books.
pub struct Books<'w> {
    world: &'w SubsetWorld,
    view: &'w View,
    pub entries: Vec<Entry>,
    /// The price of the set that the last verdict was about, until there is news.
    pub next: Option<f64>,
}

impl<'w> Books<'w> {
    pub fn new(world: &'w SubsetWorld, view: &'w View) -> Self {
        Self { world, view, entries: Vec::new(), next: None }
    }

    pub fn those(&self, holds: impl Fn(&Entry) -> bool) -> Vec<usize> {
        (0..self.entries.len()).filter(|&id| holds(&self.entries[id])).collect()
    }

    pub fn in_state(&self, state: TrialState) -> Vec<usize> {
        self.those(|entry| entry.state == state)
    }

    pub fn knows_outcomes(&self) -> bool {
        !self.in_state(TrialState::Complete).is_empty()
    }

    /// Whether outcomes are modeled as they are told, and squares of them are no numbers: they have
    /// no moments.
    pub fn has_no_squares(&self) -> bool {
        let largest = self
            .entries
            .iter()
            .filter_map(|entry| entry.outcome)
            .fold(0.0, |largest: f64, outcome| largest.max(outcome.abs()));
        !self.world.standardize && largest > 0.0 && !(1e-100..=1e100).contains(&largest)
    }

    /// The price of a set.
    pub fn price(&self, set: usize) -> f64 {
        self.view.cost(self.world.sets[set].2)
    }

    /// Whether the next trial belongs to the design.
    pub fn designs(&self) -> bool {
        let stands = |entry: &Entry| match entry.origin {
            Origin::Initial => entry.state != TrialState::Withdrawn,
            Origin::Imported => entry.state == TrialState::Complete,
            _ => false,
        };
        let told = |entry: &Entry| {
            entry.state == TrialState::Complete
                || (entry.origin != Origin::Imported && entry.is_told())
        };
        self.those(stands).len().max(self.those(told).len()) < self.world.design()
    }

    /// What is wrong with the numbers that are told.
    pub fn faults(told: &Told) -> Vec<ErrorKind> {
        let outcome = (told.state == TrialState::Complete && !told.value.is_finite())
            .then_some(ErrorKind::NonFinite);
        let cost = match told.cost {
            Bill::Paid(cost) if !cost.is_finite() => Some(ErrorKind::NonFinite),
            Bill::Paid(cost) if cost <= 0.0 => Some(ErrorKind::NonPositiveCost),
            _ => None,
        };
        // There are no limits.
        let measured = told.is_misnamed.then_some(ErrorKind::InvalidSetting);
        outcome.into_iter().chain(cost).chain(measured).collect()
    }

    pub fn faults_of_values(&self, values: &[f64]) -> Vec<ErrorKind> {
        let dimension = (values.len() != self.world.axes.len()).then_some(ErrorKind::Dimension);
        let finite = values.iter().all(|value| value.is_finite());
        let outside = (dimension.is_none() && !inside(&self.world.axes, values))
            .then_some(ErrorKind::OutOfBounds);
        dimension
            .into_iter()
            .chain((!finite).then_some(ErrorKind::NonFinite))
            .chain(outside)
            .collect()
    }

    pub fn ask(&mut self, set: usize, chosen: &[f64], origin: Origin) {
        let (set, chosen, state) = (Some(set), chosen.to_vec(), TrialState::Pending);
        self.entries.push(Entry {
            set,
            chosen,
            values: None,
            state,
            outcome: None,
            cost: None,
            origin,
        });
        self.next = None;
    }

    pub fn import(&mut self, values: Vec<f64>, told: &Told) {
        let (state, origin) = (TrialState::Pending, Origin::Imported);
        self.entries.push(Entry {
            set: None,
            chosen: Vec::new(),
            values: None,
            state,
            outcome: None,
            cost: None,
            origin,
        });
        self.tell(self.entries.len() - 1, values, told);
    }

    pub fn tell(&mut self, id: usize, values: Vec<f64>, told: &Told) {
        let price = self.entries[id].set.map(|set| self.price(set));
        self.entries[id].values = Some(values);
        self.settle(id, told, price);
    }

    pub fn correct(&mut self, id: usize, told: &Told) {
        self.settle(id, told, self.entries[id].cost);
    }

    /// Enters what was told; without a cost this one stands.
    fn settle(&mut self, id: usize, told: &Told, cost: Option<f64>) {
        let view = self.view;
        let entry = &mut self.entries[id];
        entry.state = told.state;
        entry.outcome = (told.state == TrialState::Complete).then(|| view.outcome(told.value));
        entry.cost = if let Bill::Paid(cost) = told.cost { Some(view.cost(cost)) } else { cost };
        self.next = None;
    }

    pub fn withdraw(&mut self, id: usize) {
        let entry = &mut self.entries[id];
        (entry.state, entry.values, entry.outcome, entry.cost) =
            (TrialState::Withdrawn, None, None, None);
        self.next = None;
    }

    pub fn spent(&self) -> f64 {
        let paid = |entry: &&Entry| entry.set.is_some() && entry.state != TrialState::Withdrawn;
        let price = |entry: &Entry| Some(entry.cost.unwrap_or(self.price(entry.set?)));
        self.entries.iter().filter(paid).filter_map(price).sum::<f64>().min(f64::MAX)
    }

    /// Everything that the study shows against the books.
    pub fn compare(&self, study: &SubsetStudy) -> Held {
        let history = study.history();
        let count = self.entries.len();
        hold(history.len() == count, Invariant::HistoryIsWhatWasTold, || {
            format!("{} trials, expected {count}", history.len())
        })?;
        let same = |(entry, trial): (&Entry, &SubsetTrial)| {
            let own = (
                entry.set,
                &entry.chosen,
                &entry.values,
                entry.state,
                entry.outcome,
                entry.cost,
                entry.origin,
            );
            own == (
                trial.set,
                &trial.chosen,
                &trial.values,
                trial.state,
                trial.outcome,
                trial.cost,
                trial.origin,
            )
        };
        if let Some(at) = self.entries.iter().zip(history).position(|pair| !same(pair)) {
            return hold(false, Invariant::HistoryIsWhatWasTold, || {
                format!("{:?}, expected {:?}", history[at], self.entries[at])
            });
        }
        let (got, expected) = (study.spent(), self.spent());
        let rounding = 2.0 * count as f64 * f64::EPSILON * expected;
        hold((got - expected).abs() <= rounding, Invariant::MoneyIsWhatWasPaid, || {
            format!("spent {got}, expected {expected}")
        })?;
        let up = self.world.maximize != self.view.mirrored;
        let best = self.in_state(TrialState::Complete).into_iter().reduce(|best, id| {
            let (old, new) = (self.entries[best].outcome, self.entries[id].outcome);
            if (up && new > old) || (!up && new < old) { id } else { best }
        });
        let found = study.best().map(|trial| format!("{trial:?}"));
        let expected = best.map(|id| format!("{:?}", history[id]));
        hold(found == expected, Invariant::BestIsBest, || {
            format!("{found:?}, expected trial {best:?}")
        })
    }

    /// Where a relaxation chooses the set: no set within it is cheaper, and the set chosen is
    /// within it. `values` are those of the sets, in the user's units.
    pub fn chosen_by_relaxation(&self, set: usize, values: &[Option<f64>]) -> Held {
        let trial = 1 + self.those(|entry| entry.origin == Origin::Suggested).len();
        let relaxation = match self.world.choice {
            Chooses::Relaxed(value) => Relaxation::Constant(value),
            Chooses::Falling(start, cutoff) => Relaxation::Linear { start, cutoff },
            Chooses::Scheduled(value) => Relaxation::Constant(value / trial as f64),
            Chooses::PerUnitCost | Chooses::Each(_) | Chooses::MostExpensive(_) => return Ok(()),
        };
        let Ok(relaxation) = relaxation.at(trial).map(|value| self.view.difference(value)) else {
            return Ok(());
        };
        let outcome = !matches!(self.world.score, SetScore::ExpectedImprovement { .. });
        let sign = if outcome && self.world.maximize == self.view.mirrored { -1.0 } else { 1.0 };
        let turned: Vec<f64> = values
            .iter()
            .map(|value| value.map_or(f64::NEG_INFINITY, |value| sign * value))
            .collect();
        let largest = turned.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Values were rounded where they were turned to the user's units.
        let size = self
            .entries
            .iter()
            .filter_map(|entry| entry.outcome)
            .fold(largest.abs(), |size, outcome| size.max(outcome.abs()));
        let rounding = 64.0 * f64::EPSILON * (size + relaxation);
        let within = turned[set] + relaxation >= largest - rounding;
        let cheaper = |other: &usize| {
            turned[*other] + relaxation >= largest + rounding
                && self.price(*other) < self.price(set)
        };
        let found = (0..turned.len()).find(cheaper);
        hold(within && found.is_none(), Invariant::ValuesAreOfTheirNumbers, || {
            format!(
                "set {set} of {values:?} with a relaxation of {relaxation}, and {found:?} is cheaper"
            )
        })
    }
}

impl Entry {
    pub fn is_told(&self) -> bool {
        !matches!(self.state, TrialState::Pending | TrialState::Withdrawn)
    }
}
