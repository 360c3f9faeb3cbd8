//! Numbers at the ends of double precision.

use proptest::prelude::*;

/// A positive number of any magnitude, including subnormal numbers and the largest one.
pub fn size() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-308.0..308.25_f64).prop_map(|exponent| 10f64.powf(exponent)),
        2 => (-3.0..3.0_f64).prop_map(|exponent| 10f64.powf(exponent)),
        1 => Just(f64::MAX),
        1 => Just(f64::MIN_POSITIVE),
        1 => (1_u64..1 << 52).prop_map(f64::from_bits),
    ]
}

/// A number of any magnitude and either sign, or zero.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 12 => (size(), any::<bool>()).prop_map(|(size, up)| if up { size } else { -size })]
}

/// Outcomes of one magnitude, or each with its own magnitude.
pub fn outcomes() -> impl Strategy<Value = Vec<f64>> {
    let alike = (size(), prop::collection::vec(-1.0..1.0_f64, 7))
        .prop_map(|(size, shares)| shares.iter().map(|share| share * size).collect());
    prop_oneof![1 => alike, 1 => prop::collection::vec(number(), 7), 1 => number().prop_map(|value| vec![value; 7])]
}

/// Costs of any magnitudes, of one, or of usual ones.
pub fn costs() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![1 => prop::collection::vec(size(), 7), 1 => size().prop_map(|cost| vec![cost; 7]), 1 => prop::collection::vec(0.1..10.0_f64, 7)]
}
