//! The problems with seven control sets.

use std::path::Path;

use gittins_problems::ControlProblem;

use frontend::Result;

/// A problem, up to the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// A function drawn anew for each seed.
    GpSample,
    Hartmann,
    Plant,
    /// By its surrogate. The user has the data.
    Airfoil,
}

impl Problem {
    pub const ALL: [Self; 4] = [Self::GpSample, Self::Hartmann, Self::Plant, Self::Airfoil];

    pub fn name(self) -> &'static str {
        match self {
            Self::GpSample => "draws in three dimensions",
            Self::Hartmann => "Hartmann in three dimensions",
            Self::Plant => "plant growth",
            Self::Airfoil => "airfoil self-noise",
        }
    }

    /// Its experiment.
    pub fn experiment(self) -> &'static str {
        match self {
            Self::GpSample => "cvs-gp",
            Self::Hartmann => "cvs-hartmann",
            Self::Plant => "cvs-plant",
            Self::Airfoil => "cvs-airfoil",
        }
    }

    /// The budget.
    pub fn budget(self) -> f64 {
        if self == Self::Plant { 200.0 } else { 50.0 }
    }

    /// Whether a set controls everything, so that it is the best one.
    pub fn has_full_set(self) -> bool {
        self != Self::Airfoil
    }

    /// Whether the function, or the draws of its expectations, differ from seed to seed.
    pub fn depends_on_seed(self) -> bool {
        matches!(self, Self::GpSample | Self::Airfoil)
    }

    /// Whether it reads files that are no part of this project.
    pub fn reads_data(self) -> bool {
        match self {
            Self::GpSample | Self::Hartmann | Self::Plant => false,
            Self::Airfoil => true,
        }
    }

    /// The problem of a seed. Airfoil is read from a folder.
    ///
    /// # Errors
    /// If data are missing.
    pub fn instance(self, seed: u64, data: Option<&Path>) -> Result<ControlProblem> {
        match self {
            Self::GpSample => Ok(ControlProblem::gp_sample(seed)?),
            Self::Hartmann => Ok(ControlProblem::hartmann()),
            Self::Plant | Self::Airfoil => self.read(data),
        }
    }

    fn read(self, data: Option<&Path>) -> Result<ControlProblem> {
        if self == Self::Plant {
            return Ok(ControlProblem::plant(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../problems/data"
            ))?);
        }
        let missing = || {
            std::io::Error::other(
                "airfoil is read from airfoil_scaled.csv and airfoil_gp.json: `--data DIR` says where they are",
            )
        };
        Ok(ControlProblem::airfoil(data.ok_or_else(missing)?)?)
    }
}
