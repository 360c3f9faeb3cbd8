//! Several methods on the same seeds: their curves, their numbers beside the published ones, and whether one is better than another.

use gittins::data::Direction;
use gittins::evaluation::{Course, Divisor, Interpolation, Summary};

use crate::comparison::{Cell, ENOUGH_SEEDS, Estimate, Published, signed_rank};
use crate::experiment::{Axes, Claim, Curve, CurvePoint, Drawing, Panel};
use crate::published;
use crate::support::Result;

/// Places of a curve.
const STEPS: usize = 100;

/// Courses of several methods over one budget.
pub struct Contest {
    pub title: String,
    /// Under this name its numbers stand in `published.csv`.
    pub published: &'static str,
    pub axes: Axes,
    pub budget: f64,
    /// Whether published numbers stand beside: those of a tenth of the budget are not.
    pub compares: bool,
    pub contestants: Vec<Contestant>,
}

/// One method's courses, by seed.
pub struct Contestant {
    pub name: String,
    pub courses: Vec<Course>,
}

impl Contestant {
    /// The value of each seed at a part of the budget.
    fn at(&self, money: f64, between: Interpolation) -> Vec<f64> {
        self.courses.iter().map(|course| course.best_at(money, between)).collect()
    }
}

impl Contest {
    /// Curves and comparisons. Curves are steps, as money buys them; the published ones are lines between evaluations, and are compared with lines.
    ///
    /// # Errors
    /// Where there is no seed.
    pub fn panel(&self) -> Result<Panel> {
        let numbers = published::of(self.published);
        let (mut curves, mut cells) = (Vec::new(), Vec::new());
        for contestant in &self.contestants {
            let mut curve = curve(contestant.name.clone(), self.budget, |money| contestant.at(money, Interpolation::Steps))?;
            for (fraction, published) in numbers.along(&contestant.name).into_iter().filter(|_| self.compares) {
                curve.published.push((fraction * self.budget, published.value));
                let ours = contestant.at(fraction * self.budget, Interpolation::Linear);
                cells.push(cell(&contestant.name, fraction, &ours, published, self.axes.logarithmic)?);
            }
            curves.push(curve);
        }
        let drawing = Drawing::Curves { axes: self.axes.clone(), curves };
        Ok(Panel { name: slug(&self.title), title: self.title.clone(), drawing, cells })
    }

    /// That one method is better than another at a part of the budget, tested on pairs of runs on one function from one design.
    ///
    /// # Errors
    /// Where one of them did not take part.
    pub fn claim(&self, better: &str, worse: &str, fraction: f64) -> Result<Claim> {
        let at = |name: &str| -> Result<Vec<f64>> {
            let found = self.contestants.iter().find(|contestant| contestant.name == name);
            let contestant = found.ok_or_else(|| std::io::Error::other(format!("{}: {name} did not take part", self.title)))?;
            let sign = contestant.courses.first().map_or(1.0, |course| if course.direction() == Direction::Minimize { 1.0 } else { -1.0 });
            Ok(contestant.at(fraction * self.budget, Interpolation::Steps).into_iter().map(|value| sign * value).collect())
        };
        let gains: Vec<f64> = at(worse)?.iter().zip(at(better)?).map(|(worse, better)| worse - better).collect();
        let gain = Summary::of(&gains, Divisor::Sample)?;
        let (chance, won) = (signed_rank(&gains), gains.iter().filter(|gain| **gain > 0.0).count());
        let error = gain.two_standard_errors.map_or(String::new(), |error| format!(" +- {error:.3} (two standard errors)"));
        Ok(Claim {
            text: format!("{}: {better} is better than {worse} at {} of the budget", self.title, percent(fraction)),
            holds: (gains.len() >= ENOUGH_SEEDS).then_some(chance < 0.05),
            evidence: format!(
                "better on {won} of {} seeds, by {:.3} in the median and {:.3}{error} on average; signed-rank test, one-sided: p = {chance:.2e}",
                gains.len(),
                gain.median,
                gain.mean,
            ),
        })
    }
}

/// A comparison of medians, on logarithms where the axis is one.
///
/// # Errors
/// Where there is no seed.
pub fn cell(name: &str, fraction: f64, ours: &[f64], published: Published, logarithmic: bool) -> Result<Cell> {
    if !logarithmic {
        return Ok(Cell::new(name, percent(fraction), Estimate::median(ours)?, published));
    }
    let logs: Vec<f64> = ours.iter().map(|value| value.max(f64::MIN_POSITIVE).log10()).collect();
    let log_published = Published {
        value: published.value.log10(),
        quartiles: published.quartiles.map(|(low, high)| (low.log10(), high.log10())),
        reading: published.reading / (published.value * std::f64::consts::LN_10),
        ..published
    };
    Ok(Cell::new(name, format!("{}, log10", percent(fraction)), Estimate::median(&logs)?, log_published))
}

/// The line of one method up to a budget, from the values of its seeds at an amount of money.
///
/// # Errors
/// Where there is no seed.
pub fn curve(name: String, budget: f64, at: impl Fn(f64) -> Vec<f64>) -> Result<Curve> {
    let place = |step: usize| budget * step as f64 / STEPS as f64;
    let points = (0..=STEPS).map(place).map(|money| curve_point(money, &at(money))).collect::<Result<_>>()?;
    Ok(Curve { name, seeds: at(budget).len(), points, published: Vec::new() })
}

/// Median, quartiles, mean and error of the seeds at one place.
///
/// # Errors
/// Where there is no seed.
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
