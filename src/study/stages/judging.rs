//! Whether to stop, in numbers and in words.

use super::looking::decide;
use super::stages_view::StagesView;
use super::staging::no_stages;
use crate::data::Domain;
use crate::data::TrialId;
use crate::data::trial::stages::reaches;
use crate::data::trial::trial::Trial;
use crate::error::Result;
use crate::math::decimal::{decimal, money};
use crate::math::saturating::{difference, saturated};
use crate::stop::budget::spent;
use crate::stop::equal::{is_enough, never_varied, share_that_differs};
use crate::stop::{Statistic, Verdict};
use crate::study::study::Study;
use crate::suggest::policy::stages::decision::{Ahead, Choice, Offer};
use crate::surrogate::curves::belief::Belief;
use crate::surrogate::curves::scale::are_alike;

/// The excess of the best runs counts for luck down to this share of what was paid.
const LUCK: f64 = 0.7;

/// A stop wants so many ends to be known. Of `m` ends that are in no order the next one is the best
/// with probability `1/(m + 1)`, and what is believed of ends was hardly tried on any.
const ENDS: usize = 4;

/// It wants no more ends once so many runs have begun: where a run costs more than it brings, few are
/// ever finished. A share of 7 % of all settings was then missed with a chance of 5 %, `0.93^40`.
const BEGUN: usize = 40;

/// The verdict that no rule is asked for, if this is the moment for one: the design lasts, nothing is
/// left, or there is no money for the next stage.
///
/// # Errors
/// Those of the model.
pub(super) fn without_rule(study: &mut Study) -> Result<Option<Verdict>> {
    if let Some(verdict) = study.seen().ok_or_else(no_stages)?.in_design() {
        return Ok(Some(verdict));
    }
    let Some(cost) = decide(study)?.chosen.as_ref().map(|offer| offer.cost) else {
        return Ok(Some(Statistic::nothing_left(0.0).verdict("stages")));
    };
    Ok(study.seen().ok_or_else(no_stages)?.without_money(cost))
}

/// Whether anything is still worth its price: the largest index against the incumbent, the best
/// outcome of a trial that came to its end or, if any stage counts, of any report.
///
/// # Errors
/// Those of the model.
pub(super) fn by_index(study: &mut Study) -> Result<Verdict> {
    let decision = decide(study)?.clone();
    let (stops, incumbent) = (decision.stops(), decision.incumbent);
    let seen = study.seen().ok_or_else(no_stages)?;
    let (Some(offer), Some((belief, _))) = (decision.chosen, &seen.staging.belief) else {
        return Ok(Verdict::without_statistic("stages", false, ""));
    };
    let incumbent = incumbent.map_or(f64::NAN, |z| belief.scale.back(z));
    let index = belief.scale.back(offer.index);
    let (sign, lambda) = (seen.trials.trial_log.direction().sign(), seen.lambda());
    // Where no other setting is left, none can be lucky, and of items no end need be known.
    let few = (decision.begins || !seen.staging.stages.are_items()) && seen.has_seen_few();
    // What an answer of 0 or 1 may be is known before any differs.
    let alike =
        Some(seen.alike()).filter(|_| lambda.is_some() && belief.curves.shape.level.is_none());
    let share = share_that_differs(seen.shown().count(), seen.left_to_begin(decision.begins));
    if alike == Some(Alike::Equal) {
        let share = share.max(seen.unseen());
        return Ok(never_varied(seen.shown().count(), share).verdict("stages"));
    }
    let few = few || alike == Some(Alike::WithinPrice) && !is_enough(share);
    let is_lucky = |lambda| few || decision.begins && seen.may_be_lucky(belief, lambda);
    let lucky = lambda.is_some_and(is_lucky);
    let fired = lambda.is_some() && stops && !lucky;
    let note = match (fired, stops && lucky) {
        (true, _) => {
            let next = seen.words(&offer);
            format!("nothing is worth its price any more; next would be: {next}")
        }
        (false, true) => "too little was seen yet to know that nothing better is there".to_owned(),
        (false, false) => seen.words(&offer),
    };
    let statistic = Statistic::at_most(sign * index, sign * incumbent).note(note);
    Ok(Statistic { fired, ..statistic }.verdict("stages"))
}

/// How much outcomes differ.
#[derive(PartialEq)]
enum Alike {
    Equal,
    /// By no more than a whole run costs.
    WithinPrice,
    Different,
}

impl StagesView<'_> {
    /// The verdict while the design lasts: that it does, or that the money is out.
    pub fn in_design(self) -> Option<Verdict> {
        if !self.is_designing() {
            return None;
        }
        let begun = self.runs().len();
        let words = format!("{begun} of {} trials of the design have begun", self.design.size());
        let verdict = || Verdict::without_statistic("stages", false, words);
        Some(self.without_money(0.0).unwrap_or_else(verdict))
    }

    /// How much the outcomes of all runs differ.
    fn alike(self) -> Alike {
        let least = self.shown().fold(f64::INFINITY, f64::min);
        let most = self.shown().fold(f64::NEG_INFINITY, f64::max);
        match difference(most, least) {
            _ if are_alike(most, least) => Alike::Equal,
            apart if apart <= self.price_of_a_run() => Alike::WithinPrice,
            _ => Alike::Different,
        }
    }

    /// The share of the folds or items that may differ from those that the furthest run has seen. Of curves
    /// all may before an end is known.
    fn unseen(self) -> f64 {
        if !self.staging.stages.are_means() {
            let knows_end = self.runs().iter().any(|run| self.counted(run).is_some());
            return if knows_end { 0.0 } else { 1.0 };
        }
        let total = self.staging.stages.total();
        let seen = self.runs().iter().map(Trial::progress).fold(0.0, f64::max);
        share_that_differs(seen as usize, Some((total - seen) as usize))
    }

    /// How many settings are left to begin a run with, if they are finitely many.
    fn left_to_begin(self, begins: bool) -> Option<usize> {
        match &self.setup.domain {
            _ if !begins => Some(0),
            Domain::Table(table) => Some(table.len().saturating_sub(self.runs().len())),
            Domain::Space(_) => None,
        }
    }

    /// Whether too few ends are known to stop by, and too few runs have begun to stop without.
    fn has_seen_few(self) -> bool {
        let known = self.runs().iter().filter(|run| self.counted(run).is_some()).count();
        known < ENDS && self.runs().len() < BEGUN
    }

    /// Whether luck may still bring more than what was paid. One more setting drawn evenly is the best
    /// of `n + 1` with probability `1/(n + 1)`, and is then better by about the mean excess `e` of the
    /// best quarter over the rest: by the ends that are expected of the runs, or by what they had if
    /// any stage counts. A setting has cost `spent/n` so far, so that another one is worth it while `e`
    /// exceeds the price of all that was paid.
    fn may_be_lucky(self, belief: &Belief, lambda: f64) -> bool {
        let mut ends: Vec<f64> = if self.staging.stages.does_any_stage_count() {
            self.shown().map(|y| belief.scale.apply(y)).collect()
        } else {
            let told = self.runs().iter().filter(|run| !run.reports.is_empty());
            told.map(|run| belief.end(run.id.index()).0).collect()
        };
        ends.sort_by(|a, b| b.total_cmp(a));
        let best = (ends.len() / 4).max(2).min(ends.len().saturating_sub(1));
        let Some(rest) = ends.get(best) else { return true };
        let excess = ends[..best].iter().map(|z| z - rest).sum::<f64>() / best.max(1) as f64;
        excess > LUCK * belief.scale.difference(lambda) * self.staging.spent
    }

    /// The verdict that the money is out, if it is.
    fn without_money(self, cost: f64) -> Option<Verdict> {
        let budget = self.trials.ledger.budget?;
        let left = self.left()?;
        if left > 0.0 && cost <= left {
            return None;
        }
        let tag = |cost| self.trials.ledger.price_tag(cost);
        let note = if left > 0.0 {
            format!(
                "{} of the budget of {} are left; the next stage is expected to cost {}",
                tag(left),
                tag(budget),
                tag(cost)
            )
        } else {
            let why = "what was under way cost more than was left";
            spent(self.staging.spent, budget, why, tag)
        };
        let statistic = Statistic::at_most(left, cost).note(note);
        Some(Statistic { fired: true, ..statistic }.verdict("budget"))
    }

    /// An offer in words: what all stages that its index looks ahead to cost, and what they are expected
    /// to bring.
    pub fn words(self, offer: &Offer) -> String {
        let (staging, Ahead { share, cost, gain }) = (self.staging, offer.ahead);
        let unit = staging.belief.as_ref().map_or(f64::NAN, |(belief, _)| belief.scale.unit);
        let brings = if gain.is_finite() {
            format!(" for an expected {}", decimal(saturated(gain * unit), 3))
        } else {
            String::new()
        };
        let price = self.lambda().map(|lambda| gain * (unit / (lambda * cost)));
        let of_price = match price.filter(|of| of.is_finite()) {
            Some(of) => format!(", {} of its price", decimal(of, 2)),
            None => String::new(),
        };
        let end = share * staging.stages.total();
        let next = |from| staging.next_progress(from);
        let far = |from: f64| {
            if reaches(next(from), end) {
                String::new()
            } else {
                format!(", and as far as {}", decimal(end, 6))
            }
        };
        let what = match &offer.what {
            Choice::Fresh { .. } => format!("begin another trial{}", far(0.0)),
            Choice::Resume(run) => {
                let from = self.runs()[*run].progress();
                format!(
                    "go on with {} to {}{}",
                    TrialId::from(*run),
                    decimal(next(from), 6),
                    far(from)
                )
            }
        };
        let cost = money(cost, self.trials.ledger.cost_unit.as_deref());
        format!("{what}: {cost}{brings}{of_price}")
    }
}
