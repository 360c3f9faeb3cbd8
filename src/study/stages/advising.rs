//! Trials in stages that somebody else began: what they are advised to do.
//!
//! Who begins the runs does not ask what the best setting would be. So a run is not compared with
//! the best one that could begin, but with others as they began lately. With the incumbent's value
//! `g` and the index `I(lambda)` of a run at a price `lambda` of a unit of cost, the price
//! `lambda*` that a run is worth is that at which it is just worth as much as the incumbent,
//!
//! ```text
//! I(lambda*) = g
//! ```
//!
//! A run goes on if it is worth a price, and that is higher than what most of the others are worth and
//! than the study's own price.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::looking::refresh;
use super::stages_view::StagesView;
use super::staging::no_stages;
use crate::data::trial::reports::Advice;
use crate::data::trial::trial::TrialState;
use crate::data::{Domain, Points, TrialId};
use crate::error::Result;
use crate::study::events::event::Event;
use crate::study::study::Study;
use crate::suggest::policy::stages::decision::{Remainder, Snapshot};
use crate::surrogate::curves::belief::Question;
use crate::surrogate::{Stream, seed};

/// Others are like so many runs that began last.
const LATEST: usize = 20;

/// Others that a run is compared with.
const OTHERS: usize = 32;

/// How far beyond two runs one between them may be, in their distance. With a uniform draw from `-a` to
/// `1 + a` the spread of the runs is kept if `2 E[t^2 - t] = 0`, so that `a = (sqrt(3) - 1)/2`.
const BEYOND: f64 = 0.366;

/// A run is left if more than this share of the others is worth a higher price.
const BETTER: f64 = 0.5;

/// The decimal logarithms between which a price is looked for, in the model's unit of outcomes per cost
/// of a run in the middle, and how often the range is halved. What brings less than a ten-thousandth
/// of the unit for a whole run brings nothing.
const PRICES: [f64; 2] = [-4.0, 6.0];
const HALVINGS: usize = 18;

/// What a pending trial should do at its last report; it is kept.
///
/// # Errors
/// Those of [`Study::advise`].
pub(in crate::study) fn advise(study: &mut Study, id: TrialId) -> Result<Advice> {
    let seen = study.seen().ok_or_else(no_stages)?;
    let trial = study.trials.trial_log.trial(id)?;
    let until = match trial.state {
        TrialState::Pending => trial.until.unwrap_or(seen.staging.stages.total()),
        TrialState::Paused => return Ok(Advice::Pause),
        TrialState::Complete => return Ok(Advice::Done),
        _ => return Ok(Advice::Abandon),
    };
    if trial.reports.is_empty() || seen.knows_little() || seen.best().is_none() {
        return Ok(Advice::Continue { until });
    }
    refresh(study)?;
    let seen = study.seen().ok_or_else(no_stages)?;
    if seen.is_worth_more(id.index())? {
        return Ok(Advice::Continue { until });
    }
    let is_resumable = seen.staging.stages.is_resumable();
    let advice = if is_resumable { Advice::Pause } else { Advice::Abandon };
    study.happens(Event::Advised { trial: id, advice })?;
    Ok(advice)
}

impl StagesView<'_> {
    /// Whether a run is worth a higher price than most others, and than the study's own.
    fn is_worth_more(self, run: usize) -> Result<bool> {
        let Some((belief, rates)) = &self.staging.belief else { return Ok(true) };
        let moment = self.moment(belief, rates)?;
        let own = self.lambda().map(|lambda| belief.scale.difference(lambda));
        let worth = match moment.worth(run)? {
            Some(worth) if own.is_none_or(|own| worth >= own) => worth,
            _ => return Ok(false),
        };
        let others = self.others()?;
        let better = moment.better(&others, worth)?;
        Ok(better as f64 <= BETTER * others.len() as f64)
    }

    /// Settings of others: each between two of those that began last, or a little beyond. Of a table
    /// rows of those that began last.
    fn others(self) -> Result<Points> {
        let latest = &self.runs()[self.runs().len().saturating_sub(LATEST)..];
        let draw = seed(self.setup.seed, Stream::Search, self.runs().len());
        let mut random = Pcg64::seed_from_u64(draw);
        let mut points = Points::new(self.setup.domain.dim());
        for _ in 0..OTHERS {
            let [one, other] = [(); 2].map(|()| &latest[random.random_range(0..latest.len())].unit);
            match &self.setup.domain {
                Domain::Table(_) => points.push(one),
                Domain::Space(space) => {
                    let between = |(a, b): (&f64, &f64)| {
                        let t: f64 = random.random_range(-BEYOND..1.0 + BEYOND);
                        (a + t * (b - a)).clamp(0.0, 1.0)
                    };
                    let mut unit: Vec<f64> = one.iter().zip(other).map(between).collect();
                    space.snap(&mut unit);
                    points.push(&unit);
                }
            }
        }
        Ok(points)
    }
}

impl Snapshot<'_> {
    fn at_price(&self, price: f64) -> Snapshot<'_> {
        Snapshot { price, ..self.clone() }
    }

    /// The incumbent, in the model's units.
    fn base(&self) -> f64 {
        self.incumbent.map_or(f64::NEG_INFINITY, |y| self.belief.scale.apply(y))
    }

    /// The price of a unit of cost that the rest of a run is worth, if it is worth any.
    fn worth(&self, run: usize) -> Result<Option<f64>> {
        let outlook = self.outlooks_of(&[run])?.remove(0);
        let rest = self.remainder_of(run);
        let base = self.base();
        let unit = self.rates.middle();
        let price = |logarithm: f64| 10f64.powf(logarithm) / unit;
        let is_worth = |logarithm: f64| -> Result<bool> {
            Ok(self.at_price(price(logarithm)).index(&outlook, &rest)?.0 > base)
        };
        let [mut low, mut high] = PRICES;
        if !is_worth(low)? {
            return Ok(None);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            *(if is_worth(middle)? { &mut low } else { &mut high }) = middle;
        }
        Ok(Some(price(low)))
    }

    /// How many fresh runs at these settings are worth a higher price than this.
    fn better(&self, points: &Points, price: f64) -> Result<usize> {
        let at = self.at_price(price);
        let base = self.base();
        let rates = self.rates.of_settings(points)?;
        let questions: Vec<Question<'_>> = points
            .rows()
            .map(|settings| Question { settings, run: None, shares: self.shares })
            .collect();
        let mut better = 0;
        let usable = self.usable_at(points)?;
        for ((outlook, rate), usable) in
            self.belief.outlooks(&questions)?.iter().zip(rates).zip(usable)
        {
            let costs = self.rates.stages(rate, 0.0, self.shares);
            let whole = costs.iter().sum::<f64>();
            let is_reached = self.left.is_none_or(|left| whole <= left);
            let rest = Remainder { costs, usable };
            better += usize::from(is_reached && at.index(outlook, &rest)?.0 > base);
        }
        Ok(better)
    }
}
