//! The field: what may be set at which price, what the soil has by itself, and what grows.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use clap::ValueEnum;
use gittins::data::space::ParameterKind;
use gittins::problems::datasets::{Surrogate, plant};
use gittins::subsets::{BoundSets, ControlSet, Sampling, SubsetAsk};
use gittins::{ControlSets, Error, ErrorKind, Law, Points, Space};
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_pcg::Pcg64;
use serde::Deserialize;

use crate::support::Result;

/// What the soil has, with the unit in which it is shown and how many of these a micromole per liter is; the acidity is shown as it is.
pub const SOIL: [(&str, &str, Option<f64>); 5] = [
    ("calcium", "mM", Some(1e-3)),
    ("boron", "µM", Some(1.0)),
    ("ammonium", "mM", Some(1e-3)),
    ("potassium", "mM", Some(1e-3)),
    ("pH", "", None),
];

/// What is spread, which of the above that sets, and which of the three prices it has.
const SETS: [(&str, &[usize], usize); 7] = [
    ("gypsum + borax", &[0, 1], 0),
    ("ammonia + potash", &[2, 3], 0),
    ("potash + sulfur", &[3, 4], 0),
    ("gypsum + borax + ammonia", &[0, 1, 2], 1),
    ("borax + ammonia + potash", &[1, 2, 3], 1),
    ("ammonia + potash + sulfur", &[2, 3, 4], 1),
    ("nutrient solution", &[0, 1, 2, 3, 4], 2),
];

/// What a plot costs on which two or three things are spread, and a pot with nutrient solution; the ratios of the publication.
#[derive(Clone, Copy, ValueEnum)]
pub enum Costs {
    /// 1, 10 and 100 euros.
    Cheap,
    /// 10, 20 and 100 euros.
    Moderate,
    /// 60, 80 and 100 euros.
    Expensive,
}

impl Costs {
    /// In euros.
    pub fn prices(self) -> [f64; 3] {
        match self {
            Self::Cheap => [1.0, 10.0, 100.0],
            Self::Moderate => [10.0, 20.0, 100.0],
            Self::Expensive => [60.0, 80.0, 100.0],
        }
    }
}

/// The control sets with their prices, and soils that scatter around the middle of each range with this variance, in squared ranges.
pub fn sets(costs: Costs, variance: f64) -> ControlSets {
    let prices = costs.prices();
    let laws = SOIL.iter().fold(ControlSets::new(), |sets, (name, ..)| sets.law(*name, Law::centered(variance)));
    let add = |sets: ControlSets, (name, controlled, price): &(&str, &[usize], usize)| {
        sets.set(*name, controlled.iter().map(|&k| SOIL[k].0), prices[*price])
    };
    SETS.iter().fold(laws, add)
}

/// The mean and the deviation that leaf areas had before they were standardized.
#[derive(Deserialize)]
struct Units {
    mean: f64,
    std: f64,
}

#[derive(Deserialize)]
struct Parameters {
    destandardise: Units,
}

/// A field of which every plot is measured with some error.
pub struct Field {
    surrogate: Surrogate,
    units: Units,
    space: Space,
    noise: f64,
    random: Pcg64,
}

impl Field {
    /// From the folder with the files of the surrogate; `noise` is the deviation of a measurement. One seed makes the same soils and errors whatever is planted.
    pub fn open(folder: &Path, noise: f64, seed: u64) -> Result<Self> {
        let surrogate = plant(folder)?;
        let Parameters { destandardise: units } = serde_json::from_reader(BufReader::new(File::open(folder.join("plant_gp.json"))?))?;
        if !(noise >= 0.0 && noise.is_finite()) {
            Err(Error::new(ErrorKind::InvalidSetting, format!("noise: expected a finite deviation of at least 0, got {noise}")))?;
        }
        let mut space = Space::new();
        for (parameter, (name, _, factor)) in surrogate.space().parameters().iter().zip(SOIL) {
            let ParameterKind::Float { low, high } = parameter.kind() else { continue };
            space = match factor {
                // The logarithm of micromoles per liter is on the same scale as the logarithm of their multiples.
                Some(factor) => space.log_float(name, factor * low.exp(), factor * high.exp()),
                None => space.float(name, low, high),
            };
        }
        Ok(Self { surrogate, units, space, noise, random: Pcg64::seed_from_u64(seed) })
    }

    /// What may be set, in the units of [`SOIL`].
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Plants what was asked for where nature does the rest: the soil, and the leaf area that is measured.
    pub fn grow(&mut self, ask: &SubsetAsk, sets: &BoundSets) -> Result<(Vec<f64>, f64)> {
        let uniform: Vec<f64> = (0..SOIL.len()).map(|_| self.random.random()).collect();
        let nature = sets.through_laws(Points::from_rows(SOIL.len(), uniform)?);
        let soil = ask.completed(&self.space.from_unit(nature.row(0)));
        let error = self.noise * self.random.sample::<f64, _>(StandardNormal);
        let area = self.leaf_area(self.surrogate.evaluate_unit(&self.space.to_unit(&soil)?));
        Ok((soil, area + error))
    }

    /// The leaf area that a query of a set has on average over soils, without errors of measurement.
    pub fn expected(&self, sets: &BoundSets, set: &ControlSet, query: &[f64]) -> f64 {
        /// The outcome has a deviation of at most 0.6 over soils, of which a quasi-random mean of so many leaves less than a thousandth.
        const SOILS: usize = 8192;
        let mut soils = sets.samples(if set.random.is_empty() { 1 } else { SOILS }, Sampling::QuasiRandom, 0);
        let mut sum = 0.0;
        for row in 0..soils.len() {
            let soil = soils.row_mut(row);
            set.controlled.iter().zip(query).for_each(|(&k, x)| soil[k] = *x);
            sum += self.surrogate.evaluate_unit(soil);
        }
        self.leaf_area(sum / soils.len() as f64)
    }

    /// The largest leaf area there is, which takes control of everything.
    pub fn largest(&self) -> f64 {
        self.leaf_area(self.surrogate.maximum())
    }

    fn leaf_area(&self, standardized: f64) -> f64 {
        self.units.mean + self.units.std * standardized
    }
}
