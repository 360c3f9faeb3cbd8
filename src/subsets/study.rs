//! Ask for a set and its values, tell what happened.

use std::sync::Arc;

use crate::data::{Direction, Observations, Points, Space};
use crate::error::Result;
use crate::math::decimal::decimal;
use crate::math::sobol::Sobol;
use crate::stop::{Statistic, Verdict};
use crate::study::{Origin, TrialId, TrialState};
use crate::subsets::builder::SubsetStudyBuilder;
use crate::subsets::decision::{Decision, Situation};
use crate::subsets::policy::{Choice, SubsetPolicy};
use crate::subsets::purse::Purse;
use crate::subsets::recommendation::{Recommendation, recommend};
use crate::subsets::search::SetSearch;
use crate::subsets::select::Exploration;
use crate::subsets::sets::{BoundSets, ControlSet, ControlSets};
use crate::subsets::trial::{SubsetAsk, SubsetTrial, SubsetWhy};
use crate::suggest::{Setup, Surrogate};
use crate::suggest::{Stream, seed};

/// A run in which each trial chooses a control set and values for its variables, while nature draws
/// the others, which are seen afterwards.
///
/// [`ask`](Self::ask) gives set and values, [`tell`](Self::tell) takes the full point that happened
/// and its outcome, in any order and with any number under way, [`verdict`](Self::verdict) says
/// whether the budget has room for the next trial, and [`recommendation`](Self::recommendation)
/// which values to use from then on. Bad input is an error that names its culprit, and never loses
/// what was told before.
///
/// ```
/// use gittins::{Outcome, Space};
/// use gittins::subsets::{ControlSets, Law, SubsetStudy};
/// # fn field(lime: f64, rain: f64) -> f64 { 5.0 - (lime - 2.0).powi(2) - ((rain - 700.0) / 200.0).powi(2) }
///
/// let space = Space::new().float("lime", 0.0, 4.0).float("rain", 200.0, 900.0);
/// let sets = ControlSets::new()
///     .set("field", ["lime"], 1.0)
///     .set("greenhouse", ["lime", "rain"], 5.0)
///     .law("rain", Law::normal(600.0, 120.0));
/// let mut study = SubsetStudy::maximize(space, sets).budget(30.0).seed(7).build()?;
/// while !study.verdict()?.is_stop() {
///     let ask = study.ask()?;
///     let lime = ask.get("lime")?;
///     let rain = ask.get("rain").unwrap_or(630.0); // as set in the greenhouse, or as it fell
///     study.tell(ask.id(), &[lime, rain], Outcome::new(field(lime, rain)))?;
/// }
/// let advice = study.recommendation()?.expect("there are outcomes");
/// println!("{advice}");
/// # assert!(study.spent() <= 30.0 && advice.name == "greenhouse");
/// # Ok::<(), gittins::Error>(())
/// ```
pub struct SubsetStudy {
    setup: Setup,
    pub(super) space: Space,
    pub(super) sets: BoundSets,
    policy: SubsetPolicy,
    budget: Option<f64>,
    initial: usize,
    pub(super) tolerance: f64,
    search: SetSearch,
    pub(super) names: Arc<[String]>,
    /// Draws of all variables, which stand for what nature may do.
    samples: Points,
    pub(super) trials: Vec<SubsetTrial>,
    /// The trial behind each observation: trials are told in any order.
    pub(super) told: Vec<TrialId>,
    pub(super) observations: Observations,
    pub(super) purse: Purse,
    pub(super) exploration: Option<Exploration>,
    /// The trials that the schedule of the exploration counts, with the costs of their groups.
    pub(super) explored: Vec<(TrialId, f64)>,
    pub(super) surrogate: Option<Surrogate>,
    fitted: usize,
    /// A later fit that was looked at but did not choose anything yet, with the revision that it is
    /// of.
    pub(super) looked: Option<(usize, Option<Surrogate>)>,
    /// Where the last search of each set ended.
    hints: Vec<Points>,
    /// The next trial, once it was decided, until something is asked for or told.
    pub(super) next: Option<Next>,
}

/// What will be asked for.
#[derive(Clone)]
pub(super) struct Next {
    set: usize,
    query: Vec<f64>,
    why: SubsetWhy,
}

impl SubsetStudy {
    /// A study of outcomes of which larger ones are better.
    pub fn maximize(space: Space, sets: ControlSets) -> SubsetStudyBuilder {
        SubsetStudyBuilder::new(space, sets, Direction::Maximize)
    }

    /// A study of outcomes of which smaller ones are better.
    pub fn minimize(space: Space, sets: ControlSets) -> SubsetStudyBuilder {
        SubsetStudyBuilder::new(space, sets, Direction::Minimize)
    }

    pub(super) fn start(setup: Setup, sets: BoundSets, settings: SubsetStudyBuilder) -> Self {
        let SubsetStudyBuilder {
            space,
            direction,
            policy,
            budget,
            initial,
            samples,
            sampling,
            tolerance,
            search,
            ..
        } = settings;
        let mut drawn = sets.samples(samples, sampling, seed(setup.seed, Stream::Nature, 0));
        for row in 0..drawn.len() {
            space.snap(drawn.row_mut(row));
        }
        let costs: Vec<f64> = sets.sets().iter().map(|set| set.cost).collect();
        let exploration = match &policy.choice {
            Choice::ExploreThenCommit(plays) => Some(Exploration::new(&costs, *plays)),
            Choice::Relaxed(_) | Choice::PerUnitCost => None,
        };
        Self {
            names: space.names().map(str::to_owned).collect(),
            hints: sets.sets().iter().map(|set| Points::new(set.controlled.len())).collect(),
            observations: Observations::new(space.dim(), direction),
            initial: initial.unwrap_or(2 * (space.dim() + 1)),
            samples: drawn,
            trials: Vec::new(),
            told: Vec::new(),
            explored: Vec::new(),
            purse: Purse::default(),
            surrogate: None,
            fitted: 0,
            looked: None,
            next: None,
            setup,
            space,
            sets,
            policy,
            budget,
            tolerance,
            search,
            exploration,
        }
    }

    /// The next set and its values, whether or not the budget has room for it: first the initial
    /// design, then what the policy chooses. Several may be asked for before any is told; a trial
    /// under way is conditioned on at its posterior mean, where nature does the median of what it
    /// may do.
    ///
    /// # Errors
    /// Those of the model, of the policy's relaxations and of the backend. The study stays as it
    /// was.
    pub fn ask(&mut self) -> Result<SubsetAsk> {
        let Next { set, query, why } = self.decide()?;
        self.next = None;
        let played = &self.sets.sets()[set];
        let mut unit = vec![0.5; self.space.dim()];
        played.place(&query, &mut unit);
        let values = played.part(&self.space.from_unit(&unit));
        let ControlSet { name, controlled, cost, .. } = played;
        let origin = match why {
            SubsetWhy::Initial { .. } => Origin::Initial,
            SubsetWhy::Exploring | SubsetWhy::Chosen(_) => Origin::Suggested,
        };
        let id = TrialId::from(self.trials.len());
        if let (SubsetWhy::Chosen(_), Some(exploration)) = (&why, &mut self.exploration) {
            self.explored.extend(exploration.turn().map(|(cost, _)| (id, cost)));
            exploration.play();
        }
        self.purse.pay(*cost);
        let (chosen, state) = (values.clone(), TrialState::Pending);
        self.trials.push(SubsetTrial {
            set: Some(set),
            chosen,
            values: None,
            state,
            outcome: None,
            cost: None,
            origin,
            query,
        });
        let (names, controlled) = (self.names.clone(), controlled.clone());
        Ok(SubsetAsk {
            id,
            set,
            name: name.as_str().into(),
            cost: *cost,
            names,
            controlled,
            values,
            why,
        })
    }

    /// Whether the budget has room for the next trial, which is decided for that: to stop, if its
    /// price is more than what is left (algorithm 1).
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    pub fn verdict(&mut self) -> Result<Verdict> {
        let set = self.decide()?.set;
        let Some(budget) = self.budget else {
            return Ok(Verdict::without_statistic("none", false, "there is no budget"));
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
        Ok(Statistic {
            value: left,
            threshold: set.cost,
            fired,
            note,
            rule: None,
            interrupted: false,
        }
        .verdict("budget"))
    }

    /// What is asked for next, once.
    fn decide(&mut self) -> Result<Next> {
        if let Some(next) = &self.next {
            return Ok(next.clone());
        }
        let next = self.decided()?;
        self.next = Some(next.clone());
        Ok(next)
    }

    fn decided(&mut self) -> Result<Next> {
        let designed = |trial: &&SubsetTrial| match trial.origin {
            Origin::Initial => trial.state != TrialState::Withdrawn,
            Origin::Imported => trial.state == TrialState::Complete,
            Origin::Suggested => false,
        };
        let told = |trial: &&SubsetTrial| match trial.origin {
            Origin::Initial | Origin::Suggested => trial.is_told(),
            Origin::Imported => trial.state == TrialState::Complete,
        };
        // A design of which a trial was withdrawn after others were chosen and told is over all the
        // same.
        let [designed, told] =
            [self.trials.iter().filter(designed).count(), self.trials.iter().filter(told).count()];
        let number = 1 + designed.max(told);
        if number <= self.initial {
            return Ok(self.quasi_random(SubsetWhy::Initial { number, of: self.initial }));
        }
        self.refit()?;
        let Some(surrogate) = &self.surrogate else {
            return Ok(self.quasi_random(SubsetWhy::Exploring));
        };
        let pending = self.pending();
        let surrogate = &*surrogate.with_pending(&pending)?;
        let situation = Situation {
            surrogate,
            space: &self.space,
            sets: &self.sets,
            policy: &self.policy,
            samples: &self.samples,
            exploration: self.exploration.as_ref(),
            trial: 1 + self.suggested(),
            observations: &self.observations,
            trials: &self.trials,
            hints: &self.hints,
            search: self.search,
            backend: &*self.setup.backend,
            seed: self.setup.seed,
        };
        let (decision, ends) = situation.decide()?;
        for (set, best) in ends {
            self.hints[set] = Points::from_rows(best.query.len(), best.query)?;
        }
        let Decision { set, query, .. } = &decision;
        Ok(Next { set: *set, query: query.clone(), why: SubsetWhy::Chosen(Box::new(decision)) })
    }

    fn suggested(&self) -> usize {
        self.trials.iter().filter(|trial| trial.origin == Origin::Suggested).count()
    }

    /// A quasi-random query of one of the cheapest sets, which take turns.
    fn quasi_random(&self, why: SubsetWhy) -> Next {
        let sets = self.sets.sets();
        let least = sets.iter().map(|set| set.cost).fold(f64::INFINITY, f64::min);
        let cheapest: Vec<usize> = (0..sets.len()).filter(|&set| sets[set].cost == least).collect();
        let asked = self.trials.iter().filter(|trial| trial.set.is_some()).count();
        let set = cheapest[asked % cheapest.len()];
        let point =
            Sobol::new(self.space.dim(), seed(self.setup.seed, Stream::Design, 0)).points(asked, 1);
        let mut unit = point.row(0).to_vec();
        self.space.snap(&mut unit);
        Next { set, query: sets[set].part(&unit), why }
    }

    /// Trials under way, with the medians of what nature may do.
    fn pending(&self) -> Points {
        let mut pending = Points::new(self.space.dim());
        for trial in self.trials.iter().filter(|trial| trial.state == TrialState::Pending) {
            let Some(set) = trial.set else { continue };
            let mut unit = self.sets.medians();
            self.sets.sets()[set].place(&trial.query, &mut unit);
            self.space.snap(&mut unit);
            pending.push(&unit);
        }
        pending
    }

    fn refit(&mut self) -> Result<()> {
        let revision = self.observations.revision();
        if self.fitted < revision {
            self.look()?;
            self.surrogate = self.looked.take().and_then(|(_, surrogate)| surrogate);
            self.fitted = revision;
        }
        Ok(())
    }

    /// What the next fit would find, for those who only look: a fit starts from the one before, so
    /// that one more of them would lead to other suggestions.
    fn look(&mut self) -> Result<()> {
        let revision = self.observations.revision();
        if self.fitted < revision && self.looked.as_ref().is_none_or(|(of, _)| *of < revision) {
            self.looked = Some((
                revision,
                Surrogate::fit(&self.setup, &self.observations, self.surrogate.as_ref())?,
            ));
        }
        Ok(())
    }

    /// The set and its values with the best expected outcome by what was told so far; none as long
    /// as no trial is complete. Asking for it changes nothing of what is suggested.
    ///
    /// # Errors
    /// Those of the model.
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        Ok(self.recommendations()?.into_iter().next())
    }

    /// The best values of each set, the set with the best expected outcome first; empty as long as
    /// no trial is complete.
    ///
    /// # Errors
    /// Those of the model.
    pub fn recommendations(&mut self) -> Result<Vec<Recommendation>> {
        self.look()?;
        let latest = self.looked.as_ref().map_or(&self.surrogate, |(_, surrogate)| surrogate);
        let Some(surrogate) = latest else { return Ok(Vec::new()) };
        let told = self.observations.len();
        recommend(
            surrogate,
            (&self.space, &self.sets, &self.samples),
            &self.hints,
            self.setup.seed,
            told,
        )
    }

    /// The control sets.
    pub fn sets(&self) -> &BoundSets {
        &self.sets
    }

    /// The draws of all variables that stand for what nature may do (`S x d`, in the unit cube).
    pub fn samples(&self) -> &Points {
        &self.samples
    }

    /// All trials in the order in which they were asked for or imported; a [`TrialId`] is a place
    /// here.
    pub fn history(&self) -> &[SubsetTrial] {
        &self.trials
    }

    /// The complete trial with the best outcome, the first asked for among equals. What it had of
    /// nature is no merit of its query: see [`recommendation`](Self::recommendation).
    pub fn best(&self) -> Option<&SubsetTrial> {
        let best = self.observations.get(self.observations.best()?)?.outcome;
        self.trials
            .iter()
            .find(|trial| trial.state == TrialState::Complete && trial.outcome == best)
    }

    /// What the trials that were asked for cost, those under way at the prices of their sets.
    pub fn spent(&self) -> f64 {
        self.purse.spent()
    }
}
