//! Whether a study stops.

use gittins::{ErrorKind, Study, Verdict};

use super::player::Answer;
use super::study::Player;
use crate::invariants::{self, Held, must};
use crate::oracles;
use crate::said::Said;
use crate::world::rule::RuleSpec;

impl Player<'_> {
    pub fn verdict(&mut self) -> Answer {
        let mut excuses = self.excuses();
        let rule = self.world.rule.as_ref();
        excuses.extend(rule.is_some_and(RuleSpec::may_fail).then_some(ErrorKind::Data));
        let is_stray = rule.is_some_and(|rule| rule.is_stray(self.world.domain.dim()));
        excuses.extend(is_stray.then_some(ErrorKind::Dimension));
        let before = self.log.verdict.clone();
        let verdict = self.attempt(&[], &excuses, Study::verdict)?;
        let by_stages = ["stages", "budget"].contains(&verdict.reason().rule.as_str());
        if self.in_stages() && by_stages {
            invariants::verdict_in_stages(&verdict)?;
        } else {
            self.check_verdict(&verdict)?;
        }
        if let Some(before) = before {
            let same = format!("{before:?}") == format!("{verdict:?}");
            must!(same, VerdictsRepeat, "{before:?}, then {verdict:?}")?;
        }
        self.log.hear(&verdict);
        Ok(Said::Answered(vec![(&verdict).into()]))
    }

    /// Whether the statistic alone says where a rule fires: few trials leave a doubt whether one may
    /// hold all limits.
    fn fires_at_threshold(&self) -> bool {
        self.world.rule.as_ref().is_none_or(RuleSpec::fires_at_threshold)
            && !self.world.is_hurried()
            && self.world.measured.is_empty()
    }

    fn check_verdict(&self, verdict: &Verdict) -> Held {
        let (world, log, reason) = (self.world, &self.log, verdict.reason());
        let rule = world.rule.as_ref();
        // Numbers whose squares are none have no moments.
        let speechless = rule.is_some_and(RuleSpec::may_be_speechless) || log.has_no_squares();
        invariants::verdict(verdict, self.fires_at_threshold(), speechless)?;
        let own = match () {
            () if self.in_stages() => None,
            () if log.is_broke() => Some(("budget", true)),
            () if log.is_evaluated() && (world.is_lucky() || reason.rule == "exhausted") => {
                Some(("exhausted", true))
            }
            () if log.design_is_open() => Some(("initial design", false)),
            () if rule.is_none() && !self.is_for_money() => Some(("none", false)),
            () => None,
        };
        let named = match own {
            // A limit of trials may be reached amid the design.
            Some(("initial design", false)) if reason.rule == "number of trials" => true,
            Some((name, stop)) => reason.rule == name && verdict.is_stop() == stop,
            None => {
                let is_end = reason.rule == "exhausted" && log.may_run_out() && !self.in_stages();
                is_end || !["exhausted", "initial design", "none"].contains(&reason.rule.as_str())
            }
        };
        must!(named, VerdictsHaveTheirForm, "{verdict:?}, expected {own:?}")?;
        match world.rule_seen(self.view) {
            // What a front gains is compared in logarithms, whatever the form.
            Some(RuleSpec::Priced { .. }) if world.is_front() => Ok(()),
            Some(rule) if own.is_none() => oracles::statistic(&rule, log, reason),
            _ => Ok(()),
        }
    }

    fn is_for_money(&self) -> bool {
        self.policy.price().is_some() || self.world.spec.budget.is_some()
    }

    /// A verdict to stop is the same beside pending trials; one to go on may turn, but in stages,
    /// where it counts them itself.
    pub fn verdict_on_another(&mut self) -> Answer {
        self.verdict()?;
        let excuses = self.excuses();
        let (alone, beside, pending) = self.attempt(&[], &excuses, |study| {
            let alone = study.verdict()?;
            Ok((alone, study.verdict_on_another()?, study.counts().pending))
        })?;
        let same = format!("{alone:?}") == format!("{beside:?}");
        let is_full = beside.reason().rule == "number of trials";
        let turns = pending > 0 && !alone.is_stop() && (self.is_for_money() || is_full);
        let free = turns && !self.in_stages();
        must!(same || free, VerdictsRepeat, "{alone:?}, then {beside:?}")?;
        if !same {
            let at_threshold = !self.world.is_hurried() && self.world.measured.is_empty();
            invariants::verdict(&beside, at_threshold, self.log.has_no_squares())?;
        }
        Ok(Said::Answered(vec![(&beside).into()]))
    }
}
