//! What is seen while runs in stages go on.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::show::{money, number};

/// How all stands, on a terminal.
const STANDING: &str = "{spinner} {elapsed:>4} {prefix}\n       {wide_msg}";

/// A trial under way, on a terminal.
const TRIAL: &str = "{prefix:>5}  {wide_msg}";

/// A trial that goes on.
#[derive(Debug, Clone)]
pub struct Live {
    /// The progress of its last report.
    pub progress: f64,
    /// The progress of its next stage.
    pub until: f64,
    /// The progress of its end.
    pub total: f64,
    /// Its last outcome.
    pub outcome: Option<f64>,
    /// What it has cost.
    pub cost: f64,
    /// What it is expected to come to, and to cost still.
    pub forecast: Option<String>,
}

/// A report that was told.
#[derive(Debug)]
pub struct Stage {
    /// The number of the trial.
    pub number: usize,
    /// How far it is.
    pub progress: f64,
    /// Its outcome there.
    pub outcome: f64,
    /// What it cost since the report before.
    pub cost: f64,
    /// What the trial does now.
    pub words: String,
    /// Whether that is to go on.
    pub goes_on: bool,
    /// The best outcome in hand.
    pub best: Option<f64>,
    /// What all trials have cost.
    pub spent: f64,
    /// Its values.
    pub values: String,
}

/// On a terminal a line for each trial under way and one for all of them, and above a line for each
/// trial that is left. In a pipe a line for each stage.
pub struct Screen {
    bars: Option<Bars>,
    /// Lines go to the standard error, because the result is one JSON object.
    aside: bool,
    unit: Option<String>,
    best: Option<f64>,
    spent: f64,
}

struct Bars {
    all: MultiProgress,
    standing: ProgressBar,
    trials: BTreeMap<usize, (ProgressBar, Live)>,
}

impl Bars {
    fn new() -> Self {
        let all = MultiProgress::new();
        let standing = all.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template(STANDING) {
            standing.set_style(style);
        }
        standing.enable_steady_tick(Duration::from_millis(200));
        Self { all, standing, trials: BTreeMap::new() }
    }
}

impl Screen {
    /// Begins.
    pub fn new(json: bool, unit: Option<String>) -> Self {
        let terminal = io::stderr().is_terminal() && (json || io::stdout().is_terminal());
        Self { bars: terminal.then(Bars::new), aside: json, unit, best: None, spent: 0.0 }
    }

    /// What is known before anything happens.
    pub fn knows(&mut self, best: Option<f64>, spent: f64) {
        (self.best, self.spent) = (best, spent);
    }

    /// Prints a line above those that stay.
    pub fn say(&self, line: &str) {
        let print = || {
            // A reader that went away does not end what it paid for.
            let _ = match self.aside {
                true => writeln!(io::stderr(), "{line}"),
                false => writeln!(io::stdout(), "{line}"),
            };
        };
        match &self.bars {
            Some(bars) => bars.all.suspend(print),
            None => print(),
        }
    }

    /// What the verdict says.
    pub fn verdict(&self, words: String) {
        if let Some(bars) = &self.bars {
            bars.standing.set_message(words);
        }
    }

    /// A trial begins or is resumed.
    pub fn began(&mut self, trial: usize, live: &Live, running: usize) {
        if let Some(bars) = &mut self.bars {
            let bar = bars.all.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template(TRIAL) {
                bar.set_style(style);
            }
            bar.set_prefix(trial.to_string());
            bars.trials.insert(trial, (bar, live.clone()));
        }
        self.moves(trial, live.progress, live.outcome, 0.0);
        self.stands(running);
    }

    /// A trial printed something, and owes what it cost since its last report.
    pub fn moves(&self, trial: usize, progress: f64, outcome: Option<f64>, owed: f64) {
        let Some((bar, live)) = self.bars.as_ref().and_then(|bars| bars.trials.get(&trial)) else {
            return;
        };
        let [at, until, total] = [progress, live.until, live.total].map(number);
        let outcome = outcome.or(live.outcome).map_or("-".to_owned(), number);
        let mut words = format!(
            "{at} of {total}, stage {until}: {outcome}  cost {}",
            self.money(live.cost + owed)
        );
        if let Some(forecast) = &live.forecast {
            words += &format!("  {forecast}");
        }
        bar.set_message(words);
    }

    /// A report was told.
    pub fn staged(&mut self, stage: &Stage, live: &Live, running: usize) {
        (self.best, self.spent) = (stage.best, stage.spent);
        if let Some((_, known)) =
            self.bars.as_mut().and_then(|bars| bars.trials.get_mut(&stage.number))
        {
            *known = live.clone();
        }
        self.moves(stage.number, stage.progress, Some(stage.outcome), 0.0);
        if self.bars.is_none() || !stage.goes_on {
            self.say(&self.text(stage, live));
        }
        self.stands(running);
    }

    fn text(&self, stage: &Stage, live: &Live) -> String {
        let [progress, total, outcome] = [stage.progress, live.total, stage.outcome].map(number);
        let mut parts = vec![format!("{:>5}  {progress} of {total}: {outcome:<9}", stage.number)];
        parts.extend(stage.best.map(|best| format!("best {:<9}", number(best))));
        parts.push(format!("cost {}", self.money(stage.cost)));
        parts.push(format!("spent {}", self.money(stage.spent)));
        parts.push(match &live.forecast {
            Some(forecast) => format!("{}; {forecast}", stage.words),
            None => stage.words.clone(),
        });
        parts.push(stage.values.clone());
        parts.join("  ")
    }

    /// A trial failed.
    pub fn failed(&mut self, trial: usize, why: &str, cost: f64, spent: f64, values: &str) {
        self.spent = spent;
        let [cost, spent] = [cost, spent].map(|cost| self.money(cost));
        self.say(&format!("{trial:>5}  failed: {why}  cost {cost}  spent {spent}  {values}"));
    }

    /// Nobody works here on a trial any more.
    pub fn over(&mut self, trial: usize, running: usize) {
        if let Some(bars) = &mut self.bars
            && let Some((bar, _)) = bars.trials.remove(&trial)
        {
            bar.finish_and_clear();
            bars.all.remove(&bar);
        }
        self.stands(running);
    }

    fn stands(&self, running: usize) {
        if let Some(bars) = &self.bars {
            let best = self.best.map_or("none yet".to_owned(), number);
            let spent = self.money(self.spent);
            bars.standing.set_prefix(format!("{running} running; best {best}; spent {spent}"));
        }
    }

    fn money(&self, cost: f64) -> String {
        money(cost, self.unit.as_deref())
    }

    /// Takes away what stays.
    pub fn finish(&self) {
        if let Some(bars) = &self.bars {
            bars.standing.finish_and_clear();
            let _ = bars.all.clear();
        }
    }
}
