//! Which policies can choose where numbers are measured beside the outcome.

use crate::acquisition::{Acquisition, Pointwise};
use crate::data::Measures;
use crate::error::{Error, ErrorKind, Result};
use crate::suggest::policy::{Kind, Policy};

impl Policy {
    /// Checks that it can choose where numbers are measured beside the outcome.
    ///
    /// # Errors
    /// `InvalidSetting` for a policy that ignores limits, and for one that knows one objective only.
    pub(crate) fn check_measures(&self, measures: &Measures) -> Result<()> {
        let refused = |message: &str| Err(Error::new(ErrorKind::InvalidSetting, message));
        if measures.limits().len() > 0 && !self.heeds_usable() {
            return refused(
                "this policy ignores limits on measured numbers: take the Gittins index or an expected improvement",
            );
        }
        if measures.have_objectives() && !self.improves_fronts() {
            return refused(
                "this policy knows one objective: take the Gittins index at a price, log_ei or log_eipc",
            );
        }
        Ok(())
    }

    /// Whether it can be that of several objectives: a price, a budget, or the plain improvement, per
    /// cost or not.
    fn improves_fronts(&self) -> bool {
        match &self.kind {
            Kind::WithinBudget => true,
            Kind::Fixed(acquisition) => matches!(
                acquisition,
                Acquisition::Pointwise(
                    Pointwise::Gittins { .. }
                        | Pointwise::LogExpectedImprovement
                        | Pointwise::LogExpectedImprovementPerCost { .. }
                )
            ),
            _ => false,
        }
    }

    /// Whether it weighs that a trial may be of no use.
    fn heeds_usable(&self) -> bool {
        match &self.kind {
            Kind::Fixed(acquisition) => acquisition.heeds_usable(),
            Kind::GittinsDecay { .. }
            | Kind::GittinsAdaptive { .. }
            | Kind::WithinBudget
            | Kind::CostCooling { .. }
            | Kind::MaxValueEntropy(_)
            | Kind::KnowledgeGradient { .. }
            | Kind::Lookahead(_) => true,
            Kind::ConfidenceSchedule(_) | Kind::Thompson | Kind::Estimation(_) => false,
        }
    }
}
