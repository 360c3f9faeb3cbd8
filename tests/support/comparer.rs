//! Compares two arrays: errors in units of a scale, and the worst entry by name. An entry that is
//! not a number, is missing or is superfluous counts as an error.

use gittins::internals::Quantity;
use gittins::{Job, Scores};

use super::tolerance::DeviceErrors;

/// The number that a test writes in place of a result, so that an entry that is never written is
/// found.
pub const SENTINEL: f64 = -7.77e77;

/// Returns the largest of `|got - expected| / scale`.
///
/// # Errors
/// The worst entry, if the lengths differ, if an entry of `got` is not a number or was never
/// written, or if an error is above `allowed`.
pub fn agree(
    what: &str,
    got: &[f64],
    expected: &[f64],
    scale: f64,
    allowed: f64,
) -> Result<f64, String> {
    if got.len() != expected.len() {
        return Err(format!("{what}: {} entries, expected {}", got.len(), expected.len()));
    }
    let mut worst = (0.0, 0);
    for (at, (&got, &expected)) in got.iter().zip(expected).enumerate() {
        if !got.is_finite() || got == SENTINEL {
            return Err(format!("{what}[{at}] is {got:e}, expected {expected:e}"));
        }
        let error = if got == expected { 0.0 } else { (got - expected).abs() / scale };
        // If the scale is not a number, the error is not a number either. It then counts as the
        // largest error.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        if error > worst.0 {
            worst = (error, at);
        }
    }
    let (error, at) = worst;
    if error <= allowed {
        return Ok(error);
    }
    let (got, expected) = (got[at], expected[at]);
    Err(format!(
        "{what}[{at}]: got {got:e}, expected {expected:e}, off by {error:.2e} of {scale:.2e}, allowed {allowed:.1e}"
    ))
}

/// Scores of sentinels, longer than any test needs.
pub fn sentinels() -> Scores {
    let many = || vec![SENTINEL; 70_000];
    Scores {
        value: many(),
        gradient: many(),
        mean: many(),
        variance: many(),
        rows: vec![usize::MAX; 10],
        floored: 99,
        ..Scores::default()
    }
}

/// Returns the largest errors of mean, deviation, value and gradient. The first two are in units of
/// the prior's deviation. The others are in units of their own scale. This scale is the change of
/// the value when the mean changes by that deviation, or the largest number of the array if that is
/// larger.
///
/// # Errors
/// The error of [`agree`], for the first of the four arrays that does not agree.
pub fn compare(
    job: &Job<'_>,
    got: &Scores,
    expected: &Scores,
    allowed: DeviceErrors,
) -> Result<[f64; 4], String> {
    let deviation = job.posterior.hyperparameters().outputscale.sqrt();
    let roots = |variances: &[f64]| {
        variances
            .iter()
            .map(|v| if *v == SENTINEL { SENTINEL } else { v.sqrt() })
            .collect::<Vec<_>>()
    };
    let largest = |values: &[f64]| values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let gradient = largest(&expected.gradient);
    Ok([
        agree("mean", &got.mean, &expected.mean, deviation, allowed.mean)?,
        agree(
            "deviation",
            &roots(&got.variance),
            &roots(&expected.variance),
            deviation,
            allowed.deviation,
        )?,
        agree(
            "value",
            &got.value,
            &expected.value,
            largest(&spread(job, expected)),
            allowed.value,
        )?,
        agree(
            "gradient",
            &got.gradient,
            &expected.gradient,
            if gradient > 0.0 { gradient } else { 1.0 },
            allowed.gradient,
        )?,
    ])
}

/// The values without their common part: the prior mean, if values are outcomes.
fn spread(job: &Job<'_>, scores: &Scores) -> Vec<f64> {
    let hyperparameters = job.posterior.hyperparameters();
    match job.acquisition.quantity() {
        Quantity::Level => {
            let deviation = hyperparameters.outputscale.sqrt();
            scores
                .value
                .iter()
                .map(|value| (value - hyperparameters.mean).abs().max(deviation))
                .collect()
        }
        _ => scores.value.clone(),
    }
}

/// Whether everything is equal bit for bit, except the provenance.
pub fn equal_bits(got: &Scores, expected: &Scores) -> bool {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let fields = |scores: &Scores| {
        [&scores.value, &scores.gradient, &scores.mean, &scores.variance].map(|field| bits(field))
    };
    fields(got) == fields(expected) && got.rows == expected.rows && got.floored == expected.floored
}

#[test]
fn a_planted_fault_is_found() {
    let expected: Vec<f64> = (0..100).map(|k| f64::from(k) / 10.0).collect();
    assert_eq!(agree("x", &expected, &expected, 1.0, 0.0), Ok(0.0));
    let mut near = expected.clone();
    near[31] += 0.9e-3;
    assert!((agree("x", &near, &expected, 1.0, 1e-3).unwrap() - 0.9e-3).abs() < 1e-12);
    for (fault, says) in [
        (3.1 + 1.1e-3, "x[31]: got 3.1011e0, expected 3.1e0"),
        (f64::NAN, "x[31] is NaN"),
        (SENTINEL, "x[31] is -7.77e77"),
    ] {
        let mut wrong = near.clone();
        wrong[31] = fault;
        let error = agree("x", &wrong, &expected, 1.0, 1e-3).unwrap_err();
        assert!(error.starts_with(says), "{error}");
    }
    assert!(
        agree("x", &near[..99], &expected, 1.0, 1.0)
            .unwrap_err()
            .contains("99 entries, expected 100")
    );
    assert!(agree("x", &near, &expected, f64::NAN, 1.0).is_err(), "a scale that is no number");
    assert!(agree("x", &near, &expected, 0.0, 1.0).is_err(), "a scale of zero");
    let scores = Scores { value: expected.clone(), mean: expected.clone(), ..Scores::default() };
    let mut other = scores.clone();
    assert!(equal_bits(&scores, &other));
    other.mean[7] = f64::from_bits(other.mean[7].to_bits() + 1);
    assert!(!equal_bits(&scores, &other));
}
