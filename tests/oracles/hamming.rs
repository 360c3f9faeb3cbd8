//! The kernel over categories against that of another library.

use gittins::{Hyperparameters, KernelFamily, Points, Posterior, Space, Value};

use crate::support::golden::{number, numbers, table};

#[test]
fn columns_of_a_category_make_the_hamming_kernel() {
    let table = table("hamming");
    let space = Space::new()
        .float("x", 0.0, 1.0)
        .float("y", 0.0, 1.0)
        .choice("four", ["a", "b", "c", "d"])
        .flag("flag")
        .choice("three", ["a", "b", "c"]);
    let name = |index: f64| Value::from(["a", "b", "c", "d"][index as usize]);
    let rows = table["points"].as_array().unwrap().iter().map(numbers).flat_map(|p| {
        let values = [p[0].into(), p[1].into(), name(p[2]), (p[3] == 1.0).into(), name(p[4])];
        space.to_unit(&values).unwrap()
    });
    let points = Points::from_rows(space.dim(), rows.collect()).unwrap();
    let [x, y, four, flag, three]: [f64; 5] = numbers(&table["lengthscales"]).try_into().unwrap();
    let at = Hyperparameters {
        lengthscales: vec![x, y, four, four, four, four, flag, three, three, three],
        outputscale: number(&table["outputscale"]),
        noise: 1.0,
        mean: 0.0,
    };
    // Far from everything that was told, the prior covariance remains: a datum at infinity is none.
    let far = Points::from_rows(space.dim(), vec![1e9; space.dim()]).unwrap();
    let prior = Posterior::new(KernelFamily::Matern52, &at, &far, &[0.0]).unwrap();
    let joint = prior.joint(&points).unwrap();
    for (i, row) in table["kernel"].as_array().unwrap().iter().enumerate() {
        for (j, expected) in numbers(row).into_iter().enumerate() {
            let got = joint.covariance[(i, j)];
            assert!((got - expected).abs() <= 1e-12 * expected, "{i} {j}: {got} {expected}");
        }
    }
}
