//! What is tuned: a pipeline from the measurements of a wine to whether it is good.

use std::fmt;

use gittins::{Ask, Result, Space, Value};
use serde::{Deserialize, Serialize};

/// What is measured of a wine, in the order of the file, and a letter for each.
pub const MEASUREMENTS: [(char, &str); 11] = [
    ('f', "fixed acidity"),
    ('v', "volatile acidity"),
    ('c', "citric acid"),
    ('r', "residual sugar"),
    ('l', "chlorides"),
    ('s', "free sulfur dioxide"),
    ('t', "total sulfur dioxide"),
    ('d', "density"),
    ('p', "pH"),
    ('u', "sulphates"),
    ('a', "alcohol"),
];

/// A pipeline.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Pipeline {
    /// How the measurements are scaled.
    pub scaling: Scaling,
    /// The kernel of the support vector machine.
    pub kernel: Kernel,
    /// The penalty of a wine on the wrong side.
    #[serde(rename = "C")]
    pub c: f64,
    /// How many times this a good wine counts.
    pub weight: f64,
    /// Which of the [`MEASUREMENTS`] are used.
    pub uses: [bool; 11],
}

/// How a measurement is scaled, by what it is among the wines to learn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Not at all.
    None,
    /// To a mean of 0 and a deviation of 1.
    Standard,
    /// To between 0 and 1.
    Range,
    /// `ln(1 + x)`, to a mean of 0 and a deviation of 1.
    Log,
}

/// A kernel of two inputs, which are divided by the root of their number `d` before. So `gamma = 1`
/// is the textbook's `1 / d`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    /// `<x, x'>`
    Linear,
    /// `exp(-gamma |x - x'|^2)`
    Gaussian {
        /// One over the square of its width.
        gamma: f64,
    },
    /// `(<x, x'> + constant)^degree`
    Polynomial {
        /// The largest power.
        degree: u32,
        /// How much the lower powers count.
        constant: f64,
    },
}

impl Pipeline {
    /// All pipelines. A kernel has parameters of its own, which do not exist for the others.
    pub fn space() -> Space {
        let space = Space::new()
            .choice("scaling", ["none", "standard", "range", "log"])
            .choice("kernel", ["linear", "gaussian", "polynomial"])
            .log_float("gamma", 1e-3, 1e2)
            .when("kernel", ["gaussian"])
            .int("degree", 2, 5)
            .when("kernel", ["polynomial"])
            .float("constant", 0.0, 2.0)
            .when("kernel", ["polynomial"])
            .log_float("C", 1e-2, 1e3)
            .log_float("weight", 1.0, 30.0);
        MEASUREMENTS
            .into_iter()
            .fold(space, |space, (_, name)| space.flag(name))
            .at_least(MEASUREMENTS.map(|(_, name)| (name, 1.0)), 2.0)
    }

    /// What the textbook says: all measurements, standard scaling, a Gaussian kernel with `gamma` of
    /// one over the number of inputs, `C = 1`, and each class as heavy as the other.
    pub fn plain() -> Self {
        Self {
            scaling: Scaling::Standard,
            kernel: Kernel::Gaussian { gamma: 1.0 },
            c: 1.0,
            weight: 1382.0 / 217.0,
            uses: [true; 11],
        }
    }

    /// The pipeline that a study asks for.
    pub fn asked(ask: &Ask) -> Result<Self> {
        let scaling = match ask.choice("scaling")? {
            "standard" => Scaling::Standard,
            "range" => Scaling::Range,
            "log" => Scaling::Log,
            _ => Scaling::None,
        };
        let kernel = match ask.choice("kernel")? {
            "gaussian" => Kernel::Gaussian { gamma: ask.get("gamma")? },
            "polynomial" => {
                Kernel::Polynomial { degree: ask.get("degree")?, constant: ask.get("constant")? }
            }
            _ => Kernel::Linear,
        };
        let mut uses = [false; 11];
        for (used, (_, name)) in uses.iter_mut().zip(MEASUREMENTS) {
            *used = ask.get(name)?;
        }
        Ok(Self { scaling, kernel, c: ask.get("C")?, weight: ask.get("weight")?, uses })
    }

    /// The same as values of the [space](Self::space), to tell a study of a pipeline that it did not
    /// ask for.
    pub fn values(&self) -> Vec<Value> {
        let (gamma, degree, constant) = self.kernel.parameters();
        let absent = |value: Option<f64>| value.map_or(Value::Absent, Value::Float);
        let mut values = vec![
            self.scaling.name().into(),
            self.kernel.name().into(),
            absent(gamma),
            degree.map_or(Value::Absent, Value::from),
            absent(constant),
            self.c.into(),
            self.weight.into(),
        ];
        values.extend(self.uses.map(Value::Flag));
        values
    }

    /// The indices of the measurements that are used.
    pub fn columns(&self) -> Vec<usize> {
        (0..self.uses.len()).filter(|&column| self.uses[column]).collect()
    }

    /// A letter for each measurement that is used, and a dash for each that is not.
    pub fn letters(&self) -> String {
        let letter = |((letter, _), used)| if used { letter } else { '-' };
        MEASUREMENTS.into_iter().zip(self.uses).map(letter).collect()
    }
}

impl Scaling {
    /// The name in the space.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Range => "range",
            Self::Log => "log",
        }
    }
}

impl Kernel {
    /// The name in the space.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Gaussian { .. } => "gaussian",
            Self::Polynomial { .. } => "polynomial",
        }
    }

    /// `gamma`, `degree` and `constant`, as far as they exist.
    pub fn parameters(self) -> (Option<f64>, Option<u32>, Option<f64>) {
        match self {
            Self::Linear => (None, None, None),
            Self::Gaussian { gamma } => (Some(gamma), None, None),
            Self::Polynomial { degree, constant } => (None, Some(degree), Some(constant)),
        }
    }
}

/// In plain words.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |used: bool| -> String {
            let named = MEASUREMENTS.iter().zip(self.uses).filter(|(_, own)| *own == used);
            named.map(|((_, name), _)| *name).collect::<Vec<_>>().join(", ")
        };
        match self.columns().len() {
            11 => f.write_str("all measurements")?,
            6.. => write!(f, "all measurements but {}", names(false))?,
            _ => f.write_str(&names(true))?,
        }
        f.write_str(match self.scaling {
            Scaling::None => "; not scaled",
            Scaling::Standard => "; scaled to deviation 1",
            Scaling::Range => "; scaled to between 0 and 1",
            Scaling::Log => "; their logarithms scaled to deviation 1",
        })?;
        match self.kernel {
            Kernel::Linear => f.write_str("; a linear kernel")?,
            Kernel::Gaussian { gamma } => write!(f, "; a Gaussian kernel with gamma = {gamma:.4}")?,
            Kernel::Polynomial { degree, constant } => {
                write!(f, "; a polynomial kernel of degree {degree} with constant {constant:.3}")?;
            }
        }
        write!(f, "; C = {:.4}, and a good wine counts {:.1} times", self.c, self.weight)
    }
}
