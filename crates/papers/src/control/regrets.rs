//! What the decisions of a run were worth if each has a price of its own, and many such runs over
//! money.

use crate::evaluation::{Course, Divisor, Interpolation, Mark, Summary};
use gittins::data::Direction;
use gittins::{Error, ErrorKind, Result};

use crate::control::study::purse::SetPurse;

/// Regrets of the queries of a run with control sets, a number for each evaluation, in their order
/// (Tay, Foo, Urano, Leong, Low 2023, "Bayesian Optimization with Cost-varying Variable Subsets",
/// section 3).
///
/// A query is worth its value on average over what nature does, whatever was observed: `E f(x_t)`,
/// larger being better. With `r_t = E f* - E f(x_t)`:
///
/// ```
/// use gittins_papers::control::Regrets;
/// let regrets = Regrets::new(2.0, &[0.5, 1.0, 0.8], &[0.1, 0.1, 0.2])?;
/// assert_eq!(regrets.simple, [1.5, 1.0, 1.0]);
/// assert_eq!(regrets.cumulative, [1.5, 2.5, 3.7]);
/// assert_eq!(regrets.spent, [0.1, 0.2, 0.4]);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Regrets {
    /// `min_{s<=t} r_s`.
    pub simple: Vec<f64>,
    /// `sum_{s<=t} r_s`.
    pub cumulative: Vec<f64>,
    /// `sum_{s<=t} c_s r_s`.
    pub cost_weighted: Vec<f64>,
    /// `sum_{s<=t} c_s`, rounded to twelve digits, so that runs which spent the same in another order
    /// have the same number here.
    pub spent: Vec<f64>,
}

impl Regrets {
    /// From the best attainable value `E f*`, and values and costs of the queries. A regret is
    /// negative if the best value was none.
    ///
    /// # Errors
    /// Naming the evaluation: `Empty` without any, `Dimension` for other numbers of values than of
    /// costs, `NonFinite` for a number that is not finite, `NonPositiveCost`.
    pub fn new(best: f64, values: &[f64], costs: &[f64]) -> Result<Self> {
        if values.len() != costs.len() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} values and {} costs", values.len(), costs.len()),
            ));
        }
        if values.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "expected at least one evaluation, got none"));
        }
        let finite = |what: String, number: f64| {
            if number.is_finite() {
                Ok(number)
            } else {
                Err(Error::new(ErrorKind::NonFinite, format!("{what} is {number}")))
            }
        };
        finite("the best attainable value".to_owned(), best)?;
        let (mut least, mut sum, mut weighted, mut purse) =
            (f64::INFINITY, 0.0, 0.0, SetPurse::default());
        let mut regrets = Self {
            simple: Vec::new(),
            cumulative: Vec::new(),
            cost_weighted: Vec::new(),
            spent: Vec::new(),
        };
        for (at, (&value, &cost)) in values.iter().zip(costs).enumerate() {
            let regret = best - finite(format!("the value of evaluation {at}"), value)?;
            if finite(format!("the cost of evaluation {at}"), cost)? <= 0.0 {
                return Err(Error::new(
                    ErrorKind::NonPositiveCost,
                    format!("the cost of evaluation {at}: expected a positive number, got {cost}"),
                ));
            }
            least = regret.min(least);
            sum += regret;
            weighted += cost * regret;
            purse.pay(cost);
            regrets.simple.push(least);
            regrets.cumulative.push(sum);
            regrets.cost_weighted.push(weighted);
            regrets.spent.push(rounded(purse.spent()));
        }
        Ok(regrets)
    }

    /// One of the regrets over money. It stays until the next one is paid for. Before the first
    /// payment it is the first one.
    ///
    /// # Errors
    /// Those of [`Course::new`], `Dimension` for another number of values than evaluations.
    pub fn course(&self, regrets: &[f64]) -> Result<Course> {
        if regrets.len() != self.spent.len() {
            return Err(Error::new(
                ErrorKind::Dimension,
                format!("{} regrets for {} evaluations", regrets.len(), self.spent.len()),
            ));
        }
        let marks = self.spent.iter().zip(regrets).enumerate();
        Course::new(
            Direction::Minimize,
            marks.map(|(at, (&spent, &best))| Mark { adaptive: at + 1, spent, best }).collect(),
        )
    }
}

/// Several runs as steps over money: the values that they had kept at each amount that any of them
/// had spent at some time, up to a limit, and at the limit itself. A run that ended keeps its last
/// value.
///
/// Amounts that agree to twelve digits count as one.
///
/// # Errors
/// `Empty` without a run, `InvalidSetting` for a limit that is no number, `NonFinite` for a value
/// that is NaN.
pub fn over_money(courses: &[Course], limit: f64, divisor: Divisor) -> Result<Vec<(f64, Summary)>> {
    if !limit.is_finite() {
        return Err(Error::new(
            ErrorKind::InvalidSetting,
            format!("expected an amount of money, got {limit}"),
        ));
    }
    // Rounding keeps the order of the marks.
    let rounded = |course: &Course| {
        Course::new(
            course.direction(),
            course
                .marks()
                .iter()
                .map(|mark| Mark { spent: rounded(mark.spent), ..*mark })
                .collect(),
        )
    };
    let courses = courses.iter().map(rounded).collect::<Result<Vec<_>>>()?;
    let spent = courses.iter().flat_map(Course::marks).map(|mark| mark.spent);
    let mut amounts: Vec<f64> = spent.filter(|amount| *amount < limit).chain([limit]).collect();
    amounts.sort_by(f64::total_cmp);
    amounts.dedup();
    let kept = |amount| {
        courses
            .iter()
            .map(|course| course.best_at(amount, Interpolation::Steps))
            .collect::<Vec<_>>()
    };
    amounts.into_iter().map(|amount| Ok((amount, Summary::of(&kept(amount), divisor)?))).collect()
}

/// To twelve significant digits.
fn rounded(amount: f64) -> f64 {
    format!("{amount:.11e}").parse().unwrap_or(amount)
}
