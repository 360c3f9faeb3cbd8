//! The families of kernels, each as a function of a distance.
//!
//! All that differs between families is in this file and in `shaders/model/kernel.wgsl`. Each fact
//! is one exhaustive match, so the compiler names every place that a new family needs.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::math::simd::{exp_nonpositive, multiply_add};
#[cfg(feature = "gpu")]
use crate::math::wgsl::has_cases;
use crate::math::wgsl::wgsl_enum;

wgsl_enum! {
    /// The shape of a kernel: `k = s R`.
    ///
    /// All but the last are stationary, functions of the scaled distance `r` (Rasmussen & Williams
    /// 2006, section 4.2).
    ///
    /// [`Display`](fmt::Display) prints the [name](Self::name) of a family, and [`FromStr`] reads
    /// it.
    #[derive(Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
    #[non_exhaustive]
    pub enum KernelFamily {
        /// `R = exp(-r)`: continuous, nowhere differentiable paths.
        Matern12 = "KERNEL_MATERN12",
        /// `R = (1 + a) exp(-a)`, `a = sqrt(3) r`: once differentiable paths.
        Matern32 = "KERNEL_MATERN32",
        /// `R = (1 + a + a^2 / 3) exp(-a)`, `a = sqrt(5) r`: twice differentiable paths, the usual
        /// choice.
        #[default]
        Matern52 = "KERNEL_MATERN52",
        /// `R = exp(-r^2 / 2)`: infinitely smooth paths.
        Rbf = "KERNEL_RBF",
        /// `R = P(u)' P(u')`, the linear kernel after inverse stereographic projection onto the
        /// unit sphere of `R^(d+1)` (Doumont et al. 2025, arXiv:2512.00170):
        ///
        /// ```text
        /// u = (x - 1/2) / l,   P(u) = (2 u, |u|^2 - 1) / (|u|^2 + 1)
        /// ```
        ///
        /// for points `x` of the unit cube, one lengthscale per input. Its rank is `d + 1`. `n`
        /// observations, more than that, take O(n d^2) instead of O(n^3) to fit and to condition
        /// on, and a prediction takes O(d^2). It suits many inputs and many observations. It is a
        /// rough model of few inputs: a path has one hill and one valley on the sphere.
        ///
        /// Lengthscales mean what they mean elsewhere: a long one makes its input count less. Under
        /// the default prior a fit begins with the corners of the cube at `|u|^2 = 5`, beyond the
        /// equator.
        ///
        /// The paper also has a constant in the kernel, which the learned mean stands for here, and
        /// a global lengthscale, which is one number too many if every input has its own.
        SphericalLinear = "KERNEL_SPHERICAL_LINEAR",
    }
}

// A family without a case in the shader does not compile.
#[cfg(feature = "gpu")]
const _: () =
    assert!(has_cases(include_str!("../../shaders/model/kernel.wgsl"), KernelFamily::WGSL_NAMES));

impl KernelFamily {
    /// The name: `matern12`, `matern32`, `matern52`, `rbf` or `spherical_linear`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Matern12 => "matern12",
            Self::Matern32 => "matern32",
            Self::Matern52 => "matern52",
            Self::Rbf => "rbf",
            Self::SphericalLinear => "spherical_linear",
        }
    }

    /// The coordinates in which the kernel is a function of the distance.
    pub(crate) const fn embedding(self) -> Embedding {
        match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Rbf => Embedding::Scaled,
            Self::SphericalLinear => Embedding::Sphere,
        }
    }

    /// The rank of the kernel in `dim` dimensions, if it has one. A covariance of more points is
    /// singular.
    pub(crate) fn rank(self, dim: usize) -> Option<usize> {
        match self.embedding() {
            Embedding::Scaled => None,
            Embedding::Sphere => Some(dim + 1),
        }
    }

    /// Refuses a kernel that is not stationary, for what needs frequencies or factors.
    #[doc(hidden)]
    pub fn check_stationary(self, what: &str) -> Result<()> {
        match self.embedding() {
            Embedding::Scaled => Ok(()),
            Embedding::Sphere => Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("{what}: expected a stationary kernel, got {self}"),
            )),
        }
    }

    /// Twice the smoothness `nu`; none for the squared exponential, the limit of large `nu`, and
    /// for a kernel that is not stationary.
    pub(super) fn twice_nu(self) -> Option<u8> {
        match self {
            Self::Matern12 => Some(1),
            Self::Matern32 => Some(3),
            Self::Matern52 => Some(5),
            Self::Rbf | Self::SphericalLinear => None,
        }
    }

    /// `-R''(0)`, the mean square of the slope of a path with lengthscale 1 and outputscale 1; none
    /// if the paths have no slope, or not the same one everywhere.
    pub(crate) fn squared_slope(self) -> Option<f64> {
        match self {
            Self::Matern12 | Self::SphericalLinear => None,
            Self::Matern32 => Some(3.0),
            Self::Matern52 => Some(5.0 / 3.0),
            Self::Rbf => Some(1.0),
        }
    }

    /// Runs a computation that is compiled once for each family.
    pub(super) fn dispatch<C: ForShape>(self, computation: C) {
        match self {
            Self::Matern12 => computation.run::<Matern12>(),
            Self::Matern32 => computation.run::<Matern32>(),
            Self::Matern52 => computation.run::<Matern52>(),
            Self::Rbf => computation.run::<Rbf>(),
            Self::SphericalLinear => computation.run::<SphericalLinear>(),
        }
    }
}

impl fmt::Display for KernelFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for KernelFamily {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::new(
                ErrorKind::InvalidSetting,
                format!("expected a kernel family, one of {names}, got {name:?}"),
            )
        })
    }
}

/// The coordinates in which a kernel is a function of the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// The inputs over the lengthscales.
    Scaled,
    /// Those on the unit sphere of `R^(d+1)`.
    Sphere,
}

impl Embedding {
    /// Coordinates of a point of `dim` inputs.
    pub const fn width(self, dim: usize) -> usize {
        match self {
            Self::Scaled => dim,
            Self::Sphere => dim + 1,
        }
    }
}

/// A computation over kernel values, for any family.
pub(super) trait ForShape {
    /// Runs it for one family.
    fn run<S: Shape>(self);
}

/// A family as a type. Loops are compiled for each family alone.
pub(super) trait Shape {
    /// `(R(r), -R'(r) / r)` from `r^2`. `FMA` says whether the machine has fused multiply-add.
    fn unit<const FMA: bool>(squared: f64) -> (f64, f64);
}

/// `R = exp(-r)`. At `r = 0` the slope does not exist. It is set to zero, the mean of its one-sided
/// limits.
pub(super) struct Matern12;

impl Shape for Matern12 {
    #[inline(always)]
    fn unit<const FMA: bool>(squared: f64) -> (f64, f64) {
        let r = squared.sqrt();
        let e = exp_nonpositive::<FMA>(-r);
        (e, if r > 0.0 { e / r } else { 0.0 })
    }
}

/// `R = (1 + a) exp(-a)`, `a = sqrt(3) r`.
pub(super) struct Matern32;

impl Shape for Matern32 {
    #[inline(always)]
    fn unit<const FMA: bool>(squared: f64) -> (f64, f64) {
        let a = (3.0 * squared).sqrt();
        let e = exp_nonpositive::<FMA>(-a);
        (multiply_add::<FMA>(a, e, e), 3.0 * e)
    }
}

/// `R = (1 + a + a^2 / 3) exp(-a)`, `a = sqrt(5) r`.
pub(super) struct Matern52;

impl Shape for Matern52 {
    #[inline(always)]
    fn unit<const FMA: bool>(squared: f64) -> (f64, f64) {
        let a = (5.0 * squared).sqrt();
        let e = exp_nonpositive::<FMA>(-a);
        let slope = multiply_add::<FMA>(a, e, e);
        (multiply_add::<FMA>(squared * (5.0 / 3.0), e, slope), slope * (5.0 / 3.0))
    }
}

/// `R = exp(-r^2 / 2)`.
pub(super) struct Rbf;

impl Shape for Rbf {
    #[inline(always)]
    fn unit<const FMA: bool>(squared: f64) -> (f64, f64) {
        let e = exp_nonpositive::<FMA>(-0.5 * squared);
        (e, e)
    }
}

/// The product of two points of the unit sphere is `1 - r^2 / 2`, with their distance `r`.
pub(super) struct SphericalLinear;

impl Shape for SphericalLinear {
    #[inline(always)]
    fn unit<const FMA: bool>(squared: f64) -> (f64, f64) {
        (multiply_add::<FMA>(squared, -0.5, 1.0), 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_is_read_from_its_name() {
        for family in KernelFamily::ALL {
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        let error = "matern72".parse::<KernelFamily>().unwrap_err();
        let words = "expected a kernel family, one of matern12, matern32, matern52, rbf, \
                     spherical_linear, got \"matern72\"";
        assert_eq!(
            (error.kind(), error.to_string()),
            (ErrorKind::InvalidSetting, words.to_owned())
        );
    }

    #[test]
    fn the_squared_slope_follows_from_the_smoothness() {
        for family in KernelFamily::ALL {
            if family.rank(1).is_some() {
                assert_eq!(family.squared_slope(), None);
                continue;
            }
            let expected = match family.twice_nu().map(f64::from) {
                None => Some(1.0),
                Some(1.0) => None,
                Some(twice_nu) => Some(twice_nu / (twice_nu - 2.0)),
            };
            assert_eq!(family.squared_slope(), expected);
        }
    }
}
