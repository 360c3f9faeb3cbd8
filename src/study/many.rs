//! The points of a round, refined together.

use crate::data::Points;
use crate::error::Result;
use crate::study::ask::{Ask, Why};
use crate::study::event::Event;
use crate::study::study::Study;
use crate::suggest::{Step, improve};
use crate::surrogate::{Second, Setup, View};

/// The largest number of times that each point of a round is moved.
const SWEEPS: usize = 3;

impl Study {
    /// Moves points of a round to better places, within a limit of the expected cost and in a part of
    /// the space if there are such.
    pub(super) fn refine(
        &mut self,
        asks: &mut [Ask],
        within: Option<f64>,
        part: Option<&Setup>,
    ) -> Result<()> {
        for _ in 0..SWEEPS {
            let mut moved = false;
            for ask in &mut *asks {
                moved |= self.improve(ask, within, part)?;
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    /// Moves a pending trial to a better place given all other pending trials. Returns whether
    /// there is one.
    fn improve(
        &mut self,
        ask: &mut Ask,
        within: Option<f64>,
        part: Option<&Setup>,
    ) -> Result<bool> {
        let Why::Suggested(suggestion) = &ask.why else { return Ok(false) };
        let Some(surrogate) = self.beliefs.surrogate() else { return Ok(false) };
        let by_second = suggestion.unguided.is_some()
            || self.beliefs.second.as_ref().is_some_and(Second::takes_turns);
        if !suggestion.acquisition.uses_pending() || by_second {
            return Ok(false);
        }
        // Its own place is free for it.
        let mut taken = self.trials.asked.clone();
        if !suggestion.repeated {
            taken.remove(&suggestion.unit);
        }
        let (setup, books) = (part.unwrap_or(&self.setup), &self.trials.books);
        let step = Step {
            view: View { setup, surrogate, observations: self.beliefs.modeled(books) },
            under_way: &self.trials.under_way(Some(surrogate), |trial| trial.id != ask.id)?,
            taken: &taken,
            excluded: &taken,
            runners_up: &Points::new(setup.domain.dim()),
            memo: None,
            progress: self.progress(),
            deadline: self.setup.deadline(),
        };
        let Some(better) = improve(&step, suggestion, within)? else { return Ok(false) };
        let before = suggestion.unit.clone();
        if !suggestion.repeated {
            self.trials.asked.remove(&before);
        }
        self.trials.asked.insert(&better.unit);
        let said = self.beliefs.said(setup, &self.trials.books, &better, &self.beliefs.runners_up);
        // Only the best index of all lowers a price, not the best one within a limit.
        let counts = within.is_none() || self.trials.indices.contains_key(&ask.id);
        let index = self.trials.index_of(&better).filter(|_| counts);
        self.trials.indices.extend(index.map(|index| (ask.id, index)));
        let asked = self.log.events.iter_mut().rev().find_map(|event| match event {
            Event::Asked { trial, asked, .. } if *trial == ask.id => Some(asked),
            _ => None,
        });
        if let Some(asked) = asked {
            (asked.unit, asked.row) = (better.unit.clone(), better.row);
            asked.index = self.trials.indices.get(&ask.id).copied();
            asked.suggestion = Some(Box::new(said.clone()));
        }
        self.trials.books.notes[ask.id.index()].suggestion = Some(Box::new(said));
        *ask = self.trials.move_to(&setup.domain, ask.id, better);
        Ok(true)
    }
}
