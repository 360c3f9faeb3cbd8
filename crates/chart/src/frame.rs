//! A panel: title, legend, axes with their names, and what is drawn between them.

use crate::key::{Key, legend};
use crate::panel::Panel;
use crate::side::{Along, LETTERS, Side, Spot, spot};
use crate::svg::{Anchor, area, line, words};
use crate::text::{fitted, width};

/// The size of usual letters that are as wide as those of the title, which are bold.
const TITLE: f64 = 1.15 * 13.5;
/// The strip for trials without an outcome.
const STRIP: f64 = 18.0;
/// The usual width and height.
const SIZE: (f64, f64) = (400.0, 290.0);
/// Between the end of an axis and the first place on it.
const PAD: f64 = 6.0;

/// What a panel looks like, before it is laid out.
#[derive(Debug)]
pub struct Plan<'a> {
    /// A name for files.
    pub name: String,
    /// What it shows.
    pub title: &'a str,
    /// Width and height, in units of which letters are 12 high.
    pub size: (f64, f64),
    /// What stands along the lower side.
    pub x: (&'a str, Along),
    /// Whether the lower side has a part for absent values.
    pub absent: bool,
    /// What stands along the left side.
    pub y: (&'a str, Along),
    /// The name of the strip for what has no place on the left side, if there is any.
    pub strip: Option<&'static str>,
    /// The least room beside the left side, so that panels above each other are aligned.
    pub beside: f64,
    /// The room that is kept free to the right of the axes, for what a caller draws there.
    pub aside: f64,
    /// The legend.
    pub keys: Vec<Key>,
}

impl<'a> Plan<'a> {
    /// A panel without a legend, of 400 by 290.
    pub fn new(title: &'a str, x: (&'a str, Along), y: (&'a str, Along)) -> Self {
        let (name, size, beside, keys) = (String::new(), SIZE, 30.0, Vec::new());
        Self { name, title, size, x, absent: false, y, strip: None, beside, aside: 0.0, keys }
    }
}

/// A panel with axes.
#[derive(Debug)]
pub struct Frame {
    name: String,
    title: String,
    size: (f64, f64),
    svg: String,
    /// The lower side.
    pub x: Side,
    y: Along,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    strip: f64,
}

impl Frame {
    /// Lays out and draws all but the marks.
    pub fn new(plan: Plan<'_>) -> Self {
        let Plan { name, title, size, x, absent, y, strip, beside, aside, keys } = plan;
        let ((x_name, along), (y_name, y)) = (x, y);
        let (full, height) = size;
        let mut svg = heading(title, full);
        let head = 24.0;
        let (drawn, end) = legend(&keys, 10.0, full - 6.0, head);
        svg += &drawn;
        let top = end + 6.0;

        let labels: Vec<(f64, String)> = match &y {
            Along::Numbers(scale) => {
                scale.ticks().iter().map(|tick| (scale.part(*tick), scale.label(*tick))).collect()
            }
            Along::Names(names) => (0..)
                .zip(names)
                .map(|(row, name)| (middle(row, names.len()), fitted(name, LETTERS, 0.4 * full)))
                .collect(),
        };
        let longest = labels.iter().map(|(_, label)| label.as_str()).chain(strip);
        let longest = longest.map(|label| width(label, LETTERS)).fold(0.0, f64::max);
        // Names that slope toward their places start further left.
        let names = matches!(along, Along::Names(_));
        let left = (30.0 + longest).max(if names { 64.0 } else { beside });
        let right = full - 14.0 - aside;
        let x = Side::new(along, absent, left, right);
        let foot = height - 24.0 - x.depth();
        let bottom = if strip.is_some() { foot - STRIP } else { foot };

        let upper = top + PAD;
        let lower = bottom - PAD;
        let down = |part: f64| lower + part * (upper - lower);
        if let Along::Numbers(scale) = &y
            && scale.light().len() <= 30
        {
            // On an axis of few lines the pale ones lead the eye.
            for at in scale.light().iter().map(|tick| down(scale.part(*tick))) {
                svg += &line("grid pale", (left, at), (right, at));
            }
        }
        let mut free = f64::INFINITY;
        for (part, label) in &labels {
            let at = down(*part);
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
        let name_of_y = fitted(y_name, LETTERS, height - top - 8.0);
        let half = 0.5 * width(&name_of_y, LETTERS);
        let middle = (0.5 * (top + foot)).clamp(top + half, height - half - 4.0);
        svg += &words(
            "axis",
            (if names { 15.0 } else { left - longest - 15.0 }, middle),
            Anchor::Upright,
            &name_of_y,
        );
        let name_of_x = fitted(x_name, LETTERS, right - left);
        svg += &words("axis", (0.5 * (left + right), height - 8.0), Anchor::Middle, &name_of_x);
        let strip = 0.5 * (bottom + foot);
        Self { name, title: title.to_owned(), size, svg, x, y, left, right, top, bottom, strip }
    }

    /// Where a number is on the left side.
    pub fn y(&self, number: f64) -> Option<Spot> {
        match &self.y {
            Along::Numbers(scale) => spot(scale, number, self.bottom - PAD, self.top + PAD),
            Along::Names(_) => None,
        }
    }

    /// Where the name at this place of the left side is, from below.
    pub fn row(&self, place: usize) -> f64 {
        let names = if let Along::Names(names) = &self.y { names.len() } else { 1 };
        let [first, last] = [self.bottom - PAD, self.top + PAD];
        first + middle(place, names) * (last - first)
    }

    /// The middle of the strip for what is without a place on the left side.
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
        Panel::new(self.name, self.title, self.size, self.svg)
    }

    /// A panel that has nothing to draw, and says why.
    pub fn blank(name: &str, title: &str, why: &str) -> Panel {
        let (full, height) = SIZE;
        let svg = heading(title, full)
            + &area("frame", (14.0, 30.0), (full - 14.0, height - 14.0))
            + &words(
                "soft",
                (0.5 * full, 0.5 * height),
                Anchor::Middle,
                &fitted(why, LETTERS, full - 40.0),
            );
        Panel::new(name.to_owned(), title.to_owned(), SIZE, svg)
    }
}

/// The title of a panel that is so wide.
pub fn heading(title: &str, full: f64) -> String {
    words("title", (10.0, 18.0), Anchor::Start, &fitted(title, TITLE, full - 20.0))
}

/// The part of a side below the middle of the name at this place.
fn middle(place: usize, names: usize) -> f64 {
    (place as f64 + 0.5) / names.max(1) as f64
}
