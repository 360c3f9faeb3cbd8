//! The region that no point of a front dominates, as disjoint boxes, and what a belief makes of it.

use super::ends::Ends;
use super::factor::Factor;
use super::staircase::{Each, MOST_OBJECTIVES, Staircase, Strip, from_the_top};
use crate::acquisition::belief::LOG_ZERO;
use crate::acquisition::improvement::log_expected;

/// The region above a reference point that no point of a front dominates, as disjoint boxes.
///
/// A front of `n` points has one box for one objective, `n + 1` boxes for two and at most `2 n + 1`
/// for three, as many as in Yang, Emmerich, Deutz, Baeck 2019. In three dimensions a sweep down the
/// third objective closes the boxes above the stairs of the first two.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    axes: Vec<Axis>,
    /// For each box, which interval of each axis it covers.
    boxes: Vec<[u32; MOST_OBJECTIVES]>,
}

/// The intervals of one objective. Several boxes share one.
#[derive(Debug, Clone, PartialEq)]
struct Axis {
    /// The ends of the intervals, increasing. The last may be infinity.
    ends: Vec<f64>,
    /// Places of the lower and of the upper end.
    intervals: Vec<(u32, u32)>,
}

/// The logarithm of the expected hypervolume improvement at a point, and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrontScore {
    /// The value.
    pub value: f64,
    /// The derivative by the mean of each objective. What is beyond their number is zero.
    pub d_mean: [f64; MOST_OBJECTIVES],
    /// The derivative by the standard deviation of each objective.
    pub d_sd: [f64; MOST_OBJECTIVES],
}

/// What a score is computed in. Kept from point to point, it saves an allocation for each.
#[derive(Debug, Clone, Default)]
pub struct FrontScratch {
    ends: Ends,
    factors: [Vec<Factor>; MOST_OBJECTIVES],
    logs: Vec<f64>,
}

impl Cells {
    /// Above these points of a front, none of which dominates another.
    pub(super) fn new(reference: &[f64], points: &[Each]) -> Self {
        let mut boxes = Vec::new();
        match *reference {
            [floor] => {
                let best = points.first().map_or(floor, |point| point[0]);
                boxes.push([(best, f64::INFINITY), (0.0, 0.0), (0.0, 0.0)]);
            }
            [x, y] => {
                let mut stairs = Staircase::new(x, y);
                for point in points {
                    stairs.add([point[0], point[1]], 0.0, |_| {});
                }
                boxes.extend(stairs.strips().iter().map(|strip| above(strip, 0.0)));
            }
            [x, y, z] => {
                let mut stairs = Staircase::new(x, y);
                for [x, y, z] in from_the_top(points) {
                    stairs.add([x, y], z, |strip| boxes.push(above(&strip, z)));
                }
                boxes.extend(stairs.strips().iter().map(|strip| above(strip, z)));
            }
            _ => {}
        }
        let axes: Vec<Axis> = (0..reference.len())
            .map(|k| Axis::of(boxes.iter().map(|intervals| intervals[k])))
            .collect();
        let boxes = boxes.iter().map(|intervals| {
            let mut places = [0; MOST_OBJECTIVES];
            for ((place, axis), interval) in places.iter_mut().zip(&axes).zip(intervals) {
                *place = axis.place(*interval);
            }
            places
        });
        Self { boxes: boxes.collect(), axes }
    }

    /// The number of objectives.
    pub fn objectives(&self) -> usize {
        self.axes.len()
    }

    /// The boxes. Each is an interval `[l, u)` for each objective; `u` may be infinity.
    pub fn boxes(&self) -> impl ExactSizeIterator<Item = impl Iterator<Item = (f64, f64)>> {
        self.boxes.iter().map(|places| {
            self.axes.iter().zip(places).map(|(axis, place)| axis.interval(*place as usize))
        })
    }

    /// The hypervolume that a point would add to the front; at least zero. The point has a finite
    /// number for each objective.
    pub fn improvement(&self, point: &[f64]) -> f64 {
        let inside =
            |((lower, upper), value): ((f64, f64), &f64)| (upper.min(*value) - lower).max(0.0);
        self.boxes().map(|intervals| intervals.zip(point).map(inside).product::<f64>()).sum()
    }

    /// The logarithm of the expected hypervolume improvement of a point whose objectives are
    /// independent and normal with these means and standard deviations (at least zero), and its
    /// derivatives.
    ///
    /// ```text
    /// ln EHVI = ln sum over boxes of prod_k psi_k
    /// ```
    ///
    /// The sum is made from logarithms, so the score has a value and slopes at any distance below
    /// the front. It is [`LOG_ZERO`], without slopes, if nothing can be gained; and beyond some
    /// `1e150` standard deviations. With one objective it is the logarithm of the expected
    /// improvement. Standard deviations of zero have the exact limit. There the derivative by the
    /// standard deviation is zero, and that by the mean is the one from below. The score of a
    /// meaningless belief is no number, as is that of a wrong number of objectives.
    pub fn log_expected_improvement(
        &self,
        mean: &[f64],
        sd: &[f64],
        scratch: &mut FrontScratch,
    ) -> FrontScore {
        let meaningful = mean.iter().all(|mean| mean.is_finite())
            && sd.iter().all(|sd| *sd >= 0.0 && sd.is_finite());
        if !meaningful {
            return FrontScore::MEANINGLESS;
        }
        match (self.objectives(), mean, sd) {
            (1, &[mean], &[sd]) => self.of_one(mean, sd),
            (2, &[m, n], &[s, t]) => self.of_many([m, n], [s, t], scratch),
            (3, &[m, n, o], &[s, t, u]) => self.of_many([m, n, o], [s, t, u], scratch),
            _ => FrontScore::MEANINGLESS,
        }
    }

    /// With one objective.
    fn of_one(&self, mean: f64, sd: f64) -> FrontScore {
        let (best, _) = self.axes[0].interval(0);
        let score = log_expected(best, mean, sd);
        FrontScore {
            value: score.value,
            d_mean: [score.d_mean, 0.0, 0.0],
            d_sd: [score.d_sd, 0.0, 0.0],
        }
        .saturated()
    }

    /// With `M` objectives.
    fn of_many<const M: usize>(
        &self,
        mean: [f64; M],
        sd: [f64; M],
        scratch: &mut FrontScratch,
    ) -> FrontScore {
        let FrontScratch { ends, factors, logs } = scratch;
        for k in 0..M {
            self.axes[k].factors(mean[k], sd[k], ends, &mut factors[k]);
        }
        let of = |places: &[u32; MOST_OBJECTIVES], k: usize| &factors[k][places[k] as usize];
        logs.clear();
        logs.extend(self.boxes.iter().map(|places| (0..M).map(|k| of(places, k).log).sum::<f64>()));
        let largest = logs.iter().copied().fold(LOG_ZERO, f64::max);
        if largest == LOG_ZERO {
            return FrontScore::ZERO;
        }
        let mut total = 0.0;
        let mut d_mean = [0.0; MOST_OBJECTIVES];
        let mut d_sd = [0.0; MOST_OBJECTIVES];
        for (places, log) in self.boxes.iter().zip(logs.iter()) {
            let weight = (log - largest).exp();
            total += weight;
            for k in 0..M {
                let factor = of(places, k);
                d_mean[k] += weight * factor.d_mean;
                d_sd[k] += weight * factor.d_sd;
            }
        }
        FrontScore {
            value: largest + total.ln(),
            d_mean: d_mean.map(|slope| slope / total),
            d_sd: d_sd.map(|slope| slope / total),
        }
        .saturated()
    }
}

impl Axis {
    /// The intervals that occur, each once.
    fn of(intervals: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut bounds: Vec<(f64, f64)> = intervals.collect();
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        bounds.dedup();
        let mut ends: Vec<f64> =
            bounds.iter().flat_map(|(lower, upper)| [*lower, *upper]).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let place = |end: f64| ends.partition_point(|other| *other < end) as u32;
        let intervals = bounds.iter().map(|(lower, upper)| (place(*lower), place(*upper)));
        Self { intervals: intervals.collect(), ends }
    }

    /// The place of an interval that occurs.
    fn place(&self, (lower, upper): (f64, f64)) -> u32 {
        let is_before =
            |&(a, b): &(u32, u32)| (self.ends[a as usize], self.ends[b as usize]) < (lower, upper);
        self.intervals.partition_point(is_before) as u32
    }

    /// The interval at a place.
    fn interval(&self, place: usize) -> (f64, f64) {
        let (lower, upper) = self.intervals[place];
        (self.ends[lower as usize], self.ends[upper as usize])
    }

    /// The factor of each interval, for a belief about this objective.
    fn factors(&self, mean: f64, sd: f64, ends: &mut Ends, factors: &mut Vec<Factor>) {
        factors.clear();
        let intervals = (0..self.intervals.len()).map(|place| self.interval(place));
        if sd == 0.0 {
            factors.extend(intervals.map(|(lower, upper)| Factor::of_known(lower, upper, mean)));
            return;
        }
        ends.see(&self.ends, mean, sd);
        factors.extend(intervals.zip(&self.intervals).map(|(bounds, (lower, upper))| {
            Factor::between(bounds, (ends.at(*lower), ends.at(*upper)), mean, sd)
        }));
    }
}

impl FrontScore {
    /// The score of a meaningless belief. It never wins a comparison.
    const MEANINGLESS: Self = Self {
        value: f64::NAN,
        d_mean: [f64::NAN; MOST_OBJECTIVES],
        d_sd: [f64::NAN; MOST_OBJECTIVES],
    };

    /// The score of a point that can add nothing.
    const ZERO: Self =
        Self { value: LOG_ZERO, d_mean: [0.0; MOST_OBJECTIVES], d_sd: [0.0; MOST_OBJECTIVES] };

    /// The score with every infinite number replaced by the largest finite one of its sign.
    fn saturated(self) -> Self {
        let finite = |x: f64| x.clamp(-f64::MAX, f64::MAX);
        Self {
            value: finite(self.value),
            d_mean: self.d_mean.map(finite),
            d_sd: self.d_sd.map(finite),
        }
    }
}

/// The box above a strip, from `bottom` of the third objective to where the strip begins.
fn above(strip: &Strip, bottom: f64) -> [(f64, f64); MOST_OBJECTIVES] {
    [(strip.left, strip.right), (strip.floor, f64::INFINITY), (bottom, strip.top)]
}
