//! The results of many seeds at one cost and one price of a unit of it: means beside the published
//! ones, and which rule is better than which.

use gittins_papers::evaluation::{Divisor, Summary};

use super::problem::{Chooser, Price};
use super::trial::{HINDSIGHT, OWN_RULE, Stop};
use crate::comparison::{Cell, ENOUGH_SEEDS, Estimate, Published};
use crate::experiment::{Axes, Bars, Claim, Drawing, Panel, Statistic};
use crate::published;
use frontend::Result;

/// All runs at one cost, judged at one price of a unit of it.
pub struct Cost<'a> {
    price: Price,
    lambda: f64,
    seeds: usize,
    stops: Vec<&'a Stop>,
}

impl<'a> Cost<'a> {
    pub fn new(seeds: &'a [Vec<Stop>], price: Price, lambda: f64) -> Self {
        let stops = seeds
            .iter()
            .flatten()
            .filter(|stop| stop.price == price && stop.lambda == lambda)
            .collect();
        Self { price, lambda, seeds: seeds.len(), stops }
    }

    /// A group of bars for each chooser, and a bar for each rule. `compares` adds the published
    /// numbers.
    ///
    /// # Errors
    /// If there is no run.
    pub fn panel(&self, compares: bool) -> Result<Panel> {
        let (mut bars, mut cells) = (Vec::new(), Vec::new());
        for rule in self.rules() {
            let (mut values, mut published) = (Vec::new(), Vec::new());
            let mut least: Option<Estimate> = None;
            for chooser in Chooser::ALL {
                let mean = Estimate::mean(&self.adjusted(chooser, rule))?;
                values.push((mean.value, 2.0 * mean.error));
                if least.is_none_or(|least| mean.value < least.value) {
                    least = Some(mean);
                }
                let theirs =
                    self.published(&format!("{rule} on {}", chooser.name())).filter(|_| compares);
                published.push(theirs.map(|theirs| theirs.value));
                cells.extend(theirs.map(|theirs| Cell::new(rule, chooser.name(), mean, theirs)));
            }
            if let (Some(least), Some(theirs)) =
                (least, self.published(&format!("{rule} at least")).filter(|_| compares))
            {
                cells.push(Cell::new(rule, "the least", least, theirs));
            }
            bars.push(Bars { name: rule.to_owned(), values, published, bound: rule == HINDSIGHT });
        }
        let axes = Axes {
            x: "acquisition".to_owned(),
            y: "cost-adjusted regret".to_owned(),
            logarithmic: true,
            statistic: Statistic::Mean,
        };
        let groups = Chooser::ALL.map(|chooser| chooser.name().to_owned()).to_vec();
        Ok(Panel {
            name: format!("{}-{}", self.price.name(), self.lambda),
            title: self.title(),
            drawing: Drawing::Bars { axes, groups, bars },
            cells,
        })
    }

    /// The claim that no rule did better than the matching one on the runs of the index and of
    /// `LogEIPC`.
    ///
    /// # Errors
    /// If there is no run.
    pub fn claim(&self) -> Result<Claim> {
        let mut worst: Option<(f64, String)> = None;
        for chooser in Chooser::ALL.into_iter().filter(|chooser| chooser.is_meant()) {
            let own = self.adjusted(chooser, OWN_RULE);
            for rule in
                self.rules().into_iter().filter(|rule| ![HINDSIGHT, OWN_RULE].contains(rule))
            {
                let gains: Vec<f64> = own
                    .iter()
                    .zip(self.adjusted(chooser, rule))
                    .map(|(own, other)| own - other)
                    .collect();
                let gain = Summary::of(&gains, Divisor::Sample)?;
                let errors = 2.0 * gain.mean / gain.two_standard_errors.unwrap_or(f64::INFINITY);
                if gain.mean > 0.0 && worst.as_ref().is_none_or(|(most, _)| errors > *most) {
                    worst = Some((
                        errors,
                        format!(
                            "{rule} did better on {}, by {:.5} or {errors:.2} standard errors",
                            chooser.name(),
                            gain.mean
                        ),
                    ));
                }
            }
        }
        Ok(Claim {
            text: format!(
                "{}: on runs of PBGI and of LogEIPC no rule beats {OWN_RULE} by more than two standard errors of the paired difference",
                self.title()
            ),
            holds: (self.seeds >= ENOUGH_SEEDS)
                .then(|| worst.as_ref().is_none_or(|(errors, _)| *errors <= 2.0)),
            evidence: worst
                .map_or_else(|| "no rule did better on average".to_owned(), |(_, told)| told),
        })
    }

    /// `uniform cost, lambda 0.1`.
    fn title(&self) -> String {
        format!("{} cost, lambda {}", self.price.name(), self.lambda)
    }

    /// In the order in which they were replayed, hindsight first.
    fn rules(&self) -> Vec<&'a str> {
        let mut rules: Vec<&str> = Vec::new();
        for stop in &self.stops {
            if !rules.contains(&stop.rule.as_str()) {
                rules.push(&stop.rule);
            }
        }
        rules
    }

    /// The cost-adjusted regret of a rule on the runs of a chooser, seed by seed.
    fn adjusted(&self, chooser: Chooser, rule: &str) -> Vec<f64> {
        self.stops
            .iter()
            .filter(|stop| stop.chooser == chooser && stop.rule == rule)
            .map(|stop| stop.adjusted)
            .collect()
    }

    fn published(&self, what: &str) -> Option<Published> {
        let race = match self.price {
            Price::Uniform => "stopping-1d-uniform",
            Price::Linear => "stopping-1d-linear",
        };
        published::of(race)
            .along(what)
            .into_iter()
            .find(|(lambda, _)| *lambda == self.lambda)
            .map(|(_, published)| published)
    }
}
