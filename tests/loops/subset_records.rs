//! Records of studies of control sets: what a row tells, that it survives being written and read,
//! and that a study goes on from it.

use gittins::data::Direction;
use gittins::study::TrialState;
use gittins::subsets::{Plays, SubsetAsk, SubsetRecord, SubsetRow, SubsetWhy};
use gittins::{ErrorKind, Outcome, SubsetPolicy, SubsetStudy};

use super::subsets::study;
use crate::properties::subset_studies::{harvest, nature, policies};
use crate::support::tolerance::{assert_within, subsets as allowed};

fn full(ask: &SubsetAsk) -> Vec<f64> {
    ask.completed(&nature(ask.id().index()))
}

fn tell(study: &mut SubsetStudy, ask: &SubsetAsk) {
    study.tell(ask.id(), &full(ask), Outcome::new(harvest(&full(ask)))).unwrap();
}

/// A run with everything in it: imports, a design, decisions, several under way, failures, costs
/// that differ, a forbidden point, verdicts now and then, and trials never told. The suggestions
/// come back as they were made.
fn motley(study: &mut SubsetStudy) -> Vec<SubsetAsk> {
    study.import(&nature(40), Outcome::new(harvest(&nature(40))).cost(7.0)).unwrap();
    study.import(&nature(41), Outcome::failed()).unwrap();
    for _ in 0..2 {
        let ask = study.ask().unwrap();
        tell(study, &ask);
        study.verdict().unwrap();
    }
    let asks: Vec<SubsetAsk> = (0..5).map(|_| study.ask().unwrap()).collect();
    tell(study, &asks[2]);
    study.tell(asks[0].id(), &full(&asks[0]), Outcome::failed().cost(0.25)).unwrap();
    study.verdict().unwrap();
    study.tell(asks[3].id(), &full(&asks[3]), Outcome::infeasible()).unwrap();
    let last = study.ask().unwrap();
    let outcome = Outcome::new(harvest(&full(&last))).cost(0.75);
    study.tell(last.id(), &full(&last), outcome).unwrap();
    study.verdict().unwrap();
    let mut suggested = asks;
    suggested.push(last);
    suggested
}

/// Mistakes found at once and late, trials lost and found again.
fn mistakes(study: &mut SubsetStudy) {
    let design: Vec<SubsetAsk> = (0..3).map(|_| study.ask().unwrap()).collect();
    let import = study.import(&nature(30), Outcome::new(1e6)).unwrap();
    study.withdraw(design[1].id()).unwrap();
    tell(study, &design[0]);
    study.withdraw(import).unwrap();
    tell(study, &design[2]);
    study.tell(import, &nature(31), Outcome::new(0.5).cost(2.0)).unwrap();
    study.verdict().unwrap();
    for round in 0..3 {
        let [early, wrong, lost] = [(); 3].map(|()| study.ask().unwrap());
        study.tell(wrong.id(), &full(&wrong), Outcome::new(1e5).cost(9.0)).unwrap();
        study.verdict().unwrap();
        study.withdraw(lost.id()).unwrap();
        let between = study.ask().unwrap();
        tell(study, &early);
        study.verdict().unwrap();
        let right = Outcome::new(harvest(&full(&wrong))).cost(0.5);
        match round {
            0 => study.correct(wrong.id(), right).unwrap(),
            1 => study.withdraw(wrong.id()).unwrap(),
            _ => study.correct(wrong.id(), Outcome::failed()).unwrap(),
        }
        tell(study, &between);
        study.verdict().unwrap();
        if round == 0 {
            tell(study, &lost);
        }
    }
    tell(study, &design[1]);
    // With the models as they are after all that.
    study.ask().unwrap();
}

#[test]
fn a_row_tells_what_was_asked_and_why_and_what_came_of_it() {
    for policy in policies() {
        let mut study = study(policy).budget(50.0).initial(3).build().unwrap();
        let asks = motley(&mut study);
        let record = study.record();
        let rows = record.rows();
        assert_eq!(rows.len(), study.history().len());
        assert_eq!(record.direction(), Some(Direction::Maximize));
        assert_eq!(record.names().collect::<Vec<_>>(), ["lime", "seed", "rain"]);
        for (row, trial) in rows.iter().zip(study.history()) {
            assert_eq!((row.trial, row.origin), (trial.id.index(), trial.origin));
            assert_eq!(
                (row.state, row.outcome, row.cost),
                (trial.state, trial.outcome, trial.cost)
            );
            let set = trial.set.map(|set| &study.sets().sets()[set]);
            assert_eq!(row.point.set.as_ref(), set.map(|set| &set.name));
            assert_eq!(row.point.price, set.map(|set| set.cost));
            let controlled: Vec<&str> = set.map_or(Vec::new(), |set| {
                set.controlled.iter().map(|&k| ["lime", "seed", "rain"][k]).collect()
            });
            assert!(row.point.chosen.iter().map(|(name, _)| name.as_str()).eq(controlled));
            assert!(row.point.chosen.iter().map(|(_, value)| value).eq(&trial.chosen));
            assert_eq!(row.point.query, trial.query);
            let point: Option<Vec<f64>> =
                row.point.values.iter().map(|(_, value)| *value).collect();
            assert_eq!(point, trial.values);
            let is_told = row.state != TrialState::Pending;
            assert_eq!((row.told.is_some(), row.spent.is_some()), (is_told, is_told));
        }
        let seen: Vec<usize> = rows.iter().map(|row| row.seen).collect();
        assert_eq!(seen, [0, 1, 2, 3, 4, 4, 4, 4, 4, 7]);
        let order: Vec<usize> = record.in_order_of_telling().iter().map(|row| row.trial).collect();
        assert_eq!(order, [0, 1, 2, 3, 6, 4, 7, 9]);
        // What the decision said, and the model behind it.
        for ask in &asks {
            let row = &rows[ask.id().index()];
            match (ask.why(), &row.suggestion) {
                (SubsetWhy::Chosen(said), Some(noted)) => {
                    assert_eq!(
                        (noted.value, &noted.values, noted.exploring),
                        (said.value(), &said.values, said.exploring)
                    );
                    assert!(said.to_string().contains(&noted.score), "{said}");
                    assert!(noted.ends[ask.set_index()].len() == row.point.query.len());
                    let model = noted.outcome_model.as_ref().unwrap();
                    assert_eq!(model.lengthscales.len(), 3);
                    assert!(row.seconds.search > 0.0);
                }
                (SubsetWhy::Initial { .. }, None) => assert_eq!(row.seconds.search, 0.0),
                other => panic!("{other:?}"),
            }
        }
        // The money when it was told: those under way at the prices of their sets.
        let prices: Vec<f64> = asks[..5].iter().map(SubsetAsk::cost).collect();
        assert_eq!(
            (rows[0].spent, rows[2].spent, rows[3].spent),
            (Some(0.0), Some(0.2), Some(0.4))
        );
        let under_way = 0.4 + prices.iter().sum::<f64>();
        assert_within("under way", rows[6].spent.unwrap(), under_way, allowed::MONEY * under_way);
        assert_eq!(rows[9].spent, Some(study.spent()));
        let best = rows.iter().filter_map(|row| row.outcome).fold(0.0, f64::max);
        assert_eq!((rows[9].best, study.best().unwrap().outcome), (Some(best), Some(best)));
        // Verdicts belong to the trial that was told last.
        let verdict = study.verdict().unwrap();
        let noted = rows[9].verdict.as_ref().unwrap();
        assert_eq!(noted.statistic, verdict.reason().statistic);
        assert_eq!((noted.rule.as_str(), noted.fired), ("budget", false));
        let judged: Vec<usize> =
            rows.iter().filter(|row| row.verdict.is_some()).map(|row| row.trial).collect();
        assert_eq!(judged, [2, 3, 4, 9]);
    }
}

/// The record through JSON, through JSON lines, and through CSV.
fn there_and_back(record: &SubsetRecord) -> [SubsetRecord; 3] {
    let whole = serde_json::from_str(&serde_json::to_string(record).unwrap()).unwrap();
    let lines = record.rows().iter().map(|row| serde_json::to_string(row).unwrap());
    let rows = lines.map(|line| serde_json::from_str(&line).unwrap());
    let from_lines = SubsetRecord::new(rows.collect()).unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(record.columns()).unwrap();
    record.cells().for_each(|cells| writer.write_record(cells).unwrap());
    let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let cells: Vec<Vec<String>> =
        reader.records().map(|line| line.unwrap().iter().map(str::to_owned).collect()).collect();
    [whole, from_lines, SubsetRecord::from_cells(&header, cells).unwrap()]
}

#[test]
fn a_record_survives_being_written_and_read() {
    for policy in policies() {
        for run in [|study: &mut SubsetStudy| drop(motley(study)), mistakes] {
            let mut study = study(policy.clone()).budget(50.0).initial(3).build().unwrap();
            run(&mut study);
            let record = study.record();
            for back in there_and_back(&record) {
                assert_eq!(back, record);
            }
            for trial in study.history() {
                let text = serde_json::to_string(trial).unwrap();
                assert_eq!(
                    serde_json::from_str::<gittins::subsets::SubsetTrial>(&text).unwrap(),
                    *trial
                );
            }
        }
    }
    let empty = study(SubsetPolicy::default()).build().unwrap().record();
    assert_eq!(serde_json::to_string(&empty).unwrap(), r#"{"rows":[]}"#);
    assert_eq!(serde_json::from_str::<SubsetRecord>(r#"{"rows":[]}"#).unwrap(), empty);
}

/// Others read lines and cells: their fields have names and an order that stay.
#[test]
fn a_row_is_written_as_it_was_read() {
    let line = concat!(
        r#"{"trial":0,"direction":"maximize","origin":"suggested","state":"complete","#,
        r#""set":"field","price":2.0,"chosen":{"lime":0.5},"query":[0.25],"#,
        r#""values":{"lime":0.5,"rain":"inf"},"seen":0,"told":0,"outcome":3.0,"cost":1.5,"#,
        r#""spent":1.5,"best":3.0,"suggestion":{"score":"bound","value":1.5,"values":[null,2.0],"#,
        r#""exploring":[2.0,1],"outcome_model":{"lengthscales":[0.5,1.0],"outputscale":1.0,"#,
        r#""noise":0.25,"mean":0.0},"ends":[[0.5],[]]},"verdict":{"rule":"budget","#,
        r#""statistic":1.0,"threshold":0.0,"fired":false},"#,
        r#""seconds":{"fit":1.0,"search":0.5,"verdict":0.25}}"#
    );
    let row: SubsetRow = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&row).unwrap(), line);
    let record = SubsetRecord::new(vec![row.clone()]).unwrap();
    let [columns, cells] = [record.columns(), record.cells().next().unwrap()];
    assert_eq!(
        columns.join("|").replace("suggestion.", "*"),
        "trial|direction|origin|state|set|price|chosen.lime|query.lime|chosen.rain|query.rain|\
         value.lime|value.rain|seen|told|outcome|cost|spent|best|*score|*value|*values|\
         *exploring.price|*exploring.plays|*outcome_model.outputscale|*outcome_model.noise|\
         *outcome_model.mean|*outcome_model.lengthscale.lime|*outcome_model.lengthscale.rain|\
         *ends|verdict.rule|verdict.statistic|verdict.threshold|verdict.fired|verdict.gain|\
         verdict.price|seconds.fit|seconds.search|seconds.verdict"
    );
    assert_eq!(
        cells.join("|"),
        "0|maximize|suggested|complete|field|2.0|0.5|0.25|||0.5|inf|0|0|3.0|1.5|1.5|3.0|bound|\
         1.5|- 2.0|2.0|1|1.0|0.25|0.0|0.5|1.0|0.5; |budget|1.0|0.0|false|||1.0|0.5|0.25"
    );
    let mut apart = row;
    apart.paid = Some(1);
    let error = SubsetRecord::new(vec![apart]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("told apart from its outcome"), "{error}");
}

/// JSON has no infinities; they are named, wherever a number may be one.
#[test]
fn infinities_survive_being_written_and_read() {
    let mut study =
        study(SubsetPolicy::explore_then_commit(Plays::Each(2))).initial(3).build().unwrap();
    motley(&mut study);
    for number in
        [f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -f64::MIN_POSITIVE, 5e-324, -0.0, f64::NAN]
    {
        let mut rows = study.record().rows().to_vec();
        for row in &mut rows {
            row.point.chosen.iter_mut().for_each(|(_, value)| *value = number);
            row.point.values.iter_mut().for_each(|(_, value)| *value = value.map(|_| number));
            row.point.query.fill(number);
            for field in [
                &mut row.point.price,
                &mut row.outcome,
                &mut row.cost,
                &mut row.spent,
                &mut row.best,
            ] {
                field.iter_mut().for_each(|field| *field = number);
            }
            if let Some(suggestion) = &mut row.suggestion {
                suggestion.value = number;
                suggestion.values.iter_mut().for_each(|value| *value = value.map(|_| number));
                if let Some(model) = &mut suggestion.outcome_model {
                    model.lengthscales.fill(number);
                    (model.outputscale, model.noise, model.mean) = (number, number, number);
                }
            }
            if let Some(verdict) = &mut row.verdict {
                (verdict.statistic, verdict.threshold) = (number, number);
            }
            let seconds = &mut row.seconds;
            (seconds.fit, seconds.search, seconds.verdict) = (number, number, number);
        }
        let record = SubsetRecord::new(rows).unwrap();
        // As words, because NaN is not equal to itself, and zeros are whatever their signs.
        for back in there_and_back(&record) {
            assert_eq!(format!("{back:?}"), format!("{record:?}"));
        }
    }
}

#[test]
fn rows_that_make_no_run_are_named() {
    let mut study = study(SubsetPolicy::default()).budget(50.0).initial(3).build().unwrap();
    motley(&mut study);
    let rows = study.record().rows().to_vec();
    type Spoil = fn(&mut Vec<SubsetRow>);
    let cases: [(Spoil, ErrorKind, &str); 14] = [
        (|rows| rows.swap(3, 4), ErrorKind::UnknownTrial, "got number 4"),
        (
            |rows| rows[2].direction = Direction::Minimize,
            ErrorKind::InvalidSetting,
            "trial 2 of the record: to minimize, while trial 0 is to maximize",
        ),
        (
            |rows| rows[2].point.values[1].0 = "width".to_owned(),
            ErrorKind::UnknownParameter,
            "[\"lime\", \"width\", \"rain\"] are not those of trial 0",
        ),
        (
            |rows| rows[2].point.chosen[0].0 = "width".to_owned(),
            ErrorKind::UnknownParameter,
            "\"width\" is set, and is no variable",
        ),
        (
            |rows| rows[9].point.query.push(0.5),
            ErrorKind::Dimension,
            "trial 9 of the record: a query of ",
        ),
        (|rows| rows[3].point.set = None, ErrorKind::InvalidSetting, "it is initial, with no set"),
        (|rows| rows[3].point.price = None, ErrorKind::InvalidSetting, "no price and"),
        (
            |rows| rows[0].point.set = Some("lime".to_owned()),
            ErrorKind::InvalidSetting,
            "it is imported, with set \"lime\"",
        ),
        (
            |rows| rows[2].point.values[0].1 = None,
            ErrorKind::InvalidSetting,
            "it is complete, with values of 2 of 3 variables",
        ),
        (
            |rows| rows[5].point.values[0].1 = Some(1.0),
            ErrorKind::InvalidSetting,
            "it is pending, with values of 1 of 3 variables",
        ),
        (
            |rows| rows[2].told = None,
            ErrorKind::InvalidSetting,
            "it is complete, but has no place in the order of telling",
        ),
        (|rows| rows[2].told = Some(1), ErrorKind::InvalidSetting, "told as number 1"),
        (
            |rows| rows[9].told = Some(8),
            ErrorKind::InvalidSetting,
            "told as number 8, from 0, of 8",
        ),
        (
            |rows| rows[5].seen = 3,
            ErrorKind::InvalidSetting,
            "asked for when 3 had been told, after one asked for when 4",
        ),
    ];
    for (spoil, kind, says) in cases {
        let mut rows = rows.clone();
        spoil(&mut rows);
        let text = format!(r#"{{"rows":{}}}"#, serde_json::to_string(&rows).unwrap());
        let error = SubsetRecord::new(rows).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}, not {says}");
        let refused = serde_json::from_str::<SubsetRecord>(&text).unwrap_err();
        assert!(refused.to_string().contains(&error.to_string()), "{refused}");
    }
    let record = SubsetRecord::new(rows).unwrap();
    let mut cells: Vec<Vec<String>> = record.cells().collect();
    let column = record.columns().iter().position(|name| name == "suggestion.values").unwrap();
    let row = cells.iter().position(|cells| !cells[column].is_empty()).unwrap();
    cells[row][column] = "0.5 x".to_owned();
    let error = SubsetRecord::from_cells(&record.columns(), cells).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("row {row}: column \"suggestion.values\": \"0.5 x\" cannot be read")
    );
}
