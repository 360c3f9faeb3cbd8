//! Records to draw.

use gittins::backend::Choice;
use gittins::study::{Limit, Objective, Recommendation, Row};
use gittins::{
    Acquisition, Ask, BackendOptions, Cost, Outcome, Record, Space, Study, Trial, study,
};
use serde_json::{Value, json};

/// A study that was run.
pub struct Run {
    pub space: Space,
    pub record: Record,
    pub words: String,
    pub recommendation: Option<Recommendation>,
    pub front: Vec<Trial>,
}

/// Twenty trials of a process that has a price.
pub fn process() -> Run {
    let space = Space::new().float("temperature", 20.0, 100.0).log_float("pressure", 0.5, 50.0);
    let waste = |ask: &Ask| {
        let [temperature, pressure] = [ask.numbers()[0], ask.numbers()[1]];
        ((temperature - 71.0) / 20.0).powi(2) + (pressure / 3.0_f64).ln().powi(2)
    };
    let builder = Study::minimize(space.clone())
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-3))
        .seed(7);
    run(space, builder, 20, |ask| {
        Outcome::new(waste(ask)).cost(1.0 + 0.05 * ask.numbers()[0] + 0.2 * ask.numbers()[1])
    })
}

/// A space of names and numbers, with failures.
pub fn bread() -> Run {
    let space = Space::new()
        .float("rye", 0.0, 1.0)
        .float("water", 0.5, 1.0)
        .choice("leaven", ["yeast", "sourdough", "a mixture of both and a spoon of honey"])
        .float("hours", 2.0, 24.0)
        .when("leaven", ["sourdough"])
        .flag("steam")
        .ordinal("flour", ["fine", "medium", "coarse"])
        .log_int("loaves", 1, 64)
        .steps("oven", 180.0, 280.0, 5.0);
    let builder = Study::maximize(space.clone()).policy(Acquisition::gittins(0.02)).seed(7);
    run(space, builder, 40, |ask| {
        let (rye, water) = (ask.numbers()[0], ask.numbers()[1]);
        if water > 0.75 + 0.2 * rye {
            return Outcome::failed();
        }
        if rye > 0.9 {
            return Outcome::infeasible();
        }
        let hours: Option<f64> = ask.get("hours").unwrap();
        let rise = hours.map_or(0.9 - 0.8 * rye, |hours| {
            (1.0 - 0.3 * rye) * (-((hours - 14.0) / 12.0).powi(2)).exp()
        });
        Outcome::new(10.0 * rise - 60.0 * (water - 0.62).powi(2))
    })
}

/// The limit of `limited`.
pub const SIZE: (&str, Limit) = ("size", Limit::AtLeast(0.5));

/// Trials of which the better ones break a limit.
pub fn limited() -> Run {
    let space = Space::new().float("x", 0.0, 1.0);
    let builder = Study::minimize(space.clone()).limit(SIZE.0, SIZE.1).seed(7);
    run(space, builder, 12, |ask| {
        let x = ask.numbers()[0];
        Outcome::new(x).measured(SIZE.0, x)
    })
}

/// Trials with two objectives, whose front lies between 0.3 and 0.6.
pub fn fronted() -> Run {
    let space = Space::new().float("x", 0.0, 1.0);
    let builder = Study::minimize(space.clone())
        .reference(1.0)
        .objective("late", Objective::minimize().reference(1.0))
        .seed(7);
    run(space, builder, 12, |ask| {
        let x = ask.numbers()[0];
        Outcome::new((x - 0.3).powi(2)).measured("late", (x - 0.6).powi(2))
    })
}

fn run(
    space: Space,
    builder: study::StudyBuilder,
    trials: usize,
    came: impl Fn(&Ask) -> Outcome,
) -> Run {
    let backend = BackendOptions { choice: Choice::Cpu, ..BackendOptions::default() }.open();
    let mut study = builder.backend(backend).build().unwrap();
    let mut words = String::new();
    for _ in 0..trials {
        let ask = study.ask().unwrap();
        let outcome = came(&ask);
        study.tell(ask.id(), outcome).unwrap();
        let verdict = study.verdict().unwrap();
        words = verdict.reason().to_string();
    }
    let recommendation = study.recommendation().unwrap();
    let front = study.front().unwrap();
    Run { space, record: study.record(), words, recommendation, front }
}

/// A record without a trial.
pub fn empty() -> Record {
    Record::new(Vec::new()).unwrap()
}

/// A trial of a record that no study made: its values, its outcome and its cost.
pub struct Made {
    pub values: Vec<(String, Value)>,
    pub state: &'static str,
    pub outcome: Value,
    pub cost: Value,
    /// Mean, standard deviation and cost that were predicted.
    pub predicted: Option<[Value; 3]>,
    /// Statistic and threshold.
    pub verdict: Option<[Value; 2]>,
}

impl Made {
    /// A complete trial.
    pub fn new(values: Vec<(String, Value)>, outcome: Value) -> Self {
        let state = "complete";
        Self { values, state, outcome, cost: Value::Null, predicted: None, verdict: None }
    }
}

/// A record of such trials, told in their order.
pub fn record(direction: &str, trials: Vec<Made>) -> Record {
    let rows = trials.into_iter().enumerate().map(|(trial, made)| {
        let names: Vec<Value> =
            made.values.iter().map(|(name, value)| json!([name, value])).collect();
        let values: serde_json::Map<String, Value> = made.values.into_iter().collect();
        assert_eq!(names.len(), values.len());
        let suggestion = made.predicted.map(|[mean, sd, cost]| {
            let made = json!({ "backend": "cpu", "precision": "f64" });
            json!({
                "acquisition": "gittins", "value": 0.0, "mean": mean, "sd": sd, "cost": cost,
                "basins": made, "provenance": made,
            })
        });
        let verdict = made.verdict.map(|[statistic, threshold]| {
            json!({ "rule": "gittins", "statistic": statistic, "threshold": threshold, "fired": false })
        });
        let mut row = json!({
            "trial": trial, "direction": direction, "state": made.state, "values": values,
            "origin": if suggestion.is_some() { "suggested" } else { "initial" },
            "unit": [], "seen": trial, "told": trial, "outcome": made.outcome, "cost": made.cost,
            "suggestion": suggestion, "verdict": verdict,
        });
        if let Some(row) = row.as_object_mut() {
            row.retain(|_, value| !value.is_null());
        }
        serde_json::from_value::<Row>(row).unwrap()
    });
    Record::new(rows.collect()).unwrap()
}
