//! What is seen of a run while it goes on.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use gittins::{Study, TrialId};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::findings::findings::incumbent;
use crate::findings::front::{self, Standing as Front};
use crate::words::show::{digits, money, number};

/// How often a run that writes into a pipe says how it stands.
const PACE: Duration = Duration::from_secs(10);

/// What stands below the lines on a terminal: how the run stands, and what the rule says.
const STANDING: &str = "{spinner} {elapsed:>4} {prefix}\n       {wide_msg}";

/// A trial in stages that is pending, on a terminal.
const TRIAL: &str = "{prefix:>5}  {wide_msg}";

/// A trial that has ended, or that reached a stage.
#[derive(Debug)]
pub struct Line {
    /// Its number in the journal.
    pub number: usize,
    /// The result.
    pub came: Came,
    /// What was measured beside it, in words.
    pub measured: Vec<String>,
    /// What it cost, or its last stage.
    pub cost: Option<f64>,
    /// What it was expected to cost.
    pub expected: Option<f64>,
    /// The incumbent since.
    pub hand: Hand,
    /// What was spent so far.
    pub spent: f64,
    /// What it does now, and what it is expected to come to, if it runs in stages.
    pub next: Option<String>,
    /// Whether that is to go on.
    pub goes_on: bool,
    /// Its values.
    pub values: String,
}

/// The result of a trial.
#[derive(Debug)]
pub enum Came {
    /// Its outcome.
    Outcome(f64),
    /// An outcome on its way: the progress, that of its end, and the outcome there.
    Stage([f64; 3]),
    /// Nothing, and why.
    Failed(String),
}

impl Came {
    fn words(&self) -> String {
        match self {
            Self::Outcome(outcome) => format!("{:<9}", number(*outcome)),
            Self::Stage(numbers) => {
                let [progress, total, outcome] = numbers.map(number);
                format!("{progress} of {total}: {outcome:<9}")
            }
            Self::Failed(why) => format!("failed: {why}"),
        }
    }
}

/// The incumbent of a run.
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
    /// The incumbent of a study once this trial was told, if one was.
    pub fn of(study: &Study, last: Option<TrialId>) -> Self {
        match front::standing(study, last) {
            Some(standing) => Self::Front(standing),
            None => Self::Best(incumbent(study)),
        }
    }

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

/// A trial in stages that goes on.
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

/// How a run goes: a line for each trial, and one that says how it stands. On a terminal that line
/// stays below the others, with one for each trial in stages that is pending. In a pipe it comes
/// every now and then, and a trial in stages has a line for each stage.
pub struct Screen {
    bars: Option<Bars>,
    /// Lines go to the standard error, because the result is one JSON object.
    aside: bool,
    unit: Option<String>,
    standing: Standing,
    said: Instant,
}

struct Bars {
    all: MultiProgress,
    standing: ProgressBar,
    trials: BTreeMap<usize, (ProgressBar, Live)>,
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

impl Bars {
    fn new() -> Self {
        let all = MultiProgress::new();
        let standing = all.add(bar(STANDING));
        standing.enable_steady_tick(Duration::from_millis(200));
        Self { all, standing, trials: BTreeMap::new() }
    }
}

fn bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

impl Screen {
    /// Begins.
    pub fn new(json: bool, unit: Option<String>) -> Self {
        let terminal = io::stderr().is_terminal() && (json || io::stdout().is_terminal());
        let bars = terminal.then(Bars::new);
        let standing = Standing::default();
        Self { bars, aside: json, unit, standing, said: Instant::now() }
    }

    /// What is known before anything happens.
    pub fn knows(&mut self, hand: Hand, spent: f64) {
        self.standing.hand = hand;
        self.standing.spent = spent;
    }

    /// Prints a line above those that stay.
    pub fn say(&self, line: &str) {
        let print = || {
            // A reader that went away does not end a run that it paid for.
            let _ = if self.aside {
                writeln!(io::stderr(), "{line}")
            } else {
                writeln!(io::stdout(), "{line}")
            };
        };
        match &self.bars {
            Some(bars) => bars.all.suspend(print),
            None => print(),
        }
    }

    /// What the rule says, and why the run goes on.
    pub fn verdict(&mut self, words: String) {
        self.standing.verdict = words;
    }

    /// One more trial is pending.
    pub fn began(&mut self, running: usize, expected: Option<f64>) {
        self.standing.running = running;
        self.standing.expected = expected;
        self.show(false);
    }

    /// The trial that is pending since runs in stages.
    pub fn goes(&mut self, trial: usize, live: &Live) {
        if let Some(bars) = &mut self.bars {
            let bar = bars.all.add(bar(TRIAL));
            bar.set_prefix(trial.to_string());
            bars.trials.insert(trial, (bar, live.clone()));
        }
        self.moves(trial, live.progress, live.outcome, 0.0);
    }

    /// A trial in stages printed something, and owes what it cost since its last report.
    pub fn moves(&self, trial: usize, progress: f64, outcome: Option<f64>, owed: f64) {
        let Some((bar, live)) = self.bars.as_ref().and_then(|bars| bars.trials.get(&trial)) else {
            return;
        };
        let [at, until, total] = [progress, live.until, live.total].map(number);
        let outcome = outcome.or(live.outcome).map_or("-".to_owned(), number);
        let cost = self.money(live.cost + owed);
        let forecast = live.forecast.as_ref().map_or_else(String::new, |of| format!("  {of}"));
        bar.set_message(format!(
            "{at} of {total}, stage {until}: {outcome}  cost {cost}{forecast}"
        ));
    }

    /// A trial reached a stage.
    pub fn staged(&mut self, line: &Line, live: &Live) {
        let known = self.bars.as_mut().and_then(|bars| bars.trials.get_mut(&line.number));
        if let Some((_, known)) = known {
            *known = live.clone();
        }
        self.moves(line.number, live.progress, live.outcome, 0.0);
        self.tell(line);
    }

    /// The result of a trial. On a terminal one that goes on has a line of its own below.
    pub fn tell(&mut self, line: &Line) {
        self.standing.hand = line.hand;
        self.standing.spent = line.spent;
        if self.bars.is_none() || !line.goes_on {
            self.say(&self.text(line));
        }
    }

    /// Nobody works here on a trial any more.
    pub fn over(&mut self, trial: usize, running: usize) {
        let bar = self.bars.as_mut().and_then(|bars| bars.trials.remove(&trial));
        if let (Some((bar, _)), Some(bars)) = (bar, &self.bars) {
            bar.finish_and_clear();
            bars.all.remove(&bar);
        }
        self.standing.trials += 1;
        self.standing.running = running;
        self.show(true);
    }

    fn money(&self, cost: f64) -> String {
        money(cost, self.unit.as_deref())
    }

    fn text(&self, line: &Line) -> String {
        let mut parts = vec![format!("{:>5}  {}", line.number, line.came.words())];
        parts.extend(line.measured.iter().cloned());
        parts.extend(line.hand.after_trial());
        match (line.cost, line.expected) {
            (Some(cost), Some(expected)) => {
                parts.push(format!("cost {} (expected {})", self.money(cost), digits(expected, 3)));
            }
            (Some(cost), None) => parts.push(format!("cost {}", self.money(cost))),
            (None, _) => {}
        }
        parts.push(format!("spent {}", self.money(line.spent)));
        parts.extend(line.next.clone());
        parts.push(line.values.clone());
        parts.join("  ")
    }

    /// Says how the run stands.
    fn show(&mut self, ended: bool) {
        let Standing { trials, running, hand, spent, expected, verdict } = &self.standing;
        let hand = hand.words();
        let spent = self.money(*spent);
        let mut words = format!("{trials} done, {running} running; {hand}; spent {spent}");
        if let Some(expected) = expected {
            words += &format!("; next about {}", self.money(*expected));
        }
        match &self.bars {
            Some(bars) => {
                bars.standing.set_prefix(words);
                bars.standing.set_message(verdict.clone());
            }
            None if ended && self.said.elapsed() >= PACE => {
                let line = format!("       {words}; {verdict}");
                self.said = Instant::now();
                self.say(&line);
            }
            None => {}
        }
    }

    /// Takes away what stays.
    pub fn finish(&self) {
        if let Some(bars) = &self.bars {
            bars.standing.finish_and_clear();
            let _ = bars.all.clear();
        }
    }
}
