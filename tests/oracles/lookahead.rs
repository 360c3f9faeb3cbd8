//! Trees of fantasies against an implementation in numpy, and along two small posteriors.

use gittins::acquisition::FantasyTree;
use gittins::{Acquisition, Backend, Cpu, Job, JobCost, Points, Scores};
use serde_json::Value;

use crate::support::budgeted::{Problem, problem};
use crate::support::golden::{number, numbers, table};
use crate::support::tolerance::assert_within;
use crate::support::tolerance::lookahead::{GRADIENT_OF_TREE, VALUE_OF_TREE};

fn evaluate(job: &Job<'_>, points: &Points) -> Scores {
    let mut scores = Scores::default();
    Cpu.evaluate(job, points, &mut scores).unwrap();
    scores
}

fn tree(row: &Value) -> FantasyTree {
    let level = |(outcome, log_cost): (&Value, &Value)| {
        numbers(outcome).into_iter().zip(numbers(log_cost)).map(|(a, b)| [a, b]).collect::<Vec<_>>()
    };
    let outcomes = row["base_objective"].as_array().unwrap();
    let levels: Vec<_> =
        outcomes.iter().zip(row["base_logcost"].as_array().unwrap()).map(level).collect();
    FantasyTree::with_samples(&levels).unwrap()
}

fn points_of(row: &Value) -> Vec<f64> {
    row["points"].as_array().unwrap().iter().flat_map(numbers).collect()
}

#[test]
fn trees_have_the_values_and_gradients_of_the_table() {
    let Problem { outcome, log_cost, best, .. } = problem();
    let table = table("lookahead");
    let rows = table["trees"].as_array().unwrap();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let tree = tree(row);
        let parents: Vec<f64> = (0..tree.nodes())
            .map(|node| tree.parent(node).map_or(-1.0, |parent| parent as f64))
            .collect();
        assert_eq!(parents, numbers(&row["parents"]), "{}", row["name"]);
        let samples: Vec<f64> = (1..tree.nodes()).map(|node| tree.sample(node) as f64).collect();
        assert_eq!(samples, numbers(&row["sample_index"])[1..], "{}", row["name"]);
        let acquisition =
            Acquisition::multi_step_improvement(tree.clone(), Some(number(&row["budget"])));
        let cost = JobCost::Learned(&log_cost);
        let job = Job::new(&outcome, cost, &acquisition, best).gradient(true);
        let points = Points::from_rows(2 * tree.nodes(), points_of(row)).unwrap();
        let scores = evaluate(&job, &points);
        let what = format!("{} with {}", row["name"], row["budget"]);
        assert_within(&what, scores.value[0], number(&row["value"]), VALUE_OF_TREE);
        let shares: f64 = numbers(&row["node_q1"])
            .iter()
            .enumerate()
            .map(|(node, q1)| tree.weight(node) * q1)
            .sum();
        assert_within(&what, scores.value[0], shares, VALUE_OF_TREE);
        for (k, (got, expected)) in scores
            .gradient
            .iter()
            .zip(row["gradient"].as_array().unwrap().iter().flat_map(numbers))
            .enumerate()
        {
            assert_within(format!("{what}, coordinate {k}"), *got, expected, GRADIENT_OF_TREE);
        }
    }
}
