//! Studies of control sets: whole runs with every policy, budgets, schedules, costs, trials under
//! way, failed and imported trials, kinds of variables.

use std::collections::HashSet;
use std::sync::Arc;

use gittins::study::{Origin, TrialState};
use gittins::{Cpu, ErrorKind, KernelFamily, Outcome, Space};
use gittins_papers::control::{
    ControlSets, Law, Plays, Relaxation, SubsetPolicy, SubsetStudy, SubsetStudyBuilder,
    SubsetTrial, SubsetWhy,
};

use crate::control::studies::{field, fixed, harvest, nature, policies};
use crate::support::control as allowed;
use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::assert_within;

fn small(builder: SubsetStudyBuilder) -> SubsetStudyBuilder {
    builder.model(fixed(KernelFamily::Rbf, 3, 0.4)).samples(64).seed(5).backend(Arc::new(Cpu))
}

pub fn study(policy: SubsetPolicy) -> SubsetStudyBuilder {
    let (space, sets) = field();
    small(SubsetStudy::maximize(space, sets).policy(policy))
}

/// Plays until the verdict says stop. Returns the trials.
fn obey(study: &mut SubsetStudy, outcome: impl Fn(&[f64]) -> f64) -> Vec<SubsetTrial> {
    for k in 0.. {
        let verdict = study.verdict().unwrap();
        if verdict.is_stop() {
            break;
        }
        // The verdict has decided on the set that is asked for.
        let before = study.spent();
        let ask = study.ask().unwrap();
        assert_within(
            "an ask is paid for at once",
            study.spent(),
            before + ask.cost(),
            allowed::MONEY * before.max(1.0),
        );
        let full = ask.completed(&nature(k));
        study.tell(ask.id(), &full, Outcome::new(outcome(&full))).unwrap();
        assert!(k < 200, "the budget lets it go on for ever");
    }
    study.history().to_vec()
}

#[test]
fn every_policy_spends_its_budget_and_no_more() {
    let schedule = Relaxation::schedule(|trial| 0.4 / (trial as f64).sqrt());
    let relaxed = [
        SubsetPolicy::ucb_cvs(schedule),
        SubsetPolicy::ucb_cvs(Relaxation::Linear { start: 0.5, cutoff: 6 }),
    ];
    for policy in policies()
        .into_iter()
        .chain(relaxed)
        .chain([SubsetPolicy::explore_then_commit(Plays::MostExpensive(0.6))])
    {
        let budget = 4.1;
        let mut study = study(policy.clone()).budget(budget).initial(4).build().unwrap();
        let trials = obey(&mut study, harvest);
        let costs: Vec<f64> = study.sets().sets().iter().map(|set| set.cost).collect();
        // The rest of the budget has no room for the chosen set. The dearest set has cost 1.
        assert!(
            study.spent() <= budget && study.spent() + 1.0 > budget,
            "{policy:?}: {}",
            study.spent()
        );
        assert_within(
            format!("{policy:?}"),
            study.spent(),
            trials.iter().filter_map(|trial| trial.cost).sum(),
            allowed::MONEY * budget,
        );
        assert_eq!(study.verdict().unwrap().reason().rule, "budget");
        for (number, trial) in trials.iter().enumerate() {
            let set = &study.sets().sets()[trial.set.unwrap()];
            let (values, origin) = (
                trial.values.as_ref().unwrap(),
                if number < 4 { Origin::Initial } else { Origin::Suggested },
            );
            assert_eq!(
                (trial.state, trial.origin, trial.cost),
                (TrialState::Complete, origin, Some(costs[trial.set.unwrap()]))
            );
            assert!(
                set.controlled.iter().zip(&trial.chosen).all(|(&k, chosen)| values[k] == *chosen)
            );
            assert_eq!(trial.outcome, Some(harvest(values)));
        }
        // The initial design takes the cheapest sets in turn.
        assert_eq!(
            trials[..4].iter().map(|trial| trial.set.unwrap()).collect::<Vec<_>>(),
            [0, 1, 0, 1]
        );
        let best = trials.iter().filter_map(|trial| trial.outcome).fold(0.0, f64::max);
        assert_eq!(study.best().unwrap().outcome, Some(best));
        let advice = study.recommendation().unwrap().unwrap();
        assert!(
            advice.expected.is_finite()
                && advice.error >= 0.0
                && advice.spread >= 0.0
                && advice.to_string().contains(&advice.name)
        );
        let all = study.recommendations().unwrap();
        assert!(
            all.len() == 4
                && all[0] == advice
                && all.windows(2).all(|pair| pair[0].expected >= pair[1].expected)
        );
    }
}

#[test]
fn linear_relaxations_fall_to_zero() {
    let relaxation = Relaxation::Linear { start: 2.0, cutoff: 4 };
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 1000].map(|trial| relaxation.at(trial).unwrap()),
        [2.0, 1.5, 1.0, 0.5, 0.0, 0.0, 0.0]
    );
    // While every set is close enough, the cheapest is played. Afterwards only the set that
    // controls everything is played.
    let mut study = study(SubsetPolicy::ucb_cvs(Relaxation::Linear { start: 1e3, cutoff: 4 }))
        .initial(2)
        .build()
        .unwrap();
    let asked: Vec<f64> = (0..8)
        .map(|k| {
            let ask = study.ask().unwrap();
            let full = ask.completed(&nature(k));
            study.tell(ask.id(), &full, Outcome::new(harvest(&full))).unwrap();
            ask.cost()
        })
        .collect();
    assert_eq!(asked, [0.2, 0.2, 0.2, 0.2, 0.2, 1.0, 1.0, 1.0]);
}

/// A study plays the rows of the table that take fewer than a hundred trials.
#[test]
fn explore_then_commit_plays_as_often_as_in_the_table() {
    let mut played = 0;
    for row in table("subsets")["etc_schedule"].as_array().unwrap() {
        let counts = numbers(&row["evaluations_per_group"]);
        if counts.iter().sum::<f64>() > 100.0 {
            continue;
        }
        let costs = if row["costs"].as_str() == Some("expensive") {
            [0.6, 0.8, 1.0]
        } else {
            panic!("{row}")
        };
        let plays = match row["variant"].as_str().unwrap() {
            "ETC-50" => Plays::Each(50),
            "ETC-100" => Plays::Each(100),
            _ => Plays::MostExpensive(4.0),
        };
        let space = Space::new().float("a", 0.0, 1.0).float("b", 0.0, 1.0);
        let sets = ControlSets::new().set("a", ["a"], costs[0]).set("b", ["b"], costs[1]).set(
            "both",
            ["a", "b"],
            costs[2],
        );
        let sets = sets.law("a", Law::Uniform).law("b", Law::Uniform);
        let study = SubsetStudy::maximize(space, sets)
            .policy(SubsetPolicy::explore_then_commit(plays))
            .budget(number(&row["budget"]));
        let study = study
            .model(fixed(KernelFamily::Rbf, 2, 0.3))
            .standardize(false)
            .initial(0)
            .samples(8)
            .backend(Arc::new(Cpu));
        let mut study = study.build().unwrap();
        let smooth = |x: &[f64]| (5.0 * x[0]).sin() + x[1];
        for k in 0..2 {
            study
                .import(
                    &nature(k)[..2]
                        .iter()
                        .zip([4.0, 20.0])
                        .map(|(x, most)| x / most)
                        .collect::<Vec<_>>(),
                    Outcome::new(0.3),
                )
                .unwrap();
        }
        let mut counted = [0.0; 3];
        for k in 0.. {
            if study.verdict().unwrap().is_stop() {
                break;
            }
            let ask = study.ask().unwrap();
            let nature = [nature(k)[0] / 4.0, nature(k)[1] / 20.0];
            let full = ask.completed(&nature);
            study.tell(ask.id(), &full, Outcome::new(smooth(&full))).unwrap();
            counted[ask.set_index()] += 1.0;
        }
        assert_eq!(counted.to_vec(), counts, "{row}");
        played += 1;
    }
    assert_eq!(played, 3);
}

#[test]
fn costs_that_differ_are_paid_as_told() {
    let mut study = study(SubsetPolicy::explore_then_commit(Plays::Each(1)))
        .budget(3.0)
        .initial(2)
        .build()
        .unwrap();
    let told = [0.05, 0.7, 0.3];
    for (k, cost) in told.into_iter().enumerate() {
        let ask = study.ask().unwrap();
        let full = ask.completed(&nature(k));
        study.tell(ask.id(), &full, Outcome::new(harvest(&full)).cost(cost)).unwrap();
        assert_eq!(study.history()[k].cost, Some(cost));
    }
    assert_within("told", study.spent(), 1.05, allowed::MONEY * 3.0);
    // A trial under way counts at its price until it is told. A failed trial is paid for too.
    let (one, other) = (study.ask().unwrap(), study.ask().unwrap());
    assert_within(
        "under way",
        study.spent(),
        1.05 + one.cost() + other.cost(),
        allowed::MONEY * 3.0,
    );
    study.tell(one.id(), &one.completed(&nature(9)), Outcome::failed().cost(2.0)).unwrap();
    assert_within("failed", study.spent(), 3.05 + other.cost(), allowed::MONEY * 3.0);
    assert!(study.verdict().unwrap().is_stop());
    // The user may ask beyond the budget.
    study.ask().unwrap();
}

#[test]
fn trials_under_way_failed_and_imported() {
    for policy in policies() {
        let mut study = study(policy.clone()).initial(4).build().unwrap();
        for k in 0..3 {
            let full = nature(20 + k);
            study.import(&full, Outcome::new(harvest(&full)).cost(7.0)).unwrap();
        }
        study.import(&nature(30), Outcome::failed()).unwrap();
        // Three of the imports count toward the design. The failed one does not. No import is paid
        // for.
        assert_eq!(study.spent(), 0.0);
        let first = study.ask().unwrap();
        assert_eq!(*first.why(), SubsetWhy::Initial { number: 4, of: 4 }, "{policy:?}");
        assert_eq!(first.why().to_string(), "initial design, trial 4 of 4");
        let several: Vec<_> = (0..3).map(|_| study.ask().unwrap()).collect();
        assert!(several.iter().all(|ask| matches!(ask.why(), SubsetWhy::Chosen(_))), "{policy:?}");
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            assert!(
                several[a].set() != several[b].set() || several[a].values() != several[b].values(),
                "{policy:?}"
            );
        }
        // The trials are told in another order, and one of them failed.
        for (k, ask) in several.iter().enumerate().rev() {
            let full = ask.completed(&nature(k));
            let outcome = if k == 1 { Outcome::failed() } else { Outcome::new(harvest(&full)) };
            study.tell(ask.id(), &full, outcome).unwrap();
        }
        study.tell(first.id(), &first.completed(&nature(8)), Outcome::infeasible()).unwrap();
        let states: Vec<TrialState> = study.history().iter().map(|trial| trial.state).collect();
        use TrialState::*;
        assert_eq!(
            states,
            [Complete, Complete, Complete, Failed, Infeasible, Complete, Failed, Complete]
        );
        study.ask().unwrap();
        assert!(study.recommendation().unwrap().is_some());
    }
}

#[test]
fn without_an_outcome_there_is_no_model() {
    let mut study = study(SubsetPolicy::default()).initial(1).build().unwrap();
    assert!(
        study.recommendation().unwrap().is_none()
            && study.recommendations().unwrap().is_empty()
            && study.best().is_none()
    );
    for expected in
        [SubsetWhy::Initial { number: 1, of: 1 }, SubsetWhy::Exploring, SubsetWhy::Exploring]
    {
        let ask = study.ask().unwrap();
        assert_eq!(*ask.why(), expected);
        study.tell(ask.id(), &ask.completed(&nature(0)), Outcome::failed()).unwrap();
    }
    // Without a budget nothing stops.
    assert!(!study.verdict().unwrap().is_stop());
    let chosen: Vec<f64> = study.history().iter().map(|trial| trial.chosen[0]).collect();
    assert!(chosen[0] != chosen[1] && chosen[1] != chosen[2]);
}

/// Log scales and whole numbers, controlled or left to nature, with laws by samples. The outcome is
/// minimized.
#[test]
fn every_kind_of_variable_is_set_and_drawn() {
    let best = [1e-3, 6.0, 3.0, 0.01];
    let loss = |x: &[f64]| {
        (x[0] / best[0]).ln().powi(2) / 20.0
            + (x[1] - best[1]).powi(2) / 30.0
            + (x[2] - best[2]).powi(2) / 9.0
            + (x[3] / best[3]).ln().abs() / 9.0
    };
    let dry = vec![0.004, 0.012, 0.3, 0.012];
    for policy in policies() {
        let space = Space::new()
            .log_float("rate", 1e-5, 1e-1)
            .int("depth", 1, 9)
            .int("days", 0, 5)
            .log_float("dust", 1e-3, 1.0);
        let sets = ControlSets::new()
            .set("knobs", ["rate", "depth"], 1.0)
            .set("depth", ["depth", "dust"], 0.5)
            .set("all", ["rate", "depth", "days", "dust"], 3.0);
        let sets = sets
            .law("rate", Law::normal(1e-3, 2.0))
            .law("days", Law::samples(vec![1.0, 2.0, 2.0, 5.0]))
            .law("dust", Law::samples(dry.clone()));
        let study = SubsetStudy::minimize(space, sets)
            .policy(policy.clone())
            .model(fixed(KernelFamily::Matern52, 4, 0.6))
            .initial(5)
            .samples(32);
        let mut study = study.seed(2).budget(12.0).backend(Arc::new(Cpu)).build().unwrap();
        // The draws are whole for whole numbers, and they take only the user's values.
        let space = Space::new()
            .log_float("rate", 1e-5, 1e-1)
            .int("depth", 1, 9)
            .int("days", 0, 5)
            .log_float("dust", 1e-3, 1.0);
        for row in study.samples().rows() {
            let values = space.numbers_at(row);
            assert!([1.0, 2.0, 5.0].contains(&values[2]), "{values:?}");
            assert!(dry.iter().any(|x| (x / values[3] - 1.0).abs() < 1e-12), "{values:?}");
        }
        for k in 0.. {
            if study.verdict().unwrap().is_stop() {
                break;
            }
            let ask = study.ask().unwrap();
            let nature = [1e-3 * (1.0 + k as f64), f64::NAN, [1.0, 2.0, 5.0][k % 3], dry[k % 4]];
            let full = ask.completed(&nature);
            assert!(full[1].fract() == 0.0 && (1.0..=9.0).contains(&full[1]), "{full:?}");
            assert_eq!(ask.get("depth").unwrap(), full[1]);
            study.tell(ask.id(), &full, Outcome::new(loss(&full))).unwrap();
        }
        let advice = study.recommendations().unwrap();
        assert!(
            advice.windows(2).all(|pair| pair[0].expected <= pair[1].expected),
            "smaller is better: {advice:?}"
        );
        for advice in &advice {
            let set = &study.sets().sets()[advice.set];
            for (&k, value) in set.controlled.iter().zip(&advice.values) {
                assert!(![1, 2].contains(&k) || value.fract() == 0.0, "{advice:?}");
            }
        }
        let told =
            study.history().iter().filter_map(|trial| trial.outcome).fold(f64::INFINITY, f64::min);
        assert_eq!(study.best().unwrap().outcome, Some(told));
    }
}

/// Far from zero a narrow range leaves few digits. The asked values are accepted anyway. Other
/// values are accepted if they differ by no more than the tolerance.
#[test]
fn what_was_asked_for_is_never_a_contradiction() {
    let spaces = [
        Space::new().float("x", 1e9, 1e9 + 1e-3),
        Space::new().log_float("x", 1e300, 1.000_001e300),
        Space::new().float("x", -1e-300, 1e-300),
    ];
    for space in spaces {
        let space = space.float("y", 0.0, 1.0);
        let sets = ControlSets::new().set("x", ["x"], 1.0).law("y", Law::Uniform);
        let study = SubsetStudy::maximize(space, sets)
            .model(fixed(KernelFamily::Rbf, 2, 0.4))
            .initial(2)
            .samples(16);
        let mut study = study.backend(Arc::new(Cpu)).build().unwrap();
        for k in 0..4 {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), &[ask.values()[0], 0.3], Outcome::new(f64::from(k))).unwrap();
        }
    }
    for (tolerance, shift, fine) in [
        (1e-9, 3.9e-9, true),
        (1e-9, 4.1e-9, false),
        (0.1, 0.39, true),
        (0.1, 0.41, false),
        (0.0, 1e-12, false),
    ] {
        let mut study = study(SubsetPolicy::default()).tolerance(tolerance).build().unwrap();
        let ask = study.ask().unwrap();
        let mut full = ask.completed(&nature(0));
        full[0] += if full[0] < 2.0 { shift } else { -shift };
        let told = study.tell(ask.id(), &full, Outcome::new(1.0));
        assert_eq!(told.is_ok(), fine, "{tolerance} {shift}: {told:?}");
        // The study keeps the values that were told.
        assert_eq!(study.history()[0].values.as_ref().is_some_and(|values| *values == full), fine);
    }
}

#[test]
fn queries_under_way_that_leave_nothing_to_nature_are_not_asked_for_again() {
    for told in [0, 3] {
        let space = Space::new().int("a", 0, 1).int("b", 0, 2);
        let sets = ControlSets::new().set("all", ["a", "b"], 1.0).law("b", Law::Uniform);
        let mut study = SubsetStudy::maximize(space, sets).seed(10).build().unwrap();
        let mut seen = HashSet::new();
        let mut count = 0;
        let error = loop {
            match study.ask() {
                Ok(ask) => {
                    count += 1;
                    let values = [ask.get("a").unwrap(), ask.get("b").unwrap()];
                    assert!(seen.insert(values.map(f64::to_bits)) || count > 6, "{values:?}");
                    if count <= told {
                        study.tell(ask.id(), &values, Outcome::new(values[0] + values[1])).unwrap();
                    }
                }
                Err(error) => break error,
            }
            assert!(count <= 6 + told, "{count}");
        };
        assert_eq!(error.kind(), ErrorKind::Exhausted, "{error}");
        assert_eq!(seen.len(), 6);
        assert!(study.verdict().unwrap().is_stop());
    }
}

/// Plays some trials and returns the choices. If `looked_at`, the study gives its advice after each
/// trial.
fn asked(looked_at: bool) -> Vec<(usize, Vec<f64>)> {
    let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
    let sets = ControlSets::new()
        .set("field", ["lime"], 1.0)
        .set("greenhouse", ["lime", "rain"], 5.0)
        .law("rain", Law::centered(0.04));
    let mut study = SubsetStudy::maximize(space, sets)
        .policy(SubsetPolicy::ucb_psq())
        .initial(7)
        .samples(64)
        .seed(3)
        .build()
        .unwrap();
    let mut asked = Vec::new();
    for trial in 0..14 {
        let ask = study.ask().unwrap();
        let point = ask.completed(&[f64::NAN, 400.0 + 40.0 * f64::from(trial)]);
        let outcome = (3.0 * point[0]).sin() - ((point[1] - 700.0) / 200.0).powi(2);
        study.tell(ask.id(), &point, Outcome::new(outcome)).unwrap();
        if looked_at {
            let advice = study.recommendation().unwrap().unwrap();
            assert_eq!(
                advice.named().map(|(name, _)| name).collect::<Vec<_>>(),
                ["lime", "rain"][..advice.values.len()]
            );
        }
        asked.push((ask.set_index(), ask.values().to_vec()));
    }
    asked
}

/// A fit starts from the fit before, and searches from scratch if the data have doubled. With
/// advice at each of seven trials there would be fits in between.
#[test]
fn looking_at_the_advice_changes_no_suggestion() {
    assert_eq!(asked(true), asked(false));
}
