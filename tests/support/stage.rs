//! A run that a test puts together by hand, step by step, for a stopping rule.

use std::sync::Arc;

use gittins::data::{Direction, State, Warping};
use gittins::internals::{Ledger, Setup, Taken};
use gittins::model::{Mean, Noise};
use gittins::stop::Statistic;
use gittins::suggest::{Incumbent, Surrogate};
use gittins::{
    Cost, Cpu, Domain, GaussianProcess, Maximize, Observations, Points, StopContext, StopRule,
};

/// A run without a study. Points of the unit cube can be told in any order, and rules can be asked
/// at any time.
pub struct Stage {
    pub setup: Setup,
    pub observations: Observations,
    pub ledger: Ledger,
    pub surrogate: Option<Surrogate>,
    evaluated: Taken,
    fitted: usize,
}

impl Stage {
    /// A stage with a Matern-5/2 kernel of this lengthscale, variance 1, mean 0 and noise 1e-6.
    /// Outcomes are not scaled, and the cost is 1.
    pub fn new(domain: impl Into<Domain>, direction: Direction, lengthscale: f64) -> Self {
        let domain = domain.into();
        let dim = domain.dim();
        let model = GaussianProcess::new()
            .fixed_kernel(vec![lengthscale; dim], 1.0)
            .mean(Mean::Fixed(0.0))
            .noise(Noise::Fixed(1e-6));
        let setup = Setup {
            domain,
            cost: Cost::uniform(1.0),
            model,
            cost_model: GaussianProcess::new(),
            standardize: false,
            warping: Warping::None,
            listed: None,
            cost_floor: None,
            incumbent: Incumbent::BestOutcome,
            backend: Arc::new(Cpu),
            search: Maximize { raw: 128, starts: 6, ..Maximize::new(dim) },
            trees: Maximize { raw: 128, starts: 6, ..Maximize::for_trees(dim) },
            time_limit: None,
            seed: 5,
        };
        let observations = Observations::new(dim, direction);
        Self {
            setup,
            observations,
            ledger: Ledger::default(),
            surrogate: None,
            evaluated: Taken::default(),
            fitted: 0,
        }
    }

    /// Tells a point of the design.
    pub fn design(&mut self, unit: &[f64], outcome: f64) {
        self.observe(unit, Some(outcome), 1.0);
    }

    /// Tells a suggested trial.
    pub fn tell(&mut self, unit: &[f64], outcome: f64, cost: f64) {
        self.observe(unit, Some(outcome), cost);
        self.ledger.counts.adaptive += 1;
        self.ledger.spent += cost;
    }

    /// Tells a suggested trial without an outcome.
    pub fn fail(&mut self, unit: &[f64]) {
        self.observe(unit, None, 1.0);
        self.ledger.counts.adaptive += 1;
    }

    fn observe(&mut self, unit: &[f64], outcome: Option<f64>, cost: f64) {
        let state = if outcome.is_some() { State::Complete } else { State::Failed };
        self.observations.push(unit, state, outcome, Some(cost)).unwrap();
        self.evaluated.insert(unit);
        self.ledger.counts.told += 1;
    }

    /// Lends the context of the run as it stands.
    pub fn with<T>(&mut self, look: impl FnOnce(&StopContext<'_>) -> T) -> T {
        if self.fitted < self.observations.len() {
            self.surrogate =
                Surrogate::fit(&self.setup, &self.observations, self.surrogate.as_ref()).unwrap();
            self.fitted = self.observations.len();
        }
        let hints = Points::new(self.setup.domain.dim());
        look(&StopContext::new(
            &self.setup,
            self.surrogate.as_ref(),
            &self.observations,
            &self.evaluated,
            &hints,
            &self.ledger,
        ))
    }

    /// The rule's answer now.
    pub fn check(&mut self, rule: &mut impl StopRule) -> Statistic {
        self.with(|context| rule.check(context).unwrap())
    }

    /// The answer of a rule that uses no model.
    pub fn without_model(&self, rule: &mut impl StopRule) -> Statistic {
        let hints = Points::new(self.setup.domain.dim());
        let context = StopContext::new(
            &self.setup,
            None,
            &self.observations,
            &self.evaluated,
            &hints,
            &self.ledger,
        );
        rule.check(&context).unwrap()
    }
}
