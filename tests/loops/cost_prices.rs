//! Free evaluations, costs that count less as a budget is spent, and prices that fall if costs are
//! learned.

use gittins::data::Warping;
use gittins::study::{Search, Why};
use gittins::{
    Acquisition, Cost, CostForm, ErrorKind, Outcome, Pointwise, Policy, Result, Study, TrialId,
};

use super::costs::{When, line, quick, tell, wave, x};
use crate::support::tolerance::RESCALED_SUGGESTION;

#[test]
fn with_a_floor_evaluations_may_be_free() -> Result<()> {
    let free = |x: f64| (x - 0.4).max(0.0);
    for cost in [Cost::uniform(0.0), Cost::known(move |values| free(values[0])), Cost::learned()] {
        let policy = Acquisition::gittins(1e-2);
        let study = |floor: f64| {
            Study::minimize(line())
                .cost(cost.clone())
                .cost_floor(floor)
                .policy(policy.clone())
                .initial(4)
                .search(Search::new(64, 4))
        };
        let mut run = study(1e-3).build()?;
        let mut paid = 0.0;
        for trial in 0..10 {
            let ask = run.ask()?;
            if let Why::Suggested(suggestion) = ask.why() {
                assert!(suggestion.value.is_finite() && suggestion.cost > 0.0, "{suggestion}");
                // The acquisition applies the floor to a known cost. A learned cost is fitted to
                // floored costs.
                match &cost {
                    Cost::Uniform(_) => assert_eq!(suggestion.cost, 1e-3),
                    Cost::Known(_) => assert_eq!(suggestion.cost, free(x(&ask)).max(1e-3)),
                    _ => {}
                }
            }
            let price = if matches!(cost, Cost::Uniform(_)) { 0.0 } else { free(x(&ask)) };
            let outcome = Outcome::new(wave(x(&ask)));
            run.tell(
                ask.id(),
                if matches!(cost, Cost::Learned) { outcome.cost(price) } else { outcome },
            )?;
            paid += price;
            assert_eq!((run.history()[trial].cost, run.total_cost()), (Some(price), paid));
            run.verdict()?;
        }
        assert!(run.history().iter().any(|trial| trial.cost == Some(0.0)), "{cost:?}");
        for floor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = study(floor).build().err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidSetting);
            assert!(error.to_string().contains("cost floor"), "{error}");
        }
        let ask = run.ask()?;
        let error = run.tell_cost(ask.id(), -1e-9).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NonPositiveCost);
    }
    let error = Study::minimize(line()).cost(Cost::uniform(0.0)).build().err().unwrap();
    assert!(error.to_string().contains("cost_floor"), "{error}");
    Ok(())
}

#[test]
fn the_cost_cools_with_the_money_told() -> Result<()> {
    for (policy, form) in [
        (Policy::log_eipc_cooled(8.0), CostForm::Expected),
        (Policy::ei_puc_cc(8.0), CostForm::ExpectedInverse),
    ] {
        let mut study = quick(policy);
        for _ in 0..4 {
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new(wave(x(&ask))).cost(0.5 + x(&ask)))?;
        }
        let mut exponents = Vec::new();
        let mut cooled = |study: &mut Study| -> Result<TrialId> {
            let ask = study.ask()?;
            let Why::Suggested(suggestion) = ask.why() else { panic!("{}", ask.why()) };
            match suggestion.acquisition {
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent,
                    form: of,
                }) if of == form => exponents.push(exponent),
                ref other => panic!("{other:?}"),
            }
            Ok(ask.id())
        };
        // In order: no message yet, the cost of a trial under way, a failure, a late cost, and
        // spending beyond the budget.
        let first = cooled(&mut study)?;
        study.tell_cost(first, 2.0)?;
        let second = cooled(&mut study)?;
        study.tell(second, Outcome::failed().cost(1.0))?;
        let third = cooled(&mut study)?;
        study.tell(third, Outcome::new(0.4).cost_later())?;
        let fourth = cooled(&mut study)?;
        study.tell_cost(third, 4.0)?;
        cooled(&mut study)?;
        study.tell_cost(fourth, 9.0)?;
        cooled(&mut study)?;
        assert_eq!(exponents, [1.0, 0.75, 0.625, 0.625, 0.125, 0.0], "{form:?}");
    }
    Ok(())
}

/// The price is divided exactly if a trial was suggested with an index worse than the best outcome
/// after that trial.
#[test]
fn a_decaying_price_follows_its_rule_where_costs_are_learned() -> Result<()> {
    let mut study = quick(Policy::gittins_decay(0.05, 2.0));
    let mut price = 0.05;
    let mut divided = [0; 2];
    for trial in 0..16 {
        let ask = study.ask()?;
        let index = match ask.why() {
            Why::Suggested(suggestion) => {
                assert_eq!(suggestion.acquisition, Acquisition::gittins(price), "trial {trial}");
                Some(suggestion.value)
            }
            _ => None,
        };
        let when = [When::With, When::Before, When::After][trial % 3];
        let outcome = if trial == 9 { Outcome::failed() } else { Outcome::new(wave(x(&ask))) };
        tell(&mut study, &ask, outcome, 0.5 + x(&ask), when)?;
        if let Some(index) = index {
            let worse = index > study.best().unwrap().outcome.unwrap();
            price /= if worse { 2.0 } else { 1.0 };
            divided[usize::from(worse)] += 1;
        }
    }
    assert!(divided[0] > 0 && divided[1] > 0, "{divided:?}");
    Ok(())
}

/// If all costs are multiplied by `k` and the price by `1/k`, nothing changes, for every policy and
/// every kind of cost.
#[test]
fn the_unit_of_cost_matters_to_no_policy() {
    type Of = fn(f64) -> Policy;
    let policies: [(&str, Of); 6] = [
        ("gittins", |k| Acquisition::gittins(3e-3 / k).into()),
        ("decay", |k| Policy::gittins_decay(0.05 / k, 2.0)),
        ("decay from a budget", |k| Policy::gittins_decay_from_budget(40.0 * k, 2.0)),
        ("adaptive", |_| Policy::gittins_adaptive()),
        ("cooled", |k| Policy::log_eipc_cooled(10.0 * k)),
        ("ei-puc-cc", |k| Policy::ei_puc_cc(10.0 * k)),
    ];
    let price = |x: f64| 0.5 + x;
    let run = |policy: Policy, known: usize, k: f64| {
        let cost = match known {
            0 => Cost::uniform(1.5 * k),
            1 => Cost::known(move |values| k * price(values[0])),
            _ => Cost::learned(),
        };
        let mut study = Study::minimize(line())
            .cost(cost)
            .policy(policy)
            .initial(4)
            .search(Search::new(64, 4))
            .warping(Warping::None)
            .seed(5)
            .build()
            .unwrap();
        let (mut places, mut stops) = (Vec::new(), Vec::new());
        for trial in 0..9 {
            let ask = study.ask().unwrap();
            places.push(x(&ask));
            if known == 2 {
                let when = [When::After, When::With, When::Before][trial % 3];
                tell(&mut study, &ask, Outcome::new(wave(x(&ask))), k * price(x(&ask)), when)
                    .unwrap();
            } else {
                study.tell(ask.id(), Outcome::new(wave(x(&ask)))).unwrap();
            }
            stops.push(study.verdict().unwrap().is_stop());
        }
        (places, stops)
    };
    for (name, policy) in policies {
        for known in 0..3 {
            let (places, stops) = run(policy(1.0), known, 1.0);
            let (others, other_stops) = run(policy(3600.0), known, 3600.0);
            assert_eq!(stops, other_stops, "{name}, {known}");
            for (a, b) in places.iter().zip(&others) {
                assert!(
                    (a - b).abs() < RESCALED_SUGGESTION,
                    "{name}, {known}: {places:?} and {others:?}"
                );
            }
        }
    }
}
