//! Random sequences of calls.

use super::word::factor;
use super::{Any, At, Call, Place, Side, Whom, Word};
use crate::dice::Dice;
use crate::world::World;
use crate::world::policy::PolicySpec;

/// The share of calls after which a study is made again from its events.
const RESUMED: f64 = 0.1;

/// How often a call is drawn for whole trials, for trials in stages and for control sets.
type Weights = [f64; 3];

type Draw = fn(&World, &mut Dice) -> Call;

fn which(dice: &mut Dice) -> usize {
    dice.whole(0, 999)
}

fn place(world: &World, dice: &mut Dice) -> Place {
    Place::draw(world.domain.parameters(), dice)
}

/// All calls. What a kind of study refuses is drawn now and then.
const DRAWS: [(Weights, Draw); 27] = [
    ([16.0, 13.0, 20.0], |_, _| Call::Ask { count: 1 }),
    ([3.0, 3.0, 3.0], |_, dice| Call::Ask {
        count: dice.weighed(&[(0.6, 2), (0.37, 5), (0.03, 20)]),
    }),
    ([26.0, 8.0, 35.0], |_, dice| Call::Tell {
        whom: Whom::UnderWay(which(dice)),
        word: Word::draw(dice),
    }),
    ([5.0, 1.0, 3.0], |_, dice| Call::Tell {
        whom: Whom::Told(which(dice)),
        word: Word::draw(dice),
    }),
    ([3.0, 1.0, 3.0], |_, dice| Call::Tell {
        whom: Whom::Beyond(dice.pick(&[0, 1, 1000, usize::MAX / 2])),
        word: Word::draw(dice),
    }),
    ([3.0, 1.0, 3.0], |_, dice| Call::Tell {
        whom: Whom::Withdrawn(which(dice)),
        word: Word::draw(dice),
    }),
    ([9.0, 1.0, 0.0], |_, dice| Call::TellCost { which: which(dice), factor: factor(dice) }),
    ([0.0, 30.0, 0.0], |_, dice| Call::Report {
        which: which(dice),
        at: At::Next,
        decides: dice.chance(0.8),
        word: Word::draw(dice),
    }),
    ([0.5, 8.0, 0.0], |_, dice| Call::Report {
        which: which(dice),
        at: At::Beyond(Any(dice.pick(&[0.0, -0.1, 0.1, 0.5, 1.0, 2.0, f64::NAN, f64::INFINITY]))),
        decides: dice.chance(0.8),
        word: Word::draw(dice),
    }),
    ([0.3, 5.0, 0.0], |_, dice| Call::Advise { which: which(dice) }),
    ([1.0, 1.0, 0.0], |_, dice| Call::Forecast { which: which(dice) }),
    ([0.3, 4.0, 0.0], |_, dice| Call::ForecastEnd { which: which(dice) }),
    ([10.0, 3.0, 12.0], |world, dice| Call::Import {
        place: place(world, dice),
        word: Word::draw(dice),
    }),
    ([2.0, 4.0, 0.0], |world, dice| Call::Announce { place: place(world, dice) }),
    ([5.0, 5.0, 5.0], |_, dice| Call::Withdraw { which: which(dice) }),
    ([5.0, 4.0, 5.0], |_, dice| Call::Correct { which: which(dice), word: Word::draw(dice) }),
    ([3.0, 1.0, 0.0], |_, dice| Call::NoteRunning { which: which(dice), factor: factor(dice) }),
    ([13.0, 10.0, 12.0], |_, _| Call::Verdict),
    ([3.0, 2.0, 0.0], |_, _| Call::VerdictOnAnother),
    ([4.0, 2.0, 0.0], |_, dice| Call::PriceForBudget {
        times: Any(dice.pick(&[-1e-6, 0.5, 1.0, 2.0, 1e6, f64::NAN, f64::INFINITY, -1.0])),
    }),
    ([3.0, 2.0, 0.0], |world, dice| {
        Call::ChangePolicy(if dice.chance(0.25) {
            PolicySpec::draw_wrong(dice)
        } else {
            let is_staged = world.stages().is_some();
            PolicySpec::another(world.domain.dim(), world.objective.unit, is_staged, dice)
        })
    }),
    ([3.0, 3.0, 3.0], |_, _| Call::Recommendation),
    ([2.0, 2.0, 0.0], |_, _| Call::Record),
    ([0.5, 0.2, 0.0], |_, _| Call::Replay),
    ([1.0, 0.5, 0.0], |_, dice| Call::SpoilRecord(dice.seed())),
    ([2.0, 1.0, 0.0], |_, dice| draw_request(dice)),
    ([0.0, 3.0, 0.0], |_, dice| Call::Tell {
        whom: Whom::UnderWay(which(dice)),
        word: Word::broken(dice),
    }),
];

fn draw_request(dice: &mut Dice) -> Call {
    match dice.whole(0, 3) {
        0 => Call::AskWithin { factor: factor(dice) },
        1 => {
            let side = dice.pick(&[Side::Equal, Side::Least, Side::Most]);
            Call::AskWhere { which: which(dice), parameter: which(dice), side }
        }
        _ => Call::AskTogether { count: dice.whole(1, 5), jointly: dice.chance(0.3) },
    }
}

impl Call {
    pub fn draw_all(world: &World, dice: &mut Dice) -> Vec<Self> {
        let (in_stages, on_sets) = (world.stages().is_some(), world.sets.is_some());
        let kind = if in_stages { 1 } else { 2 * usize::from(on_sets) };
        let weights = DRAWS.map(|(weights, _)| weights[kind]);
        // Ask, tell, verdict; several pending trials; anything.
        let mood = dice.index(&[[0.35, 0.25, 0.4], [0.35, 0.15, 0.5], [0.5, 0.0, 0.5]][kind]);
        // What takes long gets fewer.
        let most = match kind {
            _ if world.domain.parameters() > 6 => 24,
            0 => dice.weighed(&[(0.5, 50), (0.4, 100), (0.1, 250)]),
            _ => 60,
        };
        let length = dice.whole(6, most);
        let mut calls = Vec::with_capacity(length + 1);
        let sound = |which, dice: &mut Dice| {
            let word = Word::sound(dice);
            if in_stages {
                return Self::Report { which, at: At::Next, decides: true, word };
            }
            Self::Tell { whom: Whom::UnderWay(which), word }
        };
        // As many workers as a finite space has settings, or more, before the first is told.
        if !on_sets && world.domain.build().is_finite() && dice.chance(0.3) {
            calls.extend([Self::Ask { count: 40 }, Self::Ask { count: 3 }]);
        }
        while calls.len() < length {
            match mood {
                0 if dice.chance(0.93) => {
                    calls.extend([Self::Ask { count: 1 }, sound(0, dice)]);
                    calls.extend(dice.chance(0.8).then_some(Self::Verdict));
                    // Asked again without news, it is the same.
                    calls.extend(dice.chance(0.1).then_some(Self::Verdict));
                }
                1 if dice.chance(0.85) => calls.push(match dice.whole(0, 8) {
                    0 => Self::Ask { count: dice.whole(1, 4) },
                    1..=3 => sound(which(dice), dice),
                    4 => Self::NoteRunning { which: which(dice), factor: factor(dice) },
                    5 => Self::VerdictOnAnother,
                    6 | 7 => draw_request(dice),
                    _ => Self::Verdict,
                }),
                _ => calls.push(DRAWS[dice.index(&weights)].1(world, dice)),
            }
        }
        if !on_sets {
            calls.extend(dice.chance(0.5).then_some(Self::Record));
            calls.extend(dice.chance(0.2).then_some(Self::Replay));
        }
        let resumed = |call| [Some(call), dice.chance(RESUMED).then_some(Self::Resume)];
        calls.into_iter().flat_map(resumed).flatten().collect()
    }
}
