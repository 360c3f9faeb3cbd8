//! What to pay for next: a fresh run, a run that was left, or nothing.

use crate::data::trial::stages::reaches;
use crate::data::trial::trial::{Trial, TrialState};
use crate::data::{Domain, Points};
use crate::error::{Error, ErrorKind, Result};
use crate::math::normal::h;
use crate::posterior::Usable;
use crate::surrogate::curves::belief::{Belief, Question};
use crate::surrogate::curves::costs::Rates;
use crate::surrogate::curves::prospect::Outlook;

/// Candidates whose index is computed.
pub(super) const PASSED: usize = 10;

/// No more than one run is taken to its end for so many that began, unless the index pays for it. Of
/// folds for no more than cost as much as the rest of a run: half of the money then goes to ends. That is
/// about what this number means for a run whose first stage is 6 % of it.
const BEGUN_FOR_FINISHED: f64 = 15.0;

/// What is known at one moment.
#[derive(Clone)]
pub struct Snapshot<'a> {
    pub domain: &'a Domain,
    pub belief: &'a Belief,
    pub rates: &'a Rates,
    pub runs: &'a [Trial],
    /// The shares of a run at its reports.
    pub shares: &'a [f64],
    /// The worth of a unit of cost, in the model's units.
    pub price: f64,
    pub survival: f64,
    pub seed: u64,
    /// The run that is to be taken to its end.
    pub run_to_finish: Option<usize>,
    /// The money that is left, if there is a budget.
    pub left: Option<f64>,
    /// Whether what a run had at any report counts.
    pub any_stage: bool,
    /// Whether runs are means of items, of which the best is known by its mean.
    pub are_items: bool,
    /// The outcome of the incumbent, in the user's units.
    pub incumbent: Option<f64>,
    /// The run with the best mean of all of its items, if runs are means of items.
    pub leader: Option<Leader>,
    /// What is known of limits; none if there are none.
    pub limits: Option<Limits<'a>>,
}

/// The incumbent among runs that are means of items: it need not have come to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leader {
    pub run: usize,
    /// By how much the best of the other runs is expected to be worse, in the model's units.
    pub ahead: f64,
}

/// The probabilities that ends may be used: that they hold all limits.
#[derive(Clone)]
pub struct Limits<'a> {
    pub usable: &'a Usable,
    /// Of each run.
    pub runs: Vec<f64>,
}

/// What is left of a run.
pub struct Remainder {
    /// What its coming stages cost.
    pub costs: Vec<f64>,
    /// The probability that its end may be used.
    pub usable: f64,
}

/// Something that may be paid for.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    pub what: Choice,
    /// The index, in the model's units.
    pub index: f64,
    /// The expected cost of the stage.
    pub cost: f64,
    /// What is paid for in the end: the stages that the index looks ahead to.
    pub ahead: Ahead,
}

/// The coming stages of a run up to one of its reports, paid for whatever they tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ahead {
    /// The progress there, as a share of the run.
    pub share: f64,
    /// What they are expected to cost together.
    pub cost: f64,
    /// How much better than the incumbent the run is then expected to be, if it is; in the model's units.
    /// Where the incumbent beats the index it is below the price: who may leave after each stage is not
    /// worse off than who may not.
    pub gain: f64,
}

/// What is paid for.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    Fresh { unit: Vec<f64>, row: Option<usize> },
    Resume(usize),
}

/// What is best, and the incumbent.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The offer with the largest index; none if nothing can be begun or resumed.
    pub best: Option<Offer>,
    /// What is to be paid for: the best one, or a run that is to be taken to its end.
    pub chosen: Option<Offer>,
    pub run_to_finish: Option<usize>,
    /// The outcome of the incumbent, in the model's units.
    pub incumbent: Option<f64>,
    /// Whether a run can be begun: of a finite space all may have been.
    pub begins: bool,
}

/// The error if nothing can be begun or resumed.
pub fn exhausted() -> Error {
    Error::new(ErrorKind::Exhausted, "every setting was taken, and no run waits to be resumed")
}

impl Decision {
    /// Whether the incumbent beats everything.
    pub fn stops(&self) -> bool {
        let Some(incumbent) = self.incumbent else { return false };
        self.best.as_ref().is_none_or(|best| incumbent >= best.index)
    }
}

impl Snapshot<'_> {
    /// The shares at the coming reports of a run that has come this far.
    pub fn coming(&self, share: f64) -> &[f64] {
        let first = self.shares.partition_point(|&other| reaches(share, other));
        &self.shares[first..]
    }

    /// The price of a stage. What is free still has one, and none is infinite.
    pub fn price_of(&self, cost: f64) -> f64 {
        (self.price * cost).clamp(f64::MIN_POSITIVE, f64::MAX)
    }

    /// What is best now, and what is to be paid for.
    pub fn decide(&self) -> Result<Decision> {
        let incumbent = self.incumbent.map(|y| self.belief.scale.apply(y));
        let base = incumbent.unwrap_or(f64::NEG_INFINITY);
        let paused = self.paused();
        let mut best = self.fresh(base)?;
        let begins = best.is_some();
        let mut offers: Vec<(f64, usize)> = Vec::new();
        for &run in &paused {
            offers.push((self.bound(run, self.costs_of(run)[0])? - self.index_offset(run), run));
        }
        offers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // No index is larger than its bound, so most need none.
        for some in offers.chunks(PASSED) {
            let bar = best.as_ref().map_or(base, |offer| offer.index.max(base));
            if best.is_some() && some[0].0 <= bar {
                break;
            }
            let runs: Vec<usize> = some.iter().map(|&(_, run)| run).collect();
            for (outlook, &run) in self.outlooks_of(&runs)?.iter().zip(&runs) {
                let offer =
                    self.offer(Choice::Resume(run), outlook, &self.remainder_of(run), base)?;
                if best.as_ref().is_none_or(|best| offer.index > best.index) {
                    best = Some(offer);
                }
            }
        }
        let (run_to_finish, held) = self.finishing(&paused, base)?;
        let mut chosen = held.or_else(|| best.clone());
        if let Some(last) = self.finishable(&paused, base, chosen.as_ref())? {
            chosen = Some(last);
        }
        Ok(Decision { best, chosen, run_to_finish, incumbent, begins })
    }

    /// What the index of the leader of items is lowered by. Another item of a run is worth its price
    /// if it may show that the best run is another: one that is behind by `d` may come to be ahead, and
    /// the leader may fall behind the next, each with the gain `E[(s Z - d)^+]`. With the offset `o` of
    /// its stages a run is worth them if `d < o`. So the leader counts as if it stood where the next one
    /// stands, and both are compared with it.
    pub fn index_offset(&self, run: usize) -> f64 {
        self.leader.filter(|leader| leader.run == run).map_or(0.0, |leader| leader.ahead)
    }

    pub fn paused(&self) -> Vec<usize> {
        let is_paused = |run: &usize| self.runs[*run].state == TrialState::Paused;
        (0..self.runs.len()).filter(is_paused).collect()
    }

    pub fn share_of(&self, run: usize) -> f64 {
        self.runs[run].reports.last().map_or(0.0, |report| report.share)
    }

    pub fn costs_of(&self, run: usize) -> Vec<f64> {
        let done = self.share_of(run);
        self.rates.stages(self.rates.of_run(&self.runs[run]), done, self.coming(done))
    }

    /// What is left of a run.
    pub fn remainder_of(&self, run: usize) -> Remainder {
        Remainder { costs: self.costs_of(run), usable: self.usable_of(run) }
    }

    /// The probability that the end of a run may be used.
    pub fn usable_of(&self, run: usize) -> f64 {
        self.limits.as_ref().map_or(1.0, |limits| limits.runs[run])
    }

    /// The same of runs at these settings.
    ///
    /// # Errors
    /// Those of the posteriors.
    pub fn usable_at(&self, points: &Points) -> Result<Vec<f64>> {
        match &self.limits {
            None => Ok(vec![1.0; points.len()]),
            Some(limits) => limits.usable.probabilities(points),
        }
    }

    pub fn outlooks_of(&self, runs: &[usize]) -> Result<Vec<Outlook>> {
        let questions: Vec<Question<'_>> = runs
            .iter()
            .map(|&run| Question {
                settings: &self.runs[run].unit,
                run: Some(run),
                shares: self.coming(self.share_of(run)),
            })
            .collect();
        self.belief.outlooks(&questions)
    }

    /// The run that is to be taken to its end, and its offer if it waits for that. The index begins
    /// runs for as long as they are cheap, and there would never be an incumbent; so now and then
    /// the run is finished whose end is expected to bring most beyond the price of its rest,
    /// `E[(f - g)^+] - lambda c` with the incumbent's `g`. Where none brings more than that, as on a
    /// plateau, none is. If any stage counts, an end is seldom better than the incumbent, and yet
    /// without one nothing shows what later stages bring: then it is the run that is worth most if
    /// it is paid for to its end.
    fn finishing(&self, paused: &[usize], base: f64) -> Result<(Option<usize>, Option<Offer>)> {
        let open =
            |run: &usize| matches!(self.runs[*run].state, TrialState::Pending | TrialState::Paused);
        let mut run_to_finish = self.run_to_finish.filter(open);
        if run_to_finish.is_none() && !self.are_items {
            let finished = self.runs.iter().filter(|run| run.state == TrialState::Complete).count();
            let begun = if self.belief.curves.shape.means {
                BEGUN_FOR_FINISHED.min(1.0 / self.shares[0] - 1.0)
            } else {
                BEGUN_FOR_FINISHED
            };
            if self.runs.len() as f64 > begun * finished as f64 {
                let pays = base.is_finite() && !self.any_stage;
                let mut best = if pays { 0.0 } else { f64::NEG_INFINITY };
                for &run in paused {
                    let rest = self.costs_of(run).iter().sum();
                    let worth = if self.any_stage {
                        let (mean, sd) = self.belief.end(run);
                        mean + self.whole(sd, rest, self.survival)?
                    } else {
                        self.excess(run, base) - self.price_of(rest)
                    };
                    if worth > best {
                        best = worth;
                        run_to_finish = Some(run);
                    }
                }
            }
        }
        let waiting = run_to_finish.filter(|run| paused.contains(run));
        let offer = waiting.map(|run| self.offer_of(run, base));
        Ok((run_to_finish, offer.transpose()?))
    }

    /// The run to take to its end before the money is out: once the next stage would leave too
    /// little for that. None if any stage counts, since what it had can be the incumbent.
    fn finishable(
        &self,
        paused: &[usize],
        base: f64,
        chosen: Option<&Offer>,
    ) -> Result<Option<Offer>> {
        let any = self.any_stage || self.are_items;
        let (Some(left), Some(chosen), false) = (self.left, chosen, any) else {
            return Ok(None);
        };
        let candidates = paused.iter().filter_map(|&run| {
            let rest: f64 = self.costs_of(run).iter().sum();
            if rest > left {
                return None;
            }
            Some((self.excess(run, base), rest, run))
        });
        let Some((_, rest, run)) = candidates.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Ok(None);
        };
        if left - chosen.cost >= rest {
            return Ok(None);
        }
        self.offer_of(run, base).map(Some)
    }

    /// How much better than the incumbent the end of a run is expected to be; its mean if there is
    /// no incumbent.
    fn excess(&self, run: usize, base: f64) -> f64 {
        let (mean, sd) = self.belief.end(run);
        match base.is_finite() {
            true if sd > 0.0 => self.usable_of(run) * sd * h((mean - base) / sd),
            true => self.usable_of(run) * (mean - base).max(0.0),
            false => mean,
        }
    }

    /// The offer to resume a run.
    fn offer_of(&self, run: usize, base: f64) -> Result<Offer> {
        let outlook = self.outlooks_of(&[run])?.remove(0);
        self.offer(Choice::Resume(run), &outlook, &self.remainder_of(run), base)
    }
}
