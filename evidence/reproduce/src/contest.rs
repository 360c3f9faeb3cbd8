//! Several methods on the same seeds: their curves, the comparison with published numbers, and
//! whether one is better than another.

use std::ops::Range;

use gittins::data::Direction;
use gittins_papers::control::over_money;
use gittins_papers::evaluation::Interpolation;
use gittins_papers::evaluation::{Course, Divisor, Summary};

use crate::comparison::{Cell, ENOUGH_SEEDS, Estimate, Published, signed_rank, student};
use crate::experiment::{Axes, Claim, Curve, CurvePoint, Drawing, Panel};
use crate::published;
use crate::slug::slug;
use chart::number::significant;
use frontend::Result;

/// The number of places of a curve.
const STEPS: usize = 100;

/// Courses of several methods over one budget.
pub struct Contest {
    pub title: String,
    /// The name of its numbers in `published.csv`.
    pub published: &'static str,
    pub axes: Axes,
    pub budget: f64,
    /// The part of the budget at which the drawing begins.
    pub from: f64,
    /// Whether published numbers are compared. There are none for a tenth of the budget.
    pub compares: bool,
    pub contestants: Vec<Contestant>,
}

/// One method's courses, by seed.
pub struct Contestant {
    pub name: String,
    pub courses: Vec<Course>,
}

impl Contestant {
    /// The value of each seed when this money is spent.
    pub fn at_end(&self, budget: f64) -> Vec<f64> {
        self.at(budget, Interpolation::Steps)
    }

    /// The value of each seed at a part of the budget.
    fn at(&self, money: f64, between: Interpolation) -> Vec<f64> {
        self.courses.iter().map(|course| course.best_at(money, between)).collect()
    }
}

impl Contest {
    /// Curves and comparisons. Curves are steps, because an evaluation is bought whole. Published
    /// curves are lines between evaluations and are compared with lines.
    ///
    /// # Errors
    /// If there is no seed.
    pub fn panel(&self) -> Result<Panel> {
        let numbers = published::of(self.published);
        let (mut curves, mut cells) = (Vec::new(), Vec::new());
        for contestant in &self.contestants {
            let range = self.from * self.budget..self.budget;
            let mut curve = curve(contestant.name.clone(), range, |money| {
                contestant.at(money, Interpolation::Steps)
            })?;
            for (fraction, published) in
                numbers.along(&contestant.name).into_iter().filter(|_| self.compares)
            {
                curve.published.push((fraction * self.budget, published.value));
                let ours = contestant.at(fraction * self.budget, Interpolation::Linear);
                cells.push(cell(
                    &contestant.name,
                    fraction,
                    &ours,
                    published,
                    self.axes.logarithmic,
                )?);
            }
            curves.push(curve);
        }
        let drawing = Drawing::Curves { axes: self.axes.clone(), curves };
        Ok(Panel { name: slug(&self.title), title: self.title.clone(), drawing, cells })
    }

    /// Curves at every amount of money that a run of any method had spent at some time.
    ///
    /// # Errors
    /// If there is no seed.
    pub fn panel_over_money(&self) -> Result<Panel> {
        let mut curves = Vec::new();
        for Contestant { name, courses } in &self.contestants {
            let points = over_money(courses, self.budget, Divisor::Sample)?;
            let points =
                points.into_iter().map(|(money, summary)| summarized(money, summary)).collect();
            curves.push(Curve {
                name: name.clone(),
                seeds: courses.len(),
                points,
                published: Vec::new(),
            });
        }
        let drawing = Drawing::Curves { axes: self.axes.clone(), curves };
        Ok(Panel { name: slug(&self.title), title: self.title.clone(), drawing, cells: Vec::new() })
    }

    /// The claim that one method is better than another at a part of the budget. It is tested on
    /// pairs of runs on one function from one design.
    ///
    /// # Errors
    /// If one of them did not take part.
    pub fn claim(&self, better: &str, worse: &str, fraction: f64) -> Result<Claim> {
        let gains = self.gains(better, worse, fraction)?;
        let gain = Summary::of(&gains, Divisor::Sample)?;
        let chance = signed_rank(&gains);
        let won = gains.iter().filter(|gain| **gain > 0.0).count();
        let error = gain.two_standard_errors.map_or(String::new(), |error| {
            format!(" +- {} (two standard errors)", significant(error, 3))
        });
        Ok(Claim {
            text: format!(
                "{}: {better} is better than {worse} at {} of the budget",
                self.title,
                percent(fraction)
            ),
            holds: (gains.len() >= ENOUGH_SEEDS).then_some(chance < 0.05),
            evidence: format!(
                "better on {won} of {} seeds, by {} in the median and {}{error} on average; signed-rank test, one-sided: p = {chance:.2e}",
                gains.len(),
                significant(gain.median, 3),
                significant(gain.mean, 3),
            ),
        })
    }

    /// The claim that one method is nowhere significantly worse than its rivals at the end of the
    /// budget. The evidence says where it is significantly better. Pairs of runs are tested, each
    /// rival at the 5 % level on either side.
    ///
    /// # Errors
    /// If one of them did not take part.
    pub fn claim_no_worse(&self, name: &str, rivals: &[String]) -> Result<Claim> {
        self.claim_against(name, rivals, "nowhere significantly worse than", |_, worse| {
            worse >= 0.05
        })
    }

    /// The claim that it is significantly better than each of its rivals, by the same tests.
    ///
    /// # Errors
    /// If one of them did not take part.
    pub fn claim_better(&self, name: &str, rivals: &[String]) -> Result<Claim> {
        self.claim_against(name, rivals, "better than", |better, _| better < 0.05)
    }

    /// The claim that it is significantly worse than each of them.
    ///
    /// # Errors
    /// If one of them did not take part.
    pub fn claim_worse(&self, name: &str, rivals: &[String]) -> Result<Claim> {
        self.claim_against(name, rivals, "worse than", |_, worse| worse < 0.05)
    }

    /// A claim about each rival, from the chances of being better and of being worse.
    fn claim_against(
        &self,
        name: &str,
        rivals: &[String],
        word: &str,
        should: impl Fn(f64, f64) -> bool,
    ) -> Result<Claim> {
        let (mut holds, mut seeds, mut evidence) = (true, 0, Vec::new());
        for rival in rivals {
            let gains = self.gains(name, rival, 1.0)?;
            let losses: Vec<f64> = gains.iter().map(|gain| -gain).collect();
            let gain = Summary::of(&gains, Divisor::Sample)?;
            let better = signed_rank(&gains);
            let worse = signed_rank(&losses);
            let verdict = match (better < 0.05, worse < 0.05) {
                (true, _) => "significantly better",
                (_, true) => "significantly worse",
                _ => "no significant difference",
            };
            let half = |error: f64| {
                format!(
                    " +- {} (95 % interval)",
                    significant(0.5 * error * student(gains.len() - 1), 3)
                )
            };
            let interval = gain.two_standard_errors.map_or(String::new(), half);
            let won = gains.iter().filter(|gain| **gain > 0.0).count();
            evidence.push(format!(
                "{rival}: {verdict}, ahead by {}{interval} on average, better on {won} of {}, p = {better:.2e} for better and {worse:.2e} for worse",
                significant(gain.mean, 3),
                gains.len(),
            ));
            holds &= should(better, worse);
            seeds = gains.len();
        }
        Ok(Claim {
            text: format!(
                "{}: at the end of the budget {name} is {word} {}",
                self.title,
                rivals.join(", ")
            ),
            holds: (seeds >= ENOUGH_SEEDS).then_some(holds),
            evidence: format!("{}; one-sided signed-rank tests", evidence.join("; ")),
        })
    }

    /// The gain of one method over another at a part of the budget, seed by seed.
    fn gains(&self, better: &str, worse: &str, fraction: f64) -> Result<Vec<f64>> {
        let at = |name: &str| -> Result<Vec<f64>> {
            let found = self.contestants.iter().find(|contestant| contestant.name == name);
            let contestant = found.ok_or_else(|| {
                std::io::Error::other(format!("{}: {name} did not take part", self.title))
            })?;
            let sign = contestant.courses.first().map_or(1.0, |course| {
                if course.direction() == Direction::Minimize { 1.0 } else { -1.0 }
            });
            Ok(contestant
                .at(fraction * self.budget, Interpolation::Steps)
                .into_iter()
                .map(|value| sign * value)
                .collect())
        };
        Ok(at(worse)?.iter().zip(at(better)?).map(|(worse, better)| worse - better).collect())
    }
}

/// A comparison of medians, of logarithms if the axis is logarithmic.
///
/// # Errors
/// If there is no seed.
pub fn cell(
    name: &str,
    fraction: f64,
    ours: &[f64],
    published: Published,
    logarithmic: bool,
) -> Result<Cell> {
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
    Ok(Cell::new(
        name,
        format!("{}, log10", percent(fraction)),
        Estimate::median(&logs)?,
        log_published,
    ))
}

/// The line of one method over a range of money, from the values of its seeds at an amount.
///
/// # Errors
/// If there is no seed.
pub fn curve(name: String, range: Range<f64>, at: impl Fn(f64) -> Vec<f64>) -> Result<Curve> {
    let place = |step: usize| range.start + (range.end - range.start) * step as f64 / STEPS as f64;
    let points = (0..=STEPS)
        .map(place)
        .map(|money| curve_point(money, &at(money)))
        .collect::<Result<_>>()?;
    Ok(Curve { name, seeds: at(range.end).len(), points, published: Vec::new() })
}

/// Median, quartiles, mean, its error and its interval, of the seeds at one place.
///
/// # Errors
/// If there is no seed.
pub fn curve_point(x: f64, values: &[f64]) -> Result<CurvePoint> {
    Ok(summarized(x, Summary::of(values, Divisor::Sample)?))
}

fn summarized(x: f64, summary: Summary) -> CurvePoint {
    let Summary {
        count, lower_quartile, median, upper_quartile, mean, two_standard_errors, ..
    } = summary;
    let half_interval = two_standard_errors.map(|error| 0.5 * error * student(count - 1));
    CurvePoint {
        x,
        lower_quartile,
        median,
        upper_quartile,
        mean,
        two_standard_errors,
        half_interval,
    }
}

/// `50 %`.
pub fn percent(fraction: f64) -> String {
    format!("{:.0} %", 100.0 * fraction)
}

#[cfg(test)]
mod tests {
    use gittins_papers::evaluation::Mark;

    use super::*;
    use crate::experiment::Statistic;

    fn contestant(name: &str, ends: impl IntoIterator<Item = f64>) -> Contestant {
        let course = |best| {
            Course::new(Direction::Minimize, vec![Mark { adaptive: 0, spent: 0.0, best }]).unwrap()
        };
        Contestant { name: name.to_owned(), courses: ends.into_iter().map(course).collect() }
    }

    /// One rival is ahead on all of eight pairs, one is behind on all, and one is ahead on every
    /// other pair. At 5 % only the first is better.
    #[test]
    fn no_worse_is_not_significantly_worse() {
        let seeds = || (0..8).map(|seed| 10.0 + f64::from(seed));
        let contestants = vec![
            contestant("ours", seeds()),
            contestant("behind", seeds().map(|end| end + 0.5 + 0.01 * end)),
            contestant("ahead", seeds().map(|end| end - 0.5 - 0.01 * end)),
            contestant(
                "alike",
                seeds().enumerate().map(|(k, end)| if k % 2 == 0 { end + 1.0 } else { end - 1.0 }),
            ),
        ];
        let axes = Axes {
            x: String::new(),
            y: String::new(),
            logarithmic: false,
            statistic: Statistic::Interval,
        };
        let contest = Contest {
            title: "t".into(),
            published: "",
            axes,
            budget: 1.0,
            from: 0.2,
            compares: false,
            contestants,
        };
        for (rivals, holds, said) in [
            (
                vec!["behind", "alike"],
                true,
                ["behind: significantly better", "alike: no significant difference"],
            ),
            (
                vec!["ahead", "behind"],
                false,
                ["ahead: significantly worse", "behind: significantly better"],
            ),
        ] {
            let rivals: Vec<String> = rivals.into_iter().map(str::to_owned).collect();
            let claim = contest.claim_no_worse("ours", &rivals).unwrap();
            assert_eq!(claim.holds, Some(holds), "{claim:?}");
            assert!(said.iter().all(|said| claim.evidence.contains(said)), "{claim:?}");
        }
        assert!(contest.claim_no_worse("ours", &["absent".to_owned()]).is_err());
        // A method is better or worse only if it is so against every rival.
        let named =
            |rivals: &[&str]| rivals.iter().map(|rival| (*rival).to_owned()).collect::<Vec<_>>();
        for (rivals, better, worse) in [
            (&["behind"][..], true, false),
            (&["ahead"], false, true),
            (&["alike"], false, false),
            (&["behind", "alike"], false, false),
            (&["ahead", "behind"], false, false),
        ] {
            let is_better = contest.claim_better("ours", &named(rivals)).unwrap();
            let is_worse = contest.claim_worse("ours", &named(rivals)).unwrap();
            assert_eq!(
                (is_better.holds, is_worse.holds),
                (Some(better), Some(worse)),
                "{rivals:?}"
            );
        }
    }

    /// A curve has a place for every amount that one of its runs had spent, up to the budget, and
    /// for the budget itself.
    #[test]
    fn curves_over_money_have_every_amount_spent() {
        let course = |marks: &[(f64, f64)]| {
            let mark =
                |(adaptive, &(spent, best)): (usize, &(f64, f64))| Mark { adaptive, spent, best };
            Course::new(Direction::Minimize, marks.iter().enumerate().map(mark).collect()).unwrap()
        };
        let courses =
            vec![course(&[(0.01, 4.0), (0.5, 3.0), (9.0, 0.0)]), course(&[(0.1, 2.0), (0.5, 1.0)])];
        let axes = Axes {
            x: String::new(),
            y: String::new(),
            logarithmic: false,
            statistic: Statistic::StandardError,
        };
        let contestants = vec![Contestant { name: "ours".into(), courses }];
        let contest = Contest {
            title: "t".into(),
            published: "",
            axes,
            budget: 2.0,
            from: 0.0,
            compares: false,
            contestants,
        };
        let Drawing::Curves { curves, .. } = contest.panel_over_money().unwrap().drawing else {
            panic!("curves")
        };
        let points: Vec<(f64, f64)> =
            curves[0].points.iter().map(|point| (point.x, point.mean)).collect();
        assert_eq!(points, [(0.01, 3.0), (0.1, 3.0), (0.5, 2.0), (2.0, 2.0)]);
        assert_eq!(curves[0].seeds, 2);
    }

    /// Three numbers around 2 with deviation 1: 4.3027 standard errors of 1/sqrt(3) on either side,
    /// to the last printed digit of the table. One number has no interval.
    #[test]
    fn intervals_are_those_of_student() {
        let point = curve_point(0.0, &[1.0, 2.0, 3.0]).unwrap();
        assert!((point.half_interval.unwrap() - 4.3027 / 3f64.sqrt()).abs() < 5e-5, "{point:?}");
        assert_eq!(curve_point(0.0, &[1.0]).unwrap().half_interval, None);
    }
}
