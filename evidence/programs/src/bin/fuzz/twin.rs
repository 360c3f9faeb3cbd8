//! Twins: the same calls again, where something is different that must not matter.

use gittins::study::{Stages, TrialState};
use serde::{Deserialize, Serialize};

use crate::calls::{Call, Cost, Measuring, Place, Saying, Word};
use crate::invariants::{Break, Held, Invariant};
use crate::play::play;
use crate::said::{Said, difference};
use crate::tally::Tally;
use crate::view::View;
use crate::world::World;
use crate::world::costs::CostSpec;
use crate::world::rule::RuleSpec;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Twin {
    Again,
    Threads,
    Mirror,
    /// The units of outcome, and of cost where that is free.
    Units {
        scale: f64,
        money: f64,
    },
    /// Where outcomes have their zero, in units of the objective.
    Origin(f64),
    /// Calls that fail or only look are left out.
    Traceless,
    /// A cost that is the same everywhere is given as a function.
    Known,
}

impl Twin {
    /// What must hold, its name in the table of twins, and how it sees the world.
    fn traits(self) -> (Invariant, &'static str, View) {
        use Invariant::{
            DirectionsAreMirrors, ErrorsAndLooksLeaveNoTrace, OriginDoesNotMatter,
            SameCallsSameBits, ThreadsDoNotMatter, UniformIsConstant, UnitsDoNotMatter,
        };
        let plain = View::PLAIN;
        match self {
            Self::Again => (SameCallsSameBits, "again", plain),
            Self::Threads => (ThreadsDoNotMatter, "two threads", plain),
            Self::Mirror => (DirectionsAreMirrors, "mirrored", View { mirrored: true, ..plain }),
            Self::Units { scale, money } => {
                (UnitsDoNotMatter, "other units", View { scale, money, ..plain })
            }
            Self::Origin(shift) => (OriginDoesNotMatter, "another origin", View { shift, ..plain }),
            Self::Traceless => (ErrorsAndLooksLeaveNoTrace, "without errors and looks", plain),
            Self::Known => {
                (UniformIsConstant, "a constant function for a cost", View { known: true, ..plain })
            }
        }
    }

    /// Plays the twin and compares it with what the study said.
    ///
    /// A model whose noise is no less than 1e-4 of its variance, on 130 outcomes whose origin was
    /// moved by 16 of their units, has numbers that are off by `16 eps 130 / 1e-4`, 5e-9, and the
    /// logarithm of an improvement, which may be as small as -1e4, by some ten thousand times as
    /// much.
    pub fn compare(self, world: &World, calls: &[Call], said: &[Said], tally: &mut Tally) -> Held {
        let (invariant, name, view) = self.traits();
        let mut silent = Tally::default();
        let (own, calls) = match self {
            Self::Traceless => {
                let in_stages = world.stages().is_some();
                let is_kept = |(call, said): &(&Call, &Said)| {
                    let failed = matches!(said, Said::Refused(_));
                    let looks = world.sets.is_some() && **call == Call::Recommendation;
                    !(looks || call.only_looks() || failed && call.fails_early(in_stages))
                };
                let kept = calls.iter().zip(said).filter(is_kept);
                kept.map(|(call, said)| (said.clone(), call.clone())).unzip()
            }
            Self::Origin(_) => {
                let calls = [preface(world), calls.to_vec()].concat();
                (play(world, &View::PLAIN, &calls, &mut silent)?, calls)
            }
            _ => (said.to_vec(), calls.to_vec()),
        };
        tally.twin(name, calls.iter().map(Call::operations).sum());
        let mut run = || play(world, &view, &calls, &mut silent);
        let twin = match self {
            Self::Threads => in_two_threads(&mut run),
            _ => run(),
        };
        let twin = twin.map_err(|error| Break {
            detail: format!("in the twin {self:?}: {}", error.detail),
            ..error
        })?;
        let rounding = matches!(self, Self::Origin(_)).then_some(1e-4);
        match difference(&own, &twin, &view, rounding) {
            None => Ok(()),
            Some((call, detail)) => Err(Break { invariant, detail, call }),
        }
    }

    /// Twins that a study may have, with weights.
    pub fn of(world: &World, calls: &[Call]) -> Vec<(f64, Self)> {
        // Where a search ends with its time, the machine decides.
        if world.is_hurried() {
            return Vec::new();
        }
        let mut twins = vec![(1.0, Self::Again), (1.0, Self::Threads), (1.5, Self::Traceless)];
        // By items what lies between 0 and 1 is taken for answers, which have neither a mirror nor
        // units.
        if world.stages().is_some_and(Stages::are_items) {
            return twins;
        }
        twins.push((2.0, Self::Mirror));
        let changes = calls.iter().filter_map(|call| {
            if let Call::ChangePolicy(policy) = call { Some(policy) } else { None }
        });
        let policies: Vec<_> = changes.chain([&world.policy]).collect();
        let words = || calls.iter().filter_map(Call::word);
        let (in_stages, on_sets) = (world.stages().is_some(), world.sets.is_some());
        // Zeros alone have no unit, and the ends of double precision no room for another.
        let is_odd = |word: &Word| {
            let raw = in_stages && matches!(word.cost, Cost::Raw(_));
            word.outcome == Saying::Units(0.0) || word.is_extreme() || raw
        };
        let scaled = world.rule.as_ref().is_none_or(RuleSpec::takes_any_unit)
            && world.standardizes()
            && !world.objective.is_extreme()
            && !words().any(is_odd)
            && policies.iter().all(|policy| policy.takes_any_unit());
        if scaled {
            let judged = world.rule.as_ref().is_none_or(RuleSpec::takes_any_money);
            // Where trials fail or break limits, a price is divided by a probability, in logarithms.
            let free = judged
                && world.succeeds.is_none()
                && world.measured.is_empty()
                && words().all(|word| word.state() == TrialState::Complete)
                && world.cost != CostSpec::Learned
                && policies.iter().all(|policy| policy.takes_any_money());
            let money = if on_sets || free && !in_stages { 2.0_f64.powi(-7) } else { 1.0 };
            let units = [1024.0, 2.0_f64.powi(-17)].map(|scale| Self::Units { scale, money });
            twins.extend(units.map(|units| (1.0, units)));
        }
        if in_stages || on_sets {
            return twins;
        }
        // Without slopes a constant function is scored as the constant is.
        let scanned = world.has_table() && policies.iter().all(|policy| policy.is_tame());
        if scanned && matches!(world.cost, CostSpec::Uniform(_)) {
            twins.push((1.0, Self::Known));
        }
        // What gives outcomes a spread must stay. Of points that move together a choice for another
        // changes the values of all.
        let moves = |call: &Call| {
            matches!(call, Call::Withdraw { .. } | Call::Correct { .. })
                || matches!(call, Call::AskTogether { jointly: true, .. })
        };
        let stays = !world.bill.is_faulty() && !calls.iter().any(moves);
        // What noise leaves to show of a trial at the incumbent itself is a quotient of two
        // roundings.
        if scaled && scanned && stays && world.is_tame() && world.is_lucky() {
            twins.push((8.0, Self::Origin(16.0 * world.objective.unit)));
        }
        twins
    }
}

/// Calls after which outcomes have a spread: until then their distance from zero stands for it.
fn preface(world: &World) -> Vec<Call> {
    let import = |(at, units)| {
        let place = Place::At(vec![at; world.domain.parameters()]);
        let outcome = Saying::Units(units);
        let cost = Cost::Fitting;
        let measured = Measuring::All;
        Call::Import { place, word: Word { outcome, cost, measured } }
    };
    [(0.0, 1.0), (1.0, -1.0)].map(import).to_vec()
}

/// Within a pool of two threads; everything else runs in pools of one.
fn in_two_threads<T: Send>(act: &mut (impl FnMut() -> T + Send)) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(2).build() {
        Ok(pool) => pool.install(act),
        // A machine that has no thread left has nothing to compare.
        Err(_) => act(),
    }
}
