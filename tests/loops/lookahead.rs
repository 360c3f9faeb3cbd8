//! Studies that plan several steps: over a space, with whole numbers, over a table, with learned,
//! known and no costs, in parallel, with a time limit.

use std::time::Duration;

use gittins::acquisition::{Boundary, Lookahead, Planning};
use gittins::data::Warping;
use gittins::maximize::Ended;
use gittins::study::{Search, Why};
use gittins::suggest::Suggestion;
use gittins::{
    Acquisition, Ask, Cost, Domain, ErrorKind, Joint, Outcome, Pointwise, Result, Space, Study,
    Table,
};

fn hill(values: &[f64]) -> f64 {
    1.0 - (values[0] - 0.3).powi(2) - (values[1] - 4.0).powi(2) / 50.0
}

fn price(values: &[f64]) -> f64 {
    (1.5 * (3.0 * values[0]).cos() + 0.1 * values[1]).exp()
}

fn space() -> Space {
    Space::new().float("x", 0.0, 1.0).float("y", 0.0, 10.0)
}

fn study(domain: impl Into<Domain>, plan: Lookahead, cost: Cost, seed: u64) -> Result<Study> {
    Study::maximize(domain)
        .policy(plan)
        .cost(cost)
        .initial(5)
        .seed(seed)
        .search(Search::new(60, 4))
        // What is tested are plans. A hill is smooth, and a warped one is not.
        .warping(Warping::None)
        .build()
}

fn tell(study: &mut Study, ask: &Ask, learned: bool) -> Result<()> {
    let outcome = Outcome::new(hill(ask.numbers()));
    study.tell(ask.id(), if learned { outcome.cost(price(ask.numbers())) } else { outcome })
}

/// Asks and tells. Returns the suggestions and the money spent before each of them.
fn run(study: &mut Study, trials: usize, learned: bool) -> Result<Vec<(f64, Suggestion)>> {
    let mut suggestions = Vec::new();
    for _ in 0..trials {
        let spent = study.spent();
        let ask = study.ask()?;
        if let Why::Suggested(why) = ask.why() {
            assert!(why.value.is_finite() && !why.repeated, "{why}");
            suggestions.push((spent, (**why).clone()));
        }
        tell(study, &ask, learned)?;
    }
    Ok(suggestions)
}

fn is_plan(suggestion: &Suggestion) -> bool {
    matches!(suggestion.acquisition, Acquisition::Joint(Joint::MultiStepImprovement { .. }))
}

fn path(budget: f64) -> Lookahead {
    Acquisition::budgeted_lookahead(4, &[1]).budget(budget)
}

#[test]
fn a_budget_is_required_and_settings_are_checked() {
    let error = |plan: Lookahead| study(space(), plan, Cost::learned(), 0).err().unwrap();
    let missing = error(Acquisition::budgeted_lookahead(4, &[1]));
    assert_eq!(missing.kind(), ErrorKind::InvalidSetting);
    assert!(missing.to_string().contains("needs a budget"), "{missing}");
    for (plan, named) in [
        (path(0.0), "budget"),
        (path(f64::NAN), "budget"),
        (Acquisition::budgeted_lookahead(0, &[]).budget(1.0), "0"),
        (Acquisition::budgeted_lookahead(4, &[4, 4]).budget(1.0), "3 levels"),
        (Acquisition::budgeted_lookahead(3, &[4, 0]).budget(1.0), "level 2"),
        (Acquisition::budgeted_lookahead(4, &[100]).budget(1.0), "4096"),
        (path(1.0).boundary(Boundary::Smooth { width: 0.0 }), "width"),
    ] {
        let error = error(plan);
        assert!(error.to_string().contains(named), "{error}, {named}");
    }
    for plan in [
        Acquisition::multi_step_lookahead(3, &[2, 1]),
        Acquisition::multi_step_lookahead(1, &[]),
        path(1.0),
    ] {
        study(space(), plan, Cost::uniform(1.0), 0).unwrap();
    }
}

#[test]
fn plans_of_all_kinds_find_the_hill() -> Result<()> {
    let known = || Cost::known(|values: &[f64]| price(values));
    let tree = Acquisition::budgeted_lookahead(3, &[2, 2]).budget(25.0);
    for (name, plan, cost) in [
        ("path", path(25.0), Cost::learned()),
        ("tree", tree.clone(), Cost::learned()),
        ("closest branch", tree.clone().closest_branch(), Cost::learned()),
        ("recent costs", path(25.0).planning(Planning::Recent), Cost::learned()),
        ("all that is left", path(25.0).planning(Planning::Whole), Cost::learned()),
        ("one step", Acquisition::budgeted_lookahead(1, &[]).budget(25.0), Cost::learned()),
        ("known costs", path(25.0), known()),
        ("a smooth boundary", path(25.0).boundary(Boundary::Smooth { width: 1e-3 }), known()),
        ("no costs", Acquisition::multi_step_lookahead(3, &[2, 1]), Cost::uniform(1.0)),
    ] {
        let learned = matches!(cost, Cost::Learned);
        let mut study = study(space(), plan, cost, 2)?;
        let suggestions = run(&mut study, 13, learned)?;
        assert!(
            suggestions[..2].iter().all(|(_, suggestion)| is_plan(suggestion)),
            "{name}: {}",
            suggestions[0].1
        );
        assert!(
            suggestions[0].1.to_string().contains("multi-step expected improvement "),
            "{name}"
        );
        // The best of five quasi-random points is about 0.05 below the top. A hill this smooth is
        // known after about ten trials.
        let best = study.best().unwrap().outcome.unwrap();
        // A plan without costs can wait: its first point may tell little, because the later points
        // are worth as much after it.
        assert!(best > if name == "no costs" { 0.97 } else { 0.99 }, "{name}: {best}");
    }
    Ok(())
}

#[test]
fn one_seed_fixes_the_run_and_no_state_is_shared() -> Result<()> {
    let plan = path(20.0);
    let alone = run(&mut study(space(), plan.clone(), Cost::learned(), 7)?, 10, true)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(
        pool.install(|| run(&mut study(space(), plan.clone(), Cost::learned(), 7)?, 10, true))?
            == alone
    );
    // The two studies are built from clones of one policy and run in turn.
    let (mut first, mut second) = (
        study(space(), plan.clone(), Cost::learned(), 7)?,
        study(space(), plan, Cost::learned(), 8)?,
    );
    let mut between = Vec::new();
    for _ in 0..10 {
        between.extend(run(&mut first, 1, true)?);
        run(&mut second, 1, true)?;
    }
    assert!(between == alone);
    Ok(())
}

#[test]
fn a_known_cost_beyond_what_is_left_is_not_planned() -> Result<()> {
    let budget = 20.0;
    let mut study = study(space(), path(budget), Cost::known(|values: &[f64]| price(values)), 3)?;
    let suggestions = run(&mut study, 20, false)?;
    let plans: Vec<_> = suggestions.iter().filter(|(_, suggestion)| is_plan(suggestion)).collect();
    assert!(plans.len() >= 3);
    for (spent, suggestion) in &plans {
        let Acquisition::Joint(Joint::MultiStepImprovement { budget: Some(planned), .. }) =
            suggestion.acquisition
        else {
            unreachable!()
        };
        assert!(
            planned <= budget - spent && suggestion.cost <= planned,
            "{suggestion} with {planned} of {}",
            budget - spent
        );
    }
    // After the money is spent nothing can be planned.
    let (spent, last) = suggestions.last().unwrap();
    assert!(*spent < budget || !is_plan(last), "{last} after {spent}");
    Ok(())
}

#[test]
fn beyond_the_budget_improvement_is_sought_as_cost_cooling_ends() -> Result<()> {
    let mut study = study(space(), path(1.5), Cost::learned(), 3)?;
    let suggestions = run(&mut study, 12, true)?;
    let beyond: Vec<_> = suggestions.iter().filter(|(spent, _)| *spent >= 1.5).collect();
    assert!(!beyond.is_empty());
    for (_, suggestion) in beyond {
        assert!(
            matches!(
                suggestion.acquisition,
                Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
                    exponent: 0.0,
                    ..
                })
            ),
            "{suggestion}"
        );
    }
    Ok(())
}

#[test]
fn whole_numbers_grids_and_tables_are_asked_where_they_are() -> Result<()> {
    let mut whole =
        study(Space::new().float("x", 0.0, 1.0).int("y", 0, 10), path(30.0), Cost::learned(), 4)?;
    run(&mut whole, 12, true)?;
    assert!(whole.history().iter().all(|trial| trial.numbers()[1].fract() == 0.0));
    let best = whole.best().unwrap().outcome.unwrap();
    assert!(best > 0.97, "{best}");
    let mut grid =
        study(Space::new().int("x", 0, 3).int("y", 0, 10), path(60.0), Cost::learned(), 5)?;
    run(&mut grid, 14, true)?;
    let rows: Vec<Vec<f64>> =
        (0..700).map(|i| vec![f64::from(i % 35) / 35.0, f64::from(i / 35) / 2.0]).collect();
    let table = Table::new(["x", "y"], rows)?;
    for cost in [Cost::learned(), Cost::known(|values: &[f64]| price(values))] {
        let learned = matches!(cost, Cost::Learned);
        let mut study = study(table.clone(), path(30.0), cost, 6)?;
        run(&mut study, 16, learned)?;
        let asked: Vec<Vec<f64>> = study.history().iter().map(gittins::Trial::numbers).collect();
        assert!((0..asked.len()).all(|i| !asked[..i].contains(&asked[i])));
        assert!(study.best().unwrap().outcome.unwrap() > 0.98);
    }
    // A table can be asked to its end.
    let few = Table::new(["x", "y"], (0..7).map(|i| vec![f64::from(i) / 7.0, 4.0]).collect())?;
    let mut study = study(few, path(100.0), Cost::learned(), 6)?;
    run(&mut study, 7, true)?;
    assert_eq!(study.ask().unwrap_err().kind(), ErrorKind::Exhausted);
    Ok(())
}

#[test]
fn trials_under_way_are_conditioned_on_and_their_money_is_spoken_for() -> Result<()> {
    let mut study = study(space(), path(12.0).planning(Planning::Whole), Cost::learned(), 9)?;
    run(&mut study, 5, true)?;
    let mut left = 12.0;
    let mut open: Vec<Ask> = Vec::new();
    for _ in 0..3 {
        let ask = study.ask()?;
        let Why::Suggested(why) = ask.why() else { unreachable!() };
        let Acquisition::Joint(Joint::MultiStepImprovement { budget: Some(budget), .. }) =
            why.acquisition
        else {
            unreachable!("{why}")
        };
        assert!((budget - left).abs() < 1e-9 * left, "{budget} of {left}");
        left -= why.cost;
        assert!(open.iter().all(|other| other.numbers() != ask.numbers()));
        open.push(ask);
    }
    // A bill that comes before its outcome counts as it is. If the bill equals the expected cost,
    // the expected costs of the others hardly change.
    let Why::Suggested(first) = open[0].why() else { unreachable!() };
    study.tell_cost(open[0].id(), first.cost)?;
    let ask = study.ask()?;
    let Why::Suggested(why) = ask.why() else { unreachable!() };
    let Acquisition::Joint(Joint::MultiStepImprovement { budget: Some(budget), .. }) =
        why.acquisition
    else {
        unreachable!("{why}")
    };
    assert!((budget - left).abs() < 0.1 * (12.0 - left), "{budget} of {left}");
    Ok(())
}

#[test]
fn a_deadline_ends_the_search_with_a_suggestion() -> Result<()> {
    let plan = Acquisition::budgeted_lookahead(4, &[4, 4, 2]).budget(30.0);
    let builder = Study::maximize(space())
        .policy(plan)
        .cost(Cost::learned())
        .initial(5)
        .search(Search::new(400, 20));
    let mut study = builder.time_limit(Duration::from_millis(1)).build()?;
    let suggestions = run(&mut study, 8, true)?;
    for (_, suggestion) in &suggestions {
        assert_eq!(suggestion.ended, Ended::Deadline, "{suggestion}");
    }
    Ok(())
}
