//! What is drawn in a frame by its numbers: curves, bands, bars and marks.

use crate::frame::Frame;
use crate::marks::Sign;
use crate::side::Spot;
use crate::svg::{area, line, path, polygon};

/// Between the middle of an error and the ends of its caps.
const CAP: f64 = 3.0;

impl Frame {
    /// Where two numbers are, in pixels; at the ends of the axes if they are off them.
    pub fn at(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.x.number(x)?.place(), self.y(y)?.place()))
    }

    fn places(&self, points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
        points.into_iter().filter_map(|point| self.at(point)).collect()
    }

    /// Draws a line through points.
    pub fn curve(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let places = self.places(points);
        self.push(&path(class, &places));
    }

    /// Draws the area between two lines.
    pub fn band(
        &mut self,
        class: &str,
        lower: impl IntoIterator<Item = (f64, f64)>,
        upper: impl IntoIterator<Item = (f64, f64)>,
    ) {
        let mut edge = self.places(lower);
        edge.extend(self.places(upper).into_iter().rev());
        self.push(&polygon(class, &edge));
    }

    /// Draws a sign of a color, which a browser explains under the pointer.
    pub fn mark(&mut self, sign: Sign, color: &str, point: (f64, f64), title: &str) {
        if let Some(place) = self.at(point) {
            self.push(&sign.element(color, place, title));
        }
    }

    /// Draws a line from the left to the right at a number.
    pub fn level(&mut self, class: &str, y: f64) {
        if let Some(spot) = self.y(y) {
            let [left, right] = self.across();
            self.push(&line(class, (left, spot.place()), (right, spot.place())));
        }
    }

    /// Draws a bar between two pixels across. It stands on zero, or on the lower end of a
    /// logarithmic axis.
    pub fn bar(&mut self, class: &str, [from, to]: [f64; 2], number: f64) {
        if let (Some(foot), Some(top)) = (self.y(0.0), self.y(number)) {
            let (foot, top) = (foot.place(), top.place());
            self.push(&area(class, (from, top.min(foot)), (to, top.max(foot))));
        }
    }

    /// Draws an error around a pixel across, between two numbers. An end that is off the axis has
    /// no cap.
    pub fn error(&mut self, x: f64, ends: [f64; 2]) {
        let [Some(low), Some(high)] = ends.map(|end| self.y(end)) else { return };
        let mut drawn = line("thin ink", (x, low.place()), (x, high.place()));
        let lowest = self.y(f64::NEG_INFINITY).map_or(f64::INFINITY, Spot::place);
        for end in [low, high] {
            // On a logarithmic axis what is not positive is at its lower end.
            if let Spot::On(y) = end
                && y < lowest - 0.1
            {
                drawn += &line("thin ink", (x - CAP, y), (x + CAP, y));
            }
        }
        self.push(&drawn);
    }
}

/// The points as a staircase: a value holds until the next one replaces it. Points that are no
/// numbers are left out.
pub fn steps(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points.into_iter().filter(|(x, y)| !x.is_nan() && !y.is_nan()) {
        match line[..] {
            // One long step is enough if nothing changes.
            [.., (_, first), (_, before)] if first == y && before == y => drop(line.pop()),
            [.., (_, before)] if before != y => line.push((x, before)),
            _ => {}
        }
        line.push((x, y));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Plan;
    use crate::scale::Scale;
    use crate::side::Along;

    #[test]
    fn a_value_holds_until_the_next_one_replaces_it() {
        let values = [5.0, 5.0, 5.0, 3.0, f64::NAN, 3.0, 2.0];
        let line = steps(values.into_iter().enumerate().map(|(k, y)| (k as f64, y)));
        assert_eq!((line.first(), line.last()), (Some(&(0.0, 5.0)), Some(&(6.0, 2.0))));
        for corner in [(3.0, 5.0), (3.0, 3.0), (6.0, 3.0)] {
            assert!(line.contains(&corner), "{corner:?} of {line:?}");
        }
        assert!(
            line.windows(2).all(|pair| pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1),
            "{line:?}"
        );
        assert!(line.len() <= 7, "{line:?}");
    }

    /// The numbers of an attribute of the last element of a kind.
    fn last(svg: &str, element: &str, attribute: &str) -> f64 {
        let (_, rest) = svg.rsplit_once(element).unwrap();
        let (_, rest) = rest.split_once(&format!(" {attribute}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    }

    fn frame(y: Scale) -> Frame {
        let x = Along::Numbers(Scale::exact(0.0, 1.0));
        Frame::new(Plan::new("", ("", x), ("", Along::Numbers(y))))
    }

    #[test]
    fn bars_stand_on_zero_or_on_the_end_of_a_logarithmic_axis() {
        for (scale, number) in [
            (Scale::exact(0.0, 2.0), 1.0),
            (Scale::exact(-2.0, 2.0), -1.0),
            (Scale::around(true, [0.1, 10.0].into_iter()).lowered(0.6), 1.0),
        ] {
            let mut frame = frame(scale);
            let [zero, end] = [0.0, number].map(|number| frame.y(number).unwrap().place());
            frame.bar("bar p0", [100.0, 120.0], number);
            let svg = frame.close().svg();
            let top = last(&svg, "<rect", "y");
            let height = last(&svg, "<rect", "height");
            assert!((top - zero.min(end)).abs() < 0.1, "{top} of {zero} and {end}");
            assert!((height - (zero - end).abs()).abs() < 0.1 && height > 10.0, "{height}");
        }
    }

    #[test]
    fn a_band_goes_along_its_upper_edge_and_back_along_the_lower_one() {
        let mut frame = frame(Scale::exact(0.0, 1.0));
        frame.band("band p0", [(0.0, 0.0), (1.0, f64::NAN)], [(0.0, 1.0), (1.0, 1.0)]);
        let corners = [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|point| frame.at(point).unwrap());
        let svg = frame.close().svg();
        let (_, d) = svg.rsplit_once(" d=\"").unwrap();
        let expected = corners.map(|(x, y)| format!("{x:.1} {y:.1}")).join("L");
        assert!(d.starts_with(&format!("M{expected}Z\"")), "{d}");
    }

    /// An error that reaches below zero has no cap there.
    #[test]
    fn an_error_off_the_axis_has_one_cap() {
        for (low, caps) in [(0.5, 2), (-0.5, 1)] {
            let [mut with, without] =
                [(); 2].map(|()| frame(Scale::around(true, [0.1, 10.0].into_iter()).lowered(0.6)));
            with.error(200.0, [low, 2.0]);
            let [with, without] =
                [with, without].map(|frame| frame.close().svg().matches("<path").count());
            assert_eq!(with - without, 1 + caps);
        }
    }
}
