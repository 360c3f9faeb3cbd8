//! What stands beside the axes of a study by items: how many each has seen, and for how much.

use chart::number::short;
use chart::svg::{Anchor, area, words};
use chart::{Frame, width};

/// The size of letters.
const LETTERS: f64 = 12.0;
/// The room of the longest bar, half its height, and what is free between columns.
const BAR: f64 = 40.0;
const HALF: f64 = 4.0;
const GAP: f64 = 8.0;
/// From the end of the axes to the foot of their names.
const HEADS: f64 = 36.0;
/// What the last column is called.
const COST: &str = "cost";

/// The items that a configuration has seen, as a text too, and what they cost; empty if nothing was
/// paid.
pub struct Seen {
    pub items: f64,
    pub number: String,
    pub cost: String,
}

/// The columns: a bar, the number of items, and what they cost.
pub struct Columns {
    most: f64,
    numbers: f64,
    costs: f64,
    head: String,
}

impl Columns {
    /// As wide as the longest text.
    pub fn of<'a>(all: impl Iterator<Item = &'a Seen> + Clone, total: f64) -> Self {
        let widest = |text: fn(&Seen) -> &str| {
            all.clone().map(|seen| width(text(seen), LETTERS)).fold(0.0, f64::max)
        };
        let most = all.clone().map(|seen| seen.items).fold(1.0, f64::max);
        let head = format!("of {} items", short(total, 6));
        let numbers = widest(|seen| &seen.number).max(width(&head, LETTERS) - BAR - GAP);
        let costs = match widest(|seen| &seen.cost) {
            0.0 => 0.0,
            costs => costs.max(width(COST, LETTERS)),
        };
        Self { most, numbers, costs, head }
    }

    /// The room that they take.
    pub fn room(&self) -> f64 {
        BAR + GAP + self.numbers + if self.costs > 0.0 { GAP + self.costs } else { 0.0 }
    }

    /// Where the bar begins, where the number of items ends, and where the cost does.
    fn places(&self, frame: &Frame) -> [f64; 3] {
        let from = frame.across()[1] + GAP;
        [from, from + BAR + GAP + self.numbers, from + self.room()]
    }

    /// What one has seen. The longest bar is that of whoever has seen most.
    pub fn line(&self, frame: &Frame, seen: &Seen, y: f64) -> String {
        let [from, items, cost] = self.places(frame);
        let end = from + BAR * (seen.items / self.most).clamp(0.0, 1.0);
        let drawn = area("bar plain", (from, y - HALF), (end, y + HALF))
            + &words("soft", (items, y + 4.0), Anchor::End, &seen.number);
        if self.costs > 0.0 {
            drawn + &words("soft", (cost, y + 4.0), Anchor::End, &seen.cost)
        } else {
            drawn
        }
    }

    /// What the columns are called, in the line of the name of the axis.
    pub fn heads(&self, frame: &Frame) -> String {
        let [_, items, cost] = self.places(frame);
        let y = frame.down()[1] + HEADS;
        let head = words("axis", (items, y), Anchor::End, &self.head);
        if self.costs > 0.0 { head + &words("axis", (cost, y), Anchor::End, COST) } else { head }
    }
}
