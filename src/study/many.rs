//! Several points at once.

use crate::data::Points;
use crate::error::Result;
use crate::study::ask::{Ask, Why};
use crate::study::design::exhausted;
use crate::study::study::Study;
use crate::suggest::{Round, Step, improve};
use crate::surrogate::{Second, View};

/// The largest number of times that each point of a round is moved.
const SWEEPS: usize = 3;

impl Study {
    /// The next `count` points to evaluate at the same time. Each is chosen given all before it, as
    /// repeated [`ask`](Self::ask)s would, but they share one fit, one factor and one scan of the
    /// space, so many points take a fraction of the time. In a continuous space the points after
    /// the first are found by fewer climbs than a single ask makes. With a second model (more than
    /// 20 inputs) each point takes as long as a single ask.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask). The points before the error are trials under way in
    /// [`history`](Self::history).
    ///
    /// ```
    /// use gittins::{Outcome, Policy, Space, Study};
    /// let space = Space::new().float("x", 0.0, 1.0);
    /// let mut study = Study::minimize(space).policy(Policy::gittins(1e-3)).build()?;
    /// for ask in study.ask_many(8)? {
    ///     let x: f64 = ask.get("x")?;
    ///     study.tell(ask.id(), Outcome::new((x - 0.3).powi(2)))?;
    /// }
    /// assert_eq!(study.ask_many(4)?.len(), 4);
    /// # Ok::<(), gittins::Error>(())
    /// ```
    pub fn ask_many(&mut self, count: usize) -> Result<Vec<Ask>> {
        let mut round = Round::many();
        (0..count).map(|_| self.ask_in(&mut round, None, None)?.ok_or_else(exhausted)).collect()
    }

    /// [`ask_many`](Self::ask_many) with all points refined together. Each in turn moves to a
    /// better place given all the others, until none moves, three times at most.
    ///
    /// For expected improvement this climbs, one point at a time, to a maximum of the joint expected
    /// improvement of all points under way, `E[max(0, max_i f(x_i) - y*)]`: as a function of one
    /// point this is a constant plus the mean over fantasies of the others' outcomes
    /// ([`Job::pending`](crate::Job::pending)). A Gittins index grows in each move.
    ///
    /// Points of the design, those of other acquisitions and those beside a second model (more than
    /// 20 inputs) stay where [`ask_many`](Self::ask_many) has them. A round takes about three times as
    /// long.
    ///
    /// # Errors
    /// Those of [`ask_many`](Self::ask_many).
    pub fn ask_jointly(&mut self, count: usize) -> Result<Vec<Ask>> {
        let mut asks = self.ask_many(count)?;
        for _ in 0..SWEEPS {
            let mut moved = false;
            for ask in &mut asks {
                moved |= self.improve(ask)?;
            }
            if !moved {
                break;
            }
        }
        Ok(asks)
    }

    /// Moves a trial under way to a better place given all others under way. Returns whether there
    /// is one.
    fn improve(&mut self, ask: &mut Ask) -> Result<bool> {
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
        let books = &self.trials.books;
        let step = Step {
            view: View { setup: &self.setup, surrogate, observations: self.beliefs.modeled(books) },
            under_way: &self.trials.under_way(Some(surrogate), |trial| trial.id != ask.id)?,
            taken: &taken,
            excluded: &taken,
            runners_up: &Points::new(self.setup.domain.dim()),
            memo: None,
            progress: self.progress(),
            deadline: self.setup.deadline(),
        };
        let Some(better) = improve(&step, suggestion)? else { return Ok(false) };
        let before = suggestion.unit.clone();
        if !suggestion.repeated {
            self.trials.asked.remove(&before);
        }
        self.trials.asked.insert(&better.unit);
        let said = self.beliefs.said(&self.setup, &self.trials.books, &better);
        *ask = self.trials.move_to(&self.setup.domain, ask.id, better);
        self.trials.note_suggestion(ask, said, true);
        Ok(true)
    }
}
