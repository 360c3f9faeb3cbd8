//! Invariants of whole runs under random schedules.

use gittins::study::TrialState;
use gittins::{Acquisition, Cost, Outcome, Space, Study, TrialId};
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
        1 => (0.0..1.0, -3.0..3.0, 0.1..10.0).prop_map(|(x, y, c)| Act::Import(x, y, c)),
        1 => Just(Act::Verdict),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// Whatever comes in whatever order: suggestions stay inside the bounds, differ from each other and from what was evaluated, the
    /// books add up, and the best is the best.
    #[test]
    fn no_schedule_breaks_the_books(acts in prop::collection::vec(act(), 1..24), learned in any::<bool>()) {
        let space = Space::new().float("x", -2.0, 3.0);
        let cost = if learned { Cost::learned() } else { Cost::uniform(2.0) };
        let mut study = Study::maximize(space).cost(cost).acquisition(Acquisition::gittins(0.01)).initial(2).search(16, 2).build().unwrap();
        let mut open: Vec<TrialId> = Vec::new();
        let (mut best, mut total) = (f64::NEG_INFINITY, 0.0);
        for act in acts {
            let told = match act {
                Act::Ask => {
                    let before: Vec<f64> = study.history().iter().map(|t| t.unit[0]).collect();
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
                    study.tell(open.swap_remove(i % open.len()), Outcome::new(y).cost(c)).unwrap();
                    best = best.max(y);
                    Some(c)
                }
                Act::Fail(i) if !open.is_empty() => {
                    study.tell(open.swap_remove(i % open.len()), Outcome::failed().cost(0.5)).unwrap();
                    Some(0.5)
                }
                Act::Forbid(i) if !open.is_empty() => {
                    study.tell(open.swap_remove(i % open.len()), Outcome::infeasible().cost(0.25)).unwrap();
                    Some(0.25)
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
