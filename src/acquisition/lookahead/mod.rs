//! Improvement over several evaluations, planned under a budget.
//!
//! The best policy for `N` more evaluations with `b` left to pay them from has a value by Bellman's
//! recursion,
//!
//! ```text
//! Q_1(x | D) = EI(x | D) P(c(x) <= b)
//! Q_n(x | D) = Q_1(x | D) + E_{y,c}[ max_{x'} Q_{n-1}(x' | D + (x, y, c)) ]
//! ```
//!
//! (Astudillo, Jiang, Balandat, Bakshy, Frazier 2021, "Multi-Step Budgeted Bayesian Optimization
//! with Unknown Evaluation Costs", equations 3 to 6). The expectations are means over sampled
//! outcomes, and the nested maxima become one: with a decision point for each sequence of samples,
//! a [`FantasyTree`], the maximum over all points together,
//!
//! ```text
//! Q_1(root) + (1/m_1) sum_{j1} { Q_1(x_{j1}) + (1/m_2) sum_{j2} { Q_1(x_{j1 j2}) + .. } }
//! ```
//!
//! is the value of the best plan on these samples, and its root the point to evaluate. At each node
//! the incumbent is the best of what is known and of the fantasies above, and the money what these
//! have left. Without costs and a budget it is the multi-step expected improvement of Jiang, Jiang,
//! Balandat, Karrer, Gardner, Garnett 2020, "Efficient Nonmyopic Bayesian Optimization via One-Shot
//! Multi-Step Trees".
//!
//! A [`Lookahead`] says how a run is to plan; each of its steps makes a tree and an
//! [`Joint::MultiStepImprovement`](super::Joint::MultiStepImprovement) of it.

mod factor;
mod tree;
mod value;

use crate::error::{Error, ErrorKind, Result, check_positive};

pub use tree::FantasyTree;

pub(crate) use factor::LANES;
pub(crate) use value::{Likelihood, Purse, Valuation};

/// Whether an evaluation of known cost `c` can be paid from `b`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Boundary {
    /// `c <= b`, as it is; the gradient knows nothing of it.
    #[default]
    Sharp,
    /// `1 / (1 + exp((c - b)/width))`, one half where all is spent: with a width of 1e-3 what the
    /// published comparisons use for known costs.
    Smooth {
        /// In units of cost, positive.
        width: f64,
    },
}

/// How much of what is left one plan may spend: with few steps a plan from all of it would see no
/// bound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Planning {
    /// What as many evaluations by cost-cooled improvement would cost, on sampled outcomes,
    /// [`EI-PUC-CC`](crate::Policy::ei_puc_cc): spent as the run pays, and found anew once it falls
    /// to the cheapest of these costs (section 4.3 of the paper; the floor is its code's).
    #[default]
    Rollout,
    /// The sum of the last costs told, as many as the plan has steps, those of the initial design
    /// among them; found anew at each step. The rule of later comparisons (Xie et al. 2024).
    Recent,
    /// All that is left.
    Whole,
}

/// How a run plans several steps: a setting of [`Policy`](crate::Policy).
///
/// ```
/// use gittins::{Acquisition, Cost, Space, Study};
///
/// let plan = Acquisition::budgeted_lookahead(4, &[1]).budget(40.0);
/// let space = Space::new().float("x", 0.0, 1.0).float("y", 0.0, 1.0);
/// let study = Study::maximize(space).cost(Cost::learned()).acquisition(plan).build()?;
/// # drop(study);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lookahead {
    /// Evaluations planned at a time, at least 1.
    pub steps: usize,
    /// Fantasies at each of the `steps - 1` levels, or one number for all of them. A single one is
    /// the mean, and a plan of them a path.
    pub fantasies: Vec<usize>,
    /// Whether costs and a budget count.
    pub budgeted: bool,
    /// What the suggested trials may cost together; the initial design does not count.
    pub budget: Option<f64>,
    /// How much of it a plan may spend.
    pub planning: Planning,
    /// Whether a known cost can be paid.
    pub boundary: Boundary,
    /// Whether the next search begins from the branches whose fantasies are closest to what was
    /// observed, as the paper has it, in place of all of the trees found before, as its code does.
    pub closest_branch: bool,
}

impl Lookahead {
    /// Multi-step expected improvement without costs and budget: `steps` evaluations, with
    /// `fantasies` at each level after the first (or one number for all levels).
    pub fn new(steps: usize, fantasies: &[usize]) -> Self {
        Self {
            steps,
            fantasies: fantasies.to_vec(),
            budgeted: false,
            budget: None,
            planning: Planning::default(),
            boundary: Boundary::default(),
            closest_branch: false,
        }
    }

    /// What the suggested trials may cost together, in the units of cost.
    pub fn budget(mut self, budget: f64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// How much of the budget one plan may spend.
    pub fn planning(mut self, planning: Planning) -> Self {
        self.planning = planning;
        self
    }

    /// Whether a known cost can be paid.
    pub fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    /// Begins each search from the branches closest to what was observed.
    pub fn closest_branch(mut self) -> Self {
        self.closest_branch = true;
        self
    }

    /// Fantasies of each level.
    pub(crate) fn levels(&self) -> Vec<usize> {
        match *self.fantasies {
            [all] => vec![all; self.steps.saturating_sub(1)],
            _ => self.fantasies.clone(),
        }
    }

    /// Settings that make no sense are errors.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`]: no step, another number of levels than the steps need, a
    /// level without a fantasy, a tree of more than 4096 points, a budget that is missing or not
    /// positive and finite, a width that is not.
    pub fn validate(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        if self.steps == 0 {
            return wrong("a lookahead plans at least one step, got 0".into());
        }
        let levels = self.levels();
        if levels.len() != self.steps - 1 {
            let (steps, given) = (self.steps, &self.fantasies);
            return wrong(format!(
                "a lookahead of {steps} steps has {} levels of fantasies, got {given:?}",
                steps - 1
            ));
        }
        tree::check(&levels)?;
        self.boundary.validate()?;
        match self.budget {
            Some(budget) => check_positive("the budget of the lookahead", budget),
            None if self.budgeted => {
                wrong("a budgeted lookahead needs a budget: give it one by `budget`".into())
            }
            None => Ok(()),
        }
    }
}

impl Boundary {
    pub(super) fn validate(&self) -> Result<()> {
        match *self {
            Self::Sharp => Ok(()),
            Self::Smooth { width } => check_positive("the width of the boundary", width),
        }
    }
}
