//! Expected improvement and the Gittins index on four data points (Xie et al. 2024, Fig. 8): curves
//! without chance in them.

use std::io;
use std::sync::Arc;

use gittins::acquisition::{Belief, PointBeliefCost};
use gittins::{Acquisition, Hyperparameters, KernelFamily, Points, Pointwise, Posterior};

use crate::comparison::{Cell, Estimate, Published};
use crate::experiment::{
    Axes, Curve, CurvePoint, Digest, Drawing, Experiment, Panel, Size, Statistic, Task,
};
use crate::published;
use crate::slug::slug;
use crate::store::Store;
use frontend::Result;

const PLACES: [f64; 4] = [0.2325852, 0.21201944, 0.18478342, 0.53409295];
const OUTCOMES: [f64; 4] = [0.08212534, -0.37744655, -0.56423412, 1.02485089];
/// Learned by the published code, to six digits of each.
const LENGTHSCALE: f64 = 0.114173;
const OUTPUTSCALE: f64 = 2.50130;
const MEAN: f64 = 0.696597;
const NOISE: f64 = 1e-4;
/// Steps of the grid on [0, 1].
const STEPS: usize = 1000;

/// The curves of the figure.
const CURVES: [(&str, Acquisition); 3] = [
    ("EI", Acquisition::Pointwise(Pointwise::ExpectedImprovement)),
    ("PBGI 1", Acquisition::Pointwise(Pointwise::Gittins { lambda: 1.0 })),
    ("PBGI 0.00001", Acquisition::Pointwise(Pointwise::Gittins { lambda: 1e-5 })),
];

/// The curves over four points.
///
/// The index at a low price is `mu + 4.03 sigma`, and away from the data `sigma` is the root of the
/// output scale: half of its last digit, 5e-6, moves the published maximum by 6.4e-6, that of the
/// mean by 5e-7 and that of the lengthscale by 2e-7, so that values agree to 1e-5.
pub struct FourPoints;

impl Experiment for FourPoints {
    fn name(&self) -> &'static str {
        "fig8"
    }

    fn title(&self) -> String {
        "expected improvement and the index on four points (Xie et al. 2024, Fig. 8)".to_owned()
    }

    fn seeds(&self) -> u64 {
        1
    }

    fn tasks(&self, _: &Size) -> Vec<Task> {
        let task = |(name, acquisition): (&str, Acquisition)| Task {
            arm: arm(name),
            seed: 0,
            work: Arc::new(move || Ok(serde_json::to_value(values(&acquisition)?)?)),
            probe: None,
        };
        CURVES.map(task).to_vec()
    }

    fn digest(&self, _: &Size, store: &Store) -> Result<Digest> {
        let mut digest = Digest::default();
        for (name, _) in CURVES {
            digest.panels.push(panel(name, &store.get::<Vec<f64>>(&arm(name), 0)?)?);
        }
        digest.notes.push("Nothing here is left to chance: the published maxima are met to 1e-5, the rounding of the model's parameters, on the same point of the grid.".to_owned());
        Ok(digest)
    }
}

fn arm(name: &str) -> String {
    format!("four-points_{}", slug(name))
}

fn place(step: usize) -> f64 {
    step as f64 / STEPS as f64
}

/// The acquisition along the grid.
fn values(acquisition: &Acquisition) -> Result<Vec<f64>> {
    let hyperparameters = Hyperparameters {
        lengthscales: vec![LENGTHSCALE],
        outputscale: OUTPUTSCALE,
        noise: NOISE,
        mean: MEAN,
    };
    let inputs = Points::from_rows(1, PLACES.to_vec())?;
    let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &OUTCOMES)?;
    let moments = posterior.moments(&Points::from_rows(1, (0..=STEPS).map(place).collect())?)?;
    let incumbent = OUTCOMES.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let beliefs = moments.mean.iter().zip(&moments.variance);
    let beliefs = beliefs.map(|(&mean, variance)| Belief {
        mean,
        sd: variance.sqrt(),
        cost: PointBeliefCost::Known(1.0),
    });
    Ok(beliefs
        .map(|belief| acquisition.pointwise().unwrap().score(incumbent, &belief).value)
        .collect())
}

/// A curve, its maximum and where it lies beside the published ones.
fn panel(name: &str, values: &[f64]) -> Result<Panel> {
    let top = (0..values.len()).reduce(|best, i| if values[i] > values[best] { i } else { best });
    let top = top.ok_or_else(|| io::Error::other(format!("{name}: no values")))?;
    let (mut cells, mut marks) = (Vec::new(), Vec::new());
    for (at, maximum) in published::of("fig8").along(name) {
        cells.push(Cell::new(name, "maximum", Estimate::exact(values[top]), maximum));
        // The same point of the grid.
        let at_point =
            Published { value: at, quartiles: None, seeds: None, reading: 0.5 / STEPS as f64 };
        cells.push(Cell::new(name, "argmax", Estimate::exact(place(top)), at_point));
        marks.push((at, maximum.value));
    }
    let points = values.iter().enumerate().map(|(step, &value)| CurvePoint {
        x: place(step),
        lower_quartile: value,
        median: value,
        upper_quartile: value,
        mean: value,
        two_standard_errors: None,
        half_interval: None,
    });
    let curve =
        Curve { name: name.to_owned(), seeds: 1, points: points.collect(), published: marks };
    let axes = Axes {
        x: "x".to_owned(),
        y: "acquisition".to_owned(),
        logarithmic: false,
        statistic: Statistic::Median,
    };
    Ok(Panel {
        name: slug(name),
        title: format!("Fig. 8, {name}"),
        drawing: Drawing::Curves { axes, curves: vec![curve] },
        cells,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maxima_are_the_published_ones() {
        for (name, acquisition) in CURVES {
            let panel = panel(name, &values(&acquisition).unwrap()).unwrap();
            assert_eq!(panel.cells.len(), 2, "{name}: value and place");
            assert!(panel.cells.iter().all(|cell| cell.agrees == Some(true)), "{:?}", panel.cells);
        }
    }
}
