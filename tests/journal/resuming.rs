//! A study that is read from its file after each call asks for the same points as one that stays in
//! memory, to the bit.

use std::sync::Arc;

use gittins::journal::Journal;
use gittins::model::Noise;
use gittins::stop::{Steadying, any};
use gittins::study::{Event, StudyBuilder};
use gittins::suggest::MaxValueEntropy;
use gittins::{
    Acquisition, Cost, Cpu, GaussianProcess, GittinsRule, Outcome, Pointwise, Policy, Space,
    StopRule, Study, Table, Value,
};
use gittins_papers::rules::{GittinsBeforeRule, ImprovementMedianRule, RegretProbabilityRule};

use super::play::{Place, Player, Script, file, memory, play};

fn plain() -> Space {
    Space::new().float("x", -1.0, 2.0).log_float("rate", 1e-4, 1.0).int("n", 1, 9)
}

fn mixed() -> Space {
    Space::new()
        .choice("solver", ["adam", "sgd", "lbfgs"])
        .float("momentum", 0.0, 0.99)
        .when("solver", ["sgd"])
        .powers_of_two("batch", 16, 256)
        .flag("bias")
        .float("a", 0.0, 1.0)
        .float("b", 0.0, 1.0)
        .at_most([("a", 1.0), ("b", 1.0)], 1.2)
        .constant("version", "v1")
}

fn rules() -> Vec<Box<dyn StopRule>> {
    vec![
        Box::new(GittinsRule::priced(1e-9).debounced(2).smoothed(3)),
        Box::new(ImprovementMedianRule::new().first(4)),
        Box::new(GittinsBeforeRule::priced(1e-9)),
        Box::new(RegretProbabilityRule::frequency(1e-9).samples(16, 200)),
    ]
}

fn check(name: &str, script: Script, settings: impl Fn() -> StudyBuilder) {
    let settings = || settings().backend(Arc::new(Cpu)).seed(11);
    let (in_memory, player) = play(memory(settings()), script, |_, player| player).unwrap();
    let record = player.study().record();
    let place = Place::new(name);
    let (in_file, _) = play(file(&place, settings()), script, |_, player| player).unwrap();
    assert_eq!(in_file, in_memory, "{name}: a file changes nothing");
    let place = Place::new(name);
    let reopened = |_, player| {
        drop(player);
        file(&place, settings())
    };
    let (resumed, player) = play(file(&place, settings()), script, reopened).unwrap();
    assert_eq!(resumed, in_memory, "{name}: read from the file after each call");
    // And as a study to which the same events happen, which were data in the meantime.
    let again = |_, player: Player| -> Player {
        let text = serde_json::to_string(player.study().events()).unwrap();
        let events: Vec<Event> = serde_json::from_str(&text).unwrap();
        Box::new(settings().resume(events).unwrap())
    };
    let (again, followed) = play(memory(settings()), script, again).unwrap();
    assert_eq!(again, in_memory, "{name}: made of its events after each call");
    assert_eq!(followed.study().counts(), player.study().counts(), "{name}");
    // So is the record, but for the clock.
    for (mine, theirs) in player.study().record().rows().iter().zip(record.rows()) {
        let (mut mine, mut theirs) = (mine.clone(), theirs.clone());
        (mine.seconds, theirs.seconds) = Default::default();
        assert_eq!(mine, theirs, "{name}");
    }
    // Settings that are read are those that were written: they stand there once.
    let text = std::fs::read_to_string(place.path()).unwrap();
    assert_eq!(text.matches("{\"gittins:settings\":").count(), 1, "{name}");
    // Settings that are code are not in the file.
    if let Ok(again) = Journal::resume(place.path()) {
        assert_eq!(again.study().counts(), player.study().counts(), "{name}");
    }
}

const SHORT: Script = Script { trials: 24, costs: false, accidents: false, verdicts: 1 };
const COSTS: Script = Script { trials: 27, costs: true, accidents: true, verdicts: 2 };

#[test]
fn with_the_gittins_index_learned_costs_and_accidents() {
    check("gittins", COSTS, || {
        Study::minimize(plain()).cost(Cost::learned()).policy(Acquisition::gittins(1e-3))
    });
}

#[test]
fn with_a_mixed_space() {
    check("mixed", Script { trials: 20, ..COSTS }, || {
        Study::minimize(mixed()).cost(Cost::learned()).policy(Acquisition::gittins(1e-3))
    });
}

#[test]
fn with_policies_that_have_a_state() {
    let policies = [
        ("decay", Policy::gittins_decay(0.5, 2.0)),
        ("budget", Policy::gittins_decay_from_budget(100.0, 2.0)),
        ("adaptive", Policy::gittins_adaptive()),
        ("lookahead", Acquisition::budgeted_lookahead(2, &[3]).budget(60.0).into()),
        ("ucb", Policy::ucb()),
        ("thompson", Policy::thompson()),
        ("entropy", Policy::max_value_entropy(MaxValueEntropy::default())),
        ("cooled", Policy::log_eipc_cooled(100.0)),
    ];
    for (name, policy) in policies {
        let trials = if name == "lookahead" { 11 } else { 16 };
        check(name, Script { trials, ..COSTS }, || {
            Study::maximize(Space::new().float("x", -1.0, 2.0).float("y", 0.0, 1.0))
                .cost(Cost::learned())
                .policy(policy.clone())
        });
    }
}

#[test]
fn with_rules_that_have_a_history() {
    check("rules", Script { trials: 18, ..SHORT }, || {
        Study::minimize(plain()).policy(Acquisition::gittins(1e-3)).stop(any(rules()))
    });
}

/// After a cost alone the rule repeats its verdict. It forgot the words.
#[test]
fn with_a_rule_that_repeats_its_verdict() {
    let settings = || {
        Study::minimize(Space::new().float("x", 0.0, 1.0))
            .cost(Cost::learned())
            .policy(Acquisition::gittins(1e-3))
            .stop(GittinsBeforeRule::priced(1e-9))
            .initial(3)
            .backend(Arc::new(Cpu))
    };
    let place = Place::new("repeats");
    let mut study = settings().build().unwrap();
    let open = || Journal::open(place.path(), settings()).unwrap();
    for trial in 0..6 {
        let (ask, expected) = (open().ask().unwrap(), study.ask().unwrap());
        assert_eq!(ask.values(), expected.values());
        let outcome = Outcome::new((5.0 * ask.numbers()[0]).sin());
        let outcome = if trial == 0 { outcome.cost(1.0) } else { outcome.cost_later() };
        open().tell(ask.id(), outcome.clone()).unwrap();
        study.tell(ask.id(), outcome).unwrap();
        assert_eq!(open().verdict().unwrap(), study.verdict().unwrap());
        if trial > 0 {
            open().tell_cost(ask.id(), 2.0).unwrap();
            study.tell_cost(ask.id(), 2.0).unwrap();
        }
        assert_eq!(open().verdict().unwrap(), study.verdict().unwrap());
    }
}

#[test]
fn with_a_table() {
    check("table", Script { accidents: true, ..SHORT }, || {
        let names = ["oats", "rye", "barley"];
        let rows = (0..40).map(|i| vec![Value::from(names[i % 3]), Value::from((i / 3) as f64)]);
        Study::minimize(Table::new(["seed", "amount"], rows.collect()).unwrap())
            .policy(Pointwise::LogExpectedImprovement)
    });
}

#[test]
fn with_a_known_kernel_and_a_known_cost() {
    check("known", Script { accidents: true, verdicts: 3, ..SHORT }, || {
        Study::minimize(Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0))
            .model(GaussianProcess::new().noise(Noise::Fixed(1e-6)).fixed_kernel(vec![0.4; 2], 1.0))
            .cost(Cost::known(|values: &[f64]| 1.0 + values[0]))
            .policy(Acquisition::gittins(1e-3))
    });
}

#[test]
fn with_two_models_in_many_dimensions() {
    let space = (0..22).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
    check("many", Script { trials: 17, ..SHORT }, || {
        Study::minimize(space.clone()).initial(5).policy(Pointwise::LogExpectedImprovement)
    });
}

/// Beyond a hundred observations fits are rare, and rows are appended to the factor in between.
#[test]
fn beyond_a_hundred_observations() {
    let script = Script { trials: 128, costs: true, accidents: false, verdicts: 0 };
    let settings = || {
        Study::minimize(Space::new().float("x", -1.0, 2.0).float("y", 0.0, 1.0))
            .cost(Cost::learned())
            .policy(Pointwise::LogExpectedImprovement)
            .initial(100)
            .expected_trials(1000)
            .backend(Arc::new(Cpu))
    };
    let (in_memory, _) = play(memory(settings()), script, |_, player| player).unwrap();
    let place = Place::new("long");
    // Read at each call from the 90th trial on.
    let reopened = |call, player| {
        if call < 180 {
            return player;
        }
        drop(player);
        file(&place, settings())
    };
    let (resumed, _) = play(file(&place, settings()), script, reopened).unwrap();
    assert_eq!(resumed, in_memory);
}
