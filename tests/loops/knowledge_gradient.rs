//! Studies with the knowledge gradient: over a space, with whole numbers, over a table, in
//! parallel.

use gittins::stop::{ThresholdRule, TrialLimit};
use gittins::study::{Search, StudyBuilder, Why};
use gittins::{
    Acquisition, Domain, ErrorKind, Outcome, Pointwise, Policy, Result, Space, Study, Table,
};

fn bowl(values: &[f64]) -> f64 {
    (values[0] - 0.3).powi(2) + (values[1] - 4.0).powi(2) / 50.0
}

/// Returns the values asked for, and the best outcome.
fn run(domain: impl Into<Domain>, seed: u64, trials: usize) -> Result<(Vec<Vec<f64>>, f64)> {
    follow(Study::minimize(domain).seed(seed).search(Search::new(64, 4)), trials)
}

fn follow(builder: StudyBuilder, trials: usize) -> Result<(Vec<Vec<f64>>, f64)> {
    let builder = builder.policy(Policy::knowledge_gradient(16)).initial(5);
    let mut study = builder.stop(TrialLimit::new(5 + trials)).build()?;
    let mut asked = Vec::new();
    while !study.verdict()?.is_stop() {
        let ask = study.ask()?;
        if let Why::Suggested(why) = ask.why() {
            assert!(why.value >= 0.0 && why.value.is_finite(), "{why}");
            assert!(why.to_string().starts_with("knowledge gradient "), "{why}");
        }
        study.tell(ask.id(), Outcome::new(bowl(ask.numbers())))?;
        asked.push(ask.numbers().to_vec());
    }
    Ok((asked, study.best().unwrap().outcome.unwrap()))
}

#[test]
fn a_space_is_searched_and_one_seed_fixes_the_run() -> Result<()> {
    let space = || Space::new().float("x", 0.0, 1.0).float("y", 0.0, 10.0);
    let (asked, best) = run(space(), 3, 14)?;
    // The best of the five points of the design is about 0.05. A bowl this smooth is known after
    // about ten trials.
    assert!(best < 5e-3, "{best}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| run(space(), 3, 14))?.0, asked);
    Ok(())
}

/// A plain search has its own points for the roots too. It takes no hints, so the search before
/// does not affect it.
#[test]
fn a_plain_search_runs_to_the_end() -> Result<()> {
    for space in [
        Space::new().float("x", 0.0, 1.0).float("y", 0.0, 10.0),
        Space::new().float("x", 0.0, 1.0).int("y", 0, 10),
    ] {
        let plain = |space: Space| {
            follow(Study::minimize(space).search(Search::new(64, 4).plain()).seed(3), 12)
        };
        let (asked, best) = plain(space.clone())?;
        assert_eq!(asked.len(), 5 + 12);
        assert!(best < 1e-2, "{best}");
        assert_ne!(asked, run(space.clone(), 3, 12)?.0, "the usual search has hints");
        assert_eq!(plain(space)?.0, asked);
    }
    Ok(())
}

#[test]
fn whole_numbers_stay_whole_at_the_root() -> Result<()> {
    let (asked, best) = run(Space::new().float("x", 0.0, 1.0).int("y", 0, 10), 4, 13)?;
    assert!(asked.iter().all(|values| values[1].fract() == 0.0), "{asked:?}");
    assert!(best < 1e-2, "{best}");
    Ok(())
}

#[test]
fn a_grid_and_a_table_are_scored_whole() -> Result<()> {
    let (asked, best) = run(Space::new().int("x", 0, 3).int("y", 0, 10), 5, 16)?;
    assert!(best <= bowl(&[0.0, 4.0]) + 1e-12, "{best} of {asked:?}");
    let rows: Vec<Vec<f64>> =
        (0..1500).map(|i| vec![f64::from(i % 50) / 50.0, f64::from(i / 50) / 3.0]).collect();
    let (asked, best) = run(Table::new(["x", "y"], rows)?, 6, 14)?;
    assert!(best < 5e-3, "{best}");
    assert!((0..asked.len()).all(|i| !asked[..i].contains(&asked[i])));
    Ok(())
}

#[test]
fn trials_under_way_are_conditioned_on() -> Result<()> {
    let space = Space::new().float("x", 0.0, 1.0).float("y", 0.0, 10.0);
    let mut study = Study::minimize(space)
        .policy(Policy::knowledge_gradient(8))
        .initial(4)
        .search(Search::new(64, 4))
        .build()?;
    for _ in 0..4 {
        let ask = study.ask()?;
        study.tell(ask.id(), Outcome::new(bowl(ask.numbers())))?;
    }
    let open = [study.ask()?, study.ask()?, study.ask()?];
    for (i, ask) in open.iter().enumerate() {
        assert!(open[..i].iter().all(|other| other.numbers() != ask.numbers()));
    }
    Ok(())
}

#[test]
fn a_threshold_on_the_knowledge_gradient_stops_whatever_is_followed() -> Result<()> {
    let rows: Vec<Vec<f64>> =
        (0..400).map(|i| vec![f64::from(i % 20) / 20.0, f64::from(i / 20) / 2.0]).collect();
    for domain in [
        Domain::from(Space::new().float("x", 0.0, 1.0).float("y", 0.0, 10.0)),
        Table::new(["x", "y"], rows)?.into(),
    ] {
        let rule = ThresholdRule::knowledge_gradient(16, 1e-3);
        let policy = Acquisition::Pointwise(Pointwise::LogExpectedImprovement);
        let mut study = Study::minimize(domain)
            .policy(policy)
            .initial(5)
            .seed(2)
            .search(Search::new(64, 4))
            .stop(rule)
            .build()?;
        let mut trials = 0;
        let last = loop {
            let verdict = study.verdict()?;
            if verdict.is_stop() {
                break verdict;
            }
            // A run that goes on has something to gain.
            assert!(verdict.reason().statistic > 1e-3, "{}", verdict.reason());
            assert!(trials < 40, "{}", verdict.reason());
            let ask = study.ask()?;
            study.tell(ask.id(), Outcome::new(bowl(ask.numbers())))?;
            trials += 1;
        };
        assert!((0.0..=1e-3).contains(&last.reason().statistic), "{}", last.reason());
        assert!(
            last.reason().to_string().contains("the best knowledge gradient is"),
            "{}",
            last.reason()
        );
        assert!(
            trials > 5 && study.best().unwrap().outcome.unwrap() < 2e-2,
            "{trials} trials, {:?}",
            study.best()
        );
    }
    let space = || Space::new().float("x", 0.0, 1.0);
    for rule in
        [ThresholdRule::knowledge_gradient(1, 0.1), ThresholdRule::knowledge_gradient(8, 0.0)]
    {
        assert_eq!(
            Study::minimize(space()).stop(rule).build().err().unwrap().kind(),
            ErrorKind::InvalidSetting
        );
    }
    Ok(())
}

#[test]
fn one_fantasy_is_none() {
    let space = Space::new().float("x", 0.0, 1.0);
    let error = Study::minimize(space).policy(Policy::knowledge_gradient(1)).build().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidSetting);
    assert!(error.to_string().contains("at least 2 fantasies"), "{error}");
}
