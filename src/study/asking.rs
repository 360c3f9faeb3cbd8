//! Asking for the next point.

use std::time::Instant;

use crate::acquisition::{Acquisition, Pointwise};
use crate::data::{Domain, Value};
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::stop::Ledger;
use crate::study::ask::{Ask, Why};
use crate::study::design::{exhausted, has_rows_besides, no_cost_known};
use crate::study::region::Region;
use crate::study::second::Turn;
use crate::study::study::Study;
use crate::study::trial::{Origin, TrialId, TrialState};
use crate::suggest::{Next, Progress, Round, Step, Suggestion, suggest};
use crate::surrogate::View;

impl Study {
    /// The next point to evaluate: first the initial design (scrambled Sobol points, or the rows of
    /// a table nearest to them), then what the policy suggests. Several may be asked for before any
    /// is told. The Gittins index and improvements then measure what a trial adds to those under way
    /// ([`Job::pending`](crate::Job::pending)); other acquisitions have these at their posterior
    /// means. [`ask_many`](Self::ask_many) asks for several at once. A [trust
    /// region](crate::study::TrustRegion) that gives way to another asks for quasi-random points
    /// again.
    ///
    /// # Errors
    /// `Exhausted` if every row of a table was evaluated or is under way; `NonFinite` or
    /// `NonPositiveCost` from a known cost; those of the model and of the backend. The study stays
    /// as it was.
    pub fn ask(&mut self) -> Result<Ask> {
        self.ask_in(&mut Round::one(), None)?.ok_or_else(exhausted)
    }

    /// The next point of a round of several, within a limit of the expected cost if there is one.
    /// None if no point is within the limit.
    pub(crate) fn ask_in(&mut self, round: &mut Round, within: Option<f64>) -> Result<Option<Ask>> {
        if let Some(number) = self.next_of_design()
            && let Some((unit, row)) = self.draw_of_design(within)?
        {
            let why = Why::Initial { number, of: self.design.size() };
            return Ok(Some(self.enter(unit, row, Origin::Initial, why)));
        }
        if let Some((number, of)) = self.next_of_region()
            && let Some((unit, row)) = self.draw(within)?
        {
            return Ok(Some(self.enter(unit, row, Origin::Suggested, Why::Region { number, of })));
        }
        let deadline = self.setup.deadline();
        self.refit(deadline)?;
        let began = Instant::now();
        match self.suggest_affordable(round, within, deadline)? {
            Some((Next::Found(mut suggestion, runners_up, limited), second)) => {
                if let Some(Turn::Stuck(gain)) = second {
                    suggestion.unguided = Some(gain);
                }
                self.runners_up = runners_up;
                let search = began.elapsed();
                let (unit, row) = (suggestion.unit.clone(), suggestion.row);
                let ask = self.enter(unit, row, Origin::Suggested, Why::Suggested(suggestion));
                self.note_suggestion(&ask, second.is_none() && !limited);
                self.books.notes[ask.id.index()].seconds.search = search.as_secs_f64();
                Ok(Some(ask))
            }
            Some((Next::Exhausted, _)) => Err(exhausted()),
            Some((Next::TooDear, _)) => Ok(None),
            None => Ok(self
                .draw(within)?
                .map(|(unit, row)| self.enter(unit, row, Origin::Suggested, Why::Exploring))),
        }
    }

    /// Notes why a trial was suggested, and whether its index counts: a price decays by the first
    /// model's indices alone, and only by the best ones.
    fn note_suggestion(&mut self, ask: &Ask, counts: bool) {
        let Why::Suggested(suggestion) = &ask.why else { return };
        if let Acquisition::Pointwise(Pointwise::Gittins { .. }) = suggestion.acquisition
            && counts
        {
            self.indices.insert(ask.id, self.books.direction().sign() * suggestion.value);
        }
        let said = self.said(suggestion);
        self.books.notes[ask.id.index()].suggestion = Some(Box::new(said));
    }

    /// The number of the coming point of the design, the first being 1. None once the design is
    /// over, or a table has no row left for it.
    fn next_of_design(&self) -> Option<usize> {
        let number = self.books.next_of_design(self.design.size())?;
        if self.budget_ends_design() {
            return None;
        }
        has_rows_besides(&self.setup.domain, &self.asked).then_some(number)
    }

    /// The number of the coming point of a trust region that begins, the first being 1, and how many
    /// it begins with.
    fn next_of_region(&mut self) -> Option<(usize, usize)> {
        let region = self.region.as_mut()?;
        region.follow(&self.books);
        Some((region.next_of_fresh(&self.books)?, region.schedule().fresh()))
    }

    /// What the policy suggests within a limit, or unless there is one within the rest of the
    /// budget, if anything is.
    fn suggest_affordable(
        &mut self,
        round: &mut Round,
        within: Option<f64>,
        deadline: Deadline,
    ) -> Result<Option<(Next, Option<Turn>)>> {
        if within.is_none()
            && let Some(left) = self.affordable()?
        {
            let found = self.suggest(round, Some(left), deadline)?;
            if !matches!(found, Some((Next::TooDear, _))) {
                return Ok(found);
            }
        }
        self.suggest(round, within, deadline)
    }

    /// What the policy suggests, and why it is the second model's turn if it is. None as long as no
    /// trial is complete.
    fn suggest(
        &mut self,
        round: &mut Round,
        within: Option<f64>,
        deadline: Deadline,
    ) -> Result<Option<(Next, Option<Turn>)>> {
        let Some(first) = self.belief.surrogate() else { return Ok(None) };
        if within.is_some() && !first.knows_cost() {
            return Err(no_cost_known());
        }
        let under_way = self.under_way(|_| true)?;
        let modeled = Region::modeled(self.region.as_ref(), &self.books.observations);
        let progress = self.progress();
        let judged = self.rule.is_some() || self.ledger.price.is_some();
        let second = self.second.as_mut().and_then(|second| {
            let turn = second.turn(progress.iteration, (&self.books, modeled), judged)?;
            Some((second.beside(first, modeled, deadline)?, turn))
        });
        // What the first model's searches found is not what the second would find.
        let mut alone = Round::one();
        let (surrogate, turn, memo, round) = match second {
            Some((second, turn)) => (second, Some(turn), None, &mut alone),
            None => (first, None, Some(&self.memo), round),
        };
        let step = Step {
            view: View { setup: &self.setup, surrogate, observations: modeled },
            under_way: &under_way,
            taken: &self.asked,
            excluded: &self.asked,
            runners_up: &self.runners_up,
            memo,
            progress,
            deadline,
        };
        Ok(Some((suggest(&step, &mut self.policy, round, within)?, turn)))
    }

    /// The progress of the run, as the next suggestion sees it.
    pub(super) fn progress(&self) -> Progress {
        let Ledger { spent, total_cost, .. } = self.ledger;
        Progress {
            dim: self.setup.domain.dim(),
            iteration: 1 + self.books.suggested(),
            trials: self.books.trials.len(),
            spent,
            total_cost,
            design: self.cost_of_design(),
            rest: self.rest(),
        }
    }

    /// Enters a trial that is asked for.
    pub(super) fn enter(
        &mut self,
        unit: Vec<f64>,
        row: Option<usize>,
        origin: Origin,
        why: Why,
    ) -> Ask {
        let (values, numbers) = self.written(&unit, row);
        self.asked.insert(&unit);
        self.ledger.counts.pending += 1;
        let id = self.add(values.clone(), unit, row, origin, TrialState::Pending);
        Ask { id, names: self.names.clone(), values, numbers, row, why }
    }

    /// The values of a point, and the same as numbers.
    fn written(&self, unit: &[f64], row: Option<usize>) -> (Vec<Value>, Vec<f64>) {
        match (&self.setup.domain, row) {
            (Domain::Table(table), Some(row)) => (table.values(row), table.row(row).to_vec()),
            (domain, _) => (domain.values_at(unit), domain.numbers_at(unit)),
        }
    }

    /// Moves a trial under way to the place of another suggestion.
    pub(super) fn move_to(&mut self, id: TrialId, suggestion: Suggestion) -> Ask {
        let (unit, row) = (suggestion.unit.clone(), suggestion.row);
        let (values, numbers) = self.written(&unit, row);
        let trial = &mut self.books.trials[id.index()];
        (trial.values, trial.unit, trial.row) = (values.clone(), unit, row);
        let why = Why::Suggested(Box::new(suggestion));
        let ask = Ask { id, names: self.names.clone(), values, numbers, row, why };
        self.note_suggestion(&ask, true);
        ask
    }

    /// Enters a trial that somebody else runs: under way, and to be told like an import.
    pub(crate) fn reserve(&mut self, unit: Vec<f64>, row: Option<usize>) -> TrialId {
        self.enter(unit, row, Origin::Imported, Why::Exploring).id()
    }
}
