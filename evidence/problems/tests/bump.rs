//! The bump problem against values made outside the crate, and against the law of its draw.

use gittins_problems::{Bump, BumpVariant};

use crate::support::golden::{number, table};
use crate::support::tolerance::functions as close;

#[test]
fn cost_and_amplitude_agree_with_the_table() {
    let golden = table("functions");
    let rows: Vec<_> = golden["cost_functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["kind"] == "bump")
        .collect();
    assert_eq!(rows.len(), 5);
    let per_cost = Bump::new(BumpVariant::PerCost, 1);
    let improvement = Bump::new(BumpVariant::Improvement, 1);
    for row in rows {
        let z = [number(&row["x"])];
        for (got, name) in [
            (per_cost.cost(&z, &mut [0.0]), "cost"),
            (improvement.cost(&z, &mut [0.0]), "cost"),
            (per_cost.amplitude(&z, &mut [0.0]), "amplitude_hard_for_eipc"),
            (improvement.amplitude(&z, &mut [0.0]), "amplitude_hard_for_ei"),
        ] {
            let expected = number(&row[name]);
            assert!((got - expected).abs() <= close::BUMP * expected, "{name} in {row}: {got}");
        }
    }
}

#[test]
fn slopes_of_the_bump_are_its_own() {
    type Curve = fn(&Bump, &[f64], &mut [f64]) -> f64;
    let h = 1e-8;
    for (curve, variant, height) in [
        (Bump::cost as Curve, BumpVariant::PerCost, 9.9),
        (Bump::amplitude, BumpVariant::PerCost, 0.99),
        (Bump::amplitude, BumpVariant::Improvement, 0.19),
    ] {
        let bump = Bump::new(variant, 2);
        for z in [0.499, 0.4997, 0.5, 0.50033, 0.501, 0.9] {
            let mut own = [f64::NAN];
            curve(&bump, &[z], &mut own);
            let slope = (curve(&bump, &[z + h], &mut [0.0]) - curve(&bump, &[z - h], &mut [0.0]))
                / (2.0 * h);
            // The value is at most 10 / 9.9 times the height off zero.
            assert!(
                (own[0] - slope).abs() <= close::bump_slope(h) * 6.0 * height / 3.295e-4,
                "{variant:?} at {z}: {own:?} against {slope}"
            );
        }
    }
}

/// Products of the draw at neighboring places, averaged over seeds, are the Matern-5/2 kernel of
/// lengthscale 1e-4, 0.524 at one lengthscale, and without it as far from the amplitudes' own
/// squares as the kernel says.
#[test]
fn the_objective_is_a_draw_times_the_amplitude() {
    let (z, r) = (0.4712, 1.0f64);
    let (mut square, mut product) = (0.0, 0.0);
    for seed in 0..close::BUMP_DRAWS {
        let bump = Bump::new(BumpVariant::Improvement, seed);
        let [here, there] =
            [z, z + 1e-4 * r].map(|z| bump.value(&[z]) / bump.amplitude(&[z], &mut [0.0]));
        square += here * here;
        product += here * there;
    }
    let n = close::BUMP_DRAWS as f64;
    let a = 5f64.sqrt() * r;
    let kernel = (1.0 + a + a * a / 3.0) * (-a).exp();
    assert!((square / n - 1.0).abs() <= close::bump_covariance(), "{}", square / n);
    assert!(
        (product / n - kernel).abs() <= close::bump_covariance(),
        "{} instead of {kernel}",
        product / n
    );
}

/// The two variants of a seed differ by their amplitudes alone; the optimum is the grid's best, and
/// lies on the bump where there is next to nothing off it.
#[test]
fn optima_of_the_bump_lie_on_their_grid() {
    for seed in [1, 2] {
        let per_cost = Bump::new(BumpVariant::PerCost, seed);
        let improvement = Bump::new(BumpVariant::Improvement, seed);
        assert_eq!(per_cost.value(&[0.5]), improvement.value(&[0.5]));
        for bump in [&per_cost, &improvement] {
            let (place, value) = bump.optimum();
            assert_eq!(bump.value(&[place]), value);
            let step = (place - 0.45) / 1e-5;
            assert!(
                (step - step.round()).abs() < 1e-6 && (0.45..=0.55).contains(&place),
                "{place}"
            );
            assert!(
                (0..=1000)
                    .all(|index| bump.value(&[0.45 + 1e-4 * f64::from(index)]) <= value + 1e-9)
            );
        }
        assert!((per_cost.optimum().0 - 0.5).abs() < 1e-3, "{:?}", per_cost.optimum());
    }
}
