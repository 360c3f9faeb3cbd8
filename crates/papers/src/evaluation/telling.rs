//! What was told in a run, in order.

use gittins::Record;
use gittins::study::Row;

/// A trial that was told, or its cost alone.
#[derive(Clone, Copy)]
pub(super) struct Telling<'r> {
    /// Its place in the order, from 0.
    pub place: usize,
    /// The trial.
    pub row: &'r Row,
    /// Whether it is its cost alone.
    pub cost_alone: bool,
}

/// Everything that was told, in order.
pub(super) fn tellings<'r>(record: &'r Record) -> Vec<Telling<'r>> {
    let of = |row: &'r Row| {
        let (told, paid) = (row.told, row.paid);
        let at = |place: Option<usize>, cost_alone| {
            place.map(|place| Telling { place, row, cost_alone })
        };
        at(told, false).into_iter().chain(at(paid, true))
    };
    let mut tellings: Vec<_> = record.rows().iter().flat_map(of).collect();
    tellings.sort_by_key(|telling| telling.place);
    tellings
}
