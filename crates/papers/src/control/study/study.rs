//! Ask for a set and its values, tell what happened.

use std::fmt;
use std::sync::Arc;

use gittins::internals::{Awaited, Belief, Setup, Stream, Taken, decimal, refused, seed};
use gittins::math::Sobol;
use gittins::stop::Statistic;
use gittins::study::{Origin, TrialState};
use gittins::suggest::Surrogate;
use gittins::{ErrorKind, Hyperparameters, Points, Result, Space, TrialId, Verdict};

use crate::control::policy::SubsetPolicy;
use crate::control::search::SetSearch;
use crate::control::select::Exploration;
use crate::control::sets::BoundSets;
use crate::control::situation::Situation;
use crate::control::study::ask::SubsetAsk;
use crate::control::study::books::Books;
use crate::control::study::chosen::Chosen;
use crate::control::study::event::{SubsetAsked, SubsetEvent, SubsetFit};
use crate::control::study::purse::SetPurse;
use crate::control::study::recommendation::{SubsetRecommendation, recommend};
use crate::control::study::trial::SubsetTrial;

/// How many quasi-random points are tried for one that was not taken.
const DRAWS: usize = 256;

/// A run in which each trial chooses a control set and values for its variables. Nature draws the
/// other variables, which are seen afterwards.
///
/// [`ask`](Self::ask) gives set and values. [`tell`](Self::tell) takes the full point that happened
/// and its outcome, in any order and with any number pending. [`verdict`](Self::verdict) says
/// whether the budget has room for the next trial. [`recommendation`](Self::recommendation) says
/// which values to use from then on. Bad input is an error that names its culprit, and never loses
/// what was told before.
pub struct SubsetStudy {
    pub(in crate::control) setup: Setup,
    pub(in crate::control) space: Space,
    pub(in crate::control) sets: BoundSets,
    pub(in crate::control) policy: SubsetPolicy,
    pub(in crate::control) budget: Option<f64>,
    pub(in crate::control) initial: usize,
    pub(in crate::control) tolerance: f64,
    pub(in crate::control) search: SetSearch,
    pub(in crate::control) names: Arc<[String]>,
    /// Draws of all variables, which stand for what nature may do.
    pub(in crate::control) samples: Points,
    pub(in crate::control) books: Books,
    pub(in crate::control) purse: SetPurse,
    pub(in crate::control) exploration: Option<Exploration>,
    /// The trials that the schedule of the exploration counts, with the costs of their groups.
    pub(in crate::control) explored: Vec<(TrialId, f64)>,
    pub(in crate::control) belief: Belief,
    /// A later fit that was looked at and did not choose anything yet, with the revision of the
    /// observations that it was made to.
    pub(in crate::control) looked: Option<(usize, Option<Surrogate>)>,
    /// The ends of the last search of each set.
    pub(in crate::control) hints: Vec<Points>,
    /// The next trial, once a verdict was about it, until something is asked for or told.
    pub(in crate::control) next: Option<SubsetAsked>,
    /// What happened, in order.
    pub(in crate::control) events: Vec<SubsetEvent>,
    /// The last fit that an event says.
    pub(in crate::control) said: Option<SubsetFit>,
    /// A fit that is to be taken once the study has come so far.
    pub(in crate::control) awaited: Option<SubsetFit>,
}

impl SubsetStudy {
    /// The next set and its values, whether or not the budget has room for it: first the initial
    /// design, then what the policy chooses. Several may be asked for before any is told. A pending
    /// trial is conditioned on at its posterior mean, with nature at the medians of its laws.
    ///
    /// # Errors
    /// `Exhausted` if the query is to be one of a set that controls everything, and each of a finite
    /// space is pending or was evaluated and another outcome there would tell nothing; those of the
    /// model, of the policy's relaxations and of the backend. The study stays as it was.
    pub fn ask(&mut self) -> Result<SubsetAsk> {
        let asked = self.decide()?;
        let ask = self.enter(&asked)?;
        self.events.push(SubsetEvent::Asked { trial: ask.id, asked });
        Ok(ask)
    }

    /// Whether the budget has room for the next trial, which is decided for that. It has not, if
    /// the price of the trial is more than what is left (algorithm 1): the verdict is to stop. So it
    /// is if [`ask`](Self::ask) would find nothing.
    ///
    /// # Errors
    /// Those of the model, of the policy's relaxations and of the backend.
    pub fn verdict(&mut self) -> Result<Verdict> {
        let repeated = self.next.is_some();
        let next = match self.decide() {
            Err(error) if error.kind() == ErrorKind::Exhausted => {
                return Ok(Verdict::without_statistic(
                    "exhausted",
                    true,
                    refused::exhausted().to_string(),
                ));
            }
            next => next?,
        };
        let verdict = self.judge(next.set);
        if !repeated {
            let revision = self.books.observations.revision();
            let next = Box::new(next);
            self.happens(SubsetEvent::Judged { revision, next })?;
        }
        Ok(verdict)
    }

    fn judge(&self, set: usize) -> Verdict {
        let Some(budget) = self.budget else {
            return Verdict::without_statistic("none", false, "").endless("it has no budget");
        };
        let set = &self.sets.sets()[set];
        let left = self.purse.left(budget);
        let fired = !self.purse.affords(set.cost, budget);
        let price = decimal(set.cost, 3);
        let note = format!(
            "{} of the budget of {} are left; {} costs {price}",
            decimal(left, 4),
            decimal(budget, 6),
            set.name
        );
        let mut statistic = Statistic::at_most(left, set.cost).note(note);
        statistic.fired = fired;
        statistic.verdict("budget")
    }

    /// The next trial, decided once.
    fn decide(&mut self) -> Result<SubsetAsked> {
        if let Some(next) = &self.next {
            return Ok(next.clone());
        }
        // The design stays over if one of its trials is withdrawn after others were chosen and
        // told.
        if self.books.next_of_design(self.initial).is_some()
            && let Some(asked) = self.quasi_random(Origin::Initial)
        {
            return Ok(asked);
        }
        self.refit()?;
        let Some(surrogate) = self.belief.surrogate() else {
            return self.quasi_random(Origin::Suggested).ok_or_else(refused::exhausted);
        };
        let fantasies = seed(self.setup.seed, Stream::Pending, self.books.observations.told());
        let surrogate = &*surrogate.awaiting(&Awaited::at(&self.pending()), fantasies)?;
        let complete = |trial: &&SubsetTrial| trial.state == TrialState::Complete;
        let complete = self.books.trials.iter().filter(complete);
        let played: Vec<(usize, &[f64])> =
            complete.filter_map(|trial| Some((trial.set?, &trial.query[..]))).collect();
        let situation = Situation {
            surrogate,
            space: &self.space,
            sets: &self.sets,
            policy: &self.policy,
            samples: &self.samples,
            exploration: self.exploration.as_ref(),
            trial: 1 + self.books.suggested(),
            observations: &self.books.observations,
            taken: &self.taken(surrogate.worth_repeating()),
            played: &played,
            hints: &self.hints,
            search: self.search,
            backend: &*self.setup.backend,
            seed: self.setup.seed,
        };
        let (decision, ends) = situation.decide()?;
        let mut all: Vec<Vec<f64>> =
            self.hints.iter().map(|hints| hints.values().to_vec()).collect();
        for (set, best) in ends {
            all[set] = best.query;
        }
        let chosen = Chosen {
            score: decision.score.name().to_owned(),
            value: decision.value(),
            values: decision.values,
            exploring: decision.exploring,
            outcome_model: self.hyperparameters(),
            ends: all,
        };
        Ok(SubsetAsked {
            origin: Origin::Suggested,
            set: decision.set,
            query: decision.query,
            suggestion: Some(Box::new(chosen)),
        })
    }

    /// A quasi-random query of one of the cheapest sets, which take turns. None if the set controls
    /// everything, and no other point of a finite space is left.
    fn quasi_random(&self, origin: Origin) -> Option<SubsetAsked> {
        let sets = self.sets.sets();
        let least = sets.iter().map(|set| set.cost).fold(f64::INFINITY, f64::min);
        let cheapest: Vec<usize> = (0..sets.len()).filter(|&set| sets[set].cost == least).collect();
        let asked = self.books.trials.iter().filter(|trial| trial.set.is_some()).count();
        let set = cheapest[asked % cheapest.len()];
        let sequence = Sobol::new(self.space.dim(), seed(self.setup.seed, Stream::Design, 0));
        let mut units = (asked..).take(DRAWS).map(|index| {
            let mut unit = sequence.points(index, 1).row(0).to_vec();
            self.space.snap(&mut unit);
            unit
        });
        let unit = if sets[set].random.is_empty() && self.space.is_finite() {
            let taken = self.taken(false);
            let is_free = |unit: &[f64]| !taken.contains(unit);
            units.find(|unit| is_free(unit)).or_else(|| self.space.view().one(is_free))?
        } else {
            units.next()?
        };
        let query = sets[set].part(&unit);
        Some(SubsetAsked { origin, set, query, suggestion: None })
    }

    /// The points of the pending queries that leave nothing to nature, and unless an outcome may be
    /// another one the next time, those that were told.
    fn taken(&self, repeats: bool) -> Taken {
        let told = self.books.observations.iter().map(|one| &one.point[..]);
        let mut taken: Taken = told.filter(|_| !repeats).collect();
        for trial in self.books.trials.iter().filter(|trial| trial.state == TrialState::Pending) {
            let set = trial.set.map(|set| &self.sets.sets()[set]);
            let Some(set) = set.filter(|set| set.random.is_empty()) else { continue };
            let mut unit = vec![0.5; self.space.dim()];
            set.place(&trial.query, &mut unit);
            taken.insert(&unit);
        }
        taken
    }

    /// Pending trials, with nature at the medians of its laws.
    fn pending(&self) -> Points {
        let mut pending = Points::new(self.space.dim());
        for trial in self.books.trials.iter().filter(|trial| trial.state == TrialState::Pending) {
            let Some(set) = trial.set else { continue };
            let mut unit = self.sets.medians();
            self.sets.sets()[set].place(&trial.query, &mut unit);
            self.space.snap(&mut unit);
            pending.push(&unit);
        }
        pending
    }

    /// Fits to what was told, once.
    pub(in crate::control) fn refit(&mut self) -> Result<()> {
        self.look()?;
        if self.belief.is_behind(&self.books.observations) {
            let found = self.looked.take().and_then(|(_, surrogate)| surrogate);
            self.belief.take(found, &self.books.observations);
            let fit = self.belief.keep().map(|(fit, revision)| SubsetFit { revision, fit });
            if let Some(fit) = fit.filter(|fit| self.said.as_ref() != Some(fit)) {
                self.said = Some(fit.clone());
                self.events.push(SubsetEvent::Fitted { fit: Box::new(fit) });
            }
        }
        Ok(())
    }

    /// The models of the next fit, for advice. A fit starts from the one before, so that taking it
    /// would lead to other suggestions.
    fn look(&mut self) -> Result<()> {
        let (setup, observations) = (&self.setup, &self.books.observations);
        self.belief.revive(|kept, seen| Surrogate::restored(setup, seen, kept, None));
        let revision = observations.revision();
        let is_news = self.looked.as_ref().is_none_or(|(of, _)| *of < revision);
        if self.belief.is_behind(observations) && is_news {
            let found = self.belief.next(&self.setup, observations, self.setup.deadline())?;
            self.looked = Some((revision, found));
        }
        Ok(())
    }

    /// The model behind the decisions, as a record names it.
    pub(in crate::control) fn hyperparameters(&self) -> Option<Hyperparameters> {
        let surrogate = self.belief.surrogate()?;
        Some(surrogate.hyperparameters(&self.setup, &self.books.observations).0)
    }

    /// The set and its values with the best expected outcome by what was told so far. None as long
    /// as no trial is complete. Asking for it changes nothing of what is suggested.
    ///
    /// # Errors
    /// Those of the model.
    pub fn recommendation(&mut self) -> Result<Option<SubsetRecommendation>> {
        Ok(self.recommendations()?.into_iter().next())
    }

    /// The best values of each set, the set with the best expected outcome first. Empty while
    /// no trial is complete.
    ///
    /// # Errors
    /// Those of the model.
    pub fn recommendations(&mut self) -> Result<Vec<SubsetRecommendation>> {
        self.look()?;
        let latest = match &self.looked {
            Some((_, surrogate)) => surrogate.as_ref(),
            None => self.belief.surrogate(),
        };
        let Some(surrogate) = latest else { return Ok(Vec::new()) };
        let told = self.books.observations.len();
        recommend(
            surrogate,
            &self.space,
            &self.sets,
            &self.samples,
            &self.hints,
            self.setup.seed,
            told,
        )
    }

    /// The control sets.
    #[doc(hidden)]
    pub fn sets(&self) -> &BoundSets {
        &self.sets
    }

    /// The draws of all variables that stand for what nature may do (`S x d`, in the unit cube).
    #[doc(hidden)]
    pub fn samples(&self) -> &Points {
        &self.samples
    }

    /// All trials in the order in which they were asked for or imported. A [`TrialId`] is a place
    /// here.
    pub fn history(&self) -> &[SubsetTrial] {
        &self.books.trials
    }

    /// The complete trial with the best outcome, the first asked for among equals. What nature did
    /// for it is no merit of its query: see [`recommendation`](Self::recommendation).
    pub fn best(&self) -> Option<&SubsetTrial> {
        let best = self.books.observations.get(self.books.observations.best()?)?.outcome;
        self.books
            .trials
            .iter()
            .find(|trial| trial.state == TrialState::Complete && trial.outcome == best)
    }

    /// The cost of the trials that were asked for, the pending ones at the prices of their sets.
    pub fn spent(&self) -> f64 {
        self.purse.spent()
    }
}

impl fmt::Debug for SubsetStudy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubsetStudy")
            .field("direction", &self.books.observations.direction())
            .field("names", &self.names)
            .field("sets", &self.sets)
            .field("policy", &self.policy)
            .field("budget", &self.budget)
            .field("trials", &self.books.trials)
            .field("spent", &self.spent())
            .finish_non_exhaustive()
    }
}
