//! A panel: title, legend, axes with their names, and what is drawn between them.

use crate::marks::Sign;
use crate::panel::{HEIGHT, Panel, WIDTH};
use crate::scale::Scale;
use crate::side::{Along, LETTERS, Side, Spot, spot};
use crate::svg::{Anchor, area, line, words};
use crate::text::{fitted, width};

/// The size of usual letters that are as wide as those of the title, which are bold.
const TITLE: f64 = 1.15 * 13.5;
/// A row of the legend.
const ROW: f64 = 17.0;
/// The strip for trials without an outcome.
const STRIP: f64 = 18.0;
/// Between the end of an axis and the first place on it.
const PAD: f64 = 6.0;

/// A part of the legend.
#[derive(Debug)]
pub enum Key {
    /// A sign of a color.
    Mark(Sign, &'static str, &'static str),
    /// A line of a class.
    Line(&'static str, &'static str),
    /// Colors from the first trial to the last.
    Order,
}

/// What a panel looks like, before it is laid out.
#[derive(Debug)]
pub struct Plan<'a> {
    /// A name for files.
    pub name: String,
    /// What it shows.
    pub title: &'a str,
    /// What stands along the lower side, and whether a part of it is for absent values.
    pub x: (&'a str, Along, bool),
    /// What stands along the left side.
    pub y: (&'a str, Scale),
    /// The name of the strip for trials without a place on the left side, if there are any.
    pub strip: Option<&'static str>,
    /// The legend.
    pub keys: Vec<Key>,
}

/// A panel with axes.
#[derive(Debug)]
pub struct Frame {
    name: String,
    title: String,
    svg: String,
    /// The lower side.
    pub x: Side,
    y: Scale,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    strip: f64,
}

impl Key {
    fn words(&self) -> &'static str {
        match self {
            Self::Mark(.., words) | Self::Line(_, words) => words,
            Self::Order => "last",
        }
    }

    /// The width without what follows.
    fn width(&self) -> f64 {
        let sign = match self {
            Self::Mark(..) => 14.0,
            Self::Line(..) => 22.0,
            Self::Order => width("first", LETTERS) + 8.0 * 7.0 + 10.0,
        };
        sign + width(self.words(), LETTERS)
    }

    fn draw(&self, x: f64, y: f64) -> String {
        let middle = y - 4.0;
        match *self {
            Self::Mark(sign, color, text) => {
                sign.element(color, (x + 5.0, middle), "")
                    + &words("soft", (x + 14.0, y), Anchor::Start, text)
            }
            Self::Line(class, text) => {
                line(class, (x, middle), (x + 17.0, middle))
                    + &words("soft", (x + 22.0, y), Anchor::Start, text)
            }
            Self::Order => {
                let mut drawn = words("soft", (x, y), Anchor::Start, "first");
                let from = x + width("first", LETTERS) + 5.0;
                for (color, place) in ORDER.iter().zip(0..) {
                    let at = (from + 7.0 * f64::from(place) + 3.0, middle);
                    drawn += &Sign::Dot.element(color, at, "");
                }
                drawn + &words("soft", (from + 8.0 * 7.0 + 2.0, y), Anchor::Start, "last")
            }
        }
    }
}

/// Colors from the first trial to the last.
pub const ORDER: [&str; 8] = ["o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7"];

/// The color of a trial among so many, by its place in the order of telling.
pub fn color(place: usize, count: usize) -> &'static str {
    ORDER[(ORDER.len() * place / count.max(1)).min(ORDER.len() - 1)]
}

impl Frame {
    /// Lays out and draws all but the marks.
    pub fn new(plan: Plan<'_>) -> Self {
        let Plan { name, title, x: (x_name, along, absent), y: (y_name, y), strip, keys } = plan;
        let mut svg =
            words("title", (10.0, 18.0), Anchor::Start, &fitted(title, TITLE, WIDTH - 20.0));
        let mut at = (10.0, 18.0 + ROW + 2.0);
        for (number, key) in keys.iter().enumerate() {
            if number > 0 && at.0 + key.width() > WIDTH - 6.0 {
                at = (10.0, at.1 + ROW);
            }
            svg += &key.draw(at.0, at.1);
            at.0 += key.width() + 12.0;
        }
        let top = if keys.is_empty() { 30.0 } else { at.1 + 10.0 };

        let labels: Vec<String> = y.ticks().iter().map(|tick| y.label(*tick)).collect();
        let beside = labels.iter().map(String::as_str).chain(strip);
        // Names that slope toward their places start further left.
        let least = if matches!(along, Along::Names(_)) { 64.0 } else { 30.0 };
        let left = beside.map(|label| 30.0 + width(label, LETTERS)).fold(least, f64::max);
        let right = WIDTH - 14.0;
        let x = Side::new(along, absent, left, right);
        let foot = HEIGHT - 24.0 - x.depth();
        let bottom = if strip.is_some() { foot - STRIP } else { foot };

        let (upper, lower) = (top + PAD, bottom - PAD);
        for tick in y.light() {
            // On an axis of few lines the pale ones lead the eye.
            if y.light().len() <= 30
                && let Some(Spot::On(at)) = spot(&y, back(&y, *tick), lower, upper)
            {
                svg += &line("grid pale", (left, at), (right, at));
            }
        }
        let mut free = f64::INFINITY;
        for (tick, label) in y.ticks().iter().zip(&labels) {
            let places = y.places();
            let fraction =
                (0.5 * tick - 0.5 * places.start) / (0.5 * places.end - 0.5 * places.start);
            let at = lower + fraction * (upper - lower);
            svg += &line("grid", (left, at), (right, at));
            if at + 4.0 <= free {
                svg += &words("soft", (left - 6.0, at + 4.0), Anchor::End, label);
                free = at - LETTERS + 2.0;
            }
        }
        svg += &x.draw(top, foot);
        if let Some(strip) = strip {
            svg += &line("parting", (left, bottom), (right, bottom));
            let middle = 0.5 * (bottom + foot) + 4.0;
            svg += &words("soft", (left - 6.0, middle), Anchor::End, strip);
        }
        svg += &area("frame", (left, top), (right, foot));
        // It may be longer than its axis.
        let name_of_y = fitted(y_name, LETTERS, HEIGHT - top - 8.0);
        let half = 0.5 * width(&name_of_y, LETTERS);
        let middle = (0.5 * (top + foot)).clamp(top + half, HEIGHT - half - 4.0);
        svg += &words("axis", (15.0, middle), Anchor::Upright, &name_of_y);
        let name_of_x = fitted(x_name, LETTERS, right - left);
        svg += &words("axis", (0.5 * (left + right), HEIGHT - 8.0), Anchor::Middle, &name_of_x);
        let strip = 0.5 * (bottom + foot);
        Self { name, title: title.to_owned(), svg, x, y, left, right, top, bottom, strip }
    }

    /// Where a number is on the left side.
    pub fn y(&self, number: f64) -> Option<Spot> {
        spot(&self.y, number, self.bottom - PAD, self.top + PAD)
    }

    /// The middle of the strip for trials without a place on the left side.
    pub fn strip(&self) -> f64 {
        self.strip
    }

    /// The first and the last pixel across.
    pub fn across(&self) -> [f64; 2] {
        [self.left, self.right]
    }

    /// The first and the last pixel of the left side, which is upside down.
    pub fn down(&self) -> [f64; 2] {
        [self.top, self.bottom]
    }

    /// Draws.
    pub fn push(&mut self, svg: &str) {
        self.svg += svg;
    }

    /// The panel.
    pub fn close(self) -> Panel {
        Panel::new(self.name, self.title, self.svg)
    }
}

/// The number at a place.
fn back(scale: &Scale, place: f64) -> f64 {
    if scale.is_logarithmic() { 10f64.powf(place) } else { place }
}

/// A panel that has nothing to draw, and says why.
pub fn blank(name: &str, title: &str, why: &str) -> Panel {
    let middle = (0.5 * WIDTH, 0.5 * HEIGHT);
    let svg = words("title", (10.0, 18.0), Anchor::Start, &fitted(title, TITLE, WIDTH - 20.0))
        + &area("frame", (14.0, 30.0), (WIDTH - 14.0, HEIGHT - 14.0))
        + &words("soft", middle, Anchor::Middle, &fitted(why, LETTERS, WIDTH - 40.0));
    Panel::new(name.to_owned(), title.to_owned(), svg)
}

/// The finite numbers that an axis shows. A few that are far off the others, on the worse side, are
/// left out: they would press all others into a line. `sign` is 1 if larger is better.
pub fn shown(numbers: impl Iterator<Item = f64>, sign: f64) -> Vec<f64> {
    // How bad they are, in halves: the difference of two is then a number.
    let mut bad: Vec<f64> =
        numbers.filter(|number| number.is_finite()).map(|number| -0.5 * sign * number).collect();
    bad.sort_by(f64::total_cmp);
    if let [best, .., worst] = bad[..] {
        let most = bad[(0.9 * (bad.len() - 1) as f64).floor() as usize];
        let limit = 3.0 * (most - best);
        if limit > 0.0 && worst - best > limit {
            bad.retain(|number| number - best <= limit);
        }
    }
    bad.into_iter().map(|number| -2.0 * sign * number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_far_off_does_not_press_the_others_together() {
        let usual: Vec<f64> = (0..20).map(f64::from).collect();
        let with = |number: f64| usual.iter().copied().chain([number]);
        // The tenth part of them is worse than 18, the best is 0: 54 is the limit.
        assert_eq!(shown(with(1e300), -1.0), usual);
        assert_eq!(shown(with(50.0), -1.0).len(), 21);
        // The best is never left out.
        assert_eq!(shown(with(1e300), 1.0)[0], 1e300);
        assert_eq!(shown(with(f64::NAN), -1.0), usual);
        assert!(shown(std::iter::empty(), 1.0).is_empty());
        assert_eq!(shown([1e308, -1e308].into_iter(), -1.0), [-1e308, 1e308]);
    }

    #[test]
    fn the_first_trial_and_the_last_have_the_first_color_and_the_last() {
        assert_eq!((color(0, 40), color(39, 40), color(0, 1)), ("o0", "o7", "o0"));
    }
}
