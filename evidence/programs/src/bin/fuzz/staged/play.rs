//! A sequence of calls on a study of runs in stages, each compared with the books.

use gittins::study::{Advice, TrialState};
use gittins::{Ask, ErrorKind, Outcome, Result, Study, TrialId, Value};

use crate::calls::{Cost, Place, Saying, Word};
use crate::invariants::{Break, Held, expected, must};
use crate::play::attempt;
use crate::said::{Asked, Judged, Said};
use crate::staged::books::Books;
use crate::staged::calls::StagedCall;
use crate::staged::world::StagedWorld;
use crate::tally::Tally;
use crate::view::View;

/// What a study said to all calls; or the first thing that did not hold.
pub fn play(
    world: &StagedWorld,
    view: &View,
    calls: &[StagedCall],
    tally: &mut Tally,
) -> Held<Vec<Said>> {
    let built = attempt(|| world.settings(view).build())?;
    let Some(study) = expected(built, &[], &[])? else { return Ok(Vec::new()) };
    let books = Books::new(world, world.maximize != view.mirrored);
    let mut player = Player { world, view, study, books };
    let mut said = Vec::with_capacity(calls.len());
    for (number, call) in calls.iter().enumerate() {
        let answer = player.call(call).and_then(|said| {
            player.books.compare(&player.study)?;
            Ok(said)
        });
        let answer = answer.map_err(|error| Break { call: number, ..error })?;
        match answer {
            Said::Idle => {}
            Said::Refused(kind) => tally.error(kind),
            _ => tally.operation(call.name(), call.operations()),
        }
        said.push(answer);
    }
    Ok(said)
}

struct Player<'w> {
    world: &'w StagedWorld,
    view: &'w View,
    study: Study,
    books: Books<'w>,
}

impl Player<'_> {
    fn call(&mut self, call: &StagedCall) -> Held<Said> {
        let running = self.books.under_way();
        let one_of = |which: usize| which.checked_rem(running.len()).map(|place| running[place]);
        let any = |which: usize| which % (self.books.entries.len() + 1);
        match call {
            StagedCall::Ask(count) => self.ask(*count),
            StagedCall::Report { which, word } | StagedCall::Note { which, word } => {
                let Some(id) = one_of(*which) else { return Ok(Said::Idle) };
                let Some(until) = self.books.entries[id].until else { return Ok(Said::Idle) };
                let decides = matches!(call, StagedCall::Report { .. });
                self.report(id, until, word, decides)
            }
            StagedCall::ReportAt { which, beyond, word } => {
                let id = any(*which);
                let before = self.books.entries.get(id).map_or(0.0, |entry| entry.progress());
                let total = self.world.stages.total();
                self.report(id, before + beyond * total, word, true)
            }
            StagedCall::Advise(which) => self.advise(any(*which)),
            StagedCall::Fail { which, cost } => self.fail(any(*which), *cost),
            StagedCall::Withdraw(which) => {
                let id = any(*which);
                let faults = self.books.faults_of_loss(id);
                let lost = self.attempt(&faults, &[], |study| study.withdraw(id))?;
                Ok(self.taken(lost, |books| books.lose(id)))
            }
            StagedCall::Correct { which, word } => self.correct(any(*which), word),
            StagedCall::Announce(place) => self.announce(place),
            StagedCall::Import { place, word } => self.import(place, word),
            StagedCall::Verdict => self.verdict(),
            StagedCall::VerdictTwice => {
                let first = self.verdict()?;
                let second = self.verdict()?;
                let same = format!("{first:?}") == format!("{second:?}");
                must!(same, VerdictsRepeat, "{first:?}, then {second:?}")?;
                Ok(second)
            }
            StagedCall::Forecast(which) => self.forecast(any(*which)),
            StagedCall::Resume => self.resume(),
        }
    }

    fn attempt<T>(
        &mut self,
        faults: &[ErrorKind],
        excuses: &[ErrorKind],
        act: impl FnOnce(&mut Study) -> Result<T>,
    ) -> Held<std::result::Result<T, ErrorKind>> {
        let result = attempt(|| act(&mut self.study))?;
        let kind = result.as_ref().err().map(gittins::Error::kind);
        Ok(expected(result, faults, excuses)?.ok_or_else(|| kind.unwrap_or(ErrorKind::Data)))
    }

    fn taken(
        &mut self,
        result: std::result::Result<(), ErrorKind>,
        enter: impl FnOnce(&mut Books<'_>),
    ) -> Said {
        match result {
            Ok(()) => {
                enter(&mut self.books);
                Said::Taken
            }
            Err(kind) => Said::Refused(kind),
        }
    }

    fn ask(&mut self, count: usize) -> Held<Said> {
        let mut asked = Vec::with_capacity(count);
        for _ in 0..count {
            let excuses: &[ErrorKind] =
                if self.world.domain.is_bound() || self.study.domain().is_finite() {
                    &[ErrorKind::Exhausted]
                } else {
                    &[]
                };
            match self.attempt(&[], excuses, Study::ask)? {
                Ok(ask) => asked.push(self.enter(&ask)?),
                Err(kind) => return Ok(Said::Refused(kind)),
            }
        }
        Ok(Said::Asked(asked))
    }

    /// A run that begins is new, and one that goes on was paused.
    fn enter(&mut self, ask: &Ask) -> Held<Asked> {
        let (id, total) = (ask.id().index(), self.world.stages.total());
        let run = self.study.history().get(id).cloned();
        let Some(run) = run else {
            return Err(must!(false, HistoryIsWhatWasTold, "{ask:?} of no run").unwrap_err());
        };
        let typed = self.world.domain.typed(ask.values());
        let inside = typed.as_deref() == Some(ask.values()) && run.values == ask.values();
        must!(inside, PointsAreInside, "{ask:?}")?;
        let known = self.books.entries.get(id);
        let from = known.map_or(0.0, |entry| entry.progress());
        let agrees = match (known.map(|entry| entry.state), ask.resume()) {
            (None, None) => id == self.books.entries.len(),
            (Some(TrialState::Paused), Some(resume)) => resume == from,
            _ => false,
        };
        let further = ask.until() > from && ask.until() <= total;
        must!(agrees && further, HistoryIsWhatWasTold, "{ask:?} of {run:?}")?;
        if ask.resume().is_none() {
            let begun = &self.study.history()[..id];
            let mut begun = begun.iter().filter(|old| old.state != TrialState::Withdrawn);
            let is_new = begun.all(|old| (old.row, &old.unit) != (run.row, &run.unit));
            must!(is_new, PointsAreNew, "{run:?}")?;
            self.books.begin(&run);
        } else {
            (self.books.entries[id].state, self.books.entries[id].until) = (run.state, run.until);
        }
        Ok(Asked {
            set: Some(id),
            values: run.values,
            unit: run.unit,
            row: run.row,
            stage: if ask.resume().is_some() { "resumed" } else { "begun" },
            said: None,
        })
    }

    /// What a word says of a run at a progress.
    fn told(&self, id: usize, progress: f64, word: &Word) -> [f64; 3] {
        let unit = self.world.objective.unit;
        let (entry, total) = (self.books.entries.get(id), self.world.stages.total());
        let outcome = match word.outcome {
            Saying::Objective | Saying::Failed | Saying::Infeasible => {
                // Of one that others evaluated all is known by what is said of it.
                entry.map_or(unit, |entry| self.world.outcome(&entry.unit, progress / total))
            }
            Saying::Like(which) => {
                let all = self.books.entries.iter().flat_map(|entry| &entry.reports);
                let all: Vec<f64> = all.map(|[_, outcome, _]| *outcome).collect();
                let like = which.checked_rem(all.len()).map(|place| all[place]);
                like.map_or(unit, |outcome| self.view.outcome_back(outcome))
            }
            Saying::Units(units) => units * unit,
            Saying::Raw(raw) => raw,
        };
        let cost = self.cost(id, progress, word.cost);
        [progress, self.view.outcome(outcome), self.view.cost(cost)]
    }

    fn cost(&self, id: usize, progress: f64, cost: Cost) -> f64 {
        let share = self.books.entries.get(id).map_or(1.0, |entry| {
            let done = if self.world.stages.do_repeat() { 0.0 } else { entry.progress() };
            (progress - done) / self.world.stages.total()
        });
        let usual = self
            .books
            .entries
            .get(id)
            .map_or(1.0, |entry| self.world.cost(&entry.values, share.clamp(0.0, 1.0)));
        match cost {
            Cost::Fitting | Cost::Silent | Cost::Later => usual,
            Cost::Times(factor) => usual * factor,
            Cost::Raw(raw) => raw,
        }
    }

    fn report(&mut self, id: usize, progress: f64, word: &Word, decides: bool) -> Held<Said> {
        let told = self.told(id, progress, word);
        let [_, outcome, cost] = told;
        let faults = self.books.faults(id, told);
        let advice = self.attempt(&faults, &[], |study| match decides {
            true => study.report(id, progress, outcome, cost).map(Some),
            false => study.note_report(id, progress, outcome, cost).map(|()| None),
        })?;
        let advice = match advice {
            Ok(advice) => advice,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        self.books.report(id, told);
        match advice {
            Some(advice) => self.heard(id, advice),
            None => {
                // It goes on, whatever it said.
                if self.books.entries[id].state == TrialState::Paused {
                    let run = &self.study.history()[id];
                    let entry = &mut self.books.entries[id];
                    (entry.state, entry.until) = (run.state, run.until);
                    must!(self.books.entries[id].is_running(), HistoryIsWhatWasTold, "run {id}")?;
                }
                Ok(Said::Taken)
            }
        }
    }

    fn heard(&mut self, id: usize, advice: Advice) -> Held<Said> {
        let state = self.books.entries[id].state;
        must!(self.books.hear(id, advice), AdviceIsSound, "{advice:?} for {state:?}")?;
        Ok(Said::Heard(advice))
    }

    fn advise(&mut self, id: usize) -> Held<Said> {
        let unknown = (id >= self.books.entries.len()).then_some(ErrorKind::UnknownTrial);
        match self.attempt(unknown.as_slice(), &[], |study| study.advise(id))? {
            Ok(advice) => self.heard(id, advice),
            Err(kind) => Ok(Said::Refused(kind)),
        }
    }

    fn fail(&mut self, id: usize, cost: Cost) -> Held<Said> {
        let cost = self.view.cost(self.cost(id, self.world.stages.total(), cost));
        let faults = self.books.faults_of_failure(id, cost);
        let failed =
            self.attempt(&faults, &[], |study| study.tell(id, Outcome::failed().cost(cost)))?;
        Ok(self.taken(failed, |books| books.fail(id, cost)))
    }

    fn correct(&mut self, id: usize, word: &Word) -> Held<Said> {
        let progress = self.books.entries.get(id).map_or(0.0, |entry| entry.progress());
        let [_, outcome, _] = self.told(id, progress, word);
        let faults = self.books.faults_of_correction(id, outcome);
        let corrected =
            self.attempt(&faults, &[], |study| study.correct(id, Outcome::new(outcome)))?;
        Ok(self.taken(corrected, |books| books.correct(id, outcome)))
    }

    /// Values at a place, and what is wrong with them.
    fn values_at(&self, place: &Place) -> (Vec<Value>, Vec<ErrorKind>) {
        let domain = &self.world.domain;
        let known: Vec<_> = self.books.entries.iter().map(|entry| &entry.values).collect();
        let values = place.values(domain, &known);
        let wrong = [ErrorKind::Dimension, ErrorKind::NonFinite, ErrorKind::OutOfBounds];
        let finite = values.iter().all(|value| value.number().is_none_or(f64::is_finite));
        let legal = finite && domain.typed(&values).is_some();
        (values, if legal { Vec::new() } else { wrong.to_vec() })
    }

    fn import(&mut self, place: &Place, word: &Word) -> Held<Said> {
        let (values, mut faults) = self.values_at(place);
        let (count, total) = (self.books.entries.len(), self.world.stages.total());
        let told @ [_, value, cost] = self.told(count, total, word);
        faults.extend(self.books.faults_of_import(told));
        let outcome = Outcome::new(value).cost(cost);
        match self.attempt(&faults, &[], |study| study.import(&values, outcome))? {
            Ok(id) => {
                must!(id == TrialId::from(count), HistoryIsWhatWasTold, "{id}, not {count}")?;
                self.books.import(&self.study.history()[count].clone(), told);
                Ok(Said::Taken)
            }
            Err(kind) => Ok(Said::Refused(kind)),
        }
    }

    fn announce(&mut self, place: &Place) -> Held<Said> {
        let (values, faults) = self.values_at(place);
        match self.attempt(&faults, &[], |study| study.announce(&values))? {
            Ok(id) => {
                let count = self.books.entries.len();
                must!(id == TrialId::from(count), HistoryIsWhatWasTold, "{id}, not {count}")?;
                self.books.begin(&self.study.history()[count].clone());
                Ok(Said::Taken)
            }
            Err(kind) => Ok(Said::Refused(kind)),
        }
    }

    fn verdict(&mut self) -> Held<Said> {
        let verdict = match self.attempt(&[], &[], Study::verdict)? {
            Ok(verdict) => verdict,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        let (reason, stop) = (verdict.reason(), verdict.is_stop());
        let words = reason.to_string();
        let says = words.starts_with(if stop { "stop: " } else { "continue: " });
        must!(says && !reason.rule.is_empty(), VerdictsHaveTheirForm, "{verdict:?}")?;
        let infinite = reason.statistic.is_infinite() && reason.rule != "stages";
        must!(!infinite, NumbersAreNumbers, "{verdict:?}")?;
        Ok(Said::Judged(Judged::from(&verdict)))
    }

    fn forecast(&mut self, id: usize) -> Held<Said> {
        let unknown = (id >= self.books.entries.len()).then_some(ErrorKind::UnknownTrial);
        let found = match self.attempt(unknown.as_slice(), &[], |study| study.forecast_end(id))? {
            Ok(found) => found,
            Err(kind) => return Ok(Said::Refused(kind)),
        };
        let Some(found) = found else { return Ok(Said::Taken) };
        let numbers = [found.mean, found.sd, found.cost, found.index].iter().all(|n| n.is_finite());
        let sound = numbers && found.sd >= 0.0 && found.cost >= 0.0;
        must!(sound, NumbersAreNumbers, "{found:?}")?;
        Ok(Said::Taken)
    }

    /// A study of the same events shows and says the same, and goes on in its place.
    fn resume(&mut self) -> Held<Said> {
        let events = self.study.events().to_vec();
        let made = attempt(|| self.world.settings(self.view).resume(events))?;
        let Some(mut again) = expected(made, &[], &[])? else { return Ok(Said::Idle) };
        let shown = |study: &Study| format!("{:?} {:?}", study.history(), study.total_cost());
        let same = shown(&self.study) == shown(&again);
        must!(same, EventsAreTheStudy, "{}\n  and {}", shown(&self.study), shown(&again))?;
        let verdicts = attempt(|| [self.study.verdict(), again.verdict()])?;
        let [own, other] = verdicts.map(|verdict| format!("{verdict:?}"));
        must!(own == other, EventsAreTheStudy, "{own}\n  and {other}")?;
        self.study = again;
        Ok(Said::Taken)
    }
}
