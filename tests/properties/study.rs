//! Invariants of whole runs under random schedules.

use std::collections::HashMap;

use gittins::study::{Search, TrialState};
use gittins::{Acquisition, Cost, ErrorKind, Outcome, Record, Space, Study, Trial, TrialId};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A step of a schedule.
#[derive(Debug, Clone)]
enum Act {
    Ask,
    /// Tells a trial under way, with this outcome and cost.
    Tell(usize, f64, f64),
    Fail(usize),
    Forbid(usize),
    /// Tells the cost of a trial without a cost, under way or told.
    Bill(usize, f64),
    /// Tells the outcome of a trial under way. If its cost is unknown, it comes later.
    Late(usize, f64),
    Import(f64, f64, f64),
    /// Withdraws any trial, and tries to withdraw it again.
    Withdraw(usize),
    /// Tells a withdrawn trial, with this outcome and cost.
    Revive(usize, f64, f64),
    /// Corrects any trial to this outcome and, if given, this cost.
    Correct(usize, f64, Option<f64>),
    Verdict,
}

fn act() -> impl Strategy<Value = Act> {
    let outcome = prop_oneof![4 => -3.0..3.0, 1 => Just(0.0), 1 => -1e6..1e6];
    prop_oneof![
        4 => Just(Act::Ask),
        4 => (any::<usize>(), outcome, 0.1..10.0).prop_map(|(i, y, c)| Act::Tell(i, y, c)),
        1 => any::<usize>().prop_map(Act::Fail),
        1 => any::<usize>().prop_map(Act::Forbid),
        2 => (any::<usize>(), 0.1..10.0).prop_map(|(i, c)| Act::Bill(i, c)),
        2 => (any::<usize>(), -3.0..3.0).prop_map(|(i, y)| Act::Late(i, y)),
        1 => (0.0..1.0, -3.0..3.0, 0.1..10.0).prop_map(|(x, y, c)| Act::Import(x, y, c)),
        2 => any::<usize>().prop_map(Act::Withdraw),
        1 => (any::<usize>(), -3.0..3.0, 0.1..10.0).prop_map(|(i, y, c)| Act::Revive(i, y, c)),
        2 => (any::<usize>(), -3.0..3.0, prop::option::of(0.1..10.0)).prop_map(|(i, y, c)| Act::Correct(i, y, c)),
        1 => Just(Act::Verdict),
    ]
}

/// The payments in the order of telling, and the outcomes of complete trials.
#[derive(Default)]
struct Books {
    payments: Vec<(TrialId, f64)>,
    outcomes: HashMap<TrialId, f64>,
}

impl Books {
    fn told(&mut self, id: TrialId, outcome: Option<f64>, cost: Option<f64>) {
        self.outcomes.extend(outcome.map(|outcome| (id, outcome)));
        self.payments.extend(cost.map(|cost| (id, cost)));
    }

    fn total(&self) -> f64 {
        self.payments.iter().map(|(_, cost)| cost).sum()
    }

    fn best(&self) -> f64 {
        self.outcomes.values().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Tells the end of a trial, with its cost unless the cost came first. Returns the payment.
fn finish(study: &mut Study, id: TrialId, outcome: Outcome, cost: f64) -> Option<f64> {
    let paid = study.history()[id.index()].cost.is_some();
    study.tell(id, if paid { outcome } else { outcome.cost(cost) }).unwrap();
    (!paid).then_some(cost)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// Holds for any order of events: suggestions stay inside the bounds and differ from each
    /// other, the books add up, and the best trial is the best.
    #[test]
    fn no_schedule_breaks_the_books(acts in prop::collection::vec(act(), 1..32), learned in any::<bool>()) {
        let space = Space::new().float("x", -2.0, 3.0);
        let cost = if learned { Cost::learned() } else { Cost::uniform(2.0) };
        let mut study = Study::maximize(space).cost(cost).policy(Acquisition::gittins(0.01)).initial(2).search(Search::new(16, 2)).build().unwrap();
        let mut open: Vec<TrialId> = Vec::new();
        // Trials that were told and whose costs are still to come.
        let mut unpaid: Vec<TrialId> = Vec::new();
        let mut withdrawn: Vec<TrialId> = Vec::new();
        let mut books = Books::default();
        for act in acts {
            match act {
                Act::Ask => {
                    // With noise a second outcome at a point may be worth its price, but never
                    // while the first is pending.
                    let open_before = |t: &&Trial| t.state == TrialState::Pending;
                    let before: Vec<f64> = study.history().iter().filter(open_before).map(|t| t.unit[0]).collect();
                    let ask = study.ask().unwrap();
                    prop_assert!((-2.0..=3.0).contains(&ask.numbers()[0]));
                    prop_assert!(!before.contains(&study.history()[ask.id().index()].unit[0]));
                    open.push(ask.id());
                }
                Act::Verdict => {
                    study.verdict().unwrap();
                }
                Act::Import(x, y, c) => {
                    let id = study.import(&[x], Outcome::new(y).cost(c)).unwrap();
                    books.told(id, Some(y), Some(c));
                }
                Act::Tell(i, y, c) if !open.is_empty() => {
                    let id = open.swap_remove(i % open.len());
                    books.told(id, Some(y), finish(&mut study, id, Outcome::new(y), c));
                }
                Act::Fail(i) if !open.is_empty() => {
                    let id = open.swap_remove(i % open.len());
                    books.told(id, None, finish(&mut study, id, Outcome::failed(), 0.5));
                }
                Act::Forbid(i) if !open.is_empty() => {
                    let id = open.swap_remove(i % open.len());
                    books.told(id, None, finish(&mut study, id, Outcome::infeasible(), 0.25));
                }
                Act::Late(i, y) if learned && !open.is_empty() => {
                    let id = open.swap_remove(i % open.len());
                    if study.history()[id.index()].cost.is_none() {
                        unpaid.push(id);
                    }
                    study.tell(id, Outcome::new(y).cost_later()).unwrap();
                    books.told(id, Some(y), None);
                }
                Act::Bill(i, c) => {
                    let missing = |id: &TrialId| study.history()[id.index()].cost.is_none();
                    let due: Vec<TrialId> = open.iter().copied().filter(missing).chain(unpaid.iter().copied()).collect();
                    if !due.is_empty() {
                        let id = due[i % due.len()];
                        study.tell_cost(id, c).unwrap();
                        prop_assert_eq!(study.tell_cost(id, c).unwrap_err().kind(), ErrorKind::DuplicateTrial);
                        unpaid.retain(|other| *other != id);
                        books.told(id, None, Some(c));
                    }
                }
                Act::Withdraw(i) if !study.history().is_empty() => {
                    let Trial { id, state, .. } = study.history()[i % study.history().len()];
                    let result = study.withdraw(id);
                    prop_assert_eq!(result.is_ok(), state != TrialState::Withdrawn);
                    prop_assert_eq!(study.withdraw(id).unwrap_err().kind(), ErrorKind::DuplicateTrial);
                    if state == TrialState::Pending {
                        // A cost that was already paid stays spent.
                        open.retain(|other| *other != id);
                    } else if state != TrialState::Withdrawn {
                        unpaid.retain(|other| *other != id);
                        books.payments.retain(|(other, _)| *other != id);
                        books.outcomes.remove(&id);
                    }
                    withdrawn.extend(result.is_ok().then_some(id));
                }
                Act::Revive(i, y, c) if !withdrawn.is_empty() => {
                    let id = withdrawn.swap_remove(i % withdrawn.len());
                    books.told(id, Some(y), finish(&mut study, id, Outcome::new(y), c));
                }
                Act::Correct(i, y, c) if !study.history().is_empty() => {
                    let Trial { id, state, cost: paid, .. } = study.history()[i % study.history().len()];
                    let outcome = if let Some(c) = c { Outcome::new(y).cost(c) } else { Outcome::new(y) };
                    if [TrialState::Pending, TrialState::Withdrawn].contains(&state) {
                        prop_assert_eq!(study.correct(id, outcome).unwrap_err().kind(), ErrorKind::InvalidSetting);
                    } else {
                        study.correct(id, outcome).unwrap();
                        books.outcomes.insert(id, y);
                        if let Some(c) = c {
                            unpaid.retain(|other| *other != id);
                            books.payments.iter_mut().filter(|(other, _)| *other == id).for_each(|(_, cost)| *cost = c);
                            // A bill that had not come counts from the time at which the trial was
                            // told.
                            if paid.is_none() {
                                let told = |id: TrialId| study.record().rows()[id.index()].told;
                                let place = |id: TrialId| study.record().rows()[id.index()].paid.or(told(id));
                                let at = books.payments.partition_point(|(other, _)| place(*other) < told(id));
                                books.payments.insert(at, (id, c));
                            }
                        }
                    }
                }
                _ => {}
            }
            prop_assert_eq!(study.total_cost(), books.total());
            prop_assert_eq!(study.counts().pending, open.len());
            prop_assert_eq!(study.best().and_then(|t| t.outcome).unwrap_or(f64::NEG_INFINITY), books.best());
            let count = |state: TrialState| study.history().iter().filter(|t| t.state == state).count();
            prop_assert_eq!((count(TrialState::Pending), count(TrialState::Withdrawn)), (open.len(), withdrawn.len()));
            let record = study.record();
            prop_assert_eq!(&Record::new(record.rows().to_vec()).unwrap(), &record);
            let last = record.in_order_of_telling().last().map(|row| (row.best, row.spent.is_some()));
            prop_assert_eq!(last.unwrap_or((None, true)), (Some(books.best()).filter(|best| best.is_finite()), true));
        }
    }
}
