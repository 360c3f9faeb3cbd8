//! What is seen of a run while it goes on.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::front::Standing as Front;
use crate::show::{digits, money, number};

/// How often a run that writes into a pipe says how it stands.
const PACE: Duration = Duration::from_secs(10);

/// What stands below the lines on a terminal: how the run stands, and what the rule says.
const LINES: &str = "{spinner} {elapsed:>4} {prefix}\n       {wide_msg}";

/// A trial that has ended.
pub struct Line {
    /// Its number in the journal.
    pub number: usize,
    /// Its outcome.
    pub value: Option<f64>,
    /// Why it has none.
    pub why: Option<String>,
    /// What it cost.
    pub cost: Option<f64>,
    /// What it was expected to cost.
    pub expected: Option<f64>,
    /// What was measured beside it, in words.
    pub measured: Vec<String>,
    /// What is in hand since.
    pub hand: Hand,
    /// What was spent so far.
    pub spent: f64,
    /// Its values.
    pub values: String,
}

/// What a run has in hand.
#[derive(Debug, Clone, Copy)]
pub enum Hand {
    /// The best outcome, if there is one.
    Best(Option<f64>),
    /// A front.
    Front(Front),
}

impl Default for Hand {
    fn default() -> Self {
        Self::Best(None)
    }
}

impl Hand {
    /// In the line of a trial; a star says that it is on the front.
    fn after_trial(self) -> Option<String> {
        match self {
            Self::Best(best) => best.map(|best| format!("best {:<9}", number(best))),
            Self::Front(Front { count, joined }) => {
                Some(format!("front {count:<3}{}", if joined { '*' } else { ' ' }))
            }
        }
    }

    /// In the line that says how the run stands.
    fn words(self) -> String {
        match self {
            Self::Best(best) => format!("best {}", best.map_or("none yet".to_owned(), number)),
            Self::Front(Front { count: 1, .. }) => "1 trial on the front as measured".to_owned(),
            Self::Front(Front { count, .. }) => format!("{count} trials on the front as measured"),
        }
    }
}

/// How a run goes: a line for each trial, and a line that says how it stands. On a terminal that
/// line stays below the others. In a pipe it comes every now and then.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Lines go to the standard error, because the result is one JSON object.
    aside: bool,
    unit: Option<String>,
    standing: Standing,
    said: Instant,
}

#[derive(Default)]
struct Standing {
    trials: usize,
    running: usize,
    hand: Hand,
    spent: f64,
    expected: Option<f64>,
    verdict: String,
}

impl Progress {
    /// Begins.
    pub fn new(json: bool, unit: Option<String>) -> Self {
        let terminal = io::stderr().is_terminal() && (json || io::stdout().is_terminal());
        let bar = terminal.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template(LINES) {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { bar, aside: json, unit, standing: Standing::default(), said: Instant::now() }
    }

    /// Prints a line above the standing one.
    pub fn say(&self, line: &str) {
        let print = || {
            // A reader that went away does not end a run that it paid for.
            let _ = match self.aside {
                true => writeln!(io::stderr(), "{line}"),
                false => writeln!(io::stdout(), "{line}"),
            };
        };
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// What the rule says, and why the run goes on.
    pub fn verdict(&mut self, words: String) {
        self.standing.verdict = words;
    }

    /// One more trial is under way.
    pub fn began(&mut self, running: usize, expected: Option<f64>) {
        (self.standing.running, self.standing.expected) = (running, expected);
        self.show(false);
    }

    /// A trial has ended.
    pub fn ended(&mut self, line: &Line, running: usize) {
        self.say(&self.text(line));
        self.standing = Standing {
            trials: self.standing.trials + 1,
            running,
            hand: line.hand,
            spent: line.spent,
            ..std::mem::take(&mut self.standing)
        };
        self.show(true);
    }

    fn money(&self, cost: f64) -> String {
        money(cost, self.unit.as_deref())
    }

    fn text(&self, line: &Line) -> String {
        let number_of = line.number;
        let mut parts = vec![match (&line.why, line.value) {
            (Some(why), _) => format!("{number_of:>5}  failed: {why}"),
            (None, value) => format!("{number_of:>5}  {:<9}", number(value.unwrap_or(f64::NAN))),
        }];
        parts.extend(line.measured.iter().cloned());
        parts.extend(line.hand.after_trial());
        match (line.cost, line.expected) {
            (Some(cost), Some(expected)) => {
                parts.push(format!("cost {} (expected {})", self.money(cost), digits(expected, 3)))
            }
            (Some(cost), None) => parts.push(format!("cost {}", self.money(cost))),
            (None, _) => {}
        }
        parts.push(format!("spent {}", self.money(line.spent)));
        parts.push(line.values.clone());
        parts.join("  ")
    }

    /// Says how the run stands.
    fn show(&mut self, ended: bool) {
        let standing = &self.standing;
        let mut words = format!(
            "{} done, {} running; {}; spent {}",
            standing.trials,
            standing.running,
            standing.hand.words(),
            self.money(standing.spent)
        );
        if let Some(expected) = standing.expected {
            words += &format!("; next about {}", self.money(expected));
        }
        match &self.bar {
            Some(bar) => {
                bar.set_prefix(words);
                bar.set_message(standing.verdict.clone());
            }
            None if ended && self.said.elapsed() >= PACE => {
                self.said = Instant::now();
                self.say(&format!("       {words}; {}", self.standing.verdict));
            }
            None => {}
        }
    }

    /// Takes the standing line away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
