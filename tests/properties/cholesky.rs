//! Cholesky factors: sizes around a block, reused memory, lost pivots.

use faer::Mat;
use gittins::ErrorKind;
use gittins::internals::Cholesky;

/// A covariance with entries `exp(-|i - j| / 5)` and noise on the diagonal. Its condition number is
/// below `2 n / noise`.
fn covariance(n: usize, noise: f64) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| {
        (-(i.abs_diff(j) as f64) / 5.0).exp() + if i == j { noise } else { 0.0 }
    })
}

/// The largest entry of `A B - I`. `B` is given by its lower triangle.
fn distance_to_inverse(a: &Mat<f64>, lower: &Mat<f64>) -> f64 {
    let n = a.nrows();
    let symmetric = Mat::from_fn(n, n, |i, j| lower[(i.max(j), i.min(j))]);
    let product = a * &symmetric;
    let entry = |i: usize, j: usize| (product[(i, j)] - if i == j { 1.0 } else { 0.0 }).abs();
    (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| entry(i, j)).fold(0.0, f64::max)
}

#[test]
fn factors_of_every_size_around_a_block_reproduce_the_matrix_and_its_inverse() {
    let (mut lower_inverse, mut inverse) = (Mat::new(), Mat::new());
    for n in [1, 2, 7, 95, 96, 97, 191, 192, 193, 300] {
        let a = covariance(n, 1e-2);
        let factor = Cholesky::factor(a.as_ref()).unwrap();
        assert_eq!((factor.len(), factor.jitter()), (n, 0.0));
        let product = factor.lower() * factor.lower().transpose();
        // The factorization is backward stable: n eps of the largest entry. The inverse also loses
        // the condition number.
        let rounding = 4.0 * n as f64 * f64::EPSILON;
        for j in 0..n {
            for i in 0..n {
                assert!(
                    (product[(i, j)] - a[(i, j)]).abs() <= rounding * 1.01,
                    "n={n} at {i}, {j}"
                );
                assert!(
                    i >= j || factor.lower()[(i, j)] == 0.0,
                    "n={n}: the upper triangle is not zero"
                );
            }
        }
        factor.inverse_into(&mut lower_inverse, &mut inverse);
        let error = distance_to_inverse(&a, &inverse);
        assert!(error <= rounding * 2.0 * n as f64 / 1e-2, "n={n}: {error}");
        let right: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let solution = factor.solve(&right);
        for (i, expected) in right.iter().enumerate() {
            let got: f64 = (0..n).map(|j| a[(i, j)] * solution[j]).sum();
            assert!((got - expected).abs() <= rounding * 2.0 * n as f64 / 1e-2, "n={n} row {i}");
        }
    }
}

#[test]
fn memory_that_is_used_again_leaves_no_trace() {
    let (mut lower_inverse, mut inverse) = (Mat::new(), Mat::new());
    let (first, second) = (covariance(150, 1.0), covariance(150, 1e-3));
    let mut factor = Cholesky::factor(first.as_ref()).unwrap();
    factor.inverse_into(&mut lower_inverse, &mut inverse);
    factor.refactor(second.as_ref()).unwrap();
    factor.inverse_into(&mut lower_inverse, &mut inverse);
    let fresh = Cholesky::factor(second.as_ref()).unwrap();
    assert_eq!(factor.lower(), fresh.lower());
    let (mut fresh_lower, mut fresh_inverse) = (Mat::new(), Mat::new());
    fresh.inverse_into(&mut fresh_lower, &mut fresh_inverse);
    for j in 0..150 {
        for i in j..150 {
            assert_eq!(inverse[(i, j)], fresh_inverse[(i, j)]);
        }
    }
}

#[test]
fn the_determinant_of_a_diagonal_matrix_is_its_product() {
    let diagonal = Mat::from_fn(5, 5, |i, j| if i == j { (i + 1) as f64 } else { 0.0 });
    let factor = Cholesky::factor(diagonal.as_ref()).unwrap();
    assert!((factor.log_determinant() - 120f64.ln()).abs() < 1e-14);
}

#[test]
fn singular_matrices_get_the_least_jitter_that_helps_and_hopeless_ones_an_error() {
    let ones = Mat::from_fn(40, 40, |_, _| 1.0);
    let factor = Cholesky::factor(ones.as_ref()).unwrap();
    assert!(factor.jitter() > 0.0 && factor.jitter() <= 1e-10, "{}", factor.jitter());
    for hopeless in [
        Mat::from_fn(3, 3, |i, j| if i == j { -1.0 } else { 0.0 }),
        Mat::from_fn(100, 100, |i, j| if i == j { 1.0 } else { 2.0 }),
    ] {
        let error = Cholesky::factor(hopeless.as_ref()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotPositiveDefinite);
    }
    assert_eq!(Cholesky::factor(Mat::new().as_ref()).unwrap_err().kind(), ErrorKind::Empty);
}

#[test]
fn an_appended_row_is_that_of_the_larger_factor_or_is_refused() {
    let (n, a) = (96, covariance(97, 1e-3));
    let mut factor = Cholesky::factor(a.as_ref().submatrix(0, 0, n, n)).unwrap();
    let column: Vec<f64> = (0..n).map(|i| a[(n, i)]).collect();
    // A twin of row 5 without noise. Its pivot is only rounding.
    let twin: Vec<f64> = (0..n).map(|i| a[(5, i)]).collect();
    let before = factor.clone();
    assert_eq!(factor.append(&twin, a[(5, 5)]).unwrap_err().kind(), ErrorKind::NotPositiveDefinite);
    assert_eq!(factor.lower(), before.lower());
    factor.append(&column, a[(n, n)]).unwrap();
    let whole = Cholesky::factor(a.as_ref()).unwrap();
    for j in 0..=n {
        assert!((factor.lower()[(n, j)] - whole.lower()[(n, j)]).abs() <= 1e-12, "column {j}");
    }
    assert!((factor.log_determinant() - whole.log_determinant()).abs() < 1e-10);
}
