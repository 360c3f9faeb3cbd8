//! Records: the contents of a row, and that it survives writing and reading.

use gittins::data::Direction;
use gittins::stop::TrialLimit;
use gittins::study::{Origin, Row, Search, Seconds, StudyBuilder, TrialState, Why};
use gittins::{
    Acquisition, Ask, Cost, ErrorKind, GittinsRule, Outcome, Policy, Record, Space, Study, Table,
    Trial,
};

fn square() -> Space {
    Space::new().log_float("rate, of learning", 1e-3, 1.0).int("depth", 2, 9)
}

fn settings() -> StudyBuilder {
    Study::maximize(square())
        .cost(Cost::learned())
        .policy(Acquisition::gittins(1e-2))
        .initial(4)
        .search(Search::new(32, 3))
        .seed(5)
}

fn outcome(values: &[f64]) -> Outcome {
    Outcome::new(-(values[0].ln() + 3.0).powi(2) - 0.1 * (values[1] - 5.0).powi(2))
        .cost(1.0 + values[1])
}

/// A run with every kind of event: a design, suggestions, two pending trials at a time, a failure
/// with its cost and one without, a forbidden point, an import, verdicts now and then, and trials
/// that are never told. The asks are returned as they were made.
fn motley() -> (Study, Vec<Ask>) {
    let mut study = settings().build().unwrap();
    study.import(&[0.02, 7.0], outcome(&[0.02, 7.0])).unwrap();
    for _ in 0..3 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), outcome(ask.numbers())).unwrap();
        study.verdict().unwrap();
    }
    let asks: Vec<Ask> = (0..7).map(|_| study.ask().unwrap()).collect();
    study.tell(asks[2].id(), outcome(asks[2].numbers())).unwrap();
    study.tell(asks[0].id(), Outcome::failed().cost(2.5)).unwrap();
    study.verdict().unwrap();
    study.tell(asks[1].id(), Outcome::failed()).unwrap();
    study.tell_cost(asks[1].id(), 0.25).unwrap();
    study.tell(asks[4].id(), Outcome::infeasible().cost(0.5)).unwrap();
    study.import(&[0.3, 3.0], outcome(&[0.3, 3.0])).unwrap();
    let last = study.ask().unwrap();
    study.tell(last.id(), outcome(last.numbers())).unwrap();
    study.verdict().unwrap();
    let mut suggested = asks;
    suggested.push(last);
    (study, suggested)
}

#[test]
fn a_row_tells_what_was_asked_and_why_and_what_came_of_it() {
    let (mut study, asks) = motley();
    let record = study.record();
    let rows = record.rows();
    assert_eq!(rows.len(), study.history().len());
    for (row, trial) in rows.iter().zip(study.history()) {
        assert_eq!(
            (row.trial, row.origin, row.state),
            (trial.id.index(), trial.origin, trial.state)
        );
        assert_eq!(
            (&row.point.unit, row.point.row, row.outcome, row.cost),
            (&trial.unit, trial.row, trial.outcome, trial.cost)
        );
        assert_eq!(
            row.point.values.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>(),
            trial.values
        );
        assert_eq!(row.direction, Direction::Maximize);
        assert_eq!(row.suggestion.is_some(), row.origin == Origin::Suggested);
        assert_eq!(row.told.is_none(), row.state == TrialState::Pending);
        assert_eq!(row.spent.is_none(), row.state == TrialState::Pending);
        assert_eq!(row.seconds.search > 0.0, row.origin == Origin::Suggested);
    }
    assert_eq!(record.names().collect::<Vec<_>>(), ["rate, of learning", "depth"]);
    // Seven trials were asked for after four had been told, and they were told in another order.
    // The cost of one came after its failure.
    let order: Vec<usize> = record.in_order_of_telling().iter().map(|row| row.trial).collect();
    assert_eq!(order, [0, 1, 2, 3, 6, 4, 5, 8, 11, 12]);
    assert_eq!(
        rows.iter().map(|row| row.seen).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 9, 10]
    );
    assert_eq!((rows[5].told, rows[5].paid, rows[8].told), (Some(6), Some(7), Some(8)));
    // The money counts suggested trials only. The best outcome counts complete trials only.
    let (mut spent, mut best) = (0.0, f64::NEG_INFINITY);
    for row in record.in_order_of_telling() {
        // The cost that came apart counts from the next trial on.
        spent += if row.origin == Origin::Suggested && row.paid.is_none() {
            row.cost.unwrap_or(0.0)
        } else {
            0.0
        };
        spent += if row.told == Some(8) { 0.25 } else { 0.0 };
        best = best.max(row.outcome.unwrap_or(f64::NEG_INFINITY));
        assert_eq!((row.spent, row.best), (Some(spent), Some(best)));
    }
    assert_eq!((spent, Some(best)), (study.spent(), study.best().unwrap().outcome));
    // The record repeats the numbers of each suggestion, and its models.
    for ask in &asks {
        let Why::Suggested(said) = ask.why() else { panic!("{:?}", ask.why()) };
        let noted = rows[ask.id().index()].suggestion.as_ref().unwrap();
        assert_eq!(
            (noted.value, noted.mean, noted.sd, noted.cost),
            (said.value, said.mean, said.sd, Some(said.cost))
        );
        assert_eq!((noted.acquisition.as_str(), noted.lambda), ("Gittins index", Some(1e-2)));
        assert_eq!(
            (noted.provenance.backend.as_str(), noted.provenance.precision.as_str()),
            ("cpu", "f64")
        );
        assert!(noted.outcome_model.as_ref().is_some_and(|model| model.lengthscales.len() == 2));
        assert!(noted.cost_model.as_ref().is_some_and(|model| model.lengthscales.len() == 2));
    }
    // Verdicts and fits belong to the trial that was told last. During the design there was one
    // verdict and no fit.
    let verdict = study.verdict().unwrap();
    let last = rows[12].verdict.as_ref().unwrap();
    assert_eq!(
        (last.rule.as_str(), last.statistic),
        (verdict.reason().rule.as_str(), verdict.reason().statistic)
    );
    assert_eq!((last.threshold, last.fired), (verdict.reason().threshold, verdict.is_stop()));
    assert_eq!(
        rows[1].verdict.as_ref().map(|verdict| (verdict.rule.as_str(), verdict.fired)),
        Some(("initial design", false))
    );
    assert!(rows[0].verdict.is_none() && rows[5].verdict.is_none() && rows[4].verdict.is_some());
    assert!(
        rows[1].seconds.fit == 0.0
            && rows[3].seconds.fit > 0.0
            && rows[12].seconds.fit > 0.0
            && rows[12].seconds.verdict > 0.0
    );
}

fn seconds([fit, search, verdict]: [f64; 3]) -> Seconds {
    let mut seconds = Seconds::default();
    (seconds.fit, seconds.search, seconds.verdict) = (fit, search, verdict);
    seconds
}

/// The record, written and read as JSON, whole and line by line.
fn there_and_back(record: &Record) -> [Record; 2] {
    let whole = serde_json::from_str(&serde_json::to_string(record).unwrap()).unwrap();
    let lines: Vec<String> =
        record.rows().iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    let from_json =
        Record::new(lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect())
            .unwrap();
    [whole, from_json]
}

#[test]
fn a_record_survives_being_written_and_read() {
    let (study, _) = motley();
    let record = study.record();
    for back in there_and_back(&record) {
        assert_eq!(back, record);
    }
    // Numbers that JSON cannot write, rows of a table, wrapped rules and reasons.
    let table = Table::new(["a"], (0..6).map(|i| vec![f64::from(i)]).collect()).unwrap();
    let mut study = Study::minimize(table)
        .policy(Policy::ucb())
        .stop(TrialLimit::new(100))
        .initial(2)
        .build()
        .unwrap();
    while study.history().len() < 6 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), Outcome::new(ask.numbers()[0])).unwrap();
        study.verdict().unwrap();
    }
    let mut rows = study.record().rows().to_vec();
    assert_eq!(rows[5].verdict.as_ref().unwrap().statistic, f64::NEG_INFINITY);
    assert_eq!(rows[0].verdict.as_ref().unwrap().statistic, f64::INFINITY);
    let suggestion = rows[4].suggestion.as_mut().unwrap();
    suggestion.basins.adapter = Some("llvmpipe (\"LLVM\"; 256, bits)".to_owned());
    suggestion.basins.fallback = Some(gittins::backend::Fallback::DeviceLost);
    rows[5].seconds = seconds([1.5e-300, 0.1 + 0.2, 0.0]);
    let record = Record::new(rows).unwrap();
    for back in there_and_back(&record) {
        assert_eq!(back, record);
    }
    let empty = Record::new(Vec::new()).unwrap();
    assert_eq!(serde_json::to_string(&empty).unwrap(), r#"{"rows":[]}"#);
    assert_eq!(serde_json::from_str::<Record>(r#"{"rows":[]}"#).unwrap(), empty);
    assert!(empty.rows().is_empty() && empty.direction().is_none());
}

/// Others read lines and cells: their fields have names and an order that stay.
#[test]
fn a_row_is_written_as_it_was_read() {
    let line = concat!(
        r#"{"trial":0,"direction":"minimize","origin":"suggested","state":"complete","#,
        r#""values":{"b":2,"a":0.5},"unit":[0.25,0.75],"row":3,"seen":0,"told":0,"paid":1,"#,
        r#""outcome":"-inf","cost":1.5,"spent":1.5,"best":"-inf","#,
        r#""suggestion":{"acquisition":"UCB","lambda":0.5,"value":1.5,"mean":2.0,"sd":0.125,"#,
        r#""cost":1.0,"outcome_model":{"lengthscales":[0.5,"inf"],"outputscale":1.0,"noise":0.25,"#,
        r#""mean":0.0},"random_restart":0.5,"basins":{"backend":"gpu","adapter":"one","precision":"f32"},"#,
        r#""provenance":{"backend":"cpu","precision":"f64","fallback":"no_adapter"},"#,
        r#""runners_up":[[0.5,0.5]]},"verdict":{"rule":"r","statistic":1.0,"threshold":0.0,"#,
        r#""fired":false},"seconds":{"fit":1.0,"search":0.5,"verdict":0.25}}"#
    );
    let row: Row = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&row).unwrap(), line);
    let record = Record::new(vec![row]).unwrap();
    let [columns, cells] = [record.columns(), record.cells().next().unwrap()];
    assert_eq!(
        columns.join("|").replace("suggestion.", "*"),
        "trial|direction|origin|state|value.b|value.a|unit.b|unit.a|row|seen|told|paid|outcome|\
         cost|spent|best|*acquisition|*lambda|*value|*mean|*sd|*cost|*random_restart|\
         *outcome_model.outputscale|*outcome_model.noise|*outcome_model.mean|\
         *outcome_model.lengthscale.b|*outcome_model.lengthscale.a|*cost_model.outputscale|\
         *cost_model.noise|*cost_model.mean|*cost_model.lengthscale.b|*cost_model.lengthscale.a|\
         *basins.backend|*basins.adapter|*basins.precision|*basins.fallback|*provenance.backend|\
         *provenance.adapter|*provenance.precision|*provenance.fallback|*runners_up|verdict.rule|\
         verdict.statistic|verdict.threshold|verdict.fired|verdict.gain|verdict.price|seconds.fit|\
         seconds.search|seconds.verdict"
    );
    assert_eq!(
        cells.join("|"),
        "0|minimize|suggested|complete|2|0.5|0.25|0.75|3|0|0|1|-inf|1.5|1.5|-inf|UCB|0.5|1.5|2.0|\
         0.125|1.0|0.5|1.0|0.25|0.0|0.5|inf||||||gpu|one|f32||cpu||f64|no_adapter|0.5 0.5|r|1.0|\
         0.0|false|||1.0|0.5|0.25"
    );
}

/// JSON has no infinities. The record of a run writes them as words, wherever a number may be
/// infinite.
#[test]
fn infinities_survive_being_written_and_read() {
    for number in
        [f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -f64::MIN_POSITIVE, 5e-324, -0.0, f64::NAN]
    {
        let mut rows = motley().0.record().rows().to_vec();
        for row in &mut rows {
            row.point.unit.fill(number);
            for field in [&mut row.outcome, &mut row.cost, &mut row.spent, &mut row.best] {
                for field in field.iter_mut() {
                    *field = number;
                }
            }
            if let Some(suggestion) = &mut row.suggestion {
                (suggestion.value, suggestion.mean, suggestion.sd) = (number, number, number);
                (suggestion.lambda, suggestion.cost) = (Some(number), Some(number));
                for model in [&mut suggestion.outcome_model, &mut suggestion.cost_model]
                    .into_iter()
                    .flatten()
                {
                    model.lengthscales.fill(number);
                    (model.outputscale, model.noise, model.mean) = (number, number, number);
                }
            }
            if let Some(verdict) = &mut row.verdict {
                (verdict.statistic, verdict.threshold) = (number, number);
            }
            row.seconds = seconds([number; 3]);
        }
        let record = Record::new(rows).unwrap();
        // The test compares the texts, because NaN is not equal to itself, and zeros of both signs
        // are equal.
        for back in there_and_back(&record) {
            assert_eq!(format!("{back:?}"), format!("{record:?}"));
        }
    }
    let refused = serde_json::from_str::<Row>(
        r#"{"trial": 0, "direction": "minimize", "origin": "initial", "state": "complete", "values": {"b": 2}, "unit": ["two"], "outcome": 3}"#,
    );
    assert!(refused.unwrap_err().to_string().contains("expected a number, got \"two\""));
}

/// A record that is read is checked like one that is made.
#[test]
fn a_record_of_json_that_makes_no_run_is_refused() {
    let mut rows = motley().0.record().rows().to_vec();
    rows.swap(3, 4);
    let text = format!(r#"{{"rows":{}}}"#, serde_json::to_string(&rows).unwrap());
    let refused = serde_json::from_str::<Record>(&text).unwrap_err().to_string();
    let expected = Record::new(rows).unwrap_err().to_string();
    assert!(refused.contains(&expected), "{refused}, not {expected}");
}

/// Trials, states and origins by themselves.
#[test]
fn a_trial_survives_being_written_and_read() {
    for trial in motley().0.history() {
        let text = serde_json::to_string(trial).unwrap();
        assert_eq!(serde_json::from_str::<Trial>(&text).unwrap(), *trial, "{text}");
    }
    for state in TrialState::ALL {
        assert_eq!(serde_json::to_string(&state).unwrap(), format!("\"{state}\""));
        assert_eq!(state.to_string().parse::<TrialState>().unwrap(), state);
    }
    for origin in Origin::ALL {
        assert_eq!(serde_json::to_string(&origin).unwrap(), format!("\"{origin}\""));
        assert_eq!(origin.to_string().parse::<Origin>().unwrap(), origin);
    }
    let error = "done".parse::<TrialState>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert_eq!(
        error.to_string(),
        "no state of a trial is named \"done\"; there are pending, complete, failed, infeasible, withdrawn, paused, abandoned"
    );
}

#[test]
fn a_row_of_json_needs_little() {
    let line = r#"{"trial": 0, "direction": "minimize", "origin": "initial", "state": "complete", "values": {"b": 2, "a": 1e-3},
                   "unit": [0.5, 0.25], "told": 0, "outcome": 3, "cost": 1.5, "note": "mine"}"#;
    let row: Row = serde_json::from_str(line).unwrap();
    assert_eq!(row.point.values, [("b".to_owned(), 2.into()), ("a".to_owned(), 1e-3.into())]);
    assert_eq!((row.outcome, row.cost, row.seen), (Some(3.0), Some(1.5), 0));
    assert!(Record::new(vec![row]).is_ok());
}

#[test]
fn rows_that_make_no_run_are_named() {
    let (study, _) = motley();
    let spoiled = |spoil: &dyn Fn(&mut Vec<Row>)| {
        let mut rows = study.record().rows().to_vec();
        spoil(&mut rows);
        Record::new(rows).unwrap_err()
    };
    for (error, kind, says) in [
        (
            spoiled(&|rows| rows.swap(3, 4)),
            ErrorKind::UnknownTrial,
            "trial 3 of the record: trials are numbered from 0 in order, got number 4",
        ),
        (
            spoiled(&|rows| rows[2].direction = Direction::Minimize),
            ErrorKind::InvalidSetting,
            "trial 2 of the record: to minimize",
        ),
        (
            spoiled(&|rows| rows[2].point.values[1].0 = "width".to_owned()),
            ErrorKind::UnknownParameter,
            "width",
        ),
        (
            spoiled(&|rows| rows[2].point.unit.truncate(1)),
            ErrorKind::Dimension,
            "a point of 1 coordinates, while that of trial 0 has 2",
        ),
        (
            spoiled(&|rows| rows[2].told = None),
            ErrorKind::InvalidSetting,
            "it is complete, but has no place in the order of telling",
        ),
        (
            spoiled(&|rows| rows[7].told = Some(3)),
            ErrorKind::InvalidSetting,
            "trial 7 of the record: it is pending",
        ),
        (
            spoiled(&|rows| rows[2].told = Some(1)),
            ErrorKind::InvalidSetting,
            "trial 2 of the record: told as number 1",
        ),
        (
            spoiled(&|rows| rows[12].told = Some(11)),
            ErrorKind::InvalidSetting,
            "told as number 11, from 0, of 11",
        ),
        (
            spoiled(&|rows| rows[5].paid = Some(6)),
            ErrorKind::InvalidSetting,
            "trial 5 of the record: told as number 6",
        ),
        (
            spoiled(&|rows| rows[5].cost = None),
            ErrorKind::InvalidSetting,
            "its cost was told apart from its outcome, and is not there",
        ),
        (
            spoiled(&|rows| rows[5].seen = 3),
            ErrorKind::InvalidSetting,
            "asked for when 3 had been told, after one asked for when 4",
        ),
        (
            spoiled(&|rows| rows[4].seen = 6),
            ErrorKind::InvalidSetting,
            "when 6 had been told before it",
        ),
    ] {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}, not {says}");
    }
}

#[test]
fn a_later_verdict_takes_the_place_of_an_earlier_one() {
    let mut study = settings().stop(GittinsRule::priced(1e-2)).build().unwrap();
    for _ in 0..5 {
        let ask = study.ask().unwrap();
        study.tell(ask.id(), outcome(ask.numbers())).unwrap();
    }
    let first = study.verdict().unwrap();
    study.change_policy(Acquisition::gittins(10.0)).unwrap();
    let second = study.verdict().unwrap();
    assert_eq!(first, second, "a rule with a price of its own");
    let noted = study.record().rows()[4].verdict.clone().unwrap();
    assert_eq!(noted.statistic, second.reason().statistic);
}
