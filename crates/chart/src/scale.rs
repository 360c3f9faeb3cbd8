//! From numbers to places on an axis.

use std::ops::Range;

use crate::number::short;

/// The largest magnitude on a linear axis: the length of an axis with its margins is a number too.
const LARGEST: f64 = 8e307;

/// The ends of logarithmic axes.
const LOGARITHMS: Range<f64> = 1e-300..1e300;

/// A linear or a logarithmic axis; places on it are the numbers, or their decimal logarithms.
#[derive(Debug, Clone)]
pub struct Scale {
    logarithmic: bool,
    /// Whether it has negative numbers, by the logarithms of their sizes.
    mirrored: bool,
    /// The smallest number, or size, that is shown as it is.
    least: f64,
    places: Range<f64>,
    ticks: Vec<f64>,
    light: Vec<f64>,
    digits: usize,
}

impl Scale {
    /// From the first number to the last one.
    pub fn exact(low: f64, high: f64) -> Self {
        let [low, high] = [low, high].map(|end| end.clamp(-LARGEST, LARGEST));
        Self::spanning(false, low, if high > low { high } else { low + 1.0 })
    }

    /// A logarithmic axis from the first number to the last one, a linear one if the first is not
    /// positive.
    pub fn logarithmic(low: f64, high: f64) -> Self {
        if !(low > 0.0 && high > low) {
            return Self::exact(low, high);
        }
        let [low, high] = [low, high].map(|end| end.clamp(LOGARITHMS.start, LOGARITHMS.end));
        Self::spanning(true, low, high)
    }

    /// Around the numbers with a margin. Logarithmic only where there is a positive number: what is
    /// not is shown as the smallest one that is. If all are negative their sizes count.
    pub fn around(logarithmic: bool, numbers: impl Iterator<Item = f64> + Clone) -> Self {
        let finite = numbers.filter(|number| number.is_finite());
        let range = |numbers: &mut dyn Iterator<Item = f64>| {
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), n| (n.min(l), n.max(h)))
        };
        let positive = range(&mut finite.clone().filter(|number| *number > 0.0));
        if logarithmic && positive.0 <= positive.1 {
            return Self::of_sizes(positive);
        }
        let (low, high) = range(&mut finite.clone());
        if low > high {
            return Self::exact(0.0, 1.0);
        }
        if logarithmic && high < 0.0 {
            return Self::of_sizes((-high, -low)).mirror();
        }
        let [low, high] = [low, high].map(|end| end.clamp(-LARGEST, LARGEST));
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 * high.abs().max(1.0) };
        Self::spanning(false, low - margin, high + margin)
    }

    /// Logarithmic with a margin, between two positive numbers.
    fn of_sizes((least, most): (f64, f64)) -> Self {
        let [least, most] = [least, most].map(|end| end.clamp(LOGARITHMS.start, LOGARITHMS.end));
        let margin = (0.04 * (most / least).log10()).max(0.02);
        let scale = Self::spanning(true, least * 10f64.powf(-margin), most * 10f64.powf(margin));
        Self { least, ..scale }
    }

    /// The same of the negative numbers.
    fn mirror(self) -> Self {
        let negative = |places: Vec<f64>| places.into_iter().rev().map(|place| -place).collect();
        Self {
            mirrored: !self.mirrored,
            places: -self.places.end..-self.places.start,
            ticks: negative(self.ticks),
            light: negative(self.light),
            ..self
        }
    }

    /// Larger at its lower end, so that the smallest number is off the edge.
    pub fn lowered(self, factor: f64) -> Self {
        let lower = self.number(self.places.start) * factor;
        Self {
            least: lower,
            ..Self::spanning(self.logarithmic, lower, self.number(self.places.end))
        }
    }

    fn spanning(logarithmic: bool, low: f64, high: f64) -> Self {
        // Numbers that an axis cannot tell apart get a wider one.
        let least = (1e-9 * low.abs().max(high.abs())).max(f64::MIN_POSITIVE * 1e20);
        let (low, high) = match logarithmic {
            true if high / low < 1.0 + 1e-9 => (0.9 * low, 1.1 * high),
            false if high - low < least => (low - least, high + least),
            _ => (low, high),
        };
        let inside = |number: &f64| (low..=high).contains(number);
        let step = step(high - low);
        let mut numbers: Vec<f64> = ((low / step).ceil() as i64..=(high / step).floor() as i64)
            .map(|k| k as f64 * step)
            .collect();
        // From the first digit of the largest number to that of the step.
        let power = |number: f64| number.log10().floor();
        let mut digits = 1 + (power(low.abs().max(high.abs())) - power(step)).max(0.0) as usize;
        let mut light = Vec::new();
        if logarithmic {
            let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
            let times = |factors: &[f64]| -> Vec<f64> {
                decades
                    .clone()
                    .flat_map(|k| factors.iter().map(move |f| f * 10f64.powi(k)))
                    .filter(inside)
                    .collect()
            };
            let span = (high / low).log10();
            // Within a fraction of a decade the linear ticks are the better ones.
            if span > 0.8 {
                numbers = if span > 2.5 { times(&[1.0]) } else { times(&[1.0, 2.0, 5.0]) };
                numbers =
                    numbers.iter().copied().step_by(numbers.len().div_ceil(9).max(1)).collect();
                digits = 1;
                light = if span > 6.0 {
                    times(&[1.0])
                } else {
                    times(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
                };
            }
        }
        let place = |number: f64| if logarithmic { number.log10() } else { number };
        let places = place(low)..place(high);
        let [ticks, light] =
            [numbers, light].map(|numbers| numbers.into_iter().map(place).collect());
        Self { logarithmic, mirrored: false, least: low, places, ticks, light, digits }
    }

    /// Where a number is; none where it is no number.
    fn place(&self, number: f64) -> Option<f64> {
        let shown = match (self.logarithmic, self.mirrored) {
            (false, _) => number,
            (true, false) => number.max(self.least).log10(),
            (true, true) => -(-number).max(self.least).log10(),
        };
        (!number.is_nan() && shown.is_finite()).then_some(shown)
    }

    fn number(&self, place: f64) -> f64 {
        match (self.logarithmic, self.mirrored) {
            (false, _) => place,
            (true, false) => 10f64.powf(place),
            (true, true) => -10f64.powf(-place),
        }
    }

    /// What stands at a tick.
    pub(crate) fn label(&self, place: f64) -> String {
        // Ten to a logarithm is off by a rounding.
        short(self.number(place), self.digits)
    }

    /// Where a number is between the ends, 0 and 1; beyond them for a number off the axis.
    pub fn fraction(&self, number: f64) -> Option<f64> {
        if number.is_infinite() {
            return Some(number);
        }
        Some(self.part(self.place(number)?))
    }

    /// The same for a place. Halves, because the length of an axis may be no number.
    pub(crate) fn part(&self, place: f64) -> f64 {
        let Range { start, end } = self.places;
        (0.5 * place - 0.5 * start) / (0.5 * end - 0.5 * start)
    }

    /// The places of the labels.
    pub(crate) fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// The places of pale lines between them.
    pub(crate) fn light(&self) -> &[f64] {
        &self.light
    }

    /// Whether places are decimal logarithms.
    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }
}

/// 1, 2 or 5 times a power of ten, about a sixth of the span.
fn step(span: f64) -> f64 {
    let power = 10f64.powf((span / 6.0).log10().floor());
    let factor = span / 6.0 / power;
    power
        * if factor < 1.5 {
            1.0
        } else if factor < 3.5 {
            2.0
        } else if factor < 7.5 {
            5.0
        } else {
            10.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A regret of zero has no logarithm: it is drawn at the smallest positive one, and the axis
    /// does not reach for it.
    #[test]
    fn zeros_are_drawn_at_the_smallest_positive_number() {
        let scale = Scale::around(true, [0.0, 0.01, -3.0, 10.0, f64::NAN].into_iter());
        assert_eq!(scale.place(0.0), Some(-2.0));
        assert_eq!(scale.place(-3.0), Some(-2.0));
        assert_eq!(scale.place(10.0), Some(1.0));
        assert_eq!(scale.place(f64::NAN), None);
        assert!(scale.places.start > -2.2, "{}", scale.places.start);
        let labels: Vec<String> = scale.ticks.iter().map(|tick| scale.label(*tick)).collect();
        assert_eq!(labels, ["0.01", "0.1", "1", "10"]);
    }

    #[test]
    fn negative_numbers_are_drawn_by_the_logarithms_of_their_sizes() {
        let scale = Scale::around(true, [-1000.0, -1.0, -0.1].into_iter());
        let labels: Vec<String> = scale.ticks.iter().map(|tick| scale.label(*tick)).collect();
        assert_eq!(labels, ["-1000", "-100", "-10", "-1", "-0.1"]);
        let [low, middle, high] = [-1000.0, -10.0, -0.1].map(|at| scale.fraction(at).unwrap());
        assert!(0.0 < low && low < middle && middle < high && high < 1.0);
        assert!((middle - 0.5 * (low + high)).abs() < 1e-9);
        // What has no logarithm is at the upper end.
        assert_eq!(scale.fraction(0.5), scale.fraction(-0.1));
    }

    #[test]
    fn labels_say_every_digit_of_a_step() {
        let labels = |low, high| -> Vec<String> {
            let scale = Scale::exact(low, high);
            scale.ticks.iter().map(|tick| scale.label(*tick)).collect()
        };
        assert_eq!(labels(0.0, 4.0), ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4"]);
        assert_eq!(labels(1000.0, 1010.0), ["1000", "1002", "1004", "1006", "1008", "1010"]);
        assert_eq!(
            labels(-0.02, 0.02),
            ["-0.02", "-0.015", "-0.01", "-0.005", "0", "0.005", "0.01", "0.015", "0.02"]
        );
    }

    /// Without a positive number there is no logarithmic axis, and no picture may fail for it.
    #[test]
    fn an_axis_is_there_whatever_is_drawn() {
        for numbers in [vec![], vec![0.0], vec![0.0, -1.0], vec![f64::INFINITY], vec![2.0, 2.0]] {
            for logarithmic in [false, true] {
                let scale = Scale::around(logarithmic, numbers.iter().copied());
                assert!(scale.places.start < scale.places.end, "{numbers:?}");
                assert!(
                    scale.places.start.is_finite() && scale.places.end.is_finite(),
                    "{numbers:?}"
                );
            }
        }
        let narrow = Scale::around(true, [3.1, 3.7].into_iter());
        let labels: Vec<String> = narrow.ticks.iter().map(|tick| narrow.label(*tick)).collect();
        assert!(
            labels.contains(&"3.2".to_owned()) && labels.contains(&"3.6".to_owned()),
            "{labels:?}"
        );
    }
}
