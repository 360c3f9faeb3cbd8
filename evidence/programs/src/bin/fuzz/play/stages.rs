//! What only trials in stages have: reports, advice, forecasts of their ends.

use gittins::study::Advice;

use super::player::{Answer, Halt, one_of};
use super::study::Player;
use crate::calls::{Any, At, Cost, Word};
use crate::invariants::must;
use crate::said::{Line, Number, Quantity, Said};
use crate::trial_log::ReportTold;

impl Player<'_> {
    /// The share of a trial between its last report and a progress; all of it from the beginning
    /// where stages begin anew.
    pub fn share_until(&self, id: usize, progress: f64) -> f64 {
        let (Some(stages), Some(entry)) = (self.world.stages(), self.log.entries.get(id)) else {
            return 1.0;
        };
        let done = if stages.do_repeat() { 0.0 } else { entry.progress() };
        ((progress - done) / stages.total()).clamp(0.0, 1.0)
    }

    pub fn report(&mut self, which: usize, at: At, decides: bool, word: Word) -> Answer {
        let total = self.world.stages().map_or(1.0, |stages| stages.total());
        let (id, progress) = match at {
            At::Beyond(Any(share)) => {
                let id = which % (self.log.entries.len() + 1);
                let before = self.log.entries.get(id).map_or(0.0, |entry| entry.progress());
                (id, before + share * total)
            }
            At::Next => {
                let id = one_of(&self.log.those(|entry| entry.is_pending()), which)?;
                let until = self.log.entries[id].until.ok_or(Halt::Idle)?;
                // What is measured at the end is told by another call.
                if until == total && !self.world.measured.is_empty() {
                    return self.tell(id, word);
                }
                (id, until)
            }
        };
        let told = self.reported(id, progress, word);
        let faults = self.log.faults_of_report(id, told);
        let ReportTold { outcome, cost, .. } = told;
        let advice = self.attempt(&faults, &[], |study| {
            if decides {
                return study.report(id, progress, outcome, cost).map(Some);
            }
            study.note_report(id, progress, outcome, cost).map(|()| None)
        })?;
        self.log.report(id, told, &self.pair.study)?;
        let Some(advice) = advice else {
            // It goes on, whatever it said.
            if self.log.entries[id].state == gittins::study::TrialState::Paused {
                let trial = &self.pair.study.history()[id];
                self.log.follow(id, trial);
                let until = trial.until.unwrap_or(f64::NAN);
                let goes_on = self.log.entries[id].is_pending() && until > progress;
                must!(goes_on && until <= total, HistoryIsWhatWasTold, "{trial:?}")?;
            }
            return Ok(Said::Taken);
        };
        self.hear_advice(id, advice)
    }

    fn reported(&self, id: usize, progress: f64, word: Word) -> ReportTold {
        let world = self.world;
        let entry = self.log.entries.get(id);
        let share = world.stages().map_or(1.0, |stages| progress / stages.total());
        let at = || entry.map_or(world.objective.unit, |entry| world.outcome(&entry.unit, share));
        let usual =
            entry.map_or(1.0, |entry| self.cost_at(&entry.values) * self.share_until(id, progress));
        let cost = match word.cost {
            Cost::Fitting | Cost::Silent | Cost::Later => usual,
            Cost::Times(Any(factor)) => usual * factor,
            Cost::Raw(Any(raw)) => raw,
        };
        let outcome = self.view.outcome(self.log.value(word.outcome, at));
        ReportTold { progress, outcome, cost: self.view.cost(cost) }
    }

    fn hear_advice(&mut self, id: usize, advice: Advice) -> Answer {
        let state = self.log.entries[id].state;
        must!(self.log.hear_advice(id, advice), AdviceIsSound, "{advice:?} for {state:?}")?;
        let choice = format!("{advice:?}");
        Ok(Said::Answered(vec![Line { choice, ..Line::default() }]))
    }

    pub fn advise(&mut self, id: usize) -> Answer {
        let faults = [self.refused_without_stages(), self.log.faults_of_id(id)].concat();
        let advice = self.attempt(&faults, &[], |study| study.advise(id))?;
        self.hear_advice(id, advice)
    }

    pub fn forecast_end(&mut self, id: usize) -> Answer {
        let faults = [self.refused_without_stages(), self.log.faults_of_id(id)].concat();
        // A study made again does not know of limits before its next decision.
        if !self.world.measured.is_empty() {
            self.pair.part();
        }
        let found = self.attempt(&faults, &[], |study| study.forecast_end(id))?;
        let Some(found) = found else { return Ok(Said::Taken) };
        let numbers = [found.mean, found.sd, found.cost, found.index].iter().all(|n| n.is_finite());
        let sound = numbers && found.sd >= 0.0 && found.cost >= 0.0;
        must!(sound && !self.log.entries[id].is_told(), NumbersAreNumbers, "{found:?}")?;
        let of = |of: Quantity, value| Number { size: found.sd, ..of.is(value) };
        let numbers = [
            of(Quantity::Outcome, found.mean),
            of(Quantity::Difference, found.sd),
            of(Quantity::Outcome, found.index),
        ];
        let line = numbers.map(|number| Line::of("forecast of an end", number));
        Ok(Said::Answered(line.to_vec()))
    }
}
