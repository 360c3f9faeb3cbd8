//! What happens in a study, one after another: the only way in which it changes.
//!
//! A study that takes the same events in the same order is the same study, to the bit. What would be
//! searched for again is said too: fits, the best points of the last search, and the states of policy
//! and stopping rule.

use crate::data::trial::reports::Advice;
use crate::data::trial::trial::Origin;
use crate::data::{TrialId, Value};
#[cfg(feature = "serde")]
use crate::math::number::{list, maybe, one};
use crate::stop::Verdict;
use crate::study::events::choice::Choice;
use crate::study::events::outcome::Outcome;
use crate::study::record::Suggested;
use crate::suggest::Policy;
use crate::surrogate::curves::StagedFit;
use crate::surrogate::{Belief, Kept};

/// Something that happened in a study: all that a study on the same settings needs to become the same
/// ([`StudyBuilder::resume`](crate::study::StudyBuilder::resume)). With the feature `serde` it can be
/// written in any format that has names. What it says is for the study alone.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Event {
    /// A trial was asked for.
    #[doc(hidden)]
    Asked {
        /// The trial.
        trial: TrialId,
        /// Where it is, and what was thought of it.
        asked: Asked,
        /// The policy, if its state changed.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        policy: Option<Policy>,
    },
    /// Somebody else chose a trial and runs it.
    #[doc(hidden)]
    Announced {
        /// Its values.
        values: Vec<Value>,
    },
    /// A trial was told that was never asked for.
    #[doc(hidden)]
    Imported {
        /// Its values.
        values: Vec<Value>,
        /// Its result.
        outcome: Outcome,
    },
    /// A trial was told.
    #[doc(hidden)]
    Told {
        /// The trial.
        trial: TrialId,
        /// Its result.
        outcome: Outcome,
    },
    /// The cost of a trial was told, apart from its outcome.
    #[doc(hidden)]
    Paid {
        /// The trial.
        trial: TrialId,
        /// Its cost.
        cost: f64,
    },
    /// What was told of a trial was replaced.
    #[doc(hidden)]
    Corrected {
        /// The trial.
        trial: TrialId,
        /// Its result.
        outcome: Outcome,
    },
    /// A trial was given up, or what was told of it was taken back.
    #[doc(hidden)]
    Withdrawn {
        /// The trial.
        trial: TrialId,
    },
    /// How a trial was chosen that was announced or imported.
    #[doc(hidden)]
    Chosen {
        /// The trial.
        trial: TrialId,
        /// How.
        choice: Choice,
    },
    /// Models were fitted.
    #[doc(hidden)]
    Fitted {
        /// The fits that are not those from before.
        fits: Box<Fits>,
    },
    /// A verdict was given.
    #[doc(hidden)]
    Judged {
        /// The verdict, and what the rule kept.
        judgment: Judgment,
    },
    /// Another policy counts from here on.
    #[doc(hidden)]
    Changed {
        /// The policy.
        policy: Policy,
    },
    /// In stages: a trial that was left goes on.
    #[doc(hidden)]
    Resumed {
        /// The trial.
        trial: TrialId,
        /// The progress of its coming report.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        until: f64,
    },
    /// In stages: a trial reported.
    #[doc(hidden)]
    Reported {
        /// The trial.
        trial: TrialId,
        /// How far it is.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        progress: f64,
        /// Its outcome so far.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        outcome: f64,
        /// What it cost since the report before.
        #[cfg_attr(feature = "serde", serde(with = "one"))]
        cost: f64,
    },
    /// In stages: a trial goes on after a report, or is left.
    #[doc(hidden)]
    Advised {
        /// The trial.
        trial: TrialId,
        /// What it does.
        advice: Advice,
    },
    /// In stages: the price fell by half this many times in all, or another trial is to be taken to
    /// its end.
    #[doc(hidden)]
    Turned {
        /// How often the price was halved.
        halvings: u32,
        /// The trial that is to be taken to its end.
        run_to_finish: Option<TrialId>,
    },
}

impl Event {
    /// Whether it tells something of a trial, so that searches find something else.
    pub(in crate::study) fn is_news(&self) -> bool {
        matches!(
            self,
            Self::Told { .. }
                | Self::Imported { .. }
                | Self::Paid { .. }
                | Self::Corrected { .. }
                | Self::Withdrawn { .. }
                | Self::Reported { .. }
        )
    }

    /// The trial of which it was heard; none for one that enters.
    #[cfg(feature = "journal")]
    pub(crate) fn trial(&self) -> Option<TrialId> {
        match self {
            Self::Told { trial, .. }
            | Self::Paid { trial, .. }
            | Self::Corrected { trial, .. }
            | Self::Withdrawn { trial }
            | Self::Resumed { trial, .. }
            | Self::Reported { trial, .. }
            | Self::Advised { trial, .. } => Some(*trial),
            _ => None,
        }
    }

    /// The trial that it names; none for one that enters.
    #[cfg(feature = "journal")]
    pub(crate) fn about_mut(&mut self) -> Option<&mut TrialId> {
        match self {
            Self::Told { trial, .. }
            | Self::Paid { trial, .. }
            | Self::Corrected { trial, .. }
            | Self::Withdrawn { trial }
            | Self::Chosen { trial, .. }
            | Self::Resumed { trial, .. }
            | Self::Reported { trial, .. }
            | Self::Advised { trial, .. } => Some(trial),
            Self::Turned { run_to_finish, .. } => run_to_finish.as_mut(),
            _ => None,
        }
    }
}

/// A trial that was asked for.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Asked {
    /// The initial design or a suggestion.
    pub(in crate::study) origin: Origin,
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub(crate) unit: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) row: Option<usize>,
    /// How much had been told.
    pub(crate) seen: usize,
    /// How many quasi-random points had been drawn, this one included.
    pub(in crate::study) drawn: usize,
    /// The Gittins index that moves a price.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub(in crate::study) index: Option<f64>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(in crate::study) suggestion: Option<Box<Suggested>>,
    /// Seconds of the search.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(in crate::study) seconds: f64,
    /// The progress of its first report, in stages.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "maybe", skip_serializing_if = "Option::is_none")
    )]
    pub(in crate::study) until: Option<f64>,
}

impl Fits {
    /// A fit of the model of learning curves.
    pub(crate) fn of_curves(fit: StagedFit) -> Self {
        Self { curves: Some(Box::new(fit)), ..Self::default() }
    }
}

/// A fit, and the revision of the observations that it was made with.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KeptAt {
    pub revision: usize,
    pub fit: Kept,
}

/// The last fits of a study.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fits {
    #[cfg_attr(
        feature = "serde",
        serde(rename = "fit", default, skip_serializing_if = "Option::is_none")
    )]
    pub(crate) first: Option<KeptAt>,
    /// Of the second model in many dimensions.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) second: Option<KeptAt>,
    /// Of the model of learning curves.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) curves: Option<Box<StagedFit>>,
}

impl Fits {
    /// The last fits of these beliefs.
    pub(in crate::study) fn of(first: &Belief, second: Option<&Belief>) -> Self {
        let kept = |belief: &Belief| belief.keep().map(|(fit, revision)| KeptAt { revision, fit });
        Self { first: kept(first), second: second.and_then(kept), curves: None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Those that are not the same as before.
    fn since(mut self, before: &Self) -> Self {
        self.first.take_if(|fit| before.first.as_ref() == Some(fit));
        self.second.take_if(|fit| before.second.as_ref() == Some(fit));
        self.curves.take_if(|fit| before.curves.as_ref() == Some(fit));
        self
    }

    /// Leaves out those that were made with as many changes of the observations as there are now.
    pub(in crate::study) fn without(&mut self, revision: usize) {
        for fit in [&mut self.first, &mut self.second] {
            fit.take_if(|fit| fit.revision == revision);
        }
    }

    /// Takes later fits.
    pub(crate) fn update(&mut self, later: &Self) {
        for (mine, later) in [(&mut self.first, &later.first), (&mut self.second, &later.second)] {
            if later.is_some() {
                mine.clone_from(later);
            }
        }
        if later.curves.is_some() {
            self.curves.clone_from(&later.curves);
        }
    }
}

/// A verdict, and what it was given after.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Judgment {
    pub(crate) verdict: Verdict,
    /// How often what was told had changed.
    pub(crate) revision: usize,
    pub(crate) seconds: f64,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) rule: Option<Change>,
}

/// A change in the state of a rule: this many numbers stay, and these follow. Numbers are written
/// as texts if a format does not have them.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Change {
    pub keep: usize,
    #[cfg_attr(feature = "serde", serde(with = "list"))]
    pub push: Vec<f64>,
}

impl Change {
    /// From one state to another; none if nothing changed.
    pub fn between(before: &[f64], after: &[f64]) -> Option<Self> {
        let same = |(a, b): &(&f64, &f64)| a.to_bits() == b.to_bits();
        let keep = before.iter().zip(after).take_while(same).count();
        let changed = keep < before.len() || keep < after.len();
        changed.then(|| Self { keep, push: after[keep..].to_vec() })
    }

    /// The state after.
    pub fn apply(&self, state: &mut Vec<f64>) {
        state.truncate(self.keep);
        state.extend(&self.push);
    }
}

/// What happened in a study, and what is known from it.
#[derive(Debug)]
pub(crate) struct Log {
    /// What happened, unless it was taken.
    pub events: Vec<Event>,
    pub known: Known,
    /// Fits that are to be taken once the study has come so far.
    pub awaited: Fits,
}

/// What events have said of fits and of the stopping rule.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub fits: Fits,
    pub rule: Vec<f64>,
}

impl Log {
    /// Nothing happened yet.
    pub fn new() -> Self {
        Self { events: Vec::new(), known: Known::default(), awaited: Fits::default() }
    }

    /// Notes that these are the last fits by now, if that is new.
    pub fn note_fits(&mut self, fits: Fits) {
        let fits = fits.since(&self.known.fits);
        if !fits.is_empty() {
            self.known.fits.update(&fits);
            self.events.push(Event::Fitted { fits: Box::new(fits) });
        }
    }

    /// Awaits the moments of fits that an event has.
    pub fn await_fits(&mut self, fits: &Fits) {
        self.known.fits.update(fits);
        self.awaited.update(fits);
    }
}

/// The fits of an event that wait for their moment.
pub(in crate::study) fn awaited(event: &Event) -> Option<&Fits> {
    match event {
        Event::Fitted { fits } if fits.curves.is_none() => Some(fits),
        _ => None,
    }
}
