//! A study that goes on from a record, and one that is asked what other rules would have said.

use crate::data::trial::Origin;
use crate::data::{Cost, Direction, TrialId, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::stop::{StopRule, Verdict};
use crate::study::builder::StudyBuilder;
use crate::study::event::Asked;
use crate::study::point::{Drawn, check_place};
use crate::study::record::{Point, Record, Row, Suggested};
use crate::study::reentering::Reentered;
use crate::study::study::Study;
use crate::surrogate::Second;

impl StudyBuilder {
    /// A study that goes on where a recorded one stood, with these settings: all trials, what was
    /// told of them, what they cost, and the suggestions with their models. It has
    /// [events](Study::events) like any other.
    ///
    /// With the settings of the recorded study, on the same machine and with the backend
    /// [`Cpu`](crate::Cpu), it asks for the same as that one, to the bit, up to a hundred
    /// observations, unless something counts that no record has:
    ///
    /// - models that left the record because something was corrected or taken back, and those
    ///   behind verdicts, advice, and turns of a second model. They are fitted anew, and may end a
    ///   little elsewhere;
    /// - the state of a policy or of a stopping rule. They begin anew, but for a price that falls:
    ///   it falls again by the recorded indices;
    /// - verdicts, changes of the policy, and how imported trials were chosen.
    ///
    /// [`resume`](Self::resume) keeps all of that. A cost that was known beforehand counts as told,
    /// and a trial of others stands at its values, whose way to the unit cube may round.
    ///
    /// ```
    /// use gittins::{Outcome, Space, Study};
    ///
    /// let settings = || Study::minimize(Space::new().float("x", 0.0, 1.0)).initial(2).seed(7);
    /// let mut study = settings().build()?;
    /// for _ in 0..4 {
    ///     let ask = study.ask()?;
    ///     study.tell(ask.id(), Outcome::new((ask.get::<f64>("x")? - 0.3).powi(2)))?;
    /// }
    /// let record = study.record(); // to a file and back
    /// let mut again = settings().continue_from(&record)?;
    /// assert_eq!(again.ask()?.values(), study.ask()?.values());
    /// # Ok::<(), gittins::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`build`](Self::build); `InvalidSetting` for a study in [stages](Self::stages), whose
    /// reports no record has. If the record is not one of this study, naming the trial:
    /// `InvalidSetting` for another direction and for more points than the initial design has,
    /// `UnknownParameter` for other parameters, `OutOfBounds` for a point that the space or the
    /// table does not have, and those of [`Study::tell`] for numbers.
    pub fn continue_from(self, record: &Record) -> Result<Study> {
        if self.stages.is_some() {
            let message = "a record has no reports of trials in stages: `resume` takes all events";
            return Err(Error::new(ErrorKind::InvalidSetting, message));
        }
        self.build()?.after_record(record)
    }
}

impl Reentered for Study {
    type Point = Point;
    type Suggestion = Suggested;
    const IS_TOLD_PLACE: bool = false;

    fn next_id(&self) -> TrialId {
        self.trials.books.next_id()
    }

    fn to(&self) -> Direction {
        self.direction()
    }

    fn named(&self) -> &[String] {
        self.names()
    }

    fn learns_costs(&self) -> bool {
        matches!(self.setup.cost, Cost::Learned)
    }

    fn asked(&mut self, row: &Row) -> Result<Asked> {
        let drawn = drawn(self, &row.point)?;
        if row.origin == Origin::Initial {
            let size = self.design.size();
            let told = self
                .trials
                .books
                .trials
                .iter()
                .filter(|trial| trial.origin == Origin::Initial && trial.state.is_told())
                .count();
            // Others take the places of points that were withdrawn. More points may therefore be
            // asked for than the design has, but not once all are told.
            if told >= size {
                let message =
                    format!("one point more than the initial design of this study has, {size}");
                return Err(Error::new(ErrorKind::InvalidSetting, message));
            }
        }
        if row.suggestion.is_none() {
            self.design.pass(&self.setup.domain, &self.trials.asked, &drawn.unit);
        }
        // Only the best indices of the first model may lower a price.
        let second = self.beliefs.second.as_ref();
        let by_second =
            second.is_some_and(Second::takes_turns) && Second::is_turn(self.progress().iteration);
        let index = row
            .suggestion
            .as_ref()
            .filter(|said| said.lambda.is_some() && said.unguided.is_none() && !by_second);
        Ok(Asked {
            seen: row.seen,
            index: index.map(|said| self.direction().sign() * said.value),
            suggestion: row.suggestion.clone().map(Box::new),
            seconds: row.seconds.search,
            ..self.trials.asked_at(drawn, row.origin, &self.design)
        })
    }

    fn place(&self, point: &Point) -> Result<Vec<Value>> {
        drawn(self, point)?;
        Ok(point.values.iter().map(|(_, value)| value.clone()).collect())
    }

    fn believe(&mut self, suggestion: &Suggested) -> Result<()> {
        if suggestion.outcome_model.is_none() {
            return self.refit(self.setup.deadline());
        }
        let models = [suggestion.outcome_model.as_ref(), suggestion.cost_model.as_ref()];
        self.beliefs.remodel(&mut self.setup, &self.trials.books, |belief, setup, modeled| {
            belief.adopt(setup, modeled, models)
        })?;
        self.note_fits();
        Ok(())
    }
}

/// The place of a recorded point, which is one of the study.
fn drawn(study: &Study, point: &Point) -> Result<Drawn> {
    let drawn = Drawn { unit: point.unit.clone(), row: point.row };
    check_place(study.domain(), &drawn)?;
    Ok(drawn)
}

impl Study {
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
