//! From when on a study looks at a region only, and at how many trials.

use crate::data::Domain;
use crate::error::{Error, ErrorKind, Result};
use crate::model::KernelFamily;
use crate::suggest::grid;

/// The number of complete trials that the exact model is for: beyond, a region is the default.
const AFTER: usize = 8000;

/// The number of nearest trials that the model of a region sees.
const NEAREST: usize = 1500;

/// From when on a [`Study`](crate::Study) over a space looks at a trust region only (Eriksson et
/// al. 2019, Scalable Global Optimization via Local Bayesian Optimization: TuRBO-1). The default is
/// beyond 8000 complete trials, with a model of the 1500 nearest.
///
/// An exact model of `n` trials takes `O(n^3)` time and `O(n^2)` memory. A region keeps both in
/// bounds: the models of outcome and cost see the trials nearest to its center, and every search
/// stays in its box. Acquisition, price and stopping rule are those of the study.
///
/// **The box.** Its center `x` is the [recommended](crate::Study::recommendation) trial. With the
/// model's lengthscales `l` (of 0.005 at least and 2 at most) and the geometric mean `g(l)`, it
/// reaches over
///
/// ```text
/// [x_k - L l_k / (2 g(l)), x_k + L l_k / (2 g(l))]
/// ```
///
/// of the unit cube, as far as the cube goes. Of a whole number it holds the neighboring values at
/// least.
///
/// **Its side** `L` is 0.8 at first. It doubles, to 1.6 at most, after 3 successes in a row, and is
/// halved after `max(4, d)` failures in a row. These are the numbers of the paper (section 2 and
/// its supplement). A suggested trial is a success if it is better than the best trial of the
/// region by more than a thousandth of the distance from that one to the region's median outcome.
/// (The paper's code takes a thousandth of the best outcome itself, which moves with the offset of
/// the outcomes. The median moves with nothing but the outcomes' own scale, and with no outlier.)
/// Failed and infeasible trials are failures. Trials in parallel count one by one, in the order in
/// which they are told.
///
/// **A new region** begins once `L` is below `0.5^7`. As many quasi-random points are asked for as
/// the usual initial design has, and the best of them is the center. The center then is always the
/// best trial that was asked for since, by its posterior mean. All trials are kept. A tenth of the
/// trials that the model sees are those nearest to the study's recommended trial, so that it stays
/// what a new trial must improve, wherever it lies.
///
/// **The nearest trials** are counted in lengthscales. They are chosen anew if their number has
/// grown by a quarter, or if the center has moved by a quarter of their radius; in between, each
/// new trial joins them. Failed and infeasible trials come with them if they are as near.
///
/// **A verdict judges the region**, and says so: "no place of this box is worth its price, as far as
/// the nearest trials tell". A model without the far trials takes far places for unknown, so it has
/// no say about them. For the Gittins rule with price `lambda`, cost `c` and the incumbent `V`
/// (that of the whole study), the condition is the rule's own with the box `A` in place of the
/// cube:
///
/// ```text
/// stop    iff    max over A of g(x) <= V    iff    EI(x; V) <= lambda c(x) for every x in A
/// ```
///
/// It is the rule of the problem whose closed boxes are those of `A`. Every box that is open still
/// counts, wherever it lies. Two things follow.
///
/// - *The run has not spent too much.* While the rule does not fire, the next trial has
///   `EI > lambda c`: the incumbent, less what was paid for it, does not fall in expectation. That
///   is all that theorem 1 of Xie et al. 2025 (Cost-aware Stopping for Bayesian Optimization)
///   needs. It holds step by step, whatever `A` is, if `A` follows from what was told. So a run
///   that ends at its first stop spends no more than it could hope to gain, as in the whole cube,
///   as far as the model of the nearest trials is right. The points that a new region begins with
///   are not chosen by their worth, and the bound does not cover their price.
/// - *It does not say that nothing is left elsewhere.* Outside of `A`, something may be worth its
///   price. A smaller box is judged sooner, since less of the unknown is in it.
///
/// A study that is asked on after a stop goes on by its schedule: failures shrink the box, and in the
/// end a new region begins. While it begins, the verdict is to continue. Whether another region is
/// worth the price of its beginning is for you to say: there is no model of it.
///
/// A table, and a space of at most 4096 points, are always looked through as a whole. They have no
/// regions. With the spherical linear kernel, whose cost does not grow like that, there is a region
/// only if it is asked for.
///
/// ```
/// use gittins::study::TrustRegion;
/// use gittins::{Space, Study};
/// let space = Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0);
/// let region = TrustRegion::after(500).nearest(300);
/// let study = Study::minimize(space).trust_region(region).build()?;
/// # drop(study);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TrustRegion {
    /// Whether it was asked for.
    asked: bool,
    after: Option<usize>,
    nearest: usize,
}

impl Default for TrustRegion {
    /// Beyond 8000 complete trials, with a model of the 1500 nearest.
    fn default() -> Self {
        Self { asked: false, after: Some(AFTER), nearest: NEAREST }
    }
}

impl TrustRegion {
    /// No region: the model sees every trial, however many there are.
    pub fn never() -> Self {
        Self { after: None, ..Self::default() }
    }

    /// A region beyond this number of complete trials; 0 for one from the first trial on.
    pub fn after(trials: usize) -> Self {
        Self { asked: true, after: Some(trials), ..Self::default() }
    }

    /// How many of the nearest complete trials the model sees; 1500 unless set. Between two choices
    /// of them it sees up to a quarter more. The paper has 1000 to 2000 in mind.
    pub fn nearest(mut self, trials: usize) -> Self {
        self.nearest = trials;
        self
    }

    /// The number of trials that the model sees.
    pub(super) fn seen(&self) -> usize {
        self.nearest
    }

    /// The number of complete trials beyond which a study over this domain has a region, if it ever
    /// has.
    ///
    /// # Errors
    /// `InvalidSetting` for a region of no trial, and for one that was asked for over a domain that
    /// is searched as a whole.
    pub(super) fn over(&self, domain: &Domain, family: KernelFamily) -> Result<Option<usize>> {
        let invalid = |message: &str| Err(Error::new(ErrorKind::InvalidSetting, message));
        if self.nearest == 0 {
            return invalid("the model of a trust region needs at least one trial, got 0");
        }
        let whole = match domain {
            Domain::Table(_) => Some("a table is looked through row by row"),
            Domain::Space(space) if grid(space).is_some() => {
                Some("a space of so few points is looked through as a whole")
            }
            Domain::Space(space) if !space.is_plain() => {
                Some("a space with names, flags, conditions or constraints is no box")
            }
            Domain::Space(_) => None,
        };
        match whole {
            Some(why) if self.asked => invalid(&format!("{why}, and has no trust regions")),
            Some(_) => Ok(None),
            // A fit of this kernel costs O(n d^2).
            None if family == KernelFamily::SphericalLinear && !self.asked => Ok(None),
            None => Ok(self.after),
        }
    }
}
