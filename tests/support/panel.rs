//! Several stopping rules that judge one run, side by side.

use std::sync::{Arc, Mutex};

use gittins::stop::{Form, StallRule, Statistic, Steadying, ThresholdRule};
use gittins::{Acquisition, GittinsRule, Pointwise, Result, StopContext, StopRule};
use gittins_papers::rules::{
    ConfidenceGapRule, GittinsBeforeRule, GlobalWindowRule, ImprovementMedianRule, RegretGapRule,
    RegretProbabilityRule,
};

/// Every rule. Its thresholds in outcome units are multiplied by `unit`, and its early medians are
/// medians of three values.
pub fn every_rule(unit: f64, lambda: f64) -> Vec<Box<dyn StopRule>> {
    let lambda = lambda * unit;
    vec![
        Box::new(GittinsRule::priced(lambda)),
        Box::new(GittinsRule::priced(lambda).form(Form::LogImprovementPerCost)),
        Box::new(GittinsRule::priced(lambda).form(Form::ImprovementPerCost).smoothed(3)),
        Box::new(GittinsBeforeRule::priced(lambda)),
        Box::new(ConfidenceGapRule::new(0.02 * unit)),
        Box::new(ImprovementMedianRule::new().first(3)),
        Box::new(RegretGapRule::new().first(3).share(0.1)),
        Box::new(StallRule::new().window(3)),
        Box::new(GlobalWindowRule::new().window(3).flat_after(8)),
        Box::new(ThresholdRule::expected_improvement(1e-3 * unit)),
        Box::new(ThresholdRule::probability_of_improvement(1e-2)),
        Box::new(ThresholdRule::of(
            Acquisition::Pointwise(Pointwise::ExpectedImprovement),
            1e-2 * unit,
        )),
        Box::new(RegretProbabilityRule::new(0.05 * unit).risk(0.4).samples(32, 96).features(256)),
        Box::new(
            RegretProbabilityRule::frequency(0.05 * unit).risk(0.2).samples(32, 96).features(256),
        ),
        Box::new(ThresholdRule::knowledge_gradient(8, 1e-3 * unit)),
    ]
}

/// A rule that asks several rules, keeps their answers, and never stops.
pub struct Panel {
    rules: Vec<Box<dyn StopRule>>,
    heard: Arc<Mutex<Vec<Vec<Statistic>>>>,
}

impl Panel {
    /// Returns a panel and its record of answers: a row for each check, a column for each rule.
    pub fn new(rules: Vec<Box<dyn StopRule>>) -> (Self, Arc<Mutex<Vec<Vec<Statistic>>>>) {
        let heard = Arc::new(Mutex::new(Vec::new()));
        (Self { rules, heard: heard.clone() }, heard)
    }
}

impl StopRule for Panel {
    fn name(&self) -> &'static str {
        "panel"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let said: Vec<Statistic> =
            self.rules.iter_mut().map(|rule| rule.check(context)).collect::<Result<_>>()?;
        self.heard.lock().unwrap().push(said);
        Ok(Statistic::at_most(1.0, 0.0))
    }

    fn validate(&self, price: Option<f64>) -> Result<()> {
        self.rules.iter().try_for_each(|rule| rule.validate(price))
    }
}
