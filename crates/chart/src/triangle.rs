//! A triangle of three parts that sum to a whole.

use crate::frame::heading;
use crate::key::{Key, legend};
use crate::panel::Panel;
use crate::side::LETTERS;
use crate::svg::{Anchor, line, polygon, words};
use crate::text::{fitted, width};

/// Width and height.
const SIZE: (f64, f64) = (400.0, 370.0);
/// Between two lines of the grid, in percent.
const STEP: usize = 20;
/// How far the lines of the grid reach over the side that has their labels, and where these are.
const REACH: f64 = 5.0;
const BESIDE: f64 = 12.0;

/// A panel with a triangle. At a corner the whole is one part: the first part at the upper corner,
/// the second one to the left, the third one to the right.
#[derive(Debug)]
pub struct Triangle {
    name: String,
    title: String,
    svg: String,
    corners: [(f64, f64); 3],
}

impl Triangle {
    /// Lays out and draws all but the marks.
    pub fn new(name: &str, title: &str, parts: [&str; 3], keys: &[Key]) -> Self {
        let (full, height) = SIZE;
        let (drawn, end) = legend(keys, 10.0, full - 6.0, 24.0);
        let middle = 0.5 * full;
        let top = end + 24.0;
        let bottom = height - 42.0;
        let half = (bottom - top) / 3_f64.sqrt();
        let corners = [(middle, top), (middle - half, bottom), (middle + half, bottom)];
        let svg = heading(title, full) + &drawn;
        let mut made = Self { name: name.to_owned(), title: title.to_owned(), svg, corners };
        for part in 0..3 {
            (STEP..100).step_by(STEP).for_each(|percent| made.level(part, percent));
        }
        made.svg += &polygon("frame", &corners);
        for (part, (x, y)) in parts.into_iter().zip(corners) {
            let text = fitted(&format!("100 % {part}"), LETTERS, middle - 20.0);
            let half = 0.5 * width(&text, LETTERS);
            let x = x.clamp(10.0 + half, full - 10.0 - half);
            let y = if y > top { height - 9.0 } else { top - 9.0 };
            made.svg += &words("axis", (x, y), Anchor::Middle, &text);
        }
        made
    }

    /// The line at which a part is so many percent, with a label where the next part is nothing:
    /// the labels of a part rise toward its corner.
    fn level(&mut self, part: usize, percent: usize) {
        let share = percent as f64 / 100.0;
        let [from, to] = [1, 2].map(|other| {
            let mut shares = [0.0; 3];
            shares[part] = share;
            shares[(part + other) % 3] = 1.0 - share;
            self.at(shares)
        });
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let beyond = |by: f64| {
            let by = 1.0 + by / length;
            (from.0 + by * (to.0 - from.0), from.1 + by * (to.1 - from.1))
        };
        self.svg += &line("grid", from, beyond(REACH));
        let (x, y) = beyond(BESIDE);
        let anchor = if to.0 > from.0 { Anchor::Start } else { Anchor::End };
        self.svg += &words("soft", (x, y + 4.0), anchor, &format!("{percent} %"));
    }

    /// Where the shares of the three parts are, which sum to 1, in pixels.
    pub fn at(&self, shares: [f64; 3]) -> (f64, f64) {
        let sum = |place: fn(&(f64, f64)) -> f64| -> f64 {
            shares.iter().zip(&self.corners).map(|(share, corner)| share * place(corner)).sum()
        };
        (sum(|corner| corner.0), sum(|corner| corner.1))
    }

    /// Draws.
    pub fn push(&mut self, svg: &str) {
        self.svg += svg;
    }

    /// The panel.
    pub fn close(self) -> Panel {
        Panel::new(self.name, self.title, SIZE, self.svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: (f64, f64), b: (f64, f64)) -> bool {
        (a.0 - b.0).hypot(a.1 - b.1) < 1e-9
    }

    #[test]
    fn corners_are_at_the_corners_and_the_middle_is_their_mean() {
        let triangle = Triangle::new("t", "a title", ["a", "b", "c"], &[]);
        let [top, left, right] = triangle.corners;
        assert!(near(triangle.at([1.0, 0.0, 0.0]), top));
        assert!(near(triangle.at([0.0, 1.0, 0.0]), left));
        assert!(near(triangle.at([0.0, 0.0, 1.0]), right));
        // By hand: 24 for the title and 24 above the corner, 42 below the others.
        assert!(near(top, (200.0, 48.0)) && left.1 == 328.0 && right.1 == 328.0);
        let middle = (200.0, 48.0 + 280.0 * 2.0 / 3.0);
        assert!(near(triangle.at([1.0 / 3.0; 3]), middle));
        let side = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1);
        for (a, b) in [(top, left), (left, right), (right, top)] {
            assert!((side(a, b) - 280.0 * 2.0 / 3_f64.sqrt()).abs() < 1e-9);
        }
    }

    #[test]
    fn long_names_are_cut_and_names_are_text() {
        let long = "<b>&".repeat(100);
        let keys = [Key::line("line mark", "a rule")];
        let svg = Triangle::new("t", &long, [&long; 3], &keys).close().svg();
        assert!(!svg.contains("<b>") && svg.matches('…').count() == 4, "{svg}");
        assert_eq!([20, 40, 60, 80].map(|at| svg.matches(&format!(">{at} %<")).count()), [3; 4]);
    }
}
