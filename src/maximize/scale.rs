//! The scale on which climbs see values.

use crate::backend::Job;

/// Below `-STEEP` a steep scale is logarithmic. Candidates have an index near the best outcomes, and
/// one standard deviation of all outcomes below their mean only the way up counts.
const STEEP: f64 = 1.0;

/// The scale on which climbs see values. It rises with them, so maxima are the same.
///
/// An index at the price `c / P` falls like `-c / P` where a trial can hardly be used: to -1e15
/// and below, beside peaks near 1. No line search interpolates between such values. So below
/// `-a`, `a` = [`STEEP`], climbs see `-a (1 + ln(-v / a))`, which continues `v` with its slope.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// The divisor of values before tolerances apply: the best scanned value for plans, otherwise
    /// 1.
    pub unit: f64,
    /// Whether values are those of plans of several trials.
    pub planned: bool,
    pub steep: bool,
}

impl Scale {
    /// The scale of an acquisition with these scanned values.
    pub fn of(job: &Job<'_>, values: &[f64]) -> Self {
        let best = values.iter().copied().fold(0.0, f64::max);
        let planned = job.acquisition.plan().is_some();
        Self {
            unit: if planned && best > f64::MIN_POSITIVE { best } else { 1.0 },
            planned,
            steep: job.falls_steeply(),
        }
    }

    /// The value that a climb sees, and its derivative by the value.
    pub fn see(&self, value: f64) -> (f64, f64) {
        if self.steep && value < -STEEP {
            let times = value / -STEEP;
            return (-STEEP * (1.0 + times.ln()), 1.0 / times);
        }
        let per_unit = 1.0 / self.unit;
        (per_unit * value, per_unit)
    }

    /// The values that starts are chosen by.
    pub fn seen(&self, values: &[f64]) -> Vec<f64> {
        values.iter().map(|&value| self.see(value).0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steep_scale_rises_and_has_the_slope_that_it_says() {
        let steep = Scale { unit: 1.0, planned: false, steep: true };
        let values = [-f64::MAX, -1e15, -1e4, -1.1, -1.0, -0.9, 0.0, 3.0];
        assert!(values.windows(2).all(|pair| steep.see(pair[0]).0 < steep.see(pair[1]).0));
        for value in values.into_iter().skip(1) {
            let h = 1e-6 * f64::max(1.0, value.abs());
            let slope = (steep.see(value + h).0 - steep.see(value - h).0) / (2.0 * h);
            let said = steep.see(value).1;
            // The slope has a kink of 1 at -1, and a difference has its rounding.
            assert!((slope - said).abs() <= 1e-6 * said.max(1e-3), "{value}: {slope} {said}");
        }
        let even = Scale { unit: 4.0, planned: true, steep: false };
        assert_eq!(even.see(-1e15), (-2.5e14, 0.25));
    }
}
