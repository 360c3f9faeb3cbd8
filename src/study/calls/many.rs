//! The points of a round, refined together.

use crate::data::Points;
use crate::error::Result;
use crate::study::calls::context::Part;
use crate::study::events::ask::{Ask, Why};
use crate::study::events::event::Event;
use crate::study::study::Study;
use crate::suggest::{Step, improve};
use crate::surrogate::{AlternateModel, View};

/// The largest number of times that each point of a round is moved.
const SWEEPS: usize = 3;

/// Moves points of a round to better places, within a limit of the expected cost and in a part of
/// the space if there are such.
pub(in crate::study) fn refine(
    study: &mut Study,
    asks: &mut [Ask],
    within: Option<f64>,
    part: Option<&Part>,
) -> Result<()> {
    for _ in 0..SWEEPS {
        let mut moved = false;
        for ask in &mut *asks {
            moved |= improved(study, ask, within, part)?;
        }
        if !moved {
            break;
        }
    }
    Ok(())
}

/// Moves a pending trial to a better place given all other pending trials. Returns whether
/// there is one.
fn improved(
    study: &mut Study,
    ask: &mut Ask,
    within: Option<f64>,
    part: Option<&Part>,
) -> Result<bool> {
    let Why::Suggested(suggestion) = &ask.why else { return Ok(false) };
    let Some(surrogate) = study.beliefs.surrogate() else { return Ok(false) };
    let by_second = suggestion.random_restart.is_some()
        || study.beliefs.second.as_ref().is_some_and(AlternateModel::takes_turns);
    if !suggestion.acquisition.uses_pending() || by_second {
        return Ok(false);
    }
    // Its own place is free for it.
    let mut taken = study.trials.asked.clone();
    if !suggestion.repeated {
        taken.remove(&suggestion.unit);
    }
    let setup = part.map_or(&study.setup, |part| &part.setup);
    let trial_log = &study.trials.trial_log;
    let modeled = study.beliefs.modeled(trial_log);
    let surrogate = &*Part::seen(part, surrogate, modeled)?;
    let step = Step {
        view: View { setup, surrogate, observations: modeled },
        pending_trials: &study
            .trials
            .pending_trials(Some(surrogate), |trial| trial.id != ask.id)?,
        taken: &taken,
        excluded: &taken,
        runners_up: &Points::new(setup.domain.dim()),
        memo: None,
        progress: study.progress(),
        deadline: study.setup.deadline(),
    };
    let Some(better) = improve(&step, suggestion, within)? else { return Ok(false) };
    let before = suggestion.unit.clone();
    if !suggestion.repeated {
        study.trials.asked.remove(&before);
    }
    study.trials.asked.insert(&better.unit);
    let said =
        study.beliefs.said(setup, &study.trials.trial_log, &better, &study.beliefs.runners_up);
    // Only the best index of all lowers a price, not the best one within a limit.
    let counts = within.is_none() || study.trials.indices.contains_key(&ask.id);
    let index = study.trials.index_of(&better).filter(|_| counts);
    study.trials.indices.extend(index.map(|index| (ask.id, index)));
    let asked = study.log.events.iter_mut().rev().find_map(|event| match event {
        Event::Asked { trial, asked, .. } if *trial == ask.id => Some(asked),
        _ => None,
    });
    if let Some(asked) = asked {
        asked.unit.clone_from(&better.unit);
        asked.row = better.row;
        asked.index = study.trials.indices.get(&ask.id).copied();
        asked.suggestion = Some(Box::new(said.clone()));
    }
    study.trials.trial_log.notes[ask.id.index()].suggestion = Some(Box::new(said));
    *ask = study.trials.move_to(&setup.domain, ask.id, better);
    Ok(true)
}
