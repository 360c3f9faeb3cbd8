//! Costs that are linear in the amounts of a trial: data, checked beforehand, and money in a verdict.

use gittins::data::PointCost;
use gittins::{Cost, Domain, ErrorKind, Outcome, Policy, Result, Space, Study, Table, Value};

use crate::support::tolerance;

fn space() -> Space {
    Space::new()
        .float("resin", 0.5, 3.0)
        .int("plies", 1, 4)
        .log_float("heat", 1.0, 100.0)
        .flag("coated")
        .float("paint", 0.1, 0.4)
        .when("coated", [true])
        .choice("mold", ["steel", "wood", "wax"])
}

fn linear() -> Cost {
    Cost::linear([("resin", 40.0), ("plies", 2.5), ("heat", 0.1), ("paint", 7.0)], 5.0)
}

/// The same by hand, in the same order.
fn given() -> Cost {
    Cost::known_with_gradient(|values, gradient| {
        let weights = [40.0, 2.5, 0.1, 0.0, 7.0, 0.0];
        gradient.copy_from_slice(&weights);
        let there = weights.iter().zip(values).filter(|(_, value)| !value.is_nan());
        there.fold(5.0, |sum, (weight, value)| sum + weight * value)
    })
}

fn told(values: &[Value]) -> f64 {
    let number = |at: usize| values[at].number().unwrap_or(0.0);
    (number(0) - 1.7).powi(2) + 0.1 * number(1) + number(2).ln() / 9.0 - number(4)
}

fn run(study: &mut Study, trials: usize) -> Result<Vec<(Vec<Value>, Option<u64>)>> {
    for _ in 0..trials {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(told(ask.values())))?;
    }
    let cost = |cost: Option<f64>| cost.map(f64::to_bits);
    Ok(study.history().iter().map(|trial| (trial.values.clone(), cost(trial.cost))).collect())
}

#[test]
fn a_linear_cost_is_the_function_by_hand_to_the_bit() -> Result<()> {
    for policy in [Policy::log_eipc(), Policy::gittins(1e-3)] {
        let build = |cost| {
            Study::minimize(space()).cost(cost).policy(policy.clone()).initial(5).seed(3).build()
        };
        let (mut one, mut other) = (build(linear())?, build(given())?);
        assert_eq!(run(&mut one, 12)?, run(&mut other, 12)?);
        assert_eq!(one.verdict()?, other.verdict()?);
        assert_eq!(one.total_cost().to_bits(), other.total_cost().to_bits());
        // What is told stands in place of it.
        let ask = one.ask()?;
        one.tell(ask.id(), Outcome::new(told(ask.values())).cost(9.0))?;
        assert_eq!(one.history()[ask.id().index()].cost, Some(9.0));
    }
    Ok(())
}

#[test]
fn its_gradient_is_exact() {
    let plain =
        Space::new().float("resin", 0.5, 3.0).int("plies", 1, 4).log_float("heat", 1.0, 1e2);
    let cost = Cost::linear([("resin", 40.0), ("plies", 2.5), ("heat", 0.1)], 5.0);
    for (space, cost) in [(plain, cost), (space(), linear())] {
        let Cost::Known(known) = cost else { panic!("a known cost") };
        let bound = known.on(&space.clone().into());
        for unit in [0.3, 0.6] {
            let mut unit = vec![unit; space.dim()];
            space.snap(&mut unit);
            let mut gradient = vec![f64::NAN; unit.len()];
            let cost = bound.cost(&unit, Some(&mut gradient)).unwrap();
            for axis in [0, 2] {
                let at = |sign: f64| {
                    let mut moved = unit.clone();
                    moved[axis] += sign * tolerance::STEP;
                    bound.cost(&moved, None).unwrap()
                };
                let difference = (at(1.0) - at(-1.0)) / (2.0 * tolerance::STEP);
                // The third derivative along the log scale is below 10 ln(100)^3.
                let error = tolerance::central_difference(cost, 10.0 * 1e2f64.ln().powi(3));
                assert!((gradient[axis] - difference).abs() <= error, "{axis}: {gradient:?}");
            }
        }
    }
}

#[test]
fn what_makes_no_cost_is_named() {
    let table = |rows: Vec<Vec<Value>>| Domain::from(Table::new(["resin", "mold"], rows).unwrap());
    let molds = || table(vec![vec![2.0.into(), "wax".into()], vec![Value::Absent, "wood".into()]]);
    let parts =
        || Space::new().float("a", 0.0, 100.0).float("b", 0.0, 60.0).sum_to(["a", "b"], 100.0);
    let cost = |terms: &[(&str, f64)], fixed| Cost::linear(terms.iter().copied(), fixed);
    let kinds = [ErrorKind::UnknownParameter, ErrorKind::InvalidSetting, ErrorKind::NonFinite];
    let [unknown, invalid, infinite] = kinds;
    let sign = ErrorKind::NonPositiveCost;
    let table = [
        (
            space().into(),
            cost(&[("resn", 1.0)], 1.0),
            unknown,
            "linear cost: no parameter is named \"resn\"; there are [\"resin\", \"plies\", \"heat\", \"coated\", \"paint\", \"mold\"]",
        ),
        (
            space().into(),
            cost(&[("mold", 1.0)], 1.0),
            invalid,
            "linear cost: \"mold\" is one of [\"steel\", \"wood\", \"wax\"], which has no size",
        ),
        (
            space().into(),
            cost(&[("heat", f64::NAN)], 1.0),
            infinite,
            "linear cost: expected a finite cost of a unit of \"heat\", got NaN",
        ),
        (
            space().into(),
            cost(&[], f64::INFINITY),
            infinite,
            "linear cost: expected a finite cost of the fixed part, got inf",
        ),
        (
            space().into(),
            cost(&[("resin", -2.0), ("paint", -5.0)], 3.0),
            sign,
            "linear cost: from -5 to 2 over all points: expected a positive cost, got -5",
        ),
        (
            space().into(),
            cost(&[("coated", 2.0)], 0.0),
            sign,
            "linear cost: from 0 to 2 over all points: expected a positive cost, got 0; where an evaluation can be free, set a `cost_floor`",
        ),
        (
            molds(),
            cost(&[("mold", 1.0)], 1.0),
            invalid,
            "linear cost: \"mold\" is one of [\"wax\", \"wood\"], which has no size",
        ),
        (
            molds(),
            cost(&[("resin", 3.0)], 0.0),
            sign,
            "linear cost: from 0 to 6 over all points: expected a positive cost, got 0; where an evaluation can be free, set a `cost_floor`",
        ),
        (
            parts().into(),
            cost(&[("b", 3.0)], 0.0),
            sign,
            "linear cost: from 0 to 180 over all points: expected a positive cost, got 0; where an evaluation can be free, set a `cost_floor`",
        ),
    ];
    for (domain, cost, kind, words) in table {
        let error = cost.validate(&domain, None).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, words));
    }
    // A sum of parts is never 0, and with a floor a cost may be.
    cost(&[("a", 2.0), ("b", 3.0)], -199.0).validate(&parts().into(), None).unwrap();
    cost(&[("b", 3.0)], 0.0).validate(&parts().into(), Some(0.1)).unwrap();
    cost(&[("coated", 2.0)], 0.0).validate(&space().into(), Some(0.1)).unwrap();
    // A function does not say what it needs before it is called.
    let Cost::Known(known) = cost(&[("resn", 1.0)], 1.0) else { panic!("a known cost") };
    assert_eq!(known.on(&molds()).cost(&[0.5, 1.0], None).unwrap_err().kind(), infinite);
}

#[test]
fn a_verdict_says_what_a_gain_is_worth_in_money() -> Result<()> {
    let line = || Space::new().float("x", 0.0, 1.0);
    let words = |unit: &str, budget: Option<f64>| -> Result<String> {
        let cost = Cost::linear([("x", 40.0)], 5.0);
        let builder = Study::minimize(line()).cost(cost).cost_unit(unit).initial(4).seed(7);
        let mut study = match budget {
            Some(budget) => builder.budget(budget),
            None => builder.policy(Policy::gittins(1e-3)),
        }
        .build()?;
        for _ in 0..6 {
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new((ask.get::<f64>("x")? - 0.3).powi(2)))?;
        }
        let verdict = study.verdict()?;
        if let (Some(worth), None, "EUR") = (verdict.reason().worth, budget, unit) {
            let tag = format!("which is worth {} EUR", shown(worth.gain / 1e-3));
            assert!(verdict.reason().to_string().ends_with(&tag), "{tag}: {}", verdict.reason());
        }
        Ok(verdict.reason().to_string())
    };
    let money = words("EUR", None)?;
    assert!(money.contains(" EUR and bring "), "{money}");
    for (unit, budget) in [("s", None), ("h", None), ("EUR", Some(400.0))] {
        let old = words(unit, budget)?;
        assert!(old.contains("its price") && !old.contains("which is worth"), "{old}");
    }
    Ok(())
}

/// Three significant digits, as a verdict has them.
fn shown(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(f64::NAN);
    rounded.to_string()
}

#[cfg(feature = "journal")]
#[test]
fn a_journal_has_it() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.journal");
    let settings = || Study::minimize(space()).cost(linear()).initial(3).seed(2);
    let mut journal = gittins::journal::Journal::open(&path, settings())?;
    let mut memory = settings().build()?;
    for _ in 0..4 {
        let ask = journal.ask()?;
        journal.tell(ask.id(), Outcome::new(told(ask.values())))?;
    }
    drop(journal);
    let mut resumed = gittins::journal::Journal::resume(&path)?;
    let asked = resumed.ask()?;
    run(&mut memory, 4)?;
    assert_eq!(asked.values(), memory.ask()?.values());
    assert_eq!(resumed.study().total_cost(), memory.total_cost());
    let text = std::fs::read_to_string(&path).unwrap();
    let data = r#""cost":{"linear":{"fixed":5.0,"terms":[["resin",40.0],"#;
    assert!(text.lines().any(|line| line.contains(data)));
    Ok(())
}

/// What each name of a choice costs.
mod names {
    use gittins::PerUnit;

    use super::*;

    fn molds(costs: &[(&str, f64)]) -> Cost {
        let costs = costs.iter().map(|(name, cost)| ((*name).to_owned(), *cost)).collect();
        Cost::linear([("mold", PerUnit::Names(costs)), ("resin", 40.0.into())], 5.0)
    }

    const ALL: [(&str, f64); 3] = [("steel", 90.0), ("wood", 7.0), ("wax", 2.0)];

    #[test]
    fn count_as_a_function_by_hand() -> Result<()> {
        let by_hand = Cost::known_with_gradient(|values, gradient| {
            gradient[0] = 40.0;
            5.0 + 40.0 * values[0] + [90.0, 7.0, 2.0][values[5] as usize]
        });
        let paid = |cost: Cost| -> Result<Vec<_>> {
            let mut study = Study::minimize(space()).cost(cost).initial(5).seed(3).build()?;
            run(&mut study, 10)
        };
        assert_eq!(paid(molds(&ALL))?, paid(by_hand)?);
        // The names of an ordered list have costs as well, and what is absent costs nothing.
        let sizes = Space::new().flag("big").ordinal("size", ["s", "m"]).when("big", [true]);
        let size = [("size", PerUnit::from([("s", 3.0), ("m", 4.0)]))];
        let mut study = Study::minimize(sizes).cost(Cost::linear(size, 1.0)).build()?;
        study.import::<Value>(&[true.into(), "m".into()], Outcome::new(0.0))?;
        study.import::<Value>(&[false.into(), Value::Absent], Outcome::new(0.0))?;
        assert_eq!(
            study.history().iter().map(|trial| trial.cost).collect::<Vec<_>>(),
            [Some(5.0), Some(1.0)]
        );
        Ok(())
    }

    #[test]
    fn that_are_missing_or_unknown_are_named() {
        let rows: Vec<Vec<Value>> =
            vec![vec![2.0.into(), "wax".into()], vec![1.0.into(), Value::Absent]];
        let table = Domain::from(Table::new(["resin", "mold"], rows).unwrap());
        let size = Cost::linear([("resin", PerUnit::from([("s", 3.0)]))], 1.0);
        for (domain, cost, words) in [
            (space().into(), molds(&ALL[..2]), "\"mold\": expected a cost of \"wax\", got none"),
            (
                space().into(),
                molds(&[("steel", 1.0), ("stel", 1.0)]),
                "\"mold\" has no \"stel\"; there are [\"steel\", \"wood\", \"wax\"]",
            ),
            (
                space().into(),
                size.clone(),
                "\"resin\" is a number in [0.5, 3]: expected one cost per unit",
            ),
            (table.clone(), size, "\"resin\" is a number: expected one cost per unit"),
            (
                space().into(),
                molds(&[("steel", f64::NAN), ("wood", 1.0), ("wax", 1.0)]),
                "expected a finite cost of \"mold\" \"steel\", got NaN",
            ),
            (
                space().into(),
                molds(&[("steel", 1.0), ("wood", -30.0), ("wax", 1.0)]),
                "from -5 to 126 over all points: expected a positive cost, got -5",
            ),
            (
                table.clone(),
                molds(&[("wax", -90.0)]),
                "from -5 to 45 over all points: expected a positive cost, got -5",
            ),
        ] {
            let error = cost.validate(&domain, None).unwrap_err();
            assert_eq!(error.to_string(), format!("linear cost: {words}"));
        }
        molds(&ALL[2..]).validate(&table, None).unwrap();
    }
}
