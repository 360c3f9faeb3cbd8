//! Numbers as people read them.

/// A number with this many significant digits, in plain notation unless that takes many zeros:
/// `19542.85` to three digits is `19500`, `1.36e-4` is `0.000136`, and `1.2e-9` stays as it is.
pub fn decimal(value: f64, digits: usize) -> String {
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e').filter(|_| value.is_finite())
    else {
        return format!("{value}");
    };
    let Ok(exponent) = exponent.parse::<i32>() else { return scientific };
    if !(-4..9).contains(&exponent) {
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    // The number is rounded first: 999.96 to four digits is then 1000, and not 1000.0.
    let rounded: f64 = scientific.parse().unwrap_or(value);
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{rounded:.decimals$}")).to_owned()
}

/// A cost to three digits, with its unit if it has one.
pub fn money(cost: f64, unit: Option<&str>) -> String {
    let number = decimal(cost, 3);
    unit.map_or_else(|| number.clone(), |unit| format!("{number} {unit}"))
}

/// A number with all its digits, as many as read back as it: in plain notation unless that takes many
/// zeros. `0.00001` is itself, `1.7e308` and `1e-9` stay as they are.
pub fn exact(value: f64) -> String {
    let scientific = format!("{value:e}");
    let power = scientific.split_once('e').and_then(|(_, power)| power.parse::<i32>().ok());
    match power {
        Some(power) if !(-5..16).contains(&power) => scientific,
        _ => value.to_string(),
    }
}

/// The number without zeros at the end of its fraction.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::{decimal, exact};

    #[test]
    fn numbers_are_rounded_to_their_digits() {
        let table = [
            (0.0, 3, "0"),
            (19542.8543, 3, "19500"),
            (1.36e-4, 2, "0.00014"),
            (0.297_7, 3, "0.298"),
            (999.96, 4, "1000"),
            (-0.5, 3, "-0.5"),
            (1266.167382, 7, "1266.167"),
            (1.25e-9, 3, "1.25e-9"),
            (-1e300, 3, "-1e300"),
            (123_456_789.0, 4, "123500000"),
            (f64::NEG_INFINITY, 3, "-inf"),
            (f64::NAN, 3, "NaN"),
            (f64::MIN_POSITIVE, 2, "2.2e-308"),
        ];
        for (value, digits, expected) in table {
            assert_eq!(decimal(value, digits), expected);
        }
    }

    #[test]
    fn all_digits_take_no_line_of_zeros() {
        let table = [
            (0.0, "0"),
            (-0.1, "-0.1"),
            (1e-5, "0.00001"),
            (1e-6, "1e-6"),
            (123_456_789.5, "123456789.5"),
            (1.7e308, "1.7e308"),
            (-5e-324, "-5e-324"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ];
        for (value, expected) in table {
            assert_eq!(exact(value), expected);
            assert!(exact(value).parse::<f64>().unwrap().total_cmp(&value).is_eq());
        }
    }
}
