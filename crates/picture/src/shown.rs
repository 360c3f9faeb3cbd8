//! Which outcomes an axis shows.

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
}
