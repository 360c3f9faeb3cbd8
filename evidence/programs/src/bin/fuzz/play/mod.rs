//! A sequence of calls on a study of any kind, each compared with the log.

mod advice;
mod asks;
mod pair;
mod player;
mod records;
mod sets;
mod stages;
mod study;
mod tells;
mod verdicts;

use crate::calls::Call;
use crate::invariants::{Break, Held};
use crate::said::Said;
use crate::tally::Tally;
use crate::view::View;
use crate::world::World;

pub use player::{ATTEMPTING, PANICKED, attempt};
use player::{Halt, Player};

/// What a study said to all calls; or the first thing that did not hold.
pub fn play(world: &World, view: &View, calls: &[Call], tally: &mut Tally) -> Held<Vec<Said>> {
    let mut player: Box<dyn Player> = match &world.sets {
        Some(_) => Box::new(sets::Player::new(world, view)?),
        None => Box::new(study::Player::new(world, view)?),
    };
    let mut said = Vec::with_capacity(calls.len());
    for (number, call) in calls.iter().enumerate() {
        let answer = step(&mut *player, call).map_err(|error| Break { call: number, ..error })?;
        if let Said::Refused(kind) = answer {
            tally.error(kind);
        }
        if answer != Said::Idle {
            tally.operation(call.name(), call.operations());
        }
        answer.stop().into_iter().for_each(|rule| tally.stop(rule));
        said.push(answer);
    }
    Ok(said)
}

fn step(player: &mut dyn Player, call: &Call) -> Held<Said> {
    let said = match player.answer(call) {
        Ok(said) => said,
        Err(Halt::Broken(broken)) => return Err(broken),
        Err(Halt::Refused(kind)) => Said::Refused(kind),
        Err(Halt::Idle) => Said::Idle,
    };
    player.check()?;
    Ok(said)
}
