//! The rules that are compared.

use gittins::stop::{StallRule, ThresholdRule, TrialLimit};
use gittins::{GittinsRule, StopRule};
use gittins_papers::rules::{
    ConfidenceGapRule, GittinsBeforeRule, GlobalWindowRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};

/// Every rule by its name here, with the settings of Xie et al. 2025, "Cost-aware Stopping for
/// Bayesian Optimization", if the paper has it. Rules that compare with an amount of the outcome
/// take `tolerance`, and `half` is the number of trials at half of the run.
pub fn all(lambda: f64, tolerance: f64, half: usize) -> Vec<(String, Box<dyn StopRule>)> {
    let rule = |name: &str, rule: Box<dyn StopRule>| (name.to_owned(), rule);
    vec![
        rule("Gittins index", Box::new(GittinsRule::priced(lambda))),
        rule("Gittins index before update", Box::new(GittinsBeforeRule::priced(lambda))),
        rule("UCB - LCB", Box::new(ConfidenceGapRule::new(tolerance))),
        rule("LogEIPC, early median", Box::new(ImprovementMedianRule::new())),
        rule("regret gap, early median", Box::new(RegretGapRule::new())),
        rule("probability of regret", Box::new(RegretProbabilityRule::new(tolerance))),
        rule("expected improvement", Box::new(ThresholdRule::expected_improvement(tolerance))),
        rule("chance of improvement", Box::new(ThresholdRule::probability_of_improvement(0.01))),
        rule("knowledge gradient", Box::new(ThresholdRule::knowledge_gradient(16, tolerance))),
        rule("no new best", Box::new(StallRule::new())),
        rule("global stopping strategy", Box::new(GlobalWindowRule::new())),
        rule("half of the trials", Box::new(TrialLimit::new(half))),
    ]
}
