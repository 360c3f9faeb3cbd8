//! Twins: the same calls again, where something is different that must not matter.

use std::fmt::Debug;

use gittins::study::TrialState;

use crate::calls::{Call, Cost, Measuring, Place, Saying, Word};
use crate::dice::Dice;
use crate::invariants::{Break, Held, Invariant};
use crate::said::{Exactness, Said, difference};
use crate::staged::calls::StagedCall;
use crate::staged::world::StagedWorld;
use crate::subsets::calls::SubsetCall;
use crate::subsets::world::SubsetWorld;
use crate::tally::Tally;
use crate::transcript::Transcript;
use crate::twin::Twin;
use crate::view::View;
use crate::world::World;
use crate::world::costs::CostSpec;
use crate::world::rule::RuleSpec;
use crate::{play, staged, subsets};

/// A kind of study: a description, its calls, and how they are played.
pub trait Game: Clone + Debug + Sync {
    type Call: Clone + Debug + Sync;

    fn calls(&self, dice: &mut Dice) -> Vec<Self::Call>;

    /// What the study said; or what did not hold.
    fn play(&self, view: &View, calls: &[Self::Call], tally: &mut Tally) -> Held<Vec<Said>>;

    fn operations(call: &Self::Call) -> usize;

    /// Whether a call that ended so must leave no trace.
    fn leaves_no_trace(call: &Self::Call, said: &Said) -> bool;

    /// Calls after which outcomes have a spread: until then their distance from zero stands for it.
    fn preface(&self) -> Vec<Self::Call> {
        Vec::new()
    }

    /// Twins that this study may have, with weights.
    fn twins(&self, calls: &[Self::Call]) -> Vec<(f64, Twin)>;

    /// The study, its twin and calls, as they are told.
    fn told(&self, twin: Option<Twin>, calls: &[Self::Call]) -> String {
        let calls = calls.iter().enumerate();
        let lines: String = calls.map(|(at, call)| format!("  {at:>3} {call:?}\n")).collect();
        format!("{self:#?}\ntwin: {twin:?}\n{lines}")
    }
}

impl Twin {
    fn invariant(self) -> Invariant {
        match self {
            Self::Again => Invariant::SameCallsSameBits,
            Self::Threads => Invariant::ThreadsDoNotMatter,
            Self::Mirror => Invariant::DirectionsAreMirrors,
            Self::Units { .. } => Invariant::UnitsDoNotMatter,
            Self::Origin(_) => Invariant::OriginDoesNotMatter,
            Self::Traceless => Invariant::ErrorsAndLooksLeaveNoTrace,
            Self::Known => Invariant::UniformIsConstant,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Threads => "two threads",
            Self::Mirror => "mirrored",
            Self::Units { .. } => "other units",
            Self::Origin(_) => "another origin",
            Self::Traceless => "without errors and looks",
            Self::Known => "a constant function for a cost",
        }
    }

    fn view(self) -> View {
        match self {
            Self::Again | Self::Threads | Self::Traceless => View::PLAIN,
            Self::Mirror => View { mirrored: true, ..View::PLAIN },
            Self::Known => View { known: true, ..View::PLAIN },
            Self::Units { scale, money } => View { scale, money, ..View::PLAIN },
            Self::Origin(shift) => View { shift, ..View::PLAIN },
        }
    }

    /// Plays the twin and compares it with what the study said.
    ///
    /// A model whose noise is no less than 1e-4 of its variance, on 130 outcomes whose origin was
    /// moved by 16 of their units, has numbers that are off by `16 eps 130 / 1e-4`, 5e-9, and the
    /// logarithm of an improvement, which may be as small as -1e4, by some ten thousand times as
    /// much.
    pub fn compare<G: Game>(
        self,
        game: &G,
        calls: &[G::Call],
        said: &[Said],
        tally: &mut Tally,
    ) -> Held {
        let operations = |calls: &[G::Call]| calls.iter().map(G::operations).sum();
        let (own, calls) = match self {
            Self::Traceless => {
                let kept = |(call, said): &(&G::Call, &Said)| !G::leaves_no_trace(call, said);
                let (calls, own): (Vec<G::Call>, Vec<Said>) = calls
                    .iter()
                    .zip(said)
                    .filter(kept)
                    .map(|(call, said)| (call.clone(), said.clone()))
                    .unzip();
                (own, calls)
            }
            Self::Origin(_) => {
                let calls = [game.preface(), calls.to_vec()].concat();
                (game.play(&View::PLAIN, &calls, &mut Tally::default())?, calls)
            }
            _ => (said.to_vec(), calls.to_vec()),
        };
        tally.twin(self.name(), operations(&calls));
        let view = self.view();
        let mut silent = Tally::default();
        let mut run = || game.play(&view, &calls, &mut silent);
        let twin = match self {
            Self::Threads => in_two_threads(&mut run),
            _ => run(),
        };
        let twin = twin.map_err(|error| Break {
            detail: format!("in the twin {self:?}: {}", error.detail),
            ..error
        })?;
        let exactness =
            if let Self::Origin(_) = self { Exactness::Rounded(1e-4) } else { Exactness::Bits };
        match difference(&own, &twin, &view, exactness) {
            None => Ok(()),
            Some((call, detail)) => Err(Break { invariant: self.invariant(), detail, call }),
        }
    }
}

/// Within a pool of two threads; everything else runs in pools of one.
fn in_two_threads<T: Send>(act: &mut (impl FnMut() -> T + Send)) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(2).build() {
        Ok(pool) => pool.install(act),
        // A machine that has no thread left has nothing to compare.
        Err(_) => act(),
    }
}

impl Game for World {
    type Call = Call;

    fn calls(&self, dice: &mut Dice) -> Vec<Call> {
        Call::draw_all(self, dice)
    }

    fn play(&self, view: &View, calls: &[Call], tally: &mut Tally) -> Held<Vec<Said>> {
        play::play(self, view, calls, tally)
    }

    fn operations(call: &Call) -> usize {
        call.operations()
    }

    fn leaves_no_trace(call: &Call, said: &Said) -> bool {
        call.only_looks() || (call.fails_early() && matches!(said, Said::Refused(_)))
    }

    fn preface(&self) -> Vec<Call> {
        let dim = self.domain.parameters();
        let import = |at: f64, units: f64| {
            let outcome = Saying::Units(units);
            let word = Word { outcome, cost: Cost::Fitting, measured: Measuring::All };
            Call::Import { place: Place::At(vec![at; dim]), word }
        };
        vec![import(0.0, 1.0), import(1.0, -1.0)]
    }

    fn twins(&self, calls: &[Call]) -> Vec<(f64, Twin)> {
        // Where a search ends with its time, the machine decides.
        if self.is_hurried() {
            return Vec::new();
        }
        let mut twins = vec![
            (1.0, Twin::Again),
            (1.0, Twin::Threads),
            (2.0, Twin::Mirror),
            (1.5, Twin::Traceless),
        ];
        let changes = calls.iter().filter_map(|call| {
            if let Call::ChangePolicy(policy) = call { Some(policy) } else { None }
        });
        let policies: Vec<_> = changes.chain([&self.policy]).collect();
        // Zeros alone have no unit, and the ends of double precision no room for another.
        let odd = calls.iter().any(|call| {
            call.word().is_some_and(|word| word.outcome == Saying::Units(0.0) || word.is_extreme())
        });
        let scaled = self.rule.as_ref().is_none_or(RuleSpec::takes_any_unit)
            && self.standardizes()
            && !self.objective.is_extreme()
            && !odd
            && policies.iter().all(|policy| policy.takes_any_unit());
        if scaled {
            let judged = self.rule.as_ref().is_none_or(RuleSpec::takes_any_money);
            // Where trials fail or break limits, a price is divided by a probability, in logarithms.
            let fails =
                |call: &Call| call.word().is_some_and(|word| word.state() != TrialState::Complete);
            let free = judged
                && self.succeeds.is_none()
                && self.measured.is_empty()
                && !calls.iter().any(fails)
                && self.cost != CostSpec::Learned
                && policies.iter().all(|policy| policy.takes_any_money());
            let money = if free { 2.0_f64.powi(-7) } else { 1.0 };
            twins.extend([
                (1.0, Twin::Units { scale: 1024.0, money }),
                (1.0, Twin::Units { scale: 2.0_f64.powi(-17), money }),
            ]);
        }
        // Without slopes a constant function is scored as the constant is.
        let scanned = self.has_table() && policies.iter().all(|policy| policy.is_tame());
        if scanned && matches!(self.cost, CostSpec::Uniform(_)) {
            twins.push((1.0, Twin::Known));
        }
        // What gives outcomes a spread must stay. Of points that move together a choice for another
        // changes the values of all.
        let moves = |call: &Call| {
            matches!(call, Call::Withdraw { .. } | Call::Correct { .. })
                || matches!(call, Call::AskTogether { jointly: true, .. })
        };
        let stays = !self.bill.is_faulty() && !calls.iter().any(moves);
        // What noise leaves to show of a trial at the incumbent itself is a quotient of two
        // roundings.
        if scaled && scanned && stays && self.is_tame() && self.is_lucky() {
            twins.push((8.0, Twin::Origin(16.0 * self.objective.unit)));
        }
        twins
    }

    fn told(&self, twin: Option<Twin>, calls: &[Call]) -> String {
        Transcript { world: self.clone(), twin, calls: calls.to_vec() }.text()
    }
}

impl Game for StagedWorld {
    type Call = StagedCall;

    fn calls(&self, dice: &mut Dice) -> Vec<StagedCall> {
        StagedCall::draw_all(self, dice)
    }

    fn play(&self, view: &View, calls: &[StagedCall], tally: &mut Tally) -> Held<Vec<Said>> {
        staged::play::play(self, view, calls, tally)
    }

    fn operations(call: &StagedCall) -> usize {
        call.operations()
    }

    fn leaves_no_trace(call: &StagedCall, said: &Said) -> bool {
        call.only_looks() || (call.fails_early() && matches!(said, Said::Refused(_)))
    }

    fn twins(&self, calls: &[StagedCall]) -> Vec<(f64, Twin)> {
        let mut twins = vec![(1.0, Twin::Again), (1.0, Twin::Threads), (2.0, Twin::Mirror)];
        // A look decides where a verdict would.
        if !calls.contains(&StagedCall::Resume) {
            twins.push((1.5, Twin::Traceless));
        }
        if !self.objective.is_extreme() && !calls.iter().any(StagedCall::is_odd) {
            let money = 1.0;
            twins.extend([
                (1.0, Twin::Units { scale: 1024.0, money }),
                (1.0, Twin::Units { scale: 2.0_f64.powi(-17), money }),
            ]);
        }
        twins
    }
}

impl Game for SubsetWorld {
    type Call = SubsetCall;

    fn calls(&self, dice: &mut Dice) -> Vec<SubsetCall> {
        SubsetCall::draw_all(self, dice)
    }

    fn play(&self, view: &View, calls: &[SubsetCall], tally: &mut Tally) -> Held<Vec<Said>> {
        subsets::play::play(self, view, calls, tally)
    }

    fn operations(call: &SubsetCall) -> usize {
        call.operations()
    }

    fn leaves_no_trace(call: &SubsetCall, said: &Said) -> bool {
        call.only_looks() || (call.fails_early() && matches!(said, Said::Refused(_)))
    }

    fn twins(&self, calls: &[SubsetCall]) -> Vec<(f64, Twin)> {
        let mut twins = vec![
            (1.0, Twin::Again),
            (1.0, Twin::Threads),
            (2.0, Twin::Mirror),
            (2.0, Twin::Traceless),
        ];
        let odd = calls.iter().any(|call| {
            call.word().is_some_and(|word| word.outcome == Saying::Units(0.0) || word.is_extreme())
        });
        if self.standardize && !self.objective.is_extreme() && !odd {
            let money = 2.0_f64.powi(-7);
            twins.extend([
                (1.0, Twin::Units { scale: 1024.0, money }),
                (1.0, Twin::Units { scale: 2.0_f64.powi(-17), money }),
            ]);
        }
        twins
    }
}
