//! One point that is told several times, with contradicting outcomes.

use gittins::acquisition::MaximumEstimate;
use gittins::model::Noise;
use gittins::stop::{Form, ThresholdRule, any};
use gittins::study::{Search, Why};
use gittins::suggest::MaxValueEntropy;
use gittins::{
    Acquisition, Cost, Domain, GaussianProcess, GittinsRule, KernelFamily, Outcome, Pointwise,
    Policy, Result, Space, StopRule, Study, Table,
};
use gittins_papers::rules::{
    ConfidenceGapRule, GittinsBeforeRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};

fn domains() -> [(Domain, [f64; 2], [f64; 2]); 4] {
    let rows = (0..24)
        .map(|i| vec![f64::from(i % 6), f64::from(i / 6)])
        .chain([vec![2.0, 1.0], vec![2.0, 1.0]])
        .collect();
    [
        (Space::new().float("x", 0.0, 5.0).float("y", 0.0, 3.0).into(), [2.0, 1.0], [0.0, 3.0]),
        (Space::new().float("x", 0.0, 5.0).int("y", 0, 3).into(), [2.5, 1.0], [5.0, 0.0]),
        (Space::new().int("x", 0, 5).int("y", 0, 3).into(), [2.0, 1.0], [0.0, 0.0]),
        // A table with repeated rows.
        (Table::new(["x", "y"], rows).unwrap().into(), [2.0, 1.0], [5.0, 3.0]),
    ]
}

fn models() -> Vec<GaussianProcess> {
    let exact = GaussianProcess::new().noise(Noise::Fixed(0.0));
    vec![
        GaussianProcess::new(),
        exact.clone(),
        exact.clone().kernel(KernelFamily::Rbf),
        exact.fixed_kernel(vec![0.4, 0.4], 1.0),
        GaussianProcess::new().noise(Noise::Fixed(1e-6)).fixed_kernel(vec![0.4, 0.4], 1.0),
    ]
}

/// A policy of each kind.
pub fn policies() -> Vec<Policy> {
    vec![
        Acquisition::gittins(1e-2).into(),
        Policy::gittins_adaptive(),
        Policy::ucb(),
        Policy::thompson(),
        Policy::estimation(MaximumEstimate::Integral),
        Policy::max_value_entropy(MaxValueEntropy::per_cost()),
        Policy::knowledge_gradient(4),
        Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
            exponent: 1.0,
            form: gittins::CostForm::Expected,
        })
        .into(),
        Acquisition::multi_step_lookahead(1, &[2]).into(),
    ]
}

fn rule() -> impl StopRule {
    let rules: Vec<Box<dyn StopRule>> = vec![
        Box::new(GittinsRule::priced(1e-2)),
        Box::new(GittinsRule::priced(1e-2).form(Form::LogImprovementPerCost)),
        Box::new(GittinsBeforeRule::priced(1e-2)),
        Box::new(ConfidenceGapRule::new(1e-2)),
        Box::new(ImprovementMedianRule::new().first(1)),
        Box::new(RegretGapRule::new().first(1)),
        Box::new(RegretProbabilityRule::frequency(0.1).samples(8, 8).features(16)),
        Box::new(ThresholdRule::knowledge_gradient(4, 1e-3)),
    ];
    any(rules)
}

#[test]
fn a_point_told_twice_with_different_outcomes_is_no_error() -> Result<()> {
    let outcomes = [[1.0, -1.0, 1.0 + 1e-12], [3.0, 3.0, 3.0], [1e200, -1e200, 0.0]];
    for (place, (domain, twice, other)) in domains().into_iter().enumerate() {
        for (kind, model) in models().into_iter().enumerate() {
            for (number, policy) in policies().into_iter().enumerate() {
                // Each two of domain, model and policy meet each of the outcomes.
                let outcomes = outcomes[(place + kind + number) % 3];
                let what = || format!("{policy:?} over {domain:?} with {model:?}, {outcomes:?}");
                let study = Study::minimize(domain.clone())
                    .model(model.clone())
                    .cost_model(model.clone())
                    .cost(Cost::learned());
                let mut study = study
                    .policy(policy.clone())
                    .stop(rule())
                    .initial(3)
                    .search(Search::new(16, 2))
                    .build()?;
                for (k, outcome) in outcomes.into_iter().enumerate() {
                    // One of the costs contradicts the others.
                    study.import(
                        &twice,
                        Outcome::new(outcome).cost(if k == 1 { 9.0 } else { 2.0 }),
                    )?;
                }
                study.import(&other, Outcome::failed().cost(2.0))?;
                study.import(&other, Outcome::infeasible().cost(3.0))?;
                study.import(&other, Outcome::new(0.5).cost(2.0))?;
                for _ in 0..2 {
                    let ask = study.ask().map_err(|error| error.at(what()))?;
                    let Why::Suggested(why) = ask.why() else { panic!("{}", ask.why()) };
                    assert!(
                        [why.value, why.mean, why.sd, why.cost]
                            .iter()
                            .all(|number| number.is_finite()),
                        "{why}: {}",
                        what()
                    );
                    assert!(ask.numbers() != twice || why.repeated, "{}", what());
                    study.tell(ask.id(), Outcome::new(0.75).cost(2.5))?;
                    let verdict = study.verdict().map_err(|error| error.at(what()))?;
                    assert!(!verdict.reason().statistic.is_nan(), "{verdict:?}: {}", what());
                }
            }
        }
    }
    Ok(())
}
