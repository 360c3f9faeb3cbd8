//! Which outcomes an axis shows, and how.

use chart::Scale;

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

/// From the first best outcome to the last one, so many times as large or as small, they are drawn on
/// a logarithmic axis.
const WIDE: f64 = 1000.0;

/// The axis of outcomes that come in this order: around those that it shows, by their orders of
/// magnitude if all have one sign and the best of them span decades. `sign` is 1 if larger is better.
pub fn axis_of(outcomes: impl Iterator<Item = f64> + Clone, sign: f64) -> (Scale, Vec<f64>) {
    let finite = || outcomes.clone().filter(|outcome| outcome.is_finite());
    let best = finite().reduce(|best, one| if sign * one > sign * best { one } else { best });
    let first = finite().next().unwrap_or(1.0);
    let best = best.unwrap_or(1.0);
    let has_sign = |of: f64| finite().all(|outcome| of * outcome > 0.0);
    let is_wide = (first / best).max(best / first) >= WIDE && (has_sign(1.0) || has_sign(-1.0));
    let drawn = if is_wide {
        shown(finite().map(|one| one.signum() * one.abs().ln()), sign)
            .into_iter()
            .map(|place| first.signum() * (first.signum() * place).exp())
            .collect()
    } else {
        shown(finite(), sign)
    };
    (Scale::around(is_wide, drawn.iter().copied()), drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_that_span_decades_are_drawn_by_their_magnitude() {
        for (outcomes, sign, logarithmic) in [
            (&[500.0, 20.0, 0.5][..], -1.0, true),
            (&[-500.0, -20.0, -0.5], 1.0, true),
            (&[0.5, 500.0], 1.0, true),
            // A bad one after a good one is no span of the best.
            (&[0.5, 500.0], -1.0, false),
            (&[500.0, 20.0, 0.6], -1.0, false),
            (&[500.0, -20.0, 0.5, 0.0001], -1.0, false),
            (&[500.0, 0.5, 0.0], -1.0, false),
            (&[f64::NAN, 500.0, 0.5], -1.0, true),
            (&[f64::INFINITY], -1.0, false),
            (&[], -1.0, false),
        ] {
            let (scale, drawn) = axis_of(outcomes.iter().copied(), sign);
            assert_eq!(scale.is_logarithmic(), logarithmic, "{outcomes:?}");
            assert!(drawn.len() <= outcomes.len());
            let on = |at: &f64| (-1e-9..=1.0 + 1e-9).contains(&scale.fraction(*at).unwrap());
            let finite = outcomes.iter().filter(|outcome| outcome.is_finite());
            assert!(!logarithmic || finite.clone().all(on), "{outcomes:?}");
        }
    }

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
}
