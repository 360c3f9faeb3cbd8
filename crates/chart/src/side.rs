//! A side of a panel: numbers or names, and below a place for what is absent.

use std::collections::HashMap;

use crate::scale::Scale;
use crate::svg::{Anchor, line, words};
use crate::text::{fitted, width, wrapped};

/// The size of letters.
pub const LETTERS: f64 = 12.0;
/// Between the end of an axis and the first place on it.
const PAD: f64 = 8.0;
/// The width of the strip for absent values beside an axis of numbers.
const ABSENT: f64 = 56.0;
/// The height of a line of a label.
const LINE: f64 = 14.0;
/// The most lines of a label.
const LINES: usize = 3;
/// The slope of labels that do not fit beside each other, in degrees.
const SLOPE: f64 = 40.0;

/// What stands along an axis.
#[derive(Debug)]
pub enum Along {
    /// Numbers.
    Numbers(Scale),
    /// Names, each with a strip of its own.
    Names(Vec<String>),
}

/// A place on an axis, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spot {
    /// On it.
    On(f64),
    /// Off its first end, which is here.
    Before(f64),
    /// Off its last end, which is here.
    Beyond(f64),
}

impl Spot {
    /// The place, or the end.
    pub fn place(self) -> f64 {
        match self {
            Self::On(place) | Self::Before(place) | Self::Beyond(place) => place,
        }
    }
}

/// Where a number is between two pixels. Numbers off the scale are at its ends.
pub fn spot(scale: &Scale, number: f64, first: f64, last: f64) -> Option<Spot> {
    let fraction = scale.fraction(number)?;
    // The rounding of a fraction puts nothing off an axis.
    Some(match fraction {
        _ if fraction < -1e-9 => Spot::Before(first),
        _ if fraction > 1.0 + 1e-9 => Spot::Beyond(last),
        _ => Spot::On(first + fraction * (last - first)),
    })
}

/// The lower side, laid out.
#[derive(Debug)]
pub struct Side {
    along: Along,
    /// The strips of the names.
    strips: HashMap<String, usize>,
    /// From here to there in pixels, what is absent included.
    from: f64,
    to: f64,
    absent: bool,
}

impl Side {
    pub(crate) fn new(along: Along, absent: bool, from: f64, to: f64) -> Self {
        let strips = match &along {
            Along::Numbers(_) => HashMap::new(),
            Along::Names(names) => {
                names.iter().enumerate().map(|(place, name)| (name.clone(), place)).collect()
            }
        };
        Self { along, strips, from, to, absent }
    }

    /// The last pixel of what is not absent.
    fn end(&self) -> f64 {
        match (&self.along, self.absent) {
            (_, false) => self.to,
            (Along::Numbers(_), true) => self.to - ABSENT,
            (Along::Names(_), true) => self.to - self.strip(),
        }
    }

    /// The width of a name's strip.
    fn strip(&self) -> f64 {
        let strips = self.strips.len() + usize::from(self.absent);
        (self.to - self.from) / strips.max(1) as f64
    }

    /// Where a number is.
    pub fn number(&self, number: f64) -> Option<Spot> {
        match &self.along {
            Along::Numbers(scale) => spot(scale, number, self.from + PAD, self.end() - PAD),
            Along::Names(_) => None,
        }
    }

    /// Where a name is, for the trial with this number: off the middle of the strip by a step that
    /// differs from those of its neighbors.
    pub fn name(&self, name: &str, trial: usize) -> Option<f64> {
        let place = *self.strips.get(name)? as f64;
        Some(self.from + (place + 0.5) * self.strip() + jitter(trial, self.strip()))
    }

    /// Where absent values are.
    pub fn absent(&self, trial: usize) -> Option<f64> {
        let room = self.to - self.end();
        self.absent.then(|| self.to - 0.5 * room + jitter(trial, room))
    }

    /// The strip of a name by its place, from pixel to pixel.
    pub fn strip_of(&self, place: usize) -> [f64; 2] {
        [0.0, 1.0].map(|end| self.from + (place as f64 + end) * self.strip())
    }

    /// How far labels reach below the axis.
    pub(crate) fn depth(&self) -> f64 {
        match &self.along {
            Along::Names(names) => {
                if let Some(labels) = self.level(names) {
                    labels.iter().map(Vec::len).max().unwrap_or(1) as f64 * LINE + 6.0
                } else {
                    let longest = names.iter().map(|name| width(name, LETTERS)).fold(0.0, f64::max);
                    let (sine, cosine) = SLOPE.to_radians().sin_cos();
                    longest.min(90.0) * sine + LETTERS * cosine + 8.0
                }
            }
            Along::Numbers(_) => LINE + 6.0,
        }
    }

    /// Labels in lines, if they fit beside each other.
    fn level(&self, names: &[String]) -> Option<Vec<Vec<String>>> {
        let room = self.strip() - 6.0;
        let fits = |label: &[String]| {
            label.len() <= LINES && label.iter().all(|line| width(line, LETTERS) <= room)
        };
        // More of them than that have no room for a letter.
        if room < LETTERS || self.absent && width("absent", LETTERS) > room {
            return None;
        }
        let labels: Vec<_> = names.iter().map(|name| wrapped(name, LETTERS, room)).collect();
        labels.iter().all(|label| fits(label)).then_some(labels)
    }

    /// Lines upward to `top` and labels below `bottom`.
    pub(crate) fn draw(&self, top: f64, bottom: f64) -> String {
        let mut drawn = match &self.along {
            Along::Numbers(scale) => self.numbers(scale, top, bottom),
            Along::Names(names) => self.names(names, top, bottom),
        };
        if self.absent {
            drawn += &line("parting", (self.end(), top), (self.end(), bottom));
            let middle = 0.5 * (self.end() + self.to);
            let level = match &self.along {
                Along::Numbers(_) => true,
                Along::Names(names) => self.level(names).is_some(),
            };
            drawn += &if level {
                words("soft", (middle, bottom + LETTERS + 4.0), Anchor::Middle, "absent")
            } else {
                sloping("soft", middle, bottom, "absent")
            };
        }
        drawn
    }

    fn numbers(&self, scale: &Scale, top: f64, bottom: f64) -> String {
        let first = self.from + PAD;
        let last = self.end() - PAD;
        let at = |place: f64| first + scale.part(place) * (last - first);
        let mut drawn = String::new();
        let labels: Vec<(f64, String)> =
            scale.ticks().iter().map(|tick| (at(*tick), scale.label(*tick))).collect();
        for (x, _) in &labels {
            drawn += &line("grid", (*x, top), (*x, bottom));
        }
        // Of labels that would touch, every second one is drawn, or every third one, and so on.
        let half = |label: &str| 0.5 * width(label, LETTERS);
        let fits = |every: &usize| {
            let mut drawn = labels.iter().step_by(*every);
            let mut last = drawn.next();
            drawn.all(|next| {
                let before = last.replace(next).map_or(0.0, |(x, label)| x + half(label));
                before + 6.0 <= next.0 - half(&next.1)
            })
        };
        let every = (1..=labels.len()).find(fits).unwrap_or(1);
        let room = if self.absent { self.end() } else { self.to + 12.0 };
        for (x, label) in labels.iter().step_by(every).filter(|(x, l)| x + half(l) <= room) {
            drawn += &words("soft", (*x, bottom + LETTERS + 4.0), Anchor::Middle, label);
        }
        drawn
    }

    fn names(&self, names: &[String], top: f64, bottom: f64) -> String {
        let level = self.level(names);
        let strip = self.strip();
        // Every label has a line of its own, if all are drawn.
        let every = (1.4 * LETTERS / strip).ceil().max(1.0) as usize;
        let mut drawn = String::new();
        for (place, name) in names.iter().enumerate() {
            let left = self.from + place as f64 * strip;
            if place > 0 && strip > 3.0 {
                drawn += &line("grid", (left, top), (left, bottom));
            }
            let middle = left + 0.5 * strip;
            if let Some(labels) = &level {
                for (row, label) in labels[place].iter().enumerate() {
                    let foot = bottom + LETTERS + 4.0 + LINE * row as f64;
                    drawn += &words("soft", (middle, foot), Anchor::Middle, label);
                }
            } else if place % every == 0 {
                drawn += &sloping("soft", middle, bottom, name);
            }
        }
        drawn
    }
}

/// A label that ends below a place on the axis and rises toward it.
fn sloping(class: &str, x: f64, bottom: f64, label: &str) -> String {
    let x = x + 4.0;
    let y = bottom + 0.75 * LETTERS + 2.0;
    // It reaches to the left as far as the name of the other side.
    let room = ((x - 24.0) / SLOPE.to_radians().cos()).clamp(0.0, 90.0);
    let label = fitted(label, LETTERS, room);
    words(class, (x, y), Anchor::Sloping(SLOPE), &label)
}

/// A step off the middle of a strip. The golden ratio spreads successive trials evenly.
fn jitter(trial: usize, strip: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let step = (trial as f64 * GOLDEN).fract() - 0.5;
    step * (strip - 10.0).clamp(0.0, 46.0).min(0.8 * strip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_has_a_strip_of_its_own() {
        let numbers = Side::new(Along::Numbers(Scale::exact(0.0, 1.0)), true, 50.0, 400.0);
        let last = numbers.number(1.0).unwrap();
        assert!(matches!(last, Spot::On(_)), "{last:?}");
        let names =
            Side::new(Along::Names(vec!["a".to_owned(), "b".to_owned()]), true, 50.0, 400.0);
        for trial in 0..100 {
            assert!(numbers.absent(trial).unwrap() > last.place() + PAD);
            let places = [
                names.name("a", trial).unwrap(),
                names.name("b", trial).unwrap(),
                names.absent(trial).unwrap(),
            ];
            for (strip, x) in places.into_iter().enumerate() {
                let from = 50.0 + strip as f64 * 350.0 / 3.0;
                assert!((from..from + 350.0 / 3.0).contains(&x), "{strip}: {x}");
            }
        }
        assert_eq!(names.name("c", 0), None);
    }

    #[test]
    fn numbers_off_the_axis_are_at_its_ends() {
        let side = Side::new(Along::Numbers(Scale::exact(0.0, 1.0)), false, 0.0, 100.0);
        assert_eq!(side.number(f64::INFINITY), Some(Spot::Beyond(92.0)));
        assert_eq!(side.number(f64::NEG_INFINITY), Some(Spot::Before(8.0)));
        assert_eq!(side.number(0.5), Some(Spot::On(50.0)));
        assert_eq!(side.number(-7.0), Some(Spot::Before(8.0)));
        assert_eq!(side.number(f64::NAN), None);
    }
}
