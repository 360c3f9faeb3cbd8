//! Studies whose time limit is over before they begin: every policy and every rule, over each kind
//! of domain.

use std::sync::Arc;
use std::time::Duration;

use gittins::maximize::Ended;
use gittins::model::FitStatus;
use gittins::stop::{Form, Statistic, Steadying, ThresholdRule};
use gittins::study::{Search, StudyBuilder, Why};
use gittins::suggest::{Estimation, MaxValueEntropy, MaximaSource, Suggestion};
use gittins::{
    Acquisition, Cost, CostForm, Cpu, Domain, GittinsRule, Joint, Outcome, Pointwise, Policy,
    Result, Space, StopContext, StopRule, Study, Table, Verdict,
};
use gittins_papers::rules::{
    ConfidenceGapRule, GittinsBeforeRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};

use crate::support::stage::Stage;

/// A space of coordinates, one of a whole number and a coordinate, one of whole numbers that is
/// scored completely, one of whole numbers that is not, and a table.
fn domains() -> Vec<Domain> {
    let rows = (0..200).map(|i| vec![f64::from(i % 20) / 19.0, f64::from(i / 20) / 9.0]).collect();
    vec![
        Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0).into(),
        Space::new().int("x", 0, 3).float("y", 0.0, 1.0).into(),
        Space::new().int("x", 0, 11).int("y", 0, 11).into(),
        Space::new().int("x", 0, 99).int("y", 0, 99).into(),
        Table::new(["x", "y"], rows).unwrap().into(),
    ]
}

fn policies() -> Vec<Policy> {
    let per_cost = Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
        exponent: 1.0,
        form: CostForm::Expected,
    });
    let paths = MaxValueEntropy { source: MaximaSource::Paths, ..MaxValueEntropy::default() };
    vec![
        Acquisition::gittins(1e-2).into(),
        Policy::gittins_decay(0.1, 2.0),
        Policy::gittins_decay_from_budget(1e5, 2.0),
        Policy::gittins_adaptive(),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovement).into(),
        per_cost.into(),
        Policy::log_eipc_cooled(50.0),
        Policy::ucb(),
        Policy::thompson(),
        Policy::estimation(Estimation::default()),
        Policy::max_value_entropy(MaxValueEntropy::default()),
        Policy::max_value_entropy(paths),
        Policy::knowledge_gradient(8),
        Acquisition::budgeted_lookahead(4, &[1]).budget(50.0).into(),
        Acquisition::budgeted_lookahead(3, &[2, 2]).budget(50.0).into(),
        Acquisition::multi_step_lookahead(2, &[2]).into(),
    ]
}

fn rules() -> Vec<Box<dyn StopRule>> {
    vec![
        Box::new(GittinsRule::priced(1e6)),
        Box::new(GittinsRule::priced(1e6).form(Form::LogImprovementPerCost)),
        Box::new(GittinsRule::priced(1e6).form(Form::ImprovementPerCost).smoothed(2)),
        Box::new(GittinsBeforeRule::priced(1e6)),
        Box::new(ConfidenceGapRule::new(1e6)),
        Box::new(ImprovementMedianRule::new().first(1).share(1e6)),
        Box::new(RegretGapRule::new().first(1).share(1e6)),
        Box::new(RegretProbabilityRule::new(1e6)),
        Box::new(RegretProbabilityRule::frequency(1e6)),
        Box::new(ThresholdRule::expected_improvement(1e6)),
        Box::new(ThresholdRule::knowledge_gradient(4, 1e6)),
    ]
}

fn outcome(values: &[f64]) -> Outcome {
    Outcome::new((values[0] - 0.3).abs() + (values[1] - 0.6).powi(2)).cost(1.0 + values[0].abs())
}

fn study(domain: Domain, settings: impl FnOnce(StudyBuilder) -> StudyBuilder) -> Result<Study> {
    let builder =
        Study::minimize(domain).cost(Cost::learned()).backend(Arc::new(Cpu)).initial(5).seed(3);
    settings(builder).build()
}

/// Asks and tells. Returns the suggestions.
fn run(study: &mut Study, trials: usize) -> Result<Vec<Suggestion>> {
    let mut suggestions = Vec::new();
    for _ in 0..trials {
        let ask = study.ask()?;
        if let Why::Suggested(suggestion) = ask.why() {
            suggestions.push((**suggestion).clone());
        }
        study.tell(ask.id(), outcome(ask.numbers()))?;
    }
    Ok(suggestions)
}

#[test]
fn every_policy_suggests_something_new_without_any_time() -> Result<()> {
    for domain in domains() {
        for policy in policies() {
            let name = format!("{policy:?} over {domain:?}");
            let mut study =
                study(domain.clone(), |builder| builder.policy(policy).time_limit(Duration::ZERO))?;
            let suggestions = run(&mut study, 5 + 4)?;
            assert_eq!(suggestions.len(), 4, "{name}");
            for suggestion in &suggestions {
                assert!(
                    !suggestion.repeated && suggestion.value.is_finite(),
                    "{name}: {suggestion}"
                );
                assert!(
                    suggestion.unit.iter().all(|u| (0.0..=1.0).contains(u)),
                    "{name}: {suggestion}"
                );
                assert_eq!(suggestion.ended, Ended::Deadline, "{name}: {suggestion}");
                for status in [Some(&suggestion.fit), suggestion.cost_fit.as_ref()] {
                    assert_eq!(status, Some(&FitStatus::KEPT), "{name}: {suggestion}");
                }
                let words = suggestion.to_string();
                assert!(words.contains("the time for the search was up"), "{words}");
                assert!(
                    words.contains(
                        "the outcome model kept its hyper-parameters: there was no time for a fit"
                    ),
                    "{words}"
                );
                assert!(
                    words.contains(
                        "the cost model kept its hyper-parameters: there was no time for a fit"
                    ),
                    "{words}"
                );
            }
            // No point was asked for twice, by any kind of search.
            let mut points: Vec<Vec<u64>> = study
                .history()
                .iter()
                .map(|t| t.numbers().iter().map(|v| v.to_bits()).collect())
                .collect();
            points.sort();
            points.dedup();
            assert_eq!(points.len(), study.history().len(), "{name}");
        }
    }
    Ok(())
}

#[test]
fn a_small_domain_is_exhausted_point_by_point_without_any_time() -> Result<()> {
    for policy in policies() {
        let name = format!("{policy:?}");
        let rows = (0..9).map(|i| vec![f64::from(i % 3), f64::from(i / 3)]).collect();
        let mut study = study(Table::new(["x", "y"], rows)?.into(), |builder| {
            builder.policy(policy).time_limit(Duration::ZERO)
        })?;
        run(&mut study, 9)?;
        let error = study.ask().unwrap_err();
        assert_eq!(error.kind(), gittins::ErrorKind::Exhausted, "{name}: {error}");
        assert!(study.verdict()?.is_stop(), "{name}");
    }
    Ok(())
}

#[test]
fn trials_under_way_are_left_out_without_any_time() -> Result<()> {
    for domain in domains() {
        for policy in policies() {
            let name = format!("{policy:?} over {domain:?}");
            let mut study =
                study(domain.clone(), |builder| builder.policy(policy).time_limit(Duration::ZERO))?;
            run(&mut study, 5)?;
            let mut asked: Vec<Vec<f64>> =
                (0..3).map(|_| Ok(study.ask()?.numbers().to_vec())).collect::<Result<_>>()?;
            asked.sort_by(|a, b| a.partial_cmp(b).unwrap());
            asked.dedup();
            assert_eq!(asked.len(), 3, "{name}");
        }
    }
    Ok(())
}

#[test]
fn hyperparameters_are_kept_where_there_is_no_time_for_a_fit() -> Result<()> {
    let space = Domain::from(Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0));
    let mut study =
        study(space, |builder| builder.policy(Policy::ucb()).time_limit(Duration::ZERO))?;
    run(&mut study, 5 + 4)?;
    let models: Vec<_> = study
        .record()
        .rows()
        .iter()
        .filter_map(|row| row.suggestion.clone())
        .map(|s| (s.outcome_model, s.cost_model))
        .collect();
    assert_eq!(models.len(), 4);
    let (first, of_cost) = models[0].clone();
    for (outcome, cost) in models {
        // The lengthscales stay the same. The other parameters are in units of the outcomes, and
        // the deviation of the outcomes changes.
        let lengthscales = |model: &Option<gittins::Hyperparameters>| {
            model.as_ref().map(|model| model.lengthscales.clone())
        };
        assert_eq!(lengthscales(&outcome), lengthscales(&first));
        assert_eq!(lengthscales(&cost), lengthscales(&of_cost));
    }
    Ok(())
}

#[test]
fn no_rule_stops_a_run_on_a_search_that_had_no_time() -> Result<()> {
    for domain in domains() {
        for (index, (timeless, timed)) in rules().into_iter().zip(rules()).enumerate() {
            let name = format!("rule {index}, {}, over {domain:?}", timed.name());
            let mut late = study(domain.clone(), |builder| {
                builder.stop(Boxed(timed)).time_limit(Duration::ZERO)
            })?;
            let mut patient = study(domain.clone(), |builder| builder.stop(Boxed(timeless)))?;
            let (mut last, mut stopped) = (None, false);
            for _ in 0..5 + 4 {
                run(&mut late, 1)?;
                if !stopped {
                    run(&mut patient, 1)?;
                    stopped = patient.verdict()?.is_stop();
                }
                let verdict = late.verdict()?;
                assert!(!verdict.is_stop(), "{name}: {}", verdict.reason());
                last = Some(verdict);
            }
            // With time the same rule stops, because its threshold is absurd.
            assert!(stopped, "{name}");
            let words = last.unwrap().reason().to_string();
            assert!(
                words.starts_with("continue: ") && words.contains("the time for the search was up"),
                "{name}: {words}"
            );
        }
    }
    Ok(())
}

/// A rule that is already in a box.
struct Boxed(Box<dyn StopRule>);

impl StopRule for Boxed {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        self.0.check(context)
    }
}

#[test]
fn what_an_interrupted_search_found_above_the_incumbent_decides() -> Result<()> {
    // The price is so small that the index of almost any place is better than the best outcome.
    let space = Domain::from(Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0));
    let mut study =
        study(space, |builder| builder.stop(GittinsRule::priced(1e-9)).time_limit(Duration::ZERO))?;
    run(&mut study, 5)?;
    let Verdict::Continue(reason) = study.verdict()? else {
        panic!("an index above the best outcome")
    };
    assert!(reason.statistic > reason.threshold);
    let words = reason.to_string();
    assert!(words.ends_with("; the time for the search was up"), "{words}");
    Ok(())
}

/// A rule that returns the statistics that it was given.
struct Told(Vec<Statistic>);

impl StopRule for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    fn check(&mut self, _context: &StopContext<'_>) -> Result<Statistic> {
        Ok(self.0.remove(0))
    }
}

#[test]
fn a_value_from_an_interrupted_search_is_part_of_no_mean() {
    let mut stage =
        Stage::new(Space::new().float("x", 0.0, 1.0), gittins::data::Direction::Maximize, 0.3);
    let values = [(4.0, false), (-50.0, true), (2.0, false), (-7.0, false)];
    let statistics = values
        .map(|(value, interrupted)| Statistic::at_most(value, 0.0).unless_interrupted(interrupted));
    let mut rule = Told(statistics.to_vec()).smoothed(2);
    let mut found = Vec::new();
    for (i, _) in values.iter().enumerate() {
        stage.tell(&[0.1 * (i + 1) as f64], 0.0, 1.0);
        let statistic = stage.check(&mut rule);
        found.push((statistic.value, statistic.fired));
    }
    // The means are over 4 and 2, and over 2 and -7. The second check has no mean.
    assert_eq!(found, [(4.0, false), (-50.0, false), (3.0, false), (-2.5, true)]);
}

#[test]
fn an_interrupted_statistic_is_held_back_and_says_so() {
    let below = Statistic::at_most(-1.0, 0.0).note("a").unless_interrupted(true);
    assert!(!below.fired && below.interrupted);
    assert_eq!(
        below.note,
        "a; the time for the search was up before it could tell whether to stop"
    );
    let above = Statistic::at_most(1.0, 0.0).unless_interrupted(true);
    assert_eq!((above.fired, above.note.as_str()), (false, "the time for the search was up"));
    let whole = Statistic::at_most(-1.0, 0.0).unless_interrupted(false);
    assert_eq!(whole, Statistic::at_most(-1.0, 0.0));
}

#[test]
fn much_time_is_as_good_as_no_limit() -> Result<()> {
    // The batches differ, so values agree up to rounding. Over a table the choice is the same,
    // unless the search itself uses the limit.
    let rows: Vec<Vec<f64>> =
        (0..200).map(|i| vec![f64::from(i % 20) / 19.0, f64::from(i / 20) / 9.0]).collect();
    for policy in policies() {
        let name = format!("{policy:?}");
        let told = |limit: Option<Duration>| -> Result<Vec<Suggestion>> {
            let table = Table::new(["x", "y"], rows.clone())?;
            let mut study = study(table.into(), |builder| {
                let builder = builder.policy(policy.clone()).search(Search::new(200, 6));
                limit.into_iter().fold(builder, StudyBuilder::time_limit)
            })?;
            run(&mut study, 5 + 1)
        };
        let (timeless, timed) = (told(None)?, told(Some(Duration::from_secs(3600)))?);
        assert_eq!(timed[0].ended, Ended::Finished, "{name}");
        assert_eq!(timed[0].fit, timeless[0].fit, "{name}");
        assert!(matches!(timed[0].fit, FitStatus::Converged | FitStatus::Limited), "{name}");
        if !matches!(timed[0].acquisition, Acquisition::Joint(Joint::MultiStepImprovement { .. })) {
            assert_eq!(timed[0].row, timeless[0].row, "{name}");
        }
    }
    Ok(())
}

/// Without time for a fit the old scaling is kept, unless the outcomes no longer suit it.
#[test]
fn an_extreme_outcome_without_time_for_a_fit_leaves_numbers() -> Result<()> {
    let space = Space::new().float("x", 0.0, 1.0);
    let study = Study::maximize(space)
        .policy(Acquisition::gittins(1e-6))
        .initial(1)
        .time_limit(Duration::ZERO);
    let mut study = study.build()?;
    for (x, outcome) in [(0.2, 0.79), (0.7, -f64::MAX), (0.4, 0.5)] {
        study.import(&[x], Outcome::new(outcome))?;
        let verdict = study.verdict()?;
        assert!(!verdict.reason().statistic.is_nan(), "{}", verdict.reason());
        assert!(study.ask()?.numbers()[0].is_finite());
    }
    Ok(())
}
