//! At which of its coming reports a run may be worth most.
//!
//! A run is worth the outcome at its end. If any stage counts, what it had at any report is in hand,
//! and it may be paid for up to each of them. Its index is then the largest over horizons `r`,
//!
//! ```text
//! max over r of m_r + h_r
//! ```
//!
//! with the mean `m_r` of its value at report `r`, and the offset `h_r` of the stages up to there.
//! The best of several horizons is not known to the chain of each, so that this is a lower bound of
//! what the run is worth.

use super::decision::{Choice, Moment, Offer};
use super::prospect::{Outlook, Prospect};
use crate::acquisition::{Stage, staged_bounds, staged_offset};
use crate::error::Result;
use crate::math::normal::h;

/// A horizon of a run, and between what its index is.
struct Horizon {
    prospect: Prospect,
    stages: Vec<Stage>,
    bounds: [f64; 2],
}

impl Moment<'_> {
    /// Which of so many coming reports may be what a run is worth.
    fn horizons(&self, coming: usize) -> std::ops::Range<usize> {
        if self.any_stage { 0..coming } else { coming - 1..coming }
    }

    /// The shares of a fresh run at which it may be worth something.
    pub fn counted(&self) -> &[f64] {
        &self.shares[self.horizons(self.shares.len())]
    }

    pub fn offer(
        &self,
        what: Choice,
        outlook: &Outlook,
        costs: &[f64],
        in_hand: f64,
    ) -> Result<Offer> {
        let (index, prospect) = self.index(outlook, costs)?;
        let sd = prospect.sd();
        let gain = if sd > 0.0 { sd * h((prospect.mean - in_hand) / sd) } else { 0.0 };
        Ok(Offer { what, index, cost: costs[0], gain })
    }

    /// The index of a run whose coming stages have these costs, and the prospect of the horizon that
    /// has it.
    ///
    /// # Errors
    /// Those of [`staged_offset`].
    pub fn index(&self, outlook: &Outlook, costs: &[f64]) -> Result<(f64, Prospect)> {
        let prices: Vec<f64> = costs.iter().map(|&cost| self.price_of(cost)).collect();
        let survival = self.survived(1, outlook.len());
        let horizon = |report| {
            let prospect = outlook.to(report);
            let stages = prospect.stages(&prices, survival);
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
        for (report, (mean, sd)) in
            horizons.clone().zip(self.belief.last_values(run, horizons.len()))
        {
            let survived = self.survived(report + 1, coming);
            bound = bound.max(mean + self.whole(sd, next, survived)?);
        }
        Ok(bound)
    }

    /// About where the index of a fresh run is whose value is known at [`counted`](Self::counted) alone,
    /// and whose stages have these costs: in the middle between its bounds.
    ///
    /// # Errors
    /// Those of [`staged_offset`].
    pub fn middle(&self, outlook: &Outlook, costs: &[f64]) -> Result<f64> {
        let mut middle = f64::NEG_INFINITY;
        for (report, last) in self.horizons(costs.len()).enumerate() {
            let prospect = outlook.to(report);
            let (sd, survived) = (prospect.sd(), self.survived(report + 1, outlook.len()));
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
    use super::*;
    use crate::data::Space;
    use crate::staged::{RunState, StagedStudy, Stages};

    /// The loss of a setting that falls and then rises, the sooner the larger the setting.
    fn loss(x: f64, share: f64) -> f64 {
        0.3 * (x - 0.6) * (x - 0.6) + (-8.0 * (0.2 + x) * share).exp() + 0.4 * x * share
    }

    fn study(any: bool) -> StagedStudy {
        let stages = Stages::of(1.0).any_stage_counts(any);
        let space = Space::new().float("x", 0.0, 1.0);
        let mut study =
            StagedStudy::minimize(space, stages).initial(6).lambda(0.01).build().unwrap();
        for _ in 0..16 {
            let ask = study.ask().unwrap();
            let (x, from) = (ask.get("x").unwrap().number().unwrap(), ask.resume().unwrap_or(0.0));
            study.report(ask.id(), ask.until(), loss(x, ask.until()), ask.until() - from).unwrap();
            if let RunState::Running { .. } = study.runs()[ask.id().index()].state {
                study.withdraw(ask.id()).unwrap();
            }
        }
        study.verdict().unwrap();
        study
    }

    /// The index is the largest over horizons, each by a pass of its own, and between its bounds.
    #[test]
    fn the_index_is_the_largest_over_horizons() {
        for any in [true, false] {
            let study = study(any);
            let (belief, rates) = study.belief.as_ref().unwrap();
            let moment = Moment { survival: 0.9, ..study.moment(belief, rates) };
            let paused: Vec<usize> = moment.paused();
            let (mut early, mut largest) = (0, f64::NEG_INFINITY);
            for (&run, outlook) in paused.iter().zip(moment.outlooks_of(&paused).unwrap()) {
                let costs = moment.costs_of(run);
                let each = 0.9f64.powf(1.0 / costs.len() as f64);
                let index = |report: usize| {
                    let prospect = outlook.to(report);
                    let stage = |(&sd, &cost): (&f64, &f64)| {
                        let price = moment.price_of(cost);
                        Stage { sd, price, survival: each }
                    };
                    let stages: Vec<Stage> = prospect.steps.iter().zip(&costs).map(stage).collect();
                    prospect.mean + staged_offset(&stages).unwrap()
                };
                let all: Vec<f64> = (0..outlook.len()).map(index).collect();
                let expected = match any {
                    true => all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    false => all[all.len() - 1],
                };
                let (got, _) = moment.index(&outlook, &costs).unwrap();
                assert_eq!(got, expected);
                early += usize::from(expected > all[all.len() - 1]);
                // A bound has the deviation of all that is unknown; roundings are those of a root.
                assert!(moment.bound(run, costs[0]).unwrap() >= got - 1e-9);
                largest = largest.max(got);
            }
            assert!(paused.len() > 4 && (early > 0) == any, "{} {early}", paused.len());
            let best = moment.decide().unwrap().best.unwrap();
            assert!(best.index >= largest);
        }
    }
}
