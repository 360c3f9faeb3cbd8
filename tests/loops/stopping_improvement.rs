//! Rules on the promised improvement: the early median, fixed thresholds, the index before the
//! update, trailing means.

use std::sync::{Arc, Mutex};

use gittins::stop::{Form, Statistic, Steadying, ThresholdRule};
use gittins::study::{StudyBuilder, Why};
use gittins::suggest::Incumbent;
use gittins::{
    Acquisition, Cost, CostForm, GittinsRule, Outcome, Pointwise, StopRule, Study, Table, Verdict,
};
use gittins_papers::rules::{GittinsBeforeRule, ImprovementMedianRule};

use crate::support::panel::Panel;
use crate::support::tolerance::{LOG_OF_NORMAL, SAME_BY_HAND, assert_within};

fn wave(x: f64) -> f64 {
    (7.0 * x).sin() + 0.5 * x
}

fn price(values: &[f64]) -> f64 {
    0.5 + values[0]
}

fn table() -> Table {
    Table::new(["x"], (0..200).map(|i| vec![f64::from(i) / 199.0]).collect::<Vec<_>>()).unwrap()
}

fn costs() -> [Cost; 3] {
    [Cost::uniform(2.0), Cost::known(price), Cost::learned()]
}

/// The answers of the rules in one run, in rows, from the end of the design on.
fn heard(
    builder: StudyBuilder,
    rules: Vec<Box<dyn StopRule>>,
    trials: usize,
) -> Vec<Vec<Statistic>> {
    let (panel, heard) = Panel::new(rules);
    let mut study = builder.stop(panel).initial(3).seed(4).build().unwrap();
    run(&mut study, trials);
    let heard: Arc<Mutex<_>> = heard;
    let said = heard.lock().unwrap();
    said.clone()
}

fn run(study: &mut Study, trials: usize) -> Vec<Verdict> {
    let step = |_| {
        let ask = study.ask().unwrap();
        let x = ask.numbers()[0];
        study.tell(ask.id(), Outcome::new(wave(x)).cost(price(&[x]))).unwrap();
        study.verdict().unwrap()
    };
    (0..trials).map(step).collect()
}

fn log_eipc() -> Acquisition {
    Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
        exponent: 1.0,
        form: CostForm::Expected,
    })
}

#[test]
fn the_improvement_is_compared_with_the_median_of_its_first_values() {
    for cost in costs() {
        let rules: Vec<Box<dyn StopRule>> = vec![
            Box::new(ImprovementMedianRule::new().first(4).share(1e-3)),
            Box::new(ThresholdRule::of(log_eipc(), 0.0)),
        ];
        let heard = heard(
            Study::minimize(table()).cost(cost).policy(Acquisition::gittins(1e-3)),
            rules,
            20,
        );
        let values: Vec<f64> = heard.iter().map(|row| row[1].value).collect();
        let mut early = values[..4].to_vec();
        early.sort_by(f64::total_cmp);
        let threshold = 1e-3f64.ln() + 0.5 * (early[1] + early[2]);
        for (t, row) in heard.iter().enumerate() {
            assert_eq!(row[0].value, values[t]);
            let expected = if t < 4 { f64::NEG_INFINITY } else { threshold };
            assert!(
                row[0].threshold == expected
                    || (row[0].threshold - expected).abs() < 4.0 * f64::EPSILON * expected.abs()
            );
            assert_eq!(row[0].fired, values[t] <= expected);
        }
        let fired: Vec<bool> = heard.iter().map(|row| row[0].fired).collect();
        assert!(fired.contains(&true) && fired[4..].contains(&false), "{fired:?}");
    }
}

#[test]
fn thresholds_are_those_of_the_best_value_left() {
    for cost in costs() {
        let rules: Vec<Box<dyn StopRule>> = vec![
            Box::new(ThresholdRule::expected_improvement(0.01)),
            Box::new(ThresholdRule::of(
                Acquisition::Pointwise(Pointwise::ExpectedImprovement),
                0.01,
            )),
            Box::new(ThresholdRule::probability_of_improvement(0.05)),
            Box::new(ThresholdRule::of(
                Acquisition::Pointwise(Pointwise::ProbabilityOfImprovement),
                0.05,
            )),
        ];
        let heard = heard(
            Study::maximize(table())
                .cost(cost)
                .policy(Acquisition::Pointwise(Pointwise::LogExpectedImprovement)),
            rules,
            14,
        );
        let mut fired = [[false; 2]; 4];
        for row in &heard {
            for pair in row.chunks(2) {
                let scale = pair[1].value.max(f64::MIN_POSITIVE) * (1.0 + pair[1].value.ln().abs());
                assert_within(
                    "the exponential of the logarithm",
                    pair[0].value,
                    pair[1].value,
                    40.0 * LOG_OF_NORMAL * scale,
                );
                assert_eq!(pair[0].fired, pair[0].value <= pair[0].threshold);
                assert_eq!(pair[0].fired, pair[1].fired);
            }
            row.iter()
                .zip(&mut fired)
                .for_each(|(said, fired)| fired[usize::from(said.fired)] = true);
        }
        assert_eq!(fired, [[true; 2]; 4]);
    }
}

#[test]
fn the_improvement_per_cost_is_one_statistic_in_three_forms() {
    for cost in costs() {
        let of = |form| Box::new(GittinsRule::new().form(form)) as Box<dyn StopRule>;
        let mut rules = [Form::Index, Form::LogImprovementPerCost, Form::ImprovementPerCost]
            .map(of)
            .into_iter()
            .collect::<Vec<_>>();
        rules.push(Box::new(GittinsRule::new().form(Form::ImprovementPerCost).smoothed(3)));
        let lambda = 1e-2;
        let heard = heard(
            Study::minimize(table()).cost(cost).policy(Acquisition::gittins(lambda)),
            rules,
            14,
        );
        for (t, row) in heard.iter().enumerate() {
            assert!(row[0].fired == row[1].fired && row[0].fired == row[2].fired, "{row:?}");
            assert_within(
                "per cost",
                row[2].value,
                lambda * row[1].value.exp(),
                1e-12 * row[2].value,
            );
            assert_eq!(row[2].threshold, lambda);
            if t >= 2 {
                let mean = heard[t - 2..=t].iter().map(|row| row[2].value).sum::<f64>() / 3.0;
                assert_within("the trailing mean", row[3].value, mean, 1e-15 * mean);
                assert_eq!(row[3].fired, row[3].value <= lambda);
            } else {
                assert!(!row[3].fired);
            }
        }
        let fired = |column: usize| heard.iter().map(|row| row[column].fired).collect::<Vec<_>>();
        assert!(
            fired(0).contains(&true) && fired(0).contains(&false) && fired(3).contains(&true),
            "{:?}",
            fired(3)
        );
    }
}

#[test]
fn before_the_update_the_index_is_that_of_the_trial_that_was_told() {
    let lambda = 1e-3;
    for cost in costs() {
        let mut study = Study::maximize(table())
            .cost(cost)
            .policy(Acquisition::gittins(lambda))
            .stop(GittinsBeforeRule::new())
            .initial(3)
            .incumbent(Incumbent::BestOutcome)
            .seed(4)
            .build()
            .unwrap();
        let first = run(&mut study, 3).pop().unwrap();
        assert_eq!(first.reason().statistic, f64::INFINITY);
        let mut stops = Vec::new();
        for _ in 0..12 {
            let ask = study.ask().unwrap();
            let Why::Suggested(suggestion) = ask.why().clone() else { panic!("{}", ask.why()) };
            let x = ask.numbers()[0];
            study.tell(ask.id(), Outcome::new(wave(x)).cost(price(&[x]))).unwrap();
            let verdict = study.verdict().unwrap();
            let expected = suggestion.value - study.best().unwrap().outcome.unwrap();
            assert_within("statistic", verdict.reason().statistic, expected, SAME_BY_HAND);
            stops.push(verdict.is_stop());
        }
        assert!(stops.contains(&true) && stops.contains(&false), "{stops:?}");
        // At another price the index from before says nothing.
        study.change_policy(Acquisition::gittins(2.0 * lambda)).unwrap();
        assert_eq!(study.verdict().unwrap().reason().statistic, f64::INFINITY);
    }
}
