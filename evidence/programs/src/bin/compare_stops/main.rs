//! Replays all stopping rules over one run: when does each stop, and what is that worth?
//!
//! ```text
//! cargo run --release --bin compare_stops
//! cargo run --release --bin compare_stops -- --problem branin --lambda 0.1 --save run.jsonl
//! cargo run --release --bin compare_stops -- --problem branin --lambda 10 --record run.jsonl
//! ```
//!
//! The Gittins index minimizes a test function with a learned cost. Trials cost from 1/11 to 21/11,
//! on average 1, and more with a larger sum of the coordinates. No rule ends the run, and the run
//! is recorded. Then every rule is asked for its verdict after each trial. All rules see the same
//! trials and the same models, so they differ only in when they stop. `--record` judges an earlier
//! run again, for example at another price. Problem and seed must be those of that run.
//!
//! **Reading the table.** Regret is the difference between the best value kept and the function's
//! minimum. The cost-adjusted regret adds the money spent, at a price of `--lambda` for a unit.
//! Hindsight is the moment at which that sum is least; nobody knows it during the run. `beyond` is
//! how much worse than hindsight a rule does. The initial design is free, because no rule decides
//! on it.

mod picture;
mod rules;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use frontend::{Console, Result};
use gittins::stop::Form;
use gittins::study::{Origin, Row, StudyBuilder};
use gittins::{Acquisition, Cost, GittinsRule, Outcome, Record, Study};
use gittins_papers::evaluation::{Course, Replay};
use gittins_problems::{Problem, costs};
use picture::{Overview, Stop};
use serde::Serialize;
use serde_json::json;

/// Replays stopping rules over one recorded run.
#[derive(Parser)]
struct Args {
    /// The function to minimize.
    #[arg(long, value_enum, default_value = "hartmann3")]
    problem: Name,
    /// The price of a unit of money in units of the outcome.
    #[arg(long, default_value_t = 0.01, allow_negative_numbers = true)]
    lambda: f64,
    /// What rules take for little that compare with an amount of the outcome; the price of a trial
    /// of average cost unless set.
    #[arg(long, allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// How many suggested trials the run has, after the initial design.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    trials: u64,
    /// Judges this run, a file of JSON lines, in place of making one.
    #[arg(long)]
    record: Option<PathBuf>,
    /// Where to write the run as JSON lines.
    #[arg(long)]
    save: Option<PathBuf>,
    /// Where the picture goes.
    #[arg(long, default_value = "compare_stops.svg")]
    picture: PathBuf,
    /// Where a smaller picture goes, of two rules: the Gittins index, and half of the trials.
    #[arg(long)]
    overview: Option<PathBuf>,
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    Branin,
    Hartmann3,
    Hartmann6,
}

impl Name {
    fn problem(self) -> Problem {
        match self {
            Self::Branin => gittins_problems::branin(),
            Self::Hartmann3 => gittins_problems::hartmann3(),
            Self::Hartmann6 => gittins_problems::hartmann6(),
        }
    }
}

/// One line of the table.
#[derive(Serialize)]
struct Line {
    rule: String,
    /// The number of suggested trials until it fired; none if it never did. The other numbers are
    /// then those of the whole run.
    fired: Option<usize>,
    spent: f64,
    best: f64,
    regret: f64,
    cost_adjusted_regret: f64,
    beyond_hindsight: f64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let problem = args.problem.problem();
    let tolerance = args.tolerance.unwrap_or(args.lambda);
    let header = if args.record.is_none() { "\n\ntrial      value     cost     spent" } else { "" };
    let title = format!(
        "{} in {} dimensions; a unit of money must buy {} of outcome{header}",
        problem.name(),
        problem.dim(),
        args.lambda
    );
    let progress = args.console.progress(title, args.trials);
    let settings = || {
        let study = Study::minimize(problem.space().clone()).cost(Cost::learned());
        study.policy(Acquisition::gittins(args.lambda)).seed(args.seed)
    };
    let record = match &args.record {
        Some(path) => read(path)?,
        None => run(settings(), &problem, args.trials as usize, |line| progress.step(line))?,
    };
    if let Some(path) = &args.save {
        write(path, &record)?;
    }

    let trials = Course::of(&record)?.marks().last().map_or(0, |mark| mark.adaptive);
    let initial = |row: &&Row| row.origin == Origin::Initial && row.state.is_told();
    let half = record.rows().iter().filter(initial).count() + trials / 2;
    let replay = rules::all(args.lambda, tolerance, half)
        .into_iter()
        .fold(Replay::new(settings()), |replay, (name, rule)| replay.rule_named(name, rule));
    // Verdicts after a rule has fired are not needed, and some take long.
    let replayed = replay.until_fired().run(&record)?;
    let course = &replayed.course;
    let regrets = course.simple_regret(problem.minimum());
    let adjusted = course.cost_adjusted_regret(problem.minimum(), args.lambda);
    let hindsight = course.hindsight(problem.minimum(), args.lambda);
    let line = |rule: &str, at: usize, fired: bool| {
        let mark = course.marks()[at];
        Line {
            rule: rule.to_owned(),
            fired: fired.then_some(mark.adaptive),
            spent: mark.spent,
            best: mark.best,
            regret: regrets[at],
            cost_adjusted_regret: adjusted[at],
            beyond_hindsight: adjusted[at] - hindsight.regret,
        }
    };
    let mut lines: Vec<Line> = replayed
        .rules
        .iter()
        .map(|rule| line(&rule.name, rule.stop(), rule.fired.is_some()))
        .collect();
    lines.push(line("at once, after the design", 0, true));
    lines.push(line("never", course.marks().len() - 1, false));
    lines.push(line("hindsight", hindsight.mark, true));
    let stops: Vec<Stop> = replayed
        .rules
        .iter()
        .filter_map(|rule| Some(Stop { name: rule.name.clone(), mark: rule.fired? }))
        .collect();
    picture::draw(&args.picture, course, &adjusted, &stops, hindsight.mark)?;
    if let Some(path) = &args.overview {
        let named = |rule: &str, name: &str| {
            let stop = stops.iter().find(|stop| stop.name == rule)?;
            Some(Stop { name: name.to_owned(), mark: stop.mark })
        };
        let two = [
            named("Gittins index", "stops: no trial is worth its price"),
            named("half of the trials", "a fixed budget"),
        ];
        let two: Vec<Stop> = two.into_iter().flatten().collect();
        // It goes on after it has fired, which shows that what it says stays true.
        let rule = GittinsRule::priced(args.lambda).form(Form::ImprovementPerCost);
        let weighed = Replay::new(settings()).rule(rule).run(&record)?;
        let overview = Overview {
            problem: problem.name(),
            record: &record,
            course,
            worth: &weighed.rules[0].checks,
            stops: &two,
        };
        overview.draw(path)?;
    }

    let header = format!(
        "{:<28} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9}",
        "rule", "trials", "money", "best", "regret", "adjusted", "beyond"
    );
    let text: Vec<String> = [header].into_iter().chain(lines.iter().map(Line::text)).collect();
    let text = format!("\n{}\n\npicture {}", text.join("\n"), args.picture.display());
    let json = json!({
        "problem": problem.name(), "lambda": args.lambda, "tolerance": tolerance, "trials": trials, "minimum": problem.minimum(), "rules": lines,
        "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}

impl Line {
    fn text(&self) -> String {
        let fired = self.fired.map_or("-".to_owned(), |trials| trials.to_string());
        let Self { rule, spent, best, regret, cost_adjusted_regret, beyond_hindsight, .. } = self;
        format!(
            "{rule:<28} {fired:>6} {spent:>8.2} {best:>9.4} {regret:>9.4} {cost_adjusted_regret:>9.4} {beyond_hindsight:>9.4}"
        )
    }
}

/// A run that nothing ends before its number of trials.
fn run(
    settings: StudyBuilder,
    problem: &Problem,
    trials: usize,
    step: impl Fn(String),
) -> Result<Record> {
    let mut study = settings.build()?;
    let mut slopes = vec![0.0; problem.dim()];
    while study.counts().adaptive < trials {
        let ask = study.ask()?;
        let cost = costs::linear_mean_one(&problem.space().to_unit(ask.numbers())?, &mut slopes);
        let value = problem.evaluate(ask.numbers());
        study.tell(ask.id(), Outcome::new(value).cost(cost))?;
        let (trial, spent) = (study.counts().adaptive, study.spent());
        if trial > 0 {
            step(format!("{trial:>5} {value:>10.4} {cost:>8.3} {spent:>9.3}"));
        }
    }
    Ok(study.record())
}

fn read(path: &Path) -> Result<Record> {
    let place =
        |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(|e| place(&e))?;
    let rows = text.lines().enumerate().map(|(at, line)| {
        serde_json::from_str(line).map_err(|error| place(&format!("line {}: {error}", at + 1)))
    });
    Ok(Record::new(rows.collect::<io::Result<_>>()?).map_err(|e| place(&e))?)
}

fn write(path: &Path, record: &Record) -> Result<()> {
    let mut text = String::new();
    for row in record.rows() {
        text += &serde_json::to_string(row)?;
        text.push('\n');
    }
    fs::write(path, text)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    Ok(())
}
