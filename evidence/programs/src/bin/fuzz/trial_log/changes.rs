//! What is entered.

use gittins::study::{Origin, TrialState, Why};
use gittins::{Ask, Domain, Study, Trial, Value, Verdict};

use super::{CostTold, Entry, Heard, News, Telling, TrialLog};
use crate::invariants::{Held, must};
use crate::world::measure::MOST;

impl TrialLog<'_> {
    pub fn begin(&mut self, entry: Entry) {
        self.entries.push(Entry { seen: self.news.len(), ..entry });
        // In stages a verdict also looks at trials under way.
        self.verdict.take_if(|_| self.world.stages().is_some());
    }

    /// A trial was asked for; within a limit, or in a part that has no other point, it may be
    /// suggested before the design is over.
    pub fn ask(&mut self, ask: &Ask, trial: &Trial, is_limited: bool) -> Held {
        let number = self.entries.len();
        let leaves = is_limited && trial.origin == Origin::Suggested;
        let origin = if self.designs() && !leaves { Origin::Initial } else { Origin::Suggested };
        // In stages a design also ends with what its trials say.
        let origin = if self.stages().is_some() { trial.origin } else { origin };
        let same = ask.values() == trial.values && ask.row() == trial.row && trial.id == ask.id();
        let agrees = ask.id().index() == number && trial.origin == origin && same;
        must!(agrees, HistoryIsWhatWasTold, "{ask:?}, {trial:?}, not {number}, {origin:?}")?;
        self.is_watched &= self.news.is_empty() || self.verdict.is_some();
        let mut entry = Entry::new(trial.values.clone(), trial.unit.clone(), trial.row, origin);
        if let Why::Suggested(said) = ask.why() {
            entry.suggested = Some([said.value, said.mean, said.sd]);
        }
        self.begin(Entry { until: trial.until, ..entry });
        Ok(())
    }

    /// A trial at some values began, or was told, without having been asked for. One that is announced
    /// has the values that its point leads to: the last digits may be others than those told.
    pub fn announce(&mut self, values: &[Value], is_told: bool, study: &Study) -> Held {
        let id = self.entries.len();
        let Some(trial) = study.history().get(id) else {
            return must!(false, HistoryIsWhatWasTold, "no trial {id}");
        };
        let row =
            if let Domain::Table(table) = &self.domain { table.row_of(values).ok() } else { None };
        let is_kept = is_told && self.stages().is_none();
        let typed = self.world.domain.typed(values).filter(|_| is_kept);
        let entry = Entry::new(
            typed.unwrap_or_else(|| trial.values.clone()),
            trial.unit.clone(),
            row,
            Origin::Imported,
        );
        self.begin(Entry { until: trial.until.filter(|_| self.stages().is_some()), ..entry });
        Ok(())
    }

    pub fn tell(&mut self, id: usize, told: &Telling, study: &Study) {
        let known =
            self.world.known_cost(&self.entries[id].values).map(|cost| self.view.cost(cost));
        self.settle(id, told);
        let entry = &mut self.entries[id];
        // What is known is known but for the way to the unit cube and back.
        if !entry.cost_told {
            let found = study.history()[id]
                .cost
                .zip(known)
                .filter(|(cost, known)| (known - cost).abs() <= 1e-6 * known.abs());
            entry.cost = found.map(|(cost, _)| cost).or(known);
        }
        self.news(id, false);
    }

    /// State, outcome, measured numbers and a cost as they are told.
    pub fn settle(&mut self, id: usize, told: &Telling) {
        let (view, entry) = (self.view, &mut self.entries[id]);
        entry.state = told.state;
        entry.outcome = told.outcome_told(&view);
        entry.measures = told.measures;
        if let CostTold::Paid(cost) = told.cost {
            entry.cost = Some(view.cost(cost));
            entry.cost_told = true;
        }
        self.verdict = None;
    }

    pub fn pay(&mut self, id: usize, cost: f64) {
        let entry = &mut self.entries[id];
        entry.known = entry.cost;
        entry.cost = Some(self.view.cost(cost));
        entry.cost_told = true;
        self.news(id, true);
        self.is_watched = false;
    }

    pub(super) fn news(&mut self, id: usize, is_cost: bool) {
        self.is_watched &= self.news.is_empty() || self.verdict.is_some();
        self.news.push(News { id, is_cost });
        self.verdict = None;
    }

    /// A trial was given up, or what was told of it was taken back.
    pub fn withdraw(&mut self, id: usize) {
        let entry = &mut self.entries[id];
        if entry.is_told() {
            entry.outcome = None;
            entry.cost = None;
            entry.cost_told = false;
            entry.known = None;
            entry.measures = [None; MOST];
            let first = |news: &[News]| news.iter().position(|news| news.id == id);
            self.forget(first(&self.news));
            while let Some(place) = first(&self.news) {
                self.news.remove(place);
                let counts = self.entries.iter_mut().flat_map(|entry| {
                    [Some(&mut entry.seen), entry.heard.as_mut().map(|heard| &mut heard.told)]
                });
                counts.flatten().filter(|told| **told > place).for_each(|told| *told -= 1);
            }
        }
        self.entries[id].state = TrialState::Withdrawn;
        self.is_watched = false;
    }

    pub fn correct(&mut self, id: usize, told: &Telling) {
        let measures = self.entries[id].measures;
        self.settle(id, told);
        if told.measures.iter().all(Option::is_none) {
            self.entries[id].measures = measures;
        }
        // A cost that was told apart and stands was not wrong.
        let paid = matches!(told.cost, CostTold::Paid(_));
        self.forget(self.news.iter().position(|news| news.id == id && (paid || !news.is_cost)));
        self.is_watched = false;
    }

    /// Verdicts that knew of something at this place are gone.
    pub(super) fn forget(&mut self, place: Option<usize>) {
        let place = place.unwrap_or(0);
        let heard = self.entries.iter_mut().map(|entry| &mut entry.heard);
        heard.for_each(|heard| drop(heard.take_if(|heard| heard.told > place)));
        self.verdict = None;
    }

    /// A verdict was heard. In stages the record has those of a rule alone.
    pub fn hear(&mut self, verdict: &Verdict) {
        let is_kept = self.stages().is_none() || self.world.rule.is_some();
        if self.verdict.is_none()
            && is_kept
            && let Some(&last) = self.order().last()
        {
            let reason = verdict.reason();
            self.entries[last].heard = Some(Heard {
                told: self.news.len(),
                rule: reason.rule.clone(),
                statistic: reason.statistic,
                threshold: reason.threshold,
                stops: verdict.is_stop(),
            });
        }
        self.verdict = Some(verdict.clone());
    }

    /// The acquisition was changed: a verdict is found anew, and a replay does not know of it.
    pub fn stray(&mut self) {
        self.is_watched = false;
        self.verdict = None;
    }
}
