//! Improvement over several evaluations, planned within a budget.
//!
//! The value of the best policy for `N` more evaluations with a budget `b` follows from Bellman's
//! recursion,
//!
//! ```text
//! Q_1(x | D) = EI(x | D) P(c(x) <= b)
//! Q_n(x | D) = Q_1(x | D) + E_{y,c}[ max_{x'} Q_{n-1}(x' | D + (x, y, c)) ]
//! ```
//!
//! (Astudillo, Jiang, Balandat, Bakshy, Frazier 2021, "Multi-Step Budgeted Bayesian Optimization
//! with Unknown Evaluation Costs", equations 3 to 6). The expectations are means over sampled
//! outcomes. A [`FantasyTree`] has one decision point for each sequence of samples, so the nested
//! maxima become one. The maximum over all points together of
//!
//! ```text
//! Q_1(root) + (1/m_1) sum_{j1} { Q_1(x_{j1}) + (1/m_2) sum_{j2} { Q_1(x_{j1 j2}) + .. } }
//! ```
//!
//! is the value of the best plan on these samples. The root of the plan is the point to evaluate.
//! The incumbent at a node is the best of the known outcomes and of the fantasies above it. The
//! money at a node is what the evaluations above it leave. Without costs and a budget this is the
//! multi-step expected improvement of Jiang, Jiang, Balandat, Karrer, Gardner, Garnett 2020,
//! "Efficient Nonmyopic Bayesian Optimization via One-Shot Multi-Step Trees".
//!
//! A [`Lookahead`] says how a run plans. Each step of the run makes a tree and a
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
    /// `c <= b` exactly. The gradient ignores it.
    #[default]
    Sharp,
    /// `1 / (1 + exp((c - b)/width))`, which is one half if the cost equals the money. The
    /// published comparisons use a width of 1e-3 for known costs.
    Smooth {
        /// In units of cost, positive.
        width: f64,
    },
}

/// How much of the remaining budget one plan may spend. A plan has few steps: the whole budget
/// would not limit it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Planning {
    /// The cost of as many evaluations by cost-cooled improvement,
    /// [`EI-PUC-CC`](crate::Policy::ei_puc_cc), on sampled outcomes. The run spends this amount. It
    /// is computed anew when it has fallen to the cheapest of these costs (section 4.3 of the
    /// paper; this floor is from the paper's code).
    #[default]
    Rollout,
    /// The sum of the last observed costs, as many as the plan has steps; costs of the initial
    /// design count. It is computed anew at each step. Later comparisons use this rule (Xie et al.
    /// 2024).
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
/// let study = Study::maximize(space).cost(Cost::learned()).policy(plan).build()?;
/// # drop(study);
/// # Ok::<(), gittins::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lookahead {
    /// Evaluations planned at a time, at least 1.
    pub(crate) steps: usize,
    /// Fantasies at each of the `steps - 1` levels, or one number for all of them. A single fantasy
    /// is the mean. A plan with one fantasy at each level is a path.
    pub(crate) fantasies: Vec<usize>,
    /// Whether the plan respects costs and a budget.
    pub(crate) budgeted: bool,
    /// What the suggested trials may cost together; the initial design does not count.
    pub(crate) budget: Option<f64>,
    /// How much of the budget one plan may spend.
    pub(crate) planning: Planning,
    /// Whether a known cost can be paid.
    pub(crate) boundary: Boundary,
    /// Where the next search begins. If true, from the branches whose fantasies are closest to the
    /// observation, as in the paper. If false, from all trees found before, as in the paper's code.
    pub(crate) closest_branch: bool,
}

impl Lookahead {
    /// Multi-step expected improvement of `steps` evaluations without costs and budget. `fantasies`
    /// holds one number for each level after the first, or one number for all levels.
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

    /// Begins each search from the branches closest to the observation.
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

    /// Checks the settings.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] if there is no step, if the number of levels does not match
    /// the steps, if a level has no fantasy, if a tree has more than 4096 points, if the budget is
    /// missing or not positive and finite, or if the width is not positive and finite.
    pub(crate) fn validate(&self) -> Result<()> {
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
