//! Problem x policy x seeds x budget: the regret, or the best value, against the money spent.

mod method;
mod problem;
mod trial;

use std::sync::Arc;

use gittins::data::Direction;
use gittins::evaluation::{Course, Interpolation, Mark};
use serde_json::json;

use crate::comparison::{Cell, ENOUGH_SEEDS, Estimate, Published, signed_rank};
use crate::experiment::{Axes, Claim, Curve, CurvePoint, Digest, Drawing, Experiment, Panel, Size, Task};
use crate::published;
use crate::store::Store;
use crate::support::Result;

pub use method::Method;
pub use problem::{Budget, Instance, Price, Problem};
pub use trial::Trace;

use gittins::evaluation::{Divisor, Summary};

/// Places of a curve.
const STEPS: usize = 100;

/// One problem at one price and budget, searched by several methods.
#[derive(Debug, Clone)]
pub struct Race {
    pub title: String,
    /// Under this name its numbers stand in `published.csv`.
    pub published: &'static str,
    pub problem: Problem,
    pub price: Price,
    pub budget: Budget,
    pub methods: Vec<Method>,
    /// Whether the falling prices of the index are a panel of their own.
    pub show_prices: bool,
    pub lessons: Vec<Lesson>,
}

/// That one method does better than another at a part of the budget.
#[derive(Debug, Clone, Copy)]
pub struct Lesson {
    pub better: Method,
    pub worse: Method,
    pub fraction: f64,
}

/// Races with the same seeds.
#[derive(Debug, Clone)]
pub struct Optimization {
    pub name: &'static str,
    pub title: String,
    pub seeds: u64,
    pub races: Vec<Race>,
}

impl Race {
    fn budget(&self, size: &Size) -> Budget {
        match self.budget {
            Budget::Evaluations(count) => Budget::Evaluations(size.part(count)),
            Budget::Money(money) => Budget::Money(if size.quick { 0.1 * money } else { money }),
        }
    }

    fn arm(&self, method: Method, size: &Size) -> String {
        format!("{}_{}_{}_{}", self.problem.slug(), self.price.slug(), self.budget(size).slug(), method.slug())
    }

    fn tasks(&self, seeds: u64, size: &Size) -> Vec<Task> {
        let mut tasks = Vec::new();
        for seed in size.seeds(seeds) {
            if let Some(arm) = self.problem.reference_arm() {
                let problem = self.problem;
                let work = Arc::new(move || Ok(serde_json::to_value(problem.reference(seed)?)?));
                tasks.push(Task { arm, seed, work, probe: None });
            }
        }
        for &method in &self.methods {
            let (problem, price, budget) = (self.problem, self.price, self.budget(size));
            let arm = self.arm(method, size);
            let (backend, probing) = (size.backend.clone(), size.backend.clone());
            let probe: Arc<crate::experiment::Probe> = Arc::new(move || trial::probe(problem, price, budget, method, &probing));
            let work: Arc<dyn Fn(u64) -> Result<Trace> + Send + Sync> =
                Arc::new(move |seed| trial::run(problem, price, budget, method, seed, &backend));
            for seed in size.seeds(seeds) {
                let work = work.clone();
                let work = Arc::new(move || Ok(json!(work(seed)?)));
                tasks.push(Task { arm: arm.clone(), seed, work, probe: (!size.quick).then(|| probe.clone()) });
            }
        }
        tasks
    }

    /// The regret of each seed at a place, or the best value where the optimum is not known.
    fn course(&self, method: Method, seed: u64, size: &Size, store: &Store) -> Result<(Course, Trace)> {
        let trace: Trace = store.get(&self.arm(method, size), seed)?;
        let reference = match self.problem.reference_arm() {
            Some(arm) => Some(store.get::<problem::Reference>(&arm, seed)?),
            None => None,
        };
        let shown = |best: f64| self.problem.shown(best, reference.as_ref());
        let marks = trace.spent.iter().zip(&trace.best).enumerate();
        let marks = marks.map(|(adaptive, (&spent, &best))| Mark { adaptive, spent, best: shown(best) }).collect();
        let direction = if self.problem.shows_regret() { Direction::Minimize } else { Direction::Maximize };
        Ok((Course::new(direction, marks)?, trace))
    }

    fn panels(&self, seeds: u64, size: &Size, store: &Store) -> Result<Vec<Panel>> {
        let budget = self.budget(size).money();
        let name = slug(&self.title);
        let numbers = published::of(self.published);
        let (mut curves, mut cells, mut prices, mut price_cells) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &method in &self.methods {
            let courses = size.seeds(seeds).map(|seed| self.course(method, seed, size, store)).collect::<Result<Vec<_>>>()?;
            let at = |fraction: f64, between| -> Vec<f64> {
                courses.iter().map(|(course, _)| course.best_at(fraction * budget, between)).collect()
            };
            let mut curve = Curve { name: method.name(), seeds: courses.len(), points: Vec::new(), published: Vec::new() };
            for step in 0..=STEPS {
                let fraction = step as f64 / STEPS as f64;
                curve.points.push(curve_point(fraction * budget, &at(fraction, Interpolation::Steps))?);
            }
            for (fraction, published) in numbers.along(&method.name()) {
                // A tenth of the budget has no published numbers.
                if size.quick {
                    continue;
                }
                curve.published.push((fraction * budget, published.value));
                // The published curves are lines between evaluations.
                let ours = Estimate::median(&at(fraction, Interpolation::Linear))?;
                cells.push(Cell::new(method.name(), percent(fraction), ours, published));
            }
            curves.push(curve);
            if self.show_prices && courses.iter().all(|(_, trace)| !trace.price.is_empty()) {
                let price_at = |fraction: f64| -> Vec<f64> { courses.iter().map(|(_, trace)| trace.price_at(fraction * budget)).collect() };
                let mut curve = Curve { name: method.name(), seeds: courses.len(), points: Vec::new(), published: Vec::new() };
                for step in 0..=STEPS {
                    let fraction = step as f64 / STEPS as f64;
                    curve.points.push(curve_point(fraction * budget, &price_at(fraction))?);
                }
                let place = format!("{} price", method.name());
                for (fraction, published) in numbers.along(&place) {
                    if size.quick {
                        continue;
                    }
                    curve.published.push((fraction * budget, published.value));
                    let logs: Vec<f64> = price_at(fraction).iter().map(|price| price.log10()).collect();
                    let published = Published {
                        value: published.value.log10(),
                        quartiles: published.quartiles.map(|(low, high)| (low.log10(), high.log10())),
                        ..published
                    };
                    price_cells.push(Cell::new(place.clone(), percent(fraction), Estimate::median(&logs)?, published));
                }
                prices.push(curve);
            }
        }
        let axes = Axes {
            x: self.price.axis().to_owned(),
            y: if self.problem.shows_regret() { "simple regret" } else { "best value" }.to_owned(),
            logarithmic: self.problem.is_logarithmic(),
        };
        let mut panels = vec![Panel { name: name.clone(), title: self.title.clone(), drawing: Drawing::Curves { axes, curves }, cells }];
        if !prices.is_empty() {
            let axes = Axes { x: self.price.axis().to_owned(), y: "lambda".to_owned(), logarithmic: true };
            let drawing = Drawing::Curves { axes, curves: prices };
            panels.push(Panel { name: format!("{name}-price"), title: format!("{}: lambda", self.title), drawing, cells: price_cells });
        }
        Ok(panels)
    }

    /// The lessons, tested on pairs of runs on one function from one design.
    fn claims(&self, seeds: u64, size: &Size, store: &Store) -> Result<Vec<Claim>> {
        let budget = self.budget(size).money();
        let mut claims = Vec::new();
        for lesson in &self.lessons {
            let at = |method: Method| -> Result<Vec<f64>> {
                let courses = size.seeds(seeds).map(|seed| self.course(method, seed, size, store)).collect::<Result<Vec<_>>>()?;
                let sign = if self.problem.shows_regret() { 1.0 } else { -1.0 };
                Ok(courses.iter().map(|(course, _)| sign * course.best_at(lesson.fraction * budget, Interpolation::Steps)).collect())
            };
            let (better, worse) = (at(lesson.better)?, at(lesson.worse)?);
            let gains: Vec<f64> = worse.iter().zip(&better).map(|(worse, better)| worse - better).collect();
            let gain = Summary::of(&gains, Divisor::Sample)?;
            let (chance, won) = (signed_rank(&gains), gains.iter().filter(|gain| **gain > 0.0).count());
            claims.push(Claim {
                text: format!(
                    "{}: {} is better than {} at {} of the budget",
                    self.title,
                    lesson.better.name(),
                    lesson.worse.name(),
                    percent(lesson.fraction)
                ),
                holds: (gains.len() >= ENOUGH_SEEDS).then_some(chance < 0.05),
                evidence: format!(
                    "better on {won} of {} seeds, by {:.3} in the median and {:.3} +- {:.3} on average (two standard errors); signed-rank test, one-sided: p = {chance:.2e}",
                    gains.len(),
                    gain.median,
                    gain.mean,
                    gain.two_standard_errors.unwrap_or(f64::NAN)
                ),
            });
        }
        Ok(claims)
    }
}

impl Experiment for Optimization {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn seeds(&self) -> u64 {
        self.seeds
    }

    fn tasks(&self, size: &Size) -> Vec<Task> {
        self.races.iter().flat_map(|race| race.tasks(self.seeds, size)).collect()
    }

    fn digest(&self, size: &Size, store: &Store) -> Result<Digest> {
        let mut digest = Digest::default();
        for race in &self.races {
            digest.panels.extend(race.panels(self.seeds, size, store)?);
            digest.claims.extend(race.claims(self.seeds, size, store)?);
            digest.notes.extend(race.problem.note(size.seeds(self.seeds), store)?);
        }
        Ok(digest)
    }
}

/// Median, quartiles, mean and error of the seeds at one place.
pub fn curve_point(x: f64, values: &[f64]) -> Result<CurvePoint> {
    let Summary { lower_quartile, median, upper_quartile, mean, two_standard_errors, .. } = Summary::of(values, Divisor::Sample)?;
    Ok(CurvePoint { x, lower_quartile, median, upper_quartile, mean, two_standard_errors })
}

/// `50 %`.
pub fn percent(fraction: f64) -> String {
    format!("{:.0} %", 100.0 * fraction)
}

/// In letters fit for a file.
pub fn slug(text: &str) -> String {
    let letters: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' }).collect();
    letters.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
