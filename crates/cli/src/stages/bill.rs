//! What a report costs.

use crate::words::show;

/// Where the cost of a stage comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bill {
    /// The seconds since the report before.
    WallTime,
    /// Each line of the output that is a report has its cost.
    Output,
    /// A whole run costs 1, and a stage its share of it.
    Share,
    /// The last stage of a run costs 1, and each the share that is done after it.
    Anew,
}

/// What a run has cost since its last report that was told.
#[derive(Debug, Clone)]
pub struct Meter {
    bill: Bill,
    total: f64,
    /// The moment up to which all is told, in seconds.
    since: f64,
    /// What processes before this one cost after their last report.
    carried: f64,
    /// What the lines since then say.
    printed: f64,
    /// The progress up to which all is told.
    told: f64,
}

impl Meter {
    /// Begins at a moment, at a progress, with what is still to be paid.
    pub fn new(bill: Bill, total: f64, (since, told): (f64, f64), carried: f64) -> Self {
        Self { bill, total, since, carried, printed: 0.0, told }
    }

    /// Takes the cost of a line.
    ///
    /// # Errors
    /// Why it is none.
    pub fn line(&mut self, cost: Option<&Result<f64, String>>) -> Result<(), String> {
        let Some(cost) = cost else { return Ok(()) };
        match cost {
            Ok(cost) if *cost >= 0.0 && cost.is_finite() => self.printed += cost,
            Ok(cost) => return Err(format!("{} is not a cost", show::number(*cost))),
            Err(why) => return Err(why.clone()),
        }
        Ok(())
    }

    /// What is to be paid at a moment and a progress.
    pub fn due(&self, now: f64, progress: f64) -> f64 {
        match self.bill {
            Bill::WallTime => self.carried + (now - self.since).max(0.0),
            Bill::Output => self.carried + self.printed,
            // What was not told is told with the progress that comes.
            Bill::Share => (progress - self.told).max(0.0) / self.total,
            Bill::Anew => progress / self.total,
        }
    }

    /// All is told up to a moment and a progress.
    pub fn paid(&mut self, now: f64, progress: f64) {
        self.since = now;
        self.told = progress;
        self.carried = 0.0;
        self.printed = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cost_is_paid_once() {
        let due = |bill| {
            let mut meter = Meter::new(bill, 10.0, (100.0, 0.0), 0.25);
            meter.line(Some(&Ok(3.0))).unwrap();
            meter.line(Some(&Ok(4.0))).unwrap();
            let first = meter.due(102.0, 2.5);
            meter.paid(102.0, 2.5);
            meter.line(Some(&Ok(1.0))).unwrap();
            [first, meter.due(103.5, 5.0)]
        };
        assert_eq!(due(Bill::WallTime), [2.25, 1.5]);
        assert_eq!(due(Bill::Output), [7.25, 1.0]);
        assert_eq!(due(Bill::Share), [0.25, 0.25]);
        assert_eq!(due(Bill::Anew), [0.25, 0.5]);
    }

    #[test]
    fn what_is_no_cost_is_named() {
        let mut meter = Meter::new(Bill::Output, 1.0, (0.0, 0.0), 0.0);
        assert_eq!(meter.line(Some(&Ok(-1.0))), Err("-1 is not a cost".to_owned()));
        assert_eq!(meter.line(Some(&Ok(f64::NAN))), Err("NaN is not a cost".to_owned()));
        assert_eq!(meter.due(9.0, 1.0), 0.0);
    }
}
