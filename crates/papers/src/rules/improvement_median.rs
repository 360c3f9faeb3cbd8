//! Stop when the expected improvement is small compared with that early in the run.

use super::history::History;
use gittins::Acquisition;
use gittins::Result;
use gittins::internals::check_positive;
use gittins::internals::check_window;
use gittins::internals::decimal;
use gittins::internals::saturated;
use gittins::stop::Statistic;
use gittins::{StopContext, StopRule};

/// Stops when the best expected improvement per cost has fallen to a small share of its early
/// median (LogEIPC-med in Xie et al. 2025, Cost-aware Stopping for Bayesian Optimization, section
/// 4, after the median heuristic of Ishibashi et al. 2023):
///
/// ```text
/// L_t = max over what is left [ ln EI - ln c ]        L_t <= ln eta + median(L_1 .. L_I)        t > I
/// ```
///
/// `c` is the expected cost if costs are learned, `eta = 0.01` and `I = 20`. The statistic is the
/// logarithm of an improvement in outcome units per unit of cost. Both sides move alike, so neither
/// unit matters. The rule needs no price. It works on spaces and on tables with any acquisition.
/// The index `t` counts the checks of this rule after which something was known. If checks are
/// rarer than trials, the rule still waits for that many checks.
#[derive(Debug, Clone)]
pub struct ImprovementMedianRule {
    share: f64,
    first: usize,
    history: History,
}

impl ImprovementMedianRule {
    /// With `eta = 0.01` and the median of the first 20 values.
    pub fn new() -> Self {
        Self { share: 0.01, first: 20, history: History::default() }
    }

    /// Sets the share `eta` of the early improvement; positive.
    pub fn share(mut self, eta: f64) -> Self {
        self.share = eta;
        self
    }

    /// Sets the number of first values for the median, at least 1.
    pub fn first(mut self, values: usize) -> Self {
        self.first = values;
        self
    }
}

impl Default for ImprovementMedianRule {
    fn default() -> Self {
        Self::new()
    }
}

impl StopRule for ImprovementMedianRule {
    fn name(&self) -> &'static str {
        "expected improvement per cost beside its early median"
    }

    fn check(&mut self, context: &StopContext<'_>) -> Result<Statistic> {
        let unknown = f64::NEG_INFINITY;
        let Some(surrogate) = context.surrogate() else { return Ok(Statistic::unknown(unknown)) };
        if !surrogate.knows_cost() {
            return Ok(Statistic::no_cost_yet(unknown));
        }
        let Some(best) = context.maximize(&Acquisition::log_eipc())? else {
            return Ok(Statistic::nothing_left(unknown));
        };
        // A value that may be too low does not enter the median.
        if !best.interrupted {
            self.history.keep(context.observations().len(), best.value);
        }
        let statistic = match self.history.early_median(self.first) {
            None => Statistic::at_most(best.value, unknown).note(self.history.note(self.first)),
            Some(median) => {
                let share = decimal(saturated((best.value - median).exp()), 2);
                let words = format!(
                    "the best expected improvement per cost is {share} of its early median, {} to stop",
                    self.share
                );
                Statistic::at_most(best.value, self.share.ln() + median).note(words)
            }
        };
        Ok(statistic.unless_interrupted(best.interrupted))
    }

    fn state(&self) -> Vec<f64> {
        self.history.state()
    }

    fn restore(&mut self, state: &[f64]) {
        self.history.restore(state);
    }

    fn validate(&self, _price: Option<f64>) -> Result<()> {
        check_positive("the share eta of the early median", self.share)?;
        check_window("the number of values of the early median", self.first)
    }
}
