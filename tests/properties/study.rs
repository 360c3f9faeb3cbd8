//! Invariants of whole runs under random schedules.

use gittins::study::{Trial, TrialState};
use gittins::{Acquisition, Cost, ErrorKind, Outcome, Space, Study, TrialId};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// What a schedule does next.
#[derive(Debug, Clone)]
enum Act {
    Ask,
    /// Tells one of those under way, with this outcome and cost.
    Tell(usize, f64, f64),
    Fail(usize),
    Forbid(usize),
    /// Tells the cost of one of those that have none yet, under way or told.
    Bill(usize, f64),
    /// Tells the outcome of one of those under way, the cost to come, if it has not come yet.
    Late(usize, f64),
    Import(f64, f64, f64),
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
        1 => Just(Act::Verdict),
    ]
}

/// Tells how a trial ended, with its cost unless that came first; returns what is paid by it.
fn finish(study: &mut Study, id: TrialId, outcome: Outcome, cost: f64) -> Option<f64> {
    let paid = study.history()[id.index()].cost.is_some();
    study.tell(id, if paid { outcome } else { outcome.cost(cost) }).unwrap();
    (!paid).then_some(cost)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// Whatever comes in whatever order: suggestions stay inside the bounds and differ from each other, the
    /// books add up, and the best is the best.
    #[test]
    fn no_schedule_breaks_the_books(acts in prop::collection::vec(act(), 1..24), learned in any::<bool>()) {
        let space = Space::new().float("x", -2.0, 3.0);
        let cost = if learned { Cost::learned() } else { Cost::uniform(2.0) };
        let mut study = Study::maximize(space).cost(cost).acquisition(Acquisition::gittins(0.01)).initial(2).search(16, 2).build().unwrap();
        let mut open: Vec<TrialId> = Vec::new();
        // Told, and their costs to come.
        let mut unpaid: Vec<TrialId> = Vec::new();
        let (mut best, mut total) = (f64::NEG_INFINITY, 0.0);
        for act in acts {
            let told = match act {
                Act::Ask => {
                    // With noise another outcome at a point may be worth its price, but never while the first is under way.
                    let open_before = |t: &&Trial| t.state == TrialState::Pending;
                    let before: Vec<f64> = study.history().iter().filter(open_before).map(|t| t.unit[0]).collect();
                    let ask = study.ask().unwrap();
                    prop_assert!((-2.0..=3.0).contains(&ask.values()[0]));
                    prop_assert!(!before.contains(&study.history()[ask.id().index()].unit[0]));
                    open.push(ask.id());
                    None
                }
                Act::Verdict => {
                    study.verdict().unwrap();
                    None
                }
                Act::Import(x, y, c) => {
                    study.import(&[x], Outcome::new(y).cost(c)).unwrap();
                    best = best.max(y);
                    Some(c)
                }
                Act::Tell(i, y, c) if !open.is_empty() => {
                    best = best.max(y);
                    finish(&mut study, open.swap_remove(i % open.len()), Outcome::new(y), c)
                }
                Act::Fail(i) if !open.is_empty() => finish(&mut study, open.swap_remove(i % open.len()), Outcome::failed(), 0.5),
                Act::Forbid(i) if !open.is_empty() => finish(&mut study, open.swap_remove(i % open.len()), Outcome::infeasible(), 0.25),
                Act::Late(i, y) if learned && !open.is_empty() => {
                    let id = open.swap_remove(i % open.len());
                    if study.history()[id.index()].cost.is_none() {
                        unpaid.push(id);
                    }
                    study.tell(id, Outcome::new(y).cost_later()).unwrap();
                    best = best.max(y);
                    None
                }
                Act::Bill(i, c) => {
                    let missing = |id: &TrialId| study.history()[id.index()].cost.is_none();
                    let due: Vec<TrialId> = open.iter().copied().filter(missing).chain(unpaid.iter().copied()).collect();
                    if due.is_empty() {
                        None
                    } else {
                        let id = due[i % due.len()];
                        study.tell_cost(id, c).unwrap();
                        prop_assert_eq!(study.tell_cost(id, c).unwrap_err().kind(), ErrorKind::DuplicateTrial);
                        unpaid.retain(|other| *other != id);
                        Some(c)
                    }
                }
                _ => None,
            };
            total += told.unwrap_or(0.0);
            prop_assert_eq!(study.total_cost(), total);
            prop_assert_eq!(study.counts().pending, open.len());
            prop_assert_eq!(study.best().and_then(|t| t.outcome).unwrap_or(f64::NEG_INFINITY), best);
            prop_assert_eq!(study.history().iter().filter(|t| t.state == TrialState::Pending).count(), open.len());
        }
    }
}
