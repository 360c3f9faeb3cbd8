//! The field: what may be set at which price, what the soil has by itself, and what grows.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use gittins::data::ParameterKind;
use gittins::{Error, ErrorKind, Points, Space};
use gittins_control::internals::BoundSets;
use gittins_control::{ControlSets, Law, SubsetAsk};
use gittins_problems::control::{ControlProblem, ExpectedObjective};
use rand::RngExt;
use rand_distr::StandardNormal;
use rand_pcg::Pcg64;
use serde::Deserialize;

use frontend::Result;

/// The properties of the soil, with the unit in which each is shown and the factor from micromoles
/// per liter. The acidity is shown as it is.
pub const SOIL: [(&str, &str, Option<f64>); 5] = [
    ("calcium", "mM", Some(1e-3)),
    ("boron", "µM", Some(1.0)),
    ("ammonium", "mM", Some(1e-3)),
    ("potassium", "mM", Some(1e-3)),
    ("pH", "", None),
];

/// What is spread, the properties that it sets, and which of the three prices it has.
const SETS: [(&str, &[usize], usize); 7] = [
    ("gypsum + borax", &[0, 1], 0),
    ("ammonia + potash", &[2, 3], 0),
    ("potash + sulfur", &[3, 4], 0),
    ("gypsum + borax + ammonia", &[0, 1, 2], 1),
    ("borax + ammonia + potash", &[1, 2, 3], 1),
    ("ammonia + potash + sulfur", &[2, 3, 4], 1),
    ("nutrient solution", &[0, 1, 2, 3, 4], 2),
];

/// The control sets at the prices of a plot on which two or three things are spread and of a pot
/// with nutrient solution, and soils that scatter around the middle of each range with this
/// variance, in squared ranges.
pub fn sets(prices: [f64; 3], variance: f64) -> ControlSets {
    let laws = SOIL
        .iter()
        .fold(ControlSets::new(), |sets, (name, ..)| sets.law(*name, Law::centered(variance)));
    let add = |sets: ControlSets, (name, controlled, price): &(&str, &[usize], usize)| {
        sets.set(*name, controlled.iter().map(|&k| SOIL[k].0), prices[*price])
    };
    SETS.iter().fold(laws, add)
}

/// The mean and the deviation of the leaf areas before they were standardized.
#[derive(Deserialize)]
struct Units {
    mean: f64,
    std: f64,
}

#[derive(Deserialize)]
struct Parameters {
    destandardise: Units,
}

/// A field. Every plot is measured with some error.
pub struct Field {
    problem: ControlProblem,
    units: Units,
    space: Space,
    noise: f64,
}

impl Field {
    /// Reads the surrogate from the folder with its files. `noise` is the deviation of a
    /// measurement.
    pub fn open(folder: &Path, noise: f64) -> Result<Self> {
        let problem = ControlProblem::plant(folder)?;
        let Parameters { destandardise: units } =
            serde_json::from_reader(BufReader::new(File::open(folder.join("plant_gp.json"))?))?;
        if !(noise >= 0.0 && noise.is_finite()) {
            Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("noise: expected a finite deviation of at least 0, got {noise}"),
            ))?;
        }
        let mut space = Space::new();
        for (parameter, (name, _, factor)) in problem.space().parameters().iter().zip(SOIL) {
            let ParameterKind::Float { low, high } = parameter.kind() else { continue };
            space = match factor {
                // The logarithm of micromoles per liter is on the same scale as the logarithm of
                // their multiples.
                Some(factor) => space.log_float(name, factor * low.exp(), factor * high.exp()),
                None => space.float(name, *low, *high),
            };
        }
        Ok(Self { problem, units, space, noise })
    }

    /// The space of what may be set, in the units of [`SOIL`].
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Plants what was asked for and leaves the rest to nature. Returns the soil and the measured
    /// leaf area. One seed makes the same soils and errors, whatever is planted.
    pub fn grow(
        &self,
        ask: &SubsetAsk,
        sets: &BoundSets,
        random: &mut Pcg64,
    ) -> Result<(Vec<f64>, f64)> {
        let uniform: Vec<f64> = (0..SOIL.len()).map(|_| random.random()).collect();
        let nature = sets.through_laws(Points::from_rows(SOIL.len(), uniform)?);
        let soil = ask.completed(&self.space.numbers_at(nature.row(0)));
        let error = self.noise * random.sample::<f64, _>(StandardNormal);
        let area = self.leaf_area(self.problem.evaluate_unit(&self.space.to_unit(&soil)?));
        Ok((soil, area + error))
    }

    /// The average value of queries of the sets over soils, without errors of measurement, in the
    /// units of the surrogate.
    pub fn expectation(&self, sets: &BoundSets) -> Result<ExpectedObjective<'_>> {
        Ok(self.problem.expected(sets)?)
    }

    /// Turns these units into those of the measurements.
    pub fn leaf_area(&self, standardized: f64) -> f64 {
        self.units.mean + self.units.std * standardized
    }
}
