//! The line search: a step with sufficient decrease and a flat enough slope.
//!
//! The search keeps an interval that contains such a step. Safeguarded cubic and quadratic
//! interpolation narrows it. The first stage uses the function minus its line of sufficient
//! decrease. It ends once a step is known at which that difference is not positive and its slope is
//! not negative.
//!
//! Reference: Moré, Thuente (1994), Line search algorithms with guaranteed sufficient decrease, ACM
//! Transactions on Mathematical Software 20, sections 2 to 4; the constants are those of L-BFGS-B.

/// The required decrease, as a fraction of what the first slope promises.
const DECREASE: f64 = 1e-3;
/// The slope may be at most this fraction of the first.
const FLATNESS: f64 = 0.9;
/// An interval of this relative width is not narrowed further.
const NARROW: f64 = 0.1;
/// After this many evaluations the search gives up.
const EVALUATIONS: usize = 20;
/// How far a step may be extrapolated, in units of the last extension.
const EXTRAPOLATION: (f64, f64) = (1.1, 4.0);
/// A step to a value that is not finite is cut to this fraction. Twenty cuts reach 1e-12.
const RETREAT: f64 = 0.25;

/// A step with its value and slope.
#[derive(Debug, Clone, Copy, Default)]
struct Probe {
    step: f64,
    value: f64,
    slope: f64,
}

impl Probe {
    /// The same probe of the function minus a line through the origin.
    fn less(self, line: f64) -> Self {
        Self { step: self.step, value: self.value - self.step * line, slope: self.slope - line }
    }
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Evaluate at [`LineSearch::step`].
    Evaluate,
    /// Take the step that was evaluated last.
    Accept,
    /// Too many evaluations.
    GiveUp,
}

#[derive(Debug, Clone, Default)]
pub(super) struct LineSearch {
    step: f64,
    /// The longest step allowed.
    limit: f64,
    start: Probe,
    /// The end of the interval with the smaller value, and the other end.
    best: Probe,
    other: Probe,
    bracketed: bool,
    first_stage: bool,
    /// The range of the next step.
    range: (f64, f64),
    width: f64,
    previous_width: f64,
    evaluations: usize,
}

impl LineSearch {
    /// Begins with a first step in `0 ..= limit`. The slope must be negative.
    pub(super) fn begin(value: f64, slope: f64, step: f64, limit: f64) -> Self {
        let start = Probe { step: 0.0, value, slope };
        Self {
            step,
            limit,
            start,
            best: start,
            other: start,
            bracketed: false,
            first_stage: true,
            range: (0.0, step + EXTRAPOLATION.1 * step),
            width: limit,
            previous_width: 2.0 * limit,
            evaluations: 0,
        }
    }

    /// The step to evaluate, or the step that was just accepted.
    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// The slope at the start.
    pub(super) fn start_slope(&self) -> f64 {
        self.start.slope
    }

    /// Takes the value and the slope at [`step`](Self::step).
    pub(super) fn advance(&mut self, value: f64, slope: f64) -> Progress {
        self.evaluations += 1;
        let line = DECREASE * self.start.slope;
        let sufficient = self.start.value + self.step * line;
        if !(value.is_finite() && slope.is_finite()) {
            self.retreat();
        } else if self.ended(value, slope, sufficient, line) {
            return Progress::Accept;
        } else {
            self.narrow(Probe { step: self.step, value, slope }, sufficient, line);
        }
        if self.evaluations >= EVALUATIONS { Progress::GiveUp } else { Progress::Evaluate }
    }

    fn ended(&mut self, value: f64, slope: f64, sufficient: f64, line: f64) -> bool {
        let decreased = value <= sufficient;
        if self.first_stage && decreased && slope >= 0.0 {
            self.first_stage = false;
        }
        let (low, high) = self.range;
        let exhausted = self.bracketed
            && (self.step <= low || self.step >= high || high - low <= NARROW * high);
        let at_limit = self.step == self.limit && decreased && slope <= line;
        let at_zero = self.step == 0.0 && (!decreased || slope >= line);
        let converged = decreased && slope.abs() <= FLATNESS * -self.start.slope;
        exhausted || at_limit || at_zero || converged
    }

    /// Goes back towards the best step from a step without a finite value. Later steps are shorter
    /// than that one.
    fn retreat(&mut self) {
        self.step = self.best.step + RETREAT * (self.step - self.best.step);
        if !self.bracketed {
            self.limit = self.step;
        }
    }

    fn narrow(&mut self, probe: Probe, sufficient: f64, line: f64) {
        // The modified function is used while a lower value is known whose decrease does not
        // suffice.
        let modified =
            self.first_stage && probe.value <= self.best.value && probe.value > sufficient;
        let line = if modified { line } else { 0.0 };
        let mut best = self.best.less(line);
        let mut other = self.other.less(line);
        let next = self.interpolate(&mut best, &mut other, probe.less(line));
        self.best = best.less(-line);
        self.other = other.less(-line);
        self.step = next;
        if self.bracketed {
            let width = (self.other.step - self.best.step).abs();
            if width >= 0.66 * self.previous_width {
                self.step = self.best.step + 0.5 * (self.other.step - self.best.step);
            }
            self.previous_width = self.width;
            self.width = width;
            self.range = (self.best.step.min(self.other.step), self.best.step.max(self.other.step));
        } else {
            let extension = self.step - self.best.step;
            self.range =
                (self.step + EXTRAPOLATION.0 * extension, self.step + EXTRAPOLATION.1 * extension);
        }
        self.step = self.step.clamp(0.0, self.limit);
        let (low, high) = self.range;
        if self.bracketed && (self.step <= low || self.step >= high || high - low <= NARROW * high)
        {
            self.step = self.best.step;
        }
    }

    /// Updates the interval by a new probe and returns the next step (Moré and Thuente, section 4).
    fn interpolate(&mut self, best: &mut Probe, other: &mut Probe, new: Probe) -> f64 {
        let turned = new.slope * best.slope.signum() < 0.0;
        let reach = best.step - new.step;
        let secant = || new.step + new.slope / (new.slope - best.slope) * reach;
        let farther =
            |a: f64, b: f64| if (a - new.step).abs() > (b - new.step).abs() { a } else { b };
        let next = if new.value > best.value {
            // A higher value brackets the minimum. Takes the cubic step if it is nearer to the
            // best, otherwise the mean of both steps.
            let cubic = best.step + cubic_fraction(*best, new) * -reach;
            let chord = (best.value - new.value) / -reach + best.slope;
            let quadratic = best.step + best.slope / chord / 2.0 * -reach;
            self.bracketed = true;
            if (cubic - best.step).abs() < (quadratic - best.step).abs() {
                cubic
            } else {
                cubic + (quadratic - cubic) / 2.0
            }
        } else if turned {
            // A lower value and a slope of the other sign bracket the minimum. Takes the step that
            // lies farther from the new one.
            self.bracketed = true;
            farther(new.step + cubic_fraction(new, *best) * reach, secant())
        } else if new.slope.abs() < best.slope.abs() {
            // A lower value and a flatter slope of the same sign: the cubic may have no minimum
            // beyond the new step.
            let (fraction, curved) = cubic_beyond(new, *best);
            let cubic = match () {
                () if fraction < 0.0 && curved => new.step + fraction * reach,
                () if new.step > best.step => self.range.1,
                () => self.range.0,
            };
            if self.bracketed {
                let nearer = if (cubic - new.step).abs() < (secant() - new.step).abs() {
                    cubic
                } else {
                    secant()
                };
                let guard = new.step + 0.66 * (other.step - new.step);
                if new.step > best.step { nearer.min(guard) } else { nearer.max(guard) }
            } else {
                farther(cubic, secant()).min(self.range.1).max(self.range.0)
            }
        } else if self.bracketed {
            // A lower value and a slope of the same sign that is not flatter: takes the cubic
            // between the new step and the other end.
            new.step + cubic_fraction(new, *other) * (other.step - new.step)
        } else if new.step > best.step {
            self.range.1
        } else {
            self.range.0
        };
        if new.value > best.value {
            *other = new;
        } else {
            if turned {
                *other = *best;
            }
            *best = new;
        }
        // Interpolation overflows if values are near the largest number. The middle is then taken.
        if next.is_finite() { next } else { 0.5 * (best.step + other.step) }
    }
}

/// The minimum of the cubic through two probes, as a fraction of the way from `from` to `to`.
fn cubic_fraction(from: Probe, to: Probe) -> f64 {
    let (theta, gamma) = cubic(from, to);
    ((gamma - from.slope) + theta) / (((gamma - from.slope) + gamma) + to.slope)
}

/// The same for a cubic that may have no minimum, and whether the cubic is curved at all.
fn cubic_beyond(from: Probe, to: Probe) -> (f64, bool) {
    let (theta, gamma) = cubic(from, to);
    (((gamma - from.slope) + theta) / ((gamma + (to.slope - from.slope)) + gamma), gamma != 0.0)
}

/// The coefficients of the cubic through two probes. The sign of the root follows the direction.
fn cubic(from: Probe, to: Probe) -> (f64, f64) {
    let theta = 3.0 * (from.value - to.value) / (to.step - from.step) + from.slope + to.slope;
    let scale = theta.abs().max(from.slope.abs()).max(to.slope.abs());
    let square = (theta / scale).powi(2) - (from.slope / scale) * (to.slope / scale);
    let gamma = scale * square.max(0.0).sqrt();
    (theta, if to.step < from.step { -gamma } else { gamma })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_its_distance_from_the_end_of_a_bracket() {
        let mut search = LineSearch::begin(0.0, -1.0, 1.0, 10.0);
        // A higher value: the cubic through (0, slope -1) and (0.5, slope 1) has its minimum at
        // (sqrt(3.25) - 0.5) / (2 sqrt(3.25) + 2).
        assert_eq!(search.advance(0.5, 1.0), Progress::Evaluate);
        let root = 3.25f64.sqrt();
        let second = (root - 0.5) / (2.0 * root + 2.0);
        assert!((search.step() - second).abs() < 1e-15);
        // A lower value with almost the same slope: the cubic turns down behind this step, and the
        // secant meets zero far beyond the bracket. The step becomes 0.66 of the way.
        assert_eq!(search.advance(-0.03, -0.95), Progress::Evaluate);
        assert!(
            (search.step() - (second + 0.66 * (1.0 - second))).abs() < 1e-15,
            "{}",
            search.step()
        );
    }

    #[test]
    fn draws_back_to_a_quarter_and_stays_there() {
        let mut search = LineSearch::begin(0.0, -1.0, 1.0, 10.0);
        assert_eq!(search.advance(f64::NAN, 0.0), Progress::Evaluate);
        assert_eq!(search.step(), 0.25);
        assert_eq!(search.advance(f64::INFINITY, -1.0), Progress::Evaluate);
        assert_eq!(search.step(), 0.0625);
        // The slope is still steep, but longer steps are known to lead nowhere.
        assert_eq!(search.advance(-0.06, -1.0), Progress::Accept);
    }

    #[test]
    fn gives_up_after_twenty_evaluations() {
        let mut search = LineSearch::begin(0.0, -1.0, 1.0, 10.0);
        for _ in 1..EVALUATIONS {
            assert_eq!(search.advance(f64::NAN, f64::NAN), Progress::Evaluate);
        }
        assert_eq!(search.advance(f64::NAN, f64::NAN), Progress::GiveUp);
    }
}
