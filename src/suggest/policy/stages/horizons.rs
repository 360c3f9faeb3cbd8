//! At which of its coming reports a run may be worth most.
//!
//! A run is worth the outcome at its end. If any stage counts, what it had at any report can be the
//! incumbent, and it may be paid for up to each of them. Its index is then the largest over
//! horizons `r`,
//!
//! ```text
//! max over r of m_r + h_r
//! ```
//!
//! with the mean `m_r` of its value at report `r`, and the offset `h_r` of the stages up to there.
//! The best of several horizons is not known to the chain of each, so that this is a lower bound of
//! what the run is worth.
//!
//! A run that is the mean of items need not come to its end either: after report `r` it is worth the
//! mean of its end that is expected then. Its horizons have the mean of the end, and the offsets of the
//! stages up to `r` by which that mean moves.

use super::decision::{Ahead, Choice, Offer, Remainder, Snapshot};
use crate::acquisition::{Stage, staged::staged_bounds, staged_offset};
use crate::error::Result;
use crate::math::normal::h;
use crate::surrogate::curves::prospect::{Outlook, Prospect};

/// A run that surely breaks a limit has an index all the same, far below those of others.
const LEAST: f64 = 1e-100;

/// No price over a chance is larger.
const MOST: f64 = 1e300;

/// The chance of a stage that a probability leaves: none is zero.
fn chance(usable: f64) -> f64 {
    usable.clamp(LEAST, 1.0)
}

impl Remainder {
    fn chance(&self) -> f64 {
        chance(self.usable)
    }
}

/// A horizon of a run, and between what its index is.
struct Horizon {
    prospect: Prospect,
    stages: Vec<Stage>,
    bounds: [f64; 2],
}

impl Snapshot<'_> {
    /// Which of so many coming reports may be what a run is worth.
    fn horizons(&self, coming: usize) -> std::ops::Range<usize> {
        if self.any_stage || self.are_items { 0..coming } else { coming - 1..coming }
    }

    /// The shares of a fresh run at which it may be worth something.
    pub fn counted(&self) -> &[f64] {
        &self.shares[self.horizons(self.shares.len())]
    }

    /// The prospect of what a run is worth after a coming report.
    fn prospect(&self, outlook: &Outlook, report: usize) -> Prospect {
        if !self.are_items {
            return outlook.to(report);
        }
        let mut prospect = outlook.end();
        prospect.steps.truncate(report + 1);
        prospect
    }

    pub fn offer(
        &self,
        what: Choice,
        outlook: &Outlook,
        rest: &Remainder,
        incumbent: f64,
    ) -> Result<Offer> {
        let (index, prospect) = self.index(outlook, rest)?;
        let index_offset = match what {
            Choice::Resume(run) => self.index_offset(run),
            Choice::Fresh { .. } => 0.0,
        };
        let (sd, stages) = (prospect.sd(), prospect.steps.len());
        let better = prospect.mean - index_offset - incumbent;
        let gain = if sd > 0.0 { sd * h(better / sd) } else { better.max(0.0) };
        let survived = self.survived(stages, outlook.len()) * rest.usable;
        let ahead = Ahead {
            share: self.shares[self.shares.len() - outlook.len() + stages - 1],
            cost: rest.costs[..stages].iter().sum(),
            gain: gain * survived,
        };
        Ok(Offer { what, index: index - index_offset, cost: rest.costs[0], ahead })
    }

    /// The index of a run of which this is left, and the prospect of the horizon that has it.
    ///
    /// # Errors
    /// Those of [`staged_offset`].
    pub fn index(&self, outlook: &Outlook, rest: &Remainder) -> Result<(f64, Prospect)> {
        let prices: Vec<f64> = rest.costs.iter().map(|&cost| self.price_of(cost)).collect();
        let survival = self.survived(1, outlook.len());
        let horizon = |report| {
            let prospect = self.prospect(outlook, report);
            let mut stages = prospect.stages(&prices, survival);
            // Whether it may be used shows at its end. No price over a chance is infinite.
            let least = prices.iter().sum::<f64>() / MOST;
            if let Some(last) = stages.last_mut() {
                last.survival = (last.survival * rest.chance()).max(least).min(1.0);
            }
            let bounds = staged_bounds(&stages)?.map(|offset| prospect.mean + offset);
            Ok(Horizon { prospect, stages, bounds })
        };
        let mut horizons: Vec<Horizon> =
            self.horizons(outlook.len()).map(horizon).collect::<Result<_>>()?;
        // The likely best one first: most of the others then need no pass.
        let middle = |horizon: &Horizon| horizon.bounds[0] + horizon.bounds[1];
        horizons.sort_by(|a, b| middle(b).total_cmp(&middle(a)));
        let mut best = (f64::NEG_INFINITY, outlook.end());
        for Horizon { prospect, stages, bounds: [_, high] } in horizons {
            if high > best.0 {
                let index = prospect.mean + staged_offset(&stages)?;
                if index > best.0 {
                    best = (index, prospect);
                }
            }
        }
        Ok(best)
    }

    /// A bound from above of the index of a run that has begun, without a solve: all stages but the
    /// next one for nothing.
    ///
    /// # Errors
    /// Those of [`staged_offset`].
    pub fn bound(&self, run: usize, next: f64) -> Result<f64> {
        let coming = self.coming(self.share_of(run)).len();
        let horizons = self.horizons(coming);
        let mut bound = f64::NEG_INFINITY;
        let values = if self.are_items {
            vec![self.belief.end(run); horizons.len()]
        } else {
            self.belief.last_values(run, horizons.len()).collect()
        };
        for (report, (mean, sd)) in horizons.zip(values) {
            let survived = self.survived(report + 1, coming);
            let survived = survived * chance(self.usable_of(run));
            bound = bound.max(mean + self.whole(sd, next, survived)?);
        }
        Ok(bound)
    }

    /// About where the index of a fresh run is whose value is known at [`counted`](Self::counted) alone,
    /// and whose stages have these costs: in the middle between its bounds.
    ///
    /// # Errors
    /// Those of [`staged_offset`].
    pub fn middle(&self, outlook: &Outlook, rest: &Remainder) -> Result<f64> {
        let (costs, mut middle) = (&rest.costs, f64::NEG_INFINITY);
        for (report, last) in self.horizons(costs.len()).enumerate() {
            let prospect = self.prospect(outlook, report);
            let survived = self.survived(report + 1, outlook.len()) * rest.chance();
            let sd = prospect.sd();
            let all = costs[..=last].iter().sum();
            let offsets = self.whole(sd, costs[0], survived)? + self.whole(sd, all, survived)?;
            middle = middle.max(prospect.mean + 0.5 * offsets);
        }
        Ok(middle)
    }

    /// The offset of a run of one stage: a bound of that of more stages, from above if the price is
    /// that of the first of them, and from below if it is that of all.
    pub fn whole(&self, sd: f64, cost: f64, survival: f64) -> Result<f64> {
        staged_offset(&[Stage { sd, price: self.price_of(cost), survival }])
    }

    /// The chance to survive so many stages of all that are to come.
    fn survived(&self, stages: usize, coming: usize) -> f64 {
        self.survival.powf(stages as f64 / coming as f64)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    /// Where the incumbent is the index, so that a study may stop, the stages up to the end bring less than
    /// they cost: at every such stop, over decades of prices and deviations.
    #[test]
    fn at_a_stop_what_is_named_brings_less_than_its_price() {
        let mut random = Pcg64::seed_from_u64(1);
        for _ in 0..2000 {
            let coming = random.random_range(1..7);
            let survival = random.random_range(0.5..=1.0);
            let mut number = || 10f64.powf(random.random_range(-3.0..1.0));
            let stages: Vec<Stage> =
                (0..coming).map(|_| Stage { sd: number(), price: number(), survival }).collect();
            let sd = stages.iter().map(|stage| stage.sd * stage.sd).sum::<f64>().sqrt();
            let price: f64 = stages.iter().map(|stage| stage.price).sum();
            let gain = sd * h(-staged_offset(&stages).unwrap() / sd) * survival.powi(coming);
            // The offset errs by some 1e-12 of a deviation.
            assert!(gain <= price + 1e-11 * sd, "{stages:?}: {gain} {price}");
        }
    }
}
