//! What can be asked of a study and told to it, wherever it lives.

use std::collections::BTreeMap;

use crate::data::trial::reports::Advice;
use crate::data::trial::trial::Trial;
use crate::data::{TrialId, Value};
use crate::error::Result;
use crate::stop::Verdict;
use crate::study::events::ask::Ask;
use crate::study::events::choice::Choice;
use crate::study::events::outcome::Outcome;
use crate::study::events::recommendation::Recommendation;
use crate::study::events::request::Request;
use crate::study::study::Study;
use crate::study::trials::running::Forecast;
use crate::suggest::Policy;

/// A study that can be asked and told: a [`Study`] in memory, or one in a file
/// (`gittins::journal::Journal`). Each call is described at the study; a journal says what it does
/// besides.
///
/// ```
/// use gittins::study::AskTell;
/// use gittins::{Outcome, Result, Space, Study};
///
/// fn step(study: &mut dyn AskTell) -> Result<()> {
///     let ask = study.ask()?;
///     study.tell(ask.id(), Outcome::new(ask.numbers()[0].powi(2)))
/// }
///
/// let mut study = Study::minimize(Space::new().float("x", -1.0, 2.0)).build()?;
/// step(&mut study)?;
/// assert_eq!(study.history().len(), 1);
/// # Ok::<(), gittins::Error>(())
/// ```
///
/// # Errors
/// Those of the study's calls; of a study in a file also those of its journal.
pub trait AskTell {
    /// The study as it was after the last call: everything that reads.
    fn study(&self) -> &Study;

    /// Takes what other processes told since. A study in memory has no others.
    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    /// What stands in the study's file and is not in the study, and why: trials of others by their
    /// numbers in the file. A study in memory has none.
    fn left_out(&self) -> BTreeMap<usize, String> {
        BTreeMap::new()
    }

    /// What the study's file must have had and lacks, if lines of it are gone.
    fn missing(&self) -> Option<String> {
        None
    }

    /// The next point to evaluate.
    fn ask(&mut self) -> Result<Ask>;

    /// The next points by all that a request says; fewer, or none, if nothing else is within its
    /// limit.
    fn ask_for(&mut self, request: &Request) -> Result<Vec<Ask>>;

    /// Takes the result of a trial.
    fn tell(&mut self, id: TrialId, outcome: Outcome) -> Result<()>;

    /// Takes what a trial cost, apart from its outcome.
    fn tell_cost(&mut self, id: TrialId, cost: f64) -> Result<()>;

    /// Replaces what was told of a trial.
    fn correct(&mut self, id: TrialId, outcome: Outcome) -> Result<()>;

    /// Gives a trial up, or takes back what was told of it.
    fn withdraw(&mut self, id: TrialId) -> Result<()>;

    /// Takes a trial over that was never asked for, with its result.
    fn import(&mut self, values: &[Value], outcome: Outcome) -> Result<TrialId>;

    /// Enters a trial that somebody else chose and runs.
    fn announce(&mut self, values: &[Value]) -> Result<TrialId>;

    /// Notes how a trial was chosen that was imported or announced.
    fn note_choice(&mut self, id: TrialId, choice: Choice) -> Result<()>;

    /// Notes what a pending trial has cost so far.
    fn note_running(&mut self, id: TrialId, cost_so_far: f64) -> Result<()>;

    /// The expected cost of a pending trial, and the cost still to come.
    fn forecast(&mut self, id: TrialId) -> Result<Option<Forecast>>;

    /// In stages, takes what a trial says at a progress: its outcome so far, and its cost since its
    /// last report. It says what the trial does.
    fn report(&mut self, id: TrialId, progress: f64, outcome: f64, cost: f64) -> Result<Advice>;

    /// In stages, takes what a trial says at a progress, and decides nothing.
    fn note_report(&mut self, id: TrialId, progress: f64, outcome: f64, cost: f64) -> Result<()>;

    /// In stages, what a pending trial should do that somebody else began.
    fn advise(&mut self, id: TrialId) -> Result<Advice>;

    /// Whether to stop, and why.
    fn verdict(&mut self) -> Result<Verdict>;

    /// Whether to ask for no other trial while some are pending.
    fn verdict_on_another(&mut self) -> Result<Verdict>;

    /// The trial to use once the run ends.
    fn recommendation(&mut self) -> Result<Option<Recommendation>>;

    /// The trials of which no other is as good in every objective and better in one.
    fn front(&mut self) -> Result<Vec<Trial>>;

    /// Lets the study find something out, as a [`Context`](crate::study::Context) does.
    fn find_out(&mut self, find: &mut dyn FnMut(&mut Study) -> Result<()>) -> Result<()>;

    /// From now on another policy.
    fn change_policy(&mut self, policy: Policy) -> Result<()>;

    /// The price of a unit of cost at which a run is expected to cost no more than a budget.
    fn price_from_budget(&mut self, budget: f64) -> Result<f64>;
}

/// The calls of a type by its own methods of the same names, and those that differ.
macro_rules! by_its_own {
    ($kind:ty { $($other:item)* }) => {
        impl AskTell for $kind {
            $($other)*

            by_its_own! { @calls
                ask() -> Ask;
                ask_for(request: &Request) -> Vec<Ask>;
                tell(id: TrialId, outcome: Outcome) -> ();
                tell_cost(id: TrialId, cost: f64) -> ();
                correct(id: TrialId, outcome: Outcome) -> ();
                withdraw(id: TrialId) -> ();
                import(values: &[Value], outcome: Outcome) -> TrialId;
                announce(values: &[Value]) -> TrialId;
                note_choice(id: TrialId, choice: Choice) -> ();
                note_running(id: TrialId, cost_so_far: f64) -> ();
                report(id: TrialId, progress: f64, outcome: f64, cost: f64) -> Advice;
                note_report(id: TrialId, progress: f64, outcome: f64, cost: f64) -> ();
                advise(id: TrialId) -> Advice;
                forecast(id: TrialId) -> Option<Forecast>;
                verdict() -> Verdict;
                verdict_on_another() -> Verdict;
                recommendation() -> Option<Recommendation>;
                front() -> Vec<Trial>;
                change_policy(policy: Policy) -> ();
                price_from_budget(budget: f64) -> f64;
            }
        }
    };
    (@calls $($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&mut self, $($argument: $type),*) -> Result<$answer> {
            Self::$name(self, $($argument),*)
        })*
    };
}
#[cfg(feature = "journal")]
pub(crate) use by_its_own;

by_its_own!(Study {
    fn study(&self) -> &Study {
        self
    }

    fn find_out(&mut self, find: &mut dyn FnMut(&mut Study) -> Result<()>) -> Result<()> {
        find(self)
    }
});
