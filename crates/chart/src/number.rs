//! Numbers as people read them.

/// A number with this many significant digits: `0.0312`, `1204`, and `3.1e-6` if plain digits would
/// be many.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { format!("{value}") };
    }
    let scientific = format!("{value:.*e}", digits.max(1) - 1);
    // Rounding may have raised the power.
    let power: i32 =
        scientific.rsplit('e').next().and_then(|power| power.parse().ok()).unwrap_or(0);
    if !(-4..6).contains(&power) {
        return scientific;
    }
    format!("{value:.*}", usize::try_from(digits as i32 - 1 - power).unwrap_or(0))
}

/// The number without zeros at the end: `10`, `0.5`, `1e-6`.
pub fn short(value: f64, digits: usize) -> String {
    let text = significant(value, digits);
    let (digits, power) =
        text.split_once('e').map_or((&*text, None), |(digits, power)| (digits, Some(power)));
    let digits = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    power.map_or(digits.to_owned(), |power| format!("{digits}e{power}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_that_count() {
        let read = [
            (0.031249, "0.0312"),
            (1204.4, "1204"),
            (0.0, "0"),
            (-2.0, "-2.00"),
            (9.996, "10.0"),
            (3.14e-6, "3.14e-6"),
            (1.5e7, "1.50e7"),
        ];
        for (value, expected) in read {
            assert_eq!(significant(value, 3), expected, "{value}");
        }
        for (value, expected) in
            [(10.0, "10"), (0.5, "0.5"), (1e-6, "1e-6"), (100.0, "100"), (-0.25, "-0.25")]
        {
            assert_eq!(short(value, 3), expected, "{value}");
        }
    }
}
