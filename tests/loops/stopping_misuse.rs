//! Hard cases for stopping rules: too few trials, constant outcomes, failures, a table used up,
//! checks without news, and settings that a rule refuses.

use gittins::data::Direction;
use gittins::stop::{StallRule, Statistic, Steadying, ThresholdRule};
use gittins::study::Search;
use gittins::{
    Acquisition, Cost, ErrorKind, GittinsRule, Outcome, Pointwise, Space, StopRule, Study, Table,
};
use gittins_papers::rules::{
    ConfidenceGapRule, GlobalWindowRule, ImprovementMedianRule, RegretGapRule,
};

use crate::support::panel::{Panel, every_rule};
use crate::support::stage::Stage;

const LAMBDA: f64 = 1e-3;

fn line() -> Space {
    Space::new().float("x", 0.0, 1.0)
}

fn wave(x: f64) -> f64 {
    (7.0 * x).sin() + 0.5 * x
}

/// The answers of every rule in a run. A missing outcome is a failure.
fn heard(
    trials: usize,
    initial: usize,
    cost: Cost,
    outcome: impl Fn(f64) -> Option<f64>,
) -> Vec<Vec<Statistic>> {
    let (panel, heard) = Panel::new(every_rule(1.0, LAMBDA));
    let mut study = Study::minimize(line())
        .cost(cost)
        .policy(Acquisition::gittins(LAMBDA))
        .stop(panel)
        .initial(initial)
        .search(Search::new(48, 3))
        .build()
        .unwrap();
    for _ in 0..trials {
        let ask = study.ask().unwrap();
        let told = outcome(ask.numbers()[0]).map_or_else(Outcome::failed, Outcome::new);
        study.tell(ask.id(), told.cost(2.0)).unwrap();
        study.verdict().unwrap();
    }
    let said = heard.lock().unwrap();
    said.clone()
}

#[test]
fn one_trial_and_trials_of_one_outcome_and_one_cost_give_a_verdict() {
    for cost in [Cost::uniform(2.0), Cost::learned()] {
        let heard = heard(14, 1, cost, |_| Some(-3.0));
        assert_eq!(heard.len(), 14);
        assert!(heard.iter().flatten().all(|said| !said.value.is_nan()), "{heard:?}");
        // Rules that look back do not fire at the first trial.
        for column in [3, 5, 6, 7, 8] {
            assert!(!heard[0][column].fired, "{:?}", heard[0][column]);
        }
        // Without any progress the windows close. The window on the spread closes only after its
        // patience.
        let first = |column: usize| heard.iter().position(|row| row[column].fired);
        assert_eq!((first(7), first(8)), (Some(3), Some(8)));
    }
}

#[test]
fn where_no_trial_had_an_outcome_no_rule_fires() {
    let heard = heard(6, 2, Cost::uniform(1.0), |_| None);
    assert_eq!(heard.len(), 5);
    for said in heard.iter().flatten() {
        assert!(!said.fired && said.value == f64::INFINITY, "{said:?}");
    }
}

#[test]
fn failures_among_the_trials_change_no_rule_into_a_wrong_number() {
    let count = std::cell::Cell::new(0);
    let outcome = |x: f64| {
        count.set(count.get() + 1);
        (count.get() % 3 != 0).then(|| wave(x))
    };
    let heard = heard(14, 3, Cost::uniform(1.0), outcome);
    assert!(heard.iter().flatten().all(|said| !said.value.is_nan()));
    let last = &heard[heard.len() - 1];
    assert!(last.iter().all(|said| said.value.is_finite()), "{last:?}");
}

#[test]
fn a_table_that_is_used_up_stops_every_rule_on_what_is_left() {
    let mut stage = Stage::new(
        Table::new(["x"], vec![vec![0.0], vec![0.5], vec![1.0]]).unwrap(),
        Direction::Maximize,
        0.3,
    );
    let mut rules = every_rule(1.0, LAMBDA);
    for (i, x) in [0.0, 1.0, 0.5].into_iter().enumerate() {
        stage.tell(&[x], wave(x), 1.0);
        for (column, rule) in rules.iter_mut().enumerate() {
            let said = stage.check(rule);
            assert!(!said.value.is_nan());
            // Windows look back over trials and do not see tables. A mean waits until it has enough
            // values.
            if i == 2 && ![2, 7, 8].contains(&column) {
                // On paths no regret is left.
                let on_paths = [12, 13].contains(&column);
                assert!(
                    said.fired && (on_paths || said.value == f64::NEG_INFINITY),
                    "{}: {said:?}",
                    rule.name()
                );
            }
        }
    }
}

#[test]
fn a_study_says_itself_that_its_table_is_used_up() {
    let (panel, heard) = Panel::new(every_rule(1.0, LAMBDA));
    let table = Table::new(["x"], (0..5).map(|i| vec![f64::from(i)]).collect::<Vec<_>>()).unwrap();
    let mut study = Study::minimize(table).stop(panel).initial(2).build().unwrap();
    for _ in 0..5 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(wave(ask.numbers()[0]))).unwrap();
        study.verdict().unwrap();
    }
    assert!(study.verdict().unwrap().is_stop());
    assert_eq!(heard.lock().unwrap().len(), 3);
}

#[test]
fn trials_told_late_and_in_another_order_are_judged_as_they_stand() {
    let (panel, heard) = Panel::new(every_rule(1.0, LAMBDA));
    let mut study =
        Study::minimize(line()).stop(panel).initial(3).search(Search::new(48, 3)).build().unwrap();
    let mut open = Vec::new();
    for round in 0..9 {
        for _ in 0..2 {
            open.push(study.ask().unwrap());
        }
        // The design comes first, because there is no verdict without it. Then the trial in the
        // middle of those pending is told.
        let ask = open.remove(if round < 3 { 0 } else { open.len() / 2 });
        study.tell(ask.id(), Outcome::new(wave(ask.numbers()[0]))).unwrap();
        study.verdict().unwrap();
    }
    // Several trials are told between two checks.
    for ask in open {
        study.tell(ask.id(), Outcome::new(wave(ask.numbers()[0]))).unwrap();
    }
    study.verdict().unwrap();
    let heard = heard.lock().unwrap();
    assert!(heard.len() >= 5);
    assert!(heard.iter().flatten().all(|said| !said.value.is_nan()));
}

#[test]
fn asked_again_without_news_a_rule_repeats_itself_and_its_history_does_not_grow() {
    let run = |again: bool| {
        let mut rules = every_rule(1.0, LAMBDA);
        rules.push(Box::new(
            GittinsRule::new()
                .form(gittins::stop::Form::LogImprovementPerCost)
                .smoothed(2)
                .debounced(2),
        ));
        let (panel, heard) = Panel::new(rules);
        let policy = || Acquisition::gittins(LAMBDA);
        let mut study = Study::minimize(line())
            .policy(policy())
            .stop(panel)
            .initial(3)
            .search(Search::new(48, 3))
            .build()
            .unwrap();
        let mut lengths = Vec::new();
        for _ in 0..10 {
            let ask = study.ask().unwrap();
            study.tell(ask.id(), Outcome::new(wave(ask.numbers()[0]))).unwrap();
            study.verdict().unwrap();
            study.verdict().unwrap();
            if again {
                study.change_policy(policy()).unwrap();
                study.verdict().unwrap();
            }
            lengths.push(heard.lock().unwrap().len());
        }
        let heard = heard.lock().unwrap();
        // Keeps the last answer after each trial.
        lengths
            .into_iter()
            .filter(|&length| length > 0)
            .map(|length| heard[length - 1].clone())
            .collect::<Vec<_>>()
    };
    let (once, twice) = (run(false), run(true));
    for (t, (once, twice)) in once.iter().zip(&twice).enumerate() {
        for (column, (a, b)) in once.iter().zip(twice).enumerate() {
            assert_eq!(
                (a.value, a.threshold, a.fired),
                (b.value, b.threshold, b.fired),
                "check {t}, rule {column}"
            );
        }
    }
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let refused = |rule: Box<dyn StopRule>, word: &str| {
        let error = Study::minimize(line())
            .stop(rule)
            .build()
            .err()
            .unwrap_or_else(|| panic!("{word} was accepted"));
        assert!(
            matches!(error.kind(), ErrorKind::InvalidSetting | ErrorKind::NonFinite),
            "{error}"
        );
        assert!(error.to_string().contains(word), "{error}");
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Box::new(ConfidenceGapRule::new(bad)), "theta");
        refused(Box::new(ImprovementMedianRule::new().share(bad)), "eta");
        refused(Box::new(RegretGapRule::new().share(bad)), "chi");
        refused(Box::new(GlobalWindowRule::new().fraction(bad)), "fraction");
        refused(Box::new(ThresholdRule::expected_improvement(bad)), "expected improvement");
        refused(Box::new(ThresholdRule::knowledge_gradient(8, bad)), "knowledge gradient");
        refused(
            Box::new(ThresholdRule::probability_of_improvement(bad)),
            "probability of improvement",
        );
        refused(Box::new(ConfidenceGapRule::default().probability(bad)), "probability");
    }
    refused(
        Box::new(ThresholdRule::of(
            Acquisition::Pointwise(Pointwise::ExpectedImprovement),
            f64::NAN,
        )),
        "must be finite",
    );
    refused(
        Box::new(ThresholdRule::of(
            Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: -1.0 }),
            1.0,
        )),
        "beta",
    );
    refused(Box::new(ThresholdRule::knowledge_gradient(1, 0.1)), "fantasies");
    refused(Box::new(ImprovementMedianRule::new().first(0)), "early median");
    refused(Box::new(RegretGapRule::new().first(0)), "early median");
    refused(Box::new(StallRule::new().window(0)), "no new best");
    refused(Box::new(GlobalWindowRule::new().window(0)), "window");
    refused(Box::new(gittins_papers::rules::GittinsBeforeRule::new()), "needs a price");
    refused(Box::new(ConfidenceGapRule::new(0.0).after(3)), "theta");
}
