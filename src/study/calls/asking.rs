//! Asking for the next point.

use std::time::Instant;

use crate::data::trial::refused;
use crate::data::trial::trial::Origin;
use crate::error::{ErrorKind, Result};
use crate::math::clock::Deadline;
use crate::stop::Ledger;
use crate::study::beliefs::stagnation::{self, Turn, turn};
use crate::study::beliefs::thinned::Thinned;
use crate::study::calls::context::Part;
use crate::study::calls::many::refine;
use crate::study::design::no_cost_known;
use crate::study::events::ask::{Ask, Why};
use crate::study::events::event::Asked;
use crate::study::events::point::Drawn;
use crate::study::events::request::Request;
use crate::study::stages;
use crate::study::study::Study;
use crate::suggest::{Next, Progress, Round, Step, suggest};
use crate::surrogate::View;

impl Study {
    /// The next point to evaluate: first the initial design (scrambled Sobol points, or the rows of
    /// a table that cover as much), then what the policy suggests. Several may be asked for before any
    /// is told. The Gittins index and improvements then measure what a trial adds to the pending
    /// ones ([`Job::pending`](crate::Job::pending)); other acquisitions have these at their
    /// posterior means. [`ask_for`](Self::ask_for) asks for several at once, within a limit, or in
    /// a part of the space.
    ///
    /// # Errors
    /// `Exhausted` if every row of a table, or every setting of a finite space, is pending or was
    /// evaluated and another outcome there would tell nothing; `NonFinite` or `NonPositiveCost`
    /// from a known cost; those of the model and of the backend. The study stays as it was.
    pub fn ask(&mut self) -> Result<Ask> {
        if self.stages.is_some() {
            return stages::ask(self);
        }
        self.ask_in(&mut Round::one(), None, None)?.ok_or_else(refused::exhausted)
    }

    /// The next `count` points to evaluate at the same time: [`ask_for`](Self::ask_for) with a
    /// [count](Request::count) alone.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask). The points before the error are pending trials in
    /// [`history`](Self::history).
    pub fn ask_many(&mut self, count: usize) -> Result<Vec<Ask>> {
        self.ask_for(&Request::new().count(count))
    }

    /// The next points by all that a [request](Request) says: how many, within which limit of the
    /// expected cost, in which part of the space.
    ///
    /// There are fewer points than requested, or none, if the model expects everything else that may
    /// be asked for to cost more than the limit. Wait for another worker then, or for the model to
    /// learn. None are requested by a count of 0.
    ///
    /// # Errors
    /// `InvalidSetting` for a limit that is not positive, and for conditions on a table;
    /// `UnknownParameter`, `InvalidSetting` and `OutOfBounds` for conditions that name no parameter,
    /// make no sense for one, leave it no value or contradict each other, naming it; `Empty` for a
    /// limit while costs are learned and none is known, or no trial is complete; those of
    /// [`ask`](Self::ask). The points before the error are pending trials in
    /// [`history`](Self::history).
    pub fn ask_for(&mut self, request: &Request) -> Result<Vec<Ask>> {
        if self.stages.is_some() {
            return stages::ask_for(self, request);
        }
        let within = request.limit()?;
        let part = if request.is_of_part() {
            Some(Part::of(self, &request.conditions, &request.context)?)
        } else {
            None
        };
        let mut round = if request.count == 1 { Round::one() } else { Round::many() };
        let mut asks = Vec::new();
        while asks.len() < request.count
            && let Some(ask) = self.ask_in(&mut round, within, part.as_ref())?
        {
            asks.push(ask);
        }
        if request.jointly {
            refine(self, &mut asks, within, part.as_ref())?;
        }
        Ok(asks)
    }

    /// The next point of a round of several, within a limit of the expected cost and in a part of
    /// the space, if there are such. None if no point is within the limit.
    ///
    /// # Errors
    /// Those of [`ask_for`](Self::ask_for).
    fn ask_in(
        &mut self,
        round: &mut Round,
        within: Option<f64>,
        part: Option<&Part>,
    ) -> Result<Option<Ask>> {
        let policy = self.policy.clone();
        let Self { design, trials, beliefs, .. } = self;
        let setup = part.map_or(&self.setup, |part| &part.setup).clone();
        if let Some(number) = trials.next_of_design(&setup.domain, design.size()) {
            let modeled = beliefs.modeled(&trials.trial_log);
            let drawn = design.draw_cheap(within, &setup, modeled, &trials.asked)?;
            if let Some(drawn) = drawn {
                let why = Why::Initial { number, of: design.size() };
                let asked = self.trials.asked_at(drawn, Origin::Initial, &self.design);
                return self.keep_asked(asked, &setup.domain, why, &policy).map(Some);
            }
        }
        let blind =
            stagnation::is_blind(&self.setup, &self.trials.trial_log).then_some(Why::Exploring);
        if blind.is_some() {
            // As before a suggestion: later fits begin where earlier ones ended.
            self.refit(self.setup.deadline())?;
        }
        let Self { design, trials, beliefs, .. } = self;
        let plateau = || stagnation::plateau(beliefs, trials).map(|gain| Why::Plateau { gain });
        if let Some(why) = blind.or_else(plateau) {
            let modeled = beliefs.modeled(&trials.trial_log);
            let drawn = match design.draw_cheap(within, &setup, modeled, &trials.asked) {
                // Another outcome of an evaluated point may still be worth it.
                Err(error) if error.kind() == ErrorKind::Exhausted => None,
                drawn => drawn?,
            };
            if let Some(drawn) = drawn {
                let asked = self.trials.asked_at(drawn, Origin::Suggested, &self.design);
                return self.keep_asked(asked, &setup.domain, why, &policy).map(Some);
            }
        }
        let deadline = self.setup.deadline();
        self.refit(deadline)?;
        let began = Instant::now();
        let next = self.suggest(round, within, part, deadline);
        if !matches!(next, Ok(Some((Next::Found(..), _)))) {
            // What it kept from a search that found nothing is in no event.
            self.policy.clone_from(&policy);
        }
        match next? {
            Some((Next::Found(mut suggestion, runners_up, limited), turn)) => {
                if let Some(Turn::Stuck(gain)) = turn {
                    suggestion.random_restart = Some(gain);
                }
                let search = began.elapsed();
                let said =
                    self.beliefs.said(&setup, &self.trials.trial_log, &suggestion, &runners_up);
                let drawn = Drawn { unit: suggestion.unit.clone(), row: suggestion.row };
                // Only the best indices of the first model may lower a price.
                let counts = turn.is_none() && !limited && !part.is_some_and(Part::is_context);
                let asked = Asked {
                    index: self.trials.index_of(&suggestion).filter(|_| counts),
                    suggestion: Some(Box::new(said)),
                    seconds: search.as_secs_f64(),
                    ..self.trials.asked_at(drawn, Origin::Suggested, &self.design)
                };
                self.keep_asked(asked, &setup.domain, Why::Suggested(suggestion), &policy).map(Some)
            }
            Some((Next::Exhausted, _)) => Err(refused::exhausted()),
            Some((Next::OverBudget, _)) => Ok(None),
            None => {
                let Self { design, trials, beliefs, .. } = self;
                let modeled = beliefs.modeled(&trials.trial_log);
                let drawn = design.draw_within(within, &setup, modeled, &trials.asked)?;
                let Some(drawn) = drawn else { return Ok(None) };
                let asked = self.trials.asked_at(drawn, Origin::Suggested, &self.design);
                self.keep_asked(asked, &setup.domain, Why::Exploring, &policy).map(Some)
            }
        }
    }

    /// The policy's suggestion in a part of the space, and why it is the second model's turn if it
    /// is. It is within a limit or, unless there is one, within the rest of the budget if anything
    /// is. None while no trial is complete.
    fn suggest(
        &mut self,
        round: &mut Round,
        within: Option<f64>,
        part: Option<&Part>,
        deadline: Deadline,
    ) -> Result<Option<(Next, Option<Turn>)>> {
        let Some(first) = self.beliefs.first.surrogate() else { return Ok(None) };
        if within.is_some() && !first.knows_cost() {
            return Err(no_cost_known());
        }
        let affordable = match within {
            Some(_) => None,
            None => self.trials.affordable(&self.setup, Some(first))?,
        };
        let pending_trials = self.trials.pending_trials(Some(first), |_| true)?;
        let (trial_log, progress) = (&self.trials.trial_log, self.progress());
        let modeled = Thinned::or_all(self.beliefs.thinned.as_ref(), &trial_log.observations);
        let judged = self.judge.rule.is_some() || self.trials.ledger.price.is_some();
        let second = self.beliefs.second.as_mut().and_then(|second| {
            let turn = turn(second, progress.iteration, trial_log, modeled, judged)?;
            Some((second.beside(first, modeled, deadline)?, turn))
        });
        // What the first model's searches found is not what the second would find, nor what is
        // found in a part.
        let mut alone = Round::one();
        let (surrogate, turn, memo, round) = match second {
            Some((second, turn)) => (second, Some(turn), None, &mut alone),
            None => (first, None, Some(&self.beliefs.memo), round),
        };
        let setup = part.map_or(&self.setup, |part| &part.setup);
        let surrogate = Part::seen(part, surrogate, modeled)?;
        let step = Step {
            view: View { setup, surrogate: &surrogate, observations: modeled },
            pending_trials: &pending_trials,
            taken: &self.trials.asked,
            excluded: &self.trials.asked,
            runners_up: &self.beliefs.runners_up,
            memo: memo.filter(|_| part.is_none()),
            progress,
            deadline,
        };
        if affordable.is_some() {
            let next = suggest(&step, &mut self.policy, round, affordable)?;
            if !matches!(next, Next::OverBudget) {
                return Ok(Some((next, turn)));
            }
        }
        Ok(Some((suggest(&step, &mut self.policy, round, within)?, turn)))
    }

    /// The progress of the run, as the next suggestion sees it.
    pub(in crate::study) fn progress(&self) -> Progress {
        let Ledger { spent, total_cost, .. } = self.trials.ledger;
        Progress {
            dim: self.setup.domain.dim(),
            iteration: 1 + self.trials.trial_log.suggested(),
            trials: self.trials.trial_log.trials.len(),
            spent,
            total_cost,
            design: self.trials.cost_of_design(),
            rest: self.trials.rest(self.design.size()),
        }
    }
}
