//! What is given and not chosen.

use std::borrow::Cow;
use std::sync::Arc;

use crate::data::{Condition, Domain, Observations, ParameterKind, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::stop::{StopContext, Verdict};
use crate::study::calls::advice::recommended;
use crate::study::calls::ask_tell::AskTell;
use crate::study::events::recommendation::Recommendation;
use crate::study::events::request::Context;
use crate::study::study::Study;
use crate::surrogate::{Setup, Surrogate};

impl Context {
    /// Whether to stop here: no trial in this context is expected to improve what is best in it by more
    /// than its price. The price is that of the policy, or what the rest of the budget makes it. Without
    /// both it is never to stop, and not before a trial with the name that the context gives, or with
    /// two values of its number. Other rules follow a run as a whole, and say nothing of a context.
    ///
    /// # Errors
    /// Those of [`Study::ask_for`] for conditions; `InvalidSetting` for a study in stages or with
    /// several objectives; those of [`Study::verdict`].
    pub fn verdict(&self, study: &mut dyn AskTell) -> Result<Verdict> {
        of_study(study, |study| {
            let part = Part::of(study, &[], self)?;
            verdict_within(study, self, &part)
        })
    }

    /// The setting to use here: of all trials that hold all limits, each in this context, the one with
    /// the best posterior mean. The values are those of the context, the outcome is that of the trial,
    /// and mean and deviation are what to expect here. None while there is no such trial.
    ///
    /// # Errors
    /// Those of [`verdict`](Self::verdict).
    pub fn recommendation(&self, study: &mut dyn AskTell) -> Result<Option<Recommendation>> {
        of_study(study, |study| {
            let part = Part::of(study, &[], self)?;
            study.refit(study.setup.deadline())?;
            let Some(surrogate) = study.beliefs.surrogate() else { return Ok(None) };
            let modeled = study.beliefs.modeled(&study.trials.trial_log);
            let surrogate = Part::seen(Some(&part), surrogate, modeled)?;
            recommended(study, &surrogate)
        })
    }
}

/// What a study finds out, wherever it lives.
fn of_study<T>(
    study: &mut dyn AskTell,
    mut find: impl FnMut(&mut Study) -> Result<T>,
) -> Result<T> {
    let mut found = None;
    study.find_out(&mut |study| {
        found = Some(find(study)?);
        Ok(())
    })?;
    found.ok_or_else(|| Error::new(ErrorKind::Empty, "nothing was found out"))
}

/// A part of the space that is searched, and the context if it is one.
#[derive(Clone)]
pub(in crate::study) struct Part {
    /// The settings with the part as their domain.
    pub setup: Arc<Setup>,
    context: Option<Space>,
}

impl Part {
    /// The part in which conditions and a context hold.
    ///
    /// # Errors
    /// Those of the conditions.
    pub fn of(study: &mut Study, conditions: &[Condition], context: &Context) -> Result<Self> {
        let invalid = |message: &str| Err(Error::new(ErrorKind::InvalidSetting, message));
        let Domain::Space(space) = &study.setup.domain else {
            return invalid(
                "conditions are for spaces: a table has rows, of which any may be left out",
            );
        };
        let is_context = !context.conditions.is_empty();
        if is_context && study.stages.is_some() {
            return invalid("a context is for trials of one outcome, and this study is in stages");
        }
        let part = space.part(&[conditions, &context.conditions].concat())?;
        let context = is_context.then(|| space.part(&context.conditions)).transpose()?;
        // The fit is one of the whole space.
        if !study.trials.trial_log.observations.is_empty() {
            study.refit(study.setup.deadline())?;
        }
        let mut setup = Setup::clone(&study.setup);
        setup.search = setup.search.over(&part);
        setup.trees = setup.trees.over(&part);
        setup.domain = part.into();
        Ok(Self { setup: Arc::new(setup), context })
    }

    /// Whether it is one of a context.
    pub fn is_context(&self) -> bool {
        self.context.is_some()
    }

    /// The models as a part sees them.
    ///
    /// # Errors
    /// Those of [`Surrogate::in_context`].
    pub fn seen<'s>(
        part: Option<&Self>,
        surrogate: &'s Surrogate,
        observations: &Observations,
    ) -> Result<Cow<'s, Surrogate>> {
        match part.and_then(|part| Some((part.context.as_ref()?, part.setup.incumbent))) {
            Some((context, by)) => surrogate.in_context(context, observations, by).map(Cow::Owned),
            None => Ok(Cow::Borrowed(surrogate)),
        }
    }
}

fn verdict_within(study: &mut Study, context: &Context, part: &Part) -> Result<Verdict> {
    let deadline = study.setup.deadline();
    let Some(mut rule) = study.by_money() else {
        return Ok(Verdict::without_statistic("none", false, "").endless(ENDLESS));
    };
    if let Some(verdict) = study.without_rule(deadline)? {
        return Ok(verdict);
    }
    if let Some(words) = unseen(study, context)? {
        return Ok(Verdict::without_statistic("context", false, words));
    }
    study.refit(deadline)?;
    let trials = &study.trials;
    let modeled = study.beliefs.modeled(&trials.trial_log);
    let surrogate = study.beliefs.surrogate();
    let surrogate = surrogate.map(|one| Part::seen(Some(part), one, modeled)).transpose()?;
    let context = StopContext::new(
        &part.setup,
        surrogate.as_deref(),
        &trials.trial_log.observations,
        &trials.evaluated,
        &study.beliefs.runners_up,
        &trials.ledger,
    );
    let statistic = rule.check(&context.modeling(modeled).until(deadline))?;
    Ok(statistic.judged(None).verdict(rule.name()))
}

/// What no trial has taught of a context: its name, or what any other number would change. A model
/// that never saw a difference expects none.
fn unseen(study: &Study, context: &Context) -> Result<Option<String>> {
    let Domain::Space(space) = &study.setup.domain else { return Ok(None) };
    let complete =
        || study.trials.trial_log.observations.iter().filter(|one| one.outcome.is_some());
    for condition in &context.conditions {
        let part = space.part(std::slice::from_ref(condition))?;
        if complete().any(|one| part.admits(&one.point)) {
            continue;
        }
        let index = space.index_of(&condition.parameter)?;
        let kind = space.parameters()[index].kind();
        let is_name = matches!(kind, ParameterKind::Choice { .. } | ParameterKind::Flag);
        let column = space.view().columns_of(index).start;
        let mut places = complete().map(|one| one.point[column]);
        let first = places.next();
        if is_name || places.all(|place| Some(place) == first) {
            return Ok(Some(format!("no trial is complete where {condition}")));
        }
    }
    Ok(None)
}

/// Why nothing ends a context.
const ENDLESS: &str = "a context ends by what money is worth, and there is no price and no budget";
