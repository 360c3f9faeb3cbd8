//! What a file keeps of a study besides what is told, and a study that goes on from it.
//!
//! A trial that is entered again, and told again in the same order, leaves the study as it was to
//! the bit. What would be searched for again is kept: fits, the best points of the last search, and
//! the states of policy and stopping rule.

use serde::{Deserialize, Serialize};

use crate::data::Observations;
use crate::error::Result;
use crate::math::number::{list, maybe};
use crate::stop::{Ledger, Verdict};
use crate::study::ask::{Ask, Why};
use crate::study::described::Described;
use crate::study::point::{Drawn, check_place};
use crate::study::record::Suggested;
use crate::study::study::Study;
use crate::study::trial::{Origin, TrialId};
use crate::study::trials::Trials;
use crate::suggest::Policy;
use crate::surrogate::{Kept, Setup};

/// A trial that was asked for, as a file keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The initial design or a suggestion.
    pub origin: Origin,
    #[serde(with = "list")]
    pub unit: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// How much had been told.
    seen: usize,
    /// How many quasi-random points had been drawn, this one included.
    drawn: usize,
    /// The Gittins index that moves a price.
    #[serde(default, with = "maybe", skip_serializing_if = "Option::is_none")]
    index: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Box<Suggested>>,
    /// Seconds of the search.
    #[serde(default)]
    seconds: f64,
}

/// A fit, and the revision of the observations that it was made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptAt {
    pub revision: usize,
    pub fit: Kept,
}

/// The last fits of a study.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Fits {
    #[serde(rename = "fit", default, skip_serializing_if = "Option::is_none")]
    pub first: Option<KeptAt>,
    /// Of the second model in many dimensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<KeptAt>,
}

impl Fits {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Those that are not the same as before.
    pub fn since(mut self, before: &Self) -> Self {
        self.first.take_if(|fit| before.first.as_ref() == Some(fit));
        self.second.take_if(|fit| before.second.as_ref() == Some(fit));
        self
    }

    /// Leaves out those that were made with as many changes of the observations as there are now.
    pub fn without(&mut self, revision: usize) {
        for fit in [&mut self.first, &mut self.second] {
            fit.take_if(|fit| fit.revision == revision);
        }
    }

    /// Takes later fits.
    pub fn update(&mut self, later: &Self) {
        for (mine, later) in [(&mut self.first, &later.first), (&mut self.second, &later.second)] {
            if later.is_some() {
                mine.clone_from(later);
            }
        }
    }
}

impl Study {
    /// How many points of the design were drawn.
    pub(crate) fn drawn(&self) -> usize {
        self.design.drawn()
    }

    /// The data that a file keeps of a trial that was asked for, after which so many points of the
    /// design had been drawn.
    pub(crate) fn asked(&self, ask: &Ask, drawn: usize) -> Asked {
        let trial = &self.trials.books.trials[ask.id().index()];
        let note = &self.trials.books.notes[ask.id().index()];
        Asked {
            origin: trial.origin,
            unit: trial.unit.clone(),
            row: trial.row,
            seen: note.seen,
            drawn,
            index: self.trials.indices.get(&trial.id).copied(),
            suggestion: note.suggestion.clone(),
            seconds: note.seconds.search,
        }
    }

    /// Enters a trial as it was asked for.
    ///
    /// # Errors
    /// `OutOfBounds` for a point outside the study's space or table.
    pub(crate) fn reenter_asked(&mut self, asked: Asked) -> Result<TrialId> {
        let drawn = Drawn { unit: asked.unit, row: asked.row };
        check_place(&self.setup.domain, &drawn)?;
        let id = self.trials.enter(&self.setup.domain, drawn, asked.origin, Why::Exploring).id();
        self.design.set_drawn(asked.drawn);
        self.trials.indices.extend(asked.index.map(|index| (id, index)));
        if let Some(suggestion) = &asked.suggestion {
            self.beliefs.recall(&suggestion.runners_up)?;
        }
        let note = &mut self.trials.books.notes[id.index()];
        (note.seen, note.suggestion) = (asked.seen, asked.suggestion);
        note.seconds.search = asked.seconds;
        Ok(id)
    }

    /// The last fits.
    pub(crate) fn fits(&self) -> Fits {
        let kept = |(fit, revision)| KeptAt { revision, fit };
        Fits {
            first: self.beliefs.first.keep().map(kept),
            second: self
                .beliefs
                .second
                .as_ref()
                .and_then(|second| second.belief().keep())
                .map(kept),
        }
    }

    /// Takes the fits that were made with the present observations. A study whose model sees a
    /// region takes none: the trials of the region are chosen anew.
    pub(crate) fn recall_fits(&mut self, fits: &Fits) {
        let revision = self.trials.books.observations.revision();
        if self.beliefs.region.as_mut().is_some_and(|region| {
            region.follow(&self.trials.books);
            region.schedule().has_begun()
        }) {
            return;
        }
        let now = |kept: &&KeptAt| kept.revision == revision;
        if let Some(kept) = fits.first.as_ref().filter(now) {
            self.beliefs.first.recall(kept.fit.clone(), self.trials.books.observations.clone());
        }
        if let Some((second, kept)) =
            self.beliefs.second.as_mut().zip(fits.second.as_ref().filter(now))
        {
            second.belief_mut().recall(kept.fit.clone(), self.trials.books.observations.clone());
        }
    }

    /// Takes a policy with its state.
    pub(crate) fn recall_policy(&mut self, policy: Policy) {
        self.trials.ledger.price = policy.price();
        self.policy = policy;
    }

    /// Takes a verdict that was given after what is told now, and what the rule kept.
    pub(crate) fn recall_verdict(&mut self, verdict: Verdict, seconds: f64, state: &[f64]) {
        self.judge.restore(state);
        self.trials.books.note_verdict(&verdict, seconds);
        self.judge.verdict = Some(verdict);
    }

    /// Begins again with the same settings. The policy is that of the settings.
    pub(crate) fn restart(&mut self, settings: &Described) -> Result<()> {
        let mut setup = Setup::clone(&self.setup);
        setup.look_within(None);
        let policy = settings.policy.clone();
        let observations = Observations::new(setup.domain.dim(), self.direction());
        let observations = observations.with_cost_floor(setup.cost_floor);
        let Ledger { cost_unit, budget, .. } = self.trials.ledger.clone();
        let ledger = Ledger { price: policy.price(), cost_unit, budget, ..Ledger::default() };
        let trials = Trials::new(&setup.domain, observations, ledger, self.trials.overdue);
        let (design, region) = (self.design.anew(), &settings.options.trust_region);
        let mut fresh = Self::start(setup, policy, None, design, region, trials)?;
        fresh.judge.rule = self.judge.rule.take();
        fresh.judge.restore(&[]);
        *self = fresh;
        Ok(())
    }
}
