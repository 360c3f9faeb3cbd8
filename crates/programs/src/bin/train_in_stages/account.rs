//! Money that is spent on trainings: what was paid for, and what it brought.

use std::time::Instant;

use serde::Serialize;

use crate::training::{EPOCHS, REPORTS, Setting, Training, Wines};

/// How seconds are counted.
#[derive(Clone, Copy, PartialEq)]
pub enum Meter {
    /// By the multiply-adds of a training: the same on every machine.
    Work,
    /// By the clock.
    Clock,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It came to its end.
    Finished,
    /// It was left, and could have gone on.
    Left,
    /// It broke, or the money was out in its middle.
    Abandoned,
}

/// A run, and what was paid for it.
pub struct Run {
    /// The training, while it may go on.
    training: Option<Training>,
    pub setting: Setting,
    /// Epochs and validation loss at each report.
    pub reports: Vec<(u32, f64)>,
    /// What it cost, in seconds.
    pub seconds: f64,
    pub ending: Ending,
}

/// The best finished run so far, from a moment on.
#[derive(Clone, Copy, Serialize)]
pub struct InHand {
    /// The seconds that were spent by then.
    pub spent: f64,
    pub loss: f64,
    pub test_error: f64,
    pub run: usize,
}

/// What a stage brought.
pub enum Stage {
    /// The validation loss at its end, and its seconds.
    Loss(f64, f64),
    /// The training broke, after these seconds.
    Broke(f64),
    /// The money was out before its end.
    Out,
}

/// Money and runs of one way to spend it.
pub struct Account<'a> {
    wines: &'a Wines,
    meter: Meter,
    seed: u64,
    pub budget: f64,
    pub spent: f64,
    pub runs: Vec<Run>,
    pub in_hand: Vec<InHand>,
    /// Is told the share of the money that is spent.
    watch: &'a dyn Fn(f64),
}

impl<'a> Account<'a> {
    pub fn new(
        wines: &'a Wines,
        meter: Meter,
        budget: f64,
        seed: u64,
        watch: &'a dyn Fn(f64),
    ) -> Self {
        let (runs, in_hand) = (Vec::new(), Vec::new());
        Self { wines, meter, seed, budget, spent: 0.0, runs, in_hand, watch }
    }

    /// Whether the money is spent.
    pub fn is_out(&self) -> bool {
        self.spent >= self.budget
    }

    /// Begins a run, which has its number.
    pub fn begin(&mut self, setting: Setting) -> usize {
        let training = Some(Training::new(setting, self.wines, self.seed));
        self.runs.push(Run {
            training,
            setting,
            reports: Vec::new(),
            seconds: 0.0,
            ending: Ending::Left,
        });
        self.runs.len() - 1
    }

    /// Pays for a run until this epoch, through all reports on the way.
    pub fn train(&mut self, number: usize, until: u32) -> Stage {
        let mut paid = 0.0;
        loop {
            let done = self.runs[number].reports.last().map_or(0, |(epochs, _)| *epochs);
            let next = REPORTS.into_iter().find(|&report| report > done).unwrap_or(EPOCHS);
            match self.stage(number, next) {
                Stage::Loss(_, seconds) if next < until => paid += seconds,
                Stage::Loss(loss, seconds) => return Stage::Loss(loss, paid + seconds),
                Stage::Broke(seconds) => return Stage::Broke(paid + seconds),
                Stage::Out => return Stage::Out,
            }
        }
    }

    /// Pays for a run until its next report. What the money does not reach for is not counted.
    fn stage(&mut self, number: usize, until: u32) -> Stage {
        let run = &mut self.runs[number];
        let Some(training) = &mut run.training else { return Stage::Broke(0.0) };
        let (start, epochs) = (Instant::now(), until - training.epochs());
        training.train(self.wines, until);
        let loss = training.validation_loss(self.wines);
        let seconds = match self.meter {
            Meter::Work => run.setting.seconds(self.wines, epochs),
            Meter::Clock => start.elapsed().as_secs_f64(),
        };
        let left = self.budget - self.spent;
        let paid = seconds.min(left);
        run.seconds += paid;
        self.spent += paid;
        (self.watch)(self.spent / self.budget);
        if seconds > left {
            // A rounding must not leave a rest.
            self.spent = self.budget;
        }
        let Some(loss) = loss.filter(|_| seconds <= left) else {
            (run.ending, run.training) = (Ending::Abandoned, None);
            return if seconds > left { Stage::Out } else { Stage::Broke(seconds) };
        };
        run.reports.push((until, loss));
        if until >= EPOCHS {
            run.ending = Ending::Finished;
            if self.in_hand.last().is_none_or(|best| loss < best.loss) {
                let test_error = training.test_error(self.wines);
                self.in_hand.push(InHand { spent: self.spent, loss, test_error, run: number });
            }
            run.training = None;
        }
        Stage::Loss(loss, seconds)
    }

    /// The seconds after which a finished run was as good as this.
    pub fn reached(&self, level: f64) -> Option<f64> {
        self.in_hand.iter().find(|best| best.loss <= level).map(|best| best.spent)
    }

    /// How many runs ended so.
    pub fn count(&self, ending: Ending) -> usize {
        self.runs.iter().filter(|run| run.ending == ending).count()
    }
}
