//! The evaluations that a study has, so that an import takes none of them twice.

use std::collections::HashMap;

use gittins::study::TrialState;
use gittins::{Study, Value};

use crate::findings::measured;

/// Numbers that differ by no more than this share of them are the same: a text with fewer digits
/// than a number has is another number, and a rounding on the way is not.
const SAME: f64 = 1e-12;

/// The result of an evaluation: its state, its outcome, its cost, and what was measured beside it.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// Complete, failed or infeasible.
    pub state: TrialState,
    /// The outcome, if it is complete.
    pub outcome: Option<f64>,
    /// The cost, if it is known.
    pub cost: Option<f64>,
    /// The number of each limit and objective in order; none for one that was not measured.
    pub measured: Vec<Option<f64>>,
}

/// The same as a key: the numbers by their bits.
type Key = (TrialState, Option<u64>, Option<u64>, Vec<Option<u64>>);

/// Evaluations by their results, each as often as it was made.
pub struct Evaluations {
    made: HashMap<Key, Vec<Vec<Value>>>,
    /// Whether costs vary. If each trial costs 1, a sheet need not say so.
    with_costs: bool,
}

impl Evaluations {
    /// Those that a study was told.
    pub fn of(study: &Study, with_costs: bool) -> Self {
        let mut known = Self { made: HashMap::new(), with_costs };
        for trial in study.history() {
            if trial.state.is_told() {
                let (state, outcome, cost) = (trial.state, trial.outcome, trial.cost);
                let measured = measured::of(study, &trial.measured).map(|one| one.number).collect();
                let key = known.key(&Evaluated { state, outcome, cost, measured });
                known.made.entry(key).or_default().push(trial.values.clone());
            }
        }
        known
    }

    /// Takes an evaluation away. Returns false if there is none like it, or none any more.
    pub fn take(&mut self, values: &[Value], result: &Evaluated) -> bool {
        let key = self.key(result);
        let Some(alike) = self.made.get_mut(&key) else { return false };
        let place = alike.iter().position(|known| {
            known.len() == values.len() && known.iter().zip(values).all(|(a, b)| same(a, b))
        });
        place.map(|place| alike.swap_remove(place)).is_some()
    }

    fn key(&self, of: &Evaluated) -> Key {
        // The two zeros are one number.
        let bits = |number: f64| (number + 0.0).to_bits();
        let cost = of.cost.filter(|_| self.with_costs).map(bits);
        let measured = of.measured.iter().map(|number| number.map(bits)).collect();
        (of.state, of.outcome.map(bits), cost, measured)
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => (a - b).abs() <= SAME * a.abs().max(b.abs()),
        _ => a == b,
    }
}
