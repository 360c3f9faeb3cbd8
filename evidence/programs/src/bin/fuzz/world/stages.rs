//! Random stages.

use gittins::study::Stages;

use crate::dice::Dice;

pub fn draw(dice: &mut Dice) -> Stages {
    let kinds = [
        (0.35, Stages::epochs(dice.pick(&[1, 3, 10, 100]))),
        (0.1, Stages::items(dice.pick(&[1, 2, 40, 1000]))),
        (0.1, Stages::folds(dice.pick(&[1, 3, 5]))),
        (0.2, Stages::of(dice.pick(&[1e-3, 1.0, 7.5, 1e9]))),
        (0.1, Stages::of(8.0).reports([1.0, 2.0, 4.0, 8.0])),
        (0.08, Stages::of(8.0).reports([0.1, 8.0])),
        (0.07, Stages::of(8.0).reports([8.0])),
    ];
    let stages = dice.weighed(&kinds);
    let is_whole = !stages.are_folds() && !stages.are_items();
    let counts = is_whole && dice.chance(0.3);
    let repeats = is_whole && dice.chance(0.1);
    stages.resumable(dice.chance(0.6)).any_stage_counts(counts).repeats(repeats)
}
