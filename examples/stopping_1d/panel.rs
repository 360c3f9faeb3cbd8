//! What many seeds say: means with their standard errors, beside the published numbers, and which rule beat which.

use std::fmt::Write;
use std::io;

use gittins::evaluation::{Divisor, Summary};
use serde::Serialize;

use super::problem::{Chooser, Price};
use super::support::Result;
use super::trial::{Cell, HINDSIGHT, LAMBDAS, OWN_RULE, Seed};

/// The published least mean over the choosers of the hindsight value, 50 seeds (Xie et al. 2025, the notebook of the synthetic experiments in one
/// dimension), by the price of a unit of cost.
fn published(price: Price) -> [f64; 3] {
    match price {
        Price::Uniform => [0.275201, 0.0432676, 0.00698490],
        Price::Linear => [0.210387, 0.0360274, 0.00602391],
    }
}

/// A mean over seeds.
#[derive(Debug, Clone, Serialize)]
pub struct Mean {
    pub chooser: Chooser,
    pub rule: String,
    pub adjusted: f64,
    pub two_standard_errors: f64,
    pub regret: f64,
    pub spent: f64,
    pub median_stop: f64,
    /// Runs in which the rule fired.
    pub fired: usize,
}

/// One cost and one price of a unit of it.
#[derive(Debug, Clone, Serialize)]
pub struct Panel {
    pub price: Price,
    pub lambda: f64,
    pub seeds: usize,
    pub means: Vec<Mean>,
    /// The least mean of the hindsight over the choosers, with the published one and the difference in standard errors of a difference between two
    /// means of so many seeds each.
    pub hindsight: f64,
    pub published_hindsight: f64,
    pub difference_in_standard_errors: f64,
    /// Rules that did better than the index's own rule on a run of the index or of LogEIPC: by how many standard errors of the paired difference.
    pub beaten_by: Vec<Beaten>,
}

/// A rule that did better.
#[derive(Debug, Clone, Serialize)]
pub struct Beaten {
    pub chooser: Chooser,
    pub rule: String,
    pub difference: f64,
    pub standard_errors: f64,
}

pub fn panels(seeds: &[Seed]) -> Result<Vec<Panel>> {
    let mut panels = Vec::new();
    for price in Price::ALL {
        for (lambda, published) in LAMBDAS.into_iter().zip(published(price)) {
            panels.push(Panel::new(seeds, price, lambda, published)?);
        }
    }
    Ok(panels)
}

impl Panel {
    fn new(seeds: &[Seed], price: Price, lambda: f64, published: f64) -> Result<Self> {
        let here = |seed: &&Seed| -> Vec<Cell> {
            seed.cells.iter().filter(|cell| cell.price == price && cell.lambda == lambda).cloned().collect()
        };
        let cells: Vec<Vec<Cell>> = seeds.iter().map(|seed| here(&seed)).collect();
        let mut means = Vec::new();
        let mut beaten_by = Vec::new();
        for chooser in Chooser::ALL {
            let of_rule =
                |rule: &str| -> Vec<&Cell> { cells.iter().flatten().filter(|cell| cell.chooser == chooser && cell.rule == rule).collect() };
            let own: Vec<f64> = of_rule(OWN_RULE).iter().map(|cell| cell.adjusted).collect();
            for rule in rules(&cells) {
                let cells = of_rule(&rule);
                let summary = |of: fn(&Cell) -> f64| Summary::of(&cells.iter().map(|cell| of(cell)).collect::<Vec<_>>(), Divisor::Sample);
                let adjusted = summary(|cell| cell.adjusted)?;
                if is_rule(&rule) && rule != OWN_RULE && chooser.is_meant() {
                    let gain: Vec<f64> = own.iter().zip(&cells).map(|(own, cell)| own - cell.adjusted).collect();
                    let gain = Summary::of(&gain, Divisor::Sample)?;
                    let error = 0.5 * gain.two_standard_errors.unwrap_or(f64::INFINITY);
                    if gain.mean > 0.0 {
                        let standard_errors = gain.mean / error;
                        beaten_by.push(Beaten { chooser, rule: rule.clone(), difference: gain.mean, standard_errors });
                    }
                }
                means.push(Mean {
                    chooser,
                    adjusted: adjusted.mean,
                    two_standard_errors: adjusted.two_standard_errors.unwrap_or(f64::INFINITY),
                    regret: summary(|cell| cell.regret)?.mean,
                    spent: summary(|cell| cell.spent)?.mean,
                    median_stop: summary(|cell| cell.stopped_at as f64)?.median,
                    fired: cells.iter().filter(|cell| cell.fired).count(),
                    rule,
                });
            }
        }
        let hindsights = means.iter().filter(|mean| mean.rule == HINDSIGHT);
        let best = hindsights.min_by(|a, b| a.adjusted.total_cmp(&b.adjusted)).ok_or_else(|| io::Error::other("no seed was run"))?;
        // The published error is not printed; for as many seeds of the same experiment it is ours.
        let error = 0.5 * best.two_standard_errors * (1.0 + seeds.len() as f64 / 50.0).sqrt();
        let (hindsight, difference) = (best.adjusted, best.adjusted - published);
        Ok(Self {
            price,
            lambda,
            seeds: seeds.len(),
            hindsight,
            published_hindsight: published,
            difference_in_standard_errors: difference / error,
            beaten_by,
            means,
        })
    }

    /// `uniform cost, lambda 0.1`.
    pub fn title(&self) -> String {
        format!("{} cost, lambda {}", self.price.name(), self.lambda)
    }

    pub fn of(&self, chooser: Chooser, rule: &str) -> Option<&Mean> {
        self.means.iter().find(|mean| mean.chooser == chooser && mean.rule == rule)
    }

    /// The rules in the order of the table, hindsight first.
    pub fn rules(&self) -> Vec<&str> {
        let first = self.means.first().map(|mean| mean.chooser);
        self.means.iter().filter(|mean| Some(mean.chooser) == first).map(|mean| mean.rule.as_str()).collect()
    }

    /// The panel as aligned text.
    pub fn text(&self) -> String {
        let mut text = format!("{}: mean cost-adjusted regret +- 2 standard errors (median trials, runs stopped)\n", self.title());
        let _ = write!(text, "{:<14}", "");
        for chooser in Chooser::ALL {
            let _ = write!(text, "{:>29}", chooser.name());
        }
        for rule in self.rules() {
            let _ = write!(text, "\n{rule:<14}");
            for chooser in Chooser::ALL {
                let Some(mean) = self.of(chooser, rule) else { continue };
                let number = format!("{:.4} +- {:.4}", mean.adjusted, mean.two_standard_errors);
                let _ = write!(text, "{number:>18} ({:>3.0},{:>3})", mean.median_stop, mean.fired);
            }
        }
        let (ours, theirs, apart) = (self.hindsight, self.published_hindsight, self.difference_in_standard_errors);
        let _ = write!(text, "\nleast mean hindsight {ours:.5}, published {theirs:.5}: {apart:+.2} standard errors apart");
        for Beaten { chooser, rule, difference, standard_errors } in &self.beaten_by {
            let _ = write!(
                text,
                "\n{rule} did better than {OWN_RULE} on {} by {difference:.5}, {standard_errors:.2} standard errors",
                chooser.name()
            );
        }
        text
    }
}

/// Hindsight knows the end of the run.
fn is_rule(name: &str) -> bool {
    name != HINDSIGHT
}

fn rules(cells: &[Vec<Cell>]) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for cell in cells.first().into_iter().flatten() {
        if !rules.contains(&cell.rule) {
            rules.push(cell.rule.clone());
        }
    }
    rules
}
