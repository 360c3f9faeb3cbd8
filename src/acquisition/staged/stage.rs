//! One stage of a run.

use crate::error::{Error, ErrorKind, Result};

/// One stage of a run that is paid for in stages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// The deviation `s` by which the posterior mean of the end moves once the stage is seen.
    pub sd: f64,
    /// The price `p` of the stage, in units of the outcome: `lambda` times its expected cost.
    pub price: f64,
    /// The probability `q` that the run survives the stage.
    pub survival: f64,
}

impl Stage {
    /// A stage that no run fails in.
    pub fn new(sd: f64, price: f64) -> Self {
        Self { sd, price, survival: 1.0 }
    }

    pub(super) fn validate(&self) -> Result<()> {
        let Self { sd, price, survival } = *self;
        let refused = |message: String| Err(Error::new(ErrorKind::InvalidSetting, message));
        if !(sd >= 0.0 && sd.is_finite()) {
            return refused(format!("expected a finite deviation of at least 0, got {sd}"));
        }
        if !(price > 0.0 && price.is_finite()) {
            return refused(format!("expected a finite price above 0, got {price}"));
        }
        if !(survival > 0.0 && survival <= 1.0) {
            return refused(format!("expected a chance of survival in (0, 1], got {survival}"));
        }
        Ok(())
    }
}
