//! A run entered again from its record, trial by trial, and asked what other rules would have said.

use crate::data::{Cost, State, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::stop::{StopRule, Verdict};
use crate::study::ask::Why;
use crate::study::outcome::Outcome;
use crate::study::point::{Drawn, Located, check_place};
use crate::study::record::{Row, Suggested};
use crate::study::study::Study;
use crate::study::trial::{Origin, TrialId, TrialState};

impl Study {
    /// Enters a trial as the record has it, in place of asking for one. A trial that was withdrawn
    /// is withdrawn from the start. An imported trial counts as withdrawn until it is told.
    pub(crate) fn reenter(&mut self, row: &Row) -> Result<()> {
        check_point(self, row)?;
        let why = match row.origin {
            Origin::Imported => {
                let values: Vec<&Value> = row.values.iter().map(|(_, value)| value).collect();
                let Located { drawn, values } = Located::new(&self.setup.domain, &values)?;
                let drawn = Drawn { row: row.row, ..drawn };
                self.trials.add(values, drawn, row.origin, TrialState::Withdrawn);
                return Ok(());
            }
            Origin::Initial => {
                let size = self.design.size();
                let told = self
                    .trials
                    .books
                    .trials
                    .iter()
                    .filter(|trial| trial.origin == Origin::Initial && trial.state.is_told())
                    .count();
                // Others take the places of points that were withdrawn. More points may therefore
                // be asked for than the design has, but not once all are told.
                if told >= size {
                    let message =
                        format!("one point more than the initial design of this study has, {size}");
                    return Err(Error::new(ErrorKind::InvalidSetting, message));
                }
                Why::Initial { number: told + 1, of: size }
            }
            Origin::Suggested => Why::Exploring,
        };
        let drawn = Drawn { unit: row.unit.clone(), row: row.row };
        let id = self.trials.enter(&self.setup.domain, drawn, row.origin, why).id();
        if row.state == TrialState::Withdrawn {
            self.withdraw(id)?;
        }
        if let Some(suggestion) = &row.suggestion {
            self.beliefs.recall(&suggestion.runners_up)?;
        }
        Ok(())
    }

    /// Tells a trial as the record has it.
    pub(crate) fn retell(&mut self, row: &Row) -> Result<()> {
        let state = row.state.told()?;
        // A cost that came first is in the books already. One that came later, or never, is
        // announced if it is learned.
        let late = row.cost.is_none() || row.paid > row.told;
        let cost_later =
            late && state == State::Complete && matches!(self.setup.cost, Cost::Learned);
        let outcome = Outcome {
            state,
            value: row.outcome,
            cost: row.cost.filter(|_| row.paid.is_none()),
            cost_later,
        };
        self.tell(TrialId::from(row.trial), outcome)
    }

    /// Tells the cost of a trial as the record has it, apart from its outcome.
    pub(crate) fn repay(&mut self, row: &Row) -> Result<()> {
        row.cost.map_or(Ok(()), |cost| self.tell_cost(row.trial, cost))
    }

    /// Takes the models that the record says were in use after what was told so far, in place of
    /// fitting them again.
    pub(crate) fn adopt(&mut self, suggestion: &Suggested) -> Result<()> {
        let models = [suggestion.outcome_model.as_ref(), suggestion.cost_model.as_ref()];
        self.beliefs.remodel(&mut self.setup, &self.trials.books, |belief, setup, modeled| {
            belief.adopt(setup, modeled, models)
        })
    }

    /// The verdict of each of these rules on the run as it stands. None while the initial design is
    /// not told.
    pub(crate) fn judge_by<'r>(
        &mut self,
        rules: impl Iterator<Item = (&'r str, &'r mut Box<dyn StopRule>)>,
    ) -> Result<Option<Vec<Verdict>>> {
        match self.without_rule(self.setup.deadline())? {
            Some(verdict) if verdict.is_stop() => {
                return Ok(Some(rules.map(|_| verdict.clone()).collect()));
            }
            Some(_) => return Ok(None),
            None => {}
        }
        self.refit(self.setup.deadline())?;
        let mut verdicts = Vec::new();
        for (name, rule) in rules {
            // Each has the time of a verdict.
            let (setup, deadline) = (&self.setup, self.setup.deadline());
            let verdict = self.beliefs.judge(setup, &self.trials, &mut **rule, None, deadline);
            verdicts.push(verdict.map_err(|error| error.at(format_args!("the rule {name:?}")))?);
        }
        Ok(Some(verdicts))
    }
}

/// Checks that a row has the parameters of the study and a point of its domain.
fn check_point(study: &Study, row: &Row) -> Result<()> {
    let names = || row.values.iter().map(|(name, _)| name);
    if !names().eq(study.names()) {
        let message = format!(
            "its parameters {:?} are not those of the study, {:?}",
            names().collect::<Vec<_>>(),
            study.names()
        );
        return Err(Error::new(ErrorKind::UnknownParameter, message));
    }
    check_place(study.domain(), &Drawn { unit: row.unit.clone(), row: row.row })
}
